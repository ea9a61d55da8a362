"""Where the picture is taken from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from skelter.core.errors import ArgumentError
from skelter.rendering.bounds import Boxes, crowd_boxes
from skelter.rendering.scene import Batch

Point = tuple[float, float, float]
_SOMEWHERE = np.array([[[-1.0, 0.0, -1.0], [1.0, 2.0, 1.0]]])  # what a camera looks at when there is nothing


@dataclass(frozen=True, slots=True)
class Camera:
    """A perspective camera.

    Attributes:
        eye: Position [m].
        target: The point in the middle of the picture [m].
        up: The direction that is up in the picture.
        fov_y: Full vertical angle of view [rad].
        near, far: Distances of the clipping planes [m].
    """

    eye: Point
    target: Point
    up: Point = (0.0, 1.0, 0.0)
    fov_y: float = math.radians(28.0)
    near: float = 0.1
    far: float = 1000.0

    def __post_init__(self) -> None:
        if not 0.0 < self.near < self.far:
            raise ArgumentError(f"camera: expected 0 < near < far, got near={self.near} and far={self.far}")
        if not 0.0 < self.fov_y < math.pi:
            raise ArgumentError(f"camera: expected fov_y between 0 and pi rad, got {self.fov_y}")
        forward = np.subtract(self.target, self.eye)
        if not np.linalg.norm(np.cross(forward, self.up)) > 0.0:
            raise ArgumentError(f"camera: the line of sight {tuple(forward)} must not be zero or along up {self.up}")

    def view_from_world(self) -> np.ndarray:
        """Return the matrix into view space (+X right, +Y up, -Z forward), float64 ``[4, 4]``."""
        axes = _view_axes(np.subtract(self.target, self.eye), np.asarray(self.up, np.float64))
        matrix = np.eye(4)
        matrix[:3, :3] = axes
        matrix[:3, 3] = -axes @ np.asarray(self.eye, np.float64)
        return matrix

    def clip_from_world(self, aspect: float) -> np.ndarray:
        """Return the matrix into clip space, depth 0 at ``near`` and 1 at ``far``, float64 ``[4, 4]``.

        Args:
            aspect: Width of the picture over its height.
        """
        scale = 1.0 / math.tan(self.fov_y / 2)
        depth = self.far / (self.near - self.far)
        clip_from_view = np.zeros((4, 4))
        clip_from_view[0, 0], clip_from_view[1, 1] = scale / aspect, scale
        clip_from_view[2, 2:] = depth, depth * self.near
        clip_from_view[3, 2] = -1.0
        clip_from_world: np.ndarray = clip_from_view @ self.view_from_world()
        return clip_from_world


def _view_axes(forward: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Return right, up and backward as rows."""
    backward = -forward / np.linalg.norm(forward)
    right = np.cross(up, backward)
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(backward, right), backward])


def frame_camera(
    subject: Sequence[Batch] | Boxes,
    aspect: float,
    *,
    azimuth: float | None = None,
    elevation: float | None = None,
    fov_y: float = math.radians(28.0),
    margin: float = 0.06,
) -> Camera:
    """Return the nearest camera that sees the whole crowd from the front, a little from the side and from above.

    With the view axes fixed, a point ``(x, y, z)`` is inside the left plane of an eye ``e`` if
    ``x - t z >= e.x - t e.z`` with ``t = tan(half angle)`` and z growing towards the viewer; the extremes over all
    points of the four planes give the nearest eye in closed form.

    Args:
        subject: Batches, or boxes in world space [m], ``[char, 2, 3]``.
        aspect: Width of the picture over its height.
        azimuth: Direction of the eye about +Y, from +Z towards +X [rad]. None: three quarters for one character,
            almost frontal for a crowd.
        elevation: Angle of the eye above the horizon [rad]. None: low for one character, higher for a crowd.
        fov_y: Full vertical angle of view [rad].
        margin: Free border, as a share of the picture.
    """
    if not aspect > 0.0:
        raise ArgumentError(f"aspect: expected width / height above 0, got {aspect}")
    boxes = subject if isinstance(subject, np.ndarray) else crowd_boxes(subject)
    if not len(boxes):
        return frame_camera(_SOMEWHERE, aspect, azimuth=azimuth, elevation=elevation, fov_y=fov_y, margin=margin)
    rise = _default_elevation(boxes) if elevation is None else elevation
    side = math.radians(28.0 if len(boxes) == 1 else 6.0) if azimuth is None else azimuth
    toward_eye = np.array([math.sin(side) * math.cos(rise), math.sin(rise), math.cos(side) * math.cos(rise)])
    axes = _view_axes(-toward_eye, np.array([0.0, 1.0, 0.0]))
    points = _points_in_view(subject, axes)
    tan_y = math.tan(fov_y / 2) * (1.0 - margin)
    eye = _nearest_eye(points, tan_y * aspect, tan_y)
    return _camera(eye, points, axes, fov_y)


def _points_in_view(subject: Sequence[Batch] | Boxes, axes: np.ndarray) -> np.ndarray:
    """Return the corners of all boxes along the axes of view, ``[char * 8, 3]``."""
    if isinstance(subject, np.ndarray):
        points: np.ndarray = _corners(subject) @ axes.T
        return points
    # Boxes made along the axes of view fit the characters in the picture better than those of the world.
    return _corners(crowd_boxes(subject, axes))


def _default_elevation(boxes: Boxes) -> float:
    """Return a low view for one character and a higher one for a deep crowd, so that back rows can be seen."""
    size = boxes[:, 1].max(axis=0) - boxes[:, 0].min(axis=0)
    height = max(float(np.median(boxes[:, 1, 1] - boxes[:, 0, 1])), 1e-9)
    depth = math.log2(max(float(size[2]) / height, 1.0))
    return math.radians(min(9.0 + 4.5 * depth, 24.0))


def _corners(boxes: Boxes) -> np.ndarray:
    """Return the eight corners of every box, ``[char * 8, 3]``."""
    picks = np.array([[(corner >> axis) & 1 for axis in range(3)] for corner in range(8)])
    return boxes[:, picks, np.arange(3)].reshape(-1, 3)


def _nearest_eye(points: np.ndarray, tan_x: float, tan_y: float) -> np.ndarray:
    """Return the eye, in view axes, nearest to the points with all of them inside the pyramid of view."""
    eye = np.zeros(3)
    distance = []
    for axis, tan in ((0, tan_x), (1, tan_y)):
        highest = (points[:, axis] + tan * points[:, 2]).max()
        lowest = (points[:, axis] - tan * points[:, 2]).min()
        eye[axis] = (highest + lowest) / 2
        distance.append((highest - lowest) / (2 * tan))
    eye[2] = max(distance)
    return _centered(eye, points)


def _centered(eye: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Move an eye sideways until the free borders of the picture are equal, left and right, top and bottom.

    The tangent of a point is ``(x - e.x) / (e.z - z)``; the move ``(t0 + t1) / (1 / depth0 + 1 / depth1)`` makes the
    two extreme tangents opposite. Other points may then be the extreme ones, hence the rounds.
    """
    depth = np.maximum(eye[2] - points[:, 2], 1e-9)
    for axis in (0, 1):
        for _ in range(4):
            tangent = (points[:, axis] - eye[axis]) / depth
            ends = [tangent.argmin(), tangent.argmax()]
            eye[axis] += tangent[ends].sum() / (1.0 / depth[ends]).sum()
    return eye


def _camera(eye: np.ndarray, points: np.ndarray, axes: np.ndarray, fov_y: float) -> Camera:
    """Return the camera at an eye in view axes, with planes around the points."""
    depth = eye[2] - points[:, 2]
    size = max(float(np.ptp(points, axis=0).max()), 1e-6)
    eye[2] += max(0.05 * size - depth.min(), 0.0)
    middle = np.array([eye[0], eye[1], points[:, 2].mean()])
    near = max(float(eye[2] - points[:, 2].max()) * 0.5, 0.01 * size)
    far = float(eye[2] - points[:, 2].min()) + 10.0 * size
    world_eye, target = (tuple(map(float, axes.T @ point)) for point in (eye, middle))
    return Camera(world_eye, target, fov_y=fov_y, near=near, far=far)  # type: ignore[arg-type]
