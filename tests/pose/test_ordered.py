"""Poses by PlayCanvas's rules: entries one after the other, layers that hold what they showed, and the reference."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike

import skelter as sk
from skelter.assets.character import Additive, Character, Clip, Path
from skelter.core.arrays import unpack_pose
from skelter.core.errors import ArgumentError
from skelter.core.playback import PlaybackList
from skelter.engines.reference.ordered_blend import OrderedBlend
from skelter.pose.bank import bank_arrays
from skelter.pose.layers import bind_playback, layer_scratch
from skelter.pose.ordered import LayerMemory, blend_in_order, new_memory
from skelter.rig.mask import pack_mask
from skelter.rig.rig import Rig
from tests.build import X, Z, make_clip, make_track, turn, walker
from tests.support.playlists import Played, contributions, playlist, random_layers

POSE_TOL = 2e-6
REFERENCE_TOL = 1e-5
"""After many steps of memory in float32."""


def still(name: str, *values: tuple[int, Path, ArrayLike]) -> Clip:
    return make_clip(name, *(make_track(node, path, [0.0], [np.asarray(value)]) for node, path, value in values))


def character() -> Character:
    """Two joints; clips that hold still and key different things."""
    clips = [
        still("left", (0, "translation", [1, 0, 0]), (1, "rotation", turn(Z, 0.4))),
        still("right", (0, "translation", [3, 0, 0]), (1, "rotation", -turn(Z, 0.8))),
        still("arm", (1, "rotation", turn(X, 1.0))),
        still("grow", (1, "scale", [3, 3, 3]), (1, "translation", [0, 0.6, 0])),
        still("added", (1, "rotation", turn(Z, 0.5)), (1, "scale", [2, 4, 1]), (0, "translation", [0, 0, 2])),
    ]
    clips[4].additive = Additive("rest")
    return walker(*clips, joint_count=2, translation=[[0, 0.1, 0], [0, 0.2, 0]], scale=[[1, 1, 1], [2, 2, 1]])


LEFT, RIGHT, ARM, GROW, ADDED = range(5)


@pytest.fixture(scope="module")
def rig() -> Rig:
    return sk.bake(character(), cache=False)


class Stage:
    """One character whose layers remember what they showed."""

    def __init__(self, rig: Rig, additive: ArrayLike = (0,), masks: ArrayLike | None = None) -> None:
        self.rig = rig
        self.additive = np.asarray(additive, np.uint8)
        self.masks = None if masks is None else np.array([pack_mask(np.asarray(mask)) for mask in np.asarray(masks)])
        self.memory = new_memory(rig, 1, len(self.additive))

    def show(self, *layers: Played) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return rotations, translations, scales ``[joint, ...]``."""
        local = blend_in_order(self.rig, playlist(layers), self.memory, additive=self.additive, mask=self.masks)
        rotation, translation, scale = unpack_pose(local, self.rig.joint_count)
        return rotation[0], translation[0], scale[0]


def assert_rotation(found: np.ndarray, wanted: np.ndarray) -> None:
    wanted = wanted / np.linalg.norm(wanted)
    assert min(np.abs(found - wanted).max(), np.abs(found + wanted).max()) < POSE_TOL


class TestWrongArguments:
    @pytest.mark.parametrize(("chars", "layers"), [(2, 1), (0, 1), (1, 2), (1, 0)])
    def test_a_memory_of_others(self, rig: Rig, chars: int, layers: int) -> None:
        lists = playlist([Played([(LEFT, 0.0, 1.0)])])
        with pytest.raises(ArgumentError, match=r"memory: expected poses of shape \[1, 1, 160\], got"):
            blend_in_order(rig, lists, new_memory(rig, chars, layers), additive=[0])

    def test_what_blend_layers_refuses(self, rig: Rig) -> None:
        lists = playlist([Played([(7, 0.0, 1.0)])])
        with pytest.raises(ArgumentError, match="clip 7 is not one of the 5 clips"):
            blend_in_order(rig, lists, new_memory(rig, 1, 1), additive=[0])


class TestNothing:
    def test_no_characters(self, rig: Rig) -> None:
        one = playlist([Played([(LEFT, 0.0, 1.0)])])
        names = ("layer_start", "clip", "time", "weight", "layer_weight")
        none = PlaybackList(**{name: getattr(one, name)[:0] for name in names})
        local = blend_in_order(rig, none, new_memory(rig, 0, 1), additive=[0])
        assert local.shape == (0, *rig.rest.shape)

    @pytest.mark.parametrize("additive", [0, 1])
    @pytest.mark.parametrize("entries", [[], [(-1, 0.0, 1.0)]])
    def test_nothing_was_ever_keyed(self, rig: Rig, additive: int, entries: list[tuple[int, float, float]]) -> None:
        stage = Stage(rig, [additive])
        rotation, translation, scale = stage.show(Played(entries))
        np.testing.assert_allclose(translation, [[0, 0.1, 0], [0, 0.2, 0]], atol=POSE_TOL)
        assert rotation.tolist() == [[0, 0, 0, 1]] * 2
        assert scale.tolist() == [[1, 1, 1], [2, 2, 1]]
        assert not stage.memory.bound.any()


class TestEntries:
    def test_the_first_counts_in_full_whatever_its_weight(self, rig: Rig) -> None:
        rotation, translation, _ = Stage(rig).show(Played([(LEFT, 0.0, 0.125), (-1, 0.0, 0.875)]))
        assert translation[0].tolist() == [1, 0, 0]
        assert_rotation(rotation[1], turn(Z, 0.4))

    def test_others_are_mixed_in_by_their_weights(self, rig: Rig) -> None:
        rotation, translation, _ = Stage(rig).show(Played([(LEFT, 0.0, 0.75), (RIGHT, 0.0, 0.25)]))
        np.testing.assert_allclose(translation[0], [1.5, 0, 0], atol=POSE_TOL)
        assert_rotation(rotation[1], 0.75 * turn(Z, 0.4) + 0.25 * turn(Z, 0.8))

    def test_the_order_matters(self, rig: Rig) -> None:
        """``((1, 3) by 1/2, 1) by 1/4 = 1.75`` and ``((1, 1) by 1/4, 3) by 1/2 = 2``."""
        three = [(LEFT, 0.0, 0.25), (RIGHT, 0.0, 0.5), (LEFT, 0.0, 0.25)]
        assert Stage(rig).show(Played(three))[1][0, 0] == pytest.approx(1.75)
        three = [(LEFT, 0.0, 0.25), (LEFT, 0.0, 0.25), (RIGHT, 0.0, 0.5)]
        assert Stage(rig).show(Played(three))[1][0, 0] == pytest.approx(2.0)

    def test_each_property_has_a_first_entry_of_its_own(self, rig: Rig) -> None:
        entries = [(GROW, 0.0, 0.25), (ARM, 0.0, 0.5), (LEFT, 0.0, 0.25)]
        rotation, translation, scale = Stage(rig).show(Played(entries))
        assert translation[0].tolist() == [1, 0, 0]
        np.testing.assert_allclose(translation[1], [0, 0.6, 0], atol=POSE_TOL)
        np.testing.assert_allclose(scale[1], [3, 3, 3], atol=POSE_TOL)
        assert_rotation(rotation[1], 0.75 * turn(X, 1.0) + 0.25 * turn(Z, 0.4))


class TestMemory:
    def test_what_nothing_keys_any_more_holds(self, rig: Rig) -> None:
        stage = Stage(rig)
        stage.show(Played([(LEFT, 0.0, 0.5), (RIGHT, 0.0, 0.5)]))
        for entries in ([(ARM, 0.0, 1.0)], [(-1, 0.0, 1.0)], []):
            rotation, translation, _ = stage.show(Played(entries))
            np.testing.assert_allclose(translation[0], [2, 0, 0], atol=POSE_TOL)
            assert_rotation(rotation[1], turn(X, 1.0))

    def test_it_goes_on_while_the_layer_has_no_weight(self, rig: Rig) -> None:
        stage = Stage(rig)
        assert stage.show(Played([(RIGHT, 0.0, 1.0)], 0.0))[1][0].tolist() == pytest.approx([0, 0.1, 0])
        assert stage.show(Played([], 1.0))[1][0].tolist() == [3, 0, 0]

    def test_each_layer_has_its_own(self, rig: Rig) -> None:
        stage = Stage(rig, [0, 0])
        stage.show(Played([(LEFT, 0.0, 1.0)]), Played([(GROW, 0.0, 1.0)]))
        rotation, translation, scale = stage.show(Played([(RIGHT, 0.0, 1.0)]), Played([]))
        assert translation[0].tolist() == [3, 0, 0]
        assert scale[1].tolist() == [3, 3, 3]
        assert_rotation(rotation[1], turn(Z, 0.8))

    def test_posing_again_changes_nothing(self, rig: Rig) -> None:
        stage = Stage(rig, [0, 1])
        layers = (Played([(LEFT, 0.0, 0.75), (RIGHT, 0.0, 0.25)], 0.5), Played([(ADDED, 0.0, 1.0)], 0.5))
        for one, other in zip(stage.show(*layers), stage.show(*layers), strict=True):
            assert np.array_equal(one, other)

    def test_a_copy_shares_nothing(self, rig: Rig) -> None:
        stage = Stage(rig)
        kept = stage.memory.copy()
        stage.show(Played([(LEFT, 0.0, 1.0)]))
        assert not kept.bound.any()
        assert not np.array_equal(kept.pose, stage.memory.pose)


class TestLayers:
    def test_weights_and_masks_multiply_on_what_is_bound(self, rig: Rig) -> None:
        stage = Stage(rig, masks=[[0.5, 0.0]])
        rotation, translation, _ = stage.show(Played([(LEFT, 0.0, 1.0)], 0.5))
        np.testing.assert_allclose(translation[0], [0.25, 0.075, 0], atol=POSE_TOL)
        assert rotation[1].tolist() == [0, 0, 0, 1]

    @pytest.mark.parametrize("weight", [0.0, 0.5, 1.0])
    def test_an_additive_layer_adds_what_it_remembers(self, rig: Rig, weight: float) -> None:
        stage = Stage(rig, [0, 1])
        stage.show(Played([(LEFT, 0.0, 1.0)]), Played([(ADDED, 0.0, 1.0)], weight))
        rotation, translation, scale = stage.show(Played([]), Played([], weight))
        np.testing.assert_allclose(translation[0], [1, -0.1 * weight, 2 * weight], atol=POSE_TOL)
        np.testing.assert_allclose(scale[1], [2, 2 * (1 + weight), 1], atol=POSE_TOL)
        assert_rotation(rotation[1], turn(Z, 0.4 + 0.5 * weight))

    def test_an_additive_clip_is_put_onto_the_rest_pose(self, rig: Rig) -> None:
        rotation, translation, scale = Stage(rig).show(Played([(ADDED, 0.0, 1.0)]))
        np.testing.assert_allclose(translation[0], [0, 0, 2], atol=POSE_TOL)
        np.testing.assert_allclose(scale[1], [2, 4, 1], atol=POSE_TOL)
        assert_rotation(rotation[1], turn(Z, 0.5))


def random_case(
    seed: int, clip_count: int, frame_count: int, char_count: int = 1
) -> tuple[list[list[list[Played]]], list[int], np.ndarray]:
    """Return layers ``[frame][char][layer]``, flags and a mask ``[layer, joint]``."""
    random = np.random.default_rng(seed)
    layer_count = int(random.integers(1, 4))
    frames = [[random_layers(random, layer_count, clip_count) for _ in range(char_count)] for _ in range(frame_count)]
    masks = random.choice([0.0, 0.4, 1.0], (layer_count, 2))
    return frames, random.integers(0, 2, layer_count).tolist(), masks


class TestProperties:
    @settings(deadline=None, max_examples=40)
    @given(st.integers(0, 1 << 30))
    def test_it_is_what_the_reference_does(self, rig: Rig, seed: int) -> None:
        frames, additive, masks = random_case(seed, 5, 12)
        stage, reference = Stage(rig, additive, masks), OrderedBlend(character())
        for (layers,) in frames:
            rotation, translation, scale = stage.show(*layers)
            want = reference.blend(contributions(rig, layers, additive, masks))
            np.testing.assert_allclose(translation, want.translation, atol=REFERENCE_TOL)
            np.testing.assert_allclose(scale, want.scale, atol=REFERENCE_TOL, rtol=REFERENCE_TOL)
            np.testing.assert_allclose(np.abs((rotation * want.rotation).sum(axis=1)), 1.0, atol=REFERENCE_TOL)

    def test_any_chunks_give_the_same_bits(self, rig: Rig) -> None:
        from skelter.pose.ordered_kernels import blend_in_order_kernel

        frames, additive, masks = random_case(1, 5, 3, 40)
        packed = np.array([pack_mask(mask) for mask in masks])
        whole, parts = (new_memory(rig, 40, len(additive)) for _ in range(2))
        for characters in frames:
            lists = playlist(*characters)
            want = blend_in_order(rig, lists, whole, additive=additive, mask=packed)
            bound = bind_playback(rig, lists, np.array(additive), packed)
            out = np.full((40, rig.rest.size), np.nan, np.float32)
            for start, stop in itertools.pairwise([0, 1, 17, 39, 40]):
                blend_in_order_kernel(
                    bank_arrays(rig),
                    rig.rest.reshape(-1),
                    bound.playback,
                    bound.layers,
                    start,
                    stop,
                    layer_scratch(len(rig.rest), lists.clip.shape[1]),
                    parts.pose,
                    parts.bound,
                    out,
                )
            assert np.array_equal(out.reshape(want.shape), want)
        for one, other in ((whole.pose, parts.pose), (whole.bound, parts.bound)):
            assert np.array_equal(one, other)

    def test_each_character_is_as_if_it_were_alone(self, rig: Rig) -> None:
        frames, additive, _ = random_case(2, 5, 4, 9)
        together = new_memory(rig, 9, len(additive))
        alone = LayerMemory(together.pose[4:5].copy(), together.bound[4:5].copy())
        for characters in frames:
            all_of_them = blend_in_order(rig, playlist(*characters), together, additive=additive)
            one = blend_in_order(rig, playlist(characters[4]), alone, additive=additive)
            assert np.array_equal(all_of_them[4], one[0])
