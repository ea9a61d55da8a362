"""Bounds enclose every vertex of the rest pose and of each clip."""

from __future__ import annotations

import numpy as np
import pytest

import skelter as sk
from skelter.rig.rig import Rig
from skelter.testing.rigs import random_character
from tests.build import X, Z, make_clip, make_nodes, make_track, rigid, turn, walker

ROUNDING_M = 1e-6


def assert_enclosed(rig: Rig, clip: int, times: np.ndarray) -> None:
    matrices = sk.skinning_matrices(rig, sk.sample(rig, clip, times, loop=False))
    positions, _ = sk.skin_vertices(rig, matrices, sk.sample_morphs(rig, clip, times, loop=False))
    low, high = rig.clips.bounds[clip]
    assert (positions >= low - ROUNDING_M).all()
    assert (positions <= high + ROUNDING_M).all()


def test_without_vertices_they_enclose_the_joints() -> None:
    clip = make_clip("slide", make_track(0, "translation", [0.0, 1.0], [[0, 0, 0], [2, 0, 0]]))
    rig = sk.bake(walker(clip), cache=False)
    np.testing.assert_allclose(rig.clips.bounds[0], [[0, 0, 0], [2, 0.2, 0]], atol=1e-6)


def test_hidden_meshes_do_not_count() -> None:
    character = rigid(make_nodes([-1, -1], translation=np.zeros((2, 3))), 0, np.eye(3))
    character.instances.append(type(character.instances[0])(1, 0, visible=False))
    character.nodes.translation[1] = [100, 0, 0]
    np.testing.assert_allclose(sk.bake(character, cache=False).bounds, [[0, 0, 0], [1, 1, 1]], atol=1e-6)


def test_a_translation_is_enclosed_tightly() -> None:
    clip = make_clip("slide", make_track(0, "translation", [0.0, 1.0], [[0, 0, 0], [2, 0, 0]]))
    rig = sk.bake(rigid(make_nodes([-1]), 0, np.eye(3), clip), cache=False)
    np.testing.assert_allclose(rig.clips.bounds[0], [[0, 0, 0], [3, 1, 1]], atol=1e-5)


def test_a_step_is_enclosed_tightly() -> None:
    slide = make_track(0, "translation", np.arange(3) / 15, [[0, 0, 0], [2, 0, 0], [0, 0, 0]], "STEP")
    rig = sk.bake(rigid(make_nodes([-1]), 0, np.eye(3), make_clip("jump", slide)), cache=False)
    np.testing.assert_allclose(rig.clips.bounds[0], [[0, 0, 0], [3, 1, 1]], atol=1e-5)


@pytest.mark.parametrize("angle", [0.5, 1.5, 2.5])
def test_what_bulges_between_two_frames(angle: float) -> None:
    """A normalised quaternion moves a point on an arc, which leaves the box around its ends."""
    track = make_track(0, "rotation", [0.0, 1.0], turn(Z, np.array([-angle / 3, angle * 2 / 3])))
    rig = sk.bake(rigid(make_nodes([-1]), 0, [X, X, X], make_clip("arc", track)), cache=False, rate=1.0)
    assert rig.report.clips[0].frame_count == 2
    assert_enclosed(rig, 0, np.linspace(0.0, 1.0, 500))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("rate", [None, 4.0])
def test_random_characters(seed: int, rate: float | None) -> None:
    character = random_character(12, 2, seed, vertex_count=90, target_count=seed % 3)
    rig = sk.bake(character, cache=False, rate=rate)
    for clip in range(2):
        assert_enclosed(rig, clip, np.random.default_rng(seed).uniform(0.0, 1.0, 200))
    positions, _ = sk.skin_vertices(rig, sk.skinning_matrices(rig, rig.rest[None]))
    assert (positions >= rig.bounds[0] - ROUNDING_M).all()
    assert (positions <= rig.bounds[1] + ROUNDING_M).all()
