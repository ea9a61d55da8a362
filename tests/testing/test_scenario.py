"""Scenarios drive a graph, and say what happened when an assertion fails."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from skelter.core.errors import ArgumentError, GraphError
from skelter.graph.graph import (
    ANY,
    END,
    START,
    BlendTree,
    Condition,
    Layer,
    Leaf,
    Parameter,
    State,
    StateGraph,
    Transition,
)
from skelter.rig.rig import Rig
from skelter.testing.rigs import clock_rig
from skelter.testing.scenario import Scenario
from skelter.testing.timeline import EVENT_LINES_MAX, Mark, Timeline

DT = 0.125


@pytest.fixture(scope="module")
def rig() -> Rig:
    return clock_rig({"idle": 1.0, "walk": 1.0, "run": 0.5, "jump": 0.5}, {"walk": [0.25, 0.75], "jump": [0.0]})


@pytest.fixture
def graph() -> StateGraph:
    """Idle, or a walk and a run by speed; a jump from anywhere that ends by itself."""
    tree = BlendTree("1D", ["speed"], [Leaf("walk", 1.0), Leaf("run", 3.0)])
    ways = [
        Transition(START, "Idle"),
        Transition("Idle", "Move", 0.25, conditions=[Condition("speed", "GREATER_THAN", 0.5)]),
        Transition("Move", "Idle", 0.25, conditions=[Condition("speed", "LESS_THAN_EQUAL_TO", 0.5)]),
        Transition(ANY, "Jump", conditions=[Condition("jump")]),
        Transition("Jump", END, exit_time=1.0),
    ]
    base = Layer("Base", [State("Idle"), State("Move", tree=tree), State("Jump", loop=False)], ways)
    parameters = [Parameter("speed", "FLOAT", 0.0), Parameter("jump", "TRIGGER", False)]
    return StateGraph([base], parameters, name="locomotion")


@pytest.fixture
def play(graph: StateGraph, rig: Rig) -> Callable[[], Scenario]:
    return lambda: Scenario(graph, rig, dt=DT)


class TestWrongArguments:
    def test_a_graph_without_clips(self, graph: StateGraph) -> None:
        with pytest.raises(GraphError, match="paths cannot be played"):
            Scenario(graph, clock_rig({"idle": 1.0}))

    def test_names_that_are_not_there(self, play: Callable[[], Scenario]) -> None:
        it = play()
        with pytest.raises(ArgumentError, match="did you mean 'speed'"):
            it.set(sped=1.0)
        with pytest.raises(ArgumentError, match="did you mean 'Jump'"):
            it.assert_state("Jmp")
        with pytest.raises(ArgumentError, match="did you mean 'Jump'"):
            it.until("Jmp", within=1.0)
        with pytest.raises(ArgumentError, match="layer"):
            it.assert_transitioning(layer="Upper")
        with pytest.raises(ArgumentError, match="no trigger"):
            it.trigger("speed")


class TestDriving:
    def test_time_goes_in_steps_and_a_rest(self, play: Callable[[], Scenario]) -> None:
        assert play().step(1.0).time == 1.0
        assert play().step(0.3).step(0.05).time == pytest.approx(0.35)
        assert play().frames(3).frames().time == 4 * DT
        assert play().step(0.0).time == 0.0

    def test_values_by_name_or_by_keyword(self, play: Callable[[], Scenario]) -> None:
        for it in (play().set("speed", 2.0), play().set(speed=2.0)):
            assert it.crowd.get("speed").tolist() == [2.0]

    def test_until(self, play: Callable[[], Scenario]) -> None:
        it = play().step(0.5).trigger("jump").until("Jump", within=DT)
        assert it.time == 0.5 + DT
        it.until("Idle", within=1.0).assert_visited("Idle", "Jump", "Idle")

    def test_exact_timing(self, graph: StateGraph, rig: Rig) -> None:
        it = Scenario(graph, rig, timing="exact", dt=0.4).frames().trigger("jump").step(0.6)
        it.assert_state("Idle").assert_time(0.1)

    def test_clips_are_bound(self, graph: StateGraph, rig: Rig) -> None:
        Scenario(graph, rig, clips={"Idle": "run"}, dt=DT).step(0.25).assert_weights({"run": 1.0})


class TestAssertionsThatHold:
    def test_all_of_them(self, play: Callable[[], Scenario]) -> None:
        (
            play()
            .step(0.5)
            .assert_state("Idle")
            .assert_previous("START")
            .assert_no_event()
            .set(speed=2.0)
            .frames()
            .assert_state("Move", layer="Base")
            .assert_previous("Idle")
            .assert_transitioning()
            .assert_weights({"idle": 0.5, "walk": 0.25, "run": 0.25})
            .step(0.25)
            .assert_transitioning(False)
            .assert_weights({"walk": 0.5, "run": 0.5})
            .step(0.75)
            .assert_event("walk@0.25")
            .assert_event("walk@0.75", count=1, layer="Base")
            .assert_no_event("jump@0")
            .clear_events()
            .assert_no_event()
            .trigger("jump", single_frame=True)
            .until("Jump", within=0.5)
            .assert_event("jump@0", count=1)
            .assert_visited("Idle", "Move", "Jump")
            .assert_time(0.0)
            .assert_progress(0.0)
            .frames(2)
            .assert_time(0.25)
            .assert_progress(0.5)
        )

    def test_a_state_that_is_entered_anew_is_visited_again(self, graph: StateGraph, rig: Rig) -> None:
        graph.layers[0].transitions.append(Transition("Idle", END, exit_time=1.0))
        it = Scenario(graph, rig, dt=DT).step(2.5).assert_visited("Idle", "Idle", "Idle")
        assert [stay.state for stay in it.timeline.stays["Base"]] == ["START", "Idle", "Idle", "Idle"]


class TestAssertionsThatFail:
    @pytest.mark.parametrize(
        ("check", "message"),
        [
            (lambda it: it.assert_state("Idle"), "expected state 'Idle', it is 'Move'"),
            (lambda it: it.assert_previous("Jump"), "expected previous state 'Jump', it is 'Idle'"),
            (lambda it: it.assert_transitioning(False), "expected no cross-fade, there is a running cross-fade"),
            (
                lambda it: it.assert_weights({"walk": 1.0}),
                "expected weights walk 1, they are idle 0.5, walk 0.25, run 0.25; wrong: 'walk', 'idle', 'run'",
            ),
            (lambda it: it.assert_event("step"), "expected event 'step', it fired 0 times"),
            (lambda it: it.assert_event("step", count=2), "expected event 'step' 2 times, it fired 0 times"),
            (lambda it: it.assert_visited("Move", "Idle"), "expected Move -> Idle, 'Idle' is missing in START -> Idle"),
            (lambda it: it.assert_time(1.0), "expected time 1, it is 0"),
            (lambda it: it.assert_progress(1.0), "expected progress 1, it is 0"),
            (lambda it: it.until("Jump", within=0.5), "expected state 'Jump' within 0.5 s, it is 'Move'"),
        ],
    )
    def test_the_first_line_names_both(
        self, play: Callable[[], Scenario], check: Callable[[Scenario], Scenario], message: str
    ) -> None:
        it = play().step(0.5).set(speed=2.0).frames()
        with pytest.raises(AssertionError) as failure:
            check(it)
        assert str(failure.value).splitlines()[0].startswith(f"layer 'Base': {message}")

    def test_events_that_should_not_be(self, play: Callable[[], Scenario]) -> None:
        it = play().set(speed=1.0).step(2.0)
        with pytest.raises(AssertionError, match=r"expected no event, there were \d: walk@0.25, walk@0.75"):
            it.assert_no_event()

    def test_the_text_shows_what_happened_and_why_not(self, play: Callable[[], Scenario]) -> None:
        it = play().step(0.5).set(speed=0.5).step(0.5)
        with pytest.raises(AssertionError) as failure:
            it.until("Move", within=0.5)
        assert str(failure.value).splitlines() == [
            "layer 'Base': expected state 'Move' within 0.5 s, it is 'Idle'",
            "at 1.500 s",
            "  layer Base: state Idle, progress 1.375, clips idle 1",
            "  parameters: speed 0.5, jump False",
            "states [s]",
            "  Base  START 0.000-0.125, Idle 0.125-1.500",
            "inputs [s]",
            "     0.500  speed = 0.5",
            "events: none",
            "ways to Move in the last step",
            "  Base: transitions[1] Idle -> Move: condition speed > 0.5 does not hold: it is 0.5",
        ]

    def test_a_state_that_nothing_leads_to(self, graph: StateGraph, rig: Rig) -> None:
        del graph.layers[0].transitions[3:]
        with pytest.raises(AssertionError, match="no transition leads to Jump"):
            Scenario(graph, rig, dt=DT).until("Jump", within=0.5)


class TestTimeline:
    def test_many_marks_are_cut(self) -> None:
        timeline = Timeline(inputs=[Mark(float(time), f"input {time}") for time in range(EVENT_LINES_MAX + 5)])
        text = str(timeline)
        assert re.search(
            rf"inputs \[s\], the last {EVENT_LINES_MAX} of {EVENT_LINES_MAX + 5}\n +5.000  input 5\n", text
        )
        assert "input 4\n" not in text
