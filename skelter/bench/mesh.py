"""A mesh as characters have it: vertices around the bones, neighbours with the same joints."""

from __future__ import annotations

import numpy as np

INFLUENCES = 4
REGIONS = 3
"""Regions of a bone whose vertices share their joints."""


def limb_vertices(parent: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return vertices around the bones of a skeleton, bone after bone.

    Every region of a bone has its own four joints: the bone, and those near it.

    Args:
        parent: int32 ``[joint]``.
        count: Number of vertices.

    Returns:
        ``(joints int32 [vert, 4], weights float32 [vert, 4] descending, positions, normals float32 [vert, 3])``.
    """
    random = np.random.default_rng(0)
    joint_count = len(parent)
    bone = np.arange(count) * joint_count // count
    region = np.arange(count) * joint_count * REGIONS // count
    sets = np.empty((joint_count * REGIONS, INFLUENCES), np.int32)
    for number in range(len(sets)):
        own = number // REGIONS
        near = [
            joint for joint in range(joint_count) if joint in {own, parent[own]} or parent[joint] in {own, parent[own]}
        ]
        others = [joint for joint in range(joint_count) if joint not in near]
        pool = [*near, *random.permutation(others)[:INFLUENCES]]
        sets[number] = [own, *random.permutation([joint for joint in pool if joint != own])[: INFLUENCES - 1]]
    weights = np.sort(random.random((count, INFLUENCES)) + 0.05, axis=1)[:, ::-1]
    weights = (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)
    positions = random.normal(size=(count, 3)).astype(np.float32) + bone[:, None].astype(np.float32)
    normals = random.normal(size=(count, 3)).astype(np.float32)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return sets[region], np.ascontiguousarray(weights), positions, normals
