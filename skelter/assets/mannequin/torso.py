"""Torso, neck and head."""

from __future__ import annotations

import numpy as np

from skelter.assets.mannequin import anatomy
from skelter.assets.mannequin.part import ACCENT, JOINTS, LIFT, SHELL, Band, Detail, Part, banded_tube
from skelter.assets.mannequin.skeleton import skeleton
from skelter.assets.mannequin.surfaces import Axis, Surface, plate, star, tube
from skelter.assets.mannequin.weights import chain_weights, handed_over, smoothstep

HEAD_CENTER = (0.0, 1.685, 0.000)

_AXIS = Axis(np.array([[0.0, 0.893, -0.005], [0.0, 1.425, -0.020]]), np.array([1.0, 0.0, 0.0]), 0.72)

# From the crotch up; a positive sine is the back.
TORSO_BANDS = (
    Band(JOINTS, 0.040, 1, (0.0, 0.004, 0.029)),
    Band(SHELL, 0.162, 5, (0.0, 0.006, 0.010)),
    Band(JOINTS, 0.269, 6, (0.0, -0.012, -0.016)),
    Band(SHELL, 0.469, 8, (0.0, 0.016, 0.010)),
    Band(ACCENT, 0.532, 3),
)


def torso(detail: Detail) -> list[Part]:
    """Return trunk, neck and head."""
    tubes = banded_tube(anatomy.TORSO, _AXIS, TORSO_BANDS, 24, 5, detail)
    trunk = [Part(tube, material, _trunk_weights(tube)) for tube, material in tubes]
    head = [_neck(detail), _head(detail), _visor(detail)]
    return [*trunk, *head, *(_ears(detail) if detail.ornaments else ())]


def _trunk_weights(surface: Surface) -> np.ndarray:
    """Return spine weights by height; the shoulders follow the collar bones a little, the buttocks the thighs."""
    x, y = surface.points[:, 0], surface.points[:, 1]
    weights = spine_weights(y)
    for side, sign in (("Left", 1), ("Right", -1)):
        shoulder = smoothstep((sign * x - 0.04) / 0.14) * smoothstep((y - 1.34) / 0.12)
        thigh = smoothstep((sign * x - 0.02) / 0.10) * smoothstep((0.955 - y) / 0.10)
        weights = handed_over(weights, f"{side}Shoulder", 0.75 * shoulder)
        weights = handed_over(weights, f"{side}UpperLeg", 0.35 * thigh)
    return weights


def spine_weights(height: np.ndarray) -> np.ndarray:
    """Return the weights of the spine's joints for vertices at some height [m]."""
    knots = [("Spine", 1.055, 0.09), ("Chest", 1.150, 0.11), ("UpperChest", 1.275, 0.12), ("Neck", 1.515, 0.06)]
    return chain_weights(height, "Hips", [*knots, ("Head", 1.595, 0.07)])


def _neck(detail: Detail) -> Part:
    axis = Axis(np.array([[0.0, 1.45, -0.034], [0.0, 1.63, -0.012]]), np.array([1.0, 0.0, 0.0]))
    rings = np.linspace(0.0, axis.length, detail.count(5, 2) + 1)
    surface = tube(anatomy.NECK, axis, np.tile(rings[:, None], 2 * detail.count(7, 2)), domes=(1, 1))
    return Part(surface, JOINTS, spine_weights(surface.points[:, 1]))


def _head(detail: Detail) -> Part:
    surface = star(anatomy.HEAD, HEAD_CENTER, detail.count(9, 2), (0.8, 1.0, 0.95))
    return Part(surface, SHELL, _rigid(surface, "Head"))


def _visor(detail: Detail) -> Part:
    """Return the visor. It stands out further where the head is coarse, or the head would come through."""
    lift = 0.002 + 0.003 * (1.0 / detail.scale - 1.0)
    counts = (detail.count(14, 4), detail.count(5, 2))
    surface = plate(anatomy.HEAD, HEAD_CENTER, (0, 8), (58, 17), counts, lift)
    return Part(surface, JOINTS, _rigid(surface, "Head"))


def _ears(detail: Detail) -> list[Part]:
    """Return the discs over the ears."""
    count = detail.count(6, 3)
    discs = [
        plate(anatomy.HEAD, HEAD_CENTER, (yaw, 0), (16, 16), (count, count), 2 * LIFT, roundness=1.0)
        for yaw in (90, -90)
    ]
    return [Part(disc, ACCENT, _rigid(disc, "Head")) for disc in discs]


def _rigid(surface: Surface, joint: str) -> np.ndarray:
    return np.tile(np.array(skeleton().names) == joint, (len(surface.points), 1)).astype(np.float64)
