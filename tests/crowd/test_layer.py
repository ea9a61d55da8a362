"""Layers by hand: transitions, pauses, resets, weights, times and masks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from skelter.baking.bake import bake
from skelter.core.errors import ArgumentError
from skelter.crowd.crowd import Crowd
from skelter.crowd.layer import CrowdLayer
from skelter.graph.advance import TIMINGS, Timing
from skelter.graph.compile import compile  # noqa: A004
from skelter.graph.controller import Controller
from skelter.graph.graph import BlendTree, Condition, Layer, Leaf, Parameter, State, StateGraph, Transition
from skelter.testing.rigs import clock_rig, random_character

DT = 0.125
CHAR_COUNT = 3


def two_layers() -> StateGraph:
    base = Layer(
        "Base",
        [State("Idle"), State("Walk"), State("Jump", loop=False)],
        [Transition("START", "Idle"), Transition("Idle", "Walk", 0.5, conditions=[Condition("go")], offset=0.5)],
    )
    tree = BlendTree("1D", ["x"], [Leaf("idle", 0.0), Leaf("walk", 1.0)])
    upper = Layer("Upper", [State("Wave"), State("Mix", tree=tree)], [Transition("START", "Wave")], weight=0.5)
    return StateGraph([base, upper], [Parameter("go", "BOOLEAN", False), Parameter("x", "FLOAT", 0.5)])


@pytest.fixture(scope="module")
def controller() -> Controller:
    rig = clock_rig({"idle": 1.0, "walk": 2.0, "jump": 0.5, "wave": 1.0})
    return compile(two_layers(), rig)


@pytest.fixture
def crowd(controller: Controller) -> Crowd:
    crowd = Crowd(controller, CHAR_COUNT)
    crowd.step(DT)
    return crowd


@pytest.fixture
def base(crowd: Crowd) -> CrowdLayer:
    return crowd.layer("Base")


class TestWrongArguments:
    @pytest.mark.parametrize(
        ("act", "message"),
        [
            (lambda layer: layer.transition("Wlak"), "did you mean 'Walk'"),
            (lambda layer: layer.transition("Wave"), "no state 'Wave'"),
            (lambda layer: layer.transition("Walk", -1.0), "time: expected a number from 0 to 3600 s, got -1"),
            (lambda layer: layer.transition("Walk", float("nan")), "time: expected a number"),
            (lambda layer: layer.transition("Walk", offset=1.5), "offset: expected a number from 0 to 1"),
            (lambda layer: layer.transition("Walk", where=3), "there is no character 3"),
            (lambda layer: layer.play("Wlak"), "did you mean 'Walk'"),
            (lambda layer: layer.pause(where=9), "there is no character 9"),
            (lambda layer: layer.reset(where=9), "there is no character 9"),
            (lambda layer: layer.set_weight(1.5), "the one for character 0 is 1.5"),
            (lambda layer: layer.set_weight([0.5, np.nan, 1.0]), "the value for character 1 is nan"),
            (lambda layer: layer.blend_to_weight([0.5, 1.0, -0.5], 1.0), "the one for character 2 is -0.5"),
            (lambda layer: layer.blend_to_weight(0.5, -1.0), "time: expected a number"),
            (lambda layer: layer.set_time(-1.0), "expected times from 0, got -1"),
            (lambda layer: layer.set_time([0.0, 1.0, np.inf]), "the value for character 2 is inf"),
            (lambda layer: layer.set_mask({"nothing": True}), "no joint matches 'nothing'"),
        ],
    )
    def test_are_named_and_nothing_is_applied(
        self, crowd: Crowd, base: CrowdLayer, act: Callable[[CrowdLayer], Any], message: str
    ) -> None:
        before = crowd.snapshot().table.columns
        with pytest.raises(ArgumentError, match=message):
            act(base)
        assert all(np.array_equal(before[name], column) for name, column in crowd.table.items())


class TestReadBack:
    def test_columns(self, base: CrowdLayer) -> None:
        assert base.name == "Base"
        assert base.active.tolist() == ["Idle"] * CHAR_COUNT
        assert base.previous.tolist() == ["START"] * CHAR_COUNT
        assert base.transitioning.tolist() == [False] * CHAR_COUNT
        assert np.isnan(base.transition_progress).all()
        assert base.weight.tolist() == [1.0] * CHAR_COUNT
        assert base.playing.tolist() == [True] * CHAR_COUNT

    def test_columns_are_copies(self, base: CrowdLayer) -> None:
        for name in ("active", "previous", "transitioning", "progress", "time", "weight", "playing"):
            column = getattr(base, name)
            column[:] = column[::-1]
            getattr(base, name)[:] = 0
        assert base.active.tolist() == ["Idle"] * CHAR_COUNT
        assert base.weight.tolist() == [1.0] * CHAR_COUNT
        assert base.playing.all()


class TestTransition:
    def test_fades(self, crowd: Crowd, base: CrowdLayer) -> None:
        base.transition("Walk", 0.5, where=[1])
        crowd.step(DT)
        assert base.active.tolist() == ["Idle", "Walk", "Idle"]
        assert base.previous.tolist() == ["START", "Idle", "START"]
        np.testing.assert_allclose(base.transition_progress, [np.nan, 0.25, np.nan])
        assert crowd.playback.weight[1, :2].tolist() == [0.75, 0.25]

    def test_into_the_active_state(self, crowd: Crowd, base: CrowdLayer) -> None:
        crowd.step(0.5)
        base.transition("Idle", 0.25)
        assert base.time.tolist() == [0.0] * CHAR_COUNT
        assert base.previous.tolist() == ["Idle"] * CHAR_COUNT

    def test_end_is_the_default_state(self, crowd: Crowd, base: CrowdLayer) -> None:
        base.transition("Walk")
        base.transition("END", where=1)
        assert base.active.tolist() == ["Walk", "Idle", "Walk"]

    def test_offset(self, crowd: Crowd, base: CrowdLayer) -> None:
        base.transition("Walk", offset=0.25)
        crowd.step(0.0)
        assert crowd.playback.time[:, 0].tolist() == [0.5] * CHAR_COUNT
        base.transition("Walk", offset=1.0)
        assert base.time.tolist() == [0.0] * CHAR_COUNT


class TestPlay:
    def test_through_a_transition_that_passes(self, crowd: Crowd, base: CrowdLayer) -> None:
        crowd.set("go", True, where=1)
        base.play("Walk")
        assert base.active.tolist() == ["Walk"] * CHAR_COUNT
        assert base.previous.tolist() == ["", "Idle", ""]
        crowd.step(DT)
        assert base.transitioning.tolist() == [False, True, False]

    def test_pause_and_go_on(self, crowd: Crowd, base: CrowdLayer) -> None:
        crowd.set("go", True)
        base.pause(where=[0, 2])
        time, pose = base.time, crowd.pose.copy()
        crowd.step(0.25)
        assert base.playing.tolist() == [False, True, False]
        assert base.active.tolist() == ["Idle", "Walk", "Idle"]
        assert base.time[[0, 2]].tolist() == time[[0, 2]].tolist()
        assert not np.array_equal(crowd.pose, pose)  # the other layer plays on
        base.play(where=0)
        crowd.step(0.25)
        assert base.active.tolist() == ["Walk", "Walk", "Idle"]


class TestReset:
    def test_begins_anew_when_it_is_played(self, crowd: Crowd, base: CrowdLayer) -> None:
        base.blend_to_weight(0.5, 0.0)
        crowd.set("x", 0.25)
        crowd.step(0.5)
        base.reset(where=1)
        crowd.step(0.25)
        assert base.active.tolist() == ["Idle", "START", "Idle"]
        assert base.weight.tolist() == [0.5] * CHAR_COUNT
        base.play()
        crowd.step(DT)
        assert base.active.tolist() == ["Idle"] * CHAR_COUNT
        assert base.time[1] < base.time[0]
        assert crowd.get("x").tolist() == [0.25] * CHAR_COUNT


class TestWeight:
    def test_set(self, crowd: Crowd, base: CrowdLayer) -> None:
        base.blend_to_weight(0.0, 1.0)
        base.set_weight([0.25, 0.5], where=[0, 2])
        crowd.step(DT)
        crowd.step(DT)
        assert base.weight.tolist() == [0.25, 0.875, 0.5]
        assert crowd.playback.layer_weight[:, 0].tolist() == [0.25, 0.875, 0.5]

    @pytest.mark.parametrize(("timing", "first"), [("frame", 1.0), ("exact", 0.75)])
    def test_fade(self, controller: Controller, timing: Timing, first: float) -> None:
        """In frame timing the first step of a fade shows its first weight."""
        crowd = Crowd(controller, timing=timing)
        layer = crowd.layer()
        layer.blend_to_weight(0.0, 0.5)
        crowd.step(DT)
        assert layer.weight[0] == first
        for _ in range(4):
            crowd.step(DT)
        assert layer.weight[0] == 0.0

    @pytest.mark.parametrize("timing", TIMINGS)
    def test_at_once_in_the_next_step(self, controller: Controller, timing: Timing) -> None:
        crowd = Crowd(controller, timing=timing)
        crowd.layer("Upper").blend_to_weight(1.0, 0.0)
        assert crowd.layer("Upper").weight[0] == 0.5
        crowd.step(0.0)
        assert crowd.layer("Upper").weight[0] == 1.0


class TestTime:
    def test_of_a_clip(self, crowd: Crowd, base: CrowdLayer) -> None:
        base.set_time([0.25, 1.5], where=[0, 2])
        crowd.step(0.0)
        assert base.time[[0, 2]].tolist() == [0.25, 1.5]
        assert crowd.playback.time[[0, 2], 0].tolist() == [0.25, 0.5]

    def test_of_a_tree_in_step(self, crowd: Crowd) -> None:
        """It counts plays."""
        upper = crowd.layer("Upper")
        upper.transition("Mix")
        upper.set_time(0.25)
        crowd.step(0.0)
        start = int(crowd.playback.layer_start[0, 1])
        assert crowd.playback.time[0, start : start + 2].tolist() == [0.25, 0.5]
        assert upper.progress.tolist() == [0.25] * CHAR_COUNT

    def test_no_event_fires(self) -> None:
        layer = Layer("Base", [State("Idle")], [Transition("START", "Idle")])
        crowd = Crowd(compile(StateGraph([layer]), clock_rig({"idle": 1.0}, {"idle": [0.5]})))
        crowd.step(DT)
        crowd.layer().set_time(0.75)
        crowd.step(DT)
        assert crowd.events == []


class TestMask:
    def test_takes_joints_out_of_a_layer_of_this_crowd(self) -> None:
        rig = bake(random_character(5, 1), cache=False)
        layer = Layer("Base", [State("clip_0")], [Transition("START", "clip_0")])
        controller = compile(StateGraph([layer]), rig)
        crowd, other = Crowd(controller), Crowd(controller)
        for one in (crowd, other):
            one.step(0.3)
        whole = crowd.pose.copy()
        crowd.layer().set_mask({"*": True, "joint_2": 0})
        masked = crowd.pose.copy()
        changed = (masked != whole).any(axis=(0, 1, 2))
        assert changed.nonzero()[0].tolist() == [rig.joint_names.index("joint_2")]
        np.testing.assert_allclose(masked[..., changed], rig.rest[None][..., changed], atol=1e-6)
        assert np.array_equal(other.pose, whole)
        crowd.layer().set_mask(None)
        assert np.array_equal(crowd.pose, whole)
