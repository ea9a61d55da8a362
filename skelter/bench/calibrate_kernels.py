"""Kernel: a known number of multiplications and additions."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from skelter.core.kernel import kernel

ROUNDS = 16
"""Multiplications and additions of each value in a pass."""


@kernel
def multiply_add_kernel(passes, out):
    """Do ``out = out * out + b`` again and again, `ROUNDS` times in each pass, float32 ``[value]``."""
    b = np.float32(-0.5)
    for _ in range(passes):
        for index in range(len(out)):
            value = out[index]
            for _ in range(ROUNDS):
                value = value * value + b
            out[index] = value
