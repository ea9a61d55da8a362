"""The shapes of the body parts, in metres.

Torso, head, legs and feet are written in model space; arms and hands in the hanging frame of `skeleton`. Only the left
side is written, the right one is its mirror image.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from skelter.assets.mannequin.field import Capsule, Ellipsoid, Field
from skelter.assets.mannequin.skeleton import FINGER_SHAPES, FINGERS, SHOULDER, arm_points, finger_points

CHEST = Field(
    (
        Ellipsoid((0.0, 1.285, -0.012), (0.146, 0.165, 0.104)),
        Capsule((0.0, 1.415, -0.022), (0.125, 1.430, -0.020), (0.072, 0.056), blend=0.05),
        Ellipsoid((0.072, 1.345, 0.052), (0.082, 0.066, 0.044), tilt=-12, blend=0.04),
        Ellipsoid((0.100, 1.310, -0.045), (0.060, 0.120, 0.062), blend=0.04),
        Ellipsoid((0.075, 1.385, -0.078), (0.065, 0.075, 0.040), tilt=10, blend=0.04),
        Capsule((0.015, 1.500, -0.036), (0.115, 1.456, -0.028), (0.050, 0.036), blend=0.05),
    ),
    symmetric=True,
)

WAIST = Field(
    (
        Capsule((0.0, 1.000, -0.006), (0.0, 1.230, -0.012), (0.129, 0.130), (1.0, 1.0, 0.74)),
        Capsule((0.0, 1.040, 0.030), (0.0, 1.170, 0.030), (0.055, 0.060), blend=0.05),
    ),
    symmetric=True,
)

PELVIS = Field(
    (
        Ellipsoid((0.0, 0.985, -0.008), (0.150, 0.085, 0.100)),
        Ellipsoid((0.095, 0.930, -0.004), (0.082, 0.080, 0.088), blend=0.06),
        Ellipsoid((0.072, 0.925, -0.062), (0.070, 0.072, 0.060), blend=0.05),
        Ellipsoid((0.0, 0.895, 0.005), (0.062, 0.052, 0.072), blend=0.05),
    ),
    symmetric=True,
)

NECK = Field((Capsule((0.0, 1.420, -0.036), (0.0, 1.640, -0.010), (0.060, 0.054), (1.0, 1.0, 1.04)),), symmetric=True)

HEAD = Field(
    (
        Ellipsoid((0.0, 1.706, -0.020), (0.0745, 0.094, 0.097)),
        Ellipsoid((0.0, 1.668, 0.020), (0.062, 0.094, 0.074), tilt=-6, blend=0.04),
        Capsule((0.0, 1.600, 0.052), (0.0, 1.645, 0.036), (0.028, 0.046), blend=0.04),
        Capsule((0.0, 1.716, 0.078), (0.036, 1.712, 0.058), (0.012, 0.014), blend=0.03),
        Capsule((0.0, 1.705, 0.086), (0.0, 1.662, 0.101), (0.007, 0.011), blend=0.024),
    ),
    symmetric=True,
)

LEG = Field(
    (
        Capsule((0.096, 0.890, -0.002), (0.096, 0.545, 0.008), (0.086, 0.058), (1.0, 1.0, 1.04)),
        Ellipsoid((0.102, 0.720, 0.022), (0.068, 0.180, 0.066), tilt=-2, blend=0.05),
        Ellipsoid((0.094, 0.720, -0.030), (0.062, 0.170, 0.058), blend=0.05),
        Capsule((0.096, 0.540, 0.008), (0.096, 0.455, 0.006), (0.057, 0.052), blend=0.04),
        Ellipsoid((0.096, 0.500, 0.030), (0.036, 0.045, 0.036), blend=0.04),
        Capsule((0.096, 0.455, 0.002), (0.099, 0.085, -0.014), (0.051, 0.036), blend=0.04),
        Ellipsoid((0.099, 0.365, -0.026), (0.051, 0.115, 0.047), tilt=3, blend=0.05),
    )
)

SHOE = Field(
    (
        Capsule((0.099, 0.090, -0.020), (0.099, 0.045, -0.026), (0.043, 0.036), blend=0.03),
        Capsule((0.100, 0.068, 0.000), (0.104, 0.034, 0.120), (0.043, 0.034), (1.08, 1.0, 1.0), blend=0.04),
        Ellipsoid((0.105, 0.032, 0.140), (0.047, 0.032, 0.062), blend=0.04),
    )
)

SOLE = Field(
    (
        Capsule((0.099, 0.0, -0.026), (0.105, 0.0, 0.138), (0.037, 0.049)),
        Ellipsoid((0.106, 0.0, 0.140), (0.050, 0.050, 0.068), blend=0.02),
    )
)


def _arm(start: Sequence[float], end: Sequence[float], radii: tuple[float, float], blend: float = 0.03) -> Capsule:
    return Capsule(SHOULDER + start, SHOULDER + end, radii, blend=blend)


ARM = Field(
    (
        _arm((0.000, 0.012, 0.000), (0.002, -0.262, -0.004), (0.050, 0.038)),
        _arm((0.004, 0.010, 0.000), (0.014, -0.090, 0.002), (0.060, 0.036), 0.04),
        _arm((-0.004, -0.120, 0.014), (-0.002, -0.205, 0.014), (0.036, 0.034), 0.04),
        _arm((0.002, -0.070, -0.016), (0.002, -0.190, -0.014), (0.036, 0.033), 0.04),
        _arm((0.000, -0.275, -0.006), (0.000, -0.295, -0.002), (0.0375, 0.0375), 0.03),
        _arm((0.004, -0.300, 0.000), (0.000, -0.545, 0.030), (0.040, 0.0255), 0.03),
        _arm((0.008, -0.330, 0.006), (0.004, -0.400, 0.012), (0.040, 0.035), 0.04),
    )
)


def _palm() -> Field:
    """Return a hand without fingers: a soft union of the five metacarpals."""
    wrist = arm_points()[2]
    bones = []
    for finger, across in zip(FINGERS[1:], (0.012, 0.004, -0.005, -0.013), strict=True):
        knuckle = finger_points(finger)[0]
        bones.append(Capsule(wrist + np.array((0.0, -0.006, across)), knuckle, (0.0185, 0.0125), blend=0.022))
    thumb = finger_points("Thumb")
    return Field((*bones, Capsule(wrist + np.array((-0.006, -0.020, 0.010)), thumb[1], (0.018, 0.0125), blend=0.03)))


def _finger(finger: str) -> Field:
    """Return a finger: three tapered bones."""
    points, radii = finger_points(finger), FINGER_SHAPES[finger].radii
    bones = [Capsule(points[bone], points[bone + 1], (radii[bone], radii[bone + 1]), blend=0.006) for bone in range(3)]
    return Field(tuple(bones))


PALM = _palm()
FINGER_FIELDS = {finger: _finger(finger) for finger in FINGERS}
