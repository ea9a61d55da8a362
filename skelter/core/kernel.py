"""The one decorator for Numba kernels.

Kernels live in files called ``*_kernels.py``; only those import this module, and only when something is computed, so
that ``import skelter`` loads no Numba. Compiled code is cached on disk in a folder named after the content of all
kernel files: Numba does not see a change in a kernel that another cached kernel calls.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
import platformdirs
from numba.core import config

_lock = threading.Lock()

Function = Callable[..., Any]
"""Kernels are not annotated: Numba compiles them once for each set of types that they are called with."""

# Everything of `fastmath` but `nnan` and `ninf`: a non-finite value must stay visible to the checks.
FASTMATH = frozenset({"nsz", "arcp", "contract", "afn", "reassoc"})


_NOT_FROM_PYTHON = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def kernel(function: Function) -> Function:
    """Compile a function as a kernel: no GIL, cached on disk, NumPy's error model, `FASTMATH`.

    A kernel takes constants, then inputs, then scalars, then ``out_*`` arrays. It returns nothing, allocates nothing
    and raises nothing; shapes are checked where buffers are bound. Allocating is an error of the compiler: references
    to arrays are not counted, which for slices of small blocks would take longer than the arithmetic. Assigning one
    slice to another may allocate, too; write a loop.
    """
    return _compile(function, fastmath=set(FASTMATH), _nrt=False)


def kernel_part(function: Function) -> Function:
    """Compile a function that kernels call and Python does not, as a kernel whose code is put where it is called.

    Passing a bundle of arrays would otherwise take longer than what most of these functions do, and compiling the
    wrappers for calls from Python longer than compiling the functions.
    """
    return _compile(function, fastmath=set(FASTMATH), _nrt=False, forceinline=True, **_NOT_FROM_PYTHON)


def exact_kernel(function: Function) -> Function:
    """Compile a kernel whose floating point follows the source text: for float64 references and integer code."""
    return _compile(function, fastmath=False, _nrt=False)


def exact_part(function: Function) -> Function:
    """Compile a function that exact kernels call and Python does not, as one whose code is put where it is called."""
    return _compile(function, fastmath=False, _nrt=False, forceinline=True, **_NOT_FROM_PYTHON)


def exact_routine(function: Function) -> Function:
    """Compile a function that exact kernels call and Python does not, and whose code is there once.

    A call that passes bundles of arrays takes some 15 ns, so this is for what is done now and then; putting its code
    wherever it is called would make compiling slow.
    """
    return _compile(function, fastmath=False, _nrt=False, **_NOT_FROM_PYTHON)


def _compile(function: Function, fastmath: set[str] | bool, **options: bool) -> Function:
    folder = cache_folder()
    with _lock:
        before = config.CACHE_DIR
        config.CACHE_DIR = folder
        try:
            compiled = numba.njit(nogil=True, cache=bool(folder), error_model="numpy", fastmath=fastmath, **options)(
                function
            )
        finally:
            config.CACHE_DIR = before
    return compiled


@cache
def cache_folder() -> str:
    """Return the folder for compiled kernels, or an empty string when no folder can be written."""
    root = os.environ.get("NUMBA_CACHE_DIR") or os.path.join(platformdirs.user_cache_dir("skelter"), "kernels")
    folder = Path(root) / f"skelter-{_kernel_digest()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:
        return ""
    return str(folder)


CONSTANTS = (
    "core/kernel.py",
    "core/arrays.py",
    "core/playback.py",
    "graph/tables.py",
    "graph/verdict.py",
    "rig/packed.py",
)
"""Files besides those of kernels whose names are compiled into kernels as constants, or as layouts of records."""


def _kernel_digest() -> str:
    """Hash every kernel file of the package, the constants that they are compiled with, and the version of Numba."""
    package = Path(__file__).resolve().parent.parent
    digest = hashlib.blake2b(numba.__version__.encode(), digest_size=8)
    for path in sorted([*(package / name for name in CONSTANTS), *package.rglob("*_kernels.py")]):
        digest.update(path.read_bytes())
    return digest.hexdigest()
