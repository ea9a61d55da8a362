"""Influences: which joints move a vertex, and how much. Any number of sets."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from skelter.assets.character import Mesh, MeshInstance, Skin
from skelter.assets.gltf.attributes import Attributes
from skelter.assets.gltf.document import Document

WEIGHT_SUM_TOLERANCE = 4e-3
"""Sums of weights that differ from 1 by more are reported; rounding to 8 bits gives up to 1/255."""


def read_influences(document: Document, attributes: Attributes, where: str) -> tuple[np.ndarray, np.ndarray]:
    """Return joint indices and weights of all sets ``JOINTS_n``, ``WEIGHTS_n``, weights scaled to sum to 1.

    Returns:
        ``(joints int32 [vert, influence], weights float32 [vert, influence])``; influence is 0 without sets. A vertex
        without any weight follows its first joint.

    Raises:
        AssetError: A set of joints has no set of weights, or a value is not finite.
    """
    joint_sets: list[np.ndarray] = []
    weight_sets: list[np.ndarray] = []
    highest = np.iinfo(np.int32).max
    while f"JOINTS_{len(joint_sets)}" in attributes:
        number = len(joint_sets)
        if f"WEIGHTS_{number}" not in attributes:
            raise document.error(f"{where}.attributes", f"JOINTS_{number} has no WEIGHTS_{number}")
        joints = attributes.integers(f"JOINTS_{number}")
        document.spend(joints.size * (joints.itemsize + 16), where)  # what is kept, and what it takes to get there
        joint_sets.append(
            np.clip(joints.astype(np.int64), -1, highest).astype(np.int32) if joints.itemsize > 2 else joints
        )
        weight_sets.append(attributes.floats(f"WEIGHTS_{number}", ("VEC4",)))
    if not joint_sets:
        return np.zeros((0, 0), np.int32), np.zeros((0, 0), np.float32)
    weights = _normalized(document, np.concatenate(weight_sets, axis=1), where)
    return np.concatenate(joint_sets, axis=1).astype(np.int32), weights.astype(np.float32)


def _normalized(document: Document, weights: np.ndarray, where: str) -> np.ndarray:
    if (weights < 0).any():
        document.warn(f"{where}.attributes", f"{int((weights < 0).sum())} weights are negative; they are taken as 0")
        weights = np.maximum(weights, 0.0)
    total = weights.sum(axis=1, keepdims=True)
    empty = total[:, 0] <= 0
    off = np.abs(total[:, 0] - 1.0) > WEIGHT_SUM_TOLERANCE
    if (off & ~empty).any():
        worst = float(total[off & ~empty, 0][np.abs(total[off & ~empty, 0] - 1.0).argmax()])
        document.warn(
            f"{where}.attributes",
            f"the weights of {int((off & ~empty).sum())} vertices do not sum to 1 (one to {worst:.4g}); renormalised",
        )
    weights = weights / np.where(empty[:, None], 1.0, total)
    if empty.any():
        document.warn(
            f"{where}.attributes", f"{int(empty.sum())} vertices have no weight; they follow their first joint"
        )
        weights[empty, 0] = 1.0
    return weights


def check_influences(document: Document, meshes: list[Mesh], skins: list[Skin], instances: list[MeshInstance]) -> None:
    """Take out influences of joints that a skin does not have, with a warning.

    An index out of range with weight 0 is common and harmless; it becomes 0. A mesh that is shared by skins with
    different numbers of joints is split where that matters, so that the larger skin loses nothing.
    """
    mended: dict[tuple[int, int], int] = {}
    largest = {instance.mesh: 0 for instance in instances}
    for instance in instances:
        if instance.skin >= 0:
            largest[instance.mesh] = max(largest[instance.mesh], len(skins[instance.skin].joints))
    for instance in instances:
        if instance.skin < 0:
            continue
        count = len(skins[instance.skin].joints)
        key = (instance.mesh, count)
        if key not in mended:
            mended[key] = _mended(document, meshes, instance.mesh, count, shared=count < largest[instance.mesh])
        instance.mesh = mended[key]


def _mended(document: Document, meshes: list[Mesh], index: int, count: int, shared: bool) -> int:
    """Take out influences of joints from ``count`` on; return the index of the mesh, or of a copy if it is shared."""
    document.spend(sum(part.joints.size for part in meshes[index].primitives), f"meshes[{index}]")
    outside = [(primitive.joints < 0) | (primitive.joints >= count) for primitive in meshes[index].primitives]
    if not any(mask.any() for mask in outside):
        return index
    mesh = meshes[index]
    if shared:
        document.spend(sum(part.joints.nbytes + part.weights.nbytes for part in mesh.primitives), f"meshes[{index}]")
        mesh = replace(mesh, primitives=[replace(part, joints=part.joints.copy()) for part in mesh.primitives])
        meshes.append(mesh)
    for number, (primitive, mask) in enumerate(zip(mesh.primitives, outside, strict=True)):
        if mask.any():
            where = f"meshes[{index}].primitives[{number}].attributes"
            primitive.weights = _without(document, primitive.joints, primitive.weights, mask, count, where)
            primitive.joints[mask] = 0
    return len(meshes) - 1 if shared else index


def _without(
    document: Document, joints: np.ndarray, weights: np.ndarray, outside: np.ndarray, count: int, where: str
) -> np.ndarray:
    wrong = outside & (weights > 0)
    if not wrong.any():
        return weights
    vertex, influence = divmod(int(np.argmax(wrong)), wrong.shape[1])
    document.warn(
        where,
        f"vertex {vertex} uses joint {int(joints[vertex, influence])} of {count}"
        f" ({int(wrong.sum())} such influences in all); the influence is taken out",
    )
    kept = np.where(wrong, 0.0, weights.astype(np.float64))
    total = kept.sum(axis=1, keepdims=True)
    kept[total[:, 0] <= 0, 0] = 1.0
    return (kept / np.where(total > 0, total, 1.0)).astype(np.float32)
