"""Events of clips: once per crossing, whatever the steps are."""

from __future__ import annotations

from collections import Counter
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skelter.engines.reference.events import EventRecord
from skelter.engines.reference.graph_clips import GraphClip
from skelter.engines.reference.machine import Machine
from skelter.graph.graph import BlendTree, Layer, Leaf, Parameter, State, StateGraph, Transition

DT = 0.125
MARKS = ((0.75, "late", 7), (0.25, "early", None), (0.0, "start", None))
ENDS = (*MARKS, (1.0, "end", None))
Timing = Literal["frame", "exact"]


def machine(events: tuple[tuple[float, str, object], ...] = MARKS, timing: Timing = "frame", **options: Any) -> Machine:
    """The state A with a clip of 1 s that has events, and B with one of 1 s that has its own."""
    states = [State("A", **options), State("B")]
    graph = StateGraph([Layer("Base", states, [Transition("START", "A")], weight=0.5)])
    clips = {"A": GraphClip("a", 1.0, events), "B": GraphClip("b", 1.0, ((0.0, "b", None),))}
    return Machine(graph, clips, timing=timing)


def names(machine: Machine, *steps: float) -> list[list[str]]:
    """Return the names of the events of each step."""
    found = []
    for dt in steps:
        machine.step(dt)
        found.append([event.name for event in machine.events])
    return found


@pytest.mark.parametrize("timing", ["frame", "exact"])
class TestBothTimings:
    def test_record(self, timing: Timing) -> None:
        it = machine(timing=timing)
        it.step(0.5)
        it.step(0.5)
        assert it.events == [EventRecord("Base", "a", "late", 7, 0.75, 0.5)]

    def test_at_the_beginning_of_a_step_and_not_at_its_end(self, timing: Timing) -> None:
        assert names(machine(timing=timing), 0.25, 0.5, 0.25, 0.25) == [["start"], ["early"], ["late"], ["start"]]

    def test_large_steps(self, timing: Timing) -> None:
        assert names(machine(timing=timing), 2.5) == [
            ["start", "early", "late", "start", "early", "late", "start", "early"]
        ]

    def test_no_time(self, timing: Timing) -> None:
        assert names(machine(timing=timing), 0.0, 0.0) == [[], []]

    def test_end_of_a_state_that_does_not_loop(self, timing: Timing) -> None:
        it = machine(ENDS, timing, loop=False)
        assert names(it, 0.5, 0.5, 0.5) == [["start", "early"], ["late", "end"], []]

    def test_backwards(self, timing: Timing) -> None:
        it = machine(timing=timing, speed=-1.0)
        assert names(it, 0.25, 0.5, 0.25, 0.5) == [[], ["late"], ["early", "start"], ["late"]]

    def test_backwards_to_the_beginning(self, timing: Timing) -> None:
        it = machine(ENDS, timing, speed=-1.0, loop=False)
        assert names(it, 0.5, 0.5, 0.5) == [["end", "late"], ["early", "start"], []]

    def test_setting_a_time_fires_nothing(self, timing: Timing) -> None:
        it = machine(timing=timing)
        it.step(0.125)
        it.layers[0].set_time(0.5)
        assert names(it, 0.125) == [[]]

    def test_a_paused_layer_is_silent(self, timing: Timing) -> None:
        it = machine(timing=timing)
        it.step(0.125)
        it.layers[0].pause()
        assert names(it, 1.0) == [[]]


def test_weight_is_that_of_the_entry_and_the_layer() -> None:
    it = machine()
    it.step(DT)
    it.layers[0].transition("B", 8 * DT)
    it.step(2 * DT)
    assert [(event.name, event.weight) for event in it.events] == [("early", 0.75 * 0.5), ("b", 0.25 * 0.5)]


def test_a_layer_without_weight_is_silent() -> None:
    it = machine()
    it.layers[0].weight = 0.0
    assert names(it, 1.0) == [[]]


def test_frozen_clips_are_silent() -> None:
    it = machine()
    it.step(DT)
    it.layers[0].transition("B", 1.0)
    it.step(DT)
    it.layers[0].transition("B", 1.0)
    assert names(it, 0.5) == [["b"]]  # of the new B; A stands still and the old B has passed its own


def test_clips_without_weight_are_silent() -> None:
    tree = BlendTree("1D", ["x"], [Leaf("L", 0.0), Leaf("R", 1.0)])
    graph = StateGraph([Layer("Base", [State("S", tree=tree)], [Transition("START", "S")])], [Parameter("x")])
    clips = {f"S.{side}": GraphClip(side, 1.0, ((0.5, side, None),)) for side in "LR"}
    it = Machine(graph, clips)
    assert names(it, 1.0) == [["L"]]
    it.set("x", 0.25)
    assert names(it, 1.0) == [["L", "R"]]
    it.set("x", 1.0)
    assert names(it, 1.0) == [["R"]]


def test_children_that_play_backwards() -> None:
    tree = BlendTree("1D", ["x"], [Leaf("L", 0.0, -1.0)])
    graph = StateGraph([Layer("Base", [State("S", tree=tree)], [Transition("START", "S")])], [Parameter("x")])
    it = Machine(graph, {"S.L": GraphClip("l", 1.0, MARKS)})
    assert names(it, 0.5, 0.5) == [["late"], ["early", "start"]]


def test_a_clip_without_length_is_silent() -> None:
    graph = StateGraph([Layer("Base", [State("A")], [Transition("START", "A")])])
    it = Machine(graph, {"A": GraphClip("a", 0.0, ((0.0, "start", None),))})
    assert names(it, 1.0, 1.0) == [[], []]


@settings(max_examples=60, deadline=None)
@given(
    steps=st.lists(st.floats(0.0, 3.0), min_size=1, max_size=40),
    times=st.lists(st.floats(0.0, 0.7, exclude_max=True), min_size=1, max_size=4),
    speed=st.sampled_from([1.0, 0.3, 2.5]),
)
def test_every_crossing_fires_once(steps: list[float], times: list[float], speed: float) -> None:
    marks = tuple((time, str(index), None) for index, time in enumerate(times))
    graph = StateGraph([Layer("Base", [State("A", speed)], [Transition("START", "A")])])
    it = Machine(graph, {"A": GraphClip("a", 0.7, marks)})
    fired: Counter[str] = Counter()
    position = 0.0
    for dt in steps:
        it.step(dt)
        fired.update(event.name for event in it.events)
        position += dt * speed
    for time, name, _ in marks:
        assert fired[name] == sum(1 for loop in range(int(position / 0.7) + 2) if time + loop * 0.7 < position)
