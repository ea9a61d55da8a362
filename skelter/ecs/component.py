"""Components: what a column of a table holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import EllipsisType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from skelter.core.errors import ArgumentError, WorldError

Values = ArrayLike | EllipsisType
"""Values of a component; ``...`` is its default."""
KINDS = {"b": "booleans", "u": "whole numbers", "i": "whole numbers", "f": "numbers", "V": "records", "U": "text"}
"""What arrays of a kind of dtype hold, in words."""

RESERVED = ("world", "dt", "entities", "count", "handles", "table", "self")
"""Names that are parameters already."""
LENGTH_MAX = 1 << 20
"""Longest axis of a row."""


@dataclass(frozen=True, slots=True)
class Component:
    """What a column holds.

    Attributes:
        name: Its name.
        dtype: Dtype of an element; records are fine, objects are not.
        shape: Shape of a row; None where each table has a length of its own.
        default: Row of entities that are given nothing else; None if ``shape`` has a None.
        stage: Stage of a frame that writes it; `diff` of two runs reports stages in the order of their declaration.
        axes: What the axes of a row are, such as ``layer``; tables name what lies along them.
    """

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int | None, ...]
    default: np.ndarray | None
    stage: str = "data"
    axes: tuple[str, ...] = ()

    def row(self, value: ArrayLike) -> np.ndarray:
        """Return a value as a row of this component, which says what the None of its shape are.

        Raises:
            ArgumentError: It does not fit.
        """
        array = cast(value, self.dtype, self.name)
        if array.ndim != len(self.shape) or any(
            want not in (None, have) for have, want in zip(array.shape, self.shape, strict=True)
        ):
            raise ArgumentError(f"{self.name}: expected a row of shape {shown(self.shape)}, got {shown(array.shape)}")
        return array


def declare(
    name: str,
    dtype: DTypeLike,
    shape: Sequence[int | None] | int,
    default: ArrayLike | None,
    stage: str,
    axes: Sequence[str],
) -> Component:
    """Return a component; raise ArgumentError if an argument makes no sense."""
    if not isinstance(name, str) or not all(part.isidentifier() for part in name.split(".")):
        raise ArgumentError(f"name: expected a name such as 'health', got {name!r}")
    try:
        kind = np.dtype(dtype)
    except TypeError as error:
        raise ArgumentError(f"{name}: {dtype!r} is no dtype of NumPy") from error
    if kind.hasobject:
        raise ArgumentError(f"{name}: columns hold numbers, booleans, text or records of them, no Python objects")
    if name in RESERVED:
        raise ArgumentError(f"name: {name!r} means something else in systems or in world.spawn; use another one")
    if kind.subdtype is not None or kind.itemsize == 0:
        raise ArgumentError(f"{name}: expected a dtype of single elements with a size, got {dtype!r}; use shape")
    lengths = _lengths(name, shape)
    blank = Component(name, kind, lengths, None, stage, tuple(axes))
    if None in lengths:
        return blank
    row = np.zeros(tuple(length or 0 for length in lengths), kind)
    value = row if default is None else cast(default, kind, f"{name}: default")
    try:
        row[...] = value
    except ValueError as error:
        raise ArgumentError(
            f"{name}: expected a default of shape {shown(lengths)}, got {shown(value.shape)}"
        ) from error
    row.flags.writeable = False
    return Component(name, kind, lengths, row, stage, tuple(axes))


def _lengths(name: str, shape: Any) -> tuple[int | None, ...]:
    given = (shape,) if isinstance(shape, int | np.integer) else shape
    if not isinstance(given, tuple | list) or not all(
        length is None
        or (isinstance(length, int | np.integer) and not isinstance(length, bool) and 0 <= length <= LENGTH_MAX)
        for length in given
    ):
        raise ArgumentError(f"{name}: expected a shape such as (3,), got {shape!r}")
    return tuple(None if length is None else int(length) for length in given)


def check_same(known: Component, again: Component) -> None:
    """Raise WorldError if a component is declared again as something else."""
    for what, before, now in (("dtype", known.dtype, again.dtype), ("shape", known.shape, again.shape)):
        if before != now:
            raise WorldError(
                f"component {known.name!r} is declared already, with {what} {shown(before)}, not {shown(now)};"
                " use another name"
            )


def cast(value: ArrayLike, dtype: np.dtype[Any], name: str) -> np.ndarray:
    """Return values as an array of a dtype, if nothing but precision is lost.

    Python numbers and arrays of numbers become any kind of number that holds them; booleans and text stay what they
    are; records fit records of the same fields.

    Raises:
        ArgumentError: They are of another kind, too large, or fractions where whole numbers are expected.
    """
    try:
        given = np.asarray(value)
    except ValueError as error:  # rows of different lengths
        raise ArgumentError(
            f"{name}: expected an array of dtype {shown(dtype)}, got rows of different lengths"
        ) from error
    if given.dtype == dtype:
        return given
    if not _fits(given, dtype):
        raise ArgumentError(
            f"{name}: expected {KINDS.get(dtype.kind, 'values')} of dtype {shown(dtype)}, got {shown(given.dtype)}"
        )
    with np.errstate(over="ignore"):
        cast_values = given.astype(dtype)
    if dtype.kind == "f" and given.dtype.kind == "f" and (np.isfinite(given) > np.isfinite(cast_values)).any():
        raise ArgumentError(f"{name}: expected values that dtype {dtype} can hold, got {given.min()} to {given.max()}")
    if dtype.kind in "US" and not np.array_equal(cast_values, given):
        raise ArgumentError(
            f"{name}: expected text that dtype {dtype} can hold, got up to {np.char.str_len(given).max()} letters"
        )
    if dtype.kind in "iu" and given.size and not np.array_equal(cast_values, given):
        raise ArgumentError(f"{name}: expected values that dtype {dtype} can hold, got {given.min()} to {given.max()}")
    return cast_values


def fitting(name: str, values: ArrayLike, dtype: np.dtype[Any], count: int, shape: tuple[int, ...]) -> np.ndarray:
    """Return values, one row for all or one per entity, as ``[count, *shape]``; raise ArgumentError if that fails."""
    array = cast(values, dtype, name)
    if array.shape not in (shape, (count, *shape)):
        raise ArgumentError(
            f"{name}: expected shape {shown(shape)} for all, or {shown((count, *shape))} for {count} entities, got"
            f" {shown(array.shape)}"
        )
    return array if array.shape == (count, *shape) else np.broadcast_to(array, (count, *shape))


def _fits(given: np.ndarray, dtype: np.dtype[Any]) -> bool:
    kinds = {"f": "iuf", "c": "iufc", "i": "iu", "u": "iu", "b": "b", "U": "U", "S": "S"}
    if given.shape == (0,) and given.dtype == np.float64 and dtype.names is None:  # an empty list
        return True
    if dtype.kind == "V":
        return (
            given.dtype.names is not None
            and given.dtype.names == dtype.names
            and all(
                given.dtype[name].shape == dtype[name].shape
                and _fits(np.empty(0, given.dtype[name].base), dtype[name].base)
                for name in dtype.names
            )
        )
    return given.dtype.kind in kinds.get(dtype.kind, dtype.kind)


def shown(value: Any) -> str:
    """Return a shape or dtype in few words."""
    if isinstance(value, np.dtype):
        return f"{{{', '.join(value.names)}}}" if value.names else str(value)
    return "[" + ", ".join("any" if length is None else str(length) for length in value) + "]"
