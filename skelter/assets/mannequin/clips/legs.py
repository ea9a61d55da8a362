"""Two-bone legs: from hips and feet to the rotations of thigh, shank and foot."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skelter.assets.mannequin.rotation import X, Y, Z, about, chain, from_frames, inverse, multiply, rotate
from skelter.assets.mannequin.skeleton import skeleton
from skelter.core.arrays import Fractions, Mat3, Quat, Vec3

SOFT_REACH = 0.999
"""Part of a leg's length that it stretches to at most: a knee never locks."""


@dataclass(frozen=True, slots=True)
class Foot:
    """Where a foot is, frame by frame.

    Attributes:
        ankle: Model space [m], float64 ``[frame, 3]``.
        pitch: Positive lifts the heel [deg], float64 ``[frame]``.
        toes: Positive bends the toes up from the foot [deg], float64 ``[frame]``.
        turn: Positive turns the toes to the left (+x) [deg].
        roll: Positive lifts the left edge [deg].
        knee: Positive turns the knee to the left, from straight ahead [deg].
    """

    ankle: Vec3
    pitch: Fractions
    toes: Fractions
    turn: float | Fractions = 0.0
    roll: float | Fractions = 0.0
    knee: float | Fractions = 0.0

    def rotation(self) -> Quat:
        """Return the rotation of the foot in model space."""
        return chain(about(Y, self.turn), about(Z, self.roll), about(X, self.pitch))


def solve_leg(side: str, hips: Vec3, hips_rotation: Quat, foot: Foot) -> dict[str, Quat]:
    """Return the local rotations of a leg's four joints, float64 ``[frame, 4]``.

    The law of cosines gives the angle at the hip; the knee lies in the plane of hip, ankle and `Foot.knee`.

    Args:
        side: ``"Left"`` or ``"Right"``.
        hips: Position of the joint Hips, model space [m], float64 ``[frame, 3]``.
        hips_rotation: Its rotation, float64 ``[frame, 4]``.
        foot: Where the foot shall be.
    """
    bones = skeleton()
    hip, knee, ankle = (bones.at(side + name) for name in ("UpperLeg", "LowerLeg", "Foot"))
    start = hips + rotate(hips_rotation, hip - bones.at("Hips"))
    ahead = rotate(about(Y, foot.knee), Z)
    lengths = (float(np.linalg.norm(knee - hip)), float(np.linalg.norm(ankle - knee)))
    upper, lower, hinge = two_bones(foot.ankle - start, ahead, lengths)
    thigh = _aim(upper, hinge, knee - hip)
    shank = _aim(lower, hinge, ankle - knee)
    sole = foot.rotation()
    return {
        f"{side}UpperLeg": multiply(inverse(hips_rotation), thigh),
        f"{side}LowerLeg": multiply(inverse(thigh), shank),
        f"{side}Foot": multiply(inverse(shank), sole),
        f"{side}Toes": about(X, -foot.toes),
    }


def two_bones(reach: Vec3, pole: Vec3, lengths: tuple[float, float]) -> tuple[Vec3, Vec3, Vec3]:
    """Return the unit directions of two bones that span ``reach`` and bend towards ``pole``, and of their hinge.

    A target out of reach is pulled in along its line to `SOFT_REACH` of the bones' length.

    Args:
        reach: From the start of the first bone to the end of the second [m], float64 ``[frame, 3]``.
        pole: Unit direction of the bend, float64 ``[..., 3]``.
        lengths: Lengths of the two bones [m].
    """
    first, second = lengths
    distance = np.linalg.norm(reach, axis=-1, keepdims=True)
    line = reach / distance
    distance = np.minimum(distance, SOFT_REACH * (first + second))
    cosine = np.clip((first**2 + distance**2 - second**2) / (2.0 * first * distance), -1.0, 1.0)
    side = pole - np.sum(pole * line, axis=-1, keepdims=True) * line
    side /= np.linalg.norm(side, axis=-1, keepdims=True)
    upper = cosine * line + np.sqrt(1.0 - cosine**2) * side
    return upper, (distance * line - first * upper) / second, np.cross(side, line)


def _aim(direction: Vec3, hinge: Vec3, rest: Vec3) -> Quat:
    """Return the rotations that turn a bone from ``rest`` to ``direction`` and its hinge from x to ``hinge``."""
    return from_frames(_frame(direction, hinge), _frame(rest / np.linalg.norm(rest), X))


def _frame(direction: Vec3, hinge: Vec3) -> Mat3:
    """Return the frames with columns hinge (made perpendicular), bone and their cross product."""
    hinge = hinge - np.sum(hinge * direction, axis=-1, keepdims=True) * direction
    hinge /= np.linalg.norm(hinge, axis=-1, keepdims=True)
    return np.stack([hinge, direction, np.cross(hinge, direction)], axis=-1)
