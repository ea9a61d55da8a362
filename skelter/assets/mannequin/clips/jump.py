"""A jump on the spot: crouch, take-off, air, landing, recovery."""

from __future__ import annotations

import numpy as np

from skelter.assets.character import Clip, ClipEvent
from skelter.assets.mannequin.clips.curves import smooth, spline
from skelter.assets.mannequin.clips.idle import TOE_OUT, planted, resting_arm
from skelter.assets.mannequin.clips.legs import Foot
from skelter.assets.mannequin.clips.motion import Arm, Motion
from skelter.assets.mannequin.rotation import Y, about, rotate
from skelter.assets.mannequin.skeleton import skeleton
from skelter.core.arrays import Fractions, KeyTimes, Vec3

RATE = 60
GRAVITY = 9.81
"""[m/s^2]"""

CROUCH, TAKE_OFF, LANDING, DEEPEST, DURATION = 0.32, 0.50, 0.95, 1.10, 1.60
"""Times of the phases [s]."""

_AIR = LANDING - TAKE_OFF
_TIMES = (0.0, CROUCH, TAKE_OFF, TAKE_OFF + 0.5 * _AIR, LANDING, DEEPEST, DURATION)
_SPEED = 0.5 * GRAVITY * _AIR
"""Speed of the hips at take-off [m/s]: what keeps a body in the air for that long."""


def jump() -> Clip:
    """Return the jump: it starts from and ends in the same stand."""
    times = np.arange(round(DURATION * RATE) + 1) / RATE
    motion = Motion(times)
    motion.hips[:, 1] = _hips_height(times)
    motion.hips[:, 2] = _keyed(times, 0.004, -0.080, 0.020, 0.010, -0.020, -0.070, 0.004)
    motion.turn_hips(_keyed(times, 2, 34, 2, 8, 14, 30, 2))
    motion.turn_spine(_keyed(times, -1, 18, -8, 6, 10, 16, -1))
    motion.face(_keyed(times, 1.5, 10, -8, 8, 14, 10, 1.5))
    for side, sign in (("Left", 1), ("Right", -1)):
        motion.hold_arm(side, _arm(times, sign))
        motion.curl_fingers(side, _keyed(times, 11, 18, 4, 8, 4, 14, 11), thumb=6.0)
        motion.place_foot(side, _foot(times, side, sign))
    return motion.clip("jump", [ClipEvent(LANDING, "land")])


def _keyed(times: KeyTimes, *values: float) -> Fractions:
    """Return a smooth curve through one value per phase: start, crouch, take-off, top, landing, deepest, end."""
    return spline(_TIMES, values, times)


def _hips_height(times: KeyTimes) -> Fractions:
    """Return the height of the hips over rest [m]: muscles on the ground, a parabola in the air."""
    stand, leave, meet = -0.011, 0.062, 0.020
    down = spline((0.0, CROUCH, TAKE_OFF), (stand, -0.27, leave), times, (0.0, _SPEED))
    fall = times - TAKE_OFF
    drift = (meet - leave) / _AIR
    air = leave + (_SPEED + drift) * fall - 0.5 * GRAVITY * fall**2
    absorb = spline((LANDING, DEEPEST, DURATION), (meet, -0.21, stand), times, (drift - _SPEED, 0.0))
    return np.where(times < TAKE_OFF, down, np.where(times < LANDING, air, absorb))


def _arm(times: KeyTimes, sign: int) -> Arm:
    """Return an arm that swings back, throws itself up, and balances the landing."""
    rest = resting_arm(np.zeros(1), sign)
    start = {name: float(np.asarray(getattr(rest, name)).flat[0]) for name in Arm.__slots__}
    return Arm(
        forward=_keyed(times, start["forward"], -38, 105, 80, 38, 22, start["forward"]),
        out=_keyed(times, start["out"], 16, 20, 34, 36, 22, start["out"]),
        turn=_keyed(times, start["turn"], -8, 12, 22, 10, -4, start["turn"]),
        elbow=_keyed(times, start["elbow"], 26, 40, 30, 34, 38, start["elbow"]),
        palm=start["palm"],
        wrist=_keyed(times, start["wrist"], 0, 8, -8, -12, 2, start["wrist"]),
        shrug=_keyed(times, start["shrug"], -2, 12, 9, 4, -2, start["shrug"]),
        reach=_keyed(times, start["reach"], -8, 6, 4, 4, 6, start["reach"]),
    )


def _foot(times: KeyTimes, side: str, sign: int) -> Foot:
    """Return a foot that stands, rolls up to its toes, flies, and rolls down again."""
    stand = planted(side, len(times))
    pitch = _pitch(times)
    fall = np.clip(times - TAKE_OFF, 0.0, _AIR)
    lift = _SPEED * fall - 0.5 * GRAVITY * fall**2 + 0.05 * np.sin(np.pi * fall / _AIR) ** 2
    ankle = _over_toes(stand, side, pitch) + lift[:, None] * Y
    ankle[:, 2] -= 0.03 * np.sin(np.pi * fall / _AIR) ** 2
    on_ground = (times <= TAKE_OFF) | (times >= LANDING)
    toes = np.where(on_ground, pitch, pitch * _keyed(times, 1, 1, 1, 0.2, 1, 1, 1))
    return Foot(ankle, pitch, toes, sign * TOE_OUT, knee=sign * (0.7 * TOE_OUT + _keyed(times, 0, 9, 0, 4, 2, 9, 0)))


def _pitch(times: KeyTimes) -> Fractions:
    """Return the pitch of the feet [deg]: flat, up on the toes, flat again after the landing."""
    push = 54.0 * np.clip((times - 0.36) / (TAKE_OFF - 0.36), 0.0, 1.0) ** 2
    relax = smooth((times - TAKE_OFF) / _AIR)
    settle = 1.0 - smooth((times - LANDING) / 0.10)
    return np.where(times < TAKE_OFF, push, (54.0 + (20.0 - 54.0) * relax) * settle)


def _over_toes(stand: Foot, side: str, pitch: Fractions) -> Vec3:
    """Return where the ankle is when a foot has turned up about the joint of its standing toes [m]."""
    arm = skeleton().at(f"{side}Foot") - skeleton().at(f"{side}Toes")
    turn = about(Y, stand.turn)
    still = stand.ankle - rotate(turn, arm)
    raised = Foot(stand.ankle, pitch, pitch, stand.turn).rotation()
    return np.asarray(still + rotate(raised, arm))
