"""Clips of a character as glTF JSON."""

from __future__ import annotations

from typing import Any

import numpy as np

from skelter.assets.character import Clip, Track
from skelter.core.affine import normalized
from skelter.export.gltf.buffer import BufferWriter

UNIT_TOLERANCE = 5e-3
"""Readers accept quaternions whose length is off by more than this: 8-bit ones are."""


def clip_json(clip: Clip, weighted_nodes: set[int], buffer: BufferWriter) -> dict[str, Any] | None:
    """Return a clip at clip time, or None if it moves nothing: glTF has no empty animations.

    Args:
        clip: The clip.
        weighted_nodes: Nodes whose mesh was written with morph targets.
        buffer: Where keys go.
    """
    tracks = [_writable(track) for track in clip.tracks if track.path != "weights" or track.node in weighted_nodes]
    if not tracks:
        return None
    samplers: list[dict[str, Any]] = []
    channels: list[dict[str, Any]] = []
    for number, track in enumerate(tracks):
        channels.append({"sampler": number, "target": {"node": track.node, "path": track.path}})
        sampler = {
            "input": buffer.accessor(_times(track), limits=True),
            "output": buffer.accessor(_values(track)),
        }
        samplers.append(
            sampler if track.interpolation == "LINEAR" else sampler | {"interpolation": track.interpolation}
        )
    extras = _extras(clip)
    return {"name": clip.name, "channels": channels, "samplers": samplers} | ({"extras": extras} if extras else {})


def _extras(clip: Clip) -> dict[str, Any]:
    """Return events and the additive reference in the form that `skelter.assets.gltf.clip_extras` reads."""
    extras: dict[str, Any] = {}
    if clip.events:
        extras["events"] = [
            {"time": float(event.time), "name": event.name}
            | ({} if event.payload is None else {"payload": event.payload})
            for event in clip.events
        ]
    additive = clip.additive
    if additive is not None:
        named = {"clip": additive.clip, "time": float(additive.time)} if additive.reference == "clip" else {}
        extras["additive"] = {"reference": additive.reference} | named
    return extras


def _writable(track: Track) -> Track:
    """Return a spline of one key as a plain curve of one key: glTF wants two keys for a spline."""
    if track.interpolation != "CUBICSPLINE" or len(track.times) > 1:
        return track
    return Track(track.node, track.path, "LINEAR", track.times, track.values[:, 1])


def _times(track: Track) -> np.ndarray:
    """Return key times as float32, strictly increasing still."""
    times = track.times.astype(np.float32)
    if (np.diff(times) > 0).all():
        return times
    for key in range(1, len(times)):
        times[key] = max(times[key], np.nextafter(times[key - 1], np.float32(np.inf)))
    return times


def _values(track: Track) -> np.ndarray:
    """Return key values in the shape that glTF wants: scalars for weights, else one vector per key or tangent.

    Quaternions have length one. Those of splines may be a little off, for scaling them would bend the spline; a key
    that is off by more than readers accept is scaled, and its tangents with it.
    """
    values = track.values
    if track.path == "weights":
        return values.astype(np.float32).reshape(-1)
    if track.path == "rotation":
        values = _unit_spline(values) if track.interpolation == "CUBICSPLINE" else normalized(values)
    return values.astype(np.float32).reshape(-1, values.shape[-1])


def _unit_spline(values: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(values[:, 1], axis=-1)
    off = np.abs(length - 1.0) > UNIT_TOLERANCE
    scaled = values / np.where(off & (length > 0), length, 1.0)[:, None, None]
    scaled[length == 0, 1] = [0.0, 0.0, 0.0, 1.0]
    return scaled
