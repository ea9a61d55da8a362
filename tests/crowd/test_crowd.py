"""The handle on characters: wrong arguments change nothing, selections, triggers, snapshots."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from skelter.core.errors import ArgumentError
from skelter.crowd.crowd import COUNT_MAX, Crowd
from skelter.graph.advance import TIMINGS, Timing
from skelter.graph.compile import compile  # noqa: A004
from skelter.graph.controller import Controller
from skelter.graph.graph import Condition, Layer, Parameter, State, StateGraph, Transition
from skelter.graph.verdict import Verdict
from skelter.testing.graphs import InputStep, random_bindings, random_graph, random_inputs
from skelter.testing.rigs import clock_rig

DT = 0.125
CHAR_COUNT = 4


@pytest.fixture(scope="module")
def controller() -> Controller:
    """Idle, a run by speed, and a jump and a hit by triggers, which lead on only if they are set again."""
    ways = [
        Transition("START", "Idle"),
        Transition("Idle", "Run", conditions=[Condition("speed", "GREATER_THAN", 1.0)]),
        Transition("Idle", "Jump", conditions=[Condition("jump")]),
        Transition("Jump", "Idle", conditions=[Condition("hit")]),
    ]
    parameters = [
        Parameter("speed", "FLOAT", 0.5),
        Parameter("level", "INTEGER", 2),
        Parameter("armed", "BOOLEAN", True),
        Parameter("jump", "TRIGGER", False),
        Parameter("hit", "TRIGGER", False),
    ]
    graph = StateGraph([Layer("Base", [State("Idle"), State("Run"), State("Jump")], ways)], parameters)
    rig = clock_rig({"idle": 1.0, "run": 0.5, "jump": 0.75}, {"idle": [0.25], "jump": [0.125, 0.5]})
    return compile(graph, rig)


@pytest.fixture
def crowd(controller: Controller) -> Crowd:
    crowd = Crowd(controller, CHAR_COUNT)
    crowd.step(DT)
    return crowd


def contents(crowd: Crowd) -> list[np.ndarray]:
    """Everything that a step or a setter changes."""
    return [array.copy() for array in crowd.snapshot().table.columns.values()]


class TestWrongArguments:
    @pytest.mark.parametrize(
        ("act", "message"),
        [
            (lambda crowd: crowd.set("sped", 1.0), r"no parameter 'sped'.*did you mean 'speed'"),
            (lambda crowd: crowd.get("sped"), "did you mean 'speed'"),
            (lambda crowd: crowd.set("speed", "fast"), "speed: expected numbers, got 'fast'"),
            (lambda crowd: crowd.set("speed", None), "speed: expected numbers, got None"),
            (lambda crowd: crowd.set("speed", [[1.0], [2.0, 3.0]]), "speed: expected numbers"),
            (lambda crowd: crowd.set("speed", [1.0, 2.0]), r"one for each of 4 characters, got shape \[2\]"),
            (lambda crowd: crowd.set("speed", np.ones((4, 1))), r"got shape \[4, 1\]"),
            (lambda crowd: crowd.set("speed", [1.0, 2.0, np.nan, 4.0]), "the value for character 2 is nan"),
            (lambda crowd: crowd.set("speed", [1.0, np.inf], where=[0, 3]), "the value for character 3 is inf"),
            (lambda crowd: crowd.set("level", [0, 1, 2, 2.5]), "whole numbers.*; the value for character 3 is 2.5"),
            (lambda crowd: crowd.set("armed", 2), "True or False; the value for character 0 is 2"),
            (lambda crowd: crowd.set("jump", 0.5), "is of type TRIGGER"),
            (lambda crowd: crowd.trigger("speed"), "speed: it is of type FLOAT, no trigger; use set"),
            (lambda crowd: crowd.reset_trigger("armed"), "no trigger"),
            (lambda crowd: crowd.trigger("jmp"), "did you mean 'jump'"),
            (lambda crowd: crowd.set("speed", 1.0, where=4), "there is no character 4; there are 4, from 0"),
            (lambda crowd: crowd.set("speed", 1.0, where=[0, -1]), "there is no character -1"),
            (lambda crowd: crowd.set("speed", 1.0, where=[0.5]), "expected indices below 4 or 4 booleans"),
            (lambda crowd: crowd.set("speed", 1.0, where=[True, False]), "expected indices below 4 or 4 booleans"),
            (lambda crowd: crowd.set("speed", 1.0, where="all"), "expected indices below 4"),
            (lambda crowd: crowd.trigger("jump", where=[9]), "there is no character 9"),
            (lambda crowd: crowd.set_speed([1.0, -0.5, 1.0, 1.0]), "the one for character 1 is -0.5"),
            (lambda crowd: crowd.set_speed(np.nan), "the value for character 0 is nan"),
            (lambda crowd: crowd.step(-0.1), "dt: expected a number from 0 to 3600 s, got -0.1"),
            (lambda crowd: crowd.step(float("nan")), "dt: expected a number"),
            (lambda crowd: crowd.step("soon"), "dt: expected a number from 0 to 3600 s, got 'soon'"),
            (lambda crowd: crowd.step(1e9), "dt: expected a number"),
            (lambda crowd: crowd.layer("Bse"), "did you mean 'Base'"),
            (lambda crowd: crowd.layer(1), "layer"),
            (lambda crowd: crowd.reset(where=7), "there is no character 7"),
        ],
    )
    def test_are_named_and_nothing_is_applied(self, crowd: Crowd, act: Callable[[Crowd], Any], message: str) -> None:
        before, time = contents(crowd), crowd.time
        with pytest.raises(ArgumentError, match=message):
            act(crowd)
        assert all(np.array_equal(one, other) for one, other in zip(before, contents(crowd), strict=True))
        assert crowd.time == time

    @pytest.mark.parametrize("count", [-1, 1.5, True, COUNT_MAX + 1])
    def test_count(self, controller: Controller, count: Any) -> None:
        with pytest.raises(ArgumentError, match="count: expected a whole number"):
            Crowd(controller, count)

    def test_controller(self) -> None:
        with pytest.raises(ArgumentError, match=r"expected a Controller, got str; make one with sk\.compile"):
            Crowd("graph.json")  # type: ignore[arg-type]

    def test_timing(self, controller: Controller) -> None:
        with pytest.raises(ArgumentError, match="expected 'frame' or 'exact', got 'vague'"):
            Crowd(controller, timing="vague")  # type: ignore[arg-type]

    def test_a_snapshot_of_another_crowd(self, crowd: Crowd, controller: Controller) -> None:
        with pytest.raises(ArgumentError, match="it is of 3 characters, not 4"):
            crowd.restore(Crowd(controller, 3).snapshot())
        with pytest.raises(
            ArgumentError, match=r"snapshot: expected a Snapshot, got NoneType; crowd.snapshot\(\) makes"
        ):
            crowd.restore(None)  # type: ignore[arg-type]

    def test_verdicts_that_were_not_recorded(self, controller: Controller) -> None:
        crowd = Crowd(controller, record=False)
        with pytest.raises(ArgumentError, match="record=True"):
            crowd.verdicts()


class TestShortTexts:
    def test_they_say_what_there_is_and_no_arrays(self, controller: Controller) -> None:
        crowd = Crowd(controller, 3)
        assert repr(crowd.rig).startswith("<Rig 'clock': 1 joints, 3 clips, ")
        assert repr(crowd.rig).endswith(" vertices, 0.0 MB>")
        assert repr(controller) == "<Controller of 'graph' for 'clock': 1 layers, 3 states, 5 parameters>"
        assert repr(crowd) == "<Crowd of 3 'clock' with 'graph' at 0 s>"
        assert repr(crowd.snapshot()) == "<Snapshot of 3 characters at 0 s>"


class TestNoCharacters:
    def test_everything_goes_on(self, controller: Controller) -> None:
        crowd = Crowd(controller, 0)
        crowd.set("speed", 1.0)
        crowd.trigger("jump")
        crowd.step(DT)
        assert len(crowd) == 0
        assert crowd.events == []
        assert crowd.layer().active.shape == crowd.layer().progress.shape == (0,)
        assert crowd.pose.shape[0] == 0
        assert crowd.verdicts().shape == (0, 4)


class TestParameters:
    def test_first_values_and_types(self, crowd: Crowd) -> None:
        assert crowd.get("speed").tolist() == [0.5] * CHAR_COUNT
        assert crowd.get("level").tolist() == [2] * CHAR_COUNT
        assert [crowd.get(name).dtype for name in ("speed", "level", "armed", "jump")] == [
            np.float64,
            np.int64,
            np.bool_,
            np.bool_,
        ]

    @pytest.mark.parametrize(
        ("chars", "expected"),
        [
            (None, [7, 7, 7, 7]),
            (1, [2, 7, 2, 2]),
            (np.int32(2), [2, 2, 7, 2]),
            ([0, 3], [7, 2, 2, 7]),
            (np.array([3, 0]), [7, 2, 2, 7]),
            ([False, True, True, False], [2, 7, 7, 2]),
            (slice(2, None), [2, 2, 7, 7]),
            (slice(None, None, 3), [7, 2, 2, 7]),
            ([], [2, 2, 2, 2]),
        ],
    )
    def test_selections(self, crowd: Crowd, chars: Any, expected: list[int]) -> None:
        crowd.set("level", 7, where=chars)
        assert crowd.get("level").tolist() == expected

    def test_a_value_for_each_selected_character_in_their_order(self, crowd: Crowd) -> None:
        crowd.set("speed", [3.0, 1.0], where=[3, 1])
        assert crowd.get("speed").tolist() == [0.5, 1.0, 0.5, 3.0]

    def test_values_are_copies(self, crowd: Crowd) -> None:
        crowd.get("speed")[:] = 9.0
        assert crowd.get("speed").tolist() == [0.5] * CHAR_COUNT

    def test_only_those_that_are_fast_run(self, crowd: Crowd) -> None:
        crowd.set("speed", [0.0, 2.0, 1.0, 1.5])
        crowd.step(DT)
        assert crowd.layer().active.tolist() == ["Idle", "Run", "Idle", "Run"]

    def test_reset_of_some(self, crowd: Crowd) -> None:
        crowd.set("speed", 2.0)
        crowd.set_speed(3.0)
        crowd.step(DT)
        crowd.reset(where=[0, 2])
        assert crowd.layer().active.tolist() == ["START", "Run", "START", "Run"]
        assert crowd.get("speed").tolist() == [0.5, 2.0, 0.5, 2.0]

    def test_speed_of_time(self, crowd: Crowd) -> None:
        start = crowd.layer().time
        crowd.set_speed([0.0, 0.5, 1.0, 2.0])
        crowd.step(DT)
        np.testing.assert_allclose(crowd.layer().time - start, DT * np.array([0.0, 0.5, 1.0, 2.0]))


class TestTriggers:
    def test_stays_until_it_is_used(self, crowd: Crowd) -> None:
        crowd.trigger("hit", where=[0, 1])
        crowd.step(DT)
        assert crowd.get("hit").tolist() == [True, True, False, False]
        crowd.trigger("jump", where=[1, 2])
        crowd.step(DT)
        assert crowd.get("jump").tolist() == [False] * CHAR_COUNT
        assert crowd.layer().active.tolist() == ["Idle", "Jump", "Jump", "Idle"]
        crowd.step(0.0)
        crowd.step(DT)
        assert crowd.layer().active.tolist() == ["Idle", "Idle", "Jump", "Idle"]
        assert crowd.get("hit").tolist() == [True, False, False, False]

    def test_single_frame(self, crowd: Crowd) -> None:
        crowd.trigger("hit", single_frame=True, where=0)
        crowd.trigger("hit", where=1)
        assert crowd.get("hit").tolist() == [True, True, False, False]
        crowd.step(DT)
        assert crowd.get("hit").tolist() == [False, True, False, False]

    @pytest.mark.parametrize("set_again", [lambda crowd: crowd.trigger("hit"), lambda crowd: crowd.set("hit", True)])
    def test_set_for_longer_after_a_single_frame(self, crowd: Crowd, set_again: Callable[[Crowd], None]) -> None:
        crowd.trigger("hit", single_frame=True)
        set_again(crowd)
        crowd.step(DT)
        assert crowd.get("hit").all()

    def test_taken_back(self, crowd: Crowd) -> None:
        crowd.trigger("jump")
        crowd.reset_trigger("jump", where=slice(1, None))
        crowd.step(DT)
        assert crowd.layer().active.tolist() == ["Jump", "Idle", "Idle", "Idle"]


class TestReadBack:
    def test_events_name_character_layer_and_clip(self, crowd: Crowd) -> None:
        crowd.trigger("jump", where=2)
        crowd.step(0.25)
        events = crowd.events
        assert [(event.char, event.name) for event in events] == [
            (0, "idle@0.25"),
            (1, "idle@0.25"),
            (2, "jump@0.125"),
            (3, "idle@0.25"),
        ]
        assert (events[2].layer, events[2].clip, events[2].time, events[2].weight) == ("Base", "jump", 0.125, 1.0)
        crowd.step(0.0)
        assert crowd.events == []

    def test_many_events_in_one_step(self, controller: Controller) -> None:
        """More than there is room for at first: the step is done again, once."""
        crowd = Crowd(controller, 100)
        crowd.step(0.0)
        crowd.step(DT)
        crowd.step(10.0)
        assert len(crowd.events) == 100 * 10
        np.testing.assert_allclose(crowd.layer().time, DT + 10.0)
        crowd.step(1.0)
        assert len(crowd.events) == 100

    def test_verdicts_of_all(self, crowd: Crowd) -> None:
        crowd.set("speed", [0.0, 2.0, 2.0, 0.0])
        crowd.step(DT)
        verdicts = crowd.verdicts("Base")
        assert verdicts.shape == (CHAR_COUNT, 4)
        assert verdicts[:, 1].tolist() == [Verdict.CONDITION, Verdict.TAKEN, Verdict.TAKEN, Verdict.CONDITION]
        assert "speed > 1 does not hold: it is 0" in str(crowd.explain(0, "Run"))

    def test_poses_of_the_last_step(self, crowd: Crowd) -> None:
        """The clips move the only joint along x by a metre a second."""
        crowd.set_speed([0.0, 1.0, 2.0, 3.0])
        crowd.step(DT)
        x = crowd.skinning_matrices[:, 0, 0, 3]
        np.testing.assert_allclose(np.diff(x), DT, atol=1e-4)
        assert crowd.pose.shape == (CHAR_COUNT, 1, 10, 16)
        assert crowd.morphs.shape[0] == CHAR_COUNT

    def test_time_is_the_sum_of_steps(self, crowd: Crowd) -> None:
        for dt in (0.0, 0.25, 1.5):
            crowd.step(dt)
        assert crowd.time == DT + 1.75


class TestSnapshots:
    @pytest.mark.parametrize("timing", TIMINGS)
    def test_the_same_goes_on(self, timing: Timing) -> None:
        rig = clock_rig({"a": 1.03, "b": 0.417, "c": 2.31}, {"a": [0.5], "b": [0.1, 0.2]})
        for seed in range(10):
            graph = random_graph(seed)
            crowd = Crowd(compile(graph, rig, random_bindings(seed, graph, rig.clip_names)), 3, timing=timing)
            inputs = random_inputs(seed, graph, 40)
            for step in inputs[:20]:
                step.apply(crowd)
            snapshot = crowd.snapshot()
            first = [went_on(crowd, step) for step in inputs[20:]]
            crowd.restore(snapshot)
            assert crowd.time == snapshot.time
            assert first == [went_on(crowd, step) for step in inputs[20:]]

    def test_poses_and_events_come_back(self, crowd: Crowd) -> None:
        crowd.step(0.25)
        snapshot, pose, events = crowd.snapshot(), crowd.pose.copy(), crowd.events
        crowd.step(0.5)
        assert not np.array_equal(crowd.pose, pose)
        crowd.restore(snapshot)
        assert np.array_equal(crowd.pose, pose)
        assert crowd.events == events

    def test_it_is_not_changed_by_what_follows(self, crowd: Crowd) -> None:
        snapshot = crowd.snapshot()
        for _ in range(2):
            crowd.set("speed", 2.0)
            crowd.layer().set_weight(0.25)
            crowd.step(DT)
            crowd.restore(snapshot)
            assert crowd.layer().active.tolist() == ["Idle"] * CHAR_COUNT
            assert crowd.layer().weight.tolist() == [1.0] * CHAR_COUNT
            assert crowd.get("speed").tolist() == [0.5] * CHAR_COUNT


def went_on(crowd: Crowd, step: InputStep) -> list[Any]:
    """Apply a step; return all that came of it."""
    step.apply(crowd)
    playback = crowd.playback
    ends = playback.layer_start[:, -1].tolist()
    entries = [
        [getattr(playback, name)[char, :end].tolist() for name in ("clip", "time", "weight")]
        for char, end in enumerate(ends)
    ]
    return [entries, list(crowd.events), *(array.tolist() for array in crowd._run.state)]
