"""Kernel of `skelter.pose.ordered`: layers that mix their entries one after the other and remember their poses."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from skelter.core.arrays import BLOCK_SIZE, LANE_COUNT
from skelter.core.kernel import kernel, kernel_part
from skelter.pose.lanes_kernels import S, T, W, Y, Z, delta_to_pose, pose_to_delta
from skelter.pose.layers_kernels import MIX_SIZE, R_KEY, S_KEY, T_KEY, add_mix, begin_mix, overwrite_mix
from skelter.pose.sample_kernels import copy, sample_clip

ONE = np.float32(1.0)


@kernel
def blend_in_order_kernel(bank, rest, playback, layers, start, stop, scratch, out_memory, out_bound, out_local):
    """Pose the characters ``[start, stop)``; a layer shows what it remembers of every property that was ever keyed.

    Args:
        bank: `BankArrays`.
        rest: float32 ``[block * 160]``.
        playback: `PlaybackArrays`.
        layers: `LayerArrays`.
        start: First character.
        stop: Past the last character.
        scratch: `LayerScratch`.
        out_memory: float32 ``[char, layer, block * 160]``: pose of each layer, read and written.
        out_bound: uint32 ``[char, layer, block, 3]``: lanes that were keyed, read and written.
        out_local: float32 ``[char, block * 160]``, written whole.
    """
    for char in range(start, stop):
        out = out_local[char]
        copy(rest, out)
        for layer in range(len(layers.additive)):
            additive = layers.additive[layer] != 0
            memory, bound = out_memory[char, layer], out_bound[char, layer]
            _remember_entries(bank, rest, playback, char, layer, additive, scratch, memory, bound)
            strength = np.float32(min(max(playback.layer_weight[char, layer], 0.0), 1.0))
            for block in range(len(bound)):
                mix = scratch.mix[block * MIX_SIZE : (block + 1) * MIX_SIZE]
                lanes = layers.mask[layer, block * LANE_COUNT : (block + 1) * LANE_COUNT]
                held = memory[block * BLOCK_SIZE : (block + 1) * BLOCK_SIZE]
                pose = out[block * BLOCK_SIZE : (block + 1) * BLOCK_SIZE]
                begin_mix(held, ONE, bound[block, T_KEY], bound[block, R_KEY], bound[block, S_KEY], mix)
                if additive:
                    add_mix(mix, lanes, strength, pose)
                else:
                    overwrite_mix(mix, lanes, strength, pose)


@kernel_part
def _remember_entries(bank, rest, playback, char, layer, additive, scratch, memory, bound):
    """Mix the entries of a layer into its memory: the first that keys a property in full, others by their weight."""
    for block in range(len(bound)):
        scratch.seen[block, T_KEY] = np.uint32(0)
        scratch.seen[block, R_KEY] = np.uint32(0)
        scratch.seen[block, S_KEY] = np.uint32(0)
    for entry in range(playback.layer_start[char, layer], playback.layer_start[char, layer + 1]):
        which = playback.clip[char, entry]
        if which < 0:
            continue
        sample_clip(bank, which, playback.time[char, entry], False, scratch.pose)
        weight = np.float32(min(playback.weight[char, entry], 1.0))
        is_delta = bank.additive[which] != 0
        for block in range(len(bound)):
            pose = scratch.pose[block * BLOCK_SIZE : (block + 1) * BLOCK_SIZE]
            below = rest[block * BLOCK_SIZE : (block + 1) * BLOCK_SIZE]
            if additive and not is_delta:
                pose_to_delta(below, pose)
            elif is_delta and not additive:
                delta_to_pose(below, pose)
            held = memory[block * BLOCK_SIZE : (block + 1) * BLOCK_SIZE]
            keyed, seen = bank.keyed[which, block], scratch.seen[block]
            _mix_rotations(pose, keyed[R_KEY], seen[R_KEY], weight, held)
            _mix_vectors(pose[T:S], keyed[T_KEY], seen[T_KEY], weight, held[T:S])
            _mix_vectors(pose[S:], keyed[S_KEY], seen[S_KEY], weight, held[S:])
            for key in range(3):
                seen[key] |= keyed[key]
                bound[block, key] |= keyed[key]


@kernel_part
def _mix_rotations(pose, keyed, seen, weight, out):
    """Write the rotations of keyed lanes, or move them by ``weight`` (nlerp) where an entry before has keyed them."""
    for lane in range(LANE_COUNT):
        bit = np.uint32(1) << np.uint32(lane)
        if keyed & bit == 0:
            continue
        x, y, z, w = pose[lane], pose[Y + lane], pose[Z + lane], pose[W + lane]
        if seen & bit:
            kept, part = ONE - weight, weight
            if x * out[lane] + y * out[Y + lane] + z * out[Z + lane] + w * out[W + lane] < np.float32(0.0):
                part = -part
            x, y = kept * out[lane] + part * x, kept * out[Y + lane] + part * y
            z, w = kept * out[Z + lane] + part * z, kept * out[W + lane] + part * w
            scale = ONE / np.sqrt(x * x + y * y + z * z + w * w)
            x, y, z, w = x * scale, y * scale, z * scale, w * scale
        out[lane] = x
        out[Y + lane] = y
        out[Z + lane] = z
        out[W + lane] = w


@kernel_part
def _mix_vectors(pose, keyed, seen, weight, out):
    """Write the vectors of keyed lanes, or move them by ``weight`` where an entry before has keyed them."""
    for lane in range(LANE_COUNT):
        bit = np.uint32(1) << np.uint32(lane)
        if keyed & bit == 0:
            continue
        part = weight if seen & bit else ONE
        for row in range(3):
            place = row * LANE_COUNT + lane
            out[place] = (ONE - part) * out[place] + part * pose[place]
