"""Error of a baked clip: its frames, played by the kernels of the cpu engine, against the source curves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skelter.baking.curves import ClipCurves
from skelter.baking.frames import ClipFrames
from skelter.baking.pack import PackedFrames
from skelter.baking.plan import Reach
from skelter.baking.play import play
from skelter.core.arrays import LANE_COUNT

SHELL_M = 0.03
SIZE_M = 2.0
GRID_RATE = 240.0
"""Error is looked for this often [Hz], and at every key, and on both sides of every step."""
GOLDEN = 0.6180339887498949
"""Shifts the grid a little more at each point, so that it falls on all fractions of a frame."""
SKETCH_STRIDE = 3
"""A rate is refused after a look at every third time."""
WORST_COUNT = 32
"""Around this many of the worst times it is looked for again, `REFINED_COUNT` times each."""
REFINED_COUNT = 9
STILL = 1e-6
"""A joint whose matrix changes by less than this, relative to its scale and the character's size, does not move."""
SAMPLE_COUNT_MAX = 2_000_000
"""Most (time, joint) pairs that are looked at in a clip."""
REACH_COUNT = 16
"""How far channels move points is looked at this often."""
CHUNK_FLOATS = 1 << 21
STEP_MARGIN = 1e-5
"""How far before a step the curve is looked at [s]."""
BETWEEN_TIMES = 1.05
"""The largest error is reported this much larger, for it may lie between two of the times looked at."""


@dataclass(frozen=True, slots=True)
class ClipError:
    """Error of a clip, in mm on a character of 2 m; see `skelter.rig.report.ClipReport`."""

    max_mm: float
    p99_mm: float
    rms_mm: float
    worst_joint: int
    worst_time: float
    max_morph: float


@dataclass(frozen=True, slots=True)
class Truth:
    """What a clip should look like at the times where error is measured.

    Attributes:
        times: float64 ``[time]`` [s], increasing.
        model: float64 ``[time, joint, 12]``.
        morphs: float64 ``[time, morph]``.
    """

    times: np.ndarray
    model: np.ndarray
    morphs: np.ndarray


class ClipMeasure:
    """Measures candidates for one clip; what the clip should look like is evaluated once.

    Args:
        curves: The source.
        parent: int32 ``[joint]``.
        duration: [s].
        size: Longest side of the box around the rest pose, in its own units.
    """

    def __init__(self, curves: ClipCurves, parent: np.ndarray, duration: float, size: float) -> None:
        self._curves = curves
        self._parent = parent
        self._duration = duration
        self._size = size
        self._radius = SHELL_M * size / SIZE_M
        self._mm_per_unit = 1000.0 * SIZE_M / size
        times = error_times(curves, duration)
        step = max(1, CHUNK_FLOATS // max(1, 12 * len(parent)))
        self._chunks = [self._truth(times[start : start + step]) for start in range(0, len(times), step)]
        self._sketch = [_every(truth, SKETCH_STRIDE) for truth in self._chunks]
        self._moving = self._moving_joints()

    @property
    def sample_count(self) -> int:
        """Number of (time, joint) pairs that are looked at."""
        return sum(len(truth.times) for truth in self._chunks) * len(self._parent)

    @property
    def units_per_mm(self) -> float:
        """Model units per millimetre of a character of 2 m."""
        return 1.0 / self._mm_per_unit

    def rough_p99_mm(self, frames: ClipFrames, packed: PackedFrames | None = None) -> float:
        """Return the 99th percentile of the error at a part of the times: enough to refuse a rate."""
        parts = [self._chunk_error(truth, frames, packed)[0] for truth in self._sketch]
        return self._percentile(np.concatenate(parts))

    def p99_mm(self, frames: ClipFrames, packed: PackedFrames | None = None) -> float:
        """Return the 99th percentile of the error."""
        parts = [self._chunk_error(truth, frames, packed)[0] for truth in self._chunks]
        return self._percentile(np.concatenate(parts))

    def error(self, frames: ClipFrames, packed: PackedFrames | None = None) -> ClipError:
        """Return the error of baked frames, or of their packed form."""
        pairs = [self._chunk_error(truth, frames, packed) for truth in self._chunks]
        distances = np.concatenate([distance for distance, _ in pairs])
        peak, joint, time = self._peak(distances, frames, packed)
        return ClipError(
            max_mm=peak * self._mm_per_unit * BETWEEN_TIMES,
            p99_mm=self._percentile(distances),
            rms_mm=float(np.sqrt(np.mean(distances[:, self._moving] ** 2))) * self._mm_per_unit,
            worst_joint=joint,
            worst_time=time,
            max_morph=max(morph for _, morph in pairs) * BETWEEN_TIMES,
        )

    def _percentile(self, distances: np.ndarray) -> float:
        return float(np.percentile(distances[:, self._moving], 99)) * self._mm_per_unit

    def _peak(self, distances: np.ndarray, frames: ClipFrames, packed: PackedFrames | None) -> tuple[float, int, float]:
        """Return the largest distance, its joint and its time, looking closer around the worst times."""
        times = np.concatenate([truth.times for truth in self._chunks])
        worst = np.argsort(distances.max(axis=1))[-WORST_COUNT:]
        before, after = times[np.maximum(worst - 1, 0)], times[np.minimum(worst + 1, len(times) - 1)]
        closer = np.unique(np.linspace(before, after, REFINED_COUNT))
        refined, _ = self._chunk_error(self._truth(closer), frames, packed)
        distances, times = np.concatenate([distances, refined]), np.concatenate([times, closer])
        time, joint = np.unravel_index(int(distances.argmax()), distances.shape)
        return float(distances[time, joint]), int(joint), float(times[time])

    def _truth(self, times: np.ndarray) -> Truth:
        from skelter.baking.curves_kernels import model_matrices_kernel

        local, morphs = self._curves.sample(times)
        model = np.empty((len(times), len(self._parent), 12))
        model_matrices_kernel(local, self._parent, np.empty(12), model)
        return Truth(times, model, morphs)

    def _moving_joints(self) -> np.ndarray:
        """Return which joints move, bool ``[joint]``; all of them if none does."""
        low = np.min([truth.model.min(axis=0) for truth in self._chunks], axis=0)
        high = np.max([truth.model.max(axis=0) for truth in self._chunks], axis=0)
        reach = np.maximum(np.abs(low), np.abs(high)).reshape(-1, 3, 4)
        reach[:, :, :3] = reach[:, :, :3].max(axis=(1, 2), keepdims=True)
        reach[:, :, 3] = np.maximum(reach[:, :, 3], self._size)
        moving: np.ndarray = ((high - low) > STILL * reach.reshape(high.shape)).any(axis=1)
        return moving if moving.any() else ~moving

    def reach(self, scale: np.ndarray) -> Reach:
        """Return how far channels move points.

        Args:
            scale: float64 ``[joint, 3]``: scales of the joints.
        """
        model = np.concatenate([truth.model for truth in self._chunks])
        model = model[:: max(len(model) // REACH_COUNT, 1)].reshape(-1, len(self._parent), 3, 4)
        return _reach(model, self._parent, self._radius, scale[: len(self._parent)])

    def _chunk_error(self, truth: Truth, frames: ClipFrames, packed: PackedFrames | None) -> tuple[np.ndarray, float]:
        from skelter.baking.curves_kernels import shell_error_kernel

        model, morphs = play(frames, self._duration, self._parent, truth.times, packed)
        distance = np.empty(model.shape[:2])
        shell_error_kernel(truth.model, model, self._radius, distance)
        if frames.morphs.size == 0:
            return distance, 0.0
        return distance, float(np.abs(morphs - truth.morphs).max(initial=0.0))


def _every(truth: Truth, stride: int) -> Truth:
    """Return every so-manieth time, as contiguous arrays."""
    model, morphs = np.ascontiguousarray(truth.model[::stride]), np.ascontiguousarray(truth.morphs[::stride])
    return Truth(np.ascontiguousarray(truth.times[::stride]), model, morphs)


def error_times(curves: ClipCurves, duration: float) -> np.ndarray:
    """Return the times where error is looked for, float64 ``[time]`` [s], increasing."""
    most = max(SAMPLE_COUNT_MAX // (3 * max(curves.joint_count, 1)), 100)
    count = int(min(duration * GRID_RATE, most)) + 2
    grid = (np.arange(count) + np.arange(count) * GOLDEN % 1.0) * duration / count
    bends = curves.key_times[:: len(curves.key_times) // most + 1]
    jumps = curves.step_times[:: len(curves.step_times) // most + 1]
    return np.unique(np.clip(np.concatenate([[0.0, duration], grid, bends, jumps - STEP_MARGIN]), 0.0, duration))


def _reach(model: np.ndarray, parent: np.ndarray, radius: float, scale: np.ndarray) -> Reach:
    """Return how far channels move points.

    A turn by a small angle moves a point by the angle times its distance; a quaternion changes by half the angle.

    Args:
        model: float64 ``[time, joint, 3, 4]``.
        parent: int32 ``[joint]``.
        radius: Distance of points around a joint.
        scale: float64 ``[joint, 3]``.
    """
    count = len(parent)
    place = model[..., 3]
    far = np.full(place.shape[:2], radius)
    below = np.ones(count)
    total, square = place.copy(), (place**2).sum(axis=-1)
    for joint in range(count - 1, 0, -1):
        above = parent[joint]
        if above >= 0:
            far[:, above] = np.maximum(
                far[:, above], far[:, joint] + np.linalg.norm(place[:, joint] - place[:, above], axis=-1)
            )
            below[above] += below[joint]
            total[:, above] += total[:, joint]
            square[:, above] += square[:, joint]
    moment = square - 2.0 * (place * total).sum(axis=-1) + below * (place**2).sum(axis=-1)
    turned = np.sqrt((np.maximum(moment, 0.0).mean(axis=0) + below * radius**2) / count)
    lengths = np.linalg.norm(model[..., :3], axis=-2).max(axis=(0, 2))
    carried = np.where(parent < 0, 1.0, lengths[np.maximum(parent, 0)])
    grown = np.maximum(np.abs(scale), 1e-6)

    def columns(turns: np.ndarray, moves: np.ndarray) -> np.ndarray:
        return np.concatenate(
            [np.repeat(2.0 * turns[:, None], 4, axis=1), np.repeat(moves[:, None], 3, axis=1), turns[:, None] / grown],
            axis=1,
        )

    spare = ((0, -count % LANE_COUNT), (0, 0))
    peak, mean = columns(far.max(axis=0), carried), columns(turned, carried * np.sqrt(below / count))
    return Reach(np.pad(peak, spare), np.pad(mean, spare))
