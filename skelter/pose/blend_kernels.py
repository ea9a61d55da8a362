"""Kernels of `skelter.pose.blend`: sums of poses, then what is left over from the rest pose, then deltas.

They work on a chunk of characters, layer by layer: ``out_local`` holds the running sums, ``sums`` what else is known of
each joint. The order of the layers does not matter, since every layer is looked at for the pivot before any is added.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from skelter.core.arrays import BLOCK_SIZE, LANE_COUNT
from skelter.core.kernel import kernel, kernel_part
from skelter.pose.lanes_kernels import S, T, W, Y, Z

PIVOT = 0
"""Rotation of the heaviest layer, which signs are aligned to, with w >= 0."""
HEAVIEST = 4 * LANE_COUNT
"""Its weight."""
TOTAL = HEAVIEST + LANE_COUNT
"""Sum of all weights."""
SUMS_SIZE = TOTAL + LANE_COUNT
"""Floats of a block of ``sums``."""


@kernel
def begin_blend_kernel(start, stop, out_sums, out_local):
    """Set the sums of the characters ``[start, stop)`` to zero.

    Args:
        start: First character.
        stop: Past the last character.
        out_sums: float32 ``[char, block * SUMS_SIZE]``.
        out_local: float32 ``[char, block * 160]``.
    """
    for char in range(start, stop):
        out_sums[char, :] = np.float32(0.0)
        out_local[char, :] = np.float32(0.0)


@kernel
def find_pivot_kernel(pose, weight, joint_weight, start, stop, out_sums):
    """Let a layer become the pivot of the joints for which it is heavier than those before it.

    Equal weights are decided by the components of the rotation, w first, so never by the order of the layers.

    Args:
        pose: float32 ``[char, block * 160]``.
        weight: float32 ``[char]``, not negative.
        joint_weight: float32 ``[block * 16]``, not negative.
        start: First character.
        stop: Past the last character.
        out_sums: float32 ``[char, block * SUMS_SIZE]``.
    """
    for char in range(start, stop):
        for block in range(len(joint_weight) // LANE_COUNT):
            choose_pivot(
                pose[char, block * BLOCK_SIZE : (block + 1) * BLOCK_SIZE],
                weight[char],
                joint_weight[block * LANE_COUNT : (block + 1) * LANE_COUNT],
                out_sums[char, block * SUMS_SIZE : (block + 1) * SUMS_SIZE],
            )


@kernel_part
def choose_pivot(pose, weight, joint_weight, sums):
    """Take over the rotations of 16 poses that are heavier than the pivots, with w >= 0."""
    none = np.float32(0.0)
    for lane in range(LANE_COUNT):
        share = weight * joint_weight[lane]
        x, y, z, w = pose[lane], pose[Y + lane], pose[Z + lane], pose[W + lane]
        sign = np.float32(1.0) if w >= none else np.float32(-1.0)
        x, y, z, w = x * sign, y * sign, z * sign, w * sign
        px, py, pz, pw = sums[lane], sums[Y + lane], sums[Z + lane], sums[W + lane]
        later = (x > px) | ((x == px) & ((y > py) | ((y == py) & (z > pz))))
        heavier = share > sums[HEAVIEST + lane]
        chosen = heavier | ((share == sums[HEAVIEST + lane]) & ((w > pw) | ((w == pw) & later)))
        sums[lane] = x if chosen else px
        sums[Y + lane] = y if chosen else py
        sums[Z + lane] = z if chosen else pz
        sums[W + lane] = w if chosen else pw
        sums[HEAVIEST + lane] = share if chosen else sums[HEAVIEST + lane]


@kernel
def add_pose_kernel(pose, weight, joint_weight, start, stop, out_sums, out_local):
    """Add ``weight * joint_weight`` times a layer to the sums.

    Args:
        pose: float32 ``[char, block * 160]``.
        weight: float32 ``[char]``, not negative.
        joint_weight: float32 ``[block * 16]``, not negative.
        start: First character.
        stop: Past the last character.
        out_sums: float32 ``[char, block * SUMS_SIZE]``.
        out_local: float32 ``[char, block * 160]``.
    """
    for char in range(start, stop):
        for block in range(len(joint_weight) // LANE_COUNT):
            add_pose(
                pose[char, block * BLOCK_SIZE : (block + 1) * BLOCK_SIZE],
                weight[char],
                joint_weight[block * LANE_COUNT : (block + 1) * LANE_COUNT],
                out_sums[char, block * SUMS_SIZE : (block + 1) * SUMS_SIZE],
                out_local[char, block * BLOCK_SIZE : (block + 1) * BLOCK_SIZE],
            )


@kernel_part
def add_pose(pose, weight, joint_weight, sums, out):
    """Add a share of 16 poses to the sums."""
    for lane in range(LANE_COUNT):
        share = weight * joint_weight[lane]
        x, y, z, w = pose[lane], pose[Y + lane], pose[Z + lane], pose[W + lane]
        dot = x * sums[lane] + y * sums[Y + lane] + z * sums[Z + lane] + w * sums[W + lane]
        signed = share if dot >= np.float32(0.0) else -share
        sums[TOTAL + lane] += share
        out[lane] += signed * x
        out[Y + lane] += signed * y
        out[Z + lane] += signed * z
        out[W + lane] += signed * w
    for lane in range(LANE_COUNT):
        share = weight * joint_weight[lane]
        out[T + lane] += share * pose[T + lane]
        out[T + Y + lane] += share * pose[T + Y + lane]
        out[T + Z + lane] += share * pose[T + Z + lane]
        out[S + lane] += share * pose[S + lane]
        out[S + Y + lane] += share * pose[S + Y + lane]
        out[S + Z + lane] += share * pose[S + Z + lane]


@kernel
def end_blend_kernel(rest, threshold, sums, start, stop, out_local):
    """Fill the sums up with the rest pose and normalise them.

    ``pose = (sum w p + max(0, threshold - sum w) rest) / max(threshold, sum w)``, rotations to length one.

    Args:
        rest: float32 ``[block * 160]``.
        threshold: float32, above 0.
        sums: float32 ``[char, block * SUMS_SIZE]``.
        start: First character.
        stop: Past the last character.
        out_local: float32 ``[char, block * 160]``.
    """
    for char in range(start, stop):
        for block in range(len(rest) // BLOCK_SIZE):
            fill_up(
                rest[block * BLOCK_SIZE : (block + 1) * BLOCK_SIZE],
                threshold,
                sums[char, block * SUMS_SIZE + TOTAL : (block + 1) * SUMS_SIZE],
                out_local[char, block * BLOCK_SIZE : (block + 1) * BLOCK_SIZE],
            )


@kernel_part
def fill_up(rest, threshold, total, out):
    """Fill up 16 sums with the rest pose and normalise them."""
    one, none = np.float32(1.0), np.float32(0.0)
    for lane in range(LANE_COUNT):
        x, y, z, w = out[lane], out[Y + lane], out[Z + lane], out[W + lane]
        missing = max(none, threshold - total[lane])
        dot = x * rest[lane] + y * rest[Y + lane] + z * rest[Z + lane] + w * rest[W + lane]
        signed = missing if dot >= none else -missing
        x += signed * rest[lane]
        y += signed * rest[Y + lane]
        z += signed * rest[Z + lane]
        w += signed * rest[W + lane]
        scale = one / np.sqrt(x * x + y * y + z * z + w * w)
        out[lane] = x * scale
        out[Y + lane] = y * scale
        out[Z + lane] = z * scale
        out[W + lane] = w * scale
    for lane in range(LANE_COUNT):
        missing = max(none, threshold - total[lane])
        scale = one / max(threshold, total[lane])
        out[T + lane] = (out[T + lane] + missing * rest[T + lane]) * scale
        out[T + Y + lane] = (out[T + Y + lane] + missing * rest[T + Y + lane]) * scale
        out[T + Z + lane] = (out[T + Z + lane] + missing * rest[T + Z + lane]) * scale
        out[S + lane] = (out[S + lane] + missing * rest[S + lane]) * scale
        out[S + Y + lane] = (out[S + Y + lane] + missing * rest[S + Y + lane]) * scale
        out[S + Z + lane] = (out[S + Z + lane] + missing * rest[S + Z + lane]) * scale


@kernel
def add_delta_kernel(delta, weight, joint_weight, start, stop, out_local):
    """Put ``weight * joint_weight`` times a delta onto poses; a negative weight takes it away.

    With W the size of the share and ``i = nlerp(identity, dq, W)``: ``t += W dt``, ``q = q * i``,
    ``s *= W ds + 1 - W``, or ``t -= W dt``, ``q = q * conj(i)``, ``s /= W ds + 1 - W``.

    Args:
        delta: float32 ``[char, block * 160]``.
        weight: float32 ``[char]``.
        joint_weight: float32 ``[block * 16]``, not negative.
        start: First character.
        stop: Past the last character.
        out_local: float32 ``[char, block * 160]``.
    """
    for char in range(start, stop):
        if weight[char] != np.float32(0.0):
            for block in range(len(joint_weight) // LANE_COUNT):
                add_delta(
                    delta[char, block * BLOCK_SIZE : (block + 1) * BLOCK_SIZE],
                    weight[char],
                    joint_weight[block * LANE_COUNT : (block + 1) * LANE_COUNT],
                    out_local[char, block * BLOCK_SIZE : (block + 1) * BLOCK_SIZE],
                )


@kernel_part
def add_delta(delta, weight, joint_weight, out):
    """Put a share of 16 deltas onto 16 poses."""
    one, none = np.float32(1.0), np.float32(0.0)
    size = abs(weight)
    direction = one if weight > none else -one
    for lane in range(LANE_COUNT):
        share = size * joint_weight[lane]
        bx, by, bz, bw = delta[lane], delta[Y + lane], delta[Z + lane], delta[W + lane]
        signed = share if bw >= none else -share
        bx, by, bz, bw = bx * signed, by * signed, bz * signed, bw * signed - share + one
        scale = one / np.sqrt(bx * bx + by * by + bz * bz + bw * bw)
        turned = scale * direction
        bx, by, bz, bw = bx * turned, by * turned, bz * turned, bw * scale
        ax, ay, az, aw = out[lane], out[Y + lane], out[Z + lane], out[W + lane]
        out[lane] = aw * bx + ax * bw + ay * bz - az * by
        out[Y + lane] = aw * by - ax * bz + ay * bw + az * bx
        out[Z + lane] = aw * bz + ax * by - ay * bx + az * bw
        out[W + lane] = aw * bw - ax * bx - ay * by - az * bz
    for row in range(3):
        move_row(
            delta[T + row * LANE_COUNT : S + row * LANE_COUNT],
            size,
            direction,
            joint_weight,
            out[T + row * LANE_COUNT : S + row * LANE_COUNT],
        )
        stretch_row(
            delta[S + row * LANE_COUNT : BLOCK_SIZE],
            size,
            direction,
            joint_weight,
            out[S + row * LANE_COUNT : BLOCK_SIZE],
        )


@kernel_part
def move_row(delta, size, direction, joint_weight, out):
    """Add a share of one row of translations."""
    for lane in range(LANE_COUNT):
        out[lane] += direction * size * joint_weight[lane] * delta[lane]


@kernel_part
def stretch_row(delta, size, direction, joint_weight, out):
    """Multiply one row of scales by a share of a ratio, or divide them by it; a ratio of 0 divides nothing."""
    one, none = np.float32(1.0), np.float32(0.0)
    for lane in range(LANE_COUNT):
        share = size * joint_weight[lane]
        ratio = share * delta[lane] + one - share
        divisor = ratio if ratio != none else one
        out[lane] *= ratio if direction > none else one / divisor
