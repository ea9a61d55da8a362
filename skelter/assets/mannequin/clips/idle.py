"""Standing: breathing, and a slow shift of the weight from one leg to the other."""

from __future__ import annotations

import numpy as np

from skelter.assets.character import Clip
from skelter.assets.mannequin.clips.curves import loop_phase, wave
from skelter.assets.mannequin.clips.legs import Foot
from skelter.assets.mannequin.clips.motion import Arm, Motion
from skelter.assets.mannequin.skeleton import skeleton
from skelter.core.arrays import Fractions

DURATION = 5.0
RATE = 30
TOE_OUT = 11.0


def idle() -> Clip:
    """Return the idle: a loop of one shift of the weight and two breaths."""
    times, phase = loop_phase(DURATION, RATE)
    return standing(times, phase).clip("idle")


def standing(times: np.ndarray, phase: Fractions) -> Motion:
    """Return the motion of the idle, so that gestures can be laid over it."""
    motion = Motion(times)
    shift, breath = wave(phase, 0.25), wave(phase, 0.1, 2)
    motion.hips[:, 0] = 0.004 + 0.022 * shift
    motion.hips[:, 1] = -0.009 - 0.002 * wave(phase, 0.0, 2) + 0.001 * breath
    motion.hips[:, 2] = 0.004 + 0.003 * wave(phase, 0.4)
    motion.turn_hips(2.0, 1.5 * wave(phase, 0.35), 0.4 + 2.0 * wave(phase, 0.27))
    motion.turn_spine(-1.0 - 1.0 * breath, -2.0 * wave(phase, 0.40), -0.6 - 2.6 * wave(phase, 0.30))
    motion.face(1.5 + 0.8 * wave(phase, 0.2, 2), 2.5 * wave(phase, 0.6), 0.8 * wave(phase, 0.42))
    for side, sign in (("Left", 1), ("Right", -1)):
        motion.hold_arm(side, resting_arm(phase, sign))
        motion.curl_fingers(side, 11.0 + 2.0 * wave(phase, 0.45 + 0.1 * sign), spread=-3.0, thumb=6.0)
        motion.place_foot(side, planted(side, len(times)))
    return motion


def resting_arm(phase: Fractions, sign: int) -> Arm:
    """Return an arm that hangs and follows breath and weight a little; ``sign`` is 1 for left, -1 for right."""
    breath = wave(phase, 0.13, 2)
    return Arm(
        forward=2.0 + 1.2 * wave(phase, 0.5 + 0.1 * sign),
        out=9.0 + 0.7 * breath - sign * 1.5 * wave(phase, 0.33),
        turn=-12.0,
        elbow=13.0 + 1.5 * wave(phase, 0.6 + 0.1 * sign),
        palm=-18.0,
        wrist=3.0,
        shrug=-1.0 + 1.2 * breath,
        reach=-1.0,
    )


def planted(side: str, count: int) -> Foot:
    """Return a foot that stands still, a little turned out."""
    sign = 1 if side == "Left" else -1
    ankle = skeleton().at(f"{side}Foot") + np.array([sign * 0.012, 0.0, 0.012 * sign])
    still = np.zeros(count)
    return Foot(np.tile(ankle, (count, 1)), still, still, sign * TOE_OUT, knee=sign * 0.7 * TOE_OUT)
