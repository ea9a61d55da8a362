"""Meshes, morph targets and skins of a character as glTF JSON."""

from __future__ import annotations

from typing import Any

import numpy as np

from skelter.assets.character import Mesh, Primitive, Skin
from skelter.core.material import Material
from skelter.export.gltf.buffer import ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER, BufferWriter

POINTS = 0


def mesh_json(mesh: Mesh, materials: list[Material], buffer: BufferWriter) -> dict[str, Any] | None:
    """Return a mesh, or None if it has no vertex: glTF has no empty meshes."""
    target_count = len(mesh.target_names)
    primitives = [
        _primitive(primitive, materials, target_count, buffer)
        for primitive in mesh.primitives
        if len(primitive.positions)
    ]
    if not primitives:
        return None
    entry: dict[str, Any] = {"primitives": primitives}
    if mesh.name:
        entry["name"] = mesh.name
    if target_count:
        entry["weights"] = [0.0] * target_count
        entry["extras"] = {"targetNames": mesh.target_names}
    return entry


def skin_json(skin: Skin, buffer: BufferWriter) -> dict[str, Any]:
    """Return a skin."""
    columns = skin.joint_from_bind.transpose(0, 2, 1).reshape(len(skin.joints), 16).astype(np.float32)
    entry: dict[str, Any] = {"joints": skin.joints.tolist(), "inverseBindMatrices": buffer.accessor(columns)}
    if skin.name:
        entry["name"] = skin.name
    return entry


def _primitive(
    primitive: Primitive, materials: list[Material], target_count: int, buffer: BufferWriter
) -> dict[str, Any]:
    vectors = {
        "POSITION": primitive.positions,
        "NORMAL": _unit(primitive.normals),
        "TEXCOORD_0": _uvs(primitive, materials),
        "COLOR_0": None if primitive.colors is None else np.clip(primitive.colors, 0.0, 1.0),
    }
    attributes = {
        name: _vectors(values, buffer, limits=name == "POSITION")
        for name, values in vectors.items()
        if values is not None
    }
    entry: dict[str, Any] = {"attributes": attributes | _influences(primitive, buffer)}
    if len(primitive.triangles):
        dtype = np.uint16 if len(primitive.positions) < 0xFFFF else np.uint32
        corners = primitive.triangles.reshape(-1).astype(dtype)
        entry["indices"] = buffer.accessor(corners, target=ELEMENT_ARRAY_BUFFER)
    else:
        entry["mode"] = POINTS
    if primitive.material >= 0:
        entry["material"] = primitive.material
    if target_count:
        entry["targets"] = [_target(primitive, index, buffer) for index in range(target_count)]
    return entry


def _vectors(values: np.ndarray, buffer: BufferWriter, *, limits: bool) -> int:
    return buffer.accessor(values.astype(np.float32), target=ARRAY_BUFFER, limits=limits)


def _unit(normals: np.ndarray | None) -> np.ndarray | None:
    """Return normals of length one, as glTF wants them; one without direction points up."""
    if normals is None:
        return None
    wide = normals.astype(np.float64)
    length = np.linalg.norm(wide, axis=1, keepdims=True)
    return np.where(length > 0, wide / np.where(length > 0, length, 1.0), [0.0, 1.0, 0.0])


def _uvs(primitive: Primitive, materials: list[Material]) -> np.ndarray | None:
    """Return texture coordinates; zeros where there are none but a texture, for glTF wants some then."""
    textured = primitive.material >= 0 and materials[primitive.material].base_color_image >= 0
    if primitive.uvs is None and textured:
        return np.zeros((len(primitive.positions), 2), np.float32)
    return primitive.uvs


def _influences(primitive: Primitive, buffer: BufferWriter) -> dict[str, int]:
    """Return ``JOINTS_n`` and ``WEIGHTS_n``, four influences each; unused joints are 0, as glTF wants them."""
    count = primitive.joints.shape[1]
    if count == 0:
        return {}
    sets = -(-count // 4)
    joints = np.zeros((len(primitive.joints), sets * 4), np.int32)
    weights = np.zeros((len(primitive.joints), sets * 4), np.float32)
    joints[:, :count], weights[:, :count] = primitive.joints, _merged(primitive.joints, primitive.weights)
    joints[weights == 0] = 0
    dtype = np.uint8 if joints.max(initial=0) < 0x100 else np.uint16
    attributes = {}
    for number in range(sets):
        columns = slice(number * 4, number * 4 + 4)
        attributes[f"JOINTS_{number}"] = buffer.accessor(joints[:, columns].astype(dtype), target=ARRAY_BUFFER)
        attributes[f"WEIGHTS_{number}"] = buffer.accessor(weights[:, columns], target=ARRAY_BUFFER)
    return attributes


def _merged(joints: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return weights that sum to 1, where the first of several influences of one joint has them all.

    glTF wants each joint once, and a sum that is off by no more than the rounding of float32.
    """
    merged = weights.astype(np.float64)
    for late in range(1, joints.shape[1]):
        for early in range(late):
            same = (joints[:, late] == joints[:, early]) & (merged[:, late] > 0) & (merged[:, early] > 0)
            merged[same, early] += merged[same, late]
            merged[same, late] = 0
    return merged / merged.sum(axis=1, keepdims=True)


def _target(primitive: Primitive, index: int, buffer: BufferWriter) -> dict[str, int]:
    target = {"POSITION": _vectors(_deltas(primitive.morph_positions, index, primitive), buffer, limits=True)}
    if primitive.morph_normals is not None:
        target["NORMAL"] = _vectors(_deltas(primitive.morph_normals, index, primitive), buffer, limits=False)
    return target


def _deltas(targets: np.ndarray, index: int, primitive: Primitive) -> np.ndarray:
    return targets[index] if index < len(targets) else np.zeros_like(primitive.positions)
