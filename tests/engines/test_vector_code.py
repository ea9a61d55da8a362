"""The hot loops of the cpu engine are vector code: a scalar one would be a bug that no result shows."""

from __future__ import annotations

import os
import re
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import pytest

from skelter.core.arrays import AFFINE, BLOCK_SIZE
from skelter.core.vector_kernels import Work
from skelter.skin.palette_kernels import palette_kernel
from skelter.skin.tiles import make_tiles, tile_vertices
from skelter.skin.vertices_kernels import SCRATCH_SIZE, skin_kernel
from skelter.transform.to_model_kernels import matrix_scratch, to_model_kernel


def has_fma() -> bool:
    try:
        return bool(llvm.get_host_cpu_features().get("fma"))
    except RuntimeError:
        return False


def floats(*shape: int) -> np.ndarray:
    return np.ones(shape, np.float32)


def skin_arguments() -> tuple[Any, ...]:
    tiles = make_tiles(np.zeros((16, 4), np.int32), floats(16, 4) / 4)
    vertices = tile_vertices(tiles, floats(16, 3), floats(16, 3))
    work = Work(np.zeros(1, np.int64), 1, 0, 1)
    return tiles, work, floats(1, AFFINE), vertices, floats(SCRATCH_SIZE), floats(1, 48), floats(1, 48)


def arguments(kernel: Any) -> tuple[Any, ...]:
    parents, joints = np.array([-1], np.int32), np.zeros(1, np.int32)
    if kernel is to_model_kernel:
        return floats(1, BLOCK_SIZE), parents, 0, 1, matrix_scratch(1), floats(1, AFFINE)
    if kernel is palette_kernel:
        return floats(1, AFFINE), joints, floats(AFFINE), 0, 1, floats(1, AFFINE)
    return skin_arguments()


@pytest.mark.skipif(bool(os.environ.get("NUMBA_BOUNDSCHECK")), reason="checked indices are no vector code")
@pytest.mark.skipif(not has_fma(), reason="the instructions that are looked for are those of x86 with FMA")
@pytest.mark.parametrize(
    "kernel", [to_model_kernel, palette_kernel, skin_kernel], ids=lambda kernel: str(kernel.__name__)
)
def test_products_are_packed(kernel: Any) -> None:
    compiled = type(kernel)(kernel.py_func, targetoptions=kernel.targetoptions)  # anew: the cache keeps no assembly
    compiled(*arguments(kernel))
    (text,) = compiled.inspect_asm().values()
    packed, scalar = (len(re.findall(rf"\bvfn?m(?:add|sub)\d+{kind}\b", text)) for kind in ("ps", "ss"))
    assert packed >= 6
    assert scalar < packed / 2
