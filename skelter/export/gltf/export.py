"""Write a character as GLB."""

from __future__ import annotations

import struct
from os import PathLike
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

import skelter
from skelter.assets.character import Character
from skelter.core.errors import ArgumentError
from skelter.core.files import replacing
from skelter.export.gltf.buffer import BufferWriter
from skelter.export.gltf.clips import clip_json
from skelter.export.gltf.materials import image_json, material_json
from skelter.export.gltf.meshes import mesh_json, skin_json

CHUNK_JSON, CHUNK_BIN = 0x4E4F534A, 0x004E4942
GLB_BYTES_MAX = 0xFFFFFFFF


def export_glb(character: Character, path: str | PathLike[str], *, force: bool = False) -> Path:
    """Write a character to a GLB file, whole or not at all.

    What is written: all nodes, meshes with any number of influences, skins, morph targets, clips at clip time (from 0),
    materials and embedded images. Nodes outside the default scene are in the file but not in its scene. Clips that move
    nothing and meshes without vertices are left out, for glTF has none; skins whose joints have no common root get one.

    Args:
        character: The character.
        path: File to write.
        force: Replace a file that exists.

    Returns:
        The path that was written.

    Raises:
        ArgumentError: A number of the character is not finite.
        OutputError: The file exists, or cannot be written.
    """
    target = Path(path)
    data = glb_bytes(character)
    with replacing(target, force=force) as temporary:
        temporary.write_bytes(data)
    return target


def glb_bytes(character: Character) -> bytes:
    """Return a character as the bytes of a GLB file; the same character gives the same bytes.

    Raises:
        ArgumentError: A number of the character is not finite, or the file would exceed 4 GiB.
    """
    buffer = BufferWriter()
    document = _document(character, buffer)
    binary = buffer.data()
    text = msgspec.json.encode({name: value for name, value in document.items() if value})
    text += b" " * (-len(text) % 4)
    length = 12 + 8 + len(text) + (8 + len(binary) if binary else 0)
    if length > GLB_BYTES_MAX:
        raise ArgumentError(f"{character.name}: the file would have {length} bytes; a GLB holds up to {GLB_BYTES_MAX}")
    parts = [struct.pack("<4sII", b"glTF", 2, length), struct.pack("<II", len(text), CHUNK_JSON), text]
    if binary:
        parts += [struct.pack("<II", len(binary), CHUNK_BIN), binary]
    return b"".join(parts)


def _document(character: Character, buffer: BufferWriter) -> dict[str, Any]:
    meshes = [mesh_json(character, index, buffer) for index in range(len(character.meshes))]
    skins = [skin_json(skin, buffer, f"skins[{index}]") for index, skin in enumerate(character.skins)]
    nodes = _nodes(character, meshes)
    roots = _scene_roots(character)
    if _lacks_common_root(character):
        nodes.append({"name": _free_name(character.nodes.names), "children": roots})
        roots = [len(nodes) - 1]
    weighted = {instance.node for instance in character.instances if len(instance.weights) and meshes[instance.mesh]}
    clips = [clip_json(clip, weighted, buffer, f"clips[{index}]") for index, clip in enumerate(character.clips)]
    images = [image_json(image, buffer) for image in character.images]
    materials, textures = _materials(character, images)
    used = sorted({name for material in materials for name in _extensions(material)})
    binary_size = sum(-(-view["byteLength"] // 4) * 4 for view in buffer.views)
    return {
        "asset": {"version": "2.0", "generator": f"skelter {skelter.__version__}"},
        "extensionsUsed": used,
        "scene": 0 if nodes else None,
        "scenes": [{"nodes": roots}] if roots else [],
        "nodes": nodes,
        "meshes": [mesh for mesh in meshes if mesh],
        "skins": skins,
        "animations": [clip for clip in clips if clip],
        "materials": materials,
        "textures": textures,
        "samplers": [{"magFilter": 9729, "minFilter": 9987}] if textures else [],
        "images": [image for image in images if image],
        "accessors": buffer.accessors,
        "bufferViews": buffer.views,
        "buffers": [{"byteLength": binary_size}] if binary_size else [],
    }


def _nodes(character: Character, meshes: list[dict[str, Any] | None]) -> list[dict[str, Any]]:
    nodes = character.nodes
    _check_finite(character)
    rotation = nodes.rotation / np.linalg.norm(nodes.rotation, axis=1, keepdims=True)
    entries: list[dict[str, Any]] = []
    for index, name in enumerate(nodes.names):
        entry: dict[str, Any] = {"name": name}
        if nodes.translation[index].any():
            entry["translation"] = nodes.translation[index].tolist()
        if not np.array_equal(rotation[index], [0.0, 0.0, 0.0, 1.0]):
            entry["rotation"] = rotation[index].tolist()
        if (nodes.scale[index] != 1.0).any():
            entry["scale"] = nodes.scale[index].tolist()
        entries.append(entry)
    for index, parent in enumerate(nodes.parent.tolist()):
        if parent >= 0:
            entries[parent].setdefault("children", []).append(index)
    _place_meshes(character, meshes, entries)
    return entries


def _place_meshes(character: Character, meshes: list[dict[str, Any] | None], entries: list[dict[str, Any]]) -> None:
    number = np.cumsum([mesh is not None for mesh in meshes]) - 1
    for instance in character.instances:
        if meshes[instance.mesh] is None:
            continue
        entry = entries[instance.node]
        entry["mesh"] = int(number[instance.mesh])
        if instance.skin >= 0:
            entry["skin"] = instance.skin
        if len(instance.weights):
            entry["weights"] = instance.weights.tolist()


def _check_finite(character: Character) -> None:
    nodes = character.nodes
    for name, array in (("translation", nodes.translation), ("rotation", nodes.rotation), ("scale", nodes.scale)):
        finite = np.isfinite(array).all(axis=1)
        if not finite.all():
            node = int(np.argmin(finite))
            raise ArgumentError(f"nodes.{name}: the value of node {nodes.names[node]!r} is not finite: {array[node]}")


def _scene_roots(character: Character) -> list[int]:
    """Return the roots that the default scene shows: all but those that hold only invisible meshes."""
    parent = character.nodes.parent
    hidden = {_root(parent, instance.node) for instance in character.instances if not instance.visible}
    shown = {_root(parent, instance.node) for instance in character.instances if instance.visible}
    return [index for index, above in enumerate(parent.tolist()) if above < 0 and index not in hidden - shown]


def _lacks_common_root(character: Character) -> bool:
    """Return whether the joints of a skin hang under several roots, which glTF does not allow: they get one more."""
    parent = character.nodes.parent
    return any(len({_root(parent, int(joint)) for joint in skin.joints}) > 1 for skin in character.skins)


def _free_name(names: list[str]) -> str:
    return next(name for count in range(len(names) + 1) if (name := "root" + "_" * count) not in names)


def _root(parent: np.ndarray, node: int) -> int:
    while parent[node] >= 0:
        node = int(parent[node])
    return node


def _materials(
    character: Character, images: list[dict[str, Any] | None]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the materials and the textures, one texture per image that was written."""
    number = np.cumsum([image is not None for image in images]) - 1
    textures = [{"source": index, "sampler": 0} for index in range(sum(image is not None for image in images))]
    materials = []
    for material in character.materials:
        index = material.base_color_image
        written = 0 <= index < len(images) and images[index] is not None
        materials.append(material_json(material, int(number[index]) if written else None))
    return materials, textures


def _extensions(material: dict[str, Any]) -> list[str]:
    texture = material["pbrMetallicRoughness"].get("baseColorTexture", {})
    return [*material.get("extensions", {}), *texture.get("extensions", {})]
