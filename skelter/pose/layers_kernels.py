"""Kernels: sample, blend and layer what a playback list names."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skelter.core.arrays import BLOCK_SIZE, LANE_COUNT
from skelter.core.kernel import kernel, kernel_part
from skelter.pose.lanes_kernels import (
    TINY,
    S,
    T,
    W,
    Y,
    Z,
    angle_over_sine,
    cosine,
    delta_to_pose,
    pose_to_delta,
    sine_ratio,
)
from skelter.pose.sample_kernels import GROUP, copy, frame_pair, morph_weight, sample_clip

PIVOT = BLOCK_SIZE
"""Quaternions that signs are aligned to, after the weighted sum of the poses."""
T_COVERAGE = PIVOT + GROUP
"""Sum of the weights that key the translation, then those of rotation and scale."""
R_COVERAGE = T_COVERAGE + LANE_COUNT
S_COVERAGE = R_COVERAGE + LANE_COUNT
MIX_SIZE = S_COVERAGE + LANE_COUNT
"""Floats that a block of a layer needs."""
T_KEY, R_KEY, S_KEY = 0, 1, 2
"""Columns of ``bank.keyed``."""


class LayerArrays(NamedTuple):
    """What is the same for all characters.

    Attributes:
        additive: uint8 ``[layer]``: 1 adds deltas, 0 overwrites.
        mask: float32 ``[layer, block * 16]``: weight of each joint.
        whole: uint8 ``[layer]``: 1 if the mask is 1 for every joint.
    """

    additive: np.ndarray
    mask: np.ndarray
    whole: np.ndarray


class LayerScratch(NamedTuple):
    """What a kernel needs while it works on one character; its content means nothing before and after.

    Attributes:
        order: int32 ``[entry]``.
        pose: float32 ``[block * 160]``.
        mix: float32 ``[block * MIX_SIZE]``.
        covered: uint32 ``[block]``: lanes whose pivot is set.
        seen: uint32 ``[block, 3]``: lanes whose translation, rotation, scale an entry has keyed.
    """

    order: np.ndarray
    pose: np.ndarray
    mix: np.ndarray
    covered: np.ndarray
    seen: np.ndarray


@kernel_part
def blend_character(bank, rest, playback, layers, char, scratch, out):
    """Pose one character.

    ``P = rest``; then for each layer ``P = lerp(P, sum(w v) / cov, a)``, or ``P`` moved by ``a`` times the mean delta,
    with ``cov`` the sum of the weights that key a property and ``a = layer weight * mask * cov``.

    Args:
        bank: `BankArrays`.
        rest: float32 ``[block * 160]``.
        playback: `PlaybackArrays`.
        layers: `LayerArrays`.
        char: The character.
        scratch: `LayerScratch`.
        out: float32 ``[block * 160]``, written whole.
    """
    layer_count = len(layers.additive)
    begin = 0
    if layer_count > 0 and plays_one_pose(bank, playback, layers, char):
        entry = playback.layer_start[char, 0]
        sample_clip(bank, playback.clip[char, entry], playback.time[char, entry], False, out)
        begin = 1
    else:
        copy(rest, out)
    for layer in range(begin, layer_count):
        strength = np.float32(min(max(playback.layer_weight[char, layer], 0.0), 1.0))
        if strength == np.float32(0.0):
            continue
        additive = layers.additive[layer] != 0
        if not mix_entries(bank, rest, playback, char, layer, additive, scratch):
            continue
        mask = layers.mask[layer]
        for block in range(len(scratch.covered)):
            mix = scratch.mix[block * MIX_SIZE : (block + 1) * MIX_SIZE]
            lanes = mask[block * LANE_COUNT : (block + 1) * LANE_COUNT]
            pose = out[block * BLOCK_SIZE : (block + 1) * BLOCK_SIZE]
            if additive:
                add_mix(mix, lanes, strength, pose)
            else:
                overwrite_mix(mix, lanes, strength, pose)


@kernel_part
def plays_one_pose(bank, playback, layers, char):
    """Return whether layer 0 shows one clip and nothing of the rest pose below it.

    Properties that the clip does not key have their rest values in it already.
    """
    entry = playback.layer_start[char, 0]
    if playback.layer_start[char, 1] - entry != 1 or layers.additive[0] != 0 or layers.whole[0] == 0:
        return False
    which = playback.clip[char, entry]
    whole = playback.layer_weight[char, 0] >= 1.0 and playback.weight[char, entry] >= 1.0
    return whole and which >= 0 and bank.additive[which] == 0


@kernel_part
def mix_entries(bank, rest, playback, char, layer, additive, scratch):
    """Write the weighted sums of the entries of a layer into ``scratch.mix``; return whether any entry plays a clip.

    The heaviest entry that keys a joint decides on the sign of its rotation.
    """
    first, last = playback.layer_start[char, layer], playback.layer_start[char, layer + 1]
    sort_entries(playback.clip[char], playback.time[char], playback.weight[char], first, last, scratch.order)
    fresh = True
    for place in range(last - first):
        entry = scratch.order[place]
        which = playback.clip[char, entry]
        if which < 0:
            continue
        sample_clip(bank, which, playback.time[char, entry], False, scratch.pose)
        weight = np.float32(playback.weight[char, entry])
        is_delta = bank.additive[which] != 0
        for block in range(len(scratch.covered)):
            pose = scratch.pose[block * BLOCK_SIZE : (block + 1) * BLOCK_SIZE]
            if additive and not is_delta:
                pose_to_delta(rest[block * BLOCK_SIZE : (block + 1) * BLOCK_SIZE], pose)
            elif is_delta and not additive:
                delta_to_pose(rest[block * BLOCK_SIZE : (block + 1) * BLOCK_SIZE], pose)
            mix = scratch.mix[block * MIX_SIZE : (block + 1) * MIX_SIZE]
            keyed = bank.keyed[which, block]
            t_keyed, r_keyed, s_keyed = keyed[T_KEY], keyed[R_KEY], keyed[S_KEY]
            if fresh:
                begin_mix(pose, weight, t_keyed, r_keyed, s_keyed, mix)
                scratch.covered[block] = r_keyed
                continue
            bare = r_keyed & ~scratch.covered[block]
            if bare != 0:
                set_pivot(pose, bare, mix)
                scratch.covered[block] |= bare
            accumulate(pose, weight, t_keyed, r_keyed, s_keyed, mix)
        fresh = False
    return not fresh


@kernel_part
def sort_entries(clip, time, weight, first, last, out_order):
    """Write the indices of the entries ``[first, last)``, heaviest first; then by clip and time, never by index."""
    for entry in range(first, last):
        place = entry - first
        while place > 0 and goes_before(clip, time, weight, entry, out_order[place - 1]):
            out_order[place] = out_order[place - 1]
            place -= 1
        out_order[place] = entry


@kernel_part
def goes_before(clip, time, weight, a, b):
    """Return whether entry ``a`` comes before entry ``b``."""
    if weight[a] != weight[b]:
        return weight[a] > weight[b]
    if clip[a] != clip[b]:
        return clip[a] < clip[b]
    return time[a] < time[b]


@kernel_part
def set_pivot(pose, lanes, mix):
    """Keep the rotations of some lanes, a bit set, as those that signs are aligned to."""
    for lane in range(LANE_COUNT):
        if (lanes >> np.uint32(lane)) & np.uint32(1):
            mix[PIVOT + lane] = pose[lane]
            mix[PIVOT + Y + lane] = pose[Y + lane]
            mix[PIVOT + Z + lane] = pose[Z + lane]
            mix[PIVOT + W + lane] = pose[W + lane]


@kernel_part
def begin_mix(pose, weight, t_keyed, r_keyed, s_keyed, mix):
    """Write ``weight`` times the keyed properties of 16 poses, what they cover, and their rotations as pivots."""
    one, none = np.uint32(1), np.float32(0.0)
    for lane in range(LANE_COUNT):
        share = weight if (r_keyed >> np.uint32(lane)) & one else none
        x, y, z, w = pose[lane], pose[Y + lane], pose[Z + lane], pose[W + lane]
        mix[PIVOT + lane] = x
        mix[PIVOT + Y + lane] = y
        mix[PIVOT + Z + lane] = z
        mix[PIVOT + W + lane] = w
        mix[lane] = share * x
        mix[Y + lane] = share * y
        mix[Z + lane] = share * z
        mix[W + lane] = share * w
        mix[R_COVERAGE + lane] = share
    for lane in range(LANE_COUNT):
        share = weight if (t_keyed >> np.uint32(lane)) & one else none
        mix[T + lane] = share * pose[T + lane]
        mix[T + Y + lane] = share * pose[T + Y + lane]
        mix[T + Z + lane] = share * pose[T + Z + lane]
        mix[T_COVERAGE + lane] = share
    for lane in range(LANE_COUNT):
        share = weight if (s_keyed >> np.uint32(lane)) & one else none
        mix[S + lane] = share * pose[S + lane]
        mix[S + Y + lane] = share * pose[S + Y + lane]
        mix[S + Z + lane] = share * pose[S + Z + lane]
        mix[S_COVERAGE + lane] = share


@kernel_part
def accumulate(pose, weight, t_keyed, r_keyed, s_keyed, mix):
    """Add ``weight`` times the keyed properties of 16 poses to the sums, and the weight to their coverage."""
    one, none = np.uint32(1), np.float32(0.0)
    for lane in range(LANE_COUNT):
        share = weight if (r_keyed >> np.uint32(lane)) & one else none
        x, y, z, w = pose[lane], pose[Y + lane], pose[Z + lane], pose[W + lane]
        dot = x * mix[PIVOT + lane] + y * mix[PIVOT + Y + lane] + z * mix[PIVOT + Z + lane] + w * mix[PIVOT + W + lane]
        signed = share if dot >= none else -share
        mix[lane] += signed * x
        mix[Y + lane] += signed * y
        mix[Z + lane] += signed * z
        mix[W + lane] += signed * w
        mix[R_COVERAGE + lane] += share
    for lane in range(LANE_COUNT):
        share = weight if (t_keyed >> np.uint32(lane)) & one else none
        mix[T + lane] += share * pose[T + lane]
        mix[T + Y + lane] += share * pose[T + Y + lane]
        mix[T + Z + lane] += share * pose[T + Z + lane]
        mix[T_COVERAGE + lane] += share
    for lane in range(LANE_COUNT):
        share = weight if (s_keyed >> np.uint32(lane)) & one else none
        mix[S + lane] += share * pose[S + lane]
        mix[S + Y + lane] += share * pose[S + Y + lane]
        mix[S + Z + lane] += share * pose[S + Z + lane]
        mix[S_COVERAGE + lane] += share


@kernel_part
def overwrite_mix(mix, mask, strength, out):
    """Move 16 poses towards the mean of a layer: ``out = lerp(out, mean, a)``, rotations by nlerp.

    ``a mean = strength mask sum``, so that only rotations, which are normalised, need a division.
    """
    one, none = np.float32(1.0), np.float32(0.0)
    for lane in range(LANE_COUNT):
        amount = strength * mask[lane] * mix[R_COVERAGE + lane]
        x, y, z, w = mix[lane], mix[Y + lane], mix[Z + lane], mix[W + lane]
        part = amount / np.sqrt(max(x * x + y * y + z * z + w * w, TINY))
        kept = one - amount
        dot = x * out[lane] + y * out[Y + lane] + z * out[Z + lane] + w * out[W + lane]
        part = part if dot >= none else -part
        x = kept * out[lane] + part * x
        y = kept * out[Y + lane] + part * y
        z = kept * out[Z + lane] + part * z
        w = kept * out[W + lane] + part * w
        scale = one / np.sqrt(x * x + y * y + z * z + w * w)
        scale = scale if amount > none else one
        out[lane] = x * scale
        out[Y + lane] = y * scale
        out[Z + lane] = z * scale
        out[W + lane] = w * scale
    for lane in range(LANE_COUNT):
        amount = strength * mask[lane]
        kept = one - amount * mix[T_COVERAGE + lane]
        out[T + lane] = kept * out[T + lane] + amount * mix[T + lane]
        out[T + Y + lane] = kept * out[T + Y + lane] + amount * mix[T + Y + lane]
        out[T + Z + lane] = kept * out[T + Z + lane] + amount * mix[T + Z + lane]
        kept = one - amount * mix[S_COVERAGE + lane]
        out[S + lane] = kept * out[S + lane] + amount * mix[S + lane]
        out[S + Y + lane] = kept * out[S + Y + lane] + amount * mix[S + Y + lane]
        out[S + Z + lane] = kept * out[S + Z + lane] + amount * mix[S + Z + lane]


@kernel_part
def add_mix(mix, mask, strength, out):
    """Move 16 poses by a part of the mean delta of a layer.

    ``t += a dt``, ``q = q * slerp(identity, dq, a)``, ``s *= 1 + a (ds - 1)``. The way from the identity is
    ``[v sin(a h) / sin(h), cos(a h)]`` for ``dq = [v, cos(h)]``; its error is below 8e-7 rad for all h and a.
    """
    one, none = np.float32(1.0), np.float32(0.0)
    for lane in range(LANE_COUNT):
        amount = strength * mask[lane] * mix[R_COVERAGE + lane]
        x, y, z, w = mix[lane], mix[Y + lane], mix[Z + lane], mix[W + lane]
        scale = one / np.sqrt(max(x * x + y * y + z * z + w * w, TINY))
        scale = scale if w >= none else -scale
        x, y, z, w = x * scale, y * scale, z * scale, w * scale
        square = x * x + y * y + z * z
        factor = amount * angle_over_sine(square, w)
        square *= factor * factor
        factor *= sine_ratio(square)
        bx, by, bz, bw = x * factor, y * factor, z * factor, cosine(square)
        ax, ay, az, aw = out[lane], out[Y + lane], out[Z + lane], out[W + lane]
        out[lane] = aw * bx + ax * bw + ay * bz - az * by
        out[Y + lane] = aw * by - ax * bz + ay * bw + az * bx
        out[Z + lane] = aw * bz + ax * by - ay * bx + az * bw
        out[W + lane] = aw * bw - ax * bx - ay * by - az * bz
    for lane in range(LANE_COUNT):
        amount = strength * mask[lane]
        out[T + lane] += amount * mix[T + lane]
        out[T + Y + lane] += amount * mix[T + Y + lane]
        out[T + Z + lane] += amount * mix[T + Z + lane]
        kept = one - amount * mix[S_COVERAGE + lane]
        out[S + lane] *= kept + amount * mix[S + lane]
        out[S + Y + lane] *= kept + amount * mix[S + Y + lane]
        out[S + Z + lane] *= kept + amount * mix[S + Z + lane]


@kernel
def blend_morphs_kernel(bank, playback, additive, start, stop, out_weights):
    """Blend the morph weights of the characters ``[start, stop)``; a clip keys all of them or none.

    ``w = lerp(w, sum(p m) / cov, a)`` or ``w += a`` times the mean delta, as poses do, without masks.

    Args:
        bank: `BankArrays`.
        playback: `PlaybackArrays`.
        additive: uint8 ``[layer]``.
        start: First character.
        stop: Past the last character.
        out_weights: float32 ``[char, morph]``, written whole.
    """
    for char in range(start, stop):
        out = out_weights[char]
        copy(bank.morph_rest, out)
        for layer in range(len(additive)):
            strength = np.float32(min(max(playback.layer_weight[char, layer], 0.0), 1.0))
            if strength > np.float32(0.0):
                mix_morphs(bank, playback, char, layer, additive[layer] != 0, strength, out)


@kernel_part
def mix_morphs(bank, playback, char, layer, additive, strength, out):
    """Apply one layer to the morph weights of a character."""
    first, last = playback.layer_start[char, layer], playback.layer_start[char, layer + 1]
    coverage = np.float32(0.0)
    for entry in range(first, last):
        which = playback.clip[char, entry]
        if which >= 0 and bank.morph_start[which] >= 0:
            coverage += np.float32(playback.weight[char, entry])
    kept = np.float32(1.0) if additive else np.float32(1.0) - strength * coverage
    for morph in range(len(out)):
        out[morph] *= kept
    for entry in range(first, last):
        which = playback.clip[char, entry]
        if which < 0 or bank.morph_start[which] < 0:
            continue
        part = strength * np.float32(playback.weight[char, entry])
        first_frame, second_frame, alpha = frame_pair(
            bank.duration[which], bank.frame_count[which], playback.time[char, entry], False
        )
        sign = np.float32(bank.additive[which] != 0) - np.float32(additive)
        for morph in range(len(out)):
            value = morph_weight(bank, which, first_frame, second_frame, alpha, morph)
            out[morph] += part * (value + sign * bank.morph_rest[morph])
