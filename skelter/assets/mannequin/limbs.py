"""Arms and legs: banded tubes along the bones, with a ball inside each hinge."""

from __future__ import annotations

import numpy as np

from skelter.assets.mannequin import anatomy
from skelter.assets.mannequin.part import ACCENT, JOINTS, SHELL, Band, Detail, Part, banded_tube
from skelter.assets.mannequin.skeleton import arm_points, skeleton
from skelter.assets.mannequin.surfaces import Axis
from skelter.assets.mannequin.weights import Knot, chain_weights

ARM_BANDS = (
    Band(ACCENT, 0.105, 4),
    Band(SHELL, 0.243, 5),
    Band(JOINTS, 0.322, 6),
    Band(SHELL, 0.505, 7),
    Band(JOINTS, 0.560, 2),
)
# A positive cosine is the outer side, a positive sine the front.
LEG_BANDS = (
    Band(JOINTS, 0.135, 5, (-0.020, 0.008, 0.0)),
    Band(SHELL, 0.389, 7, (0.0, 0.010, 0.0)),
    Band(JOINTS, 0.478, 6, (0.0, -0.010, 0.0)),
    Band(SHELL, 0.768, 8),
    Band(JOINTS, 0.850, 3),
)


def arm(detail: Detail) -> list[Part]:
    """Return the left arm from the shoulder to the wrist, in the hanging frame."""
    shoulder, elbow, wrist = arm_points()
    hand = wrist + (wrist - elbow) * (0.035 / np.linalg.norm(wrist - elbow))
    axis = Axis(np.stack([shoulder + np.array((0.0, 0.004, 0.0)), elbow, hand]), np.array([0.0, 0.0, 1.0]))
    bend, end = axis.stations[1], axis.stations[2] - 0.035
    knots: list[Knot] = [
        ("LeftUpperArmTwist", 0.0, 0.03),
        ("LeftUpperArm", 0.150, 0.16),
        ("LeftLowerArm", bend, 0.075),
        ("LeftLowerArmTwist", bend + 0.13, 0.12),
        ("LeftHand", end, 0.05),
    ]
    tubes = banded_tube(anatomy.ARM, axis, ARM_BANDS, 14, 2, detail)
    return [Part(tube, material, chain_weights(tube.station, "LeftShoulder", knots)) for tube, material in tubes]


def leg(detail: Detail) -> list[Part]:
    """Return the left leg from the hip to the ankle."""
    bones = skeleton()
    hip, knee, ankle = (bones.at(f"Left{name}") for name in ("UpperLeg", "LowerLeg", "Foot"))
    axis = Axis(np.stack([hip, knee, ankle]), np.array([1.0, 0.0, 0.0]))
    knots: list[Knot] = [
        ("LeftUpperLeg", 0.01, 0.10),
        ("LeftLowerLeg", axis.stations[1], 0.10),
        ("LeftFoot", axis.stations[2] - 0.01, 0.05),
    ]
    tubes = banded_tube(anatomy.LEG, axis, LEG_BANDS, 16, 2, detail)
    return [Part(tube, material, chain_weights(tube.station, "Hips", knots)) for tube, material in tubes]
