"""Hands: a palm and five separate fingers."""

from __future__ import annotations

import numpy as np

from skelter.assets.mannequin import anatomy
from skelter.assets.mannequin.part import JOINTS, SHELL, Detail, Part
from skelter.assets.mannequin.skeleton import FINGER_SHAPES, FINGERS, arm_points, finger_bones, finger_points
from skelter.assets.mannequin.surfaces import Axis, tube
from skelter.assets.mannequin.weights import Knot, chain_weights


def hand(detail: Detail) -> list[Part]:
    """Return the left hand, in the hanging frame."""
    return [_palm(detail), *(_finger(finger, detail) for finger in FINGERS)]


def _palm(detail: Detail) -> Part:
    wrist = arm_points()[2]
    knuckles = 0.5 * (finger_points("Middle")[0] + finger_points("Ring")[0])
    axis = Axis(np.stack([wrist, knuckles]), np.array([0.0, 0.0, 1.0]), 0.5)
    rings = np.linspace(0.0, axis.length - 0.004, detail.count(6, 1) + 1)
    surface = tube(anatomy.PALM, axis, rings, detail.count(14, 5), caps=(True, True))
    return Part(surface, SHELL, chain_weights(surface.station, "LeftHand", []))


def _finger(finger: str, detail: Detail) -> Part:
    points, radii = finger_points(finger), FINGER_SHAPES[finger].radii
    axis = Axis(points, np.array([0.0, 0.0, 1.0]) if finger != "Thumb" else np.array([1.0, 0.0, 0.0]))
    knots: list[Knot] = [
        (f"Left{bone}", station, 1.6 * radius)
        for bone, station, radius in zip(finger_bones(finger), axis.stations, radii, strict=False)
    ]
    if detail.scale == 1.0:
        rings = np.unique(
            np.concatenate(
                [
                    axis.stations[:1],
                    *(axis.stations[joint] + np.array([-0.6, 0.0, 0.6]) * radii[joint] for joint in (1, 2)),
                    axis.stations[3:],
                ]
            )
        )
    else:
        rings = axis.stations
    surface = tube(anatomy.FINGER_FIELDS[finger], axis, rings, detail.count(7, 3), caps=(True, True))
    return Part(surface, JOINTS, chain_weights(surface.station, "LeftHand", knots))
