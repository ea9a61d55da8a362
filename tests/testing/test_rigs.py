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


@pytest.mark.parametrize(("fraction", "count"), [(0.0, 0), (0.25, 5), (1.0, 20)])
def test_clips_may_key_a_part_of_the_joints(fraction: float, count: int) -> None:
    character = random_character(20, 2, keyed_fraction=fraction)
    check_character(character)
    turning = [{track.node for track in clip.tracks if track.path == "rotation"} for clip in character.clips]
    assert [len(nodes) for nodes in turning] == [count, count]
    assert (turning[0] != turning[1]) == (0.0 < fraction < 1.0)


def test_clips_may_carry_events() -> None:
    character = random_character(3, 2, event_count=4)
    check_character(character)
    assert [len(clip.events) for clip in character.clips] == [4, 4]
    assert character.clips[0].events != character.clips[1].events


def test_options_change_nothing_else() -> None:
    plain, other = random_character(9, target_count=1), random_character(9, target_count=1, event_count=2)
    for clip in other.clips:
        clip.events = []
    assert_characters_equal(plain, other, tolerance=0.0)
