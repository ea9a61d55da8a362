"""Model matrices: parents first, against the obvious."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import skelter as sk
from skelter.core.affine import compose
from skelter.core.arrays import pack_pose
from skelter.core.errors import ArgumentError
from skelter.core.hierarchy import model_matrices
from skelter.rig.rig import Rig
from skelter.testing.rigs import random_character
from tests.build import Y, Z, turn, walker

RELATIVE_TOL = 1e-5


@pytest.fixture(scope="module")
def rig() -> Rig:
    return sk.bake(random_character(35, 1, seed=4, vertex_count=30), cache=False)


class TestInvalidInput:
    @pytest.mark.parametrize("shape", [(3, 10, 16), (1, 2, 10, 16), (1, 3, 16, 10), (1, 480), ()])
    def test_a_pose_of_another_rig(self, rig: Rig, shape: tuple[int, ...]) -> None:
        for function in (sk.to_model, sk.skinning_matrices):
            with pytest.raises(ArgumentError, match=r"local: expected shape \[any, 3, 10, 16\], got "):
                function(rig, np.zeros(shape, np.float32))

    def test_no_numbers(self, rig: Rig) -> None:
        with pytest.raises(ArgumentError, match="local: expected numbers of dtype float32, got str"):
            sk.to_model(rig, "pose")  # type: ignore[arg-type]


class TestDegenerate:
    def test_no_characters(self, rig: Rig) -> None:
        assert sk.to_model(rig, rig.rest[None][:0]).shape == (0, 35, 3, 4)
        assert sk.skinning_matrices(rig, rig.rest[None][:0]).shape == (0, len(rig.palette.joint), 3, 4)

    def test_scale_zero_keeps_the_place_and_is_finite(self) -> None:
        rig = sk.bake(walker(scale=[[1, 1, 1], [0, 0, 0], [1, 1, 1]]), cache=False)
        model = sk.to_model(rig, rig.rest[None])[0]
        np.testing.assert_allclose(model[2], np.column_stack([np.zeros((3, 3)), 0.2 * Y]), atol=1e-7)


class TestKnownValues:
    def test_a_chain_that_turns(self) -> None:
        rig = sk.bake(walker(rotation=[turn(Z, np.pi / 2)] * 3), cache=False)
        model = sk.to_model(rig, rig.rest[None])[0]
        np.testing.assert_allclose(model[:, :, 3], [[0, 0.1, 0], [-0.1, 0.1, 0], [-0.1, 0, 0]], atol=1e-7)

    def test_inputs_of_any_layout(self, rig: Rig) -> None:
        local = sk.sample(rig, 0, np.linspace(0, 1, 6))
        want = sk.to_model(rig, local)
        assert np.array_equal(sk.to_model(rig, local.astype(np.float64)), want)
        assert np.array_equal(sk.to_model(rig, np.repeat(local, 2, axis=0)[::2]), want)
        assert np.array_equal(sk.to_model(rig, np.asfortranarray(local)), want)

    def test_the_input_is_not_changed_and_stays_writable(self, rig: Rig) -> None:
        local = sk.sample(rig, 0, 0.4)
        before = local.copy()
        model = sk.to_model(rig, local)
        assert np.array_equal(local, before)
        assert local.flags.writeable
        assert model.flags.writeable


class TestProperties:
    @settings(deadline=None, max_examples=40)
    @given(st.integers(0, 1 << 30), st.integers(1, 50), st.floats(0.0, 3.0))
    def test_like_float64(self, seed: int, joint_count: int, spread: float) -> None:
        """Any hierarchy, also with mirrored and non-uniform scales."""
        random = np.random.default_rng(seed)
        rig = sk.bake(random_character(joint_count, 0, seed, vertex_count=3), cache=False)
        rotation = random.normal(size=(2, joint_count, 4))
        rotation /= np.linalg.norm(rotation, axis=-1, keepdims=True)
        translation = random.normal(size=(2, joint_count, 3))
        scale = np.exp(random.normal(scale=0.1 * spread, size=(2, joint_count, 3)))
        scale[random.random(scale.shape) < 0.1] *= -1
        have = sk.to_model(rig, pack_pose(rotation, translation, scale))
        for char in range(2):
            local = compose(translation[char], rotation[char], scale[char])
            want = model_matrices(local, rig.parent)[:, :3]
            size = max(1.0, float(np.abs(want).max()))
            np.testing.assert_allclose(have[char], want, atol=RELATIVE_TOL * size)

    def test_characters_do_not_depend_on_each_other(self, rig: Rig) -> None:
        """Also not on the chunks in which they are worked on: 150 characters are two and a half of them."""
        local = sk.sample(rig, 0, np.random.default_rng(1).random(150))
        for function in (sk.to_model, sk.skinning_matrices):
            together = function(rig, local)
            assert np.array_equal(together, np.concatenate([function(rig, pose[None]) for pose in local]))
