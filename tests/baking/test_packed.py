"""Packed clips: what they take, how far they are from the source, and that everything a clip can hold survives."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

import skelter as sk
from skelter.assets.character import Additive, Character, Clip, Nodes, Track
from skelter.baking import clips as baking_clips
from skelter.core.arrays import unpack_pose
from skelter.core.errors import ArgumentError
from skelter.engines import reference
from skelter.testing.rigs import random_character
from tests.build import X, Z, make_clip, make_track, turn, walker

SHELL_M, SIZE_M = 0.03, 2.0
OZZ_BYTES = {"walk": 11_200, "jog": 7_900, "run": 7_400}
"""What ozz-animation takes for the same clips at its own tolerance."""


def both(character: Character, **options: object) -> tuple[sk.Rig, sk.Rig]:
    """Return a character baked as float32 and packed."""
    return tuple(sk.bake(character, form=form, cache=False, **options) for form in ("float32", "packed"))  # type: ignore[return-value,arg-type]


def largest_difference(one: sk.Rig, other: sk.Rig, clip: int, times: np.ndarray) -> float:
    """Return the largest difference of model matrices over a clip."""
    models = [sk.to_model(rig, sk.sample(rig, clip, times, loop=False)) for rig in (one, other)]
    return float(np.abs(models[0] - models[1]).max())


@pytest.fixture(scope="module")
def character() -> Character:
    return random_character(40, 2, seed=5, vertex_count=30, target_count=2)


# invalid input


def test_a_form_that_is_not_there() -> None:
    for form in ("pakced", {"walk": "pakced"}):
        with pytest.raises(ArgumentError, match=r"^form: no form 'pakced'; did you mean 'packed'"):
            sk.bake(walker(make_clip("walk")), form=form, cache=False)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=r"^form: no form '3'"):
        sk.bake(walker(), form=3, cache=False)  # type: ignore[arg-type]


def test_a_clip_that_is_not_there() -> None:
    with pytest.raises(ArgumentError, match=r"^form: no clip 'wlak'"):
        sk.bake(walker(make_clip("walk")), form={"wlak": "packed"}, cache=False)


# degenerate


def test_clips_of_which_nothing_moves() -> None:
    still = make_clip("still", make_track(1, "rotation", [0.0, 1.0], [turn(X, 0.5)] * 2))
    pose = make_clip("pose", make_track(1, "translation", [0.0], [[1, 2, 3]]))
    floats, packed = both(walker(still, pose, make_clip("none")))
    assert [clip.form for clip in packed.report.clips] == ["packed"] * 3
    for clip in range(3):
        assert largest_difference(floats, packed, clip, np.array([0.0, 0.7])) < 1e-4


def test_too_many_joints_stay_float32_and_the_report_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baking_clips, "JOINTS_MAX", 2)
    clip = make_clip("turn", make_track(1, "rotation", [0.0, 1.0], turn(X, np.array([0.0, 1.0]))))
    rig = sk.bake(walker(clip), form="packed", cache=False)
    assert (rig.report.clips[0].form, rig.report.clips[0].reason) == ("float32", "a packed clip has up to 2 joints")
    assert rig.report.warnings == ("clip 'turn' is stored as float32: a packed clip has up to 2 joints",)


# known values


@pytest.mark.parametrize("tolerance", [0.01, 0.1, 1.0])
def test_the_reported_error_is_what_the_reference_engine_finds(character: Character, tolerance: float) -> None:
    rig = sk.bake(character, form="packed", tolerance_mm=tolerance, cache=False)
    unit = SIZE_M * 1000.0 / rig.report.size
    for index, report in enumerate(rig.report.clips):
        times = np.linspace(0.0, report.duration, 241)
        model = sk.to_model(rig, sk.sample(rig, index, times, loop=False))
        poses = [reference.pose(character, index, float(time)) for time in times]
        truth = np.array([pose.model_from_node[rig.node, :3] for pose in poses])
        distance = shell_distance(model, truth, SHELL_M / SIZE_M * rig.report.size) * unit
        assert report.form == "packed"
        assert report.p99_mm <= tolerance
        assert np.percentile(distance, 99) == pytest.approx(report.p99_mm, rel=0.1)
        assert distance.max() <= report.max_mm + 2e-3


def shell_distance(model: np.ndarray, truth: np.ndarray, radius: float) -> np.ndarray:
    axes = np.linalg.norm(truth[..., :3], axis=-2)
    origins = model[..., 3] - truth[..., 3]
    points = origins[..., None] + (model - truth)[..., :3] * (radius / axes)[..., None, :]
    return np.maximum(np.linalg.norm(origins, axis=-1), np.linalg.norm(points, axis=-2).max(axis=-1))


def test_reported_bytes_are_those_of_the_arrays(character: Character) -> None:
    rig = sk.bake(character, form="packed", cache=False)
    packed = sum(array.nbytes for array in rig.clips.packed)
    assert packed + rig.clips.morph_data.nbytes == sum(clip.bytes for clip in rig.report.clips)
    assert rig.clips.data.size == rig.clips.base.size == 0
    assert rig.report.bytes == sum(array.nbytes for array in rig.arrays())


def test_both_forms_in_one_bank(character: Character) -> None:
    floats, packed = both(character)
    mixed = sk.bake(character, form={"clip_1": "packed"}, cache=False)
    assert [clip.form for clip in mixed.report.clips] == ["float32", "packed"]
    times = np.linspace(-1.0, 2.0, 50)
    assert np.array_equal(sk.sample(mixed, 0, times), sk.sample(floats, 0, times))
    assert np.array_equal(sk.sample(mixed, 1, times), sk.sample(packed, 1, times))
    for clip in range(2):
        assert np.array_equal(sk.sample_morphs(mixed, clip, times), sk.sample_morphs(floats, clip, times))


def test_identical_clips_share_everything() -> None:
    clips = [make_clip(name, make_track(1, "rotation", [0, 1], turn(X, np.array([0, 1])))) for name in "ab"]
    rig = sk.bake(walker(*clips), form="packed", cache=False)
    assert np.array_equal(rig.clips.packed.clip[0], rig.clips.packed.clip[1])
    assert (rig.report.clips[1].bytes, rig.report.clips[1].form) == (0, "packed")
    assert np.array_equal(sk.sample(rig, 0, 0.3), sk.sample(rig, 1, 0.3))


def test_steps_stay_steps() -> None:
    keys = turn(X, np.array([0.0, 0.5, -0.5]))
    clip = make_clip(
        "steps",
        make_track(1, "rotation", [0.0, 0.5, 1.0], keys, "STEP"),
        make_track(2, "translation", [0.0, 0.5, 1.0], [[0, 0, 0], [0, 1, 0], [0, 2, 0]], "STEP"),
        make_track(0, "rotation", [0.0, 1.0], turn(Z, np.array([0.0, 0.3]))),
    )
    floats, packed = both(walker(clip), rate=30.0)
    times = np.array([0.0, 0.2, 0.499, 0.5, 0.517, 0.8, 0.99, 1.0])
    assert packed.report.clips[0].form == "packed"
    assert largest_difference(floats, packed, 0, times) < 1e-3
    rotation, translation, _ = unpack_pose(sk.sample(packed, 0, times, loop=False), 3)
    np.testing.assert_allclose(translation[:, 2, 1], [0, 0, 0, 1, 1, 1, 1, 2], atol=1e-4)
    np.testing.assert_allclose(rotation[:3, 1], [keys[0]] * 3, atol=1e-4)


def test_joints_that_turn_round_and_round_store_all_components() -> None:
    spin = make_track(1, "rotation", np.linspace(0, 4, 60), turn(X, np.linspace(0.0, 8 * np.pi, 60)))
    floats, packed = both(walker(make_clip("spin", spin)))
    assert packed.clips.packed.group[:, 0].tolist() == [4]
    assert largest_difference(floats, packed, 0, np.linspace(0, 4, 333)) < 1e-3


def test_scales_and_long_ways() -> None:
    grow = make_track(1, "scale", [0.0, 1.0], [[1, 1, 1], [0.5, 3, 1]])
    away = make_track(0, "translation", [0.0, 1.0], [[0, 0, 0], [40, 0, -20]])
    floats, packed = both(walker(make_clip("both", grow, away)))
    assert packed.report.clips[0].form == "packed"
    assert packed.clips.packed.row[:, 0].max() > 16
    assert packed.report.clips[0].p99_mm <= 0.1
    assert largest_difference(floats, packed, 0, np.linspace(0, 1, 50)) < 1e-3


@pytest.mark.parametrize("kind", ["rest", "first_frame"])
def test_additive_clips(kind: str) -> None:
    track = make_track(1, "rotation", [0.0, 0.5, 1.0], turn(X, np.array([0.2, 0.9, 0.4])))
    move = make_track(0, "translation", [0.0, 1.0], [[0, 1, 0], [0, 2, 0]])
    clip = dataclasses.replace(make_clip("add", track, move), additive=Additive(kind))  # type: ignore[arg-type]
    floats, packed = both(walker(clip, clip_twin(clip)))
    assert packed.report.clips[0].form == "packed"
    assert packed.report.clips[0].p99_mm <= 0.1
    times = np.linspace(0, 1, 40)
    want, have = sk.sample(floats, 0, times, loop=False), sk.sample(packed, 0, times, loop=False)
    np.testing.assert_allclose(have, want, atol=1e-3)


def clip_twin(clip: Clip) -> Clip:
    """The same clip, not additive: both grounds are in one bank."""
    return dataclasses.replace(clip, name="plain", additive=None)


def test_a_clip_cannot_be_smaller_for_a_tighter_tolerance(character: Character) -> None:
    sizes = [
        sum(
            clip.bytes
            for clip in sk.bake(character, form="packed", tolerance_mm=mm, rate=30.0, cache=False).report.clips
        )
        for mm in (0.02, 0.1, 1.0)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == 3


def test_a_rig_file_holds_them(character: Character, tmp_path: Path) -> None:
    rig = sk.bake(character, form={"clip_0": "packed"}, cache=False)
    sk.save_rig(rig, tmp_path / "packed.rig")
    loaded = sk.load_rig(tmp_path / "packed.rig")
    times = np.linspace(0.0, 1.0, 20)
    for clip in range(2):
        assert np.array_equal(sk.sample(loaded, clip, times), sk.sample(rig, clip, times))
    assert loaded.report == rig.report


def test_the_cache_tells_forms_apart(character: Character, tmp_path: Path) -> None:
    options = {"cache_folder": tmp_path}
    for form in ("float32", "packed", "float32"):
        rig = sk.bake(character, form=form, **options)  # type: ignore[arg-type]
        assert {clip.form for clip in rig.report.clips} == {form}
    assert len(list(tmp_path.iterdir())) == 2


# properties


@pytest.mark.parametrize(("joint_count", "seed"), [(1, 0), (3, 1), (16, 2), (17, 3), (33, 4), (67, 5)])
def test_random_characters_hold_the_tolerance(joint_count: int, seed: int) -> None:
    rig = sk.bake(random_character(joint_count, 2, seed), form="packed", cache=False)
    for clip in rig.report.clips:
        assert (clip.form, clip.within_tolerance) == ("packed", True)
    poses = sk.sample(rig, np.arange(200) % 2, np.linspace(-2.0, 2.0, 200))
    rotation, translation, scale = unpack_pose(poses, joint_count)
    np.testing.assert_allclose(np.linalg.norm(rotation, axis=-1), 1.0, atol=1e-5)
    assert np.isfinite(translation).all()
    assert np.isfinite(scale).all()
    spare = np.swapaxes(poses, -1, -2).reshape(200, -1, 10)[:, joint_count:]
    np.testing.assert_allclose(spare, np.broadcast_to([0, 0, 0, 1, 0, 0, 0, 1, 1, 1], spare.shape), atol=1e-4)


def test_any_order_gives_the_same_bits(character: Character) -> None:
    rig = sk.bake(character, form="packed", cache=False)
    times = np.random.default_rng(0).uniform(-3.0, 3.0, 100)
    want = np.concatenate([sk.sample(rig, 0, time) for time in times])
    assert np.array_equal(sk.sample(rig, 0, times), want)
    assert np.array_equal(sk.sample(rig, 0, times[::-1]), want[::-1])


# clips of ozz-animation


def test_clips_of_ozz_take_no_more_than_there(corpus: Path) -> None:
    folder = corpus.parent / "ozz"
    if not (folder / "pab_walk.npz").is_file():
        pytest.skip(f"there are no clips of ozz in {folder}")
    rig = sk.bake(ozz_character(folder), form="packed", cache=False)
    assert {clip.name for clip in rig.report.clips} == set(OZZ_BYTES)
    for clip in rig.report.clips:
        assert (clip.form, clip.within_tolerance) == ("packed", True)
        assert clip.bytes <= OZZ_BYTES[clip.name]


def ozz_character(folder: Path) -> Character:
    skeleton = json.loads((folder / "pab_skeleton.json").read_text())
    rest = [
        np.array(skeleton[name]).reshape(-1, width)
        for name, width in (("rest_translations", 3), ("rest_rotations", 4), ("rest_scales", 3))
    ]
    clips = []
    for name in OZZ_BYTES:
        with np.load(folder / f"pab_{name}.npz") as file:
            times = file["raw30_times"].astype(np.float64)
            tracks = [
                Track(joint, path, "LINEAR", times, file[f"raw30_{column}"][:, joint].astype(np.float64))  # type: ignore[arg-type]
                for path, column in (
                    ("translation", "translations"),
                    ("rotation", "rotations_xyzw"),
                    ("scale", "scales"),
                )
                for joint in range(len(skeleton["names"]))
            ]
            clips.append(Clip(name, tracks, float(file["duration"])))
    return Character("pab", Nodes(skeleton["names"], np.array(skeleton["parents"], np.int32), *rest), clips)
