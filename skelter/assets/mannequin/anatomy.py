"""The shapes of the body parts, in metres.

Torso, head, legs and feet are written in model space; arms and hands in the hanging frame of `skeleton`. Only the left
side is written, the right one is its mirror image.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from skelter.assets.mannequin.field import Capsule, Ellipsoid, Field
from skelter.assets.mannequin.skeleton import FINGER_SHAPES, FINGERS, SHOULDER, arm_points, finger_points

TORSO = Field(
    (
        Capsule((0.0, 1.000, -0.008), (0.0, 1.240, -0.014), (0.122, 0.124), (1.0, 1.0, 0.76)),
        Ellipsoid((0.0, 1.292, -0.014), (0.145, 0.165, 0.105), blend=0.06),
        Capsule((0.0, 1.415, -0.024), (0.134, 1.434, -0.020), (0.072, 0.054), blend=0.05),
        Ellipsoid((0.068, 1.358, 0.044), (0.082, 0.062, 0.042), tilt=-14, blend=0.05),
        Ellipsoid((0.100, 1.335, -0.042), (0.056, 0.105, 0.062), blend=0.05),
        Ellipsoid((0.075, 1.385, -0.076), (0.065, 0.080, 0.038), tilt=10, blend=0.05),
        Capsule((0.020, 1.495, -0.036), (0.115, 1.458, -0.028), (0.046, 0.034), blend=0.06),
        Ellipsoid((0.0, 0.990, -0.006), (0.142, 0.075, 0.096), blend=0.05),
        Ellipsoid((0.092, 0.945, -0.002), (0.069, 0.052, 0.080), blend=0.07),
        Ellipsoid((0.066, 0.945, -0.056), (0.062, 0.058, 0.050), blend=0.05),
        Ellipsoid((0.0, 0.890, 0.005), (0.050, 0.045, 0.066), blend=0.05),
    ),
    symmetric=True,
)

NECK = Field((Capsule((0.0, 1.420, -0.036), (0.0, 1.640, -0.012), (0.060, 0.051), (1.0, 1.0, 1.04)),), symmetric=True)

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
        Capsule((0.092, 0.925, -0.002), (0.094, 0.815, 0.000), (0.071, 0.080), (1.0, 1.0, 1.06)),
        Ellipsoid((0.082, 0.898, -0.048), (0.064, 0.062, 0.056), blend=0.05),
        Capsule((0.094, 0.815, 0.000), (0.096, 0.545, 0.008), (0.080, 0.051), (1.0, 1.0, 1.06), blend=0.02),
        Ellipsoid((0.106, 0.725, 0.026), (0.058, 0.160, 0.060), tilt=-3, blend=0.05),
        Ellipsoid((0.092, 0.715, -0.034), (0.056, 0.150, 0.052), blend=0.05),
        Capsule((0.096, 0.540, 0.008), (0.096, 0.455, 0.006), (0.051, 0.046), blend=0.04),
        Ellipsoid((0.096, 0.503, 0.028), (0.036, 0.045, 0.034), blend=0.04),
        Capsule((0.096, 0.455, 0.004), (0.099, 0.085, -0.014), (0.046, 0.031), blend=0.04),
        Ellipsoid((0.102, 0.372, -0.026), (0.048, 0.110, 0.046), tilt=4, blend=0.05),
    )
)

SHOE = Field(
    (
        Capsule((0.099, 0.088, -0.018), (0.099, 0.032, -0.026), (0.041, 0.037)),
        Capsule((0.100, 0.066, 0.004), (0.104, 0.034, 0.115), (0.041, 0.036), (1.08, 1.0, 1.0), blend=0.05),
        Capsule((0.099, 0.030, -0.020), (0.104, 0.030, 0.110), (0.036, 0.036), blend=0.02),
        Ellipsoid((0.105, 0.028, 0.138), (0.048, 0.034, 0.064), blend=0.04),
    )
)


def _arm(start: Sequence[float], end: Sequence[float], radii: tuple[float, float], blend: float = 0.03) -> Capsule:
    return Capsule(SHOULDER + start, SHOULDER + end, radii, blend=blend)


ARM = Field(
    (
        _arm((-0.004, -0.002, 0.000), (0.002, -0.262, -0.004), (0.046, 0.036)),
        _arm((-0.002, -0.010, 0.000), (0.014, -0.095, 0.002), (0.051, 0.035), 0.04),
        _arm((-0.004, -0.125, 0.014), (-0.002, -0.205, 0.014), (0.034, 0.032), 0.04),
        _arm((0.002, -0.075, -0.017), (0.002, -0.190, -0.014), (0.034, 0.031), 0.04),
        _arm((0.000, -0.275, -0.006), (0.000, -0.295, -0.002), (0.0355, 0.0355), 0.03),
        _arm((0.004, -0.305, -0.004), (0.000, -0.560, 0.023), (0.035, 0.0170), 0.03),
        _arm((0.004, -0.305, 0.008), (0.000, -0.560, 0.041), (0.035, 0.0170), 0.012),
        _arm((0.009, -0.325, 0.008), (0.004, -0.400, 0.014), (0.037, 0.032), 0.04),
    )
)


def _palm() -> Field:
    """Return a hand without fingers: a soft union of the five metacarpals."""
    wrist = arm_points()[2]
    bones = []
    for finger, across in zip(FINGERS[1:], (0.012, 0.004, -0.005, -0.013), strict=True):
        knuckle = finger_points(finger)[0]
        bones.append(Capsule(wrist + np.array((0.0, -0.006, across)), knuckle, (0.0210, 0.0130), blend=0.022))
    thumb = finger_points("Thumb")
    return Field((*bones, Capsule(wrist + np.array((-0.006, -0.020, 0.010)), thumb[1], (0.018, 0.0125), blend=0.03)))


def _finger(finger: str) -> Field:
    """Return a finger: three tapered bones."""
    points, radii = finger_points(finger), FINGER_SHAPES[finger].radii
    bones = [Capsule(points[bone], points[bone + 1], (radii[bone], radii[bone + 1]), blend=0.006) for bone in range(3)]
    return Field(tuple(bones))


PALM = _palm()
FINGER_FIELDS = {finger: _finger(finger) for finger in FINGERS}
MITTEN = Field(tuple(shape for finger in FINGERS for shape in FINGER_FIELDS[finger].shapes))
