"""Light, floor and backdrop around a crowd."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skelter.rendering.camera import Camera, frame_camera
from skelter.rendering.scene import place_crowd
from skelter.rendering.stage import FLOOR_DIP, TO_KEY, frame_record

CAMERA = Camera(eye=(0, 1, 5), target=(0, 1, 0))


def crowd(count, size=1.0):
    at = place_crowd(count, 1.3)[:, :, 3].astype(np.float64)
    return (at[:, None] + [[-0.3, 0.0, -0.2], [0.3, 1.8, 0.2]]) * size


def record(boxes, **changes):
    return frame_record(boxes, **{"floor": 0.0, "camera": CAMERA, "size": (64, 32), "background": None, **changes})


def through(frame, name, points):
    """Return points after a matrix of the record, which WGSL reads column by column."""
    return (np.concatenate([points, np.ones((len(points), 1))], axis=1) @ frame[name])[:, :3]


def corners(boxes):
    return np.array([[box[(i >> axis) & 1, axis] for axis in range(3)] for box in boxes for i in range(8)])


def test_an_empty_stage_is_finite():
    frame = record(np.zeros((0, 2, 3)))
    assert all(np.isfinite(frame[name]).all() for name in frame.dtype.names)


def test_a_point_has_a_stage():
    frame = record(np.zeros((1, 2, 3)))
    assert all(np.isfinite(frame[name]).all() for name in frame.dtype.names)


@pytest.mark.parametrize(("height", "cell"), [(1.8, 1.0), (0.01, 0.005), (100.0, 50.0), (3.6, 2.0)])
def test_cells_of_the_grid_have_round_sizes(height, cell):
    assert record(crowd(4, height / 1.8))["cell"] == pytest.approx(cell)


def test_a_background_is_linear_and_premultiplied():
    frame = record(crowd(1), background=(1.0, 0.0, 0.0, 0.5))
    assert frame["backdrop_low"].tolist() == frame["backdrop_high"].tolist() == [0.5, 0.0, 0.0, 0.5]
    assert frame["studio"] == 0.0
    assert record(crowd(1))["studio"] == 1.0


@given(st.integers(1, 60), st.sampled_from([0.01, 1.0, 100.0]))
def test_the_whole_crowd_is_in_the_map_of_the_key_light(count, size):
    boxes = crowd(count, size)
    points = through(record(boxes), "key_from_world", corners(boxes))
    assert np.abs(points[:, :2]).max() <= 1.0
    assert np.abs(points[:, :2]).max() > 0.9
    assert points[:, 2].min() >= 0.0
    assert points[:, 2].max() <= 1.0


def test_depth_grows_away_from_the_key_light():
    near, far = through(record(crowd(3)), "key_from_world", np.array([TO_KEY, -TO_KEY]))
    assert near[:2] == pytest.approx(far[:2], abs=1e-5)
    assert near[2] < far[2]


def test_the_floor_map_goes_from_below_the_floor_to_one_height():
    frame = record(crowd(5) + np.array([0.0, 3.0, 0.0]), floor=3.0)
    heights = np.array([[0.0, 3.0 - FLOOR_DIP * 1.8, 0.0], [0.0, 4.8, 0.0]])
    assert through(frame, "floor_from_world", heights)[:, 2] == pytest.approx([0.0, 1.0], abs=1e-5)
    sides = through(frame, "floor_from_world", corners(crowd(5)))[:, :2]
    assert np.abs(sides).max() < 1.0


def test_the_camera_is_in_the_record():
    boxes = crowd(2)
    camera = frame_camera(boxes, 2.0)
    frame = record(boxes, camera=camera)
    assert np.allclose(frame["clip_from_world"], camera.clip_from_world(2.0).T, atol=1e-6)
    assert np.allclose(frame["eye"], camera.eye)
