"""Batches, placement and colours."""

from __future__ import annotations

import numpy as np
import pytest

from skelter.core.errors import ArgumentError
from skelter.core.material import Material
from skelter.rendering.color import linear_from_srgb, srgb_from_linear
from skelter.rendering.scene import Batch, place_crowd, tints
from tests.rendering.conftest import make_card, make_rig, stand

IDENTITY = np.eye(3, 4, dtype=np.float32)


def test_matrices_of_the_wrong_palette_are_refused_with_both_shapes(capsule):
    with pytest.raises(ArgumentError, match=r"expected float32 \[char, palette=2, row=3, col=4\], got float32 \[5, 3"):
        Batch(capsule, np.zeros((5, 3, 3, 4), np.float32))


@pytest.mark.parametrize("matrices", [None, 3.0, [[1.0]], np.float32(1.0)])
def test_matrices_that_are_no_array_are_refused(capsule, matrices):
    with pytest.raises(ArgumentError, match="skinning_matrices"):
        Batch(capsule, matrices)


def test_float64_is_refused(capsule):
    with pytest.raises(ArgumentError, match="got float64"):
        Batch(capsule, np.zeros((1, 2, 3, 4)))


def test_a_value_that_is_not_finite_names_the_character(capsule):
    matrices = np.tile(IDENTITY, (3, 2, 1, 1))
    matrices[2, 1, 0, 0] = np.nan
    with pytest.raises(ArgumentError, match="character 2"):
        Batch(capsule, matrices)


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("world_from_model", np.zeros((2, 3, 4), np.float32)),
        ("morph_weights", np.zeros((1, 1), np.float32)),
        ("tint", np.zeros((1, 4), np.float32)),
    ],
)
def test_optional_arrays_of_the_wrong_shape_are_refused_by_name(capsule, name, array):
    with pytest.raises(ArgumentError, match=name):
        stand(capsule, (0, 0, 0), **{name: array})


@pytest.mark.parametrize(("count", "spacing"), [(-1, 1.0), (1, 0.0), (1, -2.0), (1, float("nan"))])
def test_impossible_crowds_are_refused(count, spacing):
    with pytest.raises(ArgumentError):
        place_crowd(count, spacing)


def test_no_characters_have_no_places_and_no_tints():
    assert place_crowd(0, 1.0).shape == (0, 3, 4)
    assert tints(0).shape == (0, 3)


def test_one_character_stands_at_the_origin_and_looks_ahead():
    assert np.allclose(place_crowd(1, 1.5)[0], IDENTITY)


def test_a_batch_without_options_stands_at_the_origin_with_default_morphs():
    mesh = make_card(morph_names=("smile",), morph_rest=np.array([0.25], np.float32), morph_start=np.zeros(2, np.int32))
    batch = Batch(make_rig(mesh, (Material(),)), np.tile(IDENTITY, (2, 1, 1, 1)))
    assert np.array_equal(batch.placements(), [IDENTITY, IDENTITY])
    assert np.array_equal(batch.morphs(), np.float32([[0.25], [0.25]]))


@pytest.mark.parametrize("count", [2, 3, 7, 12, 50, 200, 1000])
def test_a_crowd_keeps_its_distance_and_is_centred(count):
    place = place_crowd(count, 1.2, seed=3)
    assert place.dtype == np.float32
    assert place.shape == (count, 3, 4)
    at = place[:, [0, 2], 3].astype(np.float64)
    apart = np.linalg.norm(at[:, None] - at, axis=-1) + np.eye(count) * 9
    assert apart.min() > 0.4
    assert np.abs(at.mean(axis=0)).max() < 0.6
    assert np.allclose(place[:, 1, 3], 0.0)


def test_places_are_rotations_that_face_the_camera():
    place = place_crowd(100, 1.0)
    rotation = place[:, :, :3]
    assert np.allclose(rotation @ rotation.transpose(0, 2, 1), np.eye(3), atol=1e-6)
    assert (rotation[:, 2, 2] > 0.5).all()


def test_the_same_seed_gives_the_same_crowd():
    assert np.array_equal(place_crowd(20, 1.0, seed=4), place_crowd(20, 1.0, seed=4))
    assert not np.array_equal(place_crowd(20, 1.0, seed=4), place_crowd(20, 1.0, seed=5))
    assert np.array_equal(tints(20, seed=4), tints(20, seed=4))
    assert not np.array_equal(tints(20, seed=4), tints(20, seed=5))


def test_tints_are_colours_and_all_are_used():
    colors = tints(80)
    assert colors.dtype == np.float32
    assert colors.min() > 0.0
    assert colors.max() <= 1.0
    hue = np.round(colors / colors.max(axis=1, keepdims=True), 1)
    assert len(np.unique(hue, axis=0)) >= 8


def test_srgb_goes_there_and_back():
    values = np.linspace(0.0, 1.0, 256)
    assert np.allclose(srgb_from_linear(linear_from_srgb(values)), values, atol=1e-7)
    assert linear_from_srgb(np.array(0.5)) == pytest.approx(0.21404, abs=1e-5)
