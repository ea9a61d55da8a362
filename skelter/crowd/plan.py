"""Plans: how often characters advance, so that a crowd stays within a budget of time."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from skelter.core.errors import WorldError

if TYPE_CHECKING:
    from skelter.crowd.crowd import Crowd

INTERVALS = (1, 2, 4, 8, 16, 32, 64)
"""Intervals that a plan gives [steps]."""
SPARSE = 4
"""Characters are measured with one in so many of them advancing."""
REST = INTERVALS[-1] + 1
"""Stands for nobody advancing."""
NEAREST_M = 1e-3
"""Nothing is nearer than this."""
REPEAT_COUNT = 7
STEP_S = 1.0 / 60.0
SEARCH_COUNT = 60


@dataclass(frozen=True, slots=True)
class PlanBand:
    """Characters with the same interval.

    Attributes:
        interval: They advance in one of so many steps.
        count: How many characters.
        nearest, farthest: Their distances from the viewpoint [m].
    """

    interval: int
    count: int
    nearest: float
    farthest: float


@dataclass(frozen=True, slots=True)
class Plan:
    """What a plan does to a crowd, and what it gives up.

    Attributes:
        budget_ms: Time that a step with its matrices may take [ms].
        measured_ms: What it took with every character in every step, on this machine.
        expected_ms: What it takes by the plan.
        step_us: Time of a character that advances [us], of which ``pose_us`` is for its pose and matrices.
        fixed_us: Time of a step in which nobody advances [us].
        bands: Intervals, the nearest characters first.
    """

    budget_ms: float
    measured_ms: float
    expected_ms: float
    step_us: float
    pose_us: float
    fixed_us: float
    bands: tuple[PlanBand, ...]

    @property
    def fits(self) -> bool:
        """Whether the plan stays within the budget; if not, all characters have the longest interval."""
        return self.expected_ms <= self.budget_ms

    def __str__(self) -> str:
        verdict = "within" if self.fits else "NOT within"
        lines = [
            f"{self.measured_ms:.2f} ms a step measured, {self.expected_ms:.2f} ms expected, {verdict} the budget of"
            f" {self.budget_ms:g} ms"
        ]
        for band in self.bands:
            given_up = f"poses up to {band.interval - 1} steps old" if band.interval > 1 else "nothing given up"
            lines.append(
                f"  {band.count} characters from {band.nearest:.1f} to {band.farthest:.1f} m advance in"
                f" {'every step' if band.interval == 1 else f'one of {band.interval} steps'}: {given_up}"
            )
        return "\n".join(lines)


def make_plan(crowd: Crowd, budget_ms: float, viewpoint: np.ndarray) -> Plan:
    """Measure a crowd, and set the intervals of its characters by their distance; the crowd is as before otherwise."""
    if crowd.world._recording is not None:
        raise WorldError("plan: the world is being recorded, and the steps of a measurement are none of its own")
    costs = _measure(crowd)
    distance = np.maximum(np.linalg.norm(crowd.position - viewpoint, axis=1), NEAREST_M)
    cost = np.where(crowd.visible, costs.step_us, costs.step_us - costs.pose_us)
    interval = _intervals(distance, cost, budget_ms * 1000.0 - costs.fixed_us, costs.whole_us - costs.fixed_us)
    crowd.set_interval(interval)
    everybody = bool((interval == 1).all())
    expected = costs.whole_us if everybody else costs.fixed_us + float((cost / interval).sum())
    bands = tuple(
        PlanBand(
            number,
            int((interval == number).sum()),
            float(distance[interval == number].min()),
            float(distance[interval == number].max()),
        )
        for number in INTERVALS
        if (interval == number).any()
    )
    return Plan(
        budget_ms,
        costs.whole_us / 1000.0,
        expected / 1000.0,
        costs.step_us,
        costs.pose_us,
        costs.fixed_us,
        bands,
    )


@dataclass(frozen=True, slots=True)
class _Costs:
    fixed_us: float
    step_us: float
    pose_us: float
    whole_us: float


def _measure(crowd: Crowd) -> _Costs:
    """Return what characters take; the crowd is put back afterwards."""
    before = crowd.world.snapshot()
    count = max(len(crowd), 1)
    try:
        crowd.visible = True
        times = {interval: _times(crowd, interval) for interval in (1, SPARSE, REST)}
    finally:
        crowd.world.restore(before)
    fixed = times[REST].step + times[REST].pose
    share = SPARSE / count  # characters far apart in memory take longer than all in a row
    step, pose = max(times[SPARSE].step - times[REST].step, 0.0), max(times[SPARSE].pose - times[REST].pose, 0.0)
    return _Costs(fixed, (step + pose) * share, pose * share, times[1].step + times[1].pose)


@dataclass(frozen=True, slots=True)
class _Times:
    step: float
    pose: float


def _times(crowd: Crowd, interval: int) -> _Times:
    """Return how long a step takes, and the matrices after it [us], when one in so many characters advances."""
    crowd.set_interval(min(interval, INTERVALS[-1]))
    steps, poses = [], []
    for _ in range(REPEAT_COUNT + 1):
        if interval == REST:  # nobody's turn
            crowd.column("turn")[:] = 1 - crowd.world.step_count % INTERVALS[-1]
        begin = time.perf_counter()
        crowd.world.step(STEP_S)
        middle = time.perf_counter()
        _ = crowd.skinning_matrices
        steps.append(middle - begin)
        poses.append(time.perf_counter() - middle)
    return _Times(statistics.median(steps[1:]) * 1e6, statistics.median(poses[1:]) * 1e6)


def _intervals(distance: np.ndarray, cost: np.ndarray, budget_us: float, whole_us: float) -> np.ndarray:
    """Return intervals that grow with the distance, as short as the budget allows, int64 ``[char]``."""
    if whole_us <= budget_us:
        return np.ones(len(distance), np.int64)
    low, high = NEAREST_M / (2 * INTERVALS[-1]), max(float(distance.max(initial=0.0)), NEAREST_M)
    for _ in range(SEARCH_COUNT):
        middle = np.sqrt(low * high)
        if (cost / _by_distance(distance, middle)).sum() <= budget_us:
            low = middle
        else:
            high = middle
    return _by_distance(distance, low)


def _by_distance(distance: np.ndarray, reach: float) -> np.ndarray:
    """Return the interval of each character: 1 up to a reach, and doubled with each doubling of the distance."""
    doublings = np.ceil(np.log2(np.maximum(distance / reach, 1.0))).astype(np.int64)
    longest: np.ndarray = np.minimum(1 << np.minimum(doublings, 62), INTERVALS[-1])
    return longest
