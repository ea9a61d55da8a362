"""Layers of clips: coverage, overwriting, adding, masks; and that nothing depends on order, chunks or threads."""

from __future__ import annotations

import dataclasses
import math
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike

import skelter as sk
from skelter.assets.character import Additive, Character, Clip, Mesh, MeshInstance, Path
from skelter.core.arrays import unpack_pose
from skelter.core.errors import ArgumentError
from skelter.core.playback import PlaybackList
from skelter.engines.cpu.pipeline import animate, blend_layers
from skelter.pose.layers import blend_morphs
from skelter.rig.mask import pack_mask
from skelter.rig.rig import Rig
from tests.build import X, Y, Z, make_clip, make_primitive, make_track, turn, walker
from tests.support.playlists import Played, playlist, random_layers, varied_character

POSE_TOL = 1e-6
SLERP_TOL_RAD = 1e-6
IDENTITY = [0.0, 0.0, 0.0, 1.0]


def still(name: str, *values: tuple[int, Path, ArrayLike]) -> Clip:
    return make_clip(name, *(make_track(node, path, [0.0], [np.asarray(value)]) for node, path, value in values))


def small_character() -> Character:
    """Two joints; clips that hold still, so that what they mix to can be said."""
    clips = [
        still("left", (0, "translation", [1, 0, 0]), (1, "rotation", turn(Z, 0.4))),
        still("right", (0, "translation", [3, 0, 0]), (1, "rotation", -turn(Z, 0.8))),
        still("arm", (1, "rotation", turn(X, 1.0))),
        still("grow", (1, "scale", [3, 3, 3]), (1, "translation", [0, 0.6, 0])),
        still("added", (1, "rotation", turn(Z, 0.5)), (1, "scale", [2, 4, 1]), (0, "translation", [0, 0, 2])),
        make_clip("slide", make_track(0, "translation", [0.0, 1.0], [[0, 0, 0], [8, 0, 0]])),
    ]
    clips[4].additive = Additive("rest")
    return walker(*clips, joint_count=2, translation=[[0, 0.1, 0], [0, 0.2, 0]], scale=[[1, 1, 1], [2, 2, 1]])


LEFT, RIGHT, ARM, GROW, ADDED, SLIDE = range(6)


@pytest.fixture(scope="module")
def small() -> Rig:
    return sk.bake(small_character(), cache=False)


@pytest.fixture(scope="module")
def varied() -> Rig:
    return sk.bake(varied_character(21, 1), cache=False, rate=30.0)


@pytest.fixture(scope="module")
def face() -> Rig:
    clips = [
        make_clip("smile", make_track(0, "weights", [0.0, 1.0], [[0.0, 1.0], [1.0, 1.0]])),
        make_clip("frown", make_track(0, "weights", [0.0], [[0.2, 0.4]])),
        make_clip("nod", make_track(0, "rotation", [0.0], [turn(X, 0.2)])),
        make_clip("more", make_track(0, "weights", [0.0], [[0.5, 0.9]])),
    ]
    clips[3].additive = Additive("rest")
    character = walker(*clips, joint_count=1)
    deltas = np.ones((2, 3, 3), np.float32)
    character.meshes = [Mesh("m", [make_primitive(np.eye(3), morph_positions=deltas)], ["a", "b"])]
    character.instances = [MeshInstance(0, 0, weights=np.array([0.1, 0.5]))]
    return sk.bake(character, cache=False)


def posed(
    rig: Rig, *layers: Played, additive: list[int] | None = None, mask: ArrayLike | None = None
) -> tuple[np.ndarray, ...]:
    flags = additive or [0] * len(layers)
    local = blend_layers(rig, playlist(layers), additive=flags, mask=mask)
    return tuple(values[0] for values in unpack_pose(local, rig.joint_count))


def angle(a: np.ndarray, b: np.ndarray) -> float:
    """Angle between two rotations [rad]; quaternions an angle apart are a chord of ``2 sin(angle / 4)`` apart."""
    return 4.0 * math.asin(0.5 * float(min(np.linalg.norm(a - b), np.linalg.norm(a + b))))


class TestInvalidInput:
    def test_what_is_no_playback_list(self, small: Rig) -> None:
        with pytest.raises(ArgumentError, match="playback: expected a PlaybackList, got list"):
            blend_layers(small, [], additive=[])  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        ("entry", "message"),
        [
            ((6, 0.0, 0.5), "clip 6 is not one of the 6 clips, nor -1 for none"),
            ((-2, 0.0, 0.5), "clip -2 is not one of the 6 clips"),
            ((0, math.nan, 0.5), "its time is nan s"),
            ((0, math.inf, 0.5), "its time is inf s"),
            ((0, 0.0, math.nan), "its weight is nan"),
            ((0, 0.0, -0.5), "its weight is -0.5"),
        ],
    )
    def test_an_entry_that_cannot_be_played_is_named(self, small: Rig, entry: tuple, message: str) -> None:
        good = [Played([(0, 0.0, 1.0)])]
        bad = [Played([(1, 0.0, 0.5), entry])]
        for function in (blend_layers, blend_morphs):
            with pytest.raises(ArgumentError, match=rf"^playback: character 1, entry 1: {message}"):
                function(small, playlist(good, bad, bad), additive=[0])

    def test_a_layer_weight_that_is_no_number(self, small: Rig) -> None:
        bad = [Played([(0, 0.0, 1.0)]), Played([(0, 0.0, 1.0)], math.nan)]
        with pytest.raises(ArgumentError, match="character 0, layer 1: its weight is nan"):
            blend_layers(small, playlist(bad), additive=[0, 0])

    @pytest.mark.parametrize("starts", [[1, 1], [0, 3], [0, -1]])
    def test_layers_that_point_nowhere(self, small: Rig, starts: list[int]) -> None:
        good = playlist([Played([(0, 0.0, 0.5), (1, 0.0, 0.5)])])
        bad = dataclasses.replace(good, layer_start=np.array([starts], np.int32))
        with pytest.raises(ArgumentError, match=r"character 0: layer_start is .* the 2 entries"):
            blend_layers(small, bad, additive=[0])

    @pytest.mark.parametrize("name", ["layer_start", "clip", "time", "weight", "layer_weight"])
    def test_shapes(self, small: Rig, name: str) -> None:
        good = playlist([Played([(0, 0.0, 1.0)])])
        bad = dataclasses.replace(good, **{name: np.zeros((1, 1, 1))})
        with pytest.raises(ArgumentError, match=rf"playback\.{name}: expected shape"):
            blend_layers(small, bad, additive=[0])

    def test_layers_of_another_number(self, small: Rig) -> None:
        good = playlist([Played([(0, 0.0, 1.0)])])
        with pytest.raises(ArgumentError, match=r"additive: expected shape \[1\], got \[2\]"):
            blend_layers(small, good, additive=[0, 1])
        with pytest.raises(ArgumentError, match=r"mask: expected shape \[1, 1, 16\]"):
            blend_layers(small, good, additive=[0], mask=np.ones((1, 2)))

    @pytest.mark.parametrize("wrong", [-0.1, 1.1, math.nan])
    def test_a_mask_that_is_no_weight(self, small: Rig, wrong: float) -> None:
        mask = np.ones((1, 1, 16))
        mask[0, 0, 1] = wrong
        with pytest.raises(ArgumentError, match=r"mask: layer 0, joint 1: .* no weight"):
            blend_layers(small, playlist([Played([(0, 0.0, 1.0)])]), additive=[0], mask=mask)


class TestDegenerate:
    def test_no_characters(self, small: Rig) -> None:
        empty = PlaybackList(np.zeros((0, 2), np.int32), *np.zeros((3, 0, 1)), np.zeros((0, 1)))
        assert blend_layers(small, empty, additive=[0]).shape == (0, 1, 10, 16)
        assert blend_morphs(small, empty, additive=[0]).shape == (0, 0)
        assert animate(small, empty, additive=[0]).shape == (0, 0, 3, 4)

    @pytest.mark.parametrize(
        "layers",
        [
            [],
            [Played([])],
            [Played([(-1, 0.0, 1.0)])],
            [Played([(LEFT, 0.0, 1.0)], 0.0)],
            [Played([(LEFT, 0.0, 1.0)], -3.0)],
            [Played([(LEFT, 0.0, 0.0)])],
            [Played([(LEFT, 0.0, 0.0), (RIGHT, 0.0, 0.0)])],
        ],
    )
    @pytest.mark.parametrize("flag", [0, 1])
    def test_nothing_that_counts_is_the_rest_pose(self, small: Rig, layers: list[Played], flag: int) -> None:
        local = blend_layers(small, playlist(layers), additive=[flag] * len(layers))
        np.testing.assert_array_equal(local[0], small.rest)

    def test_a_rest_scale_of_zero(self) -> None:
        clip = still("grow", (0, "scale", [2, 3, 4]))
        rig = sk.bake(walker(clip, joint_count=1, scale=[[0, 1, 1]]), cache=False)
        assert posed(rig, Played([(0, 0.0, 1.0)]), additive=[1])[2].tolist() == [[0, 3, 4]]

    def test_opposite_half_turns_meet_somewhere(self) -> None:
        clips = [still("a", (0, "rotation", [1, 0, 0, 0])), still("b", (0, "rotation", [0, 1, 0, 0]))]
        rig = sk.bake(walker(*clips, joint_count=1), cache=False)
        for flag in (0, 1):
            rotation = posed(rig, Played([(0, 0.0, 0.5), (1, 0.0, 0.5)]), additive=[flag])[0]
            np.testing.assert_allclose(np.abs(rotation[0]), [0.5**0.5, 0.5**0.5, 0, 0], atol=POSE_TOL)


class TestOverwrite:
    def test_one_clip_is_what_sample_gives(self, varied: Rig) -> None:
        times = np.linspace(-0.2, 1.2, 9)
        for clip in (0, 1):
            lists = playlist(*([Played([(clip, time, 1.0)])] for time in times))
            assert np.array_equal(blend_layers(varied, lists, additive=[0]), sk.sample(varied, clip, times, loop=False))

    def test_two_clips_at_equal_weight(self, small: Rig) -> None:
        """Halfway between turns of 0.4 and 0.8, whose quaternions have opposite signs."""
        rotation, translation, _ = posed(small, Played([(LEFT, 0.0, 0.5), (RIGHT, 0.0, 0.5)]))
        np.testing.assert_allclose(translation[0], [2, 0, 0], atol=POSE_TOL)
        assert angle(rotation[1], turn(Z, 0.6)) < POSE_TOL

    def test_times_are_clamped(self, small: Rig) -> None:
        for time, want in ((-1.0, 0.0), (0.25, 2.0), (1.0, 8.0), (2.5, 8.0)):
            assert posed(small, Played([(SLIDE, time, 1.0)]))[1][0, 0] == pytest.approx(want, abs=1e-5)

    def test_half_a_layer_weight(self, small: Rig) -> None:
        rotation, translation, _ = posed(small, Played([(LEFT, 0.0, 1.0)], 0.5))
        np.testing.assert_allclose(translation[0], [0.5, 0.05, 0], atol=POSE_TOL)
        assert angle(rotation[1], turn(Z, 0.2)) < POSE_TOL

    def test_what_an_entry_does_not_key_counts_for_the_layer_below(self, small: Rig) -> None:
        """`arm` keys no translation: 0.25 of the layer moves it, the rest stays what `left` made of it."""
        rotation, translation, _ = posed(
            small, Played([(LEFT, 0.0, 1.0)]), Played([(RIGHT, 0.0, 0.25), (ARM, 0.0, 0.75)])
        )
        np.testing.assert_allclose(translation[0], [1.5, 0, 0], atol=POSE_TOL)
        mixed = 0.25 * turn(Z, 0.8) + 0.75 * turn(X, 1.0)
        assert angle(rotation[1], mixed / np.linalg.norm(mixed)) < POSE_TOL

    def test_the_upper_layer_wins_where_it_keys(self, small: Rig) -> None:
        rotation, translation, _ = posed(small, Played([(LEFT, 0.0, 1.0)]), Played([(ARM, 0.0, 1.0)]))
        assert angle(rotation[1], turn(X, 1.0)) < POSE_TOL
        assert translation[0].tolist() == [1, 0, 0]

    def test_empty_entries_take_weight_away(self, small: Rig) -> None:
        translation = posed(small, Played([(LEFT, 0.0, 0.5), (-1, 0.0, 0.5)]))[1]
        np.testing.assert_allclose(translation[0], [0.5, 0.05, 0], atol=POSE_TOL)

    def test_a_mask_scales_the_layer_per_joint(self, small: Rig) -> None:
        mask = pack_mask(np.array([0.25, 0.0]))[None]
        rotation, translation, _ = posed(small, Played([(LEFT, 0.0, 1.0)]), mask=mask)
        np.testing.assert_allclose(translation[0], [0.25, 0.075, 0], atol=POSE_TOL)
        assert rotation[1].tolist() == IDENTITY

    def test_scales(self, small: Rig) -> None:
        scale = posed(small, Played([(GROW, 0.0, 1.0)], 0.5))[2]
        np.testing.assert_allclose(scale[1], [2.5, 2.5, 2], atol=POSE_TOL)

    def test_an_additive_clip_is_put_onto_the_rest_pose(self, small: Rig) -> None:
        rotation, translation, scale = posed(small, Played([(ADDED, 0.0, 1.0)]))
        assert angle(rotation[1], turn(Z, 0.5)) < POSE_TOL
        np.testing.assert_allclose(scale[1], [2, 4, 1], atol=POSE_TOL)
        np.testing.assert_allclose(translation, [[0, 0, 2], [0, 0.2, 0]], atol=POSE_TOL)


class TestAdditive:
    @pytest.mark.parametrize("weight", [0.0, 0.25, 1.0])
    def test_a_baked_delta_scales_with_the_layer(self, small: Rig, weight: float) -> None:
        base = Played([(LEFT, 0.0, 1.0)])
        rotation, translation, scale = posed(small, base, Played([(ADDED, 0.0, 1.0)], weight), additive=[0, 1])
        assert angle(rotation[1], turn(Z, 0.4 + 0.5 * weight)) < SLERP_TOL_RAD
        np.testing.assert_allclose(translation[0], [1, -0.1 * weight, 2 * weight], atol=POSE_TOL)
        np.testing.assert_allclose(scale[1], [2, 2 * (1 + weight), 1], atol=POSE_TOL)

    def test_other_clips_are_taken_against_the_rest_pose(self, small: Rig) -> None:
        base = Played([(LEFT, 0.0, 1.0)])
        rotation, translation, scale = posed(small, base, Played([(GROW, 0.0, 1.0)], 0.5), additive=[0, 1])
        assert angle(rotation[1], turn(Z, 0.4)) < POSE_TOL
        np.testing.assert_allclose(translation[1], [0, 0.4, 0], atol=POSE_TOL)
        np.testing.assert_allclose(scale[1], [2.5, 2.5, 2], atol=POSE_TOL)

    def test_order_of_base_and_delta(self, small: Rig) -> None:
        """The delta turns in the joint's own frame: base * delta."""
        rotation = posed(small, Played([(ARM, 0.0, 1.0)]), Played([(LEFT, 0.0, 1.0)]), additive=[0, 1])[0]
        c, s, d, e = math.cos(0.5), math.sin(0.5), math.cos(0.2), math.sin(0.2)
        assert angle(rotation[1], np.array([s * d, -s * e, c * e, c * d])) < POSE_TOL

    def test_the_mean_of_deltas(self, small: Rig) -> None:
        layer = Played([(ADDED, 0.0, 0.5), (RIGHT, 0.0, 0.25), (-1, 0.0, 0.25)])
        rotation, translation, _ = posed(small, Played([(SLIDE, 0.0, 1.0)]), layer, additive=[0, 1])
        np.testing.assert_allclose(translation[0], [0.75, -0.075, 1.0], atol=POSE_TOL)
        mean = 2 * turn(Z, 0.5) + turn(Z, 0.8)
        half = math.atan2(mean[2], mean[3])
        assert angle(rotation[1], turn(Z, 2 * half * 0.75)) < SLERP_TOL_RAD

    def test_a_delta_of_nothing_changes_nothing(self) -> None:
        clip = make_clip("hold", make_track(1, "rotation", [0.0, 1.0], turn(Y, np.array([0.7, 0.7]))))
        clip.additive = Additive("first_frame")
        character = small_character()
        character.clips.append(clip)
        rig = sk.bake(character, cache=False)
        base = Played([(LEFT, 0.0, 1.0)])
        for before, after in zip(
            posed(rig, base), posed(rig, base, Played([(6, 0.5, 1.0)]), additive=[0, 1]), strict=True
        ):
            np.testing.assert_allclose(after, before, atol=2e-7)

    def test_the_way_from_the_identity_is_exact(self) -> None:
        """``[v sin(a h) / sin(h), cos(a h)]`` for half angles from 0 to a quarter turn."""
        from skelter.core.kernel import kernel
        from skelter.pose import layers_kernels as kernels

        @kernel
        def add_mix_kernel(mix, mask, amount, out):  # type: ignore[no-untyped-def]
            kernels.add_mix(mix, mask, amount, out)

        axis = np.array([2.0, -3.0, 6.0]) / 7.0
        halves = np.concatenate([np.linspace(0.0, np.pi / 2, 398), [1e-8, 1e-4]]).reshape(-1, 16)
        worst = 0.0
        for amount in np.linspace(0.0, 1.0, 21).astype(np.float32):
            for half in halves:
                mix = np.zeros(kernels.MIX_SIZE, np.float32)
                quaternions = turn(axis, 2 * half).T.astype(np.float32)
                mix[:64] = quaternions.ravel()
                mix[kernels.R_COVERAGE : kernels.R_COVERAGE + 16] = 1.0
                out = np.zeros(160, np.float32)
                out[48:64] = 1.0
                add_mix_kernel(mix, np.ones(16, np.float32), amount, out)
                have = out[:64].reshape(4, 16).astype(np.float64)
                exact = np.arctan2(np.linalg.norm(quaternions[:3].astype(float), axis=0), quaternions[3].astype(float))
                want = turn(axis, 2 * float(amount) * exact).T
                worst = max(worst, float(2 * np.linalg.norm(have - want, axis=0).max()))
        assert worst < SLERP_TOL_RAD


class TestMorphs:
    @pytest.mark.parametrize(
        ("layers", "additive", "want"),
        [
            ([Played([])], [0], [0.1, 0.5]),
            ([Played([(0, 0.5, 1.0)])], [0], [0.5, 1.0]),
            ([Played([(0, 0.5, 0.5), (1, 0.0, 0.5)])], [0], [0.35, 0.7]),
            ([Played([(0, 0.5, 0.5), (2, 0.0, 0.5)])], [0], [0.3, 0.75]),
            ([Played([(0, 0.5, 1.0)]), Played([(2, 0.0, 1.0)])], [0, 0], [0.5, 1.0]),
            ([Played([(0, 0.5, 1.0)]), Played([(1, 0.0, 1.0)], 0.5)], [0, 0], [0.35, 0.7]),
            ([Played([(0, 0.5, 1.0)]), Played([(1, 0.0, 1.0)], 0.5)], [0, 1], [0.55, 0.95]),
            ([Played([(0, 0.5, 1.0)]), Played([(3, 0.0, 1.0)])], [0, 1], [0.9, 1.4]),
            ([Played([(3, 0.0, 1.0)])], [0], [0.5, 0.9]),
        ],
    )
    def test_layers_of_weights(self, face: Rig, layers: list[Played], additive: list[int], want: list[float]) -> None:
        weights = blend_morphs(face, playlist(layers), additive=additive)
        np.testing.assert_allclose(weights, [want], atol=POSE_TOL)

    def test_one_clip_is_what_sample_gives(self, varied: Rig) -> None:
        times = np.linspace(0.0, 1.0, 7)
        lists = playlist(*([Played([(1, time, 1.0)])] for time in times))
        want = sk.sample_morphs(varied, 1, times, loop=False)
        np.testing.assert_allclose(blend_morphs(varied, lists, additive=[0]), want, atol=POSE_TOL)


def random_case(rig: Rig, seed: int, count: int = 8) -> tuple[list[list[Played]], list[int], np.ndarray]:
    random = np.random.default_rng(seed)
    layer_count = int(random.integers(1, 5))
    characters = [random_layers(random, layer_count, len(rig.clip_names)) for _ in range(count)]
    additive = random.integers(0, 2, layer_count).tolist()
    masks = np.array([pack_mask(random.choice([0.0, 0.4, 1.0], rig.joint_count)) for _ in additive])
    masks[random.random(layer_count) < 0.5] = 1.0
    return characters, additive, masks


class TestProperties:
    @settings(deadline=None, max_examples=40)
    @given(st.integers(0, 1 << 30))
    def test_poses_are_sound(self, varied: Rig, seed: int) -> None:
        characters, additive, masks = random_case(varied, seed)
        local = blend_layers(varied, playlist(*characters), additive=additive, mask=masks)
        assert np.isfinite(local).all()
        np.testing.assert_allclose(np.linalg.norm(unpack_pose(local, 21)[0], axis=-1), 1.0, atol=1e-6)
        spare = np.swapaxes(local, -1, -2).reshape(len(local), -1, 10)[:, 21:]
        assert np.array_equal(spare, np.broadcast_to([0, 0, 0, 1, 0, 0, 0, 1, 1, 1], spare.shape))

    @settings(deadline=None, max_examples=40)
    @given(st.integers(0, 1 << 30), st.randoms(use_true_random=False))
    def test_the_order_of_entries_does_not_matter(self, varied: Rig, seed: int, shuffle: Random) -> None:
        characters, additive, masks = random_case(varied, seed)
        mixed = [
            [Played(shuffle.sample(list(layer.entries), len(layer.entries)), layer.weight) for layer in layers]
            for layers in characters
        ]
        first = blend_layers(varied, playlist(*characters), additive=additive, mask=masks)
        second = blend_layers(varied, playlist(*mixed), additive=additive, mask=masks)
        np.testing.assert_allclose(first, second, atol=1e-6)

    @settings(deadline=None, max_examples=30)
    @given(st.integers(0, 1 << 30))
    def test_masked_joints_stay_as_they_are(self, varied: Rig, seed: int) -> None:
        characters, additive, masks = random_case(varied, seed)
        masks[-1] = 0.0
        below = playlist(*(layers[:-1] for layers in characters))
        whole = blend_layers(varied, playlist(*characters), additive=additive, mask=masks)
        part = blend_layers(varied, below, additive=additive[:-1], mask=masks[:-1])
        assert np.array_equal(whole, part)

    def test_a_whole_layer_on_top_hides_what_is_below(self, varied: Rig) -> None:
        top = Played([(0, 0.3, 0.6), (1, 0.8, 0.4)])
        alone = blend_layers(varied, playlist([top]), additive=[0])
        both = blend_layers(varied, playlist([Played([(0, 0.9, 1.0)]), top]), additive=[0, 0])
        lanes = varied.clips.keyed[0] & varied.clips.keyed[1]
        keyed = ((lanes[:, 1:2] >> np.arange(16, dtype=np.uint32)) & 1).astype(bool).ravel()[:21]
        a, b = unpack_pose(alone, 21)[0][0], unpack_pose(both, 21)[0][0]
        assert keyed.sum() > 3
        assert max(angle(x, y) for x, y in zip(a[keyed], b[keyed], strict=True)) < 2e-6

    def test_neighbours_do_not_matter(self, varied: Rig) -> None:
        characters, additive, masks = random_case(varied, 3, 150)
        want = blend_layers(varied, playlist(*characters), additive=additive, mask=masks)
        alone = [
            blend_layers(varied, playlist(layers), additive=additive, mask=masks)[0] for layers in characters[:150:29]
        ]
        assert np.array_equal(want[::29], alone)

    def test_animate_is_blending_and_skinning_matrices(self, varied: Rig) -> None:
        characters, additive, masks = random_case(varied, 5, 130)
        lists = playlist(*characters)
        local = blend_layers(varied, lists, additive=additive, mask=masks)
        have = animate(varied, lists, additive=additive, mask=masks)
        assert np.array_equal(have, sk.skinning_matrices(varied, local))
