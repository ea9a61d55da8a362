"""Explanations: what a character did and why, in words; and questions that make no sense."""

from __future__ import annotations

from typing import Any

import pytest

from skelter.core.errors import ArgumentError
from skelter.crowd.crowd import RECORD_COUNT, Crowd
from skelter.graph.compile import compile as compile_graph
from skelter.graph.controller import Rules
from skelter.graph.graph import ANY, END, START, Condition, Layer, Parameter, State, StateGraph, Transition
from skelter.graph.verdict import Verdict
from skelter.testing.rigs import clock_rig


def make_crowd(count: int = 2, *, rules: Rules = "skelter", **options: Any) -> Crowd:
    ways = [
        Transition(START, "Idle"),
        Transition("Idle", "Walk", 0.25, conditions=[Condition("speed", "GREATER_THAN", 0.5)]),
        Transition("Idle", "Sit", exit_time=2.0),
        Transition("Walk", "Idle", 0.25, conditions=[Condition("speed", "LESS_THAN_EQUAL_TO", 0.5)]),
        Transition(ANY, "Jump", 0.25, conditions=[Condition("jump"), Condition("armed", "NOT_EQUAL_TO", True)]),
        Transition("Jump", END, exit_time=1.0),
        Transition("Walk", END, conditions=[Condition("ammo", "LESS_THAN", 3)]),
    ]
    parameters = [
        Parameter("speed"),
        Parameter("jump", "TRIGGER", False),
        Parameter("armed", "BOOLEAN", False),
        Parameter("ammo", "INTEGER", 10),
    ]
    layers = [
        Layer("Base", list(map(State, ("Idle", "Walk", "Sit", "Jump"))), ways),
        Layer("Arms", [State("Wave")], [Transition(START, "Wave"), Transition(ANY, END)]),
    ]
    rig = clock_rig(dict.fromkeys(("Idle", "Walk", "Sit", "Jump", "Wave"), 1.0))
    crowd = Crowd(compile_graph(StateGraph(layers, parameters), rig, rules=rules), count, **options)
    crowd.step(0.125)  # from START; the time of a state begins with the next step
    crowd.step(0.25)
    return crowd


def base(crowd: Crowd, number: int) -> str:
    """Return what is said of a transition of the base layer."""
    return crowd.explain(1, layer="Base", transition=number).verdicts[0].text


class TestWrongQuestions:
    @pytest.mark.parametrize("char", [2, -1, 1.0, True, None, [], [0, 1], "0", slice(0, 1)])
    def test_no_such_character(self, char: Any) -> None:
        with pytest.raises(ArgumentError, match="char"):
            make_crowd().explain(char)

    def test_no_such_state(self) -> None:
        crowd = make_crowd()
        with pytest.raises(ArgumentError, match="target: no state 'Jmp'; did you mean 'Jump'"):
            crowd.explain(0, "Jmp")
        with pytest.raises(ArgumentError, match="target: no state 'Jump'"):
            crowd.explain(0, "Jump", layer="Arms")
        for control in (START, ANY):
            with pytest.raises(ArgumentError, match="target: no state"):
                crowd.explain(0, control)

    def test_no_such_layer(self) -> None:
        with pytest.raises(ArgumentError, match="no layer 'Legs'"):
            make_crowd().explain(0, layer="Legs")

    @pytest.mark.parametrize("transition", [7, -1, 0.5, True, "0"])
    def test_no_such_transition(self, transition: Any) -> None:
        with pytest.raises(ArgumentError, match=r"there is no transition .*; layer Base has 7, from 0"):
            make_crowd().explain(0, layer="Base", transition=transition)

    def test_a_transition_of_no_layer(self) -> None:
        with pytest.raises(ArgumentError, match="transition: name the layer, too"):
            make_crowd().explain(0, transition=0)

    def test_nothing_was_recorded(self) -> None:
        for crowd in (make_crowd(record=False), make_crowd(RECORD_COUNT + 1)):
            with pytest.raises(ArgumentError, match="explain: nothing was recorded; make the crowd with record=True"):
                crowd.explain(0)
            with pytest.raises(ArgumentError, match="verdicts: nothing was recorded"):
                crowd.verdicts()

    def test_nobody_is_there(self) -> None:
        with pytest.raises(ArgumentError, match="no character 0; there are 0"):
            make_crowd(0).explain(0)


class TestTexts:
    def test_conditions_say_what_they_saw_in_the_words_of_their_type(self) -> None:
        crowd = make_crowd()
        crowd.set("armed", [False, True])
        crowd.set("speed", [9.0, 0.125])
        crowd.step(0.25)
        assert base(crowd, 1) == "condition speed > 0.5 does not hold: it is 0.125"
        assert base(crowd, 4) == "condition jump == true does not hold: it is false"
        crowd.trigger("jump")
        crowd.step(0.25)
        assert base(crowd, 4) == "condition armed != true does not hold: it is true"

    def test_whole_numbers(self) -> None:
        crowd = make_crowd()
        crowd.set("speed", 1.0)
        for _ in range(3):
            crowd.step(0.25)
        assert base(crowd, 6) == "condition ammo < 3 does not hold: it is 10"

    def test_exit_times_say_the_window(self) -> None:
        crowd = make_crowd()
        assert base(crowd, 2) == "exit time 2 was not passed: the state went from 0 to 0.25 plays"

    def test_by_the_rules_of_playcanvas_the_window_is_that_of_the_active_state(self) -> None:
        ways = [
            Transition(START, "A"),
            Transition("A", "B", 1.0, conditions=[Condition("go")], interruption="PREV_STATE"),
            Transition("A", "C", exit_time=5.0),
        ]
        graph = StateGraph([Layer("Base", list(map(State, "ABC")), ways)], [Parameter("go", "TRIGGER", False)])
        texts = []
        every: tuple[Rules, ...] = ("skelter", "playcanvas")
        for rules in every:
            crowd = Crowd(compile_graph(graph, clock_rig(dict.fromkeys("ABC", 1.0)), rules=rules))
            crowd.step(0.125)
            crowd.step(0.5)
            crowd.trigger("go")
            crowd.step(0.0)
            crowd.step(0.25)
            texts.append(crowd.explain(0, layer=0, transition=2).verdicts[0].text)
        assert texts[0].endswith("from 0.5 to 0.75 plays")
        assert texts[1].endswith("from 0 to 0.25 plays")

    def test_taken_and_what_was_looked_at_later(self) -> None:
        crowd = make_crowd()
        crowd.set("speed", 1.0)
        crowd.trigger("jump")
        crowd.step(0.25)
        assert base(crowd, 1) == "taken"
        assert "those of the state go before those of ANY" in base(crowd, 4)
        crowd.step(0.125)
        assert base(crowd, 4) == (
            "the cross-fade Idle -> Walk (interruptionSource NONE) is running, which it may not interrupt"
        )
        crowd.layer("Base").play("Sit")
        assert base(crowd, 4).startswith("a cross-fade (see its interruptionSource) is running")

    def test_what_is_active_already(self) -> None:
        crowd = make_crowd()
        assert crowd.explain(0, layer="Arms", transition=1).verdicts[0].text == "Wave (END) is active already"

    def test_paused_and_elsewhere(self) -> None:
        crowd = make_crowd()
        assert base(crowd, 3) == "Walk is not active"
        crowd.layer("Base").pause()
        crowd.step(0.25)
        assert base(crowd, 3) == "the layer is paused"
        assert crowd.explain(1, layer="Base").status == ("Base: 0.25 plays into Idle, paused",)

    def test_as_a_whole(self) -> None:
        crowd = make_crowd()
        crowd.set("speed", [0.0, 1.0])
        crowd.step(0.125)
        assert str(crowd.explain(1)).splitlines() == [
            "character 1 at 0.5 s",
            "Base: 0 plays into Walk, fading in from Idle (50%)",
            "Arms: 0.375 plays into Wave",
            "Base: transitions[1] Idle -> Walk: taken",
            "Base: transitions[2] Idle -> Sit: exit time 2 was not passed: the state went from 0.25 to 0.375 plays",
            "Base: transitions[4] ANY -> Jump: condition jump == true does not hold: it is false",
            "Arms: transitions[1] ANY -> END: Wave (END) is active already",
        ]

    def test_a_state_that_is_played_at_once_comes_from_nowhere(self) -> None:
        crowd = make_crowd()
        crowd.layer("Base").play("Walk")
        assert crowd.explain(0, layer="Base").status == ("Base: 0 plays into Walk, fading in (100%)",)


class TestQuestions:
    def test_a_target_is_asked_for_whatever_is_active(self) -> None:
        verdicts = make_crowd().explain(0, "Idle").verdicts
        assert [(verdict.layer, verdict.index, verdict.verdict) for verdict in verdicts] == [
            ("Base", 0, Verdict.OTHER_STATE),
            ("Base", 3, Verdict.OTHER_STATE),
            ("Base", 5, Verdict.OTHER_STATE),
            ("Base", 6, Verdict.OTHER_STATE),
        ]
        assert (verdicts[2].source, verdicts[2].target) == ("Jump", END)

    def test_end_is_asked_for_by_its_own_name(self) -> None:
        assert [verdict.index for verdict in make_crowd().explain(0, END, layer="Base").verdicts] == [5, 6]

    def test_one_layer(self) -> None:
        explanation = make_crowd().explain(0, layer=1)
        assert len(explanation.status) == 1
        assert {verdict.layer for verdict in explanation.verdicts} == {"Arms"}

    def test_codes_for_all_at_once_are_copies(self) -> None:
        crowd = make_crowd()
        crowd.set("speed", [0.0, 1.0])
        crowd.step(0.25)
        codes = crowd.verdicts("Base")
        assert codes.shape == (2, 7)
        assert codes[:, 1].tolist() == [Verdict.CONDITION, Verdict.TAKEN]
        crowd.step(0.25)
        assert codes[:, 1].tolist() == [Verdict.CONDITION, Verdict.TAKEN]
