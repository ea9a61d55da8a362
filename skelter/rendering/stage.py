"""Light, floor and backdrop around a crowd, as the record that all shaders read (`shaders/frame.wgsl`)."""

from __future__ import annotations

import math

import numpy as np

from skelter.rendering.bounds import Boxes
from skelter.rendering.camera import Camera
from skelter.rendering.color import linear_from_srgb

FRAME = np.dtype(
    [
        ("clip_from_world", "<f4", (4, 4)),
        ("key_from_world", "<f4", (4, 4)),
        ("floor_from_world", "<f4", (4, 4)),
        ("eye", "<f4", 3),
        ("key_spread", "<f4"),
        ("to_key", "<f4", 3),
        ("key_texel", "<f4"),
        ("center", "<f4", 3),
        ("radius", "<f4"),
        ("backdrop_low", "<f4", 4),
        ("backdrop_high", "<f4", 4),
        ("size", "<f4", 2),
        ("height", "<f4"),
        ("floor_reach", "<f4"),
        ("cell", "<f4"),
        ("studio", "<f4"),
        ("key_depth", "<f4"),
        ("spare", "<f4"),
    ]
)
KEY_MAP_SIDE = 2048
FLOOR_MAP_SIDE = 1024
FLOOR_DIP = 0.1
TO_KEY = np.array([-0.52, 0.78, 0.48]) / np.linalg.norm([-0.52, 0.78, 0.48])
KEY_ANGLE = math.radians(2.6)  # half the angle that the lamp fills, seen from the crowd
BACKDROP_LOW = (0.930, 0.934, 0.940)  # sRGB
BACKDROP_HIGH = (0.770, 0.795, 0.825)


def frame_record(
    boxes: Boxes, floor: float, camera: Camera, size: tuple[int, int], background: tuple[float, ...] | None
) -> np.ndarray:
    """Return the FRAME record of a picture.

    Args:
        boxes: Boxes around all characters [m].
        floor: Height of the floor [m].
        camera: The camera.
        size: Width and height of the picture [pixels].
        background: sRGB or sRGB and alpha, each in [0, 1]; None for the studio's backdrop.
    """
    frame = np.zeros((), FRAME)
    height = _character_height(boxes)
    middle = boxes.mean(axis=(0, 1)) if len(boxes) else np.zeros(3)
    frame["clip_from_world"] = camera.clip_from_world(size[0] / size[1]).T
    frame["eye"], frame["size"] = camera.eye, size
    frame["height"], frame["cell"] = height, _round_length(0.55 * height)
    frame["center"] = middle[0], floor, middle[2]
    frame["radius"] = max(_floor_radius(boxes, middle), 0.75 * height)
    _set_key(frame, boxes)
    _set_floor(frame, boxes, floor)
    _set_backdrop(frame, background)
    return frame


def _character_height(boxes: Boxes) -> float:
    if not len(boxes):
        return 1.0
    size = boxes[:, 1] - boxes[:, 0]
    return max(float(np.median(np.maximum(size[:, 1], size.max(axis=1) / 2))), 1e-6)


def _floor_radius(boxes: Boxes, middle: np.ndarray) -> float:
    if not len(boxes):
        return 0.0
    reach = np.abs(boxes - middle)[..., [0, 2]].max(axis=1)
    return float(np.hypot(*reach.T).max())


def _round_length(length: float) -> float:
    """Return the nearest of ..., 0.5, 1, 2, 5, 10, ... on a logarithmic scale."""
    power = 10.0 ** math.floor(math.log10(length))
    return float(min((step * power for step in (1, 2, 5, 10)), key=lambda step: abs(math.log(step / length))))


def _set_key(frame: np.ndarray, boxes: Boxes) -> None:
    """Fit the key light's map to the crowd."""
    right = np.cross([0.0, 1.0, 0.0], TO_KEY)
    right /= np.linalg.norm(right)
    axes = np.stack([right, np.cross(TO_KEY, right), -TO_KEY])
    center, half = (boxes[:, 0] + boxes[:, 1]) / 2 @ axes.T, (boxes[:, 1] - boxes[:, 0]) / 2 @ np.abs(axes).T
    low, high = _extremes(center - half, center + half)
    side = max(float((high - low)[:2].max()) * 1.02, 1e-6)
    depth = max(float(high[2] - low[2]) * 1.02, 1e-6)
    scale = np.array([2.0 / side, 2.0 / side, 1.0 / depth])
    matrix = np.eye(4)
    matrix[:3, :3] = scale[:, None] * axes
    matrix[:3, 3] = -scale * (low + high) / 2 + (0.0, 0.0, 0.5)
    frame["key_from_world"] = matrix.T
    frame["to_key"], frame["key_depth"] = TO_KEY, depth
    frame["key_texel"] = side / KEY_MAP_SIDE
    frame["key_spread"] = math.tan(KEY_ANGLE) * depth / side


def _set_floor(frame: np.ndarray, boxes: Boxes, floor: float) -> None:
    """Fit the floor map, which looks up from below the floor, to the crowd."""
    height = float(frame["height"])
    reach = 0.22 * height
    low, high = _extremes(boxes[:, 0], boxes[:, 1])
    side = float((high - low)[[0, 2]].max()) + 2.0 * reach
    depth = (1.0 + FLOOR_DIP) * height
    middle = (low + high) / 2
    matrix = np.zeros((4, 4))
    matrix[0, 0] = matrix[1, 2] = 2.0 / side
    matrix[2, 1], matrix[3, 3] = 1.0 / depth, 1.0
    matrix[:3, 3] = -middle[0] * 2.0 / side, -middle[2] * 2.0 / side, (FLOOR_DIP * height - floor) / depth
    frame["floor_from_world"] = matrix.T
    frame["floor_reach"] = reach / side


def _extremes(low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if not len(low):
        return np.zeros(3), np.ones(3)
    return low.min(axis=0), high.max(axis=0)


def _set_backdrop(frame: np.ndarray, background: tuple[float, ...] | None) -> None:
    frame["studio"] = background is None
    for name, default in (("backdrop_low", BACKDROP_LOW), ("backdrop_high", BACKDROP_HIGH)):
        color = default if background is None else background
        alpha = color[3] if len(color) == 4 else 1.0
        frame[name] = (*linear_from_srgb(np.array(color[:3])) * alpha, alpha)
