"""Kernels of `skelter.pose.sample`.

Loops over lanes get slices that begin where the lanes begin: an index that is a loop variable plus a constant is never
negative, so Numba's test for indices from the end falls away, and LLVM sees what it can load at once.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skelter.core.arrays import HOLD_FRACTION, LANE_COUNT
from skelter.core.kernel import kernel, kernel_part
from skelter.pose.packed_kernels import GROUND, unpack_clip
from skelter.pose.packed_vector_kernels import unlikely
from skelter.rig.packed import PackedClips

GROUP = 4 * LANE_COUNT
"""Floats of the four quaternion rows of a block."""


class BankArrays(NamedTuple):
    """The arrays of a `skelter.rig.rig.ClipBank` that kernels read, under the same names; poses are flat.

    ``rest`` is the rest pose, float32 ``[block * 160]``, of the rig.
    """

    duration: np.ndarray
    frame_count: np.ndarray
    rest: np.ndarray
    base: np.ndarray
    base_index: np.ndarray
    row_start: np.ndarray
    row_offset: np.ndarray
    quat_row_count: np.ndarray
    row_hold: np.ndarray
    data_start: np.ndarray
    data: np.ndarray
    morph_start: np.ndarray
    morph_data: np.ndarray
    morph_hold: np.ndarray
    morph_rest: np.ndarray
    keyed: np.ndarray
    additive: np.ndarray
    packed: PackedClips


@kernel
def sample_kernel(bank, clip, time, loop, start, stop, out_local):
    """Sample one clip for each of the characters ``[start, stop)``.

    ``row = lerp(frame[f], frame[f + 1], alpha)``; quaternions are normalised after it (nlerp: neighbouring frames lie
    in one hemisphere, the baker sees to that). Lanes with their bit in ``row_hold`` keep frame ``f`` until
    `HOLD_FRACTION`.

    Args:
        bank: `BankArrays`.
        clip: int32 ``[char]``.
        time: float64 ``[char]`` [s].
        loop: True wraps the time, False holds the ends.
        start: First character.
        stop: Past the last character.
        out_local: float32 ``[char, block * 160]``, written whole.
    """
    for char in range(start, stop):
        sample_clip(bank, clip[char], time[char], loop, out_local[char])


@kernel_part
def sample_clip(bank, which, time, loop, out):
    """Sample clip ``which`` at a time into one pose, float32 ``[block * 160]``."""
    first, second, alpha = frame_pair(bank.duration[which], bank.frame_count[which], time, loop)
    base = bank.base_index[which]
    if unlikely(base < 0):
        ground = bank.packed.clip[which, GROUND]
        copy(bank.rest if ground < 0 else bank.base[ground], out)
        unpack_clip(bank.packed, which, first, second, alpha, out)
        return
    copy(bank.base[base], out)
    row_begin = bank.row_start[which]
    row_count = bank.row_start[which + 1] - row_begin
    quat_count = bank.quat_row_count[which]
    size = row_count * LANE_COUNT
    begin = bank.data_start[which]
    left = bank.data[begin + first * size : begin + (first + 1) * size]
    right = bank.data[begin + second * size : begin + (second + 1) * size]
    kept = left if alpha < HOLD_FRACTION else right
    for row in range(0, quat_count, 4):
        source, target = row * LANE_COUNT, bank.row_offset[row_begin + row]
        quaternions = out[target : target + GROUP]
        lerp_group(left[source : source + GROUP], right[source : source + GROUP], alpha, quaternions)
        hold = bank.row_hold[row_begin + row]
        if hold != 0:
            keep_lanes(kept[source : source + GROUP], hold, quaternions)
        normalize_group(quaternions)
    for row in range(quat_count, row_count):
        source, target = row * LANE_COUNT, bank.row_offset[row_begin + row]
        lanes = out[target : target + LANE_COUNT]
        lerp_row(left[source : source + LANE_COUNT], right[source : source + LANE_COUNT], alpha, lanes)
        hold = bank.row_hold[row_begin + row]
        if hold != 0:
            keep_lanes(kept[source : source + LANE_COUNT], hold, lanes)


@kernel_part
def copy(values, out):
    """Copy as many values as ``out`` holds; assigning a slice might allocate."""
    for index in range(len(out)):
        out[index] = values[index]


@kernel_part
def frame_pair(duration, frame_count, time, loop):
    """Return the two frames around a time and the fraction between them.

    A looped time is taken modulo the duration (the duration itself is the first frame), a clamped one stays inside.
    """
    if frame_count < 2 or duration <= 0.0:
        return 0, 0, np.float32(0.0)
    if loop:
        time = time - np.floor(time / duration) * duration
        if time >= duration:  # a tiny negative time wraps to the duration itself by rounding
            time = 0.0
    position = min(max(time / duration, 0.0), 1.0) * (frame_count - 1)
    first = min(np.int64(position), np.int64(frame_count - 2))
    return first, first + 1, np.float32(position - first)


@kernel_part
def lerp_row(left, right, alpha, out):
    """Write the interpolation of 16 lanes."""
    for lane in range(LANE_COUNT):
        out[lane] = left[lane] + alpha * (right[lane] - left[lane])


@kernel_part
def lerp_group(left, right, alpha, out):
    """Write the interpolation of the four rows of 16 quaternions, which are not normalised yet."""
    for lane in range(GROUP):
        out[lane] = left[lane] + alpha * (right[lane] - left[lane])


@kernel_part
def keep_lanes(frame, hold, out):
    """Write the lanes of a frame that have their bit in ``hold``, in one row or four."""
    for lane in range(len(out)):
        if (hold >> np.uint32(lane % LANE_COUNT)) & np.uint32(1):
            out[lane] = frame[lane]


@kernel_part
def normalize_group(out):
    """Scale 16 quaternions, rows x, y, z, w, to length one."""
    for lane in range(LANE_COUNT):
        x = out[lane]
        y = out[LANE_COUNT + lane]
        z = out[2 * LANE_COUNT + lane]
        w = out[3 * LANE_COUNT + lane]
        scale = np.float32(1.0) / np.sqrt(x * x + y * y + z * z + w * w)
        out[lane] = x * scale
        out[LANE_COUNT + lane] = y * scale
        out[2 * LANE_COUNT + lane] = z * scale
        out[3 * LANE_COUNT + lane] = w * scale


@kernel
def sample_morphs_kernel(bank, clip, time, loop, start, stop, out_weights):
    """Sample the morph weights of one clip for each of the characters ``[start, stop)``.

    Args:
        bank: `BankArrays`.
        clip: int32 ``[char]``.
        time: float64 ``[char]`` [s].
        loop: True wraps the time, False holds the ends.
        start: First character.
        stop: Past the last character.
        out_weights: float32 ``[char, morph]``, written whole.
    """
    count = len(bank.morph_rest)
    for char in range(start, stop):
        which = clip[char]
        if bank.morph_start[which] < 0:
            for morph in range(count):
                out_weights[char, morph] = bank.morph_rest[morph]
            continue
        first, second, alpha = frame_pair(bank.duration[which], bank.frame_count[which], time[char], loop)
        for morph in range(count):
            out_weights[char, morph] = morph_weight(bank, which, first, second, alpha, morph)


@kernel_part
def morph_weight(bank, which, first, second, alpha, morph):
    """Return a morph weight between two frames of a clip that animates them."""
    begin, count = bank.morph_start[which], len(bank.morph_rest)
    left = bank.morph_data[begin + first * count + morph]
    right = bank.morph_data[begin + second * count + morph]
    if bank.morph_hold[which, morph]:
        return left if alpha < HOLD_FRACTION else right
    return left + alpha * (right - left)
