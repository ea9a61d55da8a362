"""Hands: a palm and five separate fingers."""

from __future__ import annotations

import numpy as np

from skelter.assets.mannequin import anatomy
from skelter.assets.mannequin.field import Field
from skelter.assets.mannequin.part import JOINTS, SHELL, Detail, Part
from skelter.assets.mannequin.skeleton import FINGER_SHAPES, FINGERS, arm_points, finger_bones, finger_points
from skelter.assets.mannequin.surfaces import Axis, Surface, tube
from skelter.assets.mannequin.weights import Knot, chain_weights

FORWARD, OUTWARD = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])


def hand(detail: Detail) -> list[Part]:
    """Return the left hand, in the hanging frame."""
    fingers = [_finger(finger, detail) for finger in FINGERS] if detail.fingers else [_mitten(detail)]
    return [_palm(detail), *fingers]


def _palm(detail: Detail) -> Part:
    wrist = arm_points()[2]
    knuckles = 0.5 * (finger_points("Middle")[0] + finger_points("Ring")[0])
    axis = Axis(np.stack([wrist, knuckles]), FORWARD, 0.5)
    rings = np.linspace(0.0, axis.length - 0.004, detail.count(5, 1) + 1)
    surface = _tube(anatomy.PALM, axis, rings, detail.count(14, 5), detail.count(2, 1))
    return Part(surface, SHELL, chain_weights(surface.station, "LeftHand", []))


def _finger(finger: str, detail: Detail) -> Part:
    """Return a finger, with three rings at each hinge at the finest level of detail."""
    axis = Axis(finger_points(finger), FORWARD if finger != "Thumb" else OUTWARD)
    base, first, second, tip = axis.stations
    hinge = 0.6 * FINGER_SHAPES[finger].radii[1] * np.array([-1.0, 0.0, 1.0])
    fine = detail.scale == 1.0
    rings = np.array([base, *(first + hinge), *(second + hinge), tip]) if fine else axis.stations
    surface = _tube(anatomy.FINGER_FIELDS[finger], axis, rings, detail.count(6, 3))
    return Part(surface, JOINTS, chain_weights(surface.station, "LeftHand", _knots(finger, axis)))


def _mitten(detail: Detail) -> Part:
    """Return all fingers as one; it follows the middle finger."""
    axis = Axis(finger_points("Middle"), FORWARD, 0.4)
    surface = _tube(anatomy.MITTEN, axis, axis.stations[::3], detail.count(6, 4))
    return Part(surface, JOINTS, chain_weights(surface.station, "LeftHand", _knots("Middle", axis)))


def _knots(finger: str, axis: Axis) -> list[Knot]:
    radii = FINGER_SHAPES[finger].radii
    bones = zip(finger_bones(finger), axis.stations, radii, strict=False)
    return [(f"Left{bone}", station, 1.6 * radius) for bone, station, radius in bones]


def _tube(field: Field, axis: Axis, rings: np.ndarray, sides: int, dome: int = 1) -> Surface:
    return tube(field, axis, np.tile(rings[:, None], sides), domes=(dome, dome))
