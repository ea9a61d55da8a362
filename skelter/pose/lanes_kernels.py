"""Arithmetic on 16 joints at a time, shared by the blending kernels.

All arguments are slices that begin where a block begins: a pose has the rows ``qx qy qz qw tx ty tz sx sy sz`` of 16
lanes; what kernels keep per block lies in one buffer, so that LLVM sees at constant offsets what cannot overlap.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from skelter.core.arrays import LANE_COUNT
from skelter.core.kernel import kernel_part

X, Y, Z, W = 0, LANE_COUNT, 2 * LANE_COUNT, 3 * LANE_COUNT
"""Rows of a quaternion."""
T = 4 * LANE_COUNT
"""First row of the translation."""
S = 7 * LANE_COUNT
"""First row of the scale."""
VECTOR = 3 * LANE_COUNT
"""Floats of three rows."""
TINY = np.float32(1e-30)
"""Squares of lengths are held above it: nothing divided by nothing is nothing here."""
SCALE_MIN = np.float32(1e-18)
"""A rest scale below this is 0."""


@kernel_part
def pose_to_delta(rest, out):
    """Turn 16 poses into deltas to the rest pose: ``t - t_rest``, ``conj(q_rest) * q``, ``s / s_rest``.

    The ratio is 1 where ``s_rest`` is 0, or so small that nothing is a multiple of it.
    """
    for lane in range(LANE_COUNT):
        ax, ay, az, aw = -rest[lane], -rest[Y + lane], -rest[Z + lane], rest[W + lane]
        bx, by, bz, bw = out[lane], out[Y + lane], out[Z + lane], out[W + lane]
        out[lane] = aw * bx + ax * bw + ay * bz - az * by
        out[Y + lane] = aw * by - ax * bz + ay * bw + az * bx
        out[Z + lane] = aw * bz + ax * by - ay * bx + az * bw
        out[W + lane] = aw * bw - ax * bx - ay * by - az * bz
    for lane in range(VECTOR):
        out[T + lane] -= rest[T + lane]
    for lane in range(VECTOR):
        size = rest[S + lane]
        flat = abs(size) < SCALE_MIN
        ratio = out[S + lane] / (np.float32(1.0) if flat else size)
        out[S + lane] = np.float32(1.0) if flat else ratio


@kernel_part
def delta_to_pose(rest, out):
    """Turn 16 deltas to the rest pose into poses: ``t_rest + t``, ``q_rest * q``, ``s_rest * s``."""
    for lane in range(LANE_COUNT):
        ax, ay, az, aw = rest[lane], rest[Y + lane], rest[Z + lane], rest[W + lane]
        bx, by, bz, bw = out[lane], out[Y + lane], out[Z + lane], out[W + lane]
        out[lane] = aw * bx + ax * bw + ay * bz - az * by
        out[Y + lane] = aw * by - ax * bz + ay * bw + az * bx
        out[Z + lane] = aw * bz + ax * by - ay * bx + az * bw
        out[W + lane] = aw * bw - ax * bx - ay * by - az * bz
    for lane in range(VECTOR):
        out[T + lane] += rest[T + lane]
    for lane in range(VECTOR):
        out[S + lane] *= rest[S + lane]


@kernel_part
def angle_over_sine(square, cosine):
    """Return ``h / sin(h)`` for h in [0, pi/2], given ``sin(h)^2`` and ``cos(h)``.

    ``h = 2 atan(tan(h / 2))`` with ``tan(h / 2) = sin(h) / (1 + cos(h))``: no root is taken, and 0 is no special case.
    The polynomial is the minimax one of ``atan(u) / u`` in ``u^2`` on [0, 1]; its error is below 1.4e-8.
    """
    divisor = np.float32(1.0) / (np.float32(1.0) + cosine)
    z = square * divisor * divisor
    ratio = np.float32(2.9035560e-3)
    ratio = ratio * z - np.float32(1.6283022e-2)
    ratio = ratio * z + np.float32(4.3039389e-2)
    ratio = ratio * z - np.float32(7.5336777e-2)
    ratio = ratio * z + np.float32(1.0654678e-1)
    ratio = ratio * z - np.float32(1.4207134e-1)
    ratio = ratio * z + np.float32(1.9993055e-1)
    ratio = ratio * z - np.float32(3.3333093e-1)
    ratio = ratio * z + np.float32(1.0)
    return np.float32(2.0) * ratio * divisor


@kernel_part
def sine_ratio(square):
    """Return ``sin(x) / x`` for x in [0, pi/2], given ``x^2``; minimax, its error is below 4.3e-9."""
    value = np.float32(2.6052248e-6)
    value = value * square - np.float32(1.9809075e-4)
    value = value * square + np.float32(8.3330506e-3)
    value = value * square - np.float32(1.6666658e-1)
    return value * square + np.float32(1.0)


@kernel_part
def cosine(square):
    """Return ``cos(x)`` for x in [0, pi/2], given ``x^2``; minimax, exactly 1 at 0, its error is below 9e-10."""
    value = np.float32(-2.6298360e-7)
    value = value * square + np.float32(2.4774621e-5)
    value = value * square - np.float32(1.3888652e-3)
    value = value * square + np.float32(4.1666660e-2)
    value = value * square - np.float32(0.5)
    return value * square + np.float32(1.0)
