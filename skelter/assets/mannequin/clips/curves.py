"""Smooth curves over time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from skelter.core.arrays import Fractions, KeyTimes


def loop_phase(duration: float, rate: int) -> tuple[KeyTimes, Fractions]:
    """Return key times [s] and phases in [0, 1) of a loop; the last phase is 0 again: the loop closes exactly."""
    count = round(duration * rate)
    return np.arange(count + 1) * (duration / count), np.arange(count + 1) % count / count


def wave(phase: Fractions, peak: float, harmonic: int = 1) -> Fractions:
    """Return ``cos(2 pi n (phase - peak))``: a wave of n periods a loop, highest at ``peak``."""
    return np.asarray(np.cos(2.0 * np.pi * harmonic * (phase - peak)))


def smooth(value: Fractions) -> Fractions:
    """Return ``6 u^5 - 15 u^4 + 10 u^3`` of a value clamped to [0, 1]: velocity and acceleration are 0 at both ends."""
    u = np.clip(value, 0.0, 1.0)
    return np.asarray(u * u * u * (u * (6.0 * u - 15.0) + 10.0))


def spline(
    knots: Sequence[float] | np.ndarray,
    values: Sequence[float] | np.ndarray,
    at: Fractions,
    slopes: tuple[float, float] = (0.0, 0.0),
) -> Fractions:
    """Return a cubic spline with continuous acceleration and given end slopes.

    The slopes s at the inner knots solve ``s[i-1]/h[i-1] + 2 s[i] (1/h[i-1] + 1/h[i]) + s[i+1]/h[i] =
    3 (d[i-1]/h[i-1] + d[i]/h[i])`` with steps h and difference quotients d.

    Args:
        knots: Increasing, float64 ``[knot]``.
        values: float64 ``[knot]``.
        at: Where the curve is evaluated; clamped to the knots.
        slopes: Slopes at the first and last knot.
    """
    x, y = np.asarray(knots, np.float64), np.asarray(values, np.float64)
    step = np.diff(x)
    quotient = np.diff(y) / step
    slope = _inner_slopes(step, quotient, slopes)
    at = np.clip(at, x[0], x[-1])
    piece = np.clip(np.searchsorted(x, at, side="right") - 1, 0, len(step) - 1)
    u = (at - x[piece]) / step[piece]
    start, end = step[piece] * slope[piece], step[piece] * slope[piece + 1]
    rise = y[piece + 1] - y[piece]
    return np.asarray(y[piece] + u * (start + u * (3.0 * rise - 2.0 * start - end + u * (start + end - 2.0 * rise))))


def _inner_slopes(step: np.ndarray, quotient: np.ndarray, ends: tuple[float, float]) -> np.ndarray:
    count = len(step) + 1
    matrix, right = np.eye(count), np.zeros(count)
    right[[0, -1]] = ends
    for row in range(1, count - 1):
        before, after = 1.0 / step[row - 1], 1.0 / step[row]
        matrix[row, row - 1 : row + 2] = before, 2.0 * (before + after), after
        right[row] = 3.0 * (quotient[row - 1] * before + quotient[row] * after)
    return np.asarray(np.linalg.solve(matrix, right))
