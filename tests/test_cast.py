"""Who plays what in a picture."""

from __future__ import annotations

import numpy as np
import pytest

import skelter as sk
from skelter.assets.character import Additive
from skelter.cast import cast_crowd
from skelter.core.errors import ArgumentError
from skelter.rig.rig import Rig
from skelter.testing.rigs import random_character


def rig_with(*additive: bool) -> Rig:
    """Bake a character with a clip per flag."""
    character = random_character(4, len(additive), vertex_count=30)
    for clip, flag in zip(character.clips, additive, strict=True):
        clip.additive = Additive() if flag else None
    return sk.bake(character, cache=False)


def test_an_additive_clip_is_not_played_alone_even_by_name() -> None:
    with pytest.raises(ArgumentError, match="clip: 'clip_1' is additive"):
        cast_crowd(rig_with(False, True), 3, clip="clip_1")


def test_with_additive_clips_alone_all_stand_in_the_rest_pose() -> None:
    rig = rig_with(True)
    matrices = cast_crowd(rig, 2).batch().skinning_matrices
    identity = np.broadcast_to(np.eye(3, 4), matrices.shape)
    np.testing.assert_allclose(matrices, identity, atol=1e-5)


def test_clips_are_spread_over_those_that_hold_poses() -> None:
    clips = cast_crowd(rig_with(True, False, True, False), 10).clip
    assert clips.dtype == np.int32
    assert np.bincount(clips).tolist() == [0, 5, 0, 5]
