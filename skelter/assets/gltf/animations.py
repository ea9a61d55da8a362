"""Animations: clips of tracks, bound by node index.

Source: the glTF 2.0 specification, section 3.11 and appendix C; KHR_animation_pointer.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skelter.assets.character import Clip, Interpolation, MeshInstance, Path, Track
from skelter.assets.gltf import schema
from skelter.assets.gltf.accessors import AccessorReader
from skelter.assets.gltf.clip_extras import read_clip_extras
from skelter.assets.gltf.document import Document
from skelter.assets.gltf.targets import Target, TargetReader
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
TRACK_BYTES = 256
"""What a track takes beside its numbers."""
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
    reader = _ClipReader(document, accessors, TargetReader(document, instances))
    names = unique_names([animation.name for animation in document.gltf.animations], "clip")
    clips = [reader.read(index, name) for index, name in enumerate(names)]
    read_clip_extras(document, clips)
    return clips


class _Curve(NamedTuple):
    """Times and values of a sampler, checked once however many channels share it."""

    times: np.ndarray
    values: np.ndarray


class _ClipReader:
    def __init__(self, document: Document, accessors: AccessorReader, targets: TargetReader) -> None:
        self._document = document
        self._accessors = accessors
        self._targets = targets
        self._curves: dict[tuple[int, int, Interpolation, Path, int], _Curve | None] = {}

    def read(self, index: int, name: str) -> Clip:
        where = f"animations[{index}]"
        animation = self._document.gltf.animations[index]
        tracks: dict[tuple[int, Path], Track] = {}
        for number, channel in enumerate(animation.channels):
            place = f"{where}.channels[{number}]"
            targets = self._targets.read(channel.target, place)
            self._document.spend(TRACK_BYTES * len(targets), place)
            for target in targets:
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
        if start != 0.0:
            self._document.warn(where, f"the clip {name!r} starts at {start:.6g} s; its time 0 is the first key")
            self._shift(tracks, start, where)
        return Clip(name, tracks, max(float(track.times[-1]) for track in tracks), start)

    def _shift(self, tracks: list[Track], start: float, where: str) -> None:
        """Subtract ``start`` from all key times; tracks that share their times still do so."""
        shifted: dict[int, np.ndarray] = {}
        for track in tracks:
            key = id(track.times)
            if key not in shifted:
                self._document.spend(track.times.nbytes, where)
                times = track.times - start
                shifted[key] = _spread_equal(times) if (np.diff(times) <= 0).any() else times
        for track in tracks:
            track.times = shifted[id(track.times)]

    def _track(self, animation: schema.Animation, channel: schema.Channel, target: Target, where: str) -> Track | None:
        document = self._document
        document.check_index(channel.sampler, len(animation.samplers), f"{where}.sampler", "sampler")
        sampler = animation.samplers[channel.sampler]
        interpolation = INTERPOLATIONS.get(sampler.interpolation)
        if interpolation is None:
            document.warn(where, f"the interpolation {sampler.interpolation!r} is unknown; LINEAR is used")
            interpolation = "LINEAR"
        key = (sampler.input, sampler.output, interpolation, target.path, target.weight_count)
        if key not in self._curves:
            self._curves[key] = self._curve(sampler, interpolation, target, where)
        curve = self._curves[key]
        return None if curve is None else Track(target.node, target.path, interpolation, curve.times, curve.values)

    def _curve(
        self, sampler: schema.Sampler, interpolation: Interpolation, target: Target, where: str
    ) -> _Curve | None:
        times = self._accessors.read_float_unchecked(sampler.input, where, ("SCALAR",))[:, 0]
        values = self._accessors.read_float_unchecked(sampler.output, where, TYPES[target.path])
        self._document.spend(times.nbytes + values.nbytes, where)
        shaped = self._shaped(values, len(times), interpolation, target, where)
        if shaped is None:
            return None
        return self._checked(_Curve(times, shaped), target.path, interpolation, where)

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

    def _checked(self, curve: _Curve, path: Path, interpolation: Interpolation, where: str) -> _Curve | None:
        """Return the curve with finite values, unit quaternions and increasing times, or None if nothing is left."""
        finite = usable(curve.times * 4)  # so that what is computed from key times is usable, too
        if not (finite.all() and usable(curve.values).all()):
            finite &= usable(curve.values).reshape(len(curve.times), -1).all(axis=1)
            self._document.warn(where, f"{int((~finite).sum())} keys are not finite; they are dropped")
            if not finite.any():
                return None
            curve = _Curve(curve.times[finite], curve.values[finite])
        if (np.diff(curve.times) <= 0).any():
            curve = self._sorted(curve, where)
        if path == "rotation" and interpolation != "CUBICSPLINE":
            curve = _Curve(curve.times, self._unit(curve.values, where))
        return curve

    def _sorted(self, curve: _Curve, where: str) -> _Curve:
        times, values = curve
        if (np.diff(times) < 0).any():
            self._document.warn(where, "the key times are not sorted; they are sorted now")
            order = np.argsort(times, kind="stable")
            times, values = times[order], values[order]
        if (np.diff(times) == 0).any():
            self._document.warn(where, "two keys have the same time; the curve jumps there")
            times = _spread_equal(times)
        return _Curve(times, values)

    def _unit(self, values: np.ndarray, where: str) -> np.ndarray:
        length = np.sqrt(np.einsum("kv,kv->k", values, values))
        if length.min() < 1e-9:
            self._document.warn(where, f"{int((length < 1e-9).sum())} rotations are zero; the identity is used")
        return normalized(values)


def _spread_equal(times: np.ndarray) -> np.ndarray:
    """Move each time that equals the one before to the next float32, so that times increase strictly.

    The bits of floats, read as whole numbers, count them: ``count[k] = max(count[k], count[k - 1] + 1)``, which is the
    running maximum of ``count[k] - k``, plus ``k``.
    """
    bits = times.astype(np.float32).view(np.int32).astype(np.int64)
    count = np.where(bits < 0, -(bits & 0x7FFFFFFF), bits)
    steps = np.arange(len(count))
    count = np.maximum.accumulate(count - steps) + steps
    bits = np.where(count < 0, 0x80000000 - count, count)
    return bits.astype(np.uint32).view(np.float32).astype(np.float64)
