"""Kernels of `skelter.ecs.transforms`."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from skelter.core.kernel import exact_kernel, kernel

NUMBER_MAX = 1e18
"""As in `skelter.core.checks`."""
TINY = 1e-30
"""Least square of the length of a rotation."""


@exact_kernel
def find_bad_kernel(transform, out_row):
    """Write the first row with a number that is not usable, or a rotation without length; -1 if there is none.

    Args:
        transform: float64 ``[row, 10]``: position, rotation xyzw, scale.
        out_row: int64 ``[1]``.
    """
    out_row[0] = -1
    for row in range(len(transform)):
        usable = True
        for column in range(10):
            usable &= abs(transform[row, column]) <= NUMBER_MAX
        square = 0.0
        for column in range(3, 7):
            square += transform[row, column] * transform[row, column]
        if not usable or not square > TINY:
            out_row[0] = row
            return


@kernel
def matrix_kernel(transform, out_matrix):
    """Write ``T @ R @ S`` of each row; rotations are scaled to length one.

    Args:
        transform: float64 ``[row, 10]``: position, rotation xyzw, scale.
        out_matrix: float32 ``[row, 12]``, written whole.
    """
    for row in range(len(transform)):
        x, y, z, w = transform[row, 3], transform[row, 4], transform[row, 5], transform[row, 6]
        two = 2.0 / (x * x + y * y + z * z + w * w)
        sx, sy, sz = transform[row, 7], transform[row, 8], transform[row, 9]
        out_matrix[row, 0] = np.float32((1.0 - two * (y * y + z * z)) * sx)
        out_matrix[row, 1] = np.float32(two * (x * y - z * w) * sy)
        out_matrix[row, 2] = np.float32(two * (x * z + y * w) * sz)
        out_matrix[row, 3] = np.float32(transform[row, 0])
        out_matrix[row, 4] = np.float32(two * (x * y + z * w) * sx)
        out_matrix[row, 5] = np.float32((1.0 - two * (x * x + z * z)) * sy)
        out_matrix[row, 6] = np.float32(two * (y * z - x * w) * sz)
        out_matrix[row, 7] = np.float32(transform[row, 1])
        out_matrix[row, 8] = np.float32(two * (x * z - y * w) * sx)
        out_matrix[row, 9] = np.float32(two * (y * z + x * w) * sy)
        out_matrix[row, 10] = np.float32((1.0 - two * (x * x + y * y)) * sz)
        out_matrix[row, 11] = np.float32(transform[row, 2])
