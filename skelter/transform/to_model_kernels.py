"""Kernels of `skelter.transform.to_model`."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from skelter.core.arrays import AFFINE, BLOCK_SIZE, LANE_COUNT
from skelter.core.kernel import kernel, kernel_part
from skelter.core.vector_kernels import copy_affine, multiply_affine, transpose_four

MATRIX_BLOCK = AFFINE * LANE_COUNT
"""Floats of the matrices of 16 joints."""


def matrix_scratch(block_count: int) -> np.ndarray:
    """Return what `model_matrices` needs: a block in lanes, and all joint matrices in rows."""
    return np.empty((1 + block_count) * MATRIX_BLOCK, np.float32)


@kernel
def to_model_kernel(local, parent, start, stop, scratch, out_model):
    """Turn the poses of the characters ``[start, stop)`` into model matrices, parents first.

    ``model_from_joint[j] = model_from_joint[parent[j]] @ parent_from_joint(local[j])``

    Args:
        local: float32 ``[char, block * 160]``.
        parent: int32 ``[joint]``, ``parent[j] < j``.
        start: First character.
        stop: Past the last character.
        scratch: From `matrix_scratch`.
        out_model: float32 ``[char, joint * 12]``, written whole.
    """
    for char in range(start, stop):
        model_matrices(local[char], parent, scratch, out_model[char])


@kernel_part
def model_matrices(pose, parent, scratch, out_model):
    """Turn one pose, float32 ``[block * 160]``, into model matrices, float32 ``[joint * 12]``."""
    matrices = scratch[MATRIX_BLOCK:]
    for block in range(len(pose) // BLOCK_SIZE):
        local_matrices(pose[block * BLOCK_SIZE : (block + 1) * BLOCK_SIZE], scratch[:MATRIX_BLOCK])
        for lane in range(0, LANE_COUNT, 4):
            for row in range(0, AFFINE, 4):
                joint = block * LANE_COUNT + lane
                transpose_four(scratch, row * LANE_COUNT + lane, LANE_COUNT, matrices, joint * AFFINE + row, AFFINE)
    for joint in range(len(parent)):
        above = np.int64(parent[joint])
        if above < 0:
            copy_affine(matrices, joint * AFFINE, out_model, joint * AFFINE)
        else:
            multiply_affine(out_model, above * AFFINE, matrices, joint * AFFINE, out_model, joint * AFFINE)


@kernel_part
def local_matrices(local, out):
    """Write ``T @ R @ S`` of the 16 joints of a block, one lane each, float32 ``[element 12][lane 16]``."""
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
