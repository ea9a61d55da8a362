"""Pack a clip as small as the tolerance allows: widths are tried, and their error is measured."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from skelter.baking.frames import ClipFrames
from skelter.baking.measure import ClipMeasure
from skelter.baking.pack import PackedFrames, Plan, pack_frames, unpacked_poses
from skelter.baking.plan import Planner, make_planner
from skelter.core.arrays import CHANNEL_COUNT, IDENTITY_CHANNELS, LANE_COUNT

COARSEST, FINEST = 3.0, -9.0
"""Steps that are tried, as parts of the tolerance: powers of two."""
HALVINGS = 6
TRIES_MAX = 200
"""Most plans of a clip whose error is measured to make single rows narrower."""
SAMPLES_MAX = 25_000_000
"""Most (time, joint) pairs that are looked at for that."""


@dataclass(frozen=True, slots=True)
class Fitter:
    """Packs one clip.

    Attributes:
        frames: Its frames.
        deltas: The same frames as deltas, if it is additive.
        measure: What measures its error.
        poses: What is packed, float32 ``[frame, block, 10, 16]``.
        ground: What it differs from, float32 ``[block, 10, 16]``.
        held: bool ``[block, 10, 16]``: channels that hold their frame.
        planner: What makes plans.
        limit_mm: 99th percentile of the error that is allowed.
    """

    frames: ClipFrames
    deltas: ClipFrames | None
    measure: ClipMeasure
    poses: np.ndarray
    ground: np.ndarray
    held: np.ndarray
    planner: Planner
    limit_mm: float

    def fit(self) -> PackedFrames | None:
        """Return the smallest form that was found, or None if none holds the tolerance."""
        low, high = FINEST, COARSEST
        plan = self.planner.plan(2.0**low)
        best = self._packed(plan)
        if self._error(best) > self.limit_mm:
            return None
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            tried = self.planner.plan(2.0**middle)
            packed = self._packed(tried)
            if self._error(packed) <= self.limit_mm:
                low, plan, best = middle, tried, packed
            else:
                high = middle
        return self._narrowed(plan, best)

    def _narrowed(self, plan: Plan, best: PackedFrames) -> PackedFrames:
        """Take bits away from rows, first where that costs least, while it holds the tolerance."""
        tries, tries_max = 0, min(TRIES_MAX, SAMPLES_MAX // self.measure.sample_count)
        while tries + 2 * len(plan.widths) <= tries_max:
            wide = [row for row, width in enumerate(plan.widths) if width]
            costs = {row: self._error(self._packed(narrower(plan, row))) for row in wide}
            rows = sorted((row for row, cost in costs.items() if cost <= self.limit_mm), key=lambda row: costs[row])
            tries += len(costs) + len(rows)
            if not rows:
                break
            for row in rows:
                packed = self._packed(narrower(plan, row))
                if self._error(packed) <= self.limit_mm:
                    plan, best = narrower(plan, row), packed
        return best

    def _packed(self, plan: Plan) -> PackedFrames:
        return PackedFrames(pack_frames(self.poses, self.ground, self.held, plan), self.ground, self.deltas)

    def _error(self, packed: PackedFrames) -> float:
        """Return the 99th percentile of the error; of a part of the times if that is too large already."""
        rough = self.measure.rough_p99_mm(self.frames, packed)
        return rough if rough > 1.05 * self.limit_mm else self.measure.p99_mm(self.frames, packed)


def narrower(plan: Plan, row: int) -> Plan:
    """Return a plan with a bit less in one row."""
    widths = (*plan.widths[:row], plan.widths[row] - 1, *plan.widths[row + 1 :])
    return dataclasses.replace(plan, widths=widths)


def make_fitter(
    frames: ClipFrames, deltas: ClipFrames | None, measure: ClipMeasure, rest: np.ndarray, limit_mm: float
) -> Fitter:
    """Prepare to pack a clip.

    Args:
        frames: Its frames.
        deltas: The same frames as deltas, if it is additive.
        measure: What measures its error.
        rest: The rest pose, float32 ``[block, 10, 16]``.
        limit_mm: 99th percentile of the error that is allowed.
    """
    stored = frames if deltas is None else deltas
    poses = unpacked_poses(stored)
    ground = rest if deltas is None else np.broadcast_to(np.array(IDENTITY_CHANNELS, np.float32)[:, None], rest.shape)
    ground = np.ascontiguousarray(ground)
    reach = measure.reach(np.abs(_scales(unpacked_poses(frames))))
    planner = make_planner(poses, ground, reach, limit_mm * measure.units_per_mm)
    return Fitter(frames, deltas, measure, poses, ground, _held(stored), planner, limit_mm)


def _scales(poses: np.ndarray) -> np.ndarray:
    """Return the largest scales of each joint, spare lanes too, float32 ``[joint, 3]``."""
    return np.swapaxes(np.abs(poses[:, :, 7:]).max(axis=0), -1, -2).reshape(-1, 3)


def _held(frames: ClipFrames) -> np.ndarray:
    """Return the channels that hold their frame, bool ``[block, 10, 16]``."""
    held = np.zeros((frames.base.size // LANE_COUNT, LANE_COUNT), bool)
    lanes = np.arange(LANE_COUNT, dtype=np.uint32)
    held[frames.row_offset // LANE_COUNT] = (frames.row_hold[:, None] >> lanes) & 1
    return held.reshape(-1, CHANNEL_COUNT, LANE_COUNT)
