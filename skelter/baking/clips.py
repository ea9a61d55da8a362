"""Clips of a character into a clip bank: the lowest rate that holds the tolerance, packed or not, twins once."""

from __future__ import annotations

import dataclasses
import hashlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from skelter.assets.character import Character, Clip, ClipEvent
from skelter.baking.additive import delta_frames, reference_columns
from skelter.baking.curves import pack_curves
from skelter.baking.fit import make_fitter
from skelter.baking.frames import ClipFrames, bake_frames
from skelter.baking.measure import ClipError, ClipMeasure
from skelter.baking.pack import JOINTS_MAX, PackedFrames
from skelter.baking.skeleton import Skeleton
from skelter.core.arrays import BLOCK_SIZE, CHANNEL_COUNT, block_count, pack_pose
from skelter.core.errors import BakeError

RATES = (15.0, 20.0, 24.0, 30.0, 60.0, 120.0)
"""Sample rates that are tried, lowest first [Hz]."""
FRAME_SLACK = 1e-3
"""Frames by which a duration, rounded to float32 in its file, may exceed a whole number of frames."""
FRAME_FLOATS_MAX = 1 << 26
"""Most floats of one clip, those of spare lanes and of joints that do not move included."""
OVER = 1.05
"""A clip whose floats exceed the tolerance may exceed it this much more when it is packed."""
BANK_BYTES_MAX = 1 << 30
"""Most bytes of all clips."""

Progress = Callable[[str, float], None]


@dataclass(frozen=True, slots=True)
class BakedClip:
    """A clip that has been baked.

    Attributes:
        name: Its name.
        duration: [s].
        rate: Rate that was chosen [Hz].
        stepped: It has STEP curves that change.
        frames: Its frames.
        error: Their error.
        events: Its events, sorted by time.
        deltas: The same frames as deltas, for an additive clip; their error is that of ``frames``.
        packed: What is stored instead of the frames, and what ``error`` is that of.
        reason: Why it is not packed although that was asked for, or an empty string.
        same_as: Index of a clip with identical frames that was baked before, or -1.
    """

    name: str
    duration: float
    rate: float
    stepped: bool
    frames: ClipFrames
    error: ClipError
    events: tuple[ClipEvent, ...]
    deltas: ClipFrames | None = None
    packed: PackedFrames | None = None
    reason: str = ""
    same_as: int = -1

    @property
    def stored(self) -> ClipFrames:
        """The frames that go into the bank: deltas if there are any."""
        return self.frames if self.deltas is None else self.deltas

    @property
    def size(self) -> int:
        """Bytes of all that the clip has in a bank for itself."""
        return self.stored.size if self.packed is None else self.packed.size + self.stored.morphs.nbytes


@dataclass(frozen=True, slots=True)
class ClipBaker:
    """Bakes the clips of one character.

    Attributes:
        skeleton: Its joints.
        morph_first: First morph weight of each node that has any.
        rest: Rest values, as `skelter.baking.curves.rest_columns` returns them.
        size: Longest side of the box around the rest pose, in its own units.
        tolerance_mm: Largest 99th percentile of the error [mm on a character of 2 m].
        rates: Rate per clip name that the user chose [Hz]; the others are chosen here.
        packed: Names of the clips that are to be packed.
    """

    skeleton: Skeleton
    morph_first: dict[int, int]
    rest: np.ndarray
    size: float
    tolerance_mm: float
    rates: Mapping[str, float]
    packed: frozenset[str] = frozenset()

    def bake_all(self, character: Character, progress: Progress | None) -> list[BakedClip]:
        """Bake all clips of a character; an identical clip is baked once.

        Raises:
            BakeError: A clip is too long, or all of them take more than `BANK_BYTES_MAX`.
        """
        baked: list[BakedClip] = []
        seen: dict[bytes, int] = {}
        size = 0
        for index, clip in enumerate(character.clips):
            options = (self.rates.get(clip.name), clip.name in self.packed)
            key = frames_digest(character, clip) + repr(options).encode()
            if key in seen:
                twin = baked[seen[key]]
                baked.append(dataclasses.replace(twin, name=clip.name, events=_sorted_events(clip), same_as=seen[key]))
            else:
                seen[key] = index
                baked.append(self.bake(character, clip))
                size += baked[-1].size
                if size > BANK_BYTES_MAX:
                    raise BakeError(
                        f"{character.name}: the first {index + 1} of {len(character.clips)} clips take more than"
                        f" {BANK_BYTES_MAX >> 20} MB; bake fewer clips, or name lower rates"
                    )
            if progress is not None:
                progress(f"baking {clip.name}", (index + 1) / len(character.clips))
        return baked

    def bake(self, character: Character, clip: Clip) -> BakedClip:
        """Bake one clip at the user's rate, or the lowest of `RATES` that holds the tolerance, or the best of them.

        Args:
            character: The character, for what an additive clip refers to.
            clip: One of its clips.

        Raises:
            BakeError: It is too long.
        """
        rates = self._rates(clip)
        curves = pack_curves(clip, self.skeleton, self.morph_first, self.rest)
        measure = ClipMeasure(curves, self.skeleton.parent, clip.duration, self.size)
        stepped = bool(curves.held_columns.any())
        candidates: list[BakedClip] = []
        for rate in rates:
            frames = bake_frames(curves, clip.duration, frame_count(clip.duration, rate))
            if rate != rates[-1] and measure.rough_p99_mm(frames) > self.tolerance_mm:
                continue
            error = measure.error(frames)
            candidates.append(BakedClip(clip.name, clip.duration, rate, stepped, frames, error, _sorted_events(clip)))
            if error.p99_mm <= self.tolerance_mm or frames.frame_count == 1:
                break
        best = min(candidates, key=lambda candidate: candidate.error.p99_mm)
        reference = reference_columns(character, clip, curves, self.skeleton, self.morph_first, self.rest)
        if reference is not None:
            best = dataclasses.replace(best, deltas=delta_frames(best.frames, curves, reference))
        return self._packed(best, measure) if clip.name in self.packed else best

    def _packed(self, clip: BakedClip, measure: ClipMeasure) -> BakedClip:
        """Pack a clip, or say why it is not packed."""
        if len(self.skeleton.node) > JOINTS_MAX:
            return dataclasses.replace(clip, reason=f"a packed clip has up to {JOINTS_MAX} joints")
        limit = max(self.tolerance_mm, OVER * clip.error.p99_mm if clip.error.p99_mm > self.tolerance_mm else 0.0)
        packed = make_fitter(clip.frames, clip.deltas, measure, self._rest_pose(), limit).fit()
        if packed is None:
            return dataclasses.replace(clip, reason=f"no packed form holds {limit:.3g} mm")
        small = dataclasses.replace(clip, packed=packed, error=measure.error(clip.frames, packed))
        return small if small.size < clip.size else dataclasses.replace(clip, reason="packed, it takes no fewer bytes")

    def _rest_pose(self) -> np.ndarray:
        """Return the rest pose, float32 ``[block, 10, 16]``."""
        local = self.rest[: len(self.skeleton.node) * CHANNEL_COUNT].reshape(-1, CHANNEL_COUNT)
        return pack_pose(local[:, :4], local[:, 4:7], local[:, 7:])

    def _rates(self, clip: Clip) -> tuple[float, ...]:
        """Return the rates to try, lowest first: the user's, or those of `RATES` whose frames are not too many."""
        chosen = self.rates.get(clip.name)
        rates = RATES if chosen is None else (chosen,)
        joint_count = len(self.skeleton.node)
        morph_count = len(self.rest) - joint_count * CHANNEL_COUNT
        most = FRAME_FLOATS_MAX / (block_count(joint_count) * BLOCK_SIZE + morph_count)
        fitting = tuple(rate for rate in rates if clip.duration * rate <= most)
        if not fitting:
            raise BakeError(
                f"clip {clip.name!r} lasts {clip.duration:.6g} s, which at {rates[0]:g} Hz is more than can be baked;"
                " trim it or name a lower rate"
            )
        return fitting


def frame_count(duration: float, rate: float) -> int:
    """Return the number of frames: at least ``rate`` of them a second, the last one exactly at the end."""
    if duration <= 0.0:
        return 1
    return max(math.ceil(duration * rate - FRAME_SLACK), 1) + 1


def frames_digest(character: Character, clip: Clip) -> bytes:
    """Return a hash of everything that the frames of a clip depend on: not its name, nor its events."""
    digest = hashlib.blake2b(repr((clip.duration, clip.additive)).encode(), digest_size=16)
    _update_tracks(digest, clip)
    if clip.additive is not None and clip.additive.reference == "clip":
        _update_tracks(digest, character.clip(clip.additive.clip))
    return digest.digest()


def _update_tracks(digest: hashlib.blake2b, clip: Clip) -> None:
    digest.update(f"{len(clip.tracks)}".encode())
    for track in clip.tracks:
        digest.update(f"{track.node} {track.path} {track.interpolation} {track.values.shape}".encode())
        digest.update(np.ascontiguousarray(track.times).data)
        digest.update(np.ascontiguousarray(track.values).data)


def _sorted_events(clip: Clip) -> tuple[ClipEvent, ...]:
    return tuple(sorted(clip.events, key=lambda event: event.time))
