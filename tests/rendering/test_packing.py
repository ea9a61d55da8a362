"""Memory layouts of the shaders."""

from __future__ import annotations

import math

import numpy as np
import pytest

from skelter.core.material import Material
from skelter.rendering.packing import (
    CHARACTER,
    DELTA,
    INFLUENCE,
    MATERIAL,
    RIG,
    VERTEX,
    pack_influences,
    pack_material,
    pack_morphs,
    pack_vertices,
)
from skelter.rendering.stage import FRAME
from tests.rendering.conftest import make_card


def transformed(material: Material, uv: tuple[float, float]) -> np.ndarray:
    packed = pack_material(material, tint_all=False)
    return packed["uv_matrix"] @ np.array(uv) + packed["uv_offset"]


@pytest.mark.parametrize(
    ("record", "size"),
    [(VERTEX, 48), (INFLUENCE, 8), (DELTA, 32), (RIG, 16), (CHARACTER, 64), (MATERIAL, 80), (FRAME, 304)],
)
def test_records_have_the_size_that_wgsl_gives_them(record, size):
    assert record.itemsize == size


def test_a_mesh_without_morphs_has_no_deltas():
    start, deltas = pack_morphs(make_card())
    assert start.tolist() == [0, 0, 0, 0, 0]
    assert len(deltas) == 0


def test_deltas_are_sorted_by_vertex_and_keep_their_morph():
    mesh = make_card(
        morph_names=("a", "b"),
        morph_start=np.array([0, 2, 4], np.int32),
        morph_vert=np.array([3, 1, 0, 3], np.int32),
        morph_position=np.arange(12, dtype=np.float32).reshape(4, 3),
        morph_normal=-np.arange(12, dtype=np.float32).reshape(4, 3),
    )
    start, deltas = pack_morphs(mesh)
    assert start.tolist() == [0, 1, 2, 2, 4]
    assert deltas["morph"].tolist() == [1, 0, 0, 1]
    assert deltas["position"][:, 0].tolist() == [6, 3, 0, 9]
    assert deltas["normal"][:, 0].tolist() == [-6, -3, 0, -9]


def test_vertices_and_influences_keep_their_values():
    mesh = make_card()
    packed = pack_vertices(mesh)
    assert np.array_equal(packed["position"], mesh.positions)
    assert np.array_equal(np.stack([packed["u"], packed["v"]], axis=1), mesh.uvs)
    assert pack_influences(mesh)["weight"].tolist() == [[1.0]] * 4


def test_texture_coordinates_are_scaled_then_turned_then_moved():
    assert transformed(Material(), (0.3, 0.7)) == pytest.approx([0.3, 0.7])
    assert transformed(Material(uv_scale=(2.0, 3.0), uv_offset=(0.1, 0.2)), (1, 1)) == pytest.approx([2.1, 3.2])
    # The example of the extension's text: the lower left quarter of the picture, turned by a right angle.
    quarter = Material(uv_offset=(0.0, 1.0), uv_rotation=math.pi / 2, uv_scale=(0.5, 0.5))
    corners = np.array([transformed(quarter, uv) for uv in ((0, 0), (1, 0), (0, 1), (1, 1))])
    assert corners == pytest.approx(np.array([(0, 1), (0, 0.5), (0.5, 1), (0.5, 0.5)]), abs=1e-6)


def test_only_the_accent_is_tinted_unless_all_are():
    accent, skin = Material("Accent"), Material("skin")
    assert [pack_material(accent, tint_all)["tint_base"] for tint_all in (False, True)] == [1.0, 1.0]
    assert [pack_material(accent, tint_all)["tint_factor"] for tint_all in (False, True)] == [0.0, 0.0]
    assert [pack_material(skin, tint_all)["tint_base"] for tint_all in (False, True)] == [0.0, 0.0]
    assert [pack_material(skin, tint_all)["tint_factor"] for tint_all in (False, True)] == [0.0, 1.0]
