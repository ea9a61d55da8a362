"""How long a call takes."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

MEASURE_S = 0.3
"""A call is repeated until this much time is spent [s] ..."""

REPEAT_MIN, REPEAT_MAX = 5, 10_000
"""... but at least and at most this often."""

Work = Callable[[], object]


def measure(work: Work) -> tuple[float, float, float]:
    """Call something again and again for a moment, after once in vain.

    Returns:
        Median, fastest and slowest call [s].
    """
    work()
    seconds: list[float] = []
    while len(seconds) < REPEAT_MIN or (sum(seconds) < MEASURE_S and len(seconds) < REPEAT_MAX):
        begin = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - begin)
    return statistics.median(seconds), min(seconds), max(seconds)
