"""Walking and running, in place over a ground that moves backwards at a fixed speed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skelter.assets.character import Clip
from skelter.assets.mannequin.clips.curves import loop_phase, smooth, spline, wave
from skelter.assets.mannequin.clips.legs import Foot
from skelter.assets.mannequin.clips.motion import Arm, Motion
from skelter.assets.mannequin.skeleton import skeleton
from skelter.core.arrays import Fractions

HEEL = np.array([0.0, -0.0655])
"""Where the heel touches the ground in the rest pose: y and z [m]."""


@dataclass(frozen=True, slots=True)
class Gait:
    """Numbers of a gait. Phases are fractions of the cycle; a foot's phase is 0 when its heel touches the ground.

    Attributes:
        speed: Speed of the ground [m/s].
        duration: Duration of the cycle [s].
        rate: Keys a second.
        duty: Phase at which a foot leaves the ground; a key lies there, so that the planted foot stays planted.
        touch: Heel's distance ahead of the hips' mean when it touches [m].
        width: Distance of the feet from the middle [m].
        toe_out: Turn of the feet outwards [deg].
        strike: Pitch of the foot at touch-down [deg].
        flat: Phases at which the sole is flat, from and to.
        push: Pitch of the foot at toe-off [deg].
        swing: Knots of the swinging foot: part of the swing, y and z of the ankle [m], pitch [deg].
    """

    speed: float
    duration: float
    rate: int
    duty: float
    touch: float
    width: float
    toe_out: float
    strike: float
    flat: tuple[float, float]
    push: float
    swing: tuple[tuple[float, float, float, float], ...]


WALK = Gait(
    speed=1.3,
    duration=16 / 15,
    rate=30,
    duty=20 / 32,
    touch=0.29,
    width=0.075,
    toe_out=7.0,
    strike=-20.0,
    flat=(0.10, 0.32),
    push=57.0,
    swing=((0.42, 0.178, -0.05, 24.0), (0.80, 0.117, 0.262, -14.0)),
)
RUN = Gait(
    speed=3.2,
    duration=0.70,
    rate=60,
    duty=14 / 42,
    touch=0.205,
    width=0.055,
    toe_out=5.0,
    strike=-8.0,
    flat=(0.05, 0.15),
    push=48.0,
    swing=((0.34, 0.47, -0.36, 66.0), (0.66, 0.33, 0.16, 16.0), (0.86, 0.168, 0.252, -6.0)),
)

WALK_SPEED = WALK.speed
"""Ground speed at which the feet of the clip ``walk`` do not slide [m/s]."""

RUN_SPEED = RUN.speed
"""Ground speed at which the feet of the clip ``run`` do not slide [m/s]."""


def walk() -> Clip:
    """Return the walk: a loop of two steps."""
    times, phase = loop_phase(WALK.duration, WALK.rate)
    motion = Motion(times)
    motion.hips[:, 0] = 0.020 * wave(phase, 0.30)
    motion.hips[:, 1] = -0.040 + 0.022 * wave(phase, 0.31, 2)
    motion.hips[:, 2] = 0.008 * wave(phase, 0.05, 2)
    motion.turn_hips(3.0 + 1.0 * wave(phase, 0.05, 2), -6.0 * wave(phase, 0.02), 4.0 * wave(phase, 0.20))
    motion.turn_spine(0.5 - 1.2 * wave(phase, 0.10, 2), 11.0 * wave(phase, 0.05), -4.5 * wave(phase, 0.22))
    motion.face(2.0 + 0.8 * wave(phase, 0.15, 2), 1.2 * wave(phase, 0.10), -0.6 * wave(phase, 0.25))
    for side, lag in (("Left", 0.5), ("Right", 0.0)):
        swing = wave(phase, lag + 0.04)
        later = wave(phase, lag + 0.11)
        arm = Arm(
            forward=4.0 + 21.0 * swing,
            out=7.0 + 1.5 * wave(phase, lag, 2),
            turn=-3.0 + 1.0 * swing,
            elbow=14.0 + 11.0 * later,
            palm=-22.0,
            wrist=2.0 - 5.0 * wave(phase, lag + 0.2),
            shrug=-1.0 + 1.0 * wave(phase, lag + 0.25, 2),
            reach=3.0 * swing,
        )
        motion.hold_arm(side, arm)
        motion.curl_fingers(side, 15.0 + 4.0 * later, spread=-4.0, thumb=8.0)
    _step(motion, WALK, phase)
    return motion.clip("walk")


def run() -> Clip:
    """Return the run: a loop of two steps with two flights."""
    times, phase = loop_phase(RUN.duration, RUN.rate)
    motion = Motion(times)
    motion.hips[:, 0] = 0.012 * wave(phase, 0.17)
    motion.hips[:, 1] = -0.064 - 0.036 * wave(phase, 0.17, 2)
    motion.hips[:, 2] = 0.010 * wave(phase, 0.40, 2)
    motion.turn_hips(9.0 + 2.0 * wave(phase, 0.30, 2), -9.0 * wave(phase, 0.02), 4.0 * wave(phase, 0.12))
    motion.turn_spine(4.0 - 3.0 * wave(phase, 0.25, 2), 20.0 * wave(phase, 0.05), -5.0 * wave(phase, 0.15))
    motion.face(4.0 + 1.5 * wave(phase, 0.22, 2), 2.0 * wave(phase, 0.10), 0.0)
    for side, lag in (("Left", 0.5), ("Right", 0.0)):
        swing = wave(phase, lag + 0.02)
        arm = Arm(
            forward=-4.0 + 38.0 * swing,
            out=12.0 - 4.0 * swing,
            turn=-13.0 - 6.0 * swing,
            elbow=82.0 + 16.0 * wave(phase, lag + 0.06) + 5.0 * wave(phase, lag, 2),
            palm=4.0,
            wrist=6.0,
            shrug=2.0 + 1.5 * wave(phase, 0.40, 2),
            reach=7.0 * swing,
        )
        motion.hold_arm(side, arm)
        motion.curl_fingers(side, 26.0, thumb=16.0)
    _step(motion, RUN, phase)
    return motion.clip("run")


def _step(motion: Motion, gait: Gait, phase: Fractions) -> None:
    """Set both legs, half a cycle apart."""
    for side, sign, lag in (("Left", 1, 0.0), ("Right", -1, 0.5)):
        motion.place_foot(side, _foot(gait, (phase - lag) % 1.0, sign))


def _foot(gait: Gait, phase: Fractions, sign: int) -> Foot:
    """Return the way of one foot: rolling from heel to toes on the ground, then swinging to the front."""
    x, y, z, pitch, toes = np.where(phase < gait.duty, _stance(gait, phase), _swing(gait, phase))
    turn = sign * gait.toe_out
    return Foot(np.stack([sign * x, y, z], axis=-1), pitch, toes, turn, knee=0.6 * turn)


def _stance(gait: Gait, phase: Fractions) -> np.ndarray:
    """Return the ankle's x, y, z [m], pitch and toes [deg] of the left foot on the ground, float64 ``[5, frame]``.

    The foot turns about its heel's edge until the sole is flat, later about the joint of its toes, which stay flat.
    Both points move with the ground.
    """
    landing = gait.strike * (1.0 - smooth(phase / gait.flat[0]))
    lifting = gait.push * (np.maximum(phase - gait.flat[1], 0.0) / (gait.duty - gait.flat[1])) ** 2
    pitch = landing + lifting
    ankle, ball = skeleton().at("LeftFoot")[1:], skeleton().at("LeftToes")[1:]
    pivot = np.where(pitch[:, None] < 0.0, HEEL, ball)
    arm = ankle - pivot
    cos, sin = np.cos(np.deg2rad(pitch)), np.sin(np.deg2rad(pitch))
    y = pivot[:, 0] + cos * arm[:, 0] - sin * arm[:, 1]
    along = pivot[:, 1] - HEEL[1] + sin * arm[:, 0] + cos * arm[:, 1]
    out = np.deg2rad(gait.toe_out)
    x = gait.width + np.sin(out) * (along - (ankle - HEEL)[1])
    z = gait.touch - gait.speed * gait.duration * phase + np.cos(out) * along
    return np.stack([x, y, z, pitch, np.maximum(pitch, 0.0)])


def _swing(gait: Gait, phase: Fractions) -> np.ndarray:
    """Return the same as `_stance` of a foot in the air.

    Splines through the knots of the gait; they leave and meet the ground with the position and speed of `_stance`.
    """
    tiny = 1e-5
    off = _stance(gait, np.array([gait.duty - tiny, gait.duty]))
    on = _stance(gait, np.array([0.0, tiny]))
    span = 1.0 - gait.duty
    part = (phase - gait.duty) / span
    parts, *inner = np.transpose(gait.swing)
    knots = {1: (parts, inner[0]), 2: (parts, inner[1]), 3: (parts, inner[2]), 4: ([0.45], [4.0])}
    curves = []
    for row in range(5):
        at, values = knots.get(row, ([], []))
        slopes = [float(pair[row, 1] - pair[row, 0]) / tiny * span for pair in (off, on)]
        ends = (off[row, 1], on[row, 0])
        curves.append(spline([0.0, *at, 1.0], [ends[0], *values, ends[1]], part, (slopes[0], slopes[1])))
    return np.stack(curves)
