"""Blend trees into tables: leaves, groups, neighbours, bands; and what nested ones play."""

from __future__ import annotations

import math

import numpy as np
import pytest

from skelter.crowd.crowd import Crowd
from skelter.graph.compile import compile as compile_graph
from skelter.graph.graph import START, BlendTree, Layer, Leaf, Parameter, State, StateGraph, Transition
from skelter.graph.tables import CHILD, LEAF, PAIR, TREE
from skelter.graph.trees import CLOCK, PHASE, BoundClip, StateTrees, record, state_trees
from skelter.testing.rigs import clock_rig

PARAMETERS = {"x": 0, "y": 1, "z": 2}


def tables(tree: BlendTree | None, *, speed: float = 1.0) -> StateTrees:
    """Return the tables of a state ``S`` whose clips are 0, 1, ... by leaf, and 1 s, 2 s, ... long."""
    state = State("S", speed, tree=tree)
    clips = {path: BoundClip(number, number + 1.0) for number, path in enumerate(state.clip_paths())}
    return state_trees(state, clips, PARAMETERS)


def line(
    name: str, *children: Leaf | BlendTree, sync: bool = True, point: float = 0.0, speed: float = 1.0
) -> BlendTree:
    for place, child in enumerate(children):
        child.point = float(place)
    return BlendTree("1D", ["x"], list(children), sync=sync, name=name, point=point, speed=speed)


def test_an_unknown_field_is_our_mistake() -> None:
    with pytest.raises(AssertionError, match="length"):
        record(LEAF, length=1.0)


def test_a_plain_state_is_one_leaf_on_a_clock() -> None:
    found = tables(None, speed=-3.0)
    assert np.array(found.leaves, LEAF).tolist() == [(1.0, 1.0, 0, 0)]
    assert found.groups == [CLOCK]
    assert found.trees == found.children == found.pairs == []


class TestNesting:
    def test_leaves_are_depth_first_and_trees_parents_first(self) -> None:
        inner = line("inner", Leaf("b"), Leaf("c"))
        middle = line("middle", inner, Leaf("d"))
        found = tables(line("", Leaf("a"), middle, Leaf("e"), line("last", Leaf("f"))))
        children = np.array(found.children, CHILD)
        assert children["leaf"].tolist() == [0, -1, 4, -1, -1, 3, 5, 1, 2]
        assert children["tree"].tolist() == [-1, 1, -1, 2, 3, -1, -1, -1, -1]
        trees = np.array(found.trees, TREE)
        assert trees["child_start"].tolist() == [0, 4, 6, 7]
        assert trees["child_stop"].tolist() == [4, 6, 7, 9]
        assert np.array(found.leaves, LEAF)["clip"].tolist() == [0, 1, 2, 3, 4, 5]

    def test_speeds_multiply_below_the_state(self) -> None:
        nested = line("n", Leaf("a", speed=-2.0), line("m", Leaf("b", speed=3.0), speed=0.5), speed=4.0)
        found = tables(line("", nested, Leaf("c", speed=7.0)), speed=100.0)
        assert np.array(found.leaves, LEAF)["speed"].tolist() == [-8.0, 6.0, 7.0]

    def test_one_tree_may_be_used_in_many_places(self) -> None:
        shared = line("shared", Leaf("a"), Leaf("b"))
        left, right = (line(name, shared, point=point) for point, name in enumerate("kl"))
        last = line("m", Leaf("c"), line("n", Leaf("d")), point=2.0)
        root = BlendTree("1D", ["x"], [left, right, last])
        graph = StateGraph([Layer("L", [State("S", tree=root)], [Transition(START, "S")])], [Parameter("x")])
        clips = {"S.k.shared.a": 0, "S.k.shared.b": 0, "S.l.shared.a": 1, "S.l.shared.b": 1, "S.m.c": 2, "S.m.n.d": 3}
        rig = clock_rig({f"clip{number}": 1.0 for number in range(4)})
        crowd = Crowd(compile_graph(graph, rig, {path: f"clip{clip}" for path, clip in clips.items()}))
        for x, clip in ((0.0, 0), (1.0, 1), (2.0, 3)):
            crowd.set("x", x)
            crowd.step(0.1)
            assert crowd.playback.clip[0, : crowd.playback.layer_start[0, 1]].tolist() == [clip]

    def test_depth_and_breadth_have_no_cost_but_size(self) -> None:
        tree = line("deep30", Leaf("leaf"))
        for depth in reversed(range(30)):
            tree = line(f"deep{depth}", tree, *(Leaf(f"leaf{number}") for number in range(100)))
        found = tables(tree)
        assert len(found.leaves) == 3001
        assert len(found.trees) == 31


class TestGroups:
    @pytest.mark.parametrize(
        ("root", "nested", "inner", "groups", "of_leaves"),
        [
            (True, True, True, [PHASE], [0, 0, 0]),
            (False, False, False, [CLOCK], [0, 0, 0]),
            (True, False, False, [PHASE, CLOCK], [0, 1, 1]),
            (True, False, True, [PHASE, CLOCK, PHASE], [0, 1, 2]),
            (True, True, False, [PHASE, CLOCK], [0, 0, 1]),
            (False, True, True, [CLOCK, PHASE], [0, 1, 1]),
            (False, True, False, [CLOCK, PHASE], [0, 1, 0]),
            (False, False, True, [CLOCK, PHASE], [0, 0, 1]),
        ],
    )
    def test_trees_in_step_have_a_phase_and_all_others_share_the_clock(
        self, root: bool, nested: bool, inner: bool, groups: list[int], of_leaves: list[int]
    ) -> None:
        below = line("n", Leaf("b"), line("m", Leaf("c"), sync=inner), sync=nested)
        found = tables(line("", Leaf("a"), below, sync=root))
        assert found.groups == groups
        assert np.array(found.leaves, LEAF)["group"].tolist() == of_leaves

    def test_brothers_in_step_have_a_phase_each(self) -> None:
        found = tables(line("", line("m", Leaf("a")), line("n", Leaf("b")), sync=False))
        assert found.groups == [CLOCK, PHASE, PHASE]
        assert np.array(found.leaves, LEAF)["group"].tolist() == [1, 2]


class TestChildren:
    def test_neighbours_on_a_line(self) -> None:
        tree = BlendTree("1D", ["y"], [Leaf("c", 2.0), Leaf("a", -1.0), Leaf("b", 0.5), Leaf("d", 2.0)])
        children = np.array(tables(tree).children, CHILD)
        assert children["left"].tolist() == [0.5, -math.inf, -1.0, 0.5]
        assert children["right"].tolist() == [math.inf, 0.5, 2.0, math.inf]
        assert children["share"].tolist() == [0.5, 1.0, 1.0, 0.5]
        assert np.array(tables(tree).trees, TREE)["x_parameter"].tolist() == [1]

    def test_direct_ones_have_a_parameter_each(self) -> None:
        tree = BlendTree("DIRECT", ["z", "x"], [Leaf("a"), Leaf("b")])
        assert np.array(tables(tree).children, CHILD)["parameter"].tolist() == [2, 0]

    def test_a_ring_is_sorted_by_angle_and_of_length_1(self) -> None:
        points = [(0.0, -2.0), (0.0, 3.0), (4.0, 0.0), (-1.0, 0.0)]
        tree = BlendTree("2D_SIMPLE_DIRECTIONAL", ["x", "y"], [Leaf(f"l{i}", point) for i, point in enumerate(points)])
        found = tables(tree)
        children = np.array(found.children, CHILD)
        assert children["leaf"].tolist() == [0, 2, 1, 3]
        np.testing.assert_allclose(np.hypot(children["x"], children["y"]), 1.0, atol=1e-15)
        assert np.array(found.trees, TREE)["front"].tolist() == [2]

    def test_bands_of_coincident_children_are_nothing(self) -> None:
        leaves = [Leaf("a", (1.0, 0.0)), Leaf("b", (1.0, 0.0)), Leaf("c", (0.0, 0.0))]
        for kind in ("2D_CARTESIAN", "2D_DIRECTIONAL"):
            pairs = np.array(tables(BlendTree(kind, ["x", "y"], leaves)).pairs, PAIR).reshape(3, 3)  # type: ignore[arg-type]
            assert pairs[0, 1].tolist() == pairs[0, 0].tolist() == (0.0, 0.0, 0.0)
            assert all(math.isfinite(value) for pair in pairs.ravel().tolist() for value in pair)
