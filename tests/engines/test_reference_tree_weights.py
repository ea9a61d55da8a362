"""Weights of blend trees, against closed forms."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skelter.engines.reference.tree_weights import tree_weights
from skelter.graph.graph import BlendTree, Leaf, Outside, Point, TreeType

CARDINAL = [(0.0, 1.0), (0.0, -1.0), (-1.0, 0.0), (1.0, 0.0)]
STAR = [(0.0, 0.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)]
TRIANGLE = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)]
PLANAR: list[TreeType] = ["2D_CARTESIAN", "2D_DIRECTIONAL", "2D_SIMPLE_DIRECTIONAL"]


def weights(kind: TreeType, points: list[Point], *inputs: float, outside: Outside = "clamp") -> list[float]:
    names = [f"p{i}" for i in range(len(inputs))]
    children: list[Leaf | BlendTree] = [Leaf(f"leaf{i}", point) for i, point in enumerate(points)]
    return tree_weights(BlendTree(kind, names, children, outside=outside), dict(zip(names, inputs, strict=True)))


class TestOneDimension:
    @pytest.mark.parametrize(
        ("x", "expected"),
        [(0.0, [1, 0, 0]), (0.25, [0.75, 0.25, 0]), (1.0, [0, 1, 0]), (2.5, [0, 0.25, 0.75]), (3.0, [0, 0, 1])],
    )
    def test_between_two_neighbours(self, x: float, expected: list[float]) -> None:
        assert weights("1D", [0.0, 1.0, 3.0], x) == expected

    def test_children_in_any_order(self) -> None:
        assert weights("1D", [3.0, 0.0, 1.0], 0.25) == [0, 0.75, 0.25]

    @pytest.mark.parametrize(("x", "expected"), [(-9.0, [1, 0]), (9.0, [0, 1])])
    def test_the_end_child_plays_outside(self, x: float, expected: list[float]) -> None:
        assert weights("1D", [0.0, 1.0], x) == expected

    @pytest.mark.parametrize(("x", "expected"), [(-0.1, [0, 0]), (0.0, [1, 0]), (1.0, [0, 1]), (1.1, [0, 0])])
    def test_nothing_plays_outside(self, x: float, expected: list[float]) -> None:
        assert weights("1D", [0.0, 1.0], x, outside="none") == expected

    def test_coincident_children_share(self) -> None:
        assert weights("1D", [0.0, 1.0, 1.0], 0.5) == [0.5, 0.25, 0.25]
        assert weights("1D", [2.0, 2.0], 7.0) == [0.5, 0.5]

    def test_only_child(self) -> None:
        assert weights("1D", [2.0], -5.0) == [1.0]


class TestCartesian:
    def test_corners_of_a_triangle(self) -> None:
        for corner, point in enumerate(TRIANGLE):
            assert weights("2D_CARTESIAN", TRIANGLE, *point) == [float(i == corner) for i in range(3)]

    def test_middle_of_the_long_side(self) -> None:  # every h is 1/2: the corner's two bands are half way there
        assert weights("2D_CARTESIAN", TRIANGLE, 0.5, 0.5) == pytest.approx([1 / 3, 1 / 3, 1 / 3])

    def test_middle_of_a_short_side(self) -> None:
        assert weights("2D_CARTESIAN", TRIANGLE, 0.5, 0.0) == pytest.approx([0.5, 0.5, 0])

    def test_inside(self) -> None:  # h_0 = min(.75, .75), h_1 = min(.25, 1 - (.75+.25)/2), h_2 alike
        assert weights("2D_CARTESIAN", TRIANGLE, 0.25, 0.25) == pytest.approx([0.6, 0.2, 0.2])

    def test_far_outside_the_nearest_play(self) -> None:
        assert weights("2D_CARTESIAN", TRIANGLE, 1e6, 0.0) == [0, 1, 0]

    def test_coincident_children_share(self) -> None:
        assert weights("2D_CARTESIAN", [(0.0, 0.0), (1.0, 0.0), (1.0, 0.0)], 0.5, 0.0) == [0.5, 0.25, 0.25]


class TestDirectional:
    def test_on_the_points(self) -> None:
        for corner, point in enumerate(STAR):
            assert weights("2D_DIRECTIONAL", STAR, *point) == pytest.approx([float(i == corner) for i in range(5)])

    def test_half_way_in_angle(self) -> None:
        diagonal = math.sqrt(0.5)
        assert weights("2D_DIRECTIONAL", CARDINAL, diagonal, diagonal) == pytest.approx([0.5, 0, 0, 0.5])

    def test_half_way_in_length(self) -> None:
        assert weights("2D_DIRECTIONAL", [(0.0, 1.0), (0.0, 3.0)], 0.0, 2.0) == pytest.approx([0.5, 0.5])

    @pytest.mark.parametrize("sign", [(1, 1), (-1, 1), (-1, -1), (1, -1)])
    def test_every_quadrant_is_alike(self, sign: tuple[int, int]) -> None:
        found = weights("2D_DIRECTIONAL", STAR, 0.5 * sign[0], 0.5 * sign[1])
        corner = STAR.index((float(sign[0]), float(sign[1])))
        assert found == pytest.approx([0.5 if i in (0, corner) else 0.0 for i in range(5)])

    def test_third_quadrant_mirrors_the_first(self) -> None:
        first, third = weights("2D_DIRECTIONAL", STAR, 0.7, 0.2), weights("2D_DIRECTIONAL", STAR, -0.7, -0.2)
        assert third == pytest.approx([first[0], first[3], first[4], first[1], first[2]])

    def test_the_origin_is_neutral(self) -> None:
        assert weights("2D_DIRECTIONAL", STAR, 0.0, 0.0) == [1, 0, 0, 0, 0]
        assert weights("2D_DIRECTIONAL", CARDINAL, 0.0, 0.0) == pytest.approx([0.25] * 4)

    def test_far_outside(self) -> None:
        assert weights("2D_DIRECTIONAL", [(0.0, 0.0), (0.0, 1.0)], 0.0, 1e9) == [0, 1]
        assert weights("2D_DIRECTIONAL", [(0.0, 1.0), (0.1, 2.0), (-0.1, 2.0)], 50.0, -80.0) == [0, 1, 0]


class TestSimpleDirectional:
    def test_45_degrees_is_half_of_two_neighbours(self) -> None:
        assert weights("2D_SIMPLE_DIRECTIONAL", CARDINAL, 3.0, 3.0) == pytest.approx([0.5, 0, 0, 0.5])

    def test_normalised_components(self) -> None:
        assert weights("2D_SIMPLE_DIRECTIONAL", CARDINAL, -0.8, -0.6) == pytest.approx([0, 0.6 / 1.4, 0.8 / 1.4, 0])

    @pytest.mark.parametrize("length", [0.0, 5e-5])
    def test_no_direction_is_the_front(self, length: float) -> None:
        assert weights("2D_SIMPLE_DIRECTIONAL", CARDINAL[::-1], length, 0.0) == [0, 0, 0, 1]

    def test_the_length_does_not_count(self) -> None:
        near = weights("2D_SIMPLE_DIRECTIONAL", CARDINAL, 0.003, 0.001)
        assert near == pytest.approx(weights("2D_SIMPLE_DIRECTIONAL", CARDINAL, 300.0, 100.0))

    def test_eight_points(self) -> None:
        ring = [(math.sin(i * math.pi / 4), math.cos(i * math.pi / 4)) for i in range(8)]
        found = weights("2D_SIMPLE_DIRECTIONAL", list(ring), math.sin(math.pi / 8), math.cos(math.pi / 8))
        assert found == pytest.approx([0.5, 0.5, 0, 0, 0, 0, 0, 0])

    def test_continuous_over_a_whole_turn(self) -> None:
        turn = [math.tau * i / 3600 for i in range(3601)]
        found = [weights("2D_SIMPLE_DIRECTIONAL", CARDINAL, math.sin(a), math.cos(a)) for a in turn]
        leaps = [max(abs(b - a) for a, b in zip(*pair, strict=True)) for pair in itertools.pairwise(found)]
        assert max(leaps) < 2 * math.tau / 3600

    def test_two_opposite_points_interpolate_the_angle(self) -> None:
        found = weights("2D_SIMPLE_DIRECTIONAL", [(0.0, 1.0), (0.0, -1.0)], 1.0, 1.0)
        assert found == pytest.approx([0.75, 0.25])


class TestDirect:
    def test_parts_of_the_sum(self) -> None:
        assert weights("DIRECT", [None, None, None], 1.0, -5.0, 3.0) == [0.25, 0, 0.75]

    def test_nothing(self) -> None:
        assert weights("DIRECT", [None, None], 0.0, -1.0) == [0, 0]


numbers = st.integers(-10_000, 10_000).map(lambda number: number / 1000)


@given(st.sampled_from(PLANAR), st.lists(st.tuples(numbers, numbers), min_size=1, max_size=8), numbers, numbers)
def test_planar_weights_sum_to_one(kind: TreeType, points: list[tuple[float, float]], x: float, y: float) -> None:
    found = weights(kind, list(points), x, y)
    assert all(0.0 <= weight <= 1.0 for weight in found)
    assert sum(found) == pytest.approx(1.0)


@given(st.lists(numbers, min_size=1, max_size=8), numbers)
def test_weights_in_one_dimension_give_the_parameter_back(points: list[float], x: float) -> None:
    found = weights("1D", list(points), x)
    inside = min(max(x, min(points)), max(points))
    assert sum(found) == pytest.approx(1.0)
    assert sum(w * p for w, p in zip(found, points, strict=True)) == pytest.approx(inside, abs=1e-9)
