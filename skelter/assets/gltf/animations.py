"""Animations: clips of tracks, bound by node index.

Source: the glTF 2.0 specification, section 3.11 and appendix C; KHR_animation_pointer.
"""

from __future__ import annotations

import numpy as np

from skelter.assets.character import Clip, Interpolation, MeshInstance, Path, Track
from skelter.assets.gltf import schema
from skelter.assets.gltf.accessors import AccessorReader
from skelter.assets.gltf.document import Document
from skelter.assets.gltf.targets import Target, read_targets
from skelter.assets.names import unique_names
from skelter.core.affine import normalized
from skelter.core.checks import usable

WIDTHS: dict[Path, int] = {"translation": 3, "rotation": 4, "scale": 3}
TYPES: dict[Path, tuple[str, ...]] = {
    "translation": ("VEC3",),
    "rotation": ("VEC4",),
    "scale": ("VEC3",),
    "weights": ("SCALAR",),
}
INTERPOLATIONS: dict[str, Interpolation] = {"LINEAR": "LINEAR", "STEP": "STEP", "CUBICSPLINE": "CUBICSPLINE"}


def read_clips(document: Document, accessors: AccessorReader, instances: list[MeshInstance]) -> list[Clip]:
    """Read all animations.

    A channel that cannot be used is dropped with a warning. Clip time 0 is the first key of the clip.

    Args:
        document: The file.
        accessors: Its accessors.
        instances: Mesh instances, for the number of morph targets of a node.

    Raises:
        AssetError: A sampler, accessor or node does not exist.
    """
    reader = _ClipReader(document, accessors, {instance.node: instance for instance in instances})
    names = unique_names([animation.name for animation in document.gltf.animations], "clip")
    return [reader.read(index, name) for index, name in enumerate(names)]


class _ClipReader:
    def __init__(self, document: Document, accessors: AccessorReader, instances: dict[int, MeshInstance]) -> None:
        self._document = document
        self._accessors = accessors
        self._instances = instances
        self._times: dict[int, np.ndarray] = {}

    def read(self, index: int, name: str) -> Clip:
        where = f"animations[{index}]"
        animation = self._document.gltf.animations[index]
        tracks: dict[tuple[int, Path], Track] = {}
        for number, channel in enumerate(animation.channels):
            place = f"{where}.channels[{number}]"
            for target in read_targets(self._document, channel.target, self._instances, place):
                if (target.node, target.path) in tracks:
                    self._document.warn(
                        place, f"the {target.path} of node {target.node} has a channel already; ignored"
                    )
                    continue
                track = self._track(animation, channel, target, place)
                if track is not None:
                    tracks[target.node, target.path] = track
        return self._clip(name, list(tracks.values()), where)

    def _clip(self, name: str, tracks: list[Track], where: str) -> Clip:
        if not tracks:
            self._document.warn(where, f"the clip {name!r} moves nothing")
            return Clip(name, [], 0.0)
        start = min(float(track.times[0]) for track in tracks)
        end = max(float(track.times[-1]) for track in tracks)
        if start != 0.0:
            self._document.warn(where, f"the clip {name!r} starts at {start:.6g} s; its time 0 is the first key")
            for track in tracks:
                track.times = track.times - start
        return Clip(name, tracks, end - start, start)

    def _track(self, animation: schema.Animation, channel: schema.Channel, target: Target, where: str) -> Track | None:
        document = self._document
        document.check_index(channel.sampler, len(animation.samplers), f"{where}.sampler", "sampler")
        sampler = animation.samplers[channel.sampler]
        interpolation = INTERPOLATIONS.get(sampler.interpolation)
        if interpolation is None:
            document.warn(where, f"the interpolation {sampler.interpolation!r} is unknown; LINEAR is used")
            interpolation = "LINEAR"
        times = self._key_times(sampler.input, where)
        values = self._accessors.read_float_unchecked(sampler.output, where, TYPES[target.path])
        shaped = self._shaped(values, len(times), interpolation, target, where)
        if shaped is None:
            return None
        return self._checked(Track(target.node, target.path, interpolation, times, shaped), where)

    def _key_times(self, index: int, where: str) -> np.ndarray:
        if index not in self._times:
            self._times[index] = self._accessors.read_float_unchecked(index, where, ("SCALAR",))[:, 0]
        return self._times[index]

    def _shaped(
        self, values: np.ndarray, key_count: int, interpolation: Interpolation, target: Target, where: str
    ) -> np.ndarray | None:
        """Return values as ``[key, value]`` or ``[key, 3, value]``, or None if their number is wrong."""
        width = WIDTHS.get(target.path) or target.weight_count
        per_key = 3 if interpolation == "CUBICSPLINE" else 1
        if key_count == 0:
            self._document.warn(where, "the channel has no keys; it is dropped")
            return None
        if values.size != key_count * per_key * width:
            self._document.warn(
                where, f"{key_count} keys need {key_count * per_key * width} numbers, there are {values.size}; dropped"
            )
            return None
        if per_key == 3 and key_count == 1:
            self._document.warn(where, "a CUBICSPLINE of one key has no tangents to follow; its value holds")
        return values.reshape((key_count, 3, width) if per_key == 3 else (key_count, width))

    def _checked(self, track: Track, where: str) -> Track | None:
        """Return the track with finite values, unit quaternions and increasing times, or None if nothing is left."""
        finite = usable(track.times)
        if not (finite.all() and usable(track.values).all()):
            finite &= usable(track.values).reshape(len(track.times), -1).all(axis=1)
            self._document.warn(where, f"{int((~finite).sum())} keys are not finite; they are dropped")
            if not finite.any():
                return None
            track.times, track.values = track.times[finite], track.values[finite]
        if (np.diff(track.times) <= 0).any():
            self._sort(track, where)
        if track.path == "rotation" and track.interpolation != "CUBICSPLINE":
            track.values = self._unit(track.values, where)
        return track

    def _sort(self, track: Track, where: str) -> None:
        if (np.diff(track.times) < 0).any():
            self._document.warn(where, "the key times are not sorted; they are sorted now")
            order = np.argsort(track.times, kind="stable")
            track.times, track.values = track.times[order], track.values[order]
        if (np.diff(track.times) == 0).any():
            self._document.warn(where, "two keys have the same time; the curve jumps there")
            track.times = _spread_equal(track.times)

    def _unit(self, values: np.ndarray, where: str) -> np.ndarray:
        length = np.sqrt(np.einsum("kv,kv->k", values, values))
        if length.min() < 1e-9:
            self._document.warn(where, f"{int((length < 1e-9).sum())} rotations are zero; the identity is used")
        return normalized(values)


def _spread_equal(times: np.ndarray) -> np.ndarray:
    """Move each time that equals the one before to the next float32, so that times increase strictly."""
    spread = times.astype(np.float32)
    for index in range(1, len(spread)):
        if spread[index] <= spread[index - 1]:
            spread[index] = np.nextafter(spread[index - 1], np.float32(np.inf))
    return spread.astype(np.float64)
