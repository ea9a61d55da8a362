"""Meshes: vertices, triangles, influences and morph targets."""

from __future__ import annotations

from typing import Any

import numpy as np

from skelter.assets.character import Mesh, Primitive
from skelter.assets.gltf import schema
from skelter.assets.gltf.accessors import AccessorReader
from skelter.assets.gltf.attributes import Attributes, read_attributes
from skelter.assets.gltf.document import Document
from skelter.assets.gltf.influences import read_influences
from skelter.assets.gltf.triangles import read_triangles

TARGET_COUNT_MAX = 4_096
PRIMITIVE_BYTES = 1_024
"""What a primitive takes beside its numbers."""


def read_meshes(document: Document, accessors: AccessorReader, uv_sets: list[int]) -> list[Mesh]:
    """Read all meshes.

    Args:
        document: The file.
        accessors: Its accessors.
        uv_sets: Per material, which set of texture coordinates its base colour texture uses.

    Raises:
        AssetError: Attributes disagree in length, an index is out of range, or a value is not finite.
    """
    return [
        _read_mesh(document, accessors, mesh, f"meshes[{index}]", uv_sets)
        for index, mesh in enumerate(document.gltf.meshes)
    ]


def _read_mesh(
    document: Document, accessors: AccessorReader, mesh: schema.Mesh, where: str, uv_sets: list[int]
) -> Mesh:
    target_count = _target_count(document, mesh, where)
    primitives = [
        _read_primitive(document, accessors, primitive, f"{where}.primitives[{index}]", uv_sets, target_count)
        for index, primitive in enumerate(mesh.primitives)
    ]
    return Mesh(mesh.name, primitives, _target_names(document, mesh, where, target_count))


def _target_count(document: Document, mesh: schema.Mesh, where: str) -> int:
    counts = {len(primitive.targets) for primitive in mesh.primitives}
    count = max(counts, default=0)
    if count > TARGET_COUNT_MAX:
        raise document.error(where, f"it has {count} morph targets; skelter reads up to {TARGET_COUNT_MAX}")
    if len(counts) > 1:
        document.warn(where, "its primitives have different numbers of morph targets; missing ones do not move")
    return count


def _target_names(document: Document, mesh: schema.Mesh, where: str, count: int) -> list[str]:
    given: Any = mesh.extras.get("targetNames") if isinstance(mesh.extras, dict) else None
    names = given if isinstance(given, list) else []
    if names and len(names) != count:
        document.warn(f"{where}.extras.targetNames", f"there are {len(names)} names for {count} morph targets")
    known = {index: name for index, name in enumerate(names) if isinstance(name, str) and name}
    return [known.get(index, f"target_{index}") for index in range(count)]


def _read_primitive(
    document: Document,
    accessors: AccessorReader,
    primitive: schema.Primitive,
    where: str,
    uv_sets: list[int],
    target_count: int,
) -> Primitive:
    material = -1
    if primitive.material is not None:
        material = document.check_index(primitive.material, len(uv_sets), f"{where}.material", "material")
    document.spend(PRIMITIVE_BYTES, where)
    attributes = read_attributes(document, accessors, primitive, where)
    if "POSITION" not in attributes:
        document.warn(where, "the primitive has no POSITION; it is skipped")
        return Primitive(np.zeros((0, 3), np.float32), np.zeros((0, 3), np.uint32), material=material)
    positions = attributes.vectors("POSITION", 3)
    count = len(positions)
    joints, weights = read_influences(document, attributes, where)
    uv_set = f"TEXCOORD_{uv_sets[material] if material >= 0 else 0}"
    return Primitive(
        positions=positions,
        triangles=read_triangles(document, attributes, primitive, where, count),
        normals=attributes.vectors("NORMAL", 3) if "NORMAL" in attributes else None,
        uvs=attributes.vectors(uv_set, 2) if uv_set in attributes else None,
        colors=_colors(document, attributes, where),
        joints=joints,
        weights=weights,
        morph_positions=_targets(document, accessors, primitive, where, "POSITION", target_count, count),
        morph_normals=_normal_targets(document, accessors, primitive, where, target_count, count),
        material=material,
    )


def _colors(document: Document, attributes: Attributes, where: str) -> np.ndarray | None:
    if "COLOR_0" not in attributes:
        return None
    given = attributes.floats("COLOR_0", ("VEC3", "VEC4"))
    document.spend(len(given) * 16, where)
    colors = np.ones((len(given), 4), np.float32)
    colors[:, : given.shape[1]] = given
    return colors


def _normal_targets(
    document: Document,
    accessors: AccessorReader,
    primitive: schema.Primitive,
    where: str,
    target_count: int,
    vertex_count: int,
) -> np.ndarray | None:
    if not any("NORMAL" in target for target in primitive.targets):
        return None
    return _targets(document, accessors, primitive, where, "NORMAL", target_count, vertex_count)


def _targets(
    document: Document,
    accessors: AccessorReader,
    primitive: schema.Primitive,
    where: str,
    name: str,
    target_count: int,
    vertex_count: int,
) -> np.ndarray:
    """Return the deltas of all morph targets, float32 ``[target, vert, 3]``; zeros where a target has none."""
    document.spend(target_count * vertex_count * 12, where)
    deltas = np.zeros((target_count, vertex_count, 3), np.float32)
    for index, target in enumerate(primitive.targets):
        if name in target:
            place = f"{where}.targets[{index}].{name}"
            values = accessors.read_float(target[name], place, ("VEC3",))
            if len(values) != vertex_count:
                raise document.error(place, f"it has {len(values)} elements for {vertex_count} vertices")
            deltas[index] = values
    return deltas
