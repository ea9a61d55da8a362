"""The reference machine with frame timing: states, transitions, parameters, and control by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest

from skelter.core.errors import ArgumentError, GraphError
from skelter.engines.reference.graph_clips import GraphClip
from skelter.engines.reference.machine import Machine
from skelter.graph.graph import Condition, Interruption, Layer, Parameter, State, StateGraph, Transition
from skelter.graph.verdict import Verdict

DT = 0.125
"""A step that floats add up exactly."""
PARAMETERS = [
    Parameter("go", "BOOLEAN"),
    Parameter("jump", "TRIGGER"),
    Parameter("hit", "TRIGGER"),
    Parameter("count", "INTEGER"),
    Parameter("speed", "FLOAT"),
]


def way(source: str, target: str, *triggers: str, **options: Any) -> Transition:
    conditions = [Condition(name) for name in triggers]
    return Transition(source, target, conditions=conditions, **options)


def machine(
    ways: Sequence[Transition], states: Sequence[State] = (), durations: dict[str, float] | None = None, **options: Any
) -> Machine:
    """A layer whose states A to F play a second each unless they are given."""
    named = {state.name: state for state in states}
    all_states = [named.get(name, State(name)) for name in "ABCDEF"]
    layer = Layer("Base", all_states, [Transition("START", "A"), *ways])
    length = durations or {}
    clips = {name: GraphClip(name.lower(), length.get(name, 1.0)) for name in "ABCDEF"}
    return Machine(StateGraph([layer], PARAMETERS), clips, **options)


def step(machine: Machine, count: int = 1, dt: float = DT) -> None:
    for _ in range(count):
        machine.step(dt)


def seen(machine: Machine) -> list[tuple[str, float]]:
    return [(entry.state, entry.weight) for entry in machine.layers[0].contributions()]


def times(machine: Machine) -> dict[str, float]:
    return {entry.state: entry.time for entry in machine.layers[0].contributions()}


def steps_until(machine: Machine, state: str, dt: float = DT, most: int = 200) -> int:
    for count in range(1, most):
        machine.step(dt)
        if machine.layers[0].active == state:
            return count
    raise AssertionError(f"{state} is not reached")


class TestWrongInput:
    def test_missing_and_unknown_clips_are_listed_together(self) -> None:
        graph = StateGraph([Layer("Base", [State("A"), State("B")], [Transition("START", "A")])])
        with pytest.raises(GraphError, match=r"(?s)A: no clip.*B: no clip.*X: the graph has no such path"):
            Machine(graph, {"X": None})

    def test_paths_of_layers_that_share_a_name(self) -> None:
        layers = [Layer(name, [State("A"), State(name)], [Transition("START", "A")]) for name in ("Low", "High")]
        clip = GraphClip("a", 1.0)
        with pytest.raises(GraphError, match="Low:A: no clip"):
            Machine(StateGraph(layers), {"A": clip, "High:A": clip, "Low": clip, "High": clip})
        Machine(StateGraph(layers), {"Low:A": None, "High:A": clip, "Low:Low": clip, "High": clip})

    def test_unknown_names_in_the_graph_are_listed_together(self) -> None:
        ways = [Transition("START", "A"), Transition("A", "Nowhere"), way("A", "END", "what")]
        graph = StateGraph([Layer("Base", [State("A")], ways)])
        with pytest.raises(GraphError, match=r"(?s)transitions\[1\]: no state 'Nowhere'.*\[2\]: no parameter 'what'"):
            Machine(graph, {"A": None})

    @pytest.mark.parametrize("dt", [-0.1, math.nan, math.inf])
    def test_length_of_a_step(self, dt: float) -> None:
        with pytest.raises(ArgumentError, match="dt is"):
            machine([]).step(dt)
        with pytest.raises(ArgumentError, match="speed is"):
            machine([]).speed = dt

    @pytest.mark.parametrize(
        ("name", "value", "text"),
        [
            ("sped", 1.0, "did you mean 'speed'"),
            ("speed", math.nan, "nan; it must be finite"),
            ("speed", "fast", "expected a number"),
            ("speed", True, "expected a number"),
            ("count", 0.5, "whole number"),
            ("go", 1.0, "True or False"),
            ("jump", 2, "True or False"),
        ],
    )
    def test_parameters(self, name: str, value: Any, text: str) -> None:
        with pytest.raises(ArgumentError, match=text):
            machine([]).set(name, value)

    def test_names(self) -> None:
        it = machine([])
        for call in (lambda: it.layer("Bse"), lambda: it.get("jmp"), lambda: it.trigger("go")):
            with pytest.raises(ArgumentError):
                call()
        for call in (lambda: it.layers[0].transition("Z"), lambda: it.layers[0].play("ANY")):
            with pytest.raises(ArgumentError, match="no state"):
                call()
        with pytest.raises(ArgumentError, match="no timing 'exakt'"):
            machine([], timing="exakt")

    def test_numbers_by_hand(self) -> None:
        layer = machine([]).layers[0]
        for call in (
            lambda: layer.transition("A", -1.0),
            lambda: layer.blend_to_weight(math.nan, 1.0),
            lambda: layer.blend_to_weight(1.0, math.inf),
            lambda: layer.set_time(math.inf),
            lambda: GraphClip("x", -1.0),
        ):
            with pytest.raises(ArgumentError):
                call()


class TestFrameOrder:
    def test_before_the_first_step_nothing_plays(self) -> None:
        layer = machine([]).layers[0]
        assert (layer.active, layer.previous, layer.progress) == ("START", None, 1.0)
        assert [(entry.clip, entry.weight) for entry in layer.contributions()] == [(None, 1.0)]

    def test_the_clip_is_a_step_ahead_of_the_state(self) -> None:
        it = machine([])
        step(it)
        assert (it.layers[0].active, it.layers[0].previous, it.layers[0].time) == ("A", "START", 0.0)
        assert times(it) == {"A": DT}
        step(it)
        assert it.layers[0].time == DT
        assert times(it) == {"A": 2 * DT}

    def test_the_fade_counts_the_entering_step_and_the_end(self) -> None:
        it = machine([way("A", "B", "go", time=2 * DT)])
        step(it)
        it.set("go", True)
        step(it)
        assert (it.layers[0].transitioning, it.layers[0].transition_progress) == (True, 0.5)
        assert seen(it) == [("A", 0.5), ("B", 0.5)]
        step(it)  # elapsed == total: still fading
        assert (it.layers[0].transitioning, seen(it)) == (True, [("B", 1.0)])
        step(it)
        assert (it.layers[0].transitioning, it.layers[0].transition_progress) == (False, None)
        assert it.layers[0].previous == "A"

    def test_no_time_passes(self) -> None:
        it = machine([])
        step(it, dt=0.0)
        assert (it.layers[0].active, it.layers[0].transitioning, it.layers[0].transition_progress) == ("A", True, 1.0)
        assert seen(it) == [("A", 1.0)]
        step(it)
        assert it.layers[0].transitioning is False

    def test_the_fade_from_the_start_has_nothing_to_fade_from(self) -> None:
        it = machine([])
        it.layers[0].transition("A", 1.0)
        step(it)
        assert (it.layers[0].transition_progress, seen(it)) == (DT, [("A", 1.0)])
        it.layers[0].transition("B", 1.0)
        it.step(0.0)  # the state that is left has all the weight
        assert seen(it) == [("A", 1.0)]

    def test_the_step_is_cut_short_at_the_end_of_a_state(self) -> None:
        it = machine([way("A", "B", exit_time=1.0, time=1.0)], [State("A", loop=False)], {"A": 2.5 * DT})
        step(it, 3)
        assert it.layers[0].time == 2 * DT
        step(it)  # half a step is left when A ends; B and the fade advance by that
        assert (it.layers[0].active, it.layers[0].transition_progress) == ("B", DT / 2)
        assert times(it) == {"A": 2.5 * DT, "B": DT / 2}

    def test_loops_end_at_their_end(self) -> None:
        it = machine([], durations={"A": 4 * DT})
        found = []
        for _ in range(6):
            step(it)
            found.append(times(it)["A"] / DT)
        assert found == [1, 2, 3, 4, 1, 2]

    def test_speed_scales_the_step(self) -> None:
        it = machine([])
        it.speed = 2.0
        step(it, 2)
        assert (it.layers[0].time, times(it)) == (2 * DT, {"A": 4 * DT})
        it.speed = 0.0
        step(it)
        assert times(it) == {"A": 4 * DT}


class TestExitTimes:
    def reach(self, exit_time: float, loop: bool = True, after: int = 0, **options: Any) -> int:
        """Return the step in which A is left, if the condition holds after a number of steps."""
        state = State("A", loop=loop, speed=options.pop("speed", 1.0))
        it = machine([way("A", "B", "go", exit_time=exit_time)], [state], {"A": 1.0})
        step(it, after)
        it.set("go", True)
        return after + steps_until(it, "B")

    def test_in_the_first_loop(self) -> None:  # time is 0 in the first step
        assert self.reach(0.5) == 5

    def test_in_a_later_loop(self) -> None:
        assert self.reach(0.5, after=6) == 13

    @pytest.mark.parametrize(("exit_time", "expected"), [(0.02, 10), (0.98, 9)])
    def test_across_the_end_of_the_loop(self, exit_time: float, expected: int) -> None:
        assert self.reach(exit_time, after=4) == expected

    @pytest.mark.parametrize(("exit_time", "expected"), [(1.0, 9), (1.5, 13), (2.0, 17)])
    def test_of_later_plays(self, exit_time: float, expected: int) -> None:
        assert self.reach(exit_time) == expected

    def test_of_later_plays_come_once(self) -> None:
        it = machine([way("A", "B", "go", exit_time=1.0)])
        step(it, 9)
        it.set("go", True)
        step(it, 50)
        assert it.layers[0].active == "A"

    def test_the_last_window_of_a_finished_state_stays(self) -> None:
        assert self.reach(1.0, loop=False, after=30) == 31
        it = machine([way("A", "B", "go", exit_time=0.8)], [State("A", loop=False)])
        step(it, 30)
        it.set("go", True)
        step(it, 30)
        assert it.layers[0].active == "A"

    def test_no_step_is_too_large(self) -> None:
        it = machine([way("A", "B", exit_time=0.9)])
        step(it)
        it.step(7.3)
        assert it.layers[0].active == "B"

    @pytest.mark.parametrize(("speed", "expected"), [(2.0, 5), (0.5, 17), (-1.0, 9)])
    def test_progress_counts_plays_at_any_speed(self, speed: float, expected: int) -> None:
        assert self.reach(1.0, loop=False, speed=speed) == expected
        assert self.reach(1.0, speed=speed) == expected

    def test_zero_is_none(self) -> None:
        assert self.reach(0.0) == 2

    def test_states_without_length_are_complete(self) -> None:
        it = machine([way("A", "B", exit_time=5.0)], durations={"A": 0.0})
        assert steps_until(it, "B") == 2

    def test_the_start_ignores_them(self) -> None:
        graph = StateGraph([Layer("Base", [State("A")], [Transition("START", "A", exit_time=0.5)])])
        it = Machine(graph, {"A": None})
        it.step(DT)
        assert it.layers[0].active == "A"

    def test_the_previous_state_has_a_window_of_its_own(self) -> None:
        ways = [
            way("A", "B", "go", time=1.0, interruption="PREV_STATE"),
            way("A", "C", exit_time=0.75),
        ]
        it = machine(ways)
        step(it, 2)
        it.set("go", True)
        step(it)
        assert it.layers[0].active == "B"
        assert steps_until(it, "C") == 4  # A's time is 6 steps then; B's clip is as far as 4


class TestOrder:
    def test_priority_then_the_list(self) -> None:
        ways = [way("A", "B", "go", priority=2), way("A", "C", "go", priority=1), way("A", "D", "go", priority=1)]
        it = machine(ways)
        step(it)
        it.set("go", True)
        step(it)
        assert it.layers[0].active == "C"

    def test_the_state_comes_before_any(self) -> None:
        it = machine([way("ANY", "C", "go", priority=0), way("A", "B", "go", priority=9)])
        step(it)
        it.set("go", True)
        step(it)
        assert it.layers[0].active == "B"

    def test_any_never_enters_the_active_state(self) -> None:
        it = machine([way("ANY", "B", "jump")])
        step(it)
        it.trigger("jump")
        step(it, 3)
        it.trigger("jump")
        step(it, 3)
        assert it.layers[0].time == 5 * DT
        assert it.get("jump") == 1.0  # nothing has consumed it

    def test_end_enters_the_default_state_every_time(self) -> None:
        it = machine([way("A", "END", exit_time=1.0)], [State("A", loop=False)], {"A": 2 * DT})
        entered = []
        for number in range(12):
            step(it)
            if it.taken[0]:
                entered.append(number)
        assert entered == [0, 2, 4, 6, 8, 10]
        assert it.layers[0].previous == "A"

    def test_any_to_end_does_nothing_in_the_default_state(self) -> None:
        it = machine([way("ANY", "END", "go"), way("A", "B", "jump")])
        it.set("go", True)
        step(it, 3)
        assert it.layers[0].time == 2 * DT
        it.trigger("jump")
        step(it, 2)
        assert (it.layers[0].active, it.layers[0].previous) == ("A", "B")

    def test_one_transition_in_a_step(self) -> None:
        it = machine([way("A", "B"), way("B", "C"), way("C", "D")])
        found = []
        for _ in range(4):
            step(it)
            found.append(it.layers[0].active)
        assert found == ["A", "B", "C", "D"]

    def test_offset(self) -> None:
        for offset, expected in ((0.25, 0.5), (1.0, 0.0), (0.0, 0.0), (None, 0.0)):
            it = machine([way("A", "B", offset=offset)], durations={"B": 2.0})
            step(it, 2)
            assert (it.layers[0].time, times(it)["B"]) == (expected, expected + DT)


INTERRUPTIONS: list[tuple[Interruption, str, str]] = [
    ("NONE", "B", "B"),
    ("PREV_STATE", "C", "F"),
    ("NEXT_STATE", "D", "F"),
    ("PREV_STATE_NEXT_STATE", "C", "F"),
    ("NEXT_STATE_PREV_STATE", "D", "F"),
]


class TestInterruption:
    @pytest.mark.parametrize(("interruption", "both", "any_only"), INTERRUPTIONS)
    def test_whose_transitions_are_looked_at(self, interruption: Interruption, both: str, any_only: str) -> None:
        ways = [
            way("A", "B", "go", time=1.0, interruption=interruption),
            way("A", "C", "jump"),
            way("B", "D", "jump"),
            way("ANY", "F", "hit"),
        ]
        for trigger, expected in (("jump", both), ("hit", any_only)):
            it = machine(ways)
            step(it)
            it.set("go", True)
            step(it)
            it.trigger(trigger)
            step(it)
            assert it.layers[0].active == expected

    def test_the_second_list_comes_after_the_first(self) -> None:
        ways = [
            way("A", "B", "go", time=1.0, interruption="PREV_STATE_NEXT_STATE"),
            way("A", "C", "jump"),
            way("B", "D", "hit"),
        ]
        it = machine(ways)
        step(it)
        it.set("go", True)
        step(it)
        it.trigger("hit")
        step(it)
        assert it.layers[0].active == "D"

    def test_shares(self) -> None:
        it = machine([])
        layer = it.layers[0]
        step(it)
        layer.transition("B", 8 * DT)
        step(it, 2)
        layer.transition("C", 4 * DT)  # B has come to 1/4
        step(it)
        assert seen(it) == [("A", 0.75 * 0.75), ("B", 0.75 * 0.25), ("C", 0.25)]
        assert [entry.frozen for entry in layer.contributions()] == [True, False, False]
        assert times(it) == {"A": 3 * DT, "B": 3 * DT, "C": DT}
        layer.transition("D", 2 * DT)  # C has come to 1/4 as well
        step(it)
        assert seen(it) == [("A", 0.5 * 0.75**2), ("B", 0.5 * 0.75 * 0.25), ("C", 0.5 * 0.25), ("D", 0.5)]
        assert times(it) == {"A": 3 * DT, "B": 3 * DT, "C": 2 * DT, "D": DT}

    def test_the_lightest_of_five_frozen_is_dropped(self) -> None:
        it = machine([])
        layer = it.layers[0]
        step(it)
        for state, fraction in zip("BCDEFA", (0.5, 0.25, 0.25, 0.5, 0.5, 0.0), strict=True):
            layer.transition(state, 1.0)
            it.step(fraction)
        # B, C, D, E, F, A come to these: A fades from all of them and has no weight yet
        shares = {"A": 0.5 * 0.75 * 0.75 * 0.5, "B": 0.5 * 0.75 * 0.75 * 0.5, "C": 0.25 * 0.75 * 0.5, "D": 0.25 * 0.5}
        shares = {state: share * 0.5 for state, share in shares.items()} | {"E": 0.5 * 0.5, "F": 0.5}
        del shares["C"]  # the lightest of A to E
        total = sum(shares.values())
        assert dict(seen(it)) == pytest.approx({state: share / total for state, share in shares.items()})
        assert [entry.frozen for entry in layer.contributions()] == [True, True, True, True, False]


class TestTriggers:
    def test_one_serves_every_layer(self) -> None:
        layers = [
            Layer(name, [State("A"), State("B")], [way("START", "A"), way("A", "B", "jump"), way("B", "A", "jump")])
            for name in ("Low", "High")
        ]
        clips = {f"{name}:{state}": GraphClip(state, 1.0) for name in ("Low", "High") for state in "AB"}
        it = Machine(StateGraph(layers, PARAMETERS), clips)
        step(it)
        it.trigger("jump")
        step(it, 3)
        assert [layer.active for layer in it.layers] == ["B", "B"]
        assert it.get("jump") == 0.0

    def test_it_stays_until_it_is_consumed(self) -> None:
        it = machine([way("A", "B", "jump", exit_time=0.5)])
        it.trigger("jump")
        assert steps_until(it, "B") == 5
        assert it.get("jump") == 0.0

    def test_single_frame(self) -> None:
        it = machine([way("A", "B", "jump", exit_time=0.5)])
        it.trigger("jump", single_frame=True)
        step(it)
        assert it.get("jump") == 0.0

    def test_reset(self) -> None:
        it = machine([way("A", "B", "jump")])
        it.set("jump", True)
        it.reset_trigger("jump")
        step(it, 3)
        assert it.layers[0].active == "A"

    def test_any_predicate_consumes(self) -> None:
        ways = [Transition("A", "B", conditions=[Condition("jump", "NOT_EQUAL_TO", True), Condition("hit")])]
        it = machine(ways)
        step(it)
        it.trigger("hit")
        step(it)
        assert (it.layers[0].active, it.values["hit"]) == ("B", 0.0)


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        ("GREATER_THAN", [False, False, True]),
        ("LESS_THAN", [True, False, False]),
        ("GREATER_THAN_EQUAL_TO", [False, True, True]),
        ("LESS_THAN_EQUAL_TO", [True, True, False]),
        ("EQUAL_TO", [False, True, False]),
        ("NOT_EQUAL_TO", [True, False, True]),
    ],
)
def test_predicates(predicate: Any, expected: list[bool]) -> None:
    for value, holds in zip((1, 2, 3), expected, strict=True):
        it = machine([Transition("A", "B", conditions=[Condition("count", predicate, 2)])])
        it.set("count", value)
        step(it, 2)
        assert (it.layers[0].active == "B") is holds


class TestByHand:
    def test_transition_restarts_the_active_state(self) -> None:
        it = machine([way("ANY", "C", "go")])
        it.layers[0].transition("B", 1.0, 0.5)
        it.layers[0].transition("B", 1.0)
        it.set("go", True)
        step(it, 3)  # nothing may interrupt it
        assert (it.layers[0].active, it.layers[0].previous, it.layers[0].time) == ("B", "B", 3 * DT)

    def test_play_uses_a_transition_that_passes(self) -> None:
        it = machine([way("A", "B", "go", time=1.0)])
        step(it)
        it.set("go", True)
        it.layers[0].play("B")
        assert (it.layers[0].active, it.layers[0].previous) == ("B", "A")
        step(it)
        assert it.layers[0].transition_progress == DT

    def test_play_enters_at_once(self) -> None:
        it = machine([way("A", "B", "go", time=1.0)])
        step(it, 3)
        it.layers[0].play("B")
        step(it)
        assert (it.layers[0].active, it.layers[0].previous, it.layers[0].transitioning) == ("B", None, False)
        it.layers[0].play("B")
        assert it.layers[0].time == 0.0

    def test_pause_holds_the_pose(self) -> None:
        it = machine([way("A", "B", "go", time=1.0)])
        step(it, 2)
        it.layers[0].pause()
        it.set("go", True)
        step(it, 5)
        assert (it.layers[0].active, times(it)) == ("A", {"A": 2 * DT})
        it.layers[0].play()
        step(it)
        assert it.layers[0].active == "B"

    def test_reset_of_a_layer_stops_it(self) -> None:
        it = machine([])
        step(it, 2)
        it.layers[0].reset()
        step(it)
        assert (it.layers[0].active, it.layers[0].previous, it.layers[0].playing) == ("START", None, False)

    def test_reset_of_the_machine_goes_on(self) -> None:
        it = machine([way("A", "B", "go")])
        it.set("go", True)
        step(it, 3)
        it.reset()
        step(it, 3)
        assert (it.layers[0].active, it.layers[0].playing, it.get("go")) == ("A", True, 0.0)

    def test_set_time(self) -> None:
        it = machine([way("A", "B", exit_time=0.5)])
        step(it, 2)
        it.layers[0].set_time(0.75)
        step(it)
        assert (it.layers[0].active, times(it)) == ("A", {"A": 0.75 + DT})

    def test_blend_to_weight_lags_a_step(self) -> None:
        it = machine([])
        it.layers[0].blend_to_weight(0.0, 2 * DT)
        found = []
        for _ in range(4):
            step(it)
            found.append(it.layers[0].weight)
        assert found == [1.0, 0.5, 0.0, 0.0]
        it.layers[0].weight = 0.7  # the change is over
        step(it)
        assert it.layers[0].weight == 0.7

    def test_blend_to_weight_in_no_time(self) -> None:
        it = machine([])
        it.layers[0].pause()
        it.layers[0].blend_to_weight(0.25, 0.0)
        step(it)
        assert it.layers[0].weight == 0.25


class TestVerdicts:
    def test_first_reason_of_each(self) -> None:
        ways = [
            way("A", "B", "go", exit_time=0.9),
            Transition("A", "B", conditions=[Condition("go", value=False), Condition("jump")]),
            way("A", "C"),
            way("A", "D"),
            way("B", "C"),
            way("ANY", "A"),
        ]
        it = machine(ways)
        step(it, 2)
        found = [(finding.verdict, finding.condition) for finding in it.verdicts[0]]
        assert found == [
            (Verdict.OTHER_STATE, -1),
            (Verdict.EXIT_TIME, -1),
            (Verdict.CONDITION, 1),
            (Verdict.TAKEN, -1),
            (Verdict.PRIORITY, -1),
            (Verdict.OTHER_STATE, -1),
            (Verdict.ACTIVE, -1),
        ]
        assert it.taken == [[ways[2]]]

    def test_interruption_and_pause(self) -> None:
        it = machine([way("A", "B", time=1.0), way("B", "C"), way("ANY", "D", "go"), way("C", "D")])
        step(it, 3)
        found = [finding.verdict for finding in it.verdicts[0]]
        other, cut = Verdict.OTHER_STATE, Verdict.INTERRUPTION
        assert found == [other, cut, cut, cut, other]
        it.layers[0].pause()
        step(it)
        assert {finding.verdict for finding in it.verdicts[0]} == {Verdict.PAUSED}
        assert it.taken == [[]]
