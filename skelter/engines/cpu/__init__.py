"""The cpu engine: Numba kernels on the baked clips."""
