"""Scenarios drive a graph, and say what happened when an assertion fails."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import pytest

from skelter.core.errors import ArgumentError, GraphError
from skelter.graph.advance import Timing
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
from skelter.scene.play import ScenePlayer
from skelter.scene.scene import Input, Scene, SceneCrowd, SetTrigger, SetValue
from skelter.scene.trace import trace_scene
from skelter.testing.rigs import clock_rig
from skelter.testing.scenario import Scenario
from skelter.testing.timeline import EVENT_LINES_MAX, Mark, Timeline

DT = 0.125


HIT_CLIPS = {"Idle": "idle", "Hit": "jump", "Stunned": "run", "Stagger": "run"}


def _hits() -> StateGraph:
    """A hit that stuns whoever has little health when it is over, and fades back otherwise."""
    weak = Condition("health", "LESS_THAN", 30.0)
    ways = [
        Transition(START, "Idle"),
        Transition("Idle", "Hit", conditions=[Condition("hit")]),
        Transition("Hit", "Stunned", priority=0, conditions=[weak]),
        Transition("Hit", "Idle", 0.5, exit_time=0.5, priority=1),
        Transition("Stagger", "Stunned"),
    ]
    states = [State("Idle"), State("Hit", loop=False), State("Stunned"), State("Stagger")]
    parameters = [Parameter("health", "FLOAT", 50.0), Parameter("hit", "TRIGGER", False)]
    return StateGraph([Layer("Base", states, ways)], parameters)


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

    @pytest.mark.parametrize(
        ("call", "message"),
        [
            (lambda it: it.assert_visited("Idle", "Jmp"), "no state 'Jmp'; did you mean 'Jump'"),
            (lambda it: it.assert_previous("Idl"), "no state 'Idl'; did you mean 'Idle'"),
            (lambda it: it.assert_event("walk@0.2"), "no event 'walk@0.2'; did you mean 'walk@0.25'"),
            (lambda it: it.assert_no_event("walk@0.2"), "no event 'walk@0.2'; did you mean 'walk@0.25'"),
            (lambda it: it.assert_event("jump@0", layer="Bse"), "no layer 'Bse'; did you mean 'Base'"),
            (lambda it: it.assert_weights({"wlk": 1.0}), "no clip 'wlk'; did you mean 'walk'"),
            (lambda it: it.assert_weights({"walk": 1.0}, layer="Bse"), "no layer 'Bse'; did you mean 'Base'"),
            (lambda it: it.assert_state("Idle", layer=1), "no layer '1'"),
            (lambda it: it.assert_state(1), "no state '1'"),
        ],
    )
    def test_names_that_would_pass_or_fail_for_ever(
        self, play: Callable[[], Scenario], call: Callable[[Scenario], Scenario], message: str
    ) -> None:
        with pytest.raises(ArgumentError, match=message):
            call(play().frames())

    @pytest.mark.parametrize(
        ("call", "message"),
        [
            (lambda it: it.step(math.nan), "time: expected a number from 0 to 86400 s, got nan"),
            (lambda it: it.step("1"), "time: expected a number"),
            (lambda it: it.step(-1.0), "time: expected a number"),
            (lambda it: it.frames(2.5), "count: expected a whole number from 0, got 2.5"),
            (lambda it: it.frames(-1), "count: expected a whole number"),
            (lambda it: it.until("Jump", within=-1.0), "within: expected a number"),
            (lambda it: it.set("speed"), "set: give a name and a value"),
            (lambda it: it.set(speed=None), "speed: expected numbers"),
            (lambda it: it.assert_weights("A"), "expected: give a weight per clip"),
            (lambda it: it.assert_weights({"walk": math.nan}), "weight of 'walk': expected a number"),
            (lambda it: it.assert_weights({}, tolerance=math.nan), "tolerance: expected a number"),
            (lambda it: it.assert_time(math.nan), "time: expected a number"),
            (lambda it: it.assert_progress("1"), "progress: expected a number"),
            (lambda it: it.assert_event("jump@0", count=1.5), "count: expected a whole number"),
            (lambda it: it.assert_transitioning("no"), "expected: give True or False"),
            (lambda it: it.assert_visited(), "states: name at least one"),
        ],
    )
    def test_values_that_make_no_sense(
        self, play: Callable[[], Scenario], call: Callable[[Scenario], Scenario], message: str
    ) -> None:
        it = play().frames()
        with pytest.raises(ArgumentError, match=message):
            call(it)
        assert it.time == DT

    @pytest.mark.parametrize("dt", [0.0, -1.0, math.nan, math.inf, "1", None])
    def test_steps_of_no_length(self, graph: StateGraph, rig: Rig, dt: Any) -> None:
        with pytest.raises(ArgumentError, match="dt: expected a number from 1e-06 to 3600 s"):
            Scenario(graph, rig, dt=dt)

    def test_weights_are_those_of_clips(self, graph: StateGraph, rig: Rig) -> None:
        it = Scenario(graph, rig, clips={"Idle": "run", "Jump": None}, dt=DT).frames()
        with pytest.raises(ArgumentError, match="of clips, not of states and leaves; 'Idle' plays the clip 'run'"):
            it.assert_weights({"Idle": 1.0})
        with pytest.raises(ArgumentError, match="'Jump' plays no clip"):
            it.assert_weights({"Jump": 1.0})
        with pytest.raises(ArgumentError, match=r"'Move\.walk' plays the clip 'walk'"):
            it.assert_weights({"Move.walk": 1.0})


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
            (lambda it: it.assert_event("jump@0", layer=0), "expected event 'jump@0', it fired 0 times"),
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

    def test_events_that_should_be(self, play: Callable[[], Scenario]) -> None:
        with pytest.raises(AssertionError, match=r"^expected event 'jump@0', it fired 0 times"):
            play().step(0.5).assert_event("jump@0")
        with pytest.raises(AssertionError, match=r"^expected event 'jump@0' 2 times, it fired 0 times"):
            play().step(0.5).assert_event("jump@0", count=2)

    def test_events_that_should_not_be(self, play: Callable[[], Scenario]) -> None:
        it = play().set(speed=1.0).step(2.0)
        with pytest.raises(AssertionError, match=r"^expected no event, there were \d: walk@0.25, walk@0.75"):
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
            "  Base  Idle 0.000-1.500",
            "inputs [s]",
            "     0.500  speed = 0.5",
            "events: none",
            "ways to Move, in the last step that looked at each [s]",
            "    1.375-1.500  Base: transitions[1] Idle -> Move: condition speed > 0.5 does not hold: it is 0.5",
        ]

    @pytest.mark.parametrize("timing", ["frame", "exact"])
    def test_a_way_is_explained_when_it_was_looked_at(self, rig: Rig, timing: Timing) -> None:
        """The hit is over, and fades out, when the test gives up."""
        it = (
            Scenario(_hits(), rig, clips=HIT_CLIPS, dt=DT, timing=timing)
            .frames()
            .trigger("hit")
            .until("Hit", within=DT)
        )
        it.step(0.25).set(health=10.0)
        with pytest.raises(AssertionError) as failure:
            it.until("Stunned", within=1.0)
        hit, stagger = str(failure.value).splitlines()[-2:]
        assert re.fullmatch(
            r"  +0\.\d{3}-0\.\d{3}  Base: transitions\[2\] Hit -> Stunned: "
            r"condition health < 30 does not hold: it is 50",
            hit,
        )
        assert (
            stagger
            == "          never  Base: transitions[4] Stagger -> Stunned: Stagger was not active when a step began"
        )

    def test_a_pause_is_told_of_the_active_state_only(self, play: Callable[[], Scenario]) -> None:
        it = play().frames()
        it.crowd.layer().pause()
        with pytest.raises(AssertionError, match=r"0\.375-0\.500  .* Idle -> Move: the layer is paused"):
            it.set(speed=2.0).frames(3).assert_state("Move")

    def test_a_state_that_nothing_leads_to(self, graph: StateGraph, rig: Rig) -> None:
        del graph.layers[0].transitions[3:]
        with pytest.raises(AssertionError, match="no transition leads to Jump"):
            Scenario(graph, rig, dt=DT).until("Jump", within=0.5)


class TestTimeline:
    @pytest.mark.parametrize("timing", ["frame", "exact"])
    def test_it_agrees_with_the_trace_of_a_scene(self, graph: StateGraph, timing: Timing) -> None:
        inputs = (Input(SetValue("speed", 2.0), at=0.5), Input(SetTrigger("jump"), at=1.0))
        clips = {"Idle": "idle", "Move.walk": "walk", "Move.run": "run", "Jump": "jump"}
        scene = Scene("scene", (SceneCrowd("one", graph, clips=clips, inputs=inputs, timing=timing),), 2.0, 1 / DT)
        trace, rig = trace_scene(scene), ScenePlayer(scene).crowds["one"].rig
        it = (
            Scenario(graph, rig, clips=clips, dt=DT, timing=timing)
            .step(0.5)
            .set(speed=2.0)
            .step(0.5)
            .trigger("jump")
            .step(1.0)
        )
        lasting = [stay for stay in it.timeline.stays["Base"] if stay.end > stay.begin]
        assert [(stay.state, stay.begin, stay.end) for stay in lasting] == [
            (stay.state, stay.start, stay.end) for stay in trace.stays
        ]

    def test_a_state_of_no_time_is_shown_while_it_is_the_last(self, play: Callable[[], Scenario]) -> None:
        assert "  Base  START 0.000-0.000\n" in str(play())
        assert "  Base  Idle 0.000-0.125\n" in str(play().frames())

    def test_many_marks_are_cut(self) -> None:
        timeline = Timeline(inputs=[Mark(float(time), f"input {time}") for time in range(EVENT_LINES_MAX + 5)])
        text = str(timeline)
        assert re.search(
            rf"inputs \[s\], the last {EVENT_LINES_MAX} of {EVENT_LINES_MAX + 5}\n +5.000  input 5\n", text
        )
        assert "input 4\n" not in text
