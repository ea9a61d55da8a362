"""The blend job: weights, thresholds, deltas; the order of the layers means nothing."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import skelter as sk
from skelter.core.affine import normalized
from skelter.core.arrays import LocalPose, pack_pose, unpack_pose
from skelter.core.errors import ArgumentError
from skelter.pose.blend import BlendLayer, blend
from skelter.rig.rig import Rig
from tests.build import X, Z, turn, walker

TOL = 1e-6
JOINTS = 3


@pytest.fixture(scope="module")
def rig() -> Rig:
    return sk.bake(walker(joint_count=JOINTS), cache=False)


def flat_pose(rotation: np.ndarray, x: float = 0.0, scale: float = 1.0, char_count: int = 1) -> LocalPose:
    """All joints alike."""
    joint = (
        np.broadcast_to(rotation, (char_count, JOINTS, 4)),
        np.broadcast_to([x, 0.0, 0.0], (char_count, JOINTS, 3)),
        np.full((char_count, JOINTS, 3), scale),
    )
    return pack_pose(*joint)


def random_pose(random: np.random.Generator, char_count: int = 4) -> LocalPose:
    return pack_pose(
        normalized(random.normal(size=(char_count, JOINTS, 4))),
        random.normal(size=(char_count, JOINTS, 3)),
        random.uniform(0.5, 2.0, (char_count, JOINTS, 3)),
    )


def blended(rig: Rig, *layers: BlendLayer, **options: Any) -> tuple[np.ndarray, ...]:
    return tuple(values[0] for values in unpack_pose(blend(rig, layers, **options), JOINTS))


def same_rotation(a: np.ndarray, b: np.ndarray) -> bool:
    return bool(np.all(np.abs(np.abs((a * b).sum(axis=-1)) - 1.0) < TOL))


class TestInvalidInput:
    @pytest.mark.parametrize("threshold", [0.0, -1.0, math.nan, math.inf])
    def test_thresholds(self, rig: Rig, threshold: float) -> None:
        with pytest.raises(ArgumentError, match=r"^threshold: .* not a number above 0"):
            blend(rig, [], threshold=threshold)

    def test_options(self, rig: Rig) -> None:
        with pytest.raises(ArgumentError, match=r"^zero: expected 'rest' or 'equal', got 'hold'"):
            blend(rig, [], zero="hold")  # type: ignore[arg-type]

    def test_what_is_no_layer(self, rig: Rig) -> None:
        with pytest.raises(ArgumentError, match=r"^layers\[0\]: expected a BlendLayer, got ndarray"):
            blend(rig, [flat_pose(turn(X, 0.0))])  # type: ignore[list-item]

    def test_shapes(self, rig: Rig) -> None:
        pose = flat_pose(turn(X, 0.0), char_count=2)
        with pytest.raises(ArgumentError, match=r"^additive\[0\]\.pose: expected shape \[any, 1, 10, 16\]"):
            blend(rig, [], additive=[BlendLayer(pose[0])])
        with pytest.raises(ArgumentError, match=r"^layers\[1\]\.weight: there are 3 weights for 2 characters"):
            blend(rig, [BlendLayer(pose), BlendLayer(pose, [1, 2, 3])])
        with pytest.raises(ArgumentError, match=r"^layers\[0\]\.joint_weight: expected shape \[3\], got \[2\]"):
            blend(rig, [BlendLayer(pose, 1.0, np.ones(2))])
        with pytest.raises(ArgumentError, match="poses of 1 and 2 characters"):
            blend(rig, [BlendLayer(pose), BlendLayer(pose[:1])])

    def test_numbers_that_are_none(self, rig: Rig) -> None:
        pose = flat_pose(turn(X, 0.0))
        broken = pose.copy()
        broken[0, 0, 4, 1] = np.nan
        for layer, name in (
            (BlendLayer(broken), r"pose: the value at \[0, 0, 4, 1\] is nan"),
            (BlendLayer(pose, math.inf), r"weight: the value at \[0\] is inf"),
            (BlendLayer(pose, 1.0, [1, math.nan, 1]), r"joint_weight: the value at \[1\] is nan"),
        ):
            with pytest.raises(ArgumentError, match=rf"^layers\[0\]\.{name}"):
                blend(rig, [layer])


class TestDegenerate:
    def test_no_layers(self, rig: Rig) -> None:
        np.testing.assert_allclose(blend(rig, []), rig.rest[None], atol=TOL)
        assert blend(rig, [], additive=[BlendLayer(flat_pose(turn(X, 0.0), char_count=5))]).shape[0] == 5

    def test_no_characters(self, rig: Rig) -> None:
        assert blend(rig, [BlendLayer(np.zeros((0, 1, 10, 16), np.float32))]).shape == (0, 1, 10, 16)

    @pytest.mark.parametrize("weights", [(0.0, 0.0), (-1.0, 0.0), (-1.0, -2.0)])
    def test_weights_that_sum_to_zero_give_the_rest_pose(self, rig: Rig, weights: tuple[float, float]) -> None:
        layers = [BlendLayer(flat_pose(turn(X, 0.3), x), weight) for x, weight in zip((1.0, 2.0), weights, strict=True)]
        np.testing.assert_allclose(blend(rig, layers), rig.rest[None], atol=TOL)

    @pytest.mark.parametrize(
        ("weights", "want"), [((0.0, 0.0), 1.5), ((-1.0, 0.0), 2.0), ((-1.0, -2.0), 0.0), ((1.0, 0.0), 1.0)]
    )
    def test_or_equal_weights(self, rig: Rig, weights: tuple[float, float], want: float) -> None:
        layers = [BlendLayer(flat_pose(turn(X, 0.3), x), weight) for x, weight in zip((1.0, 2.0), weights, strict=True)]
        assert blended(rig, *layers, zero="equal")[1][0, 0] == pytest.approx(want)

    def test_opposite_quaternions_are_one_rotation(self, rig: Rig) -> None:
        layers = [BlendLayer(flat_pose(turn(X, 1.0)), 0.5), BlendLayer(flat_pose(-turn(X, 1.0)), 0.5)]
        assert same_rotation(blended(rig, *layers)[0], turn(X, 1.0))

    def test_taking_away_a_scale_of_zero(self, rig: Rig) -> None:
        scale = blended(
            rig, BlendLayer(flat_pose(turn(X, 0.0))), additive=[BlendLayer(flat_pose(turn(X, 0.0), 0.0, 0.0), -1.0)]
        )[2]
        assert np.array_equal(scale, np.ones((JOINTS, 3)))


class TestKnownValues:
    def test_weights_need_not_sum_to_one(self, rig: Rig) -> None:
        for factor in (0.2, 1.0, 30.0):
            rotation, translation, scale = blended(
                rig,
                BlendLayer(flat_pose(turn(Z, 0.2), 1.0, 1.0), 1.0 * factor),
                BlendLayer(flat_pose(-turn(Z, 0.6), 5.0, 2.0), 1.0 * factor),
            )
            assert same_rotation(rotation, turn(Z, 0.4))
            assert translation[0, 0] == pytest.approx(3.0)
            assert scale[0, 0] == pytest.approx(1.5)

    @pytest.mark.parametrize(("weight", "threshold", "share"), [(0.05, 0.1, 0.5), (0.1, 0.1, 1.0), (0.5, 1.0, 0.5)])
    def test_little_weight_fades_to_the_rest_pose(
        self, rig: Rig, weight: float, threshold: float, share: float
    ) -> None:
        layer = BlendLayer(flat_pose(turn(X, 0.0), 4.0), weight)
        _, translation, _ = blended(rig, layer, threshold=threshold)
        np.testing.assert_allclose(translation[1], [4.0 * share, 0.1 * (1.0 - share), 0], atol=TOL)

    def test_weights_per_joint_and_character(self, rig: Rig) -> None:
        pose = flat_pose(turn(X, 0.0), 1.0, char_count=2)
        other = flat_pose(turn(X, 0.0), 3.0, char_count=2)
        out = blend(rig, [BlendLayer(pose, [1.0, 3.0], [1.0, 0.0, -2.0]), BlendLayer(other, 1.0, [1.0, 1.0, 0.5])])
        x = unpack_pose(out, JOINTS)[1][..., 0]
        np.testing.assert_allclose(x, [[2.0, 3.0, 3.0], [1.5, 3.0, 3.0]], atol=TOL)

    def test_signs_follow_the_heaviest_layer(self, rig: Rig) -> None:
        """A running sum would take the third turn the other way round if the two light ones came first."""
        turns = ((0.0, 0.25), (2.6, 0.25), (5.2, 0.5))
        layers = [BlendLayer(flat_pose(turn(Z, angle)), weight) for angle, weight in turns]
        aligned = 0.25 * -turn(Z, 0.0) + 0.25 * turn(Z, 2.6) + 0.5 * turn(Z, 5.2)
        for order in ((0, 1, 2), (2, 1, 0), (1, 0, 2), (0, 2, 1)):
            assert same_rotation(blended(rig, *(layers[i] for i in order))[0], normalized(aligned))

    @pytest.mark.parametrize("weight", [-1.0, -0.5, 0.0, 0.5, 1.0])
    def test_deltas(self, rig: Rig, weight: float) -> None:
        base = BlendLayer(flat_pose(turn(Z, 1.0), 1.0, 2.0))
        delta = BlendLayer(flat_pose(-turn(Z, 0.4), 0.5, 3.0), weight)
        rotation, translation, scale = blended(rig, base, additive=[delta])
        half = math.atan2(math.sin(0.2) * abs(weight), 1.0 + (math.cos(0.2) - 1.0) * abs(weight))
        assert same_rotation(rotation, turn(Z, 1.0 + 2.0 * math.copysign(half, weight)))
        assert translation[0, 0] == pytest.approx(1.0 + 0.5 * weight)
        ratio = 1.0 + 2.0 * abs(weight)
        assert scale[0, 0] == pytest.approx(2.0 * (ratio if weight > 0 else 1.0 / ratio))


class TestProperties:
    @settings(deadline=None, max_examples=60)
    @given(st.integers(0, 1 << 30), st.permutations(range(5)), st.booleans())
    def test_the_order_of_layers_does_not_matter(self, rig: Rig, seed: int, order: list[int], alike: bool) -> None:
        random = np.random.default_rng(seed)
        weights = [1.0] * 5 if alike else random.choice([-0.2, 0.0, 0.02, 0.3, 1.0, 1.0], 5).tolist()
        masks = [random.choice([0.0, 0.5, 1.0], JOINTS) if random.random() < 0.5 else None for _ in range(5)]
        layers = [BlendLayer(random_pose(random), weight, mask) for weight, mask in zip(weights, masks, strict=True)]
        first = blend(rig, layers)
        second = blend(rig, [layers[index] for index in order])
        np.testing.assert_allclose(first, second, atol=1e-6)

    @settings(deadline=None, max_examples=40)
    @given(st.integers(0, 1 << 30), st.floats(0.0, 2.0))
    def test_taking_away_undoes_adding(self, rig: Rig, seed: int, weight: float) -> None:
        random = np.random.default_rng(seed)
        base, delta = BlendLayer(random_pose(random)), random_pose(random)
        there_and_back = blend(rig, [base], additive=[BlendLayer(delta, weight), BlendLayer(delta, -weight)])
        np.testing.assert_allclose(there_and_back, blend(rig, [base]), atol=2e-5)

    def test_characters_do_not_depend_on_each_other(self, rig: Rig) -> None:
        random = np.random.default_rng(0)
        poses = [random_pose(random, 150) for _ in range(3)]
        weights = random.uniform(-0.1, 1.0, (3, 150))
        layers = [BlendLayer(pose, weight) for pose, weight in zip(poses, weights, strict=True)]
        whole = blend(rig, layers[:2], additive=layers[2:])
        for row in (0, 63, 64, 149):
            one = [
                BlendLayer(layer.pose[row : row + 1], weight[row])
                for layer, weight in zip(layers, weights, strict=True)
            ]
            assert np.array_equal(blend(rig, one[:2], additive=one[2:])[0], whole[row])
