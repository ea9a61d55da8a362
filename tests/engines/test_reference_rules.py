"""The reference machine by PlayCanvas's rules; poses by these rules are tested with those of the cpu engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from skelter.core.errors import ArgumentError
from skelter.engines.reference.graph_clips import GraphClip
from skelter.engines.reference.machine import Machine
from skelter.graph.controller import Rules
from skelter.graph.graph import BlendTree, Condition, Layer, Leaf, Parameter, State, StateGraph, Transition

DT = 0.125
"""A step that floats add up exactly."""
BOTH: tuple[Rules, Rules] = ("skelter", "playcanvas")


def make(
    states: Sequence[State], ways: Sequence[Transition], rules: Rules, clips: dict[str, float], **options: Any
) -> Any:
    graph = StateGraph([Layer("Base", list(states), list(ways))], [Parameter("go", "BOOLEAN"), Parameter("x")])
    bound = {path: GraphClip(path, duration) for path, duration in clips.items()}
    return Machine(graph, bound, rules=rules, **options)


def single(speed: float, rules: Rules, loop: bool = True) -> Machine:
    """Return a machine that has played a clip of 1 s for four steps and the one that enters it."""
    machine = make([State("A", speed, loop)], [Transition("START", "A")], rules, {"A": 1.0})
    for _ in range(5):
        machine.step(DT)
    return machine  # type: ignore[no-any-return]


class TestInvalid:
    def test_unknown_rules(self) -> None:
        with pytest.raises(ArgumentError, match=r"rules 'unity'.*playcanvas"):
            make([State("A")], [Transition("START", "A")], "unity", {"A": 1.0})  # type: ignore[arg-type]

    def test_exact_timing(self) -> None:
        with pytest.raises(ArgumentError, match="go by frames"):
            make([State("A")], [Transition("START", "A")], "playcanvas", {"A": 1.0}, timing="exact")


class TestProgress:
    @pytest.mark.parametrize("speed", [0.5, 1.0, 2.0, -1.5, 0.0])
    def test_counts_the_speed_twice(self, speed: float) -> None:
        assert single(speed, "skelter").layers[0].progress == abs(speed) * 4 * DT
        assert single(speed, "playcanvas").layers[0].progress == speed * speed * 4 * DT

    def test_counts_the_speed_of_a_tree_once(self) -> None:
        tree = BlendTree("1D", ["x"], [Leaf("L", 0.0), Leaf("M", 1.0)])
        for rules in BOTH:
            machine = make([State("A", 2.0, tree=tree)], [Transition("START", "A")], rules, {"A.L": 1.0, "A.M": 2.0})
            for _ in range(3):
                machine.step(DT)
            assert machine.layers[0].progress == 2 * 2 * DT

    def test_half_speed_never_reaches_exit_time_1(self) -> None:
        for rules, expected in zip(BOTH, ("B", "A"), strict=True):
            ways = [Transition("START", "A"), Transition("A", "B", exit_time=1.0)]
            machine = make([State("A", 0.5, loop=False), State("B")], ways, rules, {"A": 1.0, "B": 1.0})
            for _ in range(100):
                machine.step(DT)
            assert machine.layers[0].active == expected

    def test_a_state_that_plays_backwards_never_ends(self) -> None:
        for rules, expected in zip(BOTH, (1.0, 24 * DT), strict=True):
            machine = single(-1.0, rules, loop=False)
            for _ in range(20):
                machine.step(DT)
            layer = machine.layers[0]
            assert layer.progress == expected
            assert [entry.time for entry in layer.contributions()] == [0.0]


class TestExitTimes:
    def test_the_end_of_a_loop_hides_one(self) -> None:
        for rules, expected in zip(BOTH, ("B", "A"), strict=True):
            ways = [Transition("START", "A"), Transition("A", "B", exit_time=0.95)]
            machine = make([State("A"), State("B")], ways, rules, {"A": 1.0, "B": 1.0})
            for _ in range(6):
                machine.step(0.1875)  # from 0.9375 to 1.125 in the last one
            machine.step(0.1875)
            assert machine.layers[0].active == expected

    def test_those_of_the_previous_state_wait_for_the_active_one(self) -> None:
        for rules, expected in zip(BOTH, ("C", "B"), strict=True):
            ways = [
                Transition("START", "A"),
                Transition("A", "B", time=2.0, conditions=[Condition("go")], interruption="PREV_STATE"),
                Transition("A", "C", exit_time=0.5),
            ]
            states = [State(name) for name in "ABC"]
            machine = make(states, ways, rules, {"A": 1.0, "B": 4.0, "C": 1.0})
            machine.step(DT)
            machine.step(DT)
            machine.set("go", True)
            for _ in range(5):
                machine.step(DT)
            assert machine.layers[0].active == expected


class TestOrder:
    def tree(self) -> State:
        return State("A", tree=BlendTree("DIRECT", ["x", "x"], [Leaf("L"), Leaf("M")], sync=False))

    def test_clips_come_in_the_order_of_binding(self) -> None:
        for rules, expected in zip(BOTH, (["A.L", "A.M"], ["A.M", "A.L"]), strict=True):
            machine = make([self.tree()], [Transition("START", "A")], rules, {"A.M": 2.0, "A.L": 1.0})
            machine.set("x", 1.0)
            machine.step(DT)
            assert [entry.path for entry in machine.layers[0].contributions()] == expected

    def test_the_first_that_is_bound_measures_progress(self) -> None:
        for rules, expected in zip(BOTH, (DT, DT / 2), strict=True):
            machine = make([self.tree()], [Transition("START", "A")], rules, {"A.M": 2.0, "A.L": 1.0})
            machine.step(DT)
            machine.step(DT)
            assert machine.layers[0].progress == expected


class TestWeightFades:
    def test_without_length_does_nothing(self) -> None:
        for rules, expected in zip(BOTH, (0.25, 1.0), strict=True):
            machine = single(1.0, rules)
            machine.layers[0].blend_to_weight(0.25, 0.0)
            machine.step(DT)
            assert machine.layers[0].weight == expected

    def test_without_length_ends_a_running_one(self) -> None:
        machine = single(1.0, "playcanvas")
        machine.layers[0].blend_to_weight(0.0, 1.0)
        machine.step(DT)
        machine.step(DT)
        machine.layers[0].blend_to_weight(0.5, 0.0)
        machine.step(DT)
        assert machine.layers[0].weight == 1.0 - DT
