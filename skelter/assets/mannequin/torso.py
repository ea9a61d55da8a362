"""Torso, neck and head."""

from __future__ import annotations

import numpy as np

from skelter.assets.mannequin import anatomy
from skelter.assets.mannequin.part import ACCENT, JOINTS, LIFT, SHELL, Detail, Part
from skelter.assets.mannequin.skeleton import skeleton
from skelter.assets.mannequin.surfaces import Axis, Surface, plate, star, tube
from skelter.assets.mannequin.weights import chain_weights, handed_over, smoothstep

CHEST_CENTER = (0.0, 1.310, -0.015)
PELVIS_CENTER = (0.0, 0.955, -0.010)
HEAD_CENTER = (0.0, 1.685, 0.000)


def torso(detail: Detail) -> list[Part]:
    """Return chest, waist, pelvis, neck and head."""
    parts = [_chest(detail), _waist(detail), _pelvis(detail), _neck(detail), _head(detail)]
    return [*parts, *_ornaments(detail)] if detail.small else parts


def _chest(detail: Detail) -> Part:
    surface = star(anatomy.CHEST, CHEST_CENTER, detail.count(11, 3), (1.0, 0.95, 0.75))
    return Part(surface, SHELL, _chest_weights(surface))


def _chest_weights(surface: Surface) -> np.ndarray:
    """Return spine weights by height; the top outer corners follow the collar bones a little."""
    weights = spine_weights(surface.station)
    for side, name in ((1, "LeftShoulder"), (-1, "RightShoulder")):
        outer = smoothstep((side * surface.points[:, 0] - 0.04) / 0.14)
        upper = smoothstep((surface.points[:, 1] - 1.34) / 0.12)
        weights = handed_over(weights, name, 0.75 * outer * upper)
    return weights


def spine_weights(height: np.ndarray) -> np.ndarray:
    """Return the weights of the spine's joints for vertices at some height [m]."""
    knots = [("Spine", 1.055, 0.09), ("Chest", 1.150, 0.11), ("UpperChest", 1.275, 0.12), ("Neck", 1.500, 0.05)]
    return chain_weights(height, "Hips", [*knots, ("Head", 1.595, 0.07)])


def _waist(detail: Detail) -> Part:
    axis = Axis(np.array([[0.0, 0.99, -0.006], [0.0, 1.25, -0.012]]), np.array([1.0, 0.0, 0.0]), 0.75)
    rings = np.linspace(0.02, axis.length - 0.02, detail.count(8, 2) + 1)
    surface = tube(anatomy.WAIST, axis, rings, detail.count(22, 6), caps=(True, True))
    return Part(surface, JOINTS, spine_weights(surface.points[:, 1]))


def _pelvis(detail: Detail) -> Part:
    surface = star(anatomy.PELVIS, PELVIS_CENTER, detail.count(9, 2), (1.0, 0.75, 0.75))
    weights = chain_weights(surface.station, "Hips", [("Spine", 1.085, 0.08)])
    for side, name in ((1, "LeftUpperLeg"), (-1, "RightUpperLeg")):
        outer = smoothstep((side * surface.points[:, 0] - 0.02) / 0.10)
        lower = smoothstep((0.955 - surface.points[:, 1]) / 0.10)
        weights = handed_over(weights, name, 0.35 * outer * lower)
    return Part(surface, SHELL, weights)


def _neck(detail: Detail) -> Part:
    axis = Axis(np.array([[0.0, 1.43, -0.036], [0.0, 1.645, -0.010]]), np.array([1.0, 0.0, 0.0]))
    rings = np.linspace(0.02, axis.length - 0.02, detail.count(7, 2) + 1)
    surface = tube(anatomy.NECK, axis, rings, detail.count(16, 5), caps=(True, True))
    return Part(surface, JOINTS, spine_weights(surface.points[:, 1]))


def _head(detail: Detail) -> Part:
    surface = star(anatomy.HEAD, HEAD_CENTER, detail.count(10, 2), (0.8, 1.0, 0.95))
    return Part(surface, SHELL, _rigid(surface, "Head"))


def _ornaments(detail: Detail) -> list[Part]:
    """Return the visor, the discs over the ears and the plate on the breast."""
    visor = plate(anatomy.HEAD, HEAD_CENTER, (0, 8), (58, 17), (detail.count(16, 5), detail.count(5, 2)), 0.002)
    breast = plate(anatomy.CHEST, CHEST_CENTER, (0, 14), (16, 9), (detail.count(8, 2), detail.count(4, 2)), 0.004)
    parts = [Part(visor, JOINTS, _rigid(visor, "Head")), Part(breast, ACCENT, spine_weights(breast.station))]
    for yaw in (90, -90):
        count = detail.count(6, 3)
        disc = plate(anatomy.HEAD, HEAD_CENTER, (yaw, 0), (16, 16), (count, count), 2 * LIFT, roundness=1.0)
        parts.append(Part(disc, ACCENT, _rigid(disc, "Head")))
    return parts


def _rigid(surface: Surface, joint: str) -> np.ndarray:
    return np.tile(np.array(skeleton().names) == joint, (len(surface.points), 1)).astype(np.float64)
