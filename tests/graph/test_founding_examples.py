"""The rules and examples of PlayCanvas's manual on state graphs, a test each.

Clips are named like the states that play them; most last 1 or 2 s, and steps 1/8 s, so that all times are exact.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import get_args

import numpy as np
import pytest

from skelter.core.errors import ArgumentError, GraphError
from skelter.crowd.crowd import Crowd
from skelter.graph.compile import compile as compile_graph
from skelter.graph.files.read import graph_from_json
from skelter.graph.graph import (
    ANY,
    END,
    START,
    Condition,
    Interruption,
    Layer,
    Parameter,
    Predicate,
    State,
    StateGraph,
    Transition,
)
from skelter.graph.lint import lint
from skelter.testing.rigs import clock_rig
from skelter.testing.scenario import Scenario
from tests.support.state_graphs import locomotion

DT = 1 / 8

A_B_DURATIONS_S = {"A": 2.0, "B": 2.0, "C": 2.0}
GO = Condition("go")
PARAMETERS = (Parameter("go", "TRIGGER", False), Parameter("speed", "FLOAT", 0.0))


def scenario(
    states: Sequence[str | State],
    transitions: Sequence[Transition],
    *,
    parameters: Sequence[Parameter] = PARAMETERS,
    durations: Mapping[str, float] | None = None,
) -> Scenario:
    """Put a character on a graph of one layer whose default state is the first one."""
    made = [State(state) if isinstance(state, str) else state for state in states]
    layer = Layer("Base", made, [Transition(START, made[0].name), *transitions])
    given = durations or {state.name: 2.0 for state in made}
    return Scenario(StateGraph([layer], list(parameters)), clock_rig(given), dt=DT)


def active(of: Scenario, layer: str | int = 0) -> str:
    return str(of.crowd.layer(layer).active[0])


def entered(of: Scenario, state: str) -> list[float]:
    """Return the times at which a state was entered [s]."""
    return [stay.begin for stay in of.timeline.stays["Base"] if stay.state == state]


class TestGraphs:
    def test_a_graph_is_a_template_for_rigs_with_their_own_clips(self) -> None:
        graph = graph_from_json(locomotion())
        quick = clock_rig({"Idle": 1.0, "Walk": 1.0, "Jump": 0.5})
        slow = clock_rig({"rest": 4.0, "plod": 3.0, "hop": 2.0})
        named = {"Idle": "rest", "Walk": "plod", "Jump": "hop"}
        for rig, clips, length in ((quick, None, 0.5), (slow, named, 2.0)):
            of = Scenario(graph, rig, clips=clips, dt=DT).frames().trigger("jump").step(length).assert_state("Jump")
            of.until("Idle", within=0.25)

    def test_every_layer_is_a_machine_of_its_own(self) -> None:
        ways = [Transition(START, "A"), Transition("A", "B", conditions=[GO])]
        blocked = [Transition(START, "A"), Transition("A", "B", conditions=[Condition("speed", "GREATER_THAN", 1.0)])]
        layers = [Layer(name, [State("A"), State("B")], w) for name, w in (("Legs", ways), ("Arms", blocked))]
        clips = {f"{layer.name}:{state.name}": state.name for layer in layers for state in layer.states}
        of = Scenario(StateGraph(layers, list(PARAMETERS)), clock_rig(A_B_DURATIONS_S), clips=clips, dt=DT)
        of.step(1.0).trigger("go").frames()
        of.assert_state("B", layer="Legs").assert_state("A", layer="Arms")
        of.set(speed=2.0).frames().assert_state("B", layer="Arms")

    def test_one_trigger_serves_one_transition_in_each_layer(self) -> None:
        ways = [Transition(START, "A"), Transition("A", "B", conditions=[GO])]
        layers = [Layer(name, [State("A"), State("B")], list(ways)) for name in ("Legs", "Arms")]
        clips = {f"{layer.name}:{state.name}": state.name for layer in layers for state in layer.states}
        of = Scenario(StateGraph(layers, list(PARAMETERS)), clock_rig(A_B_DURATIONS_S), clips=clips, dt=DT)
        of.frames().trigger("go").frames()
        of.assert_state("B", layer="Legs").assert_state("B", layer="Arms")

    def test_states_play_when_all_have_clips_and_missing_ones_are_listed_together(self) -> None:
        with pytest.raises(GraphError) as caught:
            compile_graph(graph_from_json(locomotion()), clock_rig({"Idle": 1.0}))
        assert "Walk: there is no clip" in str(caught.value)
        assert "Jump: there is no clip" in str(caught.value)

    def test_binding_keeps_the_speed_and_loop_of_the_graph(self) -> None:
        states = [State("A", speed=0.5, loop=False)]
        layer = Layer("Base", states, [Transition(START, "A")])
        of = Scenario(StateGraph([layer]), clock_rig({"clip": 1.0}), clips={"A": "clip"}, dt=DT)
        of.frames().step(1.0).assert_progress(0.5)
        of.step(9.0).assert_progress(1.0)

    def test_state_names_are_unique_in_a_layer(self) -> None:
        with pytest.raises(GraphError, match="A"):
            scenario(["A", "A"], [])


class TestStates:
    def test_start_leads_on_at_once(self) -> None:
        scenario(["A"], []).assert_state(START).frames().assert_state("A")

    def test_nothing_leads_to_start(self) -> None:
        with pytest.raises(GraphError, match="START cannot be a target"):
            scenario(["A"], [Transition("A", START)])

    def test_one_state_is_active_and_it_is_the_default_one_first(self) -> None:
        assert active(scenario(["A", "B"], []).step(5.0)) == "A"

    @pytest.mark.parametrize(("speed", "plays"), [(1.0, 0.5), (2.0, 1.0), (0.25, 0.125)])
    def test_the_speed_of_a_state_multiplies_that_of_its_clip(self, speed: float, plays: float) -> None:
        scenario([State("A", speed=speed)], []).frames().step(1.0).assert_progress(plays)

    def test_a_state_that_does_not_loop_holds_its_last_frame(self) -> None:
        of = scenario([State("A", loop=False)], []).step(10.0)
        assert of.crowd.playback.time[0, 0] == 2.0
        of.step(10.0).assert_state("A").assert_weights({"A": 1.0})

    def test_a_state_that_loops_goes_on_with_its_first_frame(self) -> None:
        of = scenario(["A"], []).step(5.0)
        assert of.crowd.playback.time[0, 0] == pytest.approx(1.0)

    def test_end_leads_to_the_default_state_every_time(self) -> None:
        ways = [Transition("A", "B", conditions=[GO]), Transition("B", END, exit_time=1.0)]
        of = scenario(["A", State("B", loop=False)], ways)
        for _ in range(3):
            of.step(0.5).trigger("go").frames().assert_state("B").until("A", within=2.5)

    def test_end_starts_the_default_state_over_even_while_it_is_active(self) -> None:
        of = scenario(["A"], [Transition("A", END, exit_time=1.0)]).step(11.0)
        assert len(entered(of, "A")) >= 5
        assert of.crowd.layer().progress[0] <= 1.0

    @pytest.mark.parametrize("state", ["A", "B", "C"])
    def test_any_leads_on_from_every_state(self, state: str) -> None:
        of = scenario(["A", "B", "C", "Hit"], [Transition(ANY, "Hit", conditions=[GO])]).frames()
        of.crowd.layer().transition(state)
        of.frames(2).assert_state(state).trigger("go").frames().assert_state("Hit").assert_previous(state)

    def test_nothing_leads_to_any(self) -> None:
        with pytest.raises(GraphError, match="ANY cannot be a target"):
            scenario(["A"], [Transition("A", ANY)])


class TestTransitions:
    def test_without_exit_time_and_conditions_they_are_taken_at_once(self) -> None:
        of = scenario(["A", "B"], [Transition("A", "B")]).frames(2).assert_state("B")
        assert entered(of, "A") == [0.0]

    def test_one_without_a_time_switches_at_once(self) -> None:
        of = scenario(["A", "B"], [Transition("A", "B", conditions=[GO])]).frames().trigger("go").frames()
        of.assert_state("B").assert_transitioning(False).assert_weights({"B": 1.0})

    def test_one_with_a_time_fades_evenly_for_as_many_seconds(self) -> None:
        of = scenario(["A", "B"], [Transition("A", "B", 0.5, conditions=[GO])]).frames().trigger("go").frames()
        for weight in (0.25, 0.5, 0.75, 1.0):
            of.assert_transitioning().assert_weights({"A": 1.0 - weight, "B": weight}).frames()
        of.assert_transitioning(False).assert_weights({"B": 1.0})

    def test_they_never_lead_to_the_active_state(self) -> None:
        of = scenario(["A", "B"], [Transition("A", "A"), Transition(ANY, "A", conditions=[GO])]).frames().trigger("go")
        of.step(3.0)
        assert len(entered(of, "A")) == 1
        assert bool(of.crowd.get("go")[0])

    def test_exit_time_below_1_is_passed_once_in_every_loop(self) -> None:
        of = scenario(["A", "B"], [Transition("A", "B", exit_time=0.75, conditions=[GO])]).frames()
        of.step(1.75).trigger("go").until("B", within=2.0)
        assert entered(of, "B") == [2.0 + 1.5]  # the first one, at 1.5 s, was over

    def test_exit_time_1_is_the_end_of_the_first_play(self) -> None:
        of = scenario(["A", "B"], [Transition("A", "B", exit_time=1.0)]).step(5.0)
        assert entered(of, "B") == [2.0]

    def test_exit_time_2_5_is_the_middle_of_the_third_play(self) -> None:
        of = scenario(["A", "B"], [Transition("A", "B", exit_time=2.5)]).step(6.0)
        assert entered(of, "B") == [5.0]

    def test_exit_time_counts_plays_whatever_the_speed(self) -> None:
        of = scenario([State("A", speed=2.0), "B"], [Transition("A", "B", exit_time=1.0)]).step(5.0)
        assert entered(of, "B") == [1.0]

    @pytest.mark.parametrize("offset", [0.0, 0.25, 0.5])
    def test_offset_is_where_the_next_clip_starts(self, offset: float) -> None:
        of = scenario(["A", "B"], [Transition("A", "B", offset=offset, conditions=[GO])]).frames().trigger("go")
        of.frames().assert_state("B").assert_progress(offset)
        assert of.crowd.playback.time[0, 0] == pytest.approx(offset * 2.0 + DT)

    def test_all_conditions_have_to_hold(self) -> None:
        conditions = [Condition("speed", "GREATER_THAN", 1.0), Condition("armed")]
        parameters = [Parameter("speed"), Parameter("armed", "BOOLEAN", False)]
        of = scenario(["A", "B"], [Transition("A", "B", conditions=conditions)], parameters=parameters)
        of.set(speed=2.0).step(1.0).assert_state("A")
        of.set(speed=0.0, armed=True).step(1.0).assert_state("A")
        of.set(speed=2.0).frames().assert_state("B")

    @pytest.mark.parametrize(("first", "target"), [((1, 0), "C"), ((0, 1), "B"), ((0, 0), "B")])
    def test_of_several_the_lowest_priority_number_is_taken_then_the_first(
        self, first: tuple[int, int], target: str
    ) -> None:
        ways = [Transition("A", "B", priority=first[0]), Transition("A", "C", priority=first[1])]
        scenario(["A", "B", "C"], ways).frames(2).assert_state(target)

    def test_those_of_the_state_come_before_those_of_any(self) -> None:
        ways = [
            Transition(ANY, "B", priority=0, conditions=[GO]),
            Transition("A", "C", priority=9, conditions=[Condition("speed", "GREATER_THAN", 0.0)]),
        ]
        scenario(["A", "B", "C"], ways).frames().set(speed=1.0).trigger("go").frames().assert_state("C")


class TestInterruption:
    """A fades to B for a second. Then A could go to C, and B to D."""

    @pytest.mark.parametrize(
        ("source", "while_a", "while_b", "both"),
        [
            ("NONE", "B", "B", "B"),
            ("PREV_STATE", "C", "B", "C"),
            ("NEXT_STATE", "B", "D", "D"),
            ("PREV_STATE_NEXT_STATE", "C", "D", "C"),
            ("NEXT_STATE_PREV_STATE", "C", "D", "D"),
        ],
    )
    def test_sources(self, source: Interruption, while_a: str, while_b: str, both: str) -> None:
        for parameters, target in ((("a",), while_a), (("b",), while_b), (("a", "b"), both)):
            of = self.fading(source)
            for name in parameters:
                of.set(name, True)
            of.frames().assert_state(target)

    def test_every_source_has_a_test(self) -> None:
        assert len(get_args(Interruption)) == 5

    def test_without_one_the_fade_ends_first(self) -> None:
        of = self.fading("NONE").set(b=True).step(0.5).assert_state("B")
        of.until("D", within=0.75)

    def test_the_pose_does_not_jump(self) -> None:
        of = self.fading("NEXT_STATE").frames(3)
        before = of.weights()
        after = of.set(b=True).frames().weights()
        assert set(after) == {"A", "B", "D"}
        shares = [after[name] / (1.0 - after["D"]) for name in ("A", "B")]
        assert np.allclose(shares, [before["A"], before["B"]])

    @staticmethod
    def fading(source: Interruption) -> Scenario:
        ways = [
            Transition("A", "B", 1.0, conditions=[GO], interruption=source),
            Transition("A", "C", 0.5, conditions=[Condition("a")]),
            Transition("B", "D", 0.5, conditions=[Condition("b")]),
        ]
        parameters = [*PARAMETERS, Parameter("a", "BOOLEAN", False), Parameter("b", "BOOLEAN", False)]
        of = scenario(["A", "B", "C", "D"], ways, parameters=parameters)
        return of.frames().trigger("go").frames().assert_state("B").assert_transitioning()


class TestParameters:
    TYPED = (
        Parameter("speed", "FLOAT", 0.5),
        Parameter("weapon", "INTEGER", 1),
        Parameter("crouching", "BOOLEAN", True),
        Parameter("jump", "TRIGGER", False),
    )

    def test_they_have_a_name_a_type_and_a_default(self) -> None:
        crowd = self.crowd()
        assert [crowd.get(parameter.name)[0] for parameter in self.TYPED] == [0.5, 1, True, False]
        assert [crowd.get(parameter.name).dtype.kind for parameter in self.TYPED] == ["f", "i", "b", "b"]

    def test_numbers_and_booleans_keep_what_was_set(self) -> None:
        crowd = self.crowd()
        for name, value in (("speed", 1.25), ("weapon", 2), ("crouching", False)):
            crowd.set(name, value)
        crowd.step(1.0)
        assert [crowd.get(name)[0] for name in ("speed", "weapon", "crouching")] == [1.25, 2, False]

    @pytest.mark.parametrize(
        ("name", "value"), [("weapon", 1.5), ("crouching", 2), ("speed", float("nan")), ("sped", 1)]
    )
    def test_wrong_names_and_values_are_refused(self, name: str, value: float) -> None:
        crowd = self.crowd()
        with pytest.raises(ArgumentError, match=name):
            crowd.set(name, value)

    def test_a_trigger_stays_set_until_a_transition_uses_it(self) -> None:
        ways = [Transition("A", "B", exit_time=1.0), Transition("B", "C", conditions=[GO])]
        of = scenario(["A", "B", "C"], ways).trigger("go").step(2.0)
        assert of.crowd.get("go")[0]
        of.until("C", within=0.5)
        assert not of.crowd.get("go")[0]

    def test_a_single_frame_trigger_is_gone_after_the_step_used_or_not(self) -> None:
        of = scenario(["A", "B"], [Transition("A", "B", exit_time=0.5, conditions=[GO])])
        of.trigger("go", single_frame=True).frames()
        assert not of.crowd.get("go")[0]
        of.step(3.0).assert_state("A")

    def test_a_trigger_can_be_taken_back(self) -> None:
        of = scenario(["A", "B"], [Transition("A", "B", conditions=[GO])]).trigger("go")
        of.crowd.reset_trigger("go")
        of.step(1.0).assert_state("A")

    @pytest.mark.parametrize(
        ("predicate", "holds"),
        [
            ("EQUAL_TO", (False, True, False)),
            ("NOT_EQUAL_TO", (True, False, True)),
            ("LESS_THAN", (True, False, False)),
            ("LESS_THAN_EQUAL_TO", (True, True, False)),
            ("GREATER_THAN", (False, False, True)),
            ("GREATER_THAN_EQUAL_TO", (False, True, True)),
        ],
    )
    def test_six_predicates(self, predicate: Predicate, holds: tuple[bool, bool, bool]) -> None:
        way = Transition("A", "B", conditions=[Condition("speed", predicate, 2.0)])
        for value, expected in zip((1.0, 2.0, 3.0), holds, strict=True):
            of = scenario(["A", "B"], [way]).set(speed=value).frames(2)
            assert active(of) == ("B" if expected else "A")

    def test_every_predicate_has_a_test(self) -> None:
        assert len(get_args(Predicate)) == 6

    def crowd(self) -> Crowd:
        graph = StateGraph([Layer("Base", [State("A")], [Transition(START, "A")])], list(self.TYPED))
        return Crowd(compile_graph(graph, clock_rig({"A": 1.0})))


class TestReadBack:
    def test_active_and_previous_state_and_the_running_fade(self) -> None:
        of = scenario(["A", "B"], [Transition("A", "B", 0.5, conditions=[GO])]).frames()
        layer = of.crowd.layer("Base")
        assert (layer.active[0], layer.previous[0], layer.transitioning[0]) == ("A", START, False)
        of.trigger("go").frames()
        assert (layer.active[0], layer.previous[0], layer.transitioning[0]) == ("B", "A", True)
        assert layer.transition_progress[0] == 0.25
        of.step(0.5)
        assert (layer.active[0], layer.previous[0], layer.transitioning[0]) == ("B", "A", False)


class TestLocomotion:
    """Idle and walk by speed, a jump from anywhere that ends by itself: read from the engine's form of JSON."""

    def test_speed_chooses_idle_or_walk(self) -> None:
        of = self.scenario().step(1.0).assert_state("Idle")
        of.set(speed=1.2).frames().assert_state("Walk").step(1.0)
        of.set(speed=0.5).frames().assert_state("Idle")

    @pytest.mark.parametrize("speed", [0.0, 1.2])
    def test_jump_interrupts_both_and_ends_in_idle_by_way_of_end(self, speed: float) -> None:
        of = self.scenario().set(speed=speed).step(1.0).trigger("jump").frames().assert_state("Jump")
        of.step(0.75).assert_state("Jump").until("Idle", within=0.5)
        of.assert_visited("Jump", "Idle")

    def test_speed_may_be_an_integer_that_chooses_idle_walk_or_run(self) -> None:
        steps = {"Idle": 0, "Walk": 1, "Run": 2}
        ways = [
            Transition(source, target, 0.25, conditions=[Condition("speed", "EQUAL_TO", steps[target])])
            for source, target in itertools.permutations(steps, 2)
        ]
        ways += [
            Transition(ANY, "Jump", 0.25, conditions=[Condition("jump")]),
            Transition("Jump", END, 0.25, exit_time=1.0),
        ]
        parameters = [Parameter("speed", "INTEGER", 0), Parameter("jump", "TRIGGER", False)]
        of = scenario([*steps, State("Jump", loop=False)], ways, parameters=parameters)
        for name in ("Walk", "Run", "Idle", "Run"):
            of.set(speed=steps[name]).step(0.5).assert_state(name)
        of.trigger("jump").frames().assert_state("Jump").until("Idle", within=2.25).until("Run", within=0.5)

    def scenario(self) -> Scenario:
        return Scenario(graph_from_json(locomotion()), clock_rig({"Idle": 2.0, "Walk": 1.0, "Jump": 1.0}), dt=DT)


class TestRobotArm:
    """Waits until it is told to work; then it picks, places and waits again."""

    def test_it_waits(self) -> None:
        self.scenario().step(20.0).assert_state("Idle")

    def test_a_trigger_is_one_cycle(self) -> None:
        of = self.scenario().step(1.0).trigger("work").step(10.0).assert_state("Idle")
        assert of.timeline.visited("Base") == [START, "Idle", "Pick", "Place", "Idle"]

    def test_every_step_plays_to_its_end_before_the_next_one_fades_in(self) -> None:
        of = self.scenario().step(1.0).trigger("work").step(10.0)
        assert entered(of, "Place")[0] - entered(of, "Pick")[0] == 1.5
        assert entered(of, "Idle")[1] - entered(of, "Place")[0] == 1.25

    def test_a_second_press_during_the_cycle_starts_another_one_right_after_it(self) -> None:
        of = self.scenario().step(1.0).trigger("work").step(1.0).trigger("work").step(12.0)
        assert of.timeline.visited("Base") == [START, "Idle", "Pick", "Place", "Idle", "Pick", "Place", "Idle"]
        assert entered(of, "Pick")[1] - entered(of, "Idle")[1] == 0.5  # when the fade to Idle is over

    def test_exit_time_one_half_places_before_the_pick_is_over(self) -> None:
        of = self.scenario(pick_until=0.5).step(1.0).trigger("work").step(5.0)
        assert entered(of, "Place")[0] - entered(of, "Pick")[0] == 0.75

    def test_another_state_can_follow_the_place(self) -> None:
        of = self.scenario(after=("Inspect",)).step(1.0).trigger("work").step(10.0)
        assert of.timeline.visited("Base") == [START, "Idle", "Pick", "Place", "Inspect", "Idle"]

    def test_lint_finds_nothing_in_it(self) -> None:
        assert lint(self.scenario().crowd.controller.graph) == ()

    @staticmethod
    def scenario(pick_until: float = 1.0, after: Sequence[str] = ()) -> Scenario:
        chain = ["Pick", "Place", *after]
        ways = [Transition("Idle", "Pick", 0.375, conditions=[Condition("work")])]
        for source, target in itertools.pairwise([*chain, "Idle"]):
            ways.append(Transition(source, target, 0.375, exit_time=pick_until if source == "Pick" else 1.0))
        states = ["Idle", *(State(name, loop=False) for name in chain)]
        durations = {"Idle": 2.0, "Pick": 1.5, "Place": 1.25, "Inspect": 1.0}
        parameters = [Parameter("work", "TRIGGER", False)]
        return scenario(states, ways, parameters=parameters, durations=durations)
