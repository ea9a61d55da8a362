"""Kernels of `skelter.transform.to_model`."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from skelter.core.arrays import AFFINE, BLOCK_SIZE, LANE_COUNT
from skelter.core.kernel import kernel

MATRIX_BLOCK = AFFINE * LANE_COUNT
"""Floats of the matrices of 16 joints, ``[element 12][lane 16]``."""


@kernel
def to_model_kernel(local, parent, start, stop, scratch, out_model):
    """Turn the poses of the characters ``[start, stop)`` into model matrices, parents first.

    ``model_from_joint[j] = model_from_joint[parent[j]] @ parent_from_joint(local[j])``

    Args:
        local: float32 ``[char, block * 160]``.
        parent: int32 ``[joint]``, ``parent[j] < j``.
        start: First character.
        stop: Past the last character.
        scratch: float32 ``[block * 192]``.
        out_model: float32 ``[char, joint * 12]``, written whole.
    """
    blocks = len(scratch) // MATRIX_BLOCK
    for char in range(start, stop):
        for block in range(blocks):
            pose = local[char, block * BLOCK_SIZE : (block + 1) * BLOCK_SIZE]
            local_matrices(pose, scratch[block * MATRIX_BLOCK : (block + 1) * MATRIX_BLOCK])
        concatenate(scratch, parent, out_model[char])


@kernel
def local_matrices(local, out):
    """Write ``T @ R @ S`` of the 16 joints of a block, one lane each."""
    two = np.float32(2.0)
    one = np.float32(1.0)
    for lane in range(LANE_COUNT):
        x = local[lane]
        y = local[LANE_COUNT + lane]
        z = local[2 * LANE_COUNT + lane]
        w = local[3 * LANE_COUNT + lane]
        sx = local[7 * LANE_COUNT + lane]
        sy = local[8 * LANE_COUNT + lane]
        sz = local[9 * LANE_COUNT + lane]
        out[lane] = (one - two * (y * y + z * z)) * sx
        out[LANE_COUNT + lane] = two * (x * y - z * w) * sy
        out[2 * LANE_COUNT + lane] = two * (x * z + y * w) * sz
        out[3 * LANE_COUNT + lane] = local[4 * LANE_COUNT + lane]
        out[4 * LANE_COUNT + lane] = two * (x * y + z * w) * sx
        out[5 * LANE_COUNT + lane] = (one - two * (x * x + z * z)) * sy
        out[6 * LANE_COUNT + lane] = two * (y * z - x * w) * sz
        out[7 * LANE_COUNT + lane] = local[5 * LANE_COUNT + lane]
        out[8 * LANE_COUNT + lane] = two * (x * z - y * w) * sx
        out[9 * LANE_COUNT + lane] = two * (y * z + x * w) * sy
        out[10 * LANE_COUNT + lane] = (one - two * (x * x + y * y)) * sz
        out[11 * LANE_COUNT + lane] = local[6 * LANE_COUNT + lane]


@kernel
def concatenate(matrices, parent, out_model):
    """Multiply local matrices ``[block, 12, 16]`` into model matrices ``[joint, 12]``."""
    for joint in range(len(parent)):
        m = load_lane(matrices[joint // LANE_COUNT * MATRIX_BLOCK :], joint % LANE_COUNT)
        out = out_model[joint * AFFINE : (joint + 1) * AFFINE]
        if parent[joint] < 0:
            for element in range(AFFINE):
                out[element] = m[element]
        else:
            above = out_model[parent[joint] * AFFINE :][:AFFINE]
            for row in range(0, AFFINE, 4):
                a0, a1, a2 = above[row], above[row + 1], above[row + 2]
                out[row] = a0 * m[0] + a1 * m[4] + a2 * m[8]
                out[row + 1] = a0 * m[1] + a1 * m[5] + a2 * m[9]
                out[row + 2] = a0 * m[2] + a1 * m[6] + a2 * m[10]
                out[row + 3] = a0 * m[3] + a1 * m[7] + a2 * m[11] + above[row + 3]


@kernel
def load_lane(matrices, lane):
    """Return the matrix of one lane as 12 scalars, which then stay in registers."""
    return (
        matrices[lane],
        matrices[lane + LANE_COUNT],
        matrices[lane + 2 * LANE_COUNT],
        matrices[lane + 3 * LANE_COUNT],
        matrices[lane + 4 * LANE_COUNT],
        matrices[lane + 5 * LANE_COUNT],
        matrices[lane + 6 * LANE_COUNT],
        matrices[lane + 7 * LANE_COUNT],
        matrices[lane + 8 * LANE_COUNT],
        matrices[lane + 9 * LANE_COUNT],
        matrices[lane + 10 * LANE_COUNT],
        matrices[lane + 11 * LANE_COUNT],
    )
