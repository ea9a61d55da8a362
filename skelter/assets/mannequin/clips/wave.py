"""A friendly wave with the right hand."""

from __future__ import annotations

import numpy as np

from skelter.assets.character import Clip
from skelter.assets.mannequin.clips.curves import loop_phase, smooth
from skelter.assets.mannequin.clips.curves import wave as cosine
from skelter.assets.mannequin.clips.idle import resting_arm, standing
from skelter.assets.mannequin.clips.motion import Arm, Motion
from skelter.core.arrays import Fractions

DURATION = 3.2
RATE = 30
SWINGS = 4
"""Swings of the hand that fit into the clip; the arm is up for about half of them."""

_UP = Arm(forward=12.0, out=72.0, turn=78.0, elbow=88.0, palm=8.0, wrist=-6.0, shrug=9.0, reach=4.0)


def wave() -> Clip:
    """Return the wave: the arm goes up, the hand swings, the arm comes down; it starts and ends in the idle pose."""
    times, phase = loop_phase(DURATION, RATE)
    motion = standing(times, phase)
    raised = smooth(phase / 0.22) * smooth((1.0 - phase) / 0.26)
    motion.hold_arm("Right", _arm(phase, raised))
    motion.curl_fingers("Right", 11.0 - 21.0 * raised, spread=-3.0 + 10.0 * raised, thumb=6.0 - 11.0 * raised)
    _lean(motion, phase, raised)
    return motion.clip("wave")


def _arm(phase: Fractions, raised: Fractions) -> Arm:
    """Return the right arm, between hanging and up, with the swing on top; forearm first, hand a little later."""
    down = resting_arm(phase, -1)
    swing, later = (raised**2 * cosine(phase, peak, SWINGS) for peak in (0.05, 0.075))

    def between(name: str) -> Fractions:
        low, high = np.asarray(getattr(down, name)), getattr(_UP, name)
        return np.asarray(low + (high - low) * raised)

    return Arm(
        forward=between("forward"),
        out=between("out") + 3.0 * swing,
        turn=between("turn") + 17.0 * swing,
        elbow=between("elbow") + 8.0 * later,
        palm=between("palm"),
        wrist=between("wrist"),
        tilt=13.0 * later,
        shrug=between("shrug"),
        reach=between("reach"),
    )


def _lean(motion: Motion, phase: Fractions, raised: Fractions) -> None:
    """Lean a little away from the raised arm and look at whom is greeted."""
    motion.turn_spine(-1.0 - 1.5 * raised, -3.0 * raised, -3.0 * raised + 0.6 * raised * cosine(phase, 0.1, SWINGS))
    motion.face(1.5 - 2.0 * raised, 0.0, 4.0 * raised)
