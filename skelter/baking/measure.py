"""Error of a baked clip: its frames, played by the kernels of the cpu engine, against the source curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from skelter.baking.curves import ClipCurves
from skelter.baking.frames import ClipFrames
from skelter.core.arrays import BLOCK_SIZE
from skelter.core.checks import read_only

if TYPE_CHECKING:
    from skelter.pose.sample_kernels import BankArrays

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

    def rough_p99_mm(self, frames: ClipFrames) -> float:
        """Return the 99th percentile of the error at a part of the times: enough to refuse a rate."""
        return self._percentile(np.concatenate([self._chunk_error(truth, frames)[0] for truth in self._sketch]))

    def error(self, frames: ClipFrames) -> ClipError:
        """Return the error of baked frames."""
        pairs = [self._chunk_error(truth, frames) for truth in self._chunks]
        distances = np.concatenate([distance for distance, _ in pairs])
        peak, joint, time = self._peak(distances, frames)
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

    def _peak(self, distances: np.ndarray, frames: ClipFrames) -> tuple[float, int, float]:
        """Return the largest distance, its joint and its time, looking closer around the worst times."""
        times = np.concatenate([truth.times for truth in self._chunks])
        worst = np.argsort(distances.max(axis=1))[-WORST_COUNT:]
        before, after = times[np.maximum(worst - 1, 0)], times[np.minimum(worst + 1, len(times) - 1)]
        closer = np.unique(np.linspace(before, after, REFINED_COUNT))
        refined, _ = self._chunk_error(self._truth(closer), frames)
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

    def _chunk_error(self, truth: Truth, frames: ClipFrames) -> tuple[np.ndarray, float]:
        from skelter.baking.curves_kernels import shell_error_kernel

        model, morphs = play(frames, self._duration, self._parent, truth.times)
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


def play(frames: ClipFrames, duration: float, parent: np.ndarray, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Play one baked clip with the kernels that the cpu engine uses.

    Args:
        frames: The baked clip.
        duration: [s].
        parent: int32 ``[joint]``.
        times: float64 ``[time]`` [s].

    Returns:
        ``(model_from_joint float32 [time, joint, 12], morph weights float32 [time, morph])``.
    """
    from skelter.pose.sample_kernels import sample_kernel, sample_morphs_kernel
    from skelter.transform.to_model_kernels import matrix_scratch, to_model_kernel

    bank = _single_bank(frames, duration)
    clips, times = read_only(np.zeros(len(times), np.int32)), read_only(times)
    blocks = frames.base.shape[0]
    local = np.empty((len(times), blocks * BLOCK_SIZE), np.float32)
    model = np.empty((len(times), len(parent) * 12), np.float32)
    morphs = np.empty((len(times), frames.morphs.shape[1]), np.float32)
    scratch = matrix_scratch(blocks)
    sample_kernel(bank, clips, times, False, 0, len(times), local)
    to_model_kernel(read_only(local), read_only(parent), 0, len(times), scratch, model)
    if frames.morphs.size:
        sample_morphs_kernel(bank, clips, times, False, 0, len(times), morphs)
    return model.reshape(len(times), len(parent), 12), morphs


def _single_bank(frames: ClipFrames, duration: float) -> BankArrays:
    from skelter.pose.sample_kernels import BankArrays

    arrays = {
        "duration": np.array([duration]),
        "frame_count": np.array([frames.frame_count], np.int32),
        "base": frames.base.reshape(1, -1),
        "row_start": np.array([0, len(frames.row_offset)], np.int32),
        "row_offset": frames.row_offset,
        "quat_row_count": np.array([frames.quat_row_count], np.int32),
        "row_hold": frames.row_hold,
        "data_start": np.zeros(1, np.int64),
        "data": frames.data.reshape(-1),
        "morph_start": np.array([0 if frames.morphs.size else -1], np.int64),
        "morph_data": frames.morphs.reshape(-1),
        "morph_hold": frames.morph_hold.reshape(1, -1),
        "morph_rest": np.zeros(frames.morphs.shape[1], np.float32),
        "keyed": frames.keyed[None],
        "additive": np.zeros(1, np.uint8),
    }
    return BankArrays(**{name: read_only(arrays[name]) for name in BankArrays._fields})
