"""Bounds of skinned characters, and cameras that frame them."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skelter.core.errors import ArgumentError
from skelter.core.material import Material
from skelter.rendering.bounds import ground_height, world_boxes
from skelter.rendering.camera import Camera, frame_camera
from skelter.rendering.scene import place_crowd
from tests.rendering.conftest import make_card, make_rig, stand

ASPECT = 16 / 9


def projected(camera: Camera, points: np.ndarray, aspect: float = ASPECT) -> np.ndarray:
    clip = np.concatenate([points, np.ones((len(points), 1))], axis=1) @ camera.clip_from_world(aspect).T
    return clip[:, :3] / clip[:, 3:]


def corners(boxes: np.ndarray) -> np.ndarray:
    return np.array([[box[(i >> axis) & 1, axis] for axis in range(3)] for box in boxes for i in range(8)])


@pytest.mark.parametrize(
    "values",
    [
        {"near": 0.0},
        {"near": 2.0, "far": 1.0},
        {"fov_y": 0.0},
        {"fov_y": 4.0},
        {"target": (0, 0, 5)},
        {"up": (0, 0, 1)},
    ],
)
def test_impossible_cameras_are_refused(values):
    with pytest.raises(ArgumentError, match="camera"):
        Camera(**{"eye": (0, 0, 5), "target": (0, 0, 0), **values})


def test_an_impossible_aspect_is_refused():
    with pytest.raises(ArgumentError, match="aspect"):
        frame_camera([], 0.0)


def test_nothing_at_all_can_be_framed():
    assert frame_camera([], ASPECT).near > 0.0


def test_a_rig_without_triangles_is_a_point(capsule):
    hidden = dataclasses.replace(capsule.mesh.draws[0], visible=False)
    rig = dataclasses.replace(capsule, mesh=dataclasses.replace(capsule.mesh, draws=(hidden,)))
    boxes = world_boxes(stand(rig, (1, 2, 3)))
    assert np.array_equal(boxes, [[[1, 2, 3], [1, 2, 3]]])
    frame_camera(boxes, ASPECT)


def test_a_camera_projects_its_target_to_the_middle_and_up_is_up():
    camera = Camera(eye=(3, 4, 5), target=(1, 1, 1), near=1.0, far=10.0)
    middle, above = projected(camera, np.array([[1, 1, 1], [1, 1.1, 1]], np.float64))
    assert middle[:2] == pytest.approx(0.0, abs=1e-12)
    assert above[1] > 0.01


def test_depth_is_0_at_near_and_1_at_far():
    camera = Camera(eye=(0, 0, 0), target=(0, 0, -1), near=2.0, far=50.0)
    assert projected(camera, np.array([[0, 0, -2.0], [0, 0, -50.0]]))[:, 2] == pytest.approx([0.0, 1.0])


def test_boxes_follow_palette_entries_places_and_morphs():
    mesh = make_card(
        morph_names=("up",),
        morph_rest=np.ones(1, np.float32),
        morph_start=np.array([0, 1], np.int32),
        morph_vert=np.array([2], np.int32),
        morph_position=np.array([[0, 5, 0]], np.float32),
        morph_normal=np.zeros((1, 3), np.float32),
    )
    batch = stand(make_rig(mesh, (Material(),)), (10, 0, 0), (0, 0, 0))
    boxes = world_boxes(batch)
    assert np.allclose(boxes[0], [[9, 0, 0], [11, 7, 0]])
    doubled = dataclasses.replace(batch, skinning_matrices=batch.skinning_matrices * np.float32(2))
    assert np.allclose(world_boxes(doubled)[1], [[-2, 0, 0], [2, 14, 0]])


def test_boxes_hold_all_vertices_of_a_bent_capsule(capsule):
    batch = stand(capsule, (0, 0, 0))
    turned = np.array([[0, -1, 0, 0.9], [1, 0, 0, 0.9], [0, 0, 1, 0]], np.float32)
    batch.skinning_matrices[0, 1] = turned
    mesh = capsule.mesh
    matrices = np.einsum("vi,vijk->vjk", mesh.weights, batch.skinning_matrices[0, mesh.joints])
    points = np.einsum("vij,vj->vi", matrices[..., :3], mesh.positions) + matrices[..., 3]
    low, high = world_boxes(batch)[0]
    assert (points >= low - 1e-5).all()
    assert (points <= high + 1e-5).all()
    assert (high - low - np.ptp(points, axis=0)).max() < 0.35


@pytest.mark.parametrize(
    ("low", "high", "origin", "floor"),
    [(0.0, 1.8, 0.0, 0.0), (0.4, 2.2, 0.0, 0.0), (-0.05, 1.75, 0.0, 0.0), (-0.9, 0.9, 0.0, -0.9), (50, 52, 0.0, 50)],
)
def test_the_floor_is_where_characters_stand(low, high, origin, floor):
    boxes = np.array([[[-0.3, low, -0.3], [0.3, high, 0.3]]])
    assert ground_height(boxes, np.array([origin])) == floor


@pytest.mark.parametrize("size", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("count", [1, 30, 10_000])
@pytest.mark.parametrize("aspect", [16 / 9, 1.0, 0.5])
def test_everything_is_in_the_picture_and_fills_it(size, count, aspect):
    at = place_crowd(count, 1.2)[:, :, 3].astype(np.float64)
    body = np.array([[-0.4, 0.0, -0.2], [0.4, 1.8, 0.2]])
    boxes = (at[:, None] + body) * size
    camera = frame_camera(boxes, aspect)
    points = projected(camera, corners(boxes), aspect)
    assert np.abs(points[:, :2]).max() <= 1.0
    assert np.abs(points[:, :2]).max() > 0.88
    assert points[:, 2].min() >= 0.0
    assert points[:, 2].max() < 1.0
    borders = points[:, :2].min(axis=0) + points[:, :2].max(axis=0)
    assert np.abs(borders).max() < 0.06


@given(
    st.lists(st.tuples(*[st.floats(-100, 100)] * 3, *[st.floats(0, 10)] * 3), min_size=1, max_size=6),
    st.floats(0.2, 5.0),
    st.floats(0.0, 1.2),
    st.floats(-3.0, 3.0),
)
def test_any_boxes_are_inside_the_picture(rows, aspect, elevation, azimuth):
    table = np.array(rows)
    boxes = np.stack([table[:, :3], table[:, :3] + table[:, 3:]], axis=1)
    camera = frame_camera(boxes, aspect, elevation=elevation, azimuth=azimuth, fov_y=math.radians(40))
    points = projected(camera, corners(boxes), aspect)
    assert np.abs(points[:, :2]).max() <= 1.0 + 1e-6
    assert points[:, 2].min() >= 0.0
    assert points[:, 2].max() <= 1.0
