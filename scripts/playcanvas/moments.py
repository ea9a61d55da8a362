"""Moments at which a clip jumps: rounding decides which side is shown, and both are right.

A clip that loops in 1 s is at 0 or at 1 after 60 steps of 1/60 s, as the sum is rounded; a STEP key at 0.3 is reached,
or not.
"""

from __future__ import annotations

from .binding import Binder
from .curves import distance, normalized, sample
from .frames import ClipView, Frame
from .job import Curve, Job

Property = tuple[str, str]
"""Name of a bone; ``t``, ``r`` or ``s``."""
MOMENT_TOL = 1e-9
"""Clip times that are nearer than this [s], or a whole clip apart within it, are one moment."""
AMPLIFICATION = 2.0
"""What mixing may make of a difference: normalising quaternions, ratios of scales."""


class Moments:
    """Says by how much bones may differ because clips are shown on different sides of a jump.

    What a layer shows may be held for long, so an allowance stays until a clip of the layer keys the property again.
    """

    def __init__(self, job: Job) -> None:
        binder = Binder(job)
        self._clips = job.clips
        self._curves: dict[str, list[tuple[Property, Curve]]] = {}
        for name, clip in job.clips.items():
            bound = [(binder.bone_of(curve), curve) for curve in clip.curves]
            self._curves[name] = [
                ((job.bones[bone].name, curve.property), curve) for bone, curve in bound if bone is not None
            ]
        self._held: dict[tuple[str, Property], float] = {}

    def begin(self) -> None:
        """Forget what is held: another comparison begins."""
        self._held = {}

    def between(self, wanted: Frame, found: Frame) -> dict[Property, float]:
        """Return what properties may differ by, in two frames of one step."""
        for name, layer in wanted.layers.items():
            others = (found.layers[name].clips or []) if name in found.layers else []
            playing = [clip for clip in layer.clips or () if clip.weight > 0 and clip.track in self._clips]
            for clip in playing:
                for key, _ in self._curves[clip.track]:
                    self._held.pop((name, key), None)
            for clip in playing:
                for key, gap in self._gaps(clip, others).items():
                    self._held[name, key] = self._held.get((name, key), 0.0) + AMPLIFICATION * gap
        allowance: dict[Property, float] = {}
        for (_, key), gap in self._held.items():
            allowance[key] = allowance.get(key, 0.0) + gap
        return allowance

    def _gaps(self, clip: ClipView, others: list[ClipView]) -> dict[Property, float]:
        length = self._clips[clip.track].duration
        for other in others:
            apart = abs(clip.time - other.time)
            if other.track == clip.track and min(apart, abs(apart - length)) < MOMENT_TOL:
                return self._between_times(clip.track, clip.time, other.time) if apart > 0 else {}
        return {}

    def _between_times(self, name: str, first: float, second: float) -> dict[Property, float]:
        gaps = {}
        for key, curve in self._curves[name]:
            a, b = sample(curve, first, True), sample(curve, second, True)
            gap = distance(key[1], normalized(a), normalized(b)) if key[1] == "r" else distance(key[1], a, b)
            if gap > MOMENT_TOL:
                gaps[key] = gap
        return gaps
