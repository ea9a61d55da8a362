"""Clips of a character as glTF JSON."""

from __future__ import annotations

from typing import Any

import numpy as np

from skelter.assets.character import Clip, Track
from skelter.core.affine import normalized
from skelter.export.gltf.buffer import BufferWriter


def clip_json(clip: Clip, weighted_nodes: set[int], buffer: BufferWriter, where: str) -> dict[str, Any] | None:
    """Return a clip at clip time, or None if it moves nothing: glTF has no empty animations.

    Args:
        clip: The clip.
        weighted_nodes: Nodes whose mesh was written with morph targets.
        buffer: Where keys go.
        where: Place in the character, for messages.
    """
    tracks = [_writable(track) for track in clip.tracks if track.path != "weights" or track.node in weighted_nodes]
    if not tracks:
        return None
    samplers: list[dict[str, Any]] = []
    channels: list[dict[str, Any]] = []
    for number, track in enumerate(tracks):
        place = f"{where}.tracks[{number}]"
        channels.append({"sampler": number, "target": {"node": track.node, "path": track.path}})
        sampler = {
            "input": buffer.accessor(_times(track), f"{place}.times", limits=True),
            "output": buffer.accessor(_values(track), f"{place}.values"),
        }
        samplers.append(
            sampler if track.interpolation == "LINEAR" else sampler | {"interpolation": track.interpolation}
        )
    return {"name": clip.name, "channels": channels, "samplers": samplers}


def _writable(track: Track) -> Track:
    """Return a spline of one key as a plain curve of one key: glTF wants two keys for a spline."""
    if track.interpolation != "CUBICSPLINE" or len(track.times) > 1:
        return track
    return Track(track.node, track.path, "LINEAR", track.times, track.values[:, 1])


def _times(track: Track) -> np.ndarray:
    """Return key times as float32, strictly increasing still."""
    times = track.times.astype(np.float32)
    for key in np.flatnonzero(np.diff(times) <= 0) + 1:
        times[key] = np.nextafter(max(times[key - 1], times[key]), np.float32(np.inf))
    return times


def _values(track: Track) -> np.ndarray:
    """Return key values in the shape that glTF wants: scalars for weights, else one vector per key or tangent.

    Quaternions have length one at keys, also those of splines, whose values in between are normalised anyway.
    """
    values = track.values
    if track.path == "weights":
        return values.astype(np.float32).reshape(-1)
    if track.path == "rotation":
        values = values.copy()
        keys = values[:, 1] if track.interpolation == "CUBICSPLINE" else values
        keys[:] = normalized(keys)
    return values.astype(np.float32).reshape(-1, values.shape[-1])
