"""Sampling: which frames a time means, which characters get which clip."""

from __future__ import annotations

import math
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import skelter as sk
from skelter.core.arrays import unpack_pose
from skelter.core.errors import ArgumentError
from skelter.rig.rig import Rig
from skelter.testing.rigs import random_character
from tests.build import X, make_clip, make_track, turn, walker

TRANSLATION_TOL_M = 2e-6


@pytest.fixture(scope="module")
def rig() -> Rig:
    return sk.bake(random_character(21, 3, seed=2, vertex_count=30, target_count=2), cache=False)


@pytest.fixture(scope="module")
def ramp() -> Rig:
    """One joint that moves along x by 1 m a second for 2 s, and one clip of length zero."""
    slide = make_clip("slide", make_track(0, "translation", [0.0, 2.0], [[0, 0, 0], [2, 0, 0]]))
    pose = make_clip("pose", make_track(0, "translation", [0.0], [[7, 0, 0]]))
    return sk.bake(walker(slide, pose, joint_count=1), cache=False)


def x_of(rig: Rig, clip: object, time: object, **options: bool) -> np.ndarray:
    return unpack_pose(sk.sample(rig, clip, time, **options), 1)[1][:, 0, 0]  # type: ignore[arg-type]


class TestInvalidInput:
    def test_a_clip_name_that_is_not_there_lists_the_names(self, rig: Rig) -> None:
        for clip in ("walk", ["clip_0", "walk"]):
            with pytest.raises(ArgumentError, match=r"no clip 'walk'.*clip_0, clip_1, clip_2"):
                sk.sample(rig, clip, 0.0)

    @pytest.mark.parametrize("index", [-1, 3, [0, 3], np.array([-1, 0]), 1 << 40, np.uint64(1 << 63)])
    def test_an_index_that_is_not_there(self, rig: Rig, index: object) -> None:
        with pytest.raises(ArgumentError, match=r"clip: no clip '-?\d+'.*clip_0, clip_1, clip_2"):
            sk.sample(rig, index, 0.0)  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        "clip", [0.5, None, [0.5], [None], True, [[0, 1], [1, 0]], [["clip_0"]], [[0], [0, 1]], 1 << 70, {}]
    )
    def test_what_is_no_clip(self, rig: Rig, clip: object) -> None:
        with pytest.raises(ArgumentError, match=r"^clip: expected names or whole numbers"):
            sk.sample(rig, clip, 0.0)  # type: ignore[arg-type]

    @pytest.mark.parametrize("time", ["soon", [[0.0]], [[0.0], [1.0, 2.0]], {}, object()])
    def test_what_is_no_time(self, rig: Rig, time: object) -> None:
        with pytest.raises(ArgumentError, match=r"^time: expected"):
            sk.sample(rig, 0, time)  # type: ignore[arg-type]

    @pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf])
    def test_a_time_that_is_not_finite_is_named_with_its_index(self, rig: Rig, wrong: float) -> None:
        for function in (sk.sample, sk.sample_morphs):
            with pytest.raises(ArgumentError, match=r"time: the value at \[2\] is -?(nan|inf)"):
                function(rig, 0, [0.0, 0.5, wrong, wrong])

    def test_lengths_that_differ(self, rig: Rig) -> None:
        with pytest.raises(ArgumentError, match="clip has 2 entries, time 3"):
            sk.sample(rig, [0, 1], [0.0, 0.1, 0.2])

    def test_a_rig_without_clips(self) -> None:
        rig = sk.bake(walker(), cache=False)
        with pytest.raises(ArgumentError, match="there are no clips at all"):
            sk.sample(rig, "walk", 0.0)


class TestDegenerate:
    def test_no_characters(self, rig: Rig) -> None:
        assert sk.sample(rig, [], []).shape == (0, 2, 10, 16)
        assert sk.sample(rig, "clip_0", []).shape == (0, 2, 10, 16)
        assert sk.sample_morphs(rig, [], []).shape == (0, 2)

    def test_a_clip_of_length_zero(self, ramp: Rig) -> None:
        assert x_of(ramp, "pose", [0.0, -3.0, 1e300]).tolist() == [7, 7, 7]

    @pytest.mark.parametrize("loop", [True, False])
    @pytest.mark.parametrize("time", [1e15, -1e15, 1e300, -1e300, 1.7e308, -1.7e308, 5e-324, -5e-324])
    def test_absurd_times_stay_inside_the_clip(self, ramp: Rig, time: float, loop: bool) -> None:
        assert 0.0 <= x_of(ramp, "slide", time, loop=loop)[0] <= 2.0


class TestKnownValues:
    @pytest.mark.parametrize(
        ("time", "looped", "clamped"),
        [
            (0.0, 0.0, 0.0),
            (0.5, 0.5, 0.5),
            (1.999, 1.999, 1.999),
            (2.0, 0.0, 2.0),
            (2.5, 0.5, 2.0),
            (4.0, 0.0, 2.0),
            (2000.5, 0.5, 2.0),
            (-0.5, 1.5, 0.0),
            (-2.0, 0.0, 0.0),
            (-4.25, 1.75, 0.0),
            (-1e-18, 0.0, 0.0),
        ],
    )
    def test_loop_and_clamp(self, ramp: Rig, time: float, looped: float, clamped: float) -> None:
        assert x_of(ramp, "slide", time)[0] == pytest.approx(looped, abs=TRANSLATION_TOL_M)
        assert x_of(ramp, "slide", time, loop=False)[0] == pytest.approx(clamped, abs=TRANSLATION_TOL_M)

    def test_names_indices_and_arrays_of_both(self, rig: Rig) -> None:
        times = [0.1, 0.2, 0.3]
        want = np.concatenate([sk.sample(rig, clip, time) for clip, time in zip([2, 0, 1], times, strict=True)])
        for clips in (["clip_2", "clip_0", "clip_1"], (2, 0, 1), np.array([2, 0, 1], np.uint8)):
            assert np.array_equal(sk.sample(rig, clips, times), want)
        assert np.array_equal(sk.sample(rig, np.array(["clip_2", "clip_0", "clip_1"]), times), want)

    def test_broadcasting(self, rig: Rig) -> None:
        one_clip = sk.sample(rig, "clip_1", [0.1, 0.2])
        one_time = sk.sample(rig, ["clip_1", "clip_2"], 0.1)
        assert np.array_equal(one_clip[0], one_time[0])
        assert np.array_equal(sk.sample(rig, 1, 0.1), one_clip[:1])
        assert np.array_equal(sk.sample(rig, [1], [0.1, 0.2]), one_clip)

    def test_times_of_any_kind(self, rig: Rig) -> None:
        want = sk.sample(rig, 0, [0.0, 0.5])
        for times in (np.array([0, 0.5], np.float32), np.array([9, 0.0, 9, 0.5])[1::2], (0.0, 0.5)):
            assert np.array_equal(sk.sample(rig, 0, times), want)

    def test_spare_lanes_hold_the_identity(self, rig: Rig) -> None:
        spare = np.swapaxes(sk.sample(rig, 0, 0.3), -1, -2).reshape(-1, 10)[21:]
        assert spare.tolist() == [[0, 0, 0, 1, 0, 0, 0, 1, 1, 1]] * 11

    def test_halfway_between_two_frames(self) -> None:
        clip = make_clip("turn", make_track(1, "rotation", [0.0, 1.0], turn(X, np.array([0.0, 1.0]))))
        rig = sk.bake(walker(clip), cache=False, rate=1.0)
        rotation = unpack_pose(sk.sample(rig, 0, 0.5), 3)[0]
        np.testing.assert_allclose(rotation[0, 1], turn(X, 0.5), atol=1e-6)


class TestProperties:
    @settings(deadline=None, max_examples=60)
    @given(st.integers(0, 2), st.floats(-1e6, 1e6), st.booleans())
    def test_poses_are_sound_at_any_time(self, rig: Rig, clip: int, time: float, loop: bool) -> None:
        rotation, translation, scale = unpack_pose(sk.sample(rig, clip, time, loop=loop), 21)
        np.testing.assert_allclose(np.linalg.norm(rotation, axis=-1), 1.0, atol=1e-6)
        assert np.isfinite(translation).all()
        assert np.array_equal(scale, np.ones_like(scale))

    @settings(deadline=None, max_examples=60)
    @given(st.floats(0.0, 0.999), st.integers(-1000, 1000))
    def test_a_loop_repeats(self, rig: Rig, time: float, turns: int) -> None:
        np.testing.assert_allclose(sk.sample(rig, 0, time + turns * 1.0), sk.sample(rig, 0, time), atol=1e-5)

    def test_characters_do_not_depend_on_each_other(self, rig: Rig) -> None:
        clips, times = playback(150)
        together = sk.sample(rig, clips, times)
        apart = np.concatenate([sk.sample(rig, clip, time) for clip, time in zip(clips, times, strict=True)])
        assert np.array_equal(together, apart)
        weights = sk.sample_morphs(rig, clips, times)
        assert np.array_equal(weights[100:], sk.sample_morphs(rig, clips[100:], times[100:]))

    def test_threads_give_the_same_bits(self, rig: Rig) -> None:
        clips, times = playback(500)
        want = sk.skinning_matrices(rig, sk.sample(rig, clips, times))
        results: list[np.ndarray] = []

        def work() -> None:
            results.extend(sk.skinning_matrices(rig, sk.sample(rig, clips, times)) for _ in range(5))

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(results) == 10
        assert all(np.array_equal(result, want) for result in results)


def playback(count: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    return random.integers(0, 3, count), random.uniform(-3.0, 3.0, count)
