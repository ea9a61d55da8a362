"""Skinning matrices from model matrices."""

from __future__ import annotations

import numpy as np
import pytest

import skelter as sk
from skelter.core.errors import ArgumentError
from skelter.rig.rig import Rig
from skelter.skin.palette import palette_matrices
from skelter.testing.rigs import random_character


@pytest.fixture(scope="module")
def rig() -> Rig:
    return sk.bake(random_character(19, 1, seed=6, vertex_count=90), cache=False)


def test_matrices_of_another_rig(rig: Rig) -> None:
    with pytest.raises(ArgumentError, match=r"model_from_joint: expected shape \[any, 19, 3, 4\], got \[1, 18, 3, 4\]"):
        palette_matrices(rig, np.zeros((1, 18, 3, 4), np.float32))


def test_no_characters(rig: Rig) -> None:
    assert palette_matrices(rig, np.zeros((0, 19, 3, 4), np.float32)).shape == (0, len(rig.palette.joint), 3, 4)


def test_the_bind_pose_gives_identities(rig: Rig) -> None:
    """The rest pose of a random character is its bind pose."""
    matrices = palette_matrices(rig, sk.to_model(rig, rig.rest[None]))
    np.testing.assert_allclose(matrices[0], np.broadcast_to(np.eye(4)[:3], matrices[0].shape), atol=1e-6)


def test_products_like_float64_and_like_the_pipeline(rig: Rig) -> None:
    local = sk.sample(rig, 0, [0.1, 0.6])
    model = sk.to_model(rig, local)
    square = np.zeros((2, 19, 4, 4))
    square[..., :3, :], square[..., 3, 3] = model, 1.0
    bind = np.zeros((len(rig.palette.joint), 4, 4))
    bind[:, :3], bind[:, 3, 3] = rig.palette.joint_from_bind, 1.0
    want = square[:, rig.palette.joint] @ bind
    have = palette_matrices(rig, model)
    np.testing.assert_allclose(have, want[..., :3, :], atol=1e-6)
    assert np.array_equal(have, sk.skinning_matrices(rig, local))
