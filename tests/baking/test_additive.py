"""Additive clips: a delta put on its reference gives the value of the source curves back."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import skelter as sk
from skelter.assets.character import Additive, Character, Clip, Interpolation
from skelter.core.arrays import IDENTITY_CHANNELS, unpack_pose
from skelter.core.errors import ArgumentError
from skelter.engines import reference
from skelter.engines.reference.pose import ReferencePose
from skelter.rig.rig import Rig
from skelter.testing.rigs import random_character
from tests.build import X, Y, Z, make_clip, make_track, turn, walker

RATE = 30.0
TIMES = np.arange(7) / RATE
TOL = 1e-6
"""[m], [1], and per component of a unit quaternion."""
REFERENCES = (Additive("rest"), Additive("first_frame"), Additive("clip", "other", 0.11), Additive("clip", "move", 0.1))


def moving(additive: Additive | None, interpolation: Interpolation, seed: int = 0) -> Character:
    """A character of three joints and two morph targets; ``move`` keys all of joints 0 and 1, but no scale of 1."""
    random = np.random.default_rng(seed)
    clips = []
    for name in ("move", "other"):
        tracks = [make_track(node, path, TIMES, values, interpolation) for node, path, values in keys(random, 7)]  # type: ignore[arg-type]
        if interpolation == "CUBICSPLINE":
            for track in tracks:
                track.values = random.uniform(-0.1, 0.1, (7, 3, track.values.shape[1])) + track.values[:, None]
        clips.append(make_clip(name, *tracks))
    clips[0].additive = additive
    del clips[1].tracks[2:4]  # so that ``other`` keys less
    character = random_character(3, 0, seed, vertex_count=30, target_count=2)
    character.nodes.scale[:] = random.uniform(0.5, 2.0, (3, 3))
    character.instances[0].weights[:] = [0.25, 0.5]
    character.clips = clips
    return character


def keys(random: np.random.Generator, count: int) -> list[tuple[int, str, np.ndarray]]:
    return [
        (0, "rotation", turn(X, random.uniform(-3.0, 3.0, count))),
        (0, "translation", random.normal(size=(count, 3))),
        (1, "rotation", turn(Y, random.uniform(-1.0, 1.0, count))),
        (1, "translation", random.normal(size=(count, 3))),
        (0, "scale", random.uniform(0.5, 2.0, (count, 3))),
        (0, "weights", random.uniform(0.0, 1.0, (count, 2))),
    ]


def reference_pose(character: Character, additive: Additive) -> ReferencePose:
    if additive.reference == "rest":
        return reference.pose(character, None)
    named, time = (additive.clip, additive.time) if additive.reference == "clip" else ("move", 0.0)
    return reference.pose(character, named, time)


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return products of quaternions xyzw."""
    vector = a[..., 3:] * b[..., :3] + b[..., 3:] * a[..., :3] + np.cross(a[..., :3], b[..., :3])
    return np.concatenate([vector, a[..., 3:] * b[..., 3:] - (a[..., :3] * b[..., :3]).sum(-1, keepdims=True)], -1)


def assert_same_turn(a: np.ndarray, b: np.ndarray) -> None:
    sign = np.where((a * b).sum(axis=-1, keepdims=True) < 0, -1.0, 1.0)
    np.testing.assert_allclose(a, b * sign, atol=TOL)


def baked(character: Character) -> Rig:
    return sk.bake(character, cache=False, rate=RATE)


# invalid input


def test_a_reference_that_is_not_there_is_named() -> None:
    clip = make_clip("wave", make_track(1, "rotation", [0.0, 1.0], turn(X, np.array([0.0, 1.0]))))
    clip.additive = Additive("clip", "wavy")
    with pytest.raises(ArgumentError, match=r"clips\[0\].additive.clip: no clip 'wavy'; did you mean 'wave'"):
        sk.bake(walker(clip), cache=False)


# degenerate


def test_a_clip_without_tracks_is_the_identity() -> None:
    clip = Clip("nothing", [], 0.0, additive=Additive())
    rig = sk.bake(walker(clip, translation=[X, Y, Z], scale=[2.0 * np.ones(3)] * 3), cache=False)
    assert (rig.clips.base[0] == np.array(IDENTITY_CHANNELS, np.float32)[:, None]).all()
    assert rig.clips.additive.tolist() == [1]
    assert not rig.clips.keyed.any()


def test_a_reference_scale_of_zero_gives_one() -> None:
    track = make_track(1, "scale", [0.0, 1.0], [[0.0, 1.0, 1e-30], [3.0, 3.0, 3.0]])
    clip = make_clip("grow", track)
    clip.additive = Additive("first_frame")
    rig = sk.bake(walker(clip), cache=False)
    _, _, scale = unpack_pose(sk.sample(rig, 0, [0.0, 1.0], loop=False), 3)
    np.testing.assert_array_equal(scale[:, 1], [[1.0, 1.0, 1.0], [1.0, 3.0, 1.0]])


def test_what_is_not_keyed_is_exactly_the_identity() -> None:
    for additive in REFERENCES:
        rig = baked(moving(additive, "LINEAR"))
        rotation, translation, scale = unpack_pose(sk.sample(rig, "move", TIMES, loop=False), 16)
        assert (rotation[:, 2:] == [0.0, 0.0, 0.0, 1.0]).all()
        assert (translation[:, 2:] == 0.0).all()
        assert (scale[:, 1:] == 1.0).all()


def test_a_clip_that_equals_its_reference_is_exactly_the_identity() -> None:
    rotation = make_track(1, "rotation", [0.0, 0.5, 1.0], [turn(X, 2.0)] * 3)
    clip = make_clip("still", rotation, make_track(1, "translation", [0.0, 1.0], [[0.1, 0.2, 0.3]] * 2))
    clip.additive = Additive("first_frame")
    rig = sk.bake(walker(clip), cache=False)
    assert (rig.clips.base[0] == np.array(IDENTITY_CHANNELS, np.float32)[:, None]).all()


def test_weights_at_rest_have_deltas_of_another_reference() -> None:
    character = moving(Additive("clip", "other", 0.0), "LINEAR")
    track = next(track for track in character.clips[0].tracks if track.path == "weights")
    track.values[:] = [0.25, 0.5]
    want = [0.25, 0.5] - reference.pose(character, "other", 0.0).weights[0]
    weights = sk.sample_morphs(baked(character), "move", [0.0, 0.1])
    np.testing.assert_allclose(weights, [want] * 2, atol=TOL)


def test_weights_that_are_not_keyed_have_no_delta() -> None:
    character = moving(Additive("clip", "other", 0.0), "LINEAR")
    character.clips[0].tracks.pop()
    assert (sk.sample_morphs(baked(character), "move", [0.0, 0.1]) == 0.0).all()


# known values


@pytest.mark.parametrize("interpolation", ["LINEAR", "STEP", "CUBICSPLINE"])
@pytest.mark.parametrize("additive", REFERENCES)
def test_a_delta_on_its_reference_is_the_value(additive: Additive, interpolation: Interpolation) -> None:
    character = moving(additive, interpolation)
    rig = baked(character)
    rotation, translation, scale = unpack_pose(sk.sample(rig, "move", TIMES, loop=False), 3)
    weights = sk.sample_morphs(rig, "move", TIMES, loop=False)
    ground = reference_pose(character, additive)
    for frame, time in enumerate(TIMES.tolist()):
        want = reference.pose(character, "move", time)
        np.testing.assert_allclose(ground.translation[:2] + translation[frame, :2], want.translation[:2], atol=TOL)
        assert_same_turn(product(ground.rotation[:2], rotation[frame, :2]), want.rotation[:2])
        np.testing.assert_allclose(ground.scale[0] * scale[frame, 0], want.scale[0], atol=TOL)
        np.testing.assert_allclose(ground.weights[0] + weights[frame], want.weights[0], atol=TOL)


@pytest.mark.parametrize("additive", REFERENCES)
def test_neighbours_lie_in_one_hemisphere_and_the_first_delta_on_the_near_side(additive: Additive) -> None:
    times = np.arange(31) / RATE
    spin = turn(Z, np.linspace(0.5, 11.0, 31)) * np.where(np.arange(31) % 3 == 0, -1.0, 1.0)[:, None]
    character = moving(additive, "LINEAR")
    character.clips[0] = make_clip("move", make_track(1, "rotation", times, spin))
    character.clips[0].additive = additive
    rotation, _, _ = unpack_pose(sk.sample(baked(character), "move", times, loop=False), 3)
    assert (rotation[0, :, 3] >= 0).all()
    assert ((rotation[1:] * rotation[:-1]).sum(axis=-1) > 0.9).all()
    np.testing.assert_allclose(np.linalg.norm(rotation, axis=-1), 1.0, atol=TOL)


def test_steps_hold_until_the_next_frame() -> None:
    character = moving(Additive("rest"), "STEP")
    rig = baked(character)
    held = sk.sample(rig, "move", TIMES[:-1] + 0.9 / RATE)
    np.testing.assert_array_equal(held, sk.sample(rig, "move", TIMES[:-1]))


def test_the_report_and_the_bounds_are_those_of_the_poses() -> None:
    plain, additive = baked(moving(None, "CUBICSPLINE")), baked(moving(Additive("first_frame"), "CUBICSPLINE"))
    assert additive.report.clips[0] == plain.report.clips[0]
    np.testing.assert_array_equal(additive.clips.bounds, plain.clips.bounds)
    np.testing.assert_array_equal(additive.clips.keyed, plain.clips.keyed)
    assert (plain.clips.additive.tolist(), additive.clips.additive.tolist()) == ([0, 0], [1, 0])


def test_long_clips_are_made_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = baked(moving(Additive("rest"), "LINEAR"))
    monkeypatch.setattr("skelter.baking.additive.CHUNK_FLOATS", 480)
    np.testing.assert_array_equal(baked(moving(Additive("rest"), "LINEAR")).clips.data, whole.clips.data)


def test_clips_against_other_references_share_nothing() -> None:
    character = moving(Additive("rest"), "LINEAR")
    others = [
        Additive("rest"),
        Additive("first_frame"),
        Additive("clip", "other"),
        Additive("clip", "other", 0.1),
        None,
    ]
    for index, additive in enumerate(others):
        clip = copy.copy(character.clips[0])
        clip.name, clip.additive = f"copy_{index}", additive
        character.clips.append(clip)
    reports = sk.bake(character, cache=False).report.clips
    assert [report.same_as for report in reports] == ["", "", "move", "", "", "", ""]


def test_the_content_of_the_reference_counts_not_its_name() -> None:
    character = moving(Additive("clip", "other"), "LINEAR")
    twin, copied = copy.copy(character.clips[0]), copy.deepcopy(character.clips[1])
    copied.name, copied.tracks[0].values[0] = "changed", turn(X, 0.123)
    twin.name, twin.additive = "twin", Additive("clip", "changed")
    character.clips += [twin, copied]
    assert sk.bake(character, cache=False).report.clips[2].same_as == ""


# properties


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10_000), st.sampled_from(REFERENCES), st.sampled_from([0.0, 0.013, 0.1, 0.187]))
def test_between_frames_a_delta_on_its_reference_is_what_the_poses_give(
    seed: int, additive: Additive, time: float
) -> None:
    character = moving(additive, "LINEAR", seed)
    delta, _, _ = unpack_pose(sk.sample(baked(character), "move", time), 3)
    ground = reference_pose(character, additive)
    character.clips[0].additive = None
    value, _, _ = unpack_pose(sk.sample(baked(character), "move", time), 3)
    assert_same_turn(product(ground.rotation[:2], delta[0, :2]), value[0, :2])
