"""Hold frames against a recording."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from .binding import Binder
from .curves import Values, distance, dot, normalized
from .frames import BoneView, Frame, LayerView
from .job import Job
from .moments import Moments, Property

PROGRESS_TOL = 1e-6
SINGLE_TOL = 1e-5
"""Where one clip plays: quaternion components up to sign, metres."""
BLEND_TOL = 3e-4
"""Where clips blend."""


@dataclass(frozen=True)
class Difference:
    """Where frames part.

    Attributes:
        step: Index of the step.
        what: What differs, with both values.
    """

    step: int
    what: str

    def __str__(self) -> str:
        return f"step {self.step}: {self.what}"


@dataclass
class Tally:
    """What was compared, and the largest difference that was let pass."""

    frames: int = 0
    undefined: int = 0
    progress: float = 0.0
    single: float = 0.0
    blended: float = 0.0
    jumps: int = 0

    def note(self, error: float, tolerance: float) -> None:
        """Keep the largest error of bones."""
        if tolerance < BLEND_TOL:
            self.single = max(self.single, error)
        else:
            self.blended = max(self.blended, error)


@dataclass(frozen=True)
class Expected:
    """A recorded frame, and how exact it is.

    Attributes:
        frame: States, progress and parameters.
        bones: Bones to compare with: those of the dense recording if there is one.
        slack: Per bone and property, beyond what a single clip or a blend allows.
        tolerance: What is allowed instead of that.
    """

    frame: Frame
    bones: dict[str, BoneView]
    slack: dict[Property, float] = field(default_factory=dict)
    tolerance: float | None = None


def first_difference(
    expected: Iterable[Expected], actual: Iterable[Frame], tally: Tally, moments: Moments | None = None
) -> Difference | None:
    """Return the first difference between a recording and frames, or None.

    Args:
        expected: Recorded frames.
        actual: Frames.
        tally: Filled with what was seen.
        moments: Finds clips that rounding puts to either side of a jump.
    """
    frames = iter(actual)
    if moments:
        moments.begin()
    for step, wanted in enumerate(expected):
        found = next(frames, None)
        if found is None:
            return Difference(step, "stopped")
        what = next(differences(wanted, found, tally, moments), None)
        if what is not None:
            return Difference(step, what)
        tally.frames += 1
    return None


def differences(wanted: Expected, found: Frame, tally: Tally, moments: Moments | None = None) -> Iterator[str]:
    """Yield what differs in a frame."""
    for name, layer in wanted.frame.layers.items():
        if name not in found.layers:
            yield f"{name}: no such layer"
            return
        yield from _layer_differences(name, layer, found.layers[name], tally)
    for name, value in wanted.frame.parameters.items():
        if found.parameters.get(name) != value:
            yield f"parameter {name} is {found.parameters.get(name)}, recorded {value}"
    tolerance = wanted.tolerance if wanted.tolerance else BLEND_TOL if is_blending(wanted.frame) else SINGLE_TOL
    allowance = dict(wanted.slack)
    if moments:
        for key, gap in moments.between(wanted.frame, found).items():
            tally.jumps += 1
            allowance[key] = allowance.get(key, 0.0) + gap
    for name, bone in wanted.bones.items():
        for letter in "trs":
            error = bone_error(bone, found.bones[name], letter)
            if error is None:
                tally.undefined += 1
                continue
            allowed = tolerance + allowance.get((name, letter), 0.0)
            if not error <= allowed:
                yield f"{name}.{letter} is off by {error:.3g} (allowed {allowed:.3g})"
            elif (name, letter) not in allowance:
                tally.note(error, tolerance)


def is_blending(frame: Frame) -> bool:
    """Return whether more than one clip plays, in one layer or in several; also where that is not known."""
    clips = [layer.clips for layer in frame.layers.values()]
    return any(running is None for running in clips) or sum(clip.weight > 0 for one in clips for clip in one or ()) > 1


def _layer_differences(name: str, wanted: LayerView, found: LayerView, tally: Tally) -> Iterator[str]:
    for key in ("active", "previous", "transitioning"):
        if getattr(wanted, key) != getattr(found, key):
            yield f"{name}: {key} is {getattr(found, key)}, recorded {getattr(wanted, key)}"
    for key in ("transition_progress", "progress"):
        value, recorded = getattr(found, key), getattr(wanted, key)
        if recorded is None:  # null, NaN or infinite in the engine: it has no value
            tally.undefined += key == "progress" or wanted.transitioning
        elif value is None or not abs(value - recorded) <= PROGRESS_TOL * max(1.0, abs(recorded)):
            yield f"{name}: {key} is {value}, recorded {recorded}"
        else:
            tally.progress = max(tally.progress, abs(value - recorded))


def bone_error(wanted: BoneView, found: BoneView, key: str) -> float | None:
    """Return how far a property is off, or None where the engine gives no number."""
    recorded, value = getattr(wanted, key), getattr(found, key)
    if not all(map(math.isfinite, recorded)):
        return None
    return distance(key, recorded, value)


def component_slack(job: Job) -> dict[Property, float]:
    """Return per bone how far component-wise interpolation of its LINEAR rotations may be from slerp."""
    binder = Binder(job)
    slack: dict[Property, float] = {}
    for curve in (curve for clip in job.clips.values() for curve in clip.curves):
        bone = binder.bone_of(curve)
        if bone is not None and curve.property == "r" and curve.interpolation == "LINEAR":
            key = (job.bones[bone].name, "r")
            worst = max(map(arc_slack, curve.keys, curve.keys[1:]), default=0.0)
            slack[key] = max(slack.get(key, 0.0), worst)
    return slack


def arc_slack(a: Values, b: Values) -> float:
    """Return how far normalised linear interpolation is from slerp at most, between two keys, along the short way.

    With the half angle h of the keys in four dimensions, both lie on the arc; at fraction (1 + x) / 2 they are at the
    angles ``atan(x tan h)`` and ``x h`` from its middle. The chord of the largest difference bounds all components.
    """
    cosine = min(1.0, abs(dot(normalized(a), normalized(b))))
    half = math.acos(cosine) / 2
    if half < 1e-9:
        return 0.0
    tangent = math.tan(half)
    # The derivative of atan(x t) - x h vanishes at t / (1 + x^2 t^2) = h.
    x = math.sqrt(max(0.0, (tangent / half - 1) / (tangent * tangent)))
    return 2 * math.sin(abs(math.atan(x * tangent) - x * half) / 2)
