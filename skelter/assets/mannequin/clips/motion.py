"""Motion: a clip in the making, written in the words of a body instead of quaternions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from skelter.assets.character import Clip, ClipEvent, Track
from skelter.assets.mannequin.clips.legs import Foot, solve_leg
from skelter.assets.mannequin.rotation import (
    X,
    Y,
    Z,
    about,
    chain,
    continuous,
    inverse,
    mirrored,
    multiply,
    power,
    twist,
)
from skelter.assets.mannequin.skeleton import A_POSE_ANGLE, FINGERS, finger_bones, skeleton
from skelter.core.arrays import Fractions, KeyTimes, Quat, Vec3

Angle = Fractions | float
"""An angle [deg] per frame, or for all frames."""

_HANG = about(Z, -np.rad2deg(A_POSE_ANGLE))
_SPINE = ("Spine", "Chest", "UpperChest")
_SPINE_SHARE = (0.35, 0.35, 0.30)
_NECK_SHARE = 0.45
_UPPER_ARM_UNTWIST = 0.6
_LOWER_ARM_TWIST = 0.5
_DECIMALS = 12


@dataclass(frozen=True, slots=True)
class Arm:
    """How an arm is held, from hanging straight down with the palm to the thigh; the same for both sides [deg].

    Attributes:
        forward: Swing of the upper arm to the front.
        out: Swing of the upper arm away from the body.
        turn: Turn of the upper arm about itself; positive turns the elbow's crease outwards.
        elbow: Bend of the elbow.
        palm: Turn of the hand about the forearm; positive turns the palm to the front.
        wrist: Bend of the hand towards the palm.
        tilt: Bend of the hand towards the thumb.
        shrug: Lift of the collar bone.
        reach: Swing of the collar bone to the front.
    """

    forward: Angle = 0.0
    out: Angle = 8.0
    turn: Angle = 0.0
    elbow: Angle = 15.0
    palm: Angle = 0.0
    wrist: Angle = 0.0
    tilt: Angle = 0.0
    shrug: Angle = 0.0
    reach: Angle = 0.0


class Motion:
    """Local rotations of the joints over the frames of a clip, and the way of the hips.

    Attributes:
        times: Key times [s], float64 ``[frame]``.
        hips: Move of the hips from rest [m], float64 ``[frame, 3]``.
        rotations: Local rotation of each joint that was set, float64 ``[frame, 4]``.
    """

    def __init__(self, times: KeyTimes) -> None:
        self.times = times
        self.hips = np.zeros((len(times), 3))
        self.rotations: dict[str, Quat] = {}

    def turn_hips(self, pitch: Angle = 0.0, yaw: Angle = 0.0, roll: Angle = 0.0) -> None:
        """Turn the pelvis: pitch leans it forward, yaw turns it to the left, roll lifts its left side [deg]."""
        self._set("Hips", turned(pitch, yaw, roll))

    def turn_spine(self, pitch: Angle = 0.0, yaw: Angle = 0.0, roll: Angle = 0.0) -> None:
        """Turn the chest against the pelvis, spread over the spine [deg]."""
        for joint, share in zip(_SPINE, _SPINE_SHARE, strict=True):
            self._set(joint, turned(*(share * np.asarray(angle) for angle in (pitch, yaw, roll))))

    def face(self, pitch: Angle = 0.0, yaw: Angle = 0.0, roll: Angle = 0.0) -> None:
        """Hold the head in model space, whatever hips and spine do (set them first); the neck takes its share [deg]."""
        chest = chain(*(self.rotations[joint] for joint in ("Hips", *_SPINE) if joint in self.rotations))
        whole = multiply(inverse(chest), turned(pitch, yaw, roll))
        neck = power(whole, _NECK_SHARE)
        self._set("Neck", neck)
        self._set("Head", multiply(inverse(neck), whole))

    def push(self, joint: str, pitch: Angle = 0.0, yaw: Angle = 0.0, roll: Angle = 0.0) -> None:
        """Turn a joint of the trunk further than it was set, about the axes of its parent [deg]."""
        self._set(joint, multiply(turned(pitch, yaw, roll), self.rotations[joint]))

    def hold_arm(self, side: str, arm: Arm) -> None:
        """Set collar bone, upper arm, forearm and hand of a side, and the two joints that spread their twist."""
        shoulder = multiply(about(Z, arm.shrug), about(Y, -np.asarray(arm.reach)))
        upper = chain(about(X, -np.asarray(arm.forward)), about(Z, arm.out), about(Y, arm.turn))
        lower = about(X, -np.asarray(arm.elbow))
        hand = chain(about(Y, arm.palm), about(Z, -np.asarray(arm.wrist)), about(X, -np.asarray(arm.tilt)))
        bones = skeleton()
        arm_axis = _direction(bones.at("LeftLowerArm") - bones.at("LeftUpperArm"))
        forearm_axis = _direction(bones.at("LeftHand") - bones.at("LeftLowerArm"))
        rotations = {
            "Shoulder": shoulder,
            "UpperArm": chain(inverse(shoulder), upper, _HANG),
            "LowerArm": _hung(lower),
            "Hand": _hung(hand),
        }
        rotations["UpperArmTwist"] = power(twist(rotations["UpperArm"], arm_axis), -_UPPER_ARM_UNTWIST)
        rotations["LowerArmTwist"] = power(twist(rotations["Hand"], forearm_axis), _LOWER_ARM_TWIST)
        self._set_side(side, rotations)

    def curl_fingers(self, side: str, curl: Angle, spread: Angle = 0.0, thumb: Angle = 0.0) -> None:
        """Curl the fingers towards the palm, spread them, and close the thumb, from their rest [deg]."""
        rotations = {}
        for place, finger in enumerate(FINGERS[1:]):
            bend = np.asarray(curl) * (1.0 + 0.12 * place)
            fan = about(X, -np.asarray(spread) * (1.5 - place) / 1.5)
            for bone, share in zip(finger_bones(finger), (0.8, 1.0, 0.7), strict=True):
                rotations[bone] = multiply(fan, about(Z, -bend * share))
                fan = about(X, 0.0)
        for bone, share in zip(finger_bones("Thumb"), (0.4, 0.7, 0.8), strict=True):
            rotations[bone] = about(_direction(np.array([0.75, -0.45, -0.5])), -np.asarray(thumb) * share)
        self._set_side(side, rotations)

    def place_foot(self, side: str, foot: Foot) -> None:
        """Put a foot somewhere and let the leg follow. Set the hips first."""
        hips = skeleton().at("Hips") + self.hips
        for joint, rotation in solve_leg(side, hips, self.rotations["Hips"], foot).items():
            self._set(joint, rotation)

    def clip(self, name: str, events: Sequence[ClipEvent] = ()) -> Clip:
        """Return the clip: LINEAR tracks for every joint that was set, and for the way of the hips if they were."""
        bones = skeleton()
        tracks = []
        for node, joint in enumerate(bones.names):
            if joint not in self.rotations:
                continue
            if joint == "Hips":
                rest = self._rest_translation(node)
                tracks.append(Track(node, "translation", "LINEAR", self.times, _rounded(rest + self.hips)))
            keys = continuous(self.rotations[joint])
            still = bool(np.all(np.abs(keys - keys[0]) < 1e-12))
            times, keys = (self.times[[0, -1]], keys[[0, -1]]) if still else (self.times, keys)
            tracks.append(Track(node, "rotation", "LINEAR", times, _rounded(keys)))
        return Clip(name, tracks, float(self.times[-1]), events=list(events))

    def _rest_translation(self, node: int) -> Vec3:
        bones = skeleton()
        return np.asarray(bones.position[node] - bones.position[bones.parent[node]])

    def _set(self, joint: str, rotation: Quat) -> None:
        self.rotations[joint] = np.broadcast_to(rotation, (len(self.times), 4))

    def _set_side(self, side: str, rotations: dict[str, Quat]) -> None:
        for joint, rotation in rotations.items():
            self._set(side + joint, rotation if side == "Left" else mirrored(rotation))


def turned(pitch: Angle = 0.0, yaw: Angle = 0.0, roll: Angle = 0.0) -> Quat:
    """Return rotations ``yaw * roll * pitch`` about y, z and x [deg]."""
    return chain(about(Y, yaw), about(Z, roll), about(X, pitch))


def _hung(rotation: Quat) -> Quat:
    """Return a rotation of the hanging frame as one of the resting arm."""
    return chain(inverse(_HANG), rotation, _HANG)


def _direction(vector: Vec3) -> Vec3:
    return np.asarray(vector / np.linalg.norm(vector))


def _rounded(values: np.ndarray) -> np.ndarray:
    """Return values without their last bits: in older NumPy those depend on where an array happens to lie in memory."""
    return np.round(values, _DECIMALS) + 0.0  # + 0.0: no negative zeros
