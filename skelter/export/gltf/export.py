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
from skelter.assets.check import check_character
from skelter.core.errors import ArgumentError
from skelter.core.files import replacing
from skelter.export.gltf.buffer import BufferWriter
from skelter.export.gltf.clips import clip_json
from skelter.export.gltf.materials import WEBP, extensions_of, image_json, material_json, texture_json
from skelter.export.gltf.meshes import mesh_json, skin_json
from skelter.export.gltf.nodes import node_json, placed_instances

CHUNK_JSON, CHUNK_BIN = 0x4E4F534A, 0x004E4942
GLB_BYTES_MAX = 0xFFFFFFFF


def export_glb(character: Character, path: str | PathLike[str], *, force: bool = False) -> Path:
    """Write a character to a GLB file, whole or not at all.

    What is written: all nodes, meshes with any number of influences, skins, morph targets, clips at clip time (from 0),
    materials and embedded images. Clips that move nothing and meshes without vertices are left out, for glTF has none;
    skins whose joints have no common root get one. Roots that hold nothing but invisible meshes are in the file but not
    in its scene; an invisible mesh under another root is not placed.

    Args:
        character: The character.
        path: File to write.
        force: Replace a file that exists.

    Returns:
        The path that was written.

    Raises:
        ArgumentError: The character does not hold together; see `skelter.assets.check`.
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
        ArgumentError: The character does not hold together, or the file would exceed 4 GiB.
    """
    check_character(character)
    buffer = BufferWriter()
    document = _document(character, buffer)
    binary = buffer.data()
    text = msgspec.json.encode({name: value for name, value in document.items() if value not in (None, [])})
    text += b" " * (-len(text) % 4)
    length = 12 + 8 + len(text) + (8 + len(binary) if binary else 0)
    if length > GLB_BYTES_MAX:
        raise ArgumentError(f"{character.name}: the file would have {length} bytes; a GLB holds up to {GLB_BYTES_MAX}")
    parts = [struct.pack("<4sII", b"glTF", 2, length), struct.pack("<II", len(text), CHUNK_JSON), text]
    if binary:
        parts += [struct.pack("<II", len(binary), CHUNK_BIN), binary]
    return b"".join(parts)


def _document(character: Character, buffer: BufferWriter) -> dict[str, Any]:
    meshes = [mesh_json(mesh, character.materials, buffer) for mesh in character.meshes]
    skins = [skin_json(skin, buffer) for skin in character.skins]
    mesh_numbers = _numbers(meshes)
    placed = placed_instances(character, mesh_numbers)
    nodes, roots = node_json(character, placed, mesh_numbers)
    weighted = {instance.node for instance in placed if len(instance.weights)}
    clips = [clip_json(clip, weighted, buffer) for clip in character.clips]
    images = [image_json(image, buffer) for image in character.images]
    materials, textures = _materials(character, images)
    used = sorted({name for entry in [*materials, *textures] for name in extensions_of(entry)})
    binary_size = sum(-(-view["byteLength"] // 4) * 4 for view in buffer.views)
    return {
        "asset": {"version": "2.0", "generator": f"skelter {skelter.__version__}"},
        "extensionsUsed": used,
        "extensionsRequired": [name for name in used if name == WEBP],
        "scene": 0 if nodes else None,
        "scenes": [{"nodes": roots} if roots else {}] if nodes else [],
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


def _materials(
    character: Character, images: list[dict[str, Any] | None]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the materials and the textures, one texture per image that was written."""
    numbers = [*_numbers(images), -1]  # the last one is for materials without an image
    textures = [texture_json(index, image) for index, image in enumerate(image for image in images if image)]
    return [material_json(material, numbers[material.base_color_image]) for material in character.materials], textures


def _numbers(entries: list[dict[str, Any] | None]) -> list[int]:
    """Return the index that each entry gets once those that are None are left out; -1 for these."""
    kept = np.array([entry is not None for entry in entries], bool)
    numbers: list[int] = np.where(kept, np.cumsum(kept) - 1, -1).tolist()
    return numbers
