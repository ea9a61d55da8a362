"""Checks of what users give a crowd: which characters, and a number for each of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skelter.core.checks import shortened
from skelter.core.errors import ArgumentError
from skelter.ecs.component import fitting

CharSelection = int | slice | ArrayLike | None
"""Characters: an index, indices, a mask with one boolean per character, a slice, or None for all."""
WHOLE_MAX = 2.0**53
"""Parameters are float64, which holds every whole number up to here."""


def char_indices(chars: CharSelection, count: int) -> np.ndarray:
    """Return indices of characters, int64 ``[some]``.

    Args:
        chars: The selection.
        count: Number of characters in the crowd.

    Raises:
        ArgumentError: An index is out of range or no whole number, or a mask has another length.
    """
    if chars is None or isinstance(chars, slice):
        return np.arange(count, dtype=np.int64)[chars or slice(None)].copy()
    try:
        given = np.atleast_1d(np.asarray(chars))
    except ValueError:  # rows of different lengths
        given = np.zeros((0, 0))
    if given.dtype == np.bool_ and given.shape == (count,):
        return np.flatnonzero(given)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
        raise ArgumentError(f"where: expected indices below {count} or {count} booleans, got {chars!r}")
    wrong = (given < 0) | (given >= count)
    if wrong.any():
        raise ArgumentError(f"where: there is no character {int(given[wrong][0])}; there are {count}, from 0")
    return given.astype(np.int64)


def char_index(char: int, count: int) -> int:
    """Return the index of a character; raise ArgumentError if there is none."""
    if isinstance(char, bool) or not isinstance(char, int | np.integer):
        raise ArgumentError(f"char: expected the index of a character, got {shortened(char)}")
    return int(char_indices(char, count)[0])


def char_values(values: Any, chars: np.ndarray, name: str) -> np.ndarray:
    """Return one finite float64 for each selected character.

    Args:
        values: One number for all of them, or one for each.
        chars: Their indices.
        name: What the numbers are, for messages.

    Raises:
        ArgumentError: They are no numbers, too few or too many, or not finite; the message names the character.
    """
    try:
        array = np.asarray(values)
    except ValueError:
        array = np.asarray(None)
    if array.dtype.kind not in "fiub":
        raise ArgumentError(f"{name}: expected numbers, got {shortened(values)}")
    if array.ndim > 1 or (array.ndim == 1 and len(array) != len(chars)):
        raise ArgumentError(
            f"{name}: expected one number, or one for each of {len(chars)} characters, got shape {list(array.shape)}"
        )
    numbers = np.broadcast_to(array.astype(np.float64), len(chars))
    finite = np.isfinite(numbers)
    if not finite.all():
        place = int(np.flatnonzero(~finite)[0])
        raise ArgumentError(f"{name}: the value for character {chars[place]} is {numbers[place]}; it must be finite")
    return numbers


def parameter_values(values: Any, chars: np.ndarray, name: str, kind: str) -> np.ndarray:
    """Return values of a parameter as float64 ``[some]`` after checking them against its type.

    Args:
        values: One value for all selected characters, or one for each.
        chars: Their indices.
        name: The parameter.
        kind: ``FLOAT``, ``INTEGER``, ``BOOLEAN`` or ``TRIGGER``.

    Raises:
        ArgumentError: A value does not fit the type; the message names the character.
    """
    numbers = char_values(values, chars, name)
    if kind == "INTEGER":
        huge = np.abs(numbers) > WHOLE_MAX
        wrong, wanted = huge | (numbers != np.floor(numbers)), f"whole numbers{' up to 2**53' if huge.any() else ''}"
    elif kind == "FLOAT":
        return numbers
    else:
        wrong, wanted = (numbers != 0.0) & (numbers != 1.0), "True or False"
    if wrong.any():
        place = int(np.flatnonzero(wrong)[0])
        raise ArgumentError(
            f"{name}: it is of type {kind} and takes {wanted}; the value for character {chars[place]} is"
            f" {numbers[place]:g}"
        )
    return numbers


def column_values(name: str, values: ArrayLike, dtype: np.dtype[Any], count: int) -> np.ndarray:
    """Return values of a column, one for all or one per character.

    Args:
        name: ``position``, ``rotation``, ``scale`` or ``visible``.
        values: What a user gives.
        dtype: Dtype of the column.
        count: Number of characters.

    Raises:
        ArgumentError: They are of another kind or shape, or not finite.
    """
    width = {"position": (3,), "rotation": (4,), "scale": (3,)}.get(name, ())
    array = fitting(name, values, dtype, count, width)
    finite = np.isfinite(np.asarray(values))  # before one row stands for all
    if not finite.all():
        raise ArgumentError(f"{name}: the value at {int(np.argwhere(~finite)[0][0])} is not finite")
    return array
