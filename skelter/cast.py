"""The cast of a picture: which clip and time each character of a crowd plays, where it stands and what it wears."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from skelter.core.arrays import ClipIndices, LocalPose, Picture, Times
from skelter.core.errors import ArgumentError
from skelter.engines.cpu.pipeline import skinning_matrices
from skelter.pose.sample import sample, sample_morphs
from skelter.rendering.camera import frame_camera
from skelter.rendering.render import Renderer
from skelter.rendering.scene import Batch, Placements, Tints, place_crowd, tints
from skelter.rig.rig import Rig

COUNT_LIMIT = 100_000
ELBOW_ROOM = 1.1
"""Distance between neighbours, in sizes of a character."""

Moment = Callable[[float], Sequence[Batch] | Batch]
"""What is drawn a time after the start [s]; times are asked for in ascending order."""


@dataclass(frozen=True, slots=True, eq=False)
class Cast:
    """Characters that share a rig, and what each of them plays.

    Attributes:
        rig: The character.
        clip: Clip per character, int32 ``[char]``; the rest pose if the rig has no clips that can be played alone.
        time: Clip time per character at the start [s], float64 ``[char]``.
        world_from_model: Where each character stands [m], float32 ``[char, 3, 4]``.
        tint: Linear RGB, float32 ``[char, 3]``.
    """

    rig: Rig
    clip: ClipIndices
    time: Times
    world_from_model: Placements
    tint: Tints

    def batch(self, seconds: float = 0.0) -> Batch:
        """Return what the renderer draws ``seconds`` after the start."""
        moves = len(_playable(self.rig)) > 0
        times = self.time + seconds
        morphs = sample_morphs(self.rig, self.clip, times) if moves and self.rig.mesh.morph_names else None
        matrices = skinning_matrices(self.rig, self._poses(times) if moves else self._rest_poses())
        return Batch(self.rig, matrices, self.world_from_model, morphs, self.tint)

    def _poses(self, times: Times) -> LocalPose:
        return sample(self.rig, self.clip, times)

    def _rest_poses(self) -> LocalPose:
        return np.repeat(self.rig.rest[None], len(self.time), axis=0)


def cast_crowd(rig: Rig, count: int, *, clip: str | None = None, time: float | None = None, seed: int = 0) -> Cast:
    """Give each character of a crowd a clip, a time, a place and a colour.

    Args:
        rig: The character.
        count: Number of characters.
        clip: Name of the clip that all of them play; None spreads all clips but the additive ones evenly.
        time: Clip time of all of them [s]; None spreads the times at random.
        seed: The same seed gives the same crowd.
    """
    if not any(draw.tri_count for draw in rig.mesh.draws):
        raise ArgumentError(f"{rig.name}: there is no mesh, so there is nothing to draw")
    if not 1 <= count <= COUNT_LIMIT:
        raise ArgumentError(f"count: expected 1 to {COUNT_LIMIT} characters, got {count}")
    if time is not None and not np.isfinite(time):
        raise ArgumentError(f"time: expected a time in seconds, got {time}")
    random = np.random.default_rng(seed)
    clips = _spread_clips(rig, count, clip, random)
    phase = random.random(count)
    times = np.full(count, time, np.float64) if time is not None else phase * _durations(rig, clips)
    return Cast(rig, clips, times, place_crowd(count, _spacing(rig, clips), seed), tints(count, seed))


def film(crowd: Moment, seconds: float, rate: float, *, width: int = 1280, height: int = 720) -> Iterator[Picture]:
    """Draw a crowd again and again while it moves; the camera stands still.

    Args:
        crowd: The crowd, such as the method `batch` of a `Cast`.
        seconds: Length of the film [s].
        rate: Pictures a second [Hz].
        width: Width of the pictures [pixels].
        height: Height of the pictures [pixels].

    Yields:
        sRGB and alpha, uint8 ``[row, col, 4]``.
    """
    first = crowd(0.0)
    camera = frame_camera([first] if isinstance(first, Batch) else first, width / height)
    with Renderer(width=width, height=height) as renderer:
        for index in range(frame_total(seconds, rate)):
            yield renderer.draw(crowd(index / rate) if index else first, camera)


def frame_total(seconds: float, rate: float) -> int:
    """Return how many pictures a film has, at least one; raise ArgumentError if it could not be made."""
    if not 0.0 < rate <= 1000.0:
        raise ArgumentError(f"rate: expected above 0 and at most 1000 pictures a second, got {rate:g}")
    if not 0.0 < seconds <= 3600.0:
        raise ArgumentError(f"video: expected above 0 and at most 3600 seconds, got {seconds:g}")
    return max(1, round(seconds * rate))


def _spread_clips(rig: Rig, count: int, clip: str | None, random: np.random.Generator) -> ClipIndices:
    if clip is not None:
        index = rig.clip_index(clip)
        if rig.clips.additive[index]:
            raise ArgumentError(f"clip: {clip!r} is additive: it changes poses of other clips and has none of its own")
        return np.full(count, index, np.int32)
    playable = _playable(rig)
    if len(playable) == 0:
        return np.zeros(count, np.int32)
    return playable[random.permutation(np.arange(count) % len(playable))]


def _playable(rig: Rig) -> ClipIndices:
    """Return the clips that can be played alone: those that are not additive."""
    return np.flatnonzero(rig.clips.additive == 0).astype(np.int32)


def _durations(rig: Rig, clips: ClipIndices) -> Times:
    return rig.clips.duration[clips] if rig.clip_names else np.zeros(len(clips))


def _spacing(rig: Rig, clips: ClipIndices) -> float:
    """Return the distance between neighbours [m]: the typical width or depth of what is played.

    A clip that travels would have a box as long as its way; it counts no more than the character's own size.
    """
    boxes = rig.clips.bounds[np.unique(clips)] if rig.clip_names else rig.bounds[None]
    sides = (boxes[:, 1] - boxes[:, 0])[:, [0, 2]].max(axis=1)
    size = float((rig.bounds[1] - rig.bounds[0]).max())
    return ELBOW_ROOM * min(float(np.median(sides)), size) or 1.0
