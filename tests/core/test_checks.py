"""Checks of arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from skelter.core.checks import NUMBER_MAX, as_array, check_finite, due_flags, read_only, single_number, usable
from skelter.core.errors import ArgumentError


@pytest.mark.parametrize("value", ["text", {}, [[1], [1, 2]], [1, "x"]])
def test_what_is_no_array_of_numbers_is_refused(value: Any) -> None:
    with pytest.raises(ArgumentError, match=r"^times: expected numbers of dtype float32, got"):
        as_array(value, np.float32, (None,), "times")


@pytest.mark.parametrize("shape", [(3,), (2, 4), (1, 2, 3), ()])
def test_another_shape_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ArgumentError) as error:
        as_array(np.zeros(shape), np.float32, (None, 3), "points")
    assert str(error.value).startswith("points: expected shape [any, 3], got ")


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_value_that_is_not_finite_is_named(bad: float) -> None:
    array = np.zeros((2, 3))
    array[1, 2] = bad
    with pytest.raises(ArgumentError, match=r"^points: the value at \[1, 2\] is -?(nan|inf)"):
        check_finite(array, "points")


def test_an_empty_array_passes() -> None:
    check_finite(np.zeros((0, 3)), "points")
    assert as_array([], np.float32, (None,), "times").shape == (0,)


def test_a_fitting_array_is_not_copied() -> None:
    array = np.zeros((2, 3), np.float32)
    found = as_array(array, np.float32, (None, 3), "points")
    assert np.shares_memory(found, array)
    assert not found.flags.writeable
    assert array.flags.writeable


def test_a_list_becomes_a_contiguous_array() -> None:
    found = as_array(np.zeros((3, 2)).T, np.float32, (2, 3), "points")
    assert found.flags.c_contiguous
    assert found.dtype == np.float32


def test_a_read_only_view_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="read-only"):
        read_only(np.zeros(2))[0] = 1.0


def test_usable_numbers_are_finite_and_can_be_squared() -> None:
    found = usable(np.array([0.0, -NUMBER_MAX, NUMBER_MAX * 1.1, np.nan, np.inf, -np.inf]))
    np.testing.assert_array_equal(found, [True, True, False, False, False, False])
    assert np.isfinite(np.float32(NUMBER_MAX) ** 2)


@pytest.mark.parametrize("value", ["1", b"1", None, [1.0], np.array([1.0]), True, np.nan, np.inf, -0.1, 1.1, 1j])
def test_single_numbers_lie_between_their_bounds(value: Any) -> None:
    with pytest.raises(ArgumentError, match="x: expected a number from 0 to 1 s, got"):
        single_number(value, "x", low=0.0, high=1.0, unit=" s")
    assert single_number(np.float32(0.5), "x", low=0.0, high=1.0) == 0.5


@pytest.mark.parametrize("due", [np.ones(2, np.uint8), np.ones(3), np.ones(3, np.bool_), np.ones((3, 1), np.uint8)])
def test_due_is_a_flag_per_character(due: np.ndarray) -> None:
    with pytest.raises(ArgumentError, match=r"due: expected uint8 \[3\], got"):
        due_flags(due, 3)
    assert due_flags(None, 3).tolist() == [1, 1, 1]
