"""Random characters are what tests need: sound, and the same for the same seed."""

from __future__ import annotations

import numpy as np
import pytest

import skelter as sk
from skelter.assets.check import check_character
from skelter.testing.characters import assert_characters_equal
from skelter.testing.rigs import random_character


@pytest.mark.parametrize("joint_count", [1, 2, 16, 67])
@pytest.mark.parametrize("target_count", [0, 3])
def test_they_hold_together(joint_count: int, target_count: int) -> None:
    character = random_character(joint_count, 2, joint_count, vertex_count=31, target_count=target_count)
    check_character(character)
    assert len(character.nodes) == joint_count
    assert [clip.duration for clip in character.clips] == [1.0, 1.0]


def test_same_seed_same_character() -> None:
    assert_characters_equal(random_character(9, seed=4, target_count=1), random_character(9, seed=4, target_count=1))
    with pytest.raises(AssertionError):
        assert_characters_equal(random_character(9, seed=4), random_character(9, seed=5))


def test_clips_loop() -> None:
    rig = sk.bake(random_character(9, 1), cache=False)
    first, last = sk.to_model(rig, sk.sample(rig, 0, [0.0, 1.0], loop=False))
    np.testing.assert_allclose(first, last, atol=1e-6)
