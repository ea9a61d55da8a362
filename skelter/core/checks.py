"""Checks of arguments, done where buffers are bound: a kernel reads whatever it is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from skelter.core.errors import ArgumentError

NUMBER_MAX = 1e18
"""Numbers of characters beyond this are refused: the square of a length must fit float32."""


def usable(array: np.ndarray) -> np.ndarray:
    """Return which numbers can be computed with: finite, and not beyond `NUMBER_MAX`."""
    return np.abs(array) <= NUMBER_MAX


def as_array(value: Any, dtype: type[np.generic], shape: Sequence[int | None], name: str) -> np.ndarray:
    """Return ``value`` as a read-only C-contiguous array of a dtype and shape; it is copied only if it must be.

    Args:
        value: Anything that NumPy turns into an array of numbers.
        dtype: Wanted dtype.
        shape: Wanted shape; None stands for any length.
        name: Name of the argument, for messages.

    Raises:
        ArgumentError: It is no array of numbers, or its shape is another.
    """
    try:
        array = np.ascontiguousarray(value, dtype)
    except (TypeError, ValueError, OverflowError) as error:
        raise ArgumentError(
            f"{name}: expected numbers of dtype {np.dtype(dtype)}, got {type(value).__name__}"
        ) from error
    if len(array.shape) != len(shape) or any(
        want is not None and have != want for have, want in zip(array.shape, shape, strict=True)
    ):
        wanted = ", ".join("any" if want is None else str(want) for want in shape)
        raise ArgumentError(f"{name}: expected shape [{wanted}], got {list(array.shape)}")
    return read_only(array)


def read_only(array: np.ndarray) -> np.ndarray:
    """Return a view that cannot be written.

    To Numba that is a type of its own. If all inputs of kernels are read-only, each kernel is compiled once.
    """
    view = array.view()
    view.flags.writeable = False
    return view


def check_finite(array: np.ndarray, name: str) -> None:
    """Raise ArgumentError that names the first index if an array holds NaN or infinity."""
    finite = np.isfinite(array)
    if not finite.all():
        place = tuple(int(index) for index in np.argwhere(~finite)[0])
        raise ArgumentError(f"{name}: the value at {list(place)} is {array[place]}; it must be finite")


def single_number(value: Any, name: str, *, low: float, high: float, unit: str = "") -> float:
    """Return a number as a float if it lies between two bounds; raise ArgumentError if it does not."""
    try:
        number = float("nan") if isinstance(value, str | bytes | bool) or np.ndim(value) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = float("nan")
    if not low <= number <= high:
        raise ArgumentError(f"{name}: expected a number from {low:g} to {high:g}{unit}, got {shortened(value)}")
    return number


def shortened(value: Any) -> str:
    """Return a value as a message shows it."""
    text = repr(value)
    return text if len(text) < 60 else f"{text[:57]}..."


def due_flags(due: np.ndarray | None, count: int) -> np.ndarray:
    """Return which characters are due, uint8 ``[count]``, read-only; None is all of them.

    Raises:
        ArgumentError: It is no such array.
    """
    if due is None:
        return read_only(np.ones(count, np.uint8))
    if due.dtype != np.uint8 or due.shape != (count,):
        raise ArgumentError(f"due: expected uint8 [{count}], got {due.dtype} {list(due.shape)}")
    return read_only(np.ascontiguousarray(due))
