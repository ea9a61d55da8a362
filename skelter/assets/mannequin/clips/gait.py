"""Walking and running, in place over a ground that moves backwards at a fixed speed."""

from __future__ import annotations

from skelter.assets.character import Clip
from skelter.assets.mannequin.clips.curves import loop_phase, wave
from skelter.assets.mannequin.clips.motion import Arm, Motion
from skelter.assets.mannequin.clips.stride import Gait, steps, stride
from skelter.core.arrays import Fractions

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
    pace(motion, phase)
    stride(motion, WALK, phase)
    return motion.clip("walk", steps(WALK))


def pace(motion: Motion, phase: Fractions, amount: float = 1.0, heading: float = 0.0) -> None:
    """Move hips, trunk and arms as in a walk.

    Args:
        motion: Whose body is moved.
        phase: float64 ``[frame]``; the left heel touches the ground at 0.
        amount: Size of the swings.
        heading: Turn of the pelvis to the left under a chest that faces the front [deg].
    """
    motion.hips[:, 0] = amount * 0.020 * wave(phase, 0.30)
    motion.hips[:, 1] = amount * -0.040 + amount * 0.022 * wave(phase, 0.31, 2)
    motion.hips[:, 2] = amount * 0.008 * wave(phase, 0.05, 2)
    yaw = amount * wave(phase, 0.02)
    motion.turn_hips(3.0 + amount * wave(phase, 0.05, 2), heading - 6.0 * yaw, amount * 4.0 * wave(phase, 0.20))
    motion.turn_spine(
        0.5 - amount * 1.2 * wave(phase, 0.10, 2),
        amount * 11.0 * wave(phase, 0.05) - heading,
        -amount * 4.5 * wave(phase, 0.22),
    )
    motion.face(2.0 + 0.8 * wave(phase, 0.15, 2), 1.2 * wave(phase, 0.10), -0.6 * wave(phase, 0.25))
    for side, lag in (("Left", 0.5), ("Right", 0.0)):
        swing = amount * wave(phase, lag + 0.04)
        later = amount * wave(phase, lag + 0.11)
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
    stride(motion, RUN, phase)
    return motion.clip("run", steps(RUN))
