"""The joints of the mannequin: names, parents and rest positions.

It is 1.80 m tall, an adult of seven and a half heads, stands on the ground at the origin and faces +z.
Every rest rotation is the identity, so a joint's frame is the model frame moved to the joint, and a rotation track
turns a body part about the model's own axes. The arms rest in an A-pose; they are written down here in the *hanging
frame* (arm straight down, palm to the thigh, thumb forward), in which arm poses are thought of too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from skelter.core.arrays import NodeParents, Translations

A_POSE_ANGLE = np.deg2rad(45.0)
"""Angle between a resting arm and the vertical [rad]."""

SHOULDER = np.array([0.178, 1.442, -0.018])
"""The left shoulder joint [m]."""

FINGERS = ("Thumb", "Index", "Middle", "Ring", "Little")
PHALANGES = ("Proximal", "Intermediate", "Distal")
THUMB_BONES = ("Metacarpal", "Proximal", "Distal")

_CENTRE = (
    ("Root", "", (0.0, 0.0, 0.0)),
    ("Hips", "Root", (0.0, 0.975, -0.005)),
    ("Spine", "Hips", (0.0, 1.050, -0.010)),
    ("Chest", "Spine", (0.0, 1.165, -0.015)),
    ("UpperChest", "Chest", (0.0, 1.300, -0.020)),
    ("Neck", "UpperChest", (0.0, 1.500, -0.025)),
    ("Head", "Neck", (0.0, 1.590, -0.008)),
)

_LEG = (
    ("UpperLeg", "Hips", (0.092, 0.925, 0.000)),
    ("LowerLeg", "LeftUpperLeg", (0.096, 0.495, 0.006)),
    ("Foot", "LeftLowerLeg", (0.099, 0.085, -0.016)),
    ("Toes", "LeftFoot", (0.103, 0.022, 0.118)),
)

# Hanging frame, relative to the shoulder joint: x away from the body, y up, z forward.
_ARM = (
    ("UpperArm", "LeftShoulder", (0.0, 0.0, 0.0)),
    ("UpperArmTwist", "LeftUpperArm", (0.0, -0.02, 0.0)),
    ("LowerArm", "LeftUpperArm", (0.0, -0.285, -0.004)),
    ("LowerArmTwist", "LeftLowerArm", (0.0, -0.405, 0.012)),
    ("Hand", "LeftLowerArm", (0.0, -0.540, 0.030)),
)


@dataclass(frozen=True, slots=True)
class _Finger:
    """A finger in the hanging frame, relative to the wrist.

    Attributes:
        base: Position of its first joint [m].
        lengths: Lengths of its three bones [m].
        curl: Direction of each bone: angle towards the palm, in total [deg].
        splay: Angle towards the thumb [deg].
        radii: Radius at its three joints and at the tip [m].
    """

    base: tuple[float, float, float]
    lengths: tuple[float, float, float]
    curl: tuple[float, float, float]
    splay: float
    radii: tuple[float, float, float, float]

    def points(self) -> np.ndarray:
        """Return the three joints and the tip, float64 ``[4, 3]`` [m]."""
        curl, splay = np.deg2rad(self.curl), np.deg2rad(self.splay)
        flat = np.cos(curl)
        direction = np.stack([-np.sin(curl), -flat * np.cos(splay), flat * np.sin(splay)], axis=-1)
        steps = direction * np.array(self.lengths)[:, None]
        return np.asarray(np.array(self.base) + np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)]))


FINGER_SHAPES = {
    "Thumb": _Finger(
        (-0.010, -0.026, 0.020), (0.043, 0.034, 0.028), (24, 18, 14), 42, (0.0155, 0.0125, 0.0110, 0.0092)
    ),
    "Index": _Finger((0.002, -0.092, 0.029), (0.044, 0.027, 0.021), (10, 22, 30), 5, (0.0106, 0.0098, 0.0090, 0.0078)),
    "Middle": _Finger(
        (0.003, -0.096, 0.0085), (0.048, 0.031, 0.022), (12, 25, 34), 1, (0.0108, 0.0100, 0.0092, 0.0080)
    ),
    "Ring": _Finger(
        (0.001, -0.091, -0.0115), (0.044, 0.029, 0.022), (14, 28, 38), -4, (0.0104, 0.0096, 0.0088, 0.0076)
    ),
    "Little": _Finger(
        (-0.003, -0.082, -0.030), (0.034, 0.021, 0.019), (17, 31, 41), -9, (0.0094, 0.0086, 0.0078, 0.0068)
    ),
}
"""The left hand's fingers, slightly curled as at rest."""


@dataclass(frozen=True, slots=True)
class Skeleton:
    """The joints, parents first.

    Attributes:
        names: Unique names, those of VRM and Unity's humanoid where they have one.
        parent: int32 ``[joint]``, -1 for the root.
        position: Rest position, model space [m], float64 ``[joint, 3]``.
    """

    names: tuple[str, ...]
    parent: NodeParents
    position: Translations

    def at(self, name: str) -> np.ndarray:
        """Return the rest position of the joint called ``name``, float64 ``[3]`` [m]."""
        return np.asarray(self.position[self.names.index(name)])


def from_hanging(points: np.ndarray) -> np.ndarray:
    """Turn points of the left arm from the hanging frame to the A-pose: ``s + Rz(angle) (p - s)``, s the shoulder."""
    return np.asarray(SHOULDER + (points - SHOULDER) @ _turn().T)


def to_hanging(points: np.ndarray) -> np.ndarray:
    """Turn points of the left arm from the A-pose to the hanging frame; the inverse of `from_hanging`."""
    return np.asarray(SHOULDER + (points - SHOULDER) @ _turn())


def _turn() -> np.ndarray:
    cos, sin = np.cos(A_POSE_ANGLE), np.sin(A_POSE_ANGLE)
    return np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]])


def arm_points() -> np.ndarray:
    """Return the shoulder, elbow and wrist of the left arm, hanging frame, float64 ``[3, 3]`` [m]."""
    places = {name: position for name, _, position in _ARM}
    return np.asarray(SHOULDER + [places[name] for name in ("UpperArm", "LowerArm", "Hand")])


def finger_points(finger: str) -> np.ndarray:
    """Return the joints and the tip of a finger of the left hand, hanging frame, float64 ``[4, 3]`` [m]."""
    return np.asarray(arm_points()[2] + FINGER_SHAPES[finger].points())


def finger_bones(finger: str) -> tuple[str, ...]:
    """Return the names of the three bones of a finger, without the side."""
    return tuple(finger + bone for bone in (THUMB_BONES if finger == "Thumb" else PHALANGES))


@cache
def skeleton() -> Skeleton:
    """Return the mannequin's skeleton. The same object every time: treat it as read-only."""
    left = [*_arm_rows(), *((f"Left{name}", parent, np.array(position)) for name, parent, position in _LEG)]
    right = [(_mirrored_name(name), _mirrored_name(parent), position * (-1, 1, 1)) for name, parent, position in left]
    rows = [*((name, parent, np.array(position)) for name, parent, position in _CENTRE), *left, *right]
    names = tuple(name for name, _, _ in rows)
    parent = np.array([names.index(parent) if parent else -1 for _, parent, _ in rows], np.int32)
    return Skeleton(names, parent, np.stack([position for _, _, position in rows]))


def _arm_rows() -> list[tuple[str, str, np.ndarray]]:
    rows = [("LeftShoulder", "UpperChest", np.array([0.030, 1.440, 0.000]))]
    rows += [(f"Left{name}", parent, from_hanging(SHOULDER + position)) for name, parent, position in _ARM]
    for finger in FINGERS:
        parent = "LeftHand"
        for bone, position in zip(finger_bones(finger), from_hanging(finger_points(finger)), strict=False):
            rows.append((f"Left{bone}", parent, position))
            parent = f"Left{bone}"
    return rows


def _mirrored_name(name: str) -> str:
    return name.replace("Left", "Right", 1)
