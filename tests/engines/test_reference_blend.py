"""Layers in the reference engine against closed forms, and the cpu engine against them."""

from __future__ import annotations

import numpy as np
import pytest

import skelter as sk
from skelter.assets.character import Additive, Character
from skelter.core.arrays import LANE_COUNT, unpack_pose
from skelter.core.errors import ArgumentError
from skelter.engines.cpu.pipeline import blend_layers
from skelter.engines.reference import LayerContributions, blend_contributions, pose
from skelter.pose.layers import blend_morphs
from skelter.rig.mask import pack_mask
from tests.build import X, Z, make_clip, make_track, turn, walker
from tests.support.playlists import contributions, playlist, random_layers, varied_character

EXACT = 1e-12
FRAME_TOL = 3e-6
"""At the times of frames, which lie on keys, what is left is rounding to float32."""
BETWEEN_TOL = 4e-4
"""Between frames there is nlerp for slerp, in joints that turn by about 1 rad from one to the next."""


def mover() -> Character:
    clips = [
        make_clip("slide", make_track(0, "translation", [0.0, 1.0], [[0, 0, 0], [4, 0, 0]])),
        make_clip("turn", make_track(1, "rotation", [0.0, 1.0], turn(Z, np.array([0.2, 1.0])))),
        make_clip("spin", make_track(1, "rotation", [0.0, 1.0], -turn(Z, np.array([0.4, 1.4])))),
        make_clip("grow", make_track(1, "scale", [0.0, 1.0], [[1, 1, 1], [3, 1, 1]])),
    ]
    return walker(*clips, joint_count=2)


def layer(*entries: tuple[str | None, float, float], **options: object) -> LayerContributions:
    return LayerContributions(entries, **options)  # type: ignore[arg-type]


class TestInvalidInput:
    def test_a_clip_that_is_not_there(self) -> None:
        with pytest.raises(ArgumentError, match="no clip 'run'"):
            blend_contributions(mover(), [layer(("run", 0.0, 1.0))])


class TestDegenerate:
    @pytest.mark.parametrize(
        "layers", [[], [layer()], [layer((None, 0.0, 1.0))], [layer(("slide", 1.0, 1.0), weight=0.0)]]
    )
    def test_nothing_is_the_rest_pose(self, layers: list[LayerContributions]) -> None:
        have, want = blend_contributions(mover(), layers), pose(mover(), None)
        assert np.array_equal(have.model_from_node, want.model_from_node)


class TestKnownValues:
    def test_one_clip_is_its_pose(self) -> None:
        have, want = blend_contributions(mover(), [layer(("turn", 0.3, 1.0))]), pose(mover(), "turn", 0.3)
        np.testing.assert_allclose(have.model_from_node, want.model_from_node, atol=EXACT)

    def test_a_mean_of_two_turns(self) -> None:
        have = blend_contributions(mover(), [layer(("turn", 1.0, 0.5), ("spin", 1.0, 0.5))])
        np.testing.assert_allclose(have.rotation[1] * np.sign(have.rotation[1, 3]), turn(Z, 1.2), atol=EXACT)

    def test_coverage_counts_per_property(self) -> None:
        have = blend_contributions(mover(), [layer(("slide", 1.0, 0.25), ("turn", 1.0, 0.75))])
        np.testing.assert_allclose(have.translation[0], [1.0, 0.075, 0], atol=EXACT)
        mean = 0.25 * np.array([0, 0, 0, 1.0]) + 0.75 * turn(Z, 1.0)
        np.testing.assert_allclose(have.rotation[1], mean / np.linalg.norm(mean), atol=EXACT)

    def test_masks(self) -> None:
        have = blend_contributions(mover(), [layer(("slide", 1.0, 1.0), mask=np.array([0.5, 1.0]))])
        np.testing.assert_allclose(have.translation[0], [2.0, 0.05, 0], atol=EXACT)

    @pytest.mark.parametrize(
        ("reference", "angle"),
        [(None, 1.0), (Additive("rest"), 1.0), (Additive("first_frame"), 0.8), (Additive("clip", "spin", 0.1), 0.5)],
    )
    def test_references_of_deltas(self, reference: Additive | None, angle: float) -> None:
        character = mover()
        character.clips[1].additive = reference
        base = layer(("spin", 0.5, 1.0))
        have = blend_contributions(character, [base, layer(("turn", 1.0, 1.0), weight=0.5, additive=True)])
        np.testing.assert_allclose(
            have.rotation[1] * np.sign(have.rotation[1, 3]), turn(Z, 0.9 + angle / 2), atol=EXACT
        )

    def test_deltas_of_translation_and_scale(self) -> None:
        top = layer(("slide", 0.5, 0.5), ("grow", 1.0, 0.5), additive=True)
        have = blend_contributions(mover(), [layer(("grow", 0.5, 1.0)), top])
        np.testing.assert_allclose(have.translation[0], [1.0, 0.05, 0], atol=EXACT)
        np.testing.assert_allclose(have.scale[1], [4.0, 1, 1], atol=EXACT)

    def test_an_additive_clip_in_an_overwriting_layer(self) -> None:
        character = mover()
        character.nodes.rotation[1] = turn(X, 0.5)
        character.clips[1].additive = Additive("first_frame")
        have = blend_contributions(character, [layer(("turn", 1.0, 1.0))])
        want = np.array([np.sin(0.25) * np.cos(0.4), -np.sin(0.25) * np.sin(0.4), 0, 0])
        np.testing.assert_allclose(have.rotation[1, :2], want[:2], atol=EXACT)


class TestCpuAgrees:
    @pytest.mark.parametrize(("on_frames", "tolerance"), [(True, FRAME_TOL), (False, BETWEEN_TOL)])
    @pytest.mark.parametrize("seed", range(6))
    def test_random_layers(self, seed: int, on_frames: bool, tolerance: float) -> None:
        """Clips that key everything or some, additive ones of all references, masks, any weights."""
        random = np.random.default_rng(seed)
        joint_count = (1, 16, 17, 40)[seed % 4]
        character = varied_character(joint_count, seed)
        rig = sk.bake(character, cache=False, rate=30.0)
        layer_count = int(random.integers(1, 5))
        additive = random.integers(0, 2, layer_count).tolist()
        weights = random.choice([0.0, 0.3, 1.0], (layer_count, joint_count))
        masks = np.array([pack_mask(weight) for weight in weights])
        of_node = np.zeros((layer_count, len(character.nodes)))
        of_node[:, rig.node] = weights
        characters = [random_layers(random, layer_count, 4, on_frames=on_frames) for _ in range(6)]
        local = blend_layers(rig, playlist(*characters), additive=additive, mask=masks)
        rotation, translation, scale = unpack_pose(local, joint_count)
        morphs = blend_morphs(rig, playlist(*characters), additive=additive)
        assert local.shape[1:] == (-(-joint_count // LANE_COUNT), 10, LANE_COUNT)
        for index, layers in enumerate(characters):
            want = blend_contributions(character, contributions(rig, layers, additive, of_node))
            turned = want.rotation[rig.node]
            sign = np.where((turned * rotation[index]).sum(axis=1) < 0, -1.0, 1.0)[:, None]
            np.testing.assert_allclose(rotation[index] * sign, turned, atol=tolerance)
            np.testing.assert_allclose(translation[index], want.translation[rig.node], atol=tolerance)
            np.testing.assert_allclose(scale[index], want.scale[rig.node], atol=tolerance)
            np.testing.assert_allclose(morphs[index], np.concatenate(want.weights), atol=tolerance)
