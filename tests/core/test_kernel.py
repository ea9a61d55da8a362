"""The decorator for kernels."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from skelter.core import kernel as module
from skelter.core.kernel import cache_folder, exact_kernel, kernel, kernel_part


def divide(numerator: Any, denominator: Any, out: Any) -> None:
    for index in range(len(out)):
        out[index] = numerator[index] / denominator[index]


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kernels"))
    cache_folder.cache_clear()
    yield tmp_path / "kernels"
    cache_folder.cache_clear()


def test_a_folder_that_cannot_be_made_means_no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file"))
    cache_folder.cache_clear()
    try:
        assert cache_folder() == ""
    finally:
        cache_folder.cache_clear()


def test_the_cache_is_named_after_what_the_kernels_say(own_cache: Path) -> None:
    folder = Path(cache_folder())
    assert folder.parent == own_cache
    assert folder.name == f"skelter-{module._kernel_digest()}"
    assert os.listdir(folder) == []


@pytest.mark.parametrize("decorator", [kernel, exact_kernel])
def test_division_by_zero_follows_numpy(own_cache: Path, decorator: module.Function) -> None:
    out = np.empty(3)
    decorator(divide)(np.array([1.0, -1.0, 0.0]), np.zeros(3), out)
    np.testing.assert_array_equal(out, [np.inf, -np.inf, np.nan])
    assert list(own_cache.rglob("*.nbi"))


def test_kernels_release_the_gil_and_keep_nan() -> None:
    options, exact = (cast(Any, decorator(divide)).targetoptions for decorator in (kernel, exact_kernel))
    assert options["nogil"]
    assert not options["fastmath"] & {"nnan", "ninf", "fast"}
    assert exact["fastmath"] is False


def test_a_kernel_that_allocates_does_not_compile(own_cache: Path) -> None:
    from numba.core.errors import NumbaError

    def allocate(out):  # type: ignore[no-untyped-def]
        out[0] = np.zeros(3).sum()

    for decorator in (kernel, kernel_part):
        with pytest.raises(NumbaError):
            decorator(allocate)(np.empty(1))


def test_parts_of_kernels_give_what_kernels_give(own_cache: Path) -> None:
    part = kernel_part(divide)

    def divide_twice(a, b, out):  # type: ignore[no-untyped-def]
        part(a, b, out)
        part(out, b, out)

    out = np.empty(2)
    kernel(divide_twice)(np.array([8.0, 3.0]), np.array([2.0, 1.0]), out)
    np.testing.assert_array_equal(out, [2.0, 3.0])


def test_whatever_kernels_take_constants_from_is_hashed() -> None:
    package = Path(module.__file__).parent.parent
    imported = set()
    for path in package.rglob("*_kernels.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("skelter."):
                imported.add(f"{str(node.module).removeprefix('skelter.').replace('.', '/')}.py")
    others = {name for name in imported if not name.endswith("_kernels.py")}
    assert others == set(module.CONSTANTS)
