"""One step of all machines: sizes of nothing, steps of nothing, events without end, absurd numbers, verdicts."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest

from skelter.core.errors import ArgumentError
from skelter.crowd.crowd import Crowd
from skelter.graph.advance import EVENT_ROOM, TIMINGS, Timing, advance, new_output
from skelter.graph.compile import compile as compile_graph
from skelter.graph.controller import Controller
from skelter.graph.graph import ANY, START, BlendTree, Condition, Layer, Leaf, Parameter, State, StateGraph, Transition
from skelter.graph.playback_kernels import TURN_MAX
from skelter.graph.verdict import Verdict
from skelter.rig.rig import Rig
from skelter.testing.rigs import clock_rig

SUM_TOL = 1e-12


@pytest.fixture(scope="module")
def marked() -> Rig:
    """A clip of 1 s with an event on each end and in the middle, one without events, and a very short one."""
    return clock_rig({"a": 1.0, "b": 2.0, "tick": 1e-4}, {"a": [0.0, 0.5, 1.0], "tick": [0.0]})


def one_state(rig: Rig, clip: str = "a", speed: float = 1.0) -> Controller:
    graph = StateGraph([Layer("Base", [State("S", speed)], [Transition(START, "S")])])
    return compile_graph(graph, rig, {"S": clip})


def two_ways(**options: Any) -> StateGraph:
    """Return a graph that goes from A to B by one of two ways, or from anywhere to C."""
    ways = [
        Transition(START, "A"),
        Transition("A", "B", conditions=[Condition("x", "GREATER_THAN", 1.0), Condition("x", "LESS_THAN", 3.0)]),
        Transition("A", "B", exit_time=0.5),
        Transition(ANY, "C", conditions=[Condition("go")]),
        Transition("C", "A"),
    ]
    for name, value in options.items():
        for way in ways[1:4]:
            setattr(way, name, value)
    return StateGraph(
        [Layer("Base", list(map(State, "ABC")), ways)], [Parameter("x"), Parameter("go", "TRIGGER", False)]
    )


class TestSizes:
    @pytest.mark.parametrize("timing", TIMINGS)
    def test_no_characters(self, marked: Rig, timing: Timing) -> None:
        crowd = Crowd(one_state(marked), 0, timing=timing)
        crowd.step(0.5)
        assert crowd.events == []
        assert crowd.pose.shape[0] == crowd.morphs.shape[0] == crowd.skinning_matrices.shape[0] == 0
        assert crowd.playback.layer_start.shape == (0, 2)
        crowd.restore(crowd.snapshot())
        crowd.reset()

    def test_many_layers(self, marked: Rig) -> None:
        layers = [Layer(f"L{number}", [State("S")], [Transition(START, "S")]) for number in range(40)]
        crowd = Crowd(compile_graph(StateGraph(layers), marked, {f"L{number}:S": "a" for number in range(40)}), 2)
        crowd.step(0.25)
        assert crowd.playback.layer_start.tolist() == [list(range(41))] * 2

    def test_a_new_crowd_plays_nothing_until_it_steps(self, marked: Rig) -> None:
        output = new_output(one_state(marked), 3)
        assert output.playback.clip[:, 0].tolist() == [-1, -1, -1]
        crowd = Crowd(one_state(marked), 3)
        assert crowd.layer().active.tolist() == [START] * 3
        np.testing.assert_array_equal(crowd.pose, np.repeat(marked.rest[None], 3, axis=0))


class TestSteps:
    @pytest.mark.parametrize("timing", TIMINGS)
    def test_a_step_of_nothing_takes_a_transition_but_no_time(self, marked: Rig, timing: Timing) -> None:
        crowd = Crowd(compile_graph(two_ways(time=0.25), marked, {"A": "a", "B": "b", "C": "b"}), timing=timing)
        crowd.step(0.0)
        assert crowd.layer().active[0] == "A"
        crowd.step(0.25)
        crowd.set("x", 2.0)
        crowd.step(0.0)
        assert crowd.layer().active[0] == "B"
        assert crowd.layer().transition_progress[0] == 0.0
        before = crowd.playback
        for _ in range(3):
            crowd.step(0.0)
            assert crowd.layer().transition_progress[0] == 0.0
            assert crowd.events == []
        np.testing.assert_array_equal(crowd.playback.time, before.time)

    @pytest.mark.parametrize("timing", TIMINGS)
    @pytest.mark.parametrize("dt", [5e-324, 1e-300, 3600.0])
    def test_weights_sum_to_1_in_steps_of_any_length(self, marked: Rig, timing: Timing, dt: float) -> None:
        graph = two_ways(time=1.0)
        graph.layers[0].transitions[0].time = 1.0
        crowd = Crowd(compile_graph(graph, marked, {"A": "a", "B": "b", "C": "b"}), timing=timing)
        for _ in range(3):
            crowd.step(dt)
            crowd.set("x", 2.0)
            stop = crowd.playback.layer_start[0, 1]
            assert abs(crowd.playback.weight[0, :stop].sum() - 1.0) <= SUM_TOL
            assert np.isfinite(crowd.playback.time[0, :stop]).all()

    def test_exact_timing_with_tiny_clips_does_not_hang(self) -> None:
        """Two states that leave each other after each play would change a billion times in a step."""
        ways = [Transition(START, "A"), Transition("A", "B", exit_time=1.0), Transition("B", "A", exit_time=0.5)]
        graph = StateGraph([Layer("Base", [State("A"), State("B")], ways)])
        crowd = Crowd(compile_graph(graph, clock_rig({"A": 1e-9, "B": 1e-9})), timing="exact")
        crowd.step(1.0)
        assert np.isfinite(crowd.playback.time[0, 0])
        assert crowd.time == 1.0

    def test_exact_timing_with_instant_ways_in_a_circle_does_not_hang(self) -> None:
        ways = [Transition(START, "A"), Transition("A", "B"), Transition("B", "A")]
        graph = StateGraph([Layer("Base", [State("A"), State("B")], ways)])
        crowd = Crowd(compile_graph(graph, clock_rig({"A": 1.0, "B": 1.0})), timing="exact")
        crowd.step(1.0)
        assert crowd.layer().active[0] in ("A", "B")


class TestEvents:
    def test_more_than_there_is_room_for(self, marked: Rig) -> None:
        """The step is done again with more room, and gives what steps of single characters give."""
        count = EVENT_ROOM
        crowd, alone = Crowd(one_state(marked), count), Crowd(one_state(marked), 1)
        for dt in (0.0, 0.625, 7.5, 0.125, 0.0):
            crowd.step(dt)
            alone.step(dt)
            events = crowd.events
            assert [event.char for event in events] == sorted(event.char for event in events)
            assert len(events) == count * len(alone.events)
            for char in (0, count - 1):
                assert [(event.name, event.weight) for event in events if event.char == char] == [
                    (event.name, event.weight) for event in alone.events
                ]
            assert crowd.layer().time.tolist() == alone.layer().time.tolist() * count
        assert alone.events == []

    @pytest.mark.parametrize("timing", TIMINGS)
    def test_more_events_than_there_is_room_for_at_first(self, marked: Rig, timing: Timing) -> None:
        controller = one_state(marked)
        state, output = controller.new_state(EVENT_ROOM), new_output(controller, EVENT_ROOM)
        advance(controller, state, 0.0, output, timing=timing)
        assert len(advance(controller, state, 10.0, output, timing=timing)) == 30 * EVENT_ROOM
        assert len(advance(controller, state, 0.25, output, timing=timing)) == EVENT_ROOM

    @pytest.mark.parametrize("timing", TIMINGS)
    def test_every_play_of_a_long_step_counts(self, marked: Rig, timing: Timing) -> None:
        crowd = Crowd(one_state(marked, "tick"), timing=timing)
        crowd.step(0.0)
        crowd.step(1.0)
        assert abs(len(crowd.events) - 10_000) <= 1

    def test_absurd_speeds_neither_hang_nor_fill_the_memory(self, marked: Rig) -> None:
        crowd = Crowd(one_state(marked, "tick", speed=1e6))
        crowd.step(0.0)
        crowd.step(10.0)
        assert len(crowd._run.events) == TURN_MAX


@pytest.mark.parametrize("timing", TIMINGS)
@pytest.mark.parametrize(
    ("dt", "options", "message"),
    [
        (np.zeros(2), {}, r"dt: expected shape \[3\], got \[2\]"),
        (0.1, {"due": np.ones(2, np.uint8)}, r"due: expected uint8 \[3\]"),
        (0.1, {"chunk": 0}, "chunk: expected at least 1, got 0"),
    ],
)
def test_what_does_not_fit_the_characters(
    marked: Rig, timing: Timing, dt: float | np.ndarray, options: dict[str, Any], message: str
) -> None:
    controller = one_state(marked)
    state, output = controller.new_state(3), new_output(controller, 3)
    with pytest.raises(ArgumentError, match=message):
        advance(controller, state, dt, output, timing=timing, **options)


@pytest.mark.parametrize("timing", TIMINGS)
def test_those_that_are_not_due_stay_as_they_are(marked: Rig, timing: Timing) -> None:
    controller = one_state(marked)
    state, output = controller.new_state(3), new_output(controller, 3)
    advance(controller, state, 0.0, output, timing=timing)
    due = np.array([1, 0, 1], np.uint8)
    events = advance(controller, state, np.array([0.25, 0.25, 0.5]), output, timing=timing, due=due)
    assert state.slots["time"][:, 0, 0].tolist() == [0.25, 0.0, 0.5]
    assert output.playback.time[:, 0].tolist() == [0.25, 0.0, 0.5]
    assert 1 not in events["char"].tolist()


class TestVerdicts:
    def verdicts(self, graph: StateGraph, *, x: float = 0.0, go: bool = False, dt: float = 0.25) -> Crowd:
        crowd = Crowd(compile_graph(graph, clock_rig(dict.fromkeys("ABC", 1.0))))
        crowd.step(0.125)  # from START; the time of a state begins with the next step
        crowd.set("x", x)
        if go:
            crowd.trigger("go")
        crowd.step(dt)
        return crowd

    def test_conditions_and_exit_times_say_what_was_seen(self) -> None:
        crowd = self.verdicts(two_ways(), x=3.0)
        assert crowd.verdicts().tolist() == [
            [Verdict.OTHER_STATE, Verdict.CONDITION, Verdict.EXIT_TIME, Verdict.CONDITION, Verdict.OTHER_STATE]
        ]
        records = crowd._run.output.verdict[0]
        assert (records[1]["condition"], records[1]["seen"]) == (1, 3.0)
        assert (records[2]["before"], records[2]["seen"]) == (0.0, 0.25)
        assert records[3]["seen"] == 0.0

    def test_one_is_taken_and_those_behind_it_say_so(self) -> None:
        codes = self.verdicts(two_ways(), x=2.0, go=True, dt=0.5).verdicts()[0].tolist()
        assert codes == [0, Verdict.TAKEN, Verdict.PRIORITY, Verdict.PRIORITY, 0]

    def test_a_fade_that_may_not_be_interrupted(self) -> None:
        crowd = self.verdicts(two_ways(time=1.0), x=2.0)
        crowd.trigger("go")
        crowd.step(0.25)
        codes = crowd.verdicts()[0].tolist()
        assert codes == [0, Verdict.INTERRUPTION, Verdict.INTERRUPTION, Verdict.INTERRUPTION, 0]

    def test_the_target_is_active(self) -> None:
        crowd = self.verdicts(two_ways(time=1.0, interruption="PREV_STATE"), x=2.0)
        crowd.step(0.25)
        assert crowd.verdicts()[0].tolist()[1:4] == [Verdict.ACTIVE, Verdict.ACTIVE, Verdict.CONDITION]

    def test_a_layer_that_pauses(self) -> None:
        crowd = self.verdicts(two_ways())
        crowd.layer().pause()
        crowd.step(0.25)
        assert crowd.verdicts()[0].tolist() == [Verdict.PAUSED] * 5

    def test_nothing_is_recorded_unless_it_is_wanted(self) -> None:
        controller = compile_graph(two_ways(), clock_rig(dict.fromkeys("ABC", 1.0)))
        state, output = controller.new_state(2), new_output(controller, 2)
        advance(controller, state, 0.0, output)
        assert not output.verdict["code"].any()
        advance(controller, state, 0.25, output, record=True)
        assert output.verdict["code"].any()

    def test_exact_timing_remembers_what_was_taken_earlier_in_the_step(self) -> None:
        crowd = Crowd(compile_graph(two_ways(), clock_rig(dict.fromkeys("ABC", 1.0))), timing="exact")
        crowd.step(0.0)
        crowd.trigger("go")
        crowd.step(1.0)
        codes = crowd.verdicts()[0].tolist()
        assert codes[2:] == [Verdict.TAKEN] * 3
        assert crowd.layer().active[0] == "B"


def test_held_weights_are_those_of_the_slot_s_own_stay() -> None:
    """A slot that another state had before does not hand its held weights on."""
    trees = [BlendTree("DIRECT", ["x", "y"], [Leaf("a"), Leaf("b")]) for _ in range(2)]
    ways = [
        Transition(START, "A"),
        Transition("A", "B", conditions=[Condition("go")]),
        Transition("B", "A", exit_time=1.0),
    ]
    layer = Layer("Base", [State(name, tree=tree) for name, tree in zip("AB", trees, strict=True)], ways)
    parameters = [Parameter("x", value=1.0), Parameter("y"), Parameter("go", "TRIGGER", False)]
    crowd = Crowd(compile_graph(StateGraph([layer], parameters), clock_rig({"a": 1.0, "b": 1.0})))
    crowd.step(0.0)
    crowd.step(0.25)
    crowd.set("x", 0.0)
    crowd.step(0.25)
    assert crowd.playback.weight[0, 0] == 1.0  # of a, held
    crowd.trigger("go")
    crowd.step(0.25)
    assert crowd.playback.weight[0, : crowd.playback.layer_start[0, 1]].tolist() == [0.5, 0.5]


def test_an_unknown_timing() -> None:
    with pytest.raises(ValueError, match="timing: expected 'frame' or 'exact', got 'fast'"):
        Crowd(one_state(clock_rig({"a": 1.0})), timing=cast(Timing, "fast"))
