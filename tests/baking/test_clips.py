"""Rates, error, constant rows, identical clips, steps: what becomes of curves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import skelter as sk
from skelter.assets.character import Character, Clip, Skin
from skelter.core.arrays import unpack_pose
from skelter.engines import reference
from skelter.rig.report import ClipReport
from skelter.rig.rig import Rig
from skelter.testing.rigs import random_character
from tests.build import X, Y, Z, make_clip, make_nodes, make_track, rigid, turn, walker

SHELL_M = 0.03
ROUNDING_MM = 2e-3
"""What float32 may add to the error that a report states [mm on a character of 2 m]."""


def shell_errors_mm(character: Character, rig: Rig, clip: int, times: np.ndarray) -> np.ndarray:
    """Return the error of the baked clip against the reference engine, ``[time, joint]`` [mm on a 2 m character].

    The largest distance over the joint and a point 3 cm along each of its axes.
    """
    have = sk.to_model(rig, sk.sample(rig, clip, times, loop=False)).astype(np.float64)
    want = np.array([reference.pose(character, clip, time).model_from_node[rig.node, :3] for time in times.tolist()])
    lengths = np.linalg.norm(want[..., :3], axis=-2, keepdims=True)
    reach = SHELL_M * rig.report.size / 2.0 / np.where(lengths > 0, lengths, np.inf)
    points = (have - want)[..., 3:] + np.concatenate(
        [(have - want)[..., :3] * reach, np.zeros((*have.shape[:-1], 1))], -1
    )
    return np.linalg.norm(points, axis=-2).max(axis=-1) * 2000.0 / rig.report.size


def baked(*clips: Clip, **options: object) -> tuple[Rig, ClipReport]:
    rig = sk.bake(walker(*clips), cache=False, **options)  # type: ignore[arg-type]
    return rig, rig.report.clips[0]


def keyed_at(rate: float, count: int = 25) -> Clip:
    """A zigzag whose corners lie on the frames of one rate."""
    times = np.arange(count) / rate
    return make_clip("zigzag", make_track(1, "rotation", times, turn(X, 0.1 * (np.arange(count) % 2))))


class TestDegenerate:
    def test_a_clip_of_length_zero_has_one_frame(self) -> None:
        rig, report = baked(make_clip("pose", make_track(1, "rotation", [0.0], [turn(X, 0.5)])))
        assert (report.frame_count, report.duration, report.bytes) == (1, 0.0, rig.rest.nbytes)
        rotation, _, _ = unpack_pose(sk.sample(rig, "pose", [0.0, -1.0, 5.0]), 3)
        np.testing.assert_allclose(rotation[:, 1], [turn(X, 0.5)] * 3, atol=1e-7)

    def test_a_constant_clip_has_no_rows(self) -> None:
        rig, report = baked(make_clip("still", make_track(1, "rotation", [0.0, 2.0], [turn(X, 0.5)] * 2)))
        assert (report.rate, report.bytes, len(rig.clips.row_offset)) == (15.0, rig.rest.nbytes, 0)
        rotation, _, _ = unpack_pose(sk.sample(rig, "still", 1.3), 3)
        np.testing.assert_allclose(rotation[0, 1], turn(X, 0.5), atol=1e-7)

    def test_a_key_that_is_a_single_one_far_into_the_clip(self) -> None:
        clip = make_clip("late", make_track(1, "translation", [3.0], [[1, 2, 3]]))
        rig, report = baked(clip)
        assert report.bytes == rig.rest.nbytes
        assert unpack_pose(sk.sample(rig, "late", 0.0), 3)[1][0, 1].tolist() == [1, 2, 3]

    def test_keys_that_are_not_unit_quaternions(self) -> None:
        track = make_track(1, "rotation", [0.0, 1.0], 3.0 * turn(X, np.array([0.2, 0.6])))
        character = walker(make_clip("long", track))
        rig = sk.bake(character, cache=False)
        rotation, _, _ = unpack_pose(sk.sample(rig, 0, [0.0, 1.0], loop=False), 3)
        np.testing.assert_allclose(rotation[:, 1], turn(X, np.array([0.2, 0.6])), atol=1e-6)


class TestRate:
    @pytest.mark.parametrize("rate", [15.0, 20.0, 24.0, 30.0, 60.0, 120.0])
    def test_the_rate_that_the_keys_have(self, rate: float) -> None:
        _, report = baked(keyed_at(rate))
        assert (report.rate, report.within_tolerance) == (rate, True)
        assert report.frame_count == 25

    def test_a_duration_rounded_to_float32_needs_no_further_frame(self) -> None:
        clip = keyed_at(24.0, 26)
        clip.tracks[0].times = clip.tracks[0].times.astype(np.float32).astype(np.float64)
        clip.duration = float(clip.tracks[0].times[-1])
        assert baked(clip)[1].frame_count == 26

    def test_a_looser_tolerance_takes_a_lower_rate(self) -> None:
        assert baked(keyed_at(30.0), tolerance_mm=0.1)[1].rate > baked(keyed_at(30.0), tolerance_mm=100.0)[1].rate

    def test_what_no_rate_can_hold_is_said(self) -> None:
        rig, report = baked(keyed_at(119.0))
        assert not report.within_tolerance
        assert "it moves faster than the rate can follow" in rig.report.warnings[0]

    def test_rates_that_give_too_many_frames_are_not_tried(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("skelter.baking.clips.FRAME_FLOATS_MAX", 160 * 25)
        assert baked(keyed_at(24.0))[1].rate == 24.0
        _, report = baked(keyed_at(60.0, 61))
        assert (report.rate <= 24.0, report.within_tolerance) == (True, False)
        with pytest.raises(sk.SkelterError, match="clip 'zigzag' lasts 2 s, which at 15 Hz"):
            baked(keyed_at(30.0, 61))

    def test_a_named_rate_is_kept_whatever_it_costs(self) -> None:
        rig, report = baked(keyed_at(30.0), rate=3.0)
        assert (report.rate, report.frame_count, report.within_tolerance) == (3.0, 4, False)
        assert report.p99_mm > 0.1
        assert "at 3 Hz" in rig.report.warnings[0]


class TestScale:
    """O19: a tolerance in local space is wrong under a scaled ancestor."""

    @pytest.mark.parametrize("scale", [1e-4, 1.0, 200.0, 2e5])
    def test_motion_under_a_scaled_root_is_kept(self, scale: float) -> None:
        times = np.linspace(0.0, 1.0, 16)
        sway = 0.8 / scale * np.outer(np.sin(2 * np.pi * times), X) + Y / scale
        nodes = make_nodes(
            [-1, 0, 1], scale=[[scale] * 3, [1, 1, 1], [1, 1, 1]], translation=np.array([[0, 0, 0], Y, Y]) / scale
        )
        character = rigid(
            nodes, 2, np.array([X, Y, Z]) / scale, make_clip("sway", make_track(1, "translation", times, sway))
        )
        rig = sk.bake(character, cache=False)
        report = rig.report.clips[0]
        assert report.within_tolerance
        assert report.bytes > 0
        errors = shell_errors_mm(character, rig, 0, np.random.default_rng(0).uniform(0, 1, 200))
        assert errors.max() <= report.max_mm + ROUNDING_MM
        assert errors.max() < 0.1

    def test_a_tiny_scale_that_changes(self) -> None:
        track = make_track(0, "scale", [0.0, 1.0], [[0.01, 0.01, 0.01], [0.0100001, 0.01, 0.01]])
        assert baked(make_clip("grow", track))[0].clips.row_offset.tolist() == [7 * 16]

    def test_a_scale_of_zero(self) -> None:
        track = make_track(1, "scale", [0.0, 1.0], [[1, 1, 1], [0, 0, 0]])
        rig, report = baked(make_clip("vanish", track))
        assert report.within_tolerance
        assert np.isfinite(sk.to_model(rig, sk.sample(rig, 0, [0.5, 1.0], loop=False))).all()


class TestRows:
    def test_only_what_moves_is_stored(self) -> None:
        slide = make_track(0, "translation", [0.0, 1.0], [[0, 0, 0], [0, 0, 1]])
        spin = make_track(2, "rotation", [0.0, 1.0], turn(Z, np.array([0.0, 0.1])))
        rig, report = baked(make_clip("both", slide, spin))
        assert rig.clips.row_offset.tolist() == [0, 16, 32, 48, 6 * 16]
        assert rig.clips.quat_row_count.tolist() == [4]
        assert report.bytes == report.frame_count * 5 * 16 * 4 + rig.rest.nbytes + 5 * (4 + 4)

    def test_quaternions_never_jump_to_the_other_hemisphere(self) -> None:
        keys = turn(X, np.linspace(0.0, 4 * np.pi, 40)) * np.where(np.arange(40) % 3 == 0, -1.0, 1.0)[:, None]
        rig, _ = baked(make_clip("twist", make_track(1, "rotation", np.linspace(0.0, 2.0, 40), keys)))
        frames = rig.clips.data.reshape(rig.clips.frame_count[0], -1, 16)[:, :4, 1]
        assert (np.einsum("fc,fc->f", frames[1:], frames[:-1]) > 0).all()
        np.testing.assert_allclose(np.linalg.norm(frames, axis=1), 1.0, atol=1e-6)

    def test_identical_clips_are_stored_once(self) -> None:
        first, second, other = keyed_at(24.0), keyed_at(24.0), keyed_at(30.0)
        second.name, other.name = "copy", "other"
        rig = sk.bake(walker(first, other, second), cache=False)
        reports = {report.name: report for report in rig.report.clips}
        assert (reports["copy"].bytes, reports["copy"].same_as) == (0, "zigzag")
        assert rig.clips.data_start[0] == rig.clips.data_start[2] != rig.clips.data_start[1]
        assert np.array_equal(sk.sample(rig, "copy", 0.31), sk.sample(rig, "zigzag", 0.31))

    def test_identical_clips_at_two_rates_are_two(self) -> None:
        first, second = keyed_at(24.0), keyed_at(24.0)
        second.name = "copy"
        rig = sk.bake(walker(first, second), cache=False, rate={"copy": 60.0})
        assert [report.same_as for report in rig.report.clips] == ["", ""]


class TestSteps:
    def stepped(self, rate: float, dtype: type = np.float64) -> Clip:
        times = (np.arange(7) / rate).astype(dtype)
        keys = turn(Y, np.arange(7) * 0.4)
        return make_clip("steps", make_track(1, "rotation", times, keys, "STEP"))

    @pytest.mark.parametrize("dtype", [np.float64, np.float32])
    @pytest.mark.parametrize("rate", [15.0, 24.0, 30.0, 60.0])
    def test_steps_on_frames_are_exact(self, rate: float, dtype: type) -> None:
        rig, report = baked(self.stepped(rate, dtype))
        assert (report.rate, report.stepped, report.within_tolerance) == (rate, True, True)
        times = (np.arange(6)[:, None] + [0.0, 0.3, 0.999]).ravel() / rate
        rotation, _, _ = unpack_pose(sk.sample(rig, 0, times), 3)
        np.testing.assert_allclose(rotation[:, 1], turn(Y, np.repeat(np.arange(6), 3) * 0.4), atol=1e-6)
        assert "steps lie on frames" in rig.report.warnings[0]

    def test_the_last_step_is_reached_at_the_end(self) -> None:
        rig, report = baked(self.stepped(24.0))
        rotation, _, _ = unpack_pose(sk.sample(rig, 0, report.duration, loop=False), 3)
        np.testing.assert_allclose(rotation[0, 1], turn(Y, 2.4), atol=1e-6)

    def test_steps_between_frames_are_reported(self) -> None:
        rig, report = baked(self.stepped(37.0))
        assert not report.within_tolerance
        assert report.max_mm > 1.0
        assert "its STEP curves jump between frames" in rig.report.warnings[0]

    def test_a_step_curve_that_keeps_one_value_is_no_step(self) -> None:
        held = make_track(2, "translation", [0.0, 0.3, 1.0], [[1, 2, 3]] * 3, "STEP")
        rig, report = baked(make_clip("still", held))
        assert (report.stepped, rig.report.warnings) == (False, ())

    def test_neighbours_of_a_stepped_joint_move_smoothly(self) -> None:
        times = np.arange(7) / 30.0
        clip = make_clip(
            "mixed",
            make_track(1, "translation", times, np.outer(np.arange(7), X), "STEP"),
            make_track(2, "translation", times, np.outer(np.arange(7), X)),
        )
        rig, _ = baked(clip)
        _, translation, _ = unpack_pose(sk.sample(rig, 0, 2.5 / 30.0), 3)
        np.testing.assert_allclose(translation[0, 1:, 0], [2.0, 2.5], atol=1e-5)


class TestProperties:
    @settings(deadline=None, max_examples=12)
    @given(
        st.integers(0, 10_000), st.integers(1, 40), st.sampled_from([0.2, 1.0, 1.37]), st.sampled_from([0.02, 0.1, 2.0])
    )
    def test_the_report_holds_at_any_time(self, seed: int, joints: int, duration: float, tolerance: float) -> None:
        character = random_character(joints, 1, seed, vertex_count=30, duration=duration)
        rig = sk.bake(character, cache=False, tolerance_mm=tolerance)
        report = rig.report.clips[0]
        times = np.random.default_rng(seed).uniform(0.0, duration, 80)
        errors = shell_errors_mm(character, rig, 0, times)
        assert errors.max() <= report.max_mm + ROUNDING_MM
        assert report.rms_mm <= report.p99_mm <= report.max_mm

    @pytest.mark.parametrize("seed", range(3))
    def test_the_report_holds_at_a_thousand_times(self, seed: int) -> None:
        character = random_character(8, 1, seed, vertex_count=30)
        rig = sk.bake(character, cache=False)
        report = rig.report.clips[0]
        errors = shell_errors_mm(character, rig, 0, np.random.default_rng(seed).uniform(0.0, 1.0, 1000))
        assert errors.max() <= report.max_mm + ROUNDING_MM
        assert np.percentile(errors, 99) <= 1.1 * report.p99_mm + ROUNDING_MM
        assert report.p99_mm <= 1.1 * np.percentile(errors, 99) + ROUNDING_MM

    def test_the_worst_joint_and_time_are_where_the_error_is(self) -> None:
        character = random_character(12, 1, seed=5, vertex_count=30)
        rig = sk.bake(character, cache=False)
        report = rig.report.clips[0]
        errors = shell_errors_mm(character, rig, 0, np.array([report.worst_time]))
        joint = rig.joint_index(report.worst_joint)
        assert errors[0].argmax() == joint
        assert errors[0, joint] == pytest.approx(report.max_mm / 1.05, abs=ROUNDING_MM)

    @pytest.mark.parametrize("interpolation", ["LINEAR", "STEP", "CUBICSPLINE"])
    def test_every_interpolation_of_every_path(self, interpolation: str) -> None:
        random = np.random.default_rng(2)
        times = np.arange(9) / 30.0
        tracks = []
        for path, width in (("translation", 3), ("rotation", 4), ("scale", 3), ("weights", 2)):
            shape = (9, 3, width) if interpolation == "CUBICSPLINE" else (9, width)
            tracks.append(make_track(0, path, times, random.uniform(0.5, 1.5, shape), interpolation))  # type: ignore[arg-type]
        character = random_character(2, 0, 0, vertex_count=30, target_count=2)
        character.clips = [make_clip("all", *tracks)]
        rig = sk.bake(character, cache=False, rate=30.0 if interpolation != "CUBICSPLINE" else 240.0)
        at = random.uniform(0, times[-1], 50)
        report = rig.report.clips[0]
        assert shell_errors_mm(character, rig, 0, at).max() <= report.max_mm + ROUNDING_MM
        weights = np.array([reference.pose(character, 0, t).weights[0] for t in at])
        assert np.abs(sk.sample_morphs(rig, 0, at, loop=False) - weights).max() <= report.max_morph + 1e-6


def test_skins_do_not_count_as_motion() -> None:
    """A character that has joints but no clips of its own still has a report."""
    character = random_character(4, 0, vertex_count=30)
    assert isinstance(character.skins[0], Skin)
    assert sk.bake(character, cache=False).report.clips == ()
