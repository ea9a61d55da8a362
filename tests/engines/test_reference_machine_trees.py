"""The reference machine: where the leaves of a state stand, and what they weigh."""

from __future__ import annotations

from typing import Any

import pytest

from skelter.engines.reference.graph_clips import GraphClip
from skelter.engines.reference.machine import Machine
from skelter.graph.graph import BlendTree, Layer, Leaf, Parameter, Point, State, StateGraph, Transition

DT = 0.125
PARAMETERS = [Parameter(name, "FLOAT") for name in ("x", "y", "z")]


def leaf(name: str, point: Point = None, speed: float = 1.0) -> Leaf:
    return Leaf(name, point, speed)


def line(*children: Leaf | BlendTree, parameter: str = "x", **options: Any) -> BlendTree:
    return BlendTree("1D", [parameter], list(children), **options)


def direct(*children: Leaf | BlendTree, **options: Any) -> BlendTree:
    return BlendTree("DIRECT", ["x", "y", "z"][: len(children)], list(children), **options)


def machine(tree: BlendTree | None, durations: dict[str, float | None], **options: Any) -> Machine:
    """A layer of the state S with a tree, and the state T with a clip of 1 s."""
    states = [State("S", tree=tree, **options), State("T")]
    graph = StateGraph([Layer("Base", states, [Transition("START", "S")])], PARAMETERS)
    clips = {path: None if time is None else GraphClip(path, time) for path, time in durations.items()}
    return Machine(graph, {"T": GraphClip("t", 1.0), **clips})


def step(machine: Machine, count: int = 1, dt: float = DT, **values: float) -> None:
    for name, value in values.items():
        machine.set(name, value)
    for _ in range(count):
        machine.step(dt)


def times(machine: Machine) -> dict[str, float]:
    return {entry.path: entry.time for entry in machine.layers[0].contributions()}


def weights(machine: Machine) -> dict[str, float]:
    return {entry.path: entry.weight for entry in machine.layers[0].contributions()}


WALK_RUN = {"S.Walk": 2.0, "S.Run": 1.0}


def walk_run(**options: Any) -> BlendTree:
    return line(leaf("Walk", 0.0), leaf("Run", 1.0), **options)


class TestSync:
    def test_half_of_one_second_and_half_of_two_take_one_and_a_half(self) -> None:
        it = machine(walk_run(), WALK_RUN)
        step(it, 1, x=0.5, dt=0.75)
        assert times(it) == {"S.Walk": 1.0, "S.Run": 0.5}
        step(it, 1, dt=0.75)
        assert times(it) == {"S.Walk": 2.0, "S.Run": 1.0}
        assert (it.layers[0].time, it.layers[0].progress) == (0.5, 0.5)  # cycles; a step behind

    def test_children_without_weight_keep_the_phase(self) -> None:
        it = machine(walk_run(), WALK_RUN)
        step(it, 3, x=1.0)
        assert times(it) == {"S.Run": 3 * DT}
        step(it, 1, x=0.0)
        assert times(it) == {"S.Walk": (3 * DT + DT / 2) * 2.0}

    def test_speeds_of_children(self) -> None:
        tree = direct(leaf("A", speed=2.0), leaf("B", speed=-1.0), leaf("C", speed=0.0))
        it = machine(tree, {"S.A": 1.0, "S.B": 1.0, "S.C": 5.0})
        step(it, 1, x=1.0, y=1.0, z=2.0)  # mean of 1/2 s and 1 s: 4/3 cycles a second
        phase = DT * 4 / 3
        assert times(it) == pytest.approx({"S.A": phase, "S.B": 1.0 - phase, "S.C": 0.0})

    def test_only_children_that_stand_still(self) -> None:
        it = machine(direct(leaf("A", speed=0.0)), {"S.A": 1.0})
        step(it, 5, x=1.0)
        assert (times(it), it.layers[0].time) == ({"S.A": 0.0}, 0.0)

    def test_an_empty_clip_does_not_count_in_the_mean(self) -> None:
        it = machine(walk_run(), {"S.Walk": None, "S.Run": 1.0})
        step(it, 1, x=0.5)
        assert [(entry.clip, entry.weight) for entry in it.layers[0].contributions()] == [
            (None, 0.5),
            (GraphClip("S.Run", 1.0), 0.5),
        ]
        assert times(it) == {"S.Walk": 0.0, "S.Run": DT}

    def test_the_end_of_a_tree_is_one_cycle(self) -> None:
        it = machine(walk_run(), WALK_RUN, loop=False)
        step(it, 20, x=0.5)
        assert times(it) == {"S.Walk": 2.0, "S.Run": 1.0}
        assert it.layers[0].progress == 1.0


class TestClock:
    def test_each_plays_at_its_own_speed(self) -> None:
        tree = direct(leaf("A"), leaf("B", speed=2.0), leaf("C", speed=-1.0), sync=False)
        it = machine(tree, {"S.A": 0.5, "S.B": 2.0, "S.C": 1.0})
        step(it, 6, x=1.0, y=1.0, z=1.0)
        assert times(it) == {"S.A": 0.25, "S.B": 1.5, "S.C": 0.25}

    def test_the_longest_play_is_the_end(self) -> None:
        tree = direct(leaf("A"), leaf("B", speed=0.5), sync=False)
        it = machine(tree, {"S.A": 0.5, "S.B": 0.5}, loop=False)
        step(it, 5, x=1.0, y=1.0)
        assert times(it) == {"S.A": 0.5, "S.B": 0.3125}
        step(it, 10)
        assert (times(it), it.layers[0].time) == ({"S.A": 0.5, "S.B": 0.5}, 1.0)

    def test_an_offset_is_of_the_longest_clip(self) -> None:
        it = machine(direct(leaf("A"), leaf("B"), sync=False), {"S.A": 1.0, "S.B": 2.0})
        step(it, 1, x=1.0, y=1.0)
        it.layers[0].transition("S", 0.0, 0.25)
        step(it)
        assert times(it) == {"S.A": 0.5 + DT, "S.B": 0.5 + DT}


class TestStateSpeed:
    def test_plain_clip_backwards(self) -> None:
        it = machine(None, {"S": 1.0}, speed=-1.0)
        step(it, 3)
        assert (times(it), it.layers[0].time) == ({"S": 1.0 - 3 * DT}, 2 * DT)
        step(it, 6)
        assert times(it) == {"S": 1.0 - DT}

    def test_plain_clip_backwards_stops_at_its_beginning(self) -> None:
        it = machine(None, {"S": 1.0}, speed=-2.0, loop=False)
        step(it, 9)
        assert (times(it), it.layers[0].progress) == ({"S": 0.0}, 1.0)

    def test_tree_backwards(self) -> None:
        it = machine(walk_run(), WALK_RUN, speed=-1.0)
        step(it, 1, x=0.5, dt=0.375)
        assert times(it) == {"S.Walk": 1.5, "S.Run": 0.75}

    def test_an_offset_comes_before_the_end(self) -> None:
        it = machine(None, {"S": 1.0}, speed=-1.0)
        it.layers[0].transition("S", 0.0, 0.5)
        step(it)
        assert times(it) == {"S": 0.5 - DT}

    def test_standing_still(self) -> None:
        it = machine(None, {"S": 1.0}, speed=0.0)
        step(it, 5)
        assert (times(it), it.layers[0].progress) == ({"S": 0.0}, 0.0)


class TestNested:
    def test_weights_multiply(self) -> None:
        inner = line(leaf("C", 0.0), leaf("D", 1.0), parameter="y", name="N", point=1.0)
        it = machine(line(leaf("A", 0.0), inner), {"S.A": 1.0, "S.N.C": 1.0, "S.N.D": 1.0})
        step(it, 1, x=0.75, y=0.5)
        assert weights(it) == {"S.A": 0.25, "S.N.C": 0.375, "S.N.D": 0.375}

    def test_one_phase_through_all_trees_with_sync(self) -> None:
        inner = line(leaf("C", 0.0), leaf("D", 1.0), parameter="y", name="N", point=1.0, speed=2.0)
        it = machine(line(leaf("A", 0.0), inner), {"S.A": 1.0, "S.N.C": 1.0, "S.N.D": 2.0})
        step(it, 1, x=0.5, y=0.5)  # 1/2 * 1 s + 1/4 * 1/2 s + 1/4 * 1 s
        phase = DT / 0.875
        assert times(it) == pytest.approx({"S.A": phase, "S.N.C": phase, "S.N.D": 2 * phase})

    def test_a_tree_without_sync_goes_by_the_clock(self) -> None:
        inner = line(leaf("C", 0.0), leaf("D", 1.0), parameter="y", name="N", point=1.0, sync=False)
        it = machine(line(leaf("A", 0.0), inner), {"S.A": 0.5, "S.N.C": 1.0, "S.N.D": 2.0})
        step(it, 1, x=0.5, y=0.5)
        assert times(it) == {"S.A": DT, "S.N.C": DT, "S.N.D": DT}

    def test_a_tree_with_sync_below_one_without_is_a_group_of_its_own(self) -> None:
        inner = line(leaf("C", 0.0), leaf("D", 1.0), parameter="y", name="N", point=1.0)
        it = machine(line(leaf("A", 0.0), inner, sync=False), {"S.A": 1.0, "S.N.C": 1.0, "S.N.D": 2.0})
        step(it, 1, x=0.5, y=0.5)
        assert times(it) == pytest.approx({"S.A": DT, "S.N.C": DT / 1.5, "S.N.D": 2 * DT / 1.5})
        step(it, 1, x=0.0)  # nobody in the group weighs anything: equal parts of 1 s and 2 s
        step(it, 1, x=1.0)
        assert times(it) == pytest.approx({"S.N.C": 3 * DT / 1.5, "S.N.D": 6 * DT / 1.5})


class TestFallback:
    def test_hold_keeps_the_last_weights_and_the_pose(self) -> None:
        it = machine(walk_run(outside="none"), WALK_RUN)
        step(it, 2, x=0.5)
        before = it.layers[0].contributions()
        step(it, 3, x=7.0)
        assert it.layers[0].contributions() == before
        assert it.layers[0].time == pytest.approx(4 * DT / 1.5)  # goes on
        it.layers[0].transition("S")
        step(it, 1)  # a new stay has none yet
        assert (weights(it), times(it)) == ({"S.Walk": 0.5, "S.Run": 0.5}, {"S.Walk": 0.0, "S.Run": 0.0})

    def test_hold_of_a_nested_tree_does_not_stop_the_state(self) -> None:
        inner = line(leaf("C", 0.0), leaf("D", 1.0), parameter="y", name="N", point=1.0, outside="none")
        it = machine(line(leaf("A", 0.0), inner), {"S.A": 1.0, "S.N.C": 1.0, "S.N.D": 1.0})
        step(it, 1, x=0.5, y=0.0)
        step(it, 1, y=-1.0)
        assert (weights(it), times(it)) == ({"S.A": 0.5, "S.N.C": 0.5}, {"S.A": 2 * DT, "S.N.C": 2 * DT})

    def test_equal(self) -> None:
        it = machine(direct(leaf("A"), leaf("B"), fallback="equal"), {"S.A": 1.0, "S.B": 2.0})
        step(it, 2)
        assert weights(it) == {"S.A": 0.5, "S.B": 0.5}
        assert times(it) == pytest.approx({"S.A": 2 * DT / 1.5, "S.B": 4 * DT / 1.5})

    def test_rest(self) -> None:
        inner = direct(leaf("C"), leaf("D"), fallback="rest", name="N", point=1.0)
        inner.parameters = ["y", "z"]
        it = machine(line(leaf("A", 0.0), inner), {"S.A": 1.0, "S.N.C": 1.0, "S.N.D": 1.0})
        step(it, 1, x=0.25)
        found = [(entry.path, entry.clip is None, entry.weight) for entry in it.layers[0].contributions()]
        assert found == [("S.A", False, 0.75), ("S.N", True, 0.25)]

    def test_weights_are_live_in_a_fade(self) -> None:
        it = machine(walk_run(), WALK_RUN)
        step(it, 2, x=0.0)
        it.layers[0].transition("T", 4 * DT)
        step(it, 1, x=1.0)
        assert weights(it) == {"S.Run": 0.75, "T": 0.25}
