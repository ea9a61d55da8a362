"""What this machine can do at all, so that rows of different machines can be compared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skelter.measure import measure

COPY_BYTES = 64 << 20
"""Far more than any cache holds."""
VALUE_COUNT = 4096
"""Few enough for the first cache."""
PASSES = 200


@dataclass(frozen=True, slots=True)
class Calibration:
    """Speed of one core.

    Attributes:
        memcpy_gb_s: Bytes that are copied in memory [GB/s].
        fma_gflop_s: float32 multiplications and additions that are fused [GFLOP/s], two for each.
    """

    memcpy_gb_s: float
    fma_gflop_s: float


def calibrate() -> Calibration:
    """Measure this machine."""
    from skelter.bench.calibrate_kernels import ROUNDS, multiply_add_kernel

    source, target = np.ones(COPY_BYTES, np.uint8), np.empty(COPY_BYTES, np.uint8)
    values = np.ones(VALUE_COUNT, np.float32)
    copy = measure(lambda: np.copyto(target, source)).median
    work = measure(lambda: multiply_add_kernel(PASSES, values)).median
    return Calibration(round(COPY_BYTES / copy / 1e9, 2), round(2.0 * ROUNDS * VALUE_COUNT * PASSES / work / 1e9, 2))
