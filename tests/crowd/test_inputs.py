"""What users give a crowd: which characters, and numbers for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from skelter.core.errors import ArgumentError
from skelter.crowd.crowd import Crowd
from skelter.crowd.inputs import char_index, char_indices, char_values, parameter_values
from skelter.graph.compile import compile as compile_graph
from skelter.graph.graph import START, Layer, State, StateGraph, Transition
from skelter.testing.rigs import clock_rig

ALL = np.arange(3)


class TestCharacters:
    @pytest.mark.parametrize(
        "chars", [3, -1, 1.0, [0.0], "0", [[0], [1]], [[0], [1, 2]], [True], [True] * 4, [[True] * 3], [0, 3], object()]
    )
    def test_wrong(self, chars: Any) -> None:
        with pytest.raises(ArgumentError, match="where: "):
            char_indices(chars, 3)

    @pytest.mark.parametrize("char", [None, slice(None), [0], True, 0.0, "0", 3, -1])
    def test_wrong_for_one(self, char: Any) -> None:
        with pytest.raises(ArgumentError, match="char"):
            char_index(char, 3)

    @pytest.mark.parametrize(
        ("chars", "indices"),
        [
            (None, [0, 1, 2]),
            (1, [1]),
            (np.uint8(2), [2]),
            ([], []),
            ([2, 0, 2], [2, 0, 2]),
            (np.array([False, True, True]), [1, 2]),
            (slice(None, None, 2), [0, 2]),
            (slice(5, 9), []),
            (range(1, 3), [1, 2]),
        ],
    )
    def test_indices_are_of_one_type_and_in_one_piece(self, chars: Any, indices: list[int]) -> None:
        """Kernels are compiled for one layout."""
        found = char_indices(chars, 3)
        assert found.tolist() == indices
        assert found.dtype == np.int64
        assert found.flags.c_contiguous
        assert found.flags.writeable

    def test_nobody(self) -> None:
        assert char_indices(None, 0).tolist() == char_indices([], 0).tolist() == []
        with pytest.raises(ArgumentError, match="there are 0"):
            char_indices(0, 0)


class TestNumbers:
    @pytest.mark.parametrize(
        "values", ["1", [1.0, 2.0], [[1.0, 2.0, 3.0]], None, [None] * 3, 1j, [[1], [1, 2]], 10**400]
    )
    def test_wrong(self, values: Any) -> None:
        with pytest.raises(ArgumentError, match="x: expected"):
            char_values(values, ALL, "x")

    def test_the_character_is_named(self) -> None:
        with pytest.raises(ArgumentError, match="x: the value for character 7 is nan; it must be finite"):
            char_values([0.0, np.nan], np.array([4, 7]), "x")

    @pytest.mark.parametrize(
        ("kind", "value", "wanted"),
        [
            ("INTEGER", 0.5, "whole numbers"),
            ("INTEGER", 1e300, r"whole numbers up to 2\*\*53"),
            ("BOOLEAN", 2, "True or False"),
            ("TRIGGER", -1, "True or False"),
        ],
    )
    def test_types_of_parameters(self, kind: str, value: float, wanted: str) -> None:
        message = rf"x: it is of type {kind} and takes {wanted}; the value for character 1"
        with pytest.raises(ArgumentError, match=message):
            parameter_values([0, value, 0], ALL, "x", kind)
        assert parameter_values([0, 1, True], ALL, "x", kind).tolist() == [0.0, 1.0, 1.0]

    @pytest.mark.parametrize(("speed", "message"), [(-1.0, "negative speed"), (1e7, r"is 1e\+07; at most 1e\+06")])
    def test_speeds(self, speed: float, message: str) -> None:
        graph = StateGraph([Layer("Base", [State("idle")], [Transition(START, "idle")])])
        crowd = Crowd(compile_graph(graph, clock_rig({"idle": 1.0})), 2)
        with pytest.raises(ArgumentError, match=rf"speed: the one for character 1 .*{message}"):
            crowd.set_speed([2.0, speed])
        for _ in range(2):
            crowd.step(0.25)
        assert crowd.layer().time.tolist() == [0.25, 0.25]
