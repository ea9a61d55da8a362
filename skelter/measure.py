"""How long a call takes."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import NamedTuple

MEASURE_S = 0.3
"""A call is repeated until this much time is spent [s] ..."""

REPEAT_MIN, REPEAT_MAX = 7, 10_000
"""... but at least and at most this often."""

Work = Callable[[], object]


class Spent(NamedTuple):
    """Median, fastest and slowest call [s]."""

    median: float
    fastest: float
    slowest: float


def measure(work: Work) -> Spent:
    """Call something again and again for a moment, after once in vain; return how long it took."""
    work()
    seconds: list[float] = []
    while len(seconds) < REPEAT_MIN or (sum(seconds) < MEASURE_S and len(seconds) < REPEAT_MAX):
        begin = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - begin)
    return Spent(statistics.median(seconds), min(seconds), max(seconds))
