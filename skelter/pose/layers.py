"""Playback lists as kernels take them, and the morph weights that they name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from skelter.core.arrays import BLOCK_SIZE, LANE_COUNT, MorphWeights
from skelter.core.checks import as_array, read_only
from skelter.core.errors import ArgumentError
from skelter.core.playback import REST, PlaybackArrays, PlaybackList
from skelter.pose.bank import bank_arrays
from skelter.rig.rig import Rig, check_is_rig

if TYPE_CHECKING:
    from skelter.pose.layers_kernels import LayerArrays, LayerScratch


@dataclass(frozen=True, slots=True)
class BoundPlayback:
    """A playback list and its layers, checked and as kernels take them.

    Attributes:
        playback: The list.
        layers: What is the same for all characters.
    """

    playback: PlaybackArrays
    layers: LayerArrays


def layer_scratch(block_count: int, entry_count: int) -> LayerScratch:
    """Return room for a character with up to ``entry_count`` entries, for one thread at a time."""
    from skelter.pose.layers_kernels import MIX_SIZE, LayerScratch

    return LayerScratch(
        order=np.empty(max(entry_count, 1), np.int32),
        pose=np.empty(block_count * BLOCK_SIZE, np.float32),
        mix=np.empty(block_count * MIX_SIZE, np.float32),
        covered=np.empty(block_count, np.uint32),
        seen=np.empty((block_count, 3), np.uint32),
    )


def blend_morphs(rig: Rig, playback: PlaybackList, *, additive: ArrayLike) -> MorphWeights:
    """Blend the morph weights of characters by their playback lists.

    The layering of `skelter.engines.cpu.pipeline.blend_layers` without masks, beginning with the default weights. A
    clip keys all weights or none.

    Args:
        rig: A baked character.
        playback: As in `skelter.engines.cpu.pipeline.blend_layers`.
        additive: As in `skelter.engines.cpu.pipeline.blend_layers`.

    Returns:
        float32 ``[char, morph]``, one column per name in ``rig.mesh.morph_names``.

    Raises:
        ArgumentError: As in `skelter.engines.cpu.pipeline.blend_layers`.
    """
    from skelter.pose.layers_kernels import blend_morphs_kernel

    bound = bind_playback(rig, playback, additive, None)
    out = np.empty((len(playback), len(rig.mesh.morph_names)), np.float32)
    blend_morphs_kernel(bank_arrays(rig), bound.playback, bound.layers.additive, 0, len(playback), out)
    return out


def bind_playback(rig: Rig, playback: PlaybackList, additive: ArrayLike, mask: ArrayLike | None) -> BoundPlayback:
    """Check a playback list and its layers, and return them as kernels take them.

    Raises:
        ArgumentError: As in `skelter.engines.cpu.pipeline.blend_layers`.
    """
    check_is_rig(rig)
    arrays = _playback_arrays(playback)
    _check_entries(arrays, rig)
    return BoundPlayback(arrays, layer_arrays(rig, additive, mask, arrays.layer_weight.shape[1]))


def _playback_arrays(playback: PlaybackList) -> PlaybackArrays:
    if not isinstance(playback, PlaybackList):
        raise ArgumentError(f"playback: expected a PlaybackList, got {type(playback).__name__}")
    clip = as_array(playback.clip, np.int32, (None, None), "playback.clip")
    layer_weight = as_array(playback.layer_weight, np.float64, (len(clip), None), "playback.layer_weight")
    starts = (len(clip), layer_weight.shape[1] + 1)
    return PlaybackArrays(
        layer_start=as_array(playback.layer_start, np.int32, starts, "playback.layer_start"),
        clip=clip,
        time=as_array(playback.time, np.float64, clip.shape, "playback.time"),
        weight=as_array(playback.weight, np.float64, clip.shape, "playback.weight"),
        layer_weight=layer_weight,
    )


def _check_entries(arrays: PlaybackArrays, rig: Rig) -> None:
    """Raise ArgumentError that names the first entry which cannot be played."""
    start, entry_count = arrays.layer_start, arrays.clip.shape[1]
    _refuse(~np.isfinite(arrays.layer_weight), arrays.layer_weight, "layer", "its weight is {}, not a number")
    ends = (start[:, 0] != 0) | (start[:, -1] > entry_count) | (np.diff(start) < 0).any(axis=1)
    if ends.any():
        char = int(np.argmax(ends))
        raise ArgumentError(
            f"playback: character {char}: layer_start is {start[char].tolist()}; it must begin with 0, never fall, and"
            f" end at or below the {entry_count} entries"
        )
    used = np.arange(entry_count) < start[:, -1:]
    clips = len(rig.clips.names)
    wrong = used & ((arrays.clip < REST) | (arrays.clip >= clips))
    _refuse(wrong, arrays.clip, "entry", f"clip {{}} is not one of the {clips} clips, nor {REST} for none")
    _refuse(used & ~np.isfinite(arrays.time), arrays.time, "entry", "its time is {} s, not a finite number")
    wrong = used & ~((arrays.weight >= 0.0) & np.isfinite(arrays.weight))
    _refuse(wrong, arrays.weight, "entry", "its weight is {}; it must be finite and not negative")


def _refuse(wrong: np.ndarray, values: np.ndarray, kind: str, reason: str) -> None:
    """Raise ArgumentError about the first place of ``wrong [char, kind]`` that is set."""
    if wrong.any():
        char, index = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
        raise ArgumentError(f"playback: character {char}, {kind} {index}: {reason.format(values[char, index])}")


def layer_arrays(rig: Rig, additive: ArrayLike, mask: ArrayLike | None, layer_count: int) -> LayerArrays:
    """Return modes and masks of layers as kernels take them; raise ArgumentError if they do not fit."""
    from skelter.pose.layers_kernels import LayerArrays

    lanes = len(rig.rest) * LANE_COUNT
    if mask is None:
        mask = np.ones((layer_count, len(rig.rest), LANE_COUNT), np.float32)
    weights = as_array(mask, np.float32, (layer_count, len(rig.rest), LANE_COUNT), "mask").reshape(layer_count, lanes)
    outside = ~((weights >= 0.0) & (weights <= 1.0))
    if outside.any():
        layer, lane = np.argwhere(outside)[0].tolist()
        raise ArgumentError(f"mask: layer {layer}, joint {lane}: {weights[layer, lane]} is no weight in [0, 1]")
    whole = (weights[:, : rig.joint_count] == 1.0).all(axis=1).astype(np.uint8)
    return LayerArrays(as_array(additive, np.uint8, (layer_count,), "additive"), weights, read_only(whole))
