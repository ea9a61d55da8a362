"""Directional reactions: arguments, directions around characters, how long they last, and what they leave behind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skelter.assets.character import Additive
from skelter.baking.bake import bake
from skelter.core.errors import ArgumentError
from skelter.crowd.crowd import Crowd
from skelter.crowd.directional import DIRECTIONS, directional_clips, local_directions
from skelter.graph.advance import TIMINGS, Timing
from skelter.graph.compile import compile as compile_graph
from skelter.graph.graph import START, Layer, State, StateGraph, Transition
from skelter.rig.rig import Rig
from skelter.testing.rigs import clock_rig, random_character

DT = 1 / 64
HITS = ("front", "back", "left", "right")
EIGHT = tuple(DIRECTIONS)
FRONT = (0.0, 0.0, 1.0)
WEIGHT_TOL = 1e-9
DIRECTION_TOL = 1e-12
STEP_DEG = 1.0
POSE_STEP_MAX = 0.02
"""Most that a component of a quaternion may move while the direction turns by `STEP_DEG`."""


def make_crowd(rig: Rig, count: int = 1, timing: Timing = "frame") -> Crowd:
    graph = StateGraph([Layer("Base", [State("idle")], [Transition(START, "idle")])])
    crowd = Crowd(compile_graph(graph, rig), count, timing=timing)
    crowd.step(DT)
    return crowd


@pytest.fixture
def crowd() -> Crowd:
    return make_crowd(clock_rig({"idle": 2.0, **dict.fromkeys(EIGHT, 1.0)}), 3)


@pytest.fixture(scope="module")
def moving() -> Rig:
    """A rig whose clips are all different."""
    character = random_character(5, 5)
    for clip, name in zip(character.clips, ("idle", *HITS), strict=True):
        clip.name = name
    return bake(character, cache=False)


def weights(crowd: Crowd, char: int = 0) -> dict[str, float]:
    """Return the weights of clips above the graph's layer; the empty name stands for no clip."""
    playback, names = crowd.playback, ("", *crowd.rig.clip_names)
    found: dict[str, float] = {}
    for place in range(*playback.layer_start[char, [1, -1]]):
        name = names[playback.clip[char, place] + 1]
        found[name] = found.get(name, 0.0) + float(playback.weight[char, place])
    return found


def reacts(crowd: Crowd, char: int = 0) -> bool:
    return not set(weights(crowd, char)) <= {""}


def towards(degrees: float) -> tuple[float, float, float]:
    """Return the direction that is turned from the front to the right of a character that faces +Z."""
    return (-np.sin(np.radians(degrees)), 0.0, np.cos(np.radians(degrees)))


class TestWrongArguments:
    @pytest.mark.parametrize(
        ("clips", "message"),
        [
            ("front", "expected clips for front, back, left and right, got 'front'"),
            (None, "expected clips for front"),
            (HITS[:3], "there is none for right"),
            (EIGHT[:6], "there is none for back_left, back_right"),
            ((*EIGHT, "idle"), "expected 4 or 8 clips, got 9"),
            ({"front": "front", "frnot": "back"}, "no direction 'frnot'; did you mean 'front'"),
            (
                dict(zip(HITS, ("front", "bakc", "left", "right"), strict=True)),
                "back: no clip 'bakc'; did you mean 'back'",
            ),
            (dict.fromkeys(HITS), "front: no clip 'None'"),
            ([["front"]] * 4, r"front: no clip \"\['front'\]\""),
        ],
    )
    def test_clips(self, crowd: Crowd, clips: Any, message: str) -> None:
        with pytest.raises(ArgumentError, match=message):
            crowd.play_directional(clips, FRONT)
        crowd.step(DT)
        assert crowd.playback.layer_count == 1

    def test_an_additive_clip(self) -> None:
        character = random_character(2, 2)
        character.clips[1].additive = Additive("rest")
        with pytest.raises(ArgumentError, match="front: clip 'clip_1' is additive"):
            directional_clips(["clip_1"] * 4, bake(character, cache=False))

    @pytest.mark.parametrize(
        ("direction", "message"),
        [
            ((0.0, 1.0), r"expected shape \[3\], got \[2\]"),
            (((0.0, 1.0),), r"expected shape \[any, 3\], got \[1, 2\]"),
            ([[0, 0, 1], [0, 1]], "expected numbers"),
            (1.0, "shape"),
            ("front", "expected"),
            (np.zeros((2, 3)), "expected one, or one for each of 3 characters, got 2"),
            ((0.0, np.inf, 0.0), "must be finite"),
            ((np.nan, 0.0, 0.0), r"the value at \[0, 0\] is nan"),
        ],
    )
    def test_directions(self, crowd: Crowd, direction: Any, message: str) -> None:
        with pytest.raises(ArgumentError, match=message):
            crowd.play_directional(HITS, direction)
        with pytest.raises(ArgumentError, match=message):
            crowd.set_direction(direction)

    @pytest.mark.parametrize(
        ("name", "value"), [("heading", [0.0, 1.0]), ("heading", np.nan), ("fade", -0.1), ("fade", "x")]
    )
    def test_numbers(self, crowd: Crowd, name: str, value: Any) -> None:
        with pytest.raises(ArgumentError, match=name):
            crowd.play_directional(HITS, FRONT, **{name: value})

    def test_the_rules_of_playcanvas(self) -> None:
        graph = StateGraph([Layer("Base", [State("idle")], [Transition(START, "idle")])])
        crowd = Crowd(compile_graph(graph, clock_rig({"idle": 1.0}), rules="playcanvas"))
        with pytest.raises(ArgumentError, match="compile it with rules='skelter'"):
            crowd.play_directional(["idle"] * 4, FRONT)


class TestNothingToDo:
    @pytest.mark.parametrize("count", [0, 3])
    def test_nobody_is_hit(self, count: int) -> None:
        crowd = make_crowd(clock_rig({"idle": 2.0, **dict.fromkeys(HITS, 1.0)}), count)
        crowd.play_directional(HITS, FRONT, where=[])
        crowd.step(DT)
        crowd.step(DT)
        assert crowd.playback.layer_count == 1
        assert len(crowd.pose) == count

    def test_what_does_not_play_is_stopped_and_turned(self, crowd: Crowd) -> None:
        crowd.stop_directional()
        crowd.set_direction(FRONT)
        crowd.step(DT)
        assert crowd.playback.layer_count == 1

    def test_no_direction_is_the_front(self, crowd: Crowd) -> None:
        for direction in ((0.0, 0.0, 0.0), (0.0, -3.0, 0.0)):
            crowd.play_directional(HITS, direction, fade=0.0)
            crowd.step(DT)
            assert weights(crowd) == {"front": 1.0}


class TestDirections:
    @given(
        st.floats(-np.pi, np.pi),
        st.floats(-10.0, 10.0),
        st.sampled_from([5e-324, 1e-300, 1e-5, 1.0, 1e5, 1e300]),
        st.floats(-1e300, 1e300),
    )
    def test_only_the_angle_to_the_heading_counts(
        self, angle: float, heading: float, length: float, height: float
    ) -> None:
        world = (length * np.sin(heading - angle), height, length * np.cos(heading - angle))
        right, front = local_directions(world, heading, 1)[0]
        if length > 1e-300:
            size = np.hypot(right, front)
            assert 1.0 - DIRECTION_TOL <= size <= 1.5
            np.testing.assert_allclose((right / size, front / size), (np.sin(angle), np.cos(angle)), atol=1e-9)
        assert np.isfinite((right, front)).all()

    def test_a_direction_and_a_heading_for_each(self) -> None:
        directions = np.array([[0.0, 0.0, 2.0], [2.0, 0.0, 0.0]])
        np.testing.assert_allclose(
            local_directions(directions, [0.0, np.pi / 2], 2), [[0, 1], [0, 1]], atol=DIRECTION_TOL
        )
        np.testing.assert_allclose(
            local_directions(directions[0], [np.pi / 2, np.pi], 2), [[1, 0], [0, -1]], atol=DIRECTION_TOL
        )

    def test_45_degrees_are_equal_weights_of_two_neighbours_and_nothing_of_the_others(self, crowd: Crowd) -> None:
        for quarter, two in enumerate((("front", "right"), ("back", "right"), ("back", "left"), ("front", "left"))):
            crowd.play_directional(HITS, towards(45.0 + 90.0 * quarter), fade=0.0)
            crowd.step(DT)
            assert weights(crowd) == pytest.approx(dict.fromkeys(two, 0.5), abs=WEIGHT_TOL)

    def test_all_round_eight_clips_weights_are_continuous(self, crowd: Crowd) -> None:
        crowd.play_directional(EIGHT, FRONT, fade=0.0, loop=True)
        crowd.step(DT)
        before = weights(crowd)
        for degrees in np.arange(0.0, 361.0, STEP_DEG):
            crowd.set_direction(towards(degrees))
            crowd.step(0.0)
            now = weights(crowd)
            assert len(now) <= 2
            assert sum(now.values()) == pytest.approx(1.0, abs=WEIGHT_TOL)
            assert all(abs(now.get(name, 0.0) - before.get(name, 0.0)) < 0.03 for name in EIGHT)
            before = now
        assert before == pytest.approx({"front": 1.0}, abs=WEIGHT_TOL)

    def test_each_of_eight_clips_plays_alone_in_its_direction(self, crowd: Crowd) -> None:
        for name, (right, front) in DIRECTIONS.items():
            crowd.play_directional({clip: clip for clip in EIGHT}, (-right, 0.0, front), fade=0.0)
            crowd.step(DT)
            assert weights(crowd) == pytest.approx({name: 1.0}, abs=WEIGHT_TOL)

    def test_all_round_the_pose_is_continuous(self, moving: Rig) -> None:
        crowd = make_crowd(moving)
        crowd.play_directional(HITS, FRONT, fade=0.0, loop=True)
        crowd.step(0.25)
        poses = []
        for degrees in np.arange(0.0, 361.0, STEP_DEG):
            crowd.set_direction(towards(degrees))
            crowd.step(0.0)
            poses.append(crowd.pose[0, :, :, :5].copy())
        change = np.abs(np.diff(np.array(poses), axis=0))
        assert change.max() < POSE_STEP_MAX
        np.testing.assert_allclose(poses[0], poses[-1], atol=1e-6)
        assert np.abs(poses[0] - poses[180]).max() > 10 * POSE_STEP_MAX


class TestTime:
    @pytest.mark.parametrize("timing", TIMINGS)
    @pytest.mark.parametrize("fade", [0.0, 0.05, 0.25, 0.31, 2.0])
    @pytest.mark.parametrize("dt", [1 / 60, 0.26, 0.29, 1.0])
    def test_it_ends_whatever_the_fade_and_the_steps(self, timing: Timing, fade: float, dt: float) -> None:
        crowd = make_crowd(clock_rig({"idle": 2.0, **dict.fromkeys(HITS, 0.3)}), timing=timing)
        crowd.play_directional(HITS, towards(20.0), fade=fade)
        crowd.step(dt)
        for _ in range(int((0.3 + 2.0 * fade) / dt) + 4):
            crowd.step(dt)
        assert not reacts(crowd)
        assert crowd.playback.layer_count == 1

    @pytest.mark.parametrize("timing", TIMINGS)
    def test_clips_without_length_show_for_the_fades(self, timing: Timing) -> None:
        crowd = make_crowd(clock_rig({"idle": 2.0, **dict.fromkeys(HITS, 0.0)}), timing=timing)
        crowd.play_directional(HITS, FRONT, fade=0.25)
        crowd.step(DT)
        assert reacts(crowd)
        crowd.step(1.0)
        crowd.step(1.0)
        crowd.step(DT)
        assert not reacts(crowd)

    def test_the_pose_returns_to_the_graph_s_exactly(self, moving: Rig) -> None:
        crowd, other = make_crowd(moving, 2), make_crowd(moving, 2)
        crowd.play_directional(HITS, FRONT, fade=0.125, where=0)
        for _ in range(80):
            crowd.step(DT)
            other.step(DT)
            assert np.array_equal(crowd.pose[1], other.pose[1])
            if crowd.time == 0.5:
                assert not np.allclose(crowd.pose[0], other.pose[0], atol=1e-3)
        assert np.array_equal(crowd.pose, other.pose)
        assert np.array_equal(crowd.skinning_matrices, other.skinning_matrices)

    def test_the_speed_of_a_character_is_that_of_its_reaction(self, crowd: Crowd) -> None:
        crowd.set_speed([0.0, 1.0, 2.0])
        crowd.play_directional(HITS, FRONT, fade=0.0)
        crowd.step(0.25)
        playback = crowd.playback
        assert playback.time[np.arange(3), playback.layer_start[:, 1]].tolist() == [0.0, 0.25, 0.5]
        crowd.set_speed(1.0)
        crowd.step(0.25)
        assert crowd.playback.time[0, 1] == 0.25

    def test_again_before_it_ends_it_begins_anew_and_fades_from_where_it_is(self, crowd: Crowd) -> None:
        crowd.play_directional(HITS, FRONT, fade=0.25)
        crowd.step(0.5)
        crowd.play_directional(HITS, FRONT, fade=0.25, where=[1, 1])
        crowd.step(0.125)
        start, stop = crowd.playback.layer_start[1, [1, 2]]
        assert crowd.playback.time[1, start:stop].tolist() == [0.625, 0.125]
        assert crowd.playback.weight[1, start:stop].tolist() == [0.5, 0.5]
        assert crowd.playback.time[0, 1] == 0.625

    def test_one_that_loops_goes_on_until_it_is_stopped(self, crowd: Crowd) -> None:
        crowd.play_directional(HITS, FRONT, fade=0.25, loop=True)
        crowd.step(5.25)
        crowd.stop_directional(fade=0.25, where=[0, 1])
        crowd.step(0.125)
        assert weights(crowd) == {"front": 0.5, "": 0.5}
        assert weights(crowd, 2) == {"front": 1.0}
        crowd.stop_directional(fade=10.0, where=0)  # it leaves already
        crowd.step(0.25)
        assert not reacts(crowd)
        assert reacts(crowd, 2)

    def test_stopped_and_played_again_while_it_fades_out(self, crowd: Crowd) -> None:
        crowd.play_directional(HITS, FRONT, fade=0.125, loop=True)
        crowd.step(0.5)
        crowd.stop_directional(fade=0.5)
        crowd.step(0.25)
        crowd.play_directional(HITS, towards(90.0), fade=0.125, loop=True)
        for _ in range(20):
            crowd.step(DT)
            assert sum(weights(crowd).values()) == pytest.approx(1.0, abs=WEIGHT_TOL)
        assert weights(crowd) == pytest.approx({"right": 1.0})

    def test_a_hit_from_elsewhere_does_not_turn_what_fades_out(self, crowd: Crowd) -> None:
        crowd.play_directional(HITS, FRONT, fade=0.25)
        crowd.step(0.5)
        crowd.play_directional(HITS, towards(90.0), fade=0.25)
        crowd.step(0.0)
        assert weights(crowd) == {"front": 1.0}
        crowd.step(0.125)
        assert weights(crowd) == {"front": 0.5, "right": 0.5}
        crowd.set_direction(towards(180.0))
        crowd.step(0.0)
        assert weights(crowd) == pytest.approx({"front": 0.5, "back": 0.5}, abs=WEIGHT_TOL)

    def test_the_direction_may_change_until_it_has_faded_out(self, crowd: Crowd) -> None:
        crowd.play_directional(HITS, FRONT, fade=0.0, loop=True)
        crowd.step(0.5)
        crowd.stop_directional(fade=0.25)
        crowd.step(0.125)
        crowd.set_direction(towards(-90.0))
        crowd.step(0.0)
        assert weights(crowd) == {"left": 0.5, "": 0.5}


class TestSeveral:
    def test_other_clips_come_on_top(self, crowd: Crowd) -> None:
        crowd.play_directional(HITS, FRONT, fade=0.0, loop=True)
        crowd.play_directional(EIGHT, FRONT, fade=0.0, loop=True, where=2)
        crowd.step(DT)
        assert crowd.playback.layer_count == 3
        assert [crowd.playback.clip[char, :3].tolist() for char in (0, 2)] == [[0, 1, -1], [0, 1, 1]]

    def test_what_has_ended_costs_nothing(self, crowd: Crowd) -> None:
        """However many different fades there were."""
        for number in range(10):
            crowd.play_directional(HITS, FRONT, fade=0.01 * number)
        assert crowd.playback.layer_count == 11
        for _ in range(4):
            crowd.step(1.0)
        assert crowd.playback.layer_count == 1

    def test_events_are_in_the_order_of_characters(self) -> None:
        rig = clock_rig({"idle": 1.0, **dict.fromkeys(HITS, 1.0)}, {"idle": [0.25], "front": [0.25]})
        crowd = make_crowd(rig, 2)
        crowd.play_directional(HITS, FRONT, fade=0.0)
        crowd.step(0.5)
        assert [(event.char, event.layer, event.name) for event in crowd.events] == [
            (char, layer, event)
            for char in range(2)
            for layer, event in (("Base", "idle@0.25"), ("Reaction", "front@0.25"))
        ]


class TestWholeCrowds:
    def test_a_reset_ends_what_plays_and_what_fades_out(self, crowd: Crowd) -> None:
        crowd.play_directional(HITS, FRONT, fade=0.25, loop=True)
        crowd.step(0.5)
        crowd.stop_directional(fade=3.0, where=0)
        crowd.step(0.5)
        crowd.reset(where=[0, 1])
        crowd.step(DT)
        assert [reacts(crowd, char) for char in range(3)] == [False, False, True]

    def test_a_snapshot_keeps_reactions(self, crowd: Crowd) -> None:
        crowd.play_directional(HITS, towards(30.0), fade=0.125)
        crowd.step(0.25)
        saved, before = crowd.snapshot(), weights(crowd)
        crowd.step(0.5)
        after = crowd.playback
        crowd.play_directional(EIGHT, FRONT)
        for _ in range(3):
            crowd.step(1.0)
        crowd.restore(saved)
        assert weights(crowd) == before
        assert crowd.time == saved.time
        crowd.step(0.5)
        np.testing.assert_array_equal(crowd.playback.time, after.time)
        np.testing.assert_array_equal(crowd.playback.weight, after.weight)

    def test_a_snapshot_may_go_on_in_another_crowd(self, crowd: Crowd) -> None:
        crowd.play_directional(HITS, FRONT, fade=0.125, loop=True)
        crowd.step(0.25)
        other = Crowd(crowd.controller, len(crowd))
        other.restore(crowd.snapshot())
        other.step(0.25)
        assert crowd.playback.time[0, 1] == 0.25
        assert other.playback.time[0, 1] == 0.5
        other.set_speed(0.0)
        other.step(0.25)
        assert other.playback.time[0, 1] == 0.5

    def test_a_snapshot_of_something_else_is_refused(self, crowd: Crowd) -> None:
        with pytest.raises(ArgumentError, match="snapshot: it is of 2 characters, not 3"):
            crowd.restore(Crowd(crowd.controller, 2).snapshot())
        with pytest.raises(ArgumentError, match="snapshot: it is of a crowd with another controller"):
            crowd.restore(make_crowd(crowd.rig, 3).snapshot())
