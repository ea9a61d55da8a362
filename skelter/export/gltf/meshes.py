"""Meshes, morph targets and skins of a character as glTF JSON."""

from __future__ import annotations

from typing import Any

import numpy as np

from skelter.assets.character import Character, Primitive, Skin
from skelter.export.gltf.buffer import ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER, BufferWriter

TRIANGLES, POINTS = 4, 0


def mesh_json(character: Character, index: int, buffer: BufferWriter) -> dict[str, Any] | None:
    """Return a mesh, or None if it has no vertex: glTF has no empty meshes."""
    mesh = character.meshes[index]
    target_count = len(mesh.target_names)
    primitives = [
        _primitive(primitive, buffer, f"meshes[{index}].primitives[{number}]", target_count)
        for number, primitive in enumerate(mesh.primitives)
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


def skin_json(skin: Skin, buffer: BufferWriter, where: str) -> dict[str, Any]:
    """Return a skin."""
    columns = skin.joint_from_bind.transpose(0, 2, 1).reshape(len(skin.joints), 16).astype(np.float32)
    entry: dict[str, Any] = {
        "joints": skin.joints.tolist(),
        "inverseBindMatrices": buffer.accessor(columns, f"{where}.joint_from_bind"),
    }
    if skin.name:
        entry["name"] = skin.name
    return entry


def _primitive(primitive: Primitive, buffer: BufferWriter, where: str, target_count: int) -> dict[str, Any]:
    attributes = {
        "POSITION": buffer.accessor(primitive.positions, f"{where}.positions", target=ARRAY_BUFFER, limits=True)
    }
    for name, values in (
        ("NORMAL", _unit(primitive.normals)),
        ("TEXCOORD_0", primitive.uvs),
        ("COLOR_0", primitive.colors),
    ):
        if values is not None:
            attributes[name] = buffer.accessor(values.astype(np.float32), f"{where}.{name}", target=ARRAY_BUFFER)
    attributes |= _influences(primitive, buffer, where)
    entry: dict[str, Any] = {"attributes": attributes}
    if len(primitive.triangles):
        corners = primitive.triangles.reshape(-1)
        dtype = np.uint16 if len(primitive.positions) < 0xFFFF else np.uint32
        entry["indices"] = buffer.accessor(corners.astype(dtype), f"{where}.triangles", target=ELEMENT_ARRAY_BUFFER)
    else:
        entry["mode"] = POINTS
    if primitive.material >= 0:
        entry["material"] = primitive.material
    if target_count:
        entry["targets"] = [_target(primitive, index, buffer, where) for index in range(target_count)]
    return entry


def _unit(normals: np.ndarray | None) -> np.ndarray | None:
    """Return normals of length one, as glTF wants them; one without direction points up."""
    if normals is None:
        return None
    wide = normals.astype(np.float64)
    length = np.linalg.norm(wide, axis=1, keepdims=True)
    return np.where(length > 0, wide / np.where(length > 0, length, 1.0), [0.0, 1.0, 0.0])


def _influences(primitive: Primitive, buffer: BufferWriter, where: str) -> dict[str, int]:
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
        for name, values in (("JOINTS", joints.astype(dtype)), ("WEIGHTS", weights)):
            key = f"{name}_{number}"
            attributes[key] = buffer.accessor(values[:, columns], f"{where}.{key}", target=ARRAY_BUFFER)
    return attributes


def _merged(joints: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return weights where the first of several influences of one joint has them all: glTF wants each joint once."""
    merged = weights.copy()
    for late in range(1, joints.shape[1]):
        for early in range(late):
            same = (joints[:, late] == joints[:, early]) & (merged[:, late] > 0) & (merged[:, early] > 0)
            merged[same, early] += merged[same, late]
            merged[same, late] = 0
    return merged


def _target(primitive: Primitive, index: int, buffer: BufferWriter, where: str) -> dict[str, int]:
    deltas = {"POSITION": _deltas(primitive.morph_positions, index, primitive)}
    if primitive.morph_normals is not None:
        deltas["NORMAL"] = _deltas(primitive.morph_normals, index, primitive)
    return {
        name: buffer.accessor(
            values, f"{where}.targets[{index}].{name}", target=ARRAY_BUFFER, limits=name == "POSITION"
        )
        for name, values in deltas.items()
    }


def _deltas(targets: np.ndarray, index: int, primitive: Primitive) -> np.ndarray:
    return targets[index] if index < len(targets) else np.zeros_like(primitive.positions)
