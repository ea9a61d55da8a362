"""Kernels of `skelter.transform.to_model`."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from skelter.core.arrays import BLOCK_SIZE, LANE_COUNT
from skelter.core.kernel import kernel

AFFINE = 12
"""Floats of a 3x4 matrix."""
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
            local_matrices(local[char], block * BLOCK_SIZE, scratch, block * MATRIX_BLOCK)
        concatenate(scratch, parent, out_model[char])


@kernel
def local_matrices(local, source, out, target):
    """Write ``T @ R @ S`` of the 16 joints of a block, one lane each."""
    two = np.float32(2.0)
    one = np.float32(1.0)
    for lane in range(LANE_COUNT):
        x = local[source + lane]
        y = local[source + LANE_COUNT + lane]
        z = local[source + 2 * LANE_COUNT + lane]
        w = local[source + 3 * LANE_COUNT + lane]
        sx = local[source + 7 * LANE_COUNT + lane]
        sy = local[source + 8 * LANE_COUNT + lane]
        sz = local[source + 9 * LANE_COUNT + lane]
        out[target + lane] = (one - two * (y * y + z * z)) * sx
        out[target + LANE_COUNT + lane] = two * (x * y - z * w) * sy
        out[target + 2 * LANE_COUNT + lane] = two * (x * z + y * w) * sz
        out[target + 3 * LANE_COUNT + lane] = local[source + 4 * LANE_COUNT + lane]
        out[target + 4 * LANE_COUNT + lane] = two * (x * y + z * w) * sx
        out[target + 5 * LANE_COUNT + lane] = (one - two * (x * x + z * z)) * sy
        out[target + 6 * LANE_COUNT + lane] = two * (y * z - x * w) * sz
        out[target + 7 * LANE_COUNT + lane] = local[source + 5 * LANE_COUNT + lane]
        out[target + 8 * LANE_COUNT + lane] = two * (x * z - y * w) * sx
        out[target + 9 * LANE_COUNT + lane] = two * (y * z + x * w) * sy
        out[target + 10 * LANE_COUNT + lane] = (one - two * (x * x + y * y)) * sz
        out[target + 11 * LANE_COUNT + lane] = local[source + 6 * LANE_COUNT + lane]


@kernel
def concatenate(matrices, parent, out_model):
    """Multiply local matrices ``[block, 12, 16]`` into model matrices ``[joint, 12]``."""
    for joint in range(len(parent)):
        m = (joint // LANE_COUNT) * MATRIX_BLOCK + joint % LANE_COUNT
        above = parent[joint] * AFFINE
        target = joint * AFFINE
        for row in range(0, AFFINE, 4):
            if above < 0:
                for column in range(4):
                    out_model[target + row + column] = matrices[m + (row + column) * LANE_COUNT]
            else:
                a0 = out_model[above + row]
                a1 = out_model[above + row + 1]
                a2 = out_model[above + row + 2]
                a3 = out_model[above + row + 3]
                for column in range(4):
                    value = (
                        a0 * matrices[m + column * LANE_COUNT]
                        + a1 * matrices[m + (4 + column) * LANE_COUNT]
                        + a2 * matrices[m + (8 + column) * LANE_COUNT]
                    )
                    out_model[target + row + column] = value
                out_model[target + row + 3] += a3
