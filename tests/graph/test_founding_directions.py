"""Reactions that are blended by a direction: the rules of the article on four-way hits with ozz-animation, a test each.

A character with heading 0 faces +Z, and its right hand is at -X.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from skelter.assets.mannequin import mannequin
from skelter.baking.bake import bake
from skelter.core.arrays import unpack_pose
from skelter.core.errors import ArgumentError
from skelter.crowd.crowd import Crowd
from skelter.graph.compile import compile as compile_graph
from skelter.graph.graph import START, BlendTree, Layer, Leaf, Parameter, State, StateGraph, Transition
from skelter.rig.rig import Rig
from skelter.testing.rigs import clock_rig

DT = 1 / 64
FADE_S = 0.0625
HITS = ("hit_front", "hit_back", "hit_left", "hit_right")
FRONT, BACK, LEFT, RIGHT = (0, 0, 1), (0, 0, -1), (1, 0, 0), (-1, 0, 0)
WALKS = ("walk", "walk_back", "walk_left", "walk_right")
EIGHT_WALKS = (*WALKS, "walk_front_left", "walk_front_right", "walk_back_left", "walk_back_right")
DURATIONS_S = {"idle": 2.0, **dict.fromkeys(HITS, 1.0), **dict.fromkeys(EIGHT_WALKS, 1.0)}
ROTATION_TOL = 1e-3
"""Largest difference of quaternions between a mix of two baked poses and the same mix made here."""


def idle_crowd(rig: Rig, count: int = 1) -> Crowd:
    graph = StateGraph([Layer("Base", [State("idle")], [Transition(START, "idle")])])
    crowd = Crowd(compile_graph(graph, rig), count)
    crowd.step(0.0)
    return crowd


@pytest.fixture
def crowd() -> Crowd:
    return idle_crowd(clock_rig(DURATIONS_S))


@pytest.fixture(scope="module")
def rig() -> Rig:
    return bake(mannequin(lod=2))


def weights(crowd: Crowd, char: int = 0) -> dict[str, float]:
    """Return the weights of clips in the layer that lies on top."""
    playback, names = crowd.playback, crowd.rig.clip_names
    start, stop = playback.layer_start[char, -2:]
    entries = zip(playback.clip[char, start:stop].tolist(), playback.weight[char, start:stop].tolist(), strict=True)
    return {names[clip] if clip >= 0 else "": weight for clip, weight in entries}


def after_the_fade(crowd: Crowd) -> dict[str, float]:
    crowd.step(FADE_S + DT)
    return weights(crowd)


def towards(angle: float) -> tuple[float, float, float]:
    """Return the direction that is turned from the front to the right by an angle [rad]."""
    return (-np.sin(angle), 0.0, np.cos(angle))


class TestWrongArguments:
    @pytest.mark.parametrize("clips", [HITS[:3], (*HITS, "idle"), {"front": "idle"}, {"up": "idle"}, "idle"])
    def test_clips_that_are_not_four_or_eight(self, crowd: Crowd, clips: tuple[str, ...]) -> None:
        with pytest.raises(ArgumentError, match="clips"):
            crowd.play_directional(clips, FRONT)

    def test_a_direction_that_is_not_finite(self, crowd: Crowd) -> None:
        with pytest.raises(ArgumentError, match="direction"):
            crowd.play_directional(HITS, (0.0, 0.0, np.nan))


class TestWeights:
    @pytest.mark.parametrize(("direction", "name"), [*zip((FRONT, BACK, LEFT, RIGHT), HITS, strict=True)])
    def test_each_of_the_four_directions_is_one_clip(
        self, crowd: Crowd, direction: tuple[int, int, int], name: str
    ) -> None:
        crowd.play_directional(HITS, direction, fade=FADE_S)
        assert after_the_fade(crowd) == pytest.approx({name: 1.0})

    def test_no_direction_is_the_front(self, crowd: Crowd) -> None:
        crowd.play_directional(HITS, (0.0, 0.0, 0.0), fade=FADE_S)
        assert after_the_fade(crowd) == {"hit_front": 1.0}

    def test_45_degrees_is_half_of_each_neighbour_and_nothing_of_the_others(self, crowd: Crowd) -> None:
        crowd.play_directional(HITS, (-1.0, 0.0, 1.0), fade=FADE_S)
        assert after_the_fade(crowd) == pytest.approx({"hit_front": 0.5, "hit_right": 0.5})

    @pytest.mark.parametrize("angle", np.linspace(0.0, 2.0 * np.pi, 13))
    def test_they_are_the_components_of_the_unit_direction_over_their_sum(self, crowd: Crowd, angle: float) -> None:
        front, right = np.cos(angle), np.sin(angle)
        parts = {"hit_front": front, "hit_back": -front, "hit_left": -right, "hit_right": right}
        positive = {name: max(part, 0.0) for name, part in parts.items()}
        crowd.play_directional(HITS, towards(angle), fade=FADE_S)
        found = after_the_fade(crowd)
        for name, part in positive.items():
            assert found.get(name, 0.0) == pytest.approx(part / sum(positive.values()), abs=1e-9)

    def test_length_and_height_do_not_count(self, crowd: Crowd) -> None:
        crowd.play_directional(HITS, (-20.0, 7.0, 20.0), fade=FADE_S)
        assert after_the_fade(crowd) == pytest.approx({"hit_front": 0.5, "hit_right": 0.5})

    def test_opposite_clips_never_play_together_and_all_round_it_is_continuous(self, crowd: Crowd) -> None:
        crowd.play_directional(HITS, FRONT, fade=FADE_S, loop=True)
        crowd.step(FADE_S + DT)
        before = {"hit_front": 1.0}
        for angle in np.linspace(0.0, 2.0 * np.pi, 721):
            crowd.set_direction(towards(angle))
            crowd.step(0.0)
            now = weights(crowd)
            assert not {"hit_front", "hit_back"} <= set(now)
            assert not {"hit_left", "hit_right"} <= set(now)
            assert all(abs(now.get(name, 0.0) - before.get(name, 0.0)) < 0.01 for name in HITS)
            before = now

    def test_eight_directions_mix_two_neighbours_45_degrees_apart(self, crowd: Crowd) -> None:
        crowd.play_directional(EIGHT_WALKS, towards(np.pi / 4), fade=FADE_S, loop=True)
        assert after_the_fade(crowd) == pytest.approx({"walk_front_right": 1.0})
        crowd.set_direction(towards(np.pi / 8))
        crowd.step(DT)
        assert weights(crowd) == pytest.approx({"walk": 0.5, "walk_front_right": 0.5})


class TestTime:
    def test_all_clips_are_at_the_same_part_of_their_length(self) -> None:
        lengths = dict(zip(HITS, (1.0, 2.0, 1.0, 0.5), strict=True))
        crowd = idle_crowd(clock_rig({"idle": 1.0, **lengths}))
        crowd.play_directional(HITS, (-1.0, 0.0, 1.0), fade=0.0)
        crowd.step(0.25)
        start, stop = crowd.playback.layer_start[0, -2:]
        clips, times = crowd.playback.clip[0, start:stop], crowd.playback.time[0, start:stop]
        parts = times / crowd.rig.clips.duration[clips]
        assert len(parts) == 2
        assert np.allclose(parts, parts[0])

    def test_it_fades_in_plays_once_and_fades_out(self, crowd: Crowd) -> None:
        crowd.play_directional(HITS, BACK, fade=0.25)
        shares = []
        for _ in range(round(1.5 / DT)):
            crowd.step(DT)
            shares.append(weights(crowd).get("hit_back", 0.0))
        assert shares[0] == pytest.approx(DT / 0.25)
        full = shares.index(1.0)
        assert np.all(np.diff(shares[:full]) > 0.0)
        assert np.all(np.diff(shares[full:]) <= 0.0)
        assert shares[-1] == 0.0

    def test_one_that_loops_plays_until_it_is_stopped(self, crowd: Crowd) -> None:
        crowd.play_directional(WALKS, FRONT, fade=FADE_S, loop=True)
        crowd.step(10.0)
        assert weights(crowd) == {"walk": 1.0}
        crowd.stop_directional(fade=0.0)
        crowd.step(DT)
        assert weights(crowd) == {"": 1.0}

    def test_a_new_hit_begins_anew(self, crowd: Crowd) -> None:
        crowd.play_directional(HITS, FRONT, fade=0.0)
        crowd.step(0.5)
        crowd.play_directional(HITS, FRONT, fade=0.0)
        crowd.step(DT)
        start = crowd.playback.layer_start[0, -2]
        assert crowd.playback.time[0, start] == pytest.approx(DT)

    def test_the_direction_may_change_while_it_plays(self, crowd: Crowd) -> None:
        crowd.play_directional(HITS, FRONT, fade=FADE_S)
        assert after_the_fade(crowd) == {"hit_front": 1.0}
        time = crowd.playback.time[0, crowd.playback.layer_start[0, -2]]
        crowd.set_direction(RIGHT)
        crowd.step(DT)
        assert weights(crowd) == pytest.approx({"hit_right": 1.0})
        assert crowd.playback.time[0, crowd.playback.layer_start[0, -2]] == pytest.approx(time + DT)


class TestCrowds:
    def test_a_world_direction_is_turned_into_each_character_s_own(self) -> None:
        crowd = idle_crowd(clock_rig(DURATIONS_S), 4)
        headings = np.array([0.0, np.pi / 2, np.pi, -np.pi / 2])  # facing +Z, +X, -Z, -X
        crowd.play_directional(HITS, (1.0, 0.0, 0.0), heading=headings, fade=FADE_S)
        crowd.step(FADE_S + DT)
        found = [max(weights(crowd, char), key=weights(crowd, char).__getitem__) for char in range(4)]
        assert found == ["hit_left", "hit_front", "hit_right", "hit_back"]

    def test_only_those_who_are_hit_react(self) -> None:
        crowd = idle_crowd(clock_rig(DURATIONS_S), 3)
        crowd.play_directional(HITS, FRONT, fade=FADE_S, where=1)
        crowd.step(FADE_S + DT)
        assert [set(weights(crowd, char)) for char in range(3)] == [{""}, {"hit_front"}, {""}]


class TestPose:
    def test_without_any_weight_clips_weigh_the_same_and_the_rest_pose_does_not_flash(self, rig: Rig) -> None:
        leaves = [Leaf(name) for name in HITS]
        tree = BlendTree("DIRECT", [*HITS], leaves, fallback="equal")
        layer = Layer("Base", [State("Hit", tree=tree)], [Transition(START, "Hit")])
        crowd = Crowd(compile_graph(StateGraph([layer], [Parameter(name) for name in HITS]), rig))
        for name in HITS:
            crowd.set(name, 1.0)
        crowd.step(0.3)
        before = crowd.pose
        for name in HITS:
            crowd.set(name, 0.0)
        crowd.step(0.0)
        assert np.array_equal(crowd.pose, before)
        assert not np.allclose(before[0], rig.rest, atol=1e-3)

    def test_the_pose_between_two_hits_lies_between_theirs(self, rig: Rig) -> None:
        rotations = []
        for direction in (FRONT, RIGHT, (-1, 0, 1)):
            crowd = idle_crowd(rig)
            crowd.play_directional(HITS, direction, fade=0.0)
            crowd.step(0.2)
            rotations.append(unpack_pose(crowd.pose[0], rig.joint_count)[0])
        front, right, between = rotations
        mean = front + right * np.sign((front * right).sum(axis=1, keepdims=True))
        mean /= np.linalg.norm(mean, axis=1, keepdims=True)
        assert np.allclose(np.abs((mean * between).sum(axis=1)), 1.0, atol=ROTATION_TOL)
        assert all(np.abs(a - b).max() > 0.01 for a, b in itertools.combinations(rotations, 2))
