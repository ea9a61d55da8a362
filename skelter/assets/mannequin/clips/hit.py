"""Reactions to a blow from the front, the back, the left or the right: the body gives way and catches itself.

All four are one motion along different axes, of one duration: blended, they react to blows from anywhere between.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from skelter.assets.character import Clip
from skelter.assets.mannequin.clips.curves import spline
from skelter.assets.mannequin.clips.idle import planted, resting_arm, standing
from skelter.assets.mannequin.clips.motion import Arm, Motion
from skelter.core.arrays import Fractions, KeyTimes

DURATION = 0.8
RATE = 60

HIPS_WAY = 0.075
"""How far the hips are pushed [m]."""

KNEES = 0.035
"""How far the hips sink as the knees give way [m]."""

LEAN = {"Hips": 3.0, "Spine": 5.0, "Chest": 6.0, "UpperChest": 5.0}
"""Turn of the joints of the trunk away from the blow [deg]."""

NOD = {"Neck": 9.0, "Head": 9.0}
"""Turn of neck and head that follows the trunk, after they stayed behind [deg]."""


@dataclass(frozen=True, slots=True)
class Blow:
    """Where a blow pushes: 1 or -1 along one axis, 0 along the other.

    Attributes:
        left: To the left (+x).
        front: To the front (+z).
    """

    left: float = 0.0
    front: float = 0.0


def hit_front() -> Clip:
    """Return the reaction to a blow from the front, which pushes to the back."""
    return _hit("hit_front", Blow(front=-1.0))


def hit_back() -> Clip:
    """Return the reaction to a blow from the back."""
    return _hit("hit_back", Blow(front=1.0))


def hit_left() -> Clip:
    """Return the reaction to a blow from the left."""
    return _hit("hit_left", Blow(left=-1.0))


def hit_right() -> Clip:
    """Return the reaction to a blow from the right."""
    return _hit("hit_right", Blow(left=1.0))


def _hit(name: str, blow: Blow) -> Clip:
    """Return a reaction that starts and ends in the first pose of the idle: trunk first, then hips, head and arms."""
    times = np.arange(round(DURATION * RATE) + 1) / RATE
    motion = standing(times, np.zeros(len(times)))
    trunk, hips, arms = (_push(times, peak) for peak in (0.11, 0.15, 0.20))
    _give_way(motion, blow, hips)
    for joint, angle in LEAN.items():
        motion.push(joint, pitch=angle * blow.front * trunk, roll=-angle * blow.left * trunk)
    for joint, angle in NOD.items():
        nod = angle * _whip(times)
        motion.push(joint, pitch=nod * blow.front, roll=-nod * blow.left)
    for side, sign in (("Left", 1), ("Right", -1)):
        motion.hold_arm(side, _arm(blow, arms, sign))
        motion.place_foot(side, planted(side, len(times)))
    return motion.clip(name)


def _push(times: KeyTimes, peak: float) -> Fractions:
    """Return how far a part of the body is pushed: 1 at its peak, then back past its place, which it finds again."""
    return spline((0.0, peak, peak + 0.20, peak + 0.40, DURATION), (0.0, 1.0, 0.32, -0.08, 0.0), times)


def _whip(times: KeyTimes) -> Fractions:
    """Return the nod of the head: it stays behind the trunk at first, then overtakes it."""
    return spline((0.0, 0.08, 0.21, 0.42, DURATION), (0.0, -0.8, 1.0, 0.1, 0.0), times)


def _give_way(motion: Motion, blow: Blow, push: Fractions) -> None:
    """Move the hips away from the blow and let the knees bend."""
    motion.hips[:, 0] += HIPS_WAY * blow.left * push
    motion.hips[:, 1] -= KNEES * np.abs(push)
    motion.hips[:, 2] += HIPS_WAY * blow.front * push


def _arm(blow: Blow, push: Fractions, sign: int) -> Arm:
    """Return an arm that stays behind the trunk, and opens; ``sign`` is 1 for left, -1 for right."""
    rest = resting_arm(np.zeros(len(push)), sign)
    behind = -blow.left * sign
    return replace(
        rest,
        forward=rest.forward - 28.0 * blow.front * push,
        out=rest.out + (16.0 + 9.0 * behind) * push,
        elbow=rest.elbow + (26.0 - 8.0 * blow.front) * push,
        wrist=rest.wrist - 8.0 * push,
        shrug=rest.shrug + 6.0 * push,
    )
