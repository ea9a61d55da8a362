"""Pose characters as PlayCanvas does: entries mixed one after the other, and layers that remember their last poses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from skelter.core.arrays import LocalPose
from skelter.core.errors import ArgumentError
from skelter.core.playback import PlaybackList
from skelter.pose.bank import bank_arrays
from skelter.pose.layers import bind_playback, layer_scratch
from skelter.rig.rig import Rig


@dataclass(frozen=True, slots=True, eq=False)
class LayerMemory:
    """What the layers of all characters showed last.

    Attributes:
        pose: float32 ``[char, layer, block * 160]``: poses, deltas in ADDITIVE layers.
        bound: uint32 ``[char, layer, block, 3]``: lanes whose translation, rotation, scale a clip has keyed so far.
    """

    pose: np.ndarray
    bound: np.ndarray

    def copy(self) -> LayerMemory:
        """Return a copy that shares nothing with this one."""
        return LayerMemory(self.pose.copy(), self.bound.copy())


def new_memory(rig: Rig, char_count: int, layer_count: int) -> LayerMemory:
    """Return a memory of layers that have shown nothing yet."""
    pose = np.broadcast_to(rig.rest.reshape(-1), (char_count, layer_count, rig.rest.size)).copy()
    return LayerMemory(pose, np.zeros((char_count, layer_count, len(rig.rest), 3), np.uint32))


def blend_in_order(
    rig: Rig, playback: PlaybackList, memory: LayerMemory, *, additive: ArrayLike, mask: ArrayLike | None = None
) -> LocalPose:
    """Pose characters by their playback lists, in the manner of PlayCanvas.

    In each layer and for each property of a joint, the first entry that keys it counts in full and the following ones
    are mixed in by their weights, ``v = lerp(v, v_i, w_i)`` (nlerp for rotations), in the order of the list. A property
    that no entry keys keeps its last value; one that was never keyed does not belong to the layer. Layers then go on
    top of each other as in `skelter.engines.cpu.pipeline.blend_layers`, without regard to coverage.

    Args:
        rig: A baked character.
        playback: What each character plays.
        memory: What the layers showed last, read and written; from `new_memory`.
        additive: uint8 ``[layer]``: 1 adds, 0 overwrites.
        mask: Weight per joint, float32 ``[layer, block, 16]``; None for 1 everywhere.

    Returns:
        float32 ``[char, block, 10, 16]``, relative to the parent joint.

    Raises:
        ArgumentError: As in `skelter.engines.cpu.pipeline.blend_layers`, or the memory is of others.
    """
    from skelter.pose.ordered_kernels import blend_in_order_kernel

    bound = bind_playback(rig, playback, additive, mask)
    shape = (len(playback), playback.layer_count, rig.rest.size)
    if memory.pose.shape != shape:
        raise ArgumentError(f"memory: expected poses of shape {list(shape)}, got {list(memory.pose.shape)}")
    out = np.empty((len(playback), rig.rest.size), np.float32)
    blend_in_order_kernel(
        bank_arrays(rig),
        rig.rest.reshape(-1),
        bound.playback,
        bound.layers,
        0,
        len(playback),
        layer_scratch(len(rig.rest), playback.clip.shape[1]),
        memory.pose,
        memory.bound,
        out,
    )
    return out.reshape(len(playback), *rig.rest.shape)
