"""Looking around: an additive clip of trunk and head, to be laid over whatever the legs do."""

from __future__ import annotations

import numpy as np

from skelter.assets.character import Additive, Clip
from skelter.assets.mannequin.clips.curves import smooth
from skelter.assets.mannequin.clips.motion import Motion
from skelter.core.arrays import Fractions, KeyTimes

DURATION = 4.0
RATE = 30

LEFT, RIGHT = (0.25, 1.45), (1.75, 3.05)
"""When the head begins to turn to a side, and when it begins to turn back [s]."""

TURN = 0.65
"""Time that a turn of the head takes [s]."""

LAG = 0.12
"""Time by which the trunk follows the head [s]."""

HEAD_YAW = 62.0
"""Turn of the face from the front [deg]; the turn of the chest is a part of it."""

TRUNK_YAW = 16.0
"""Turn of the chest [deg]."""


def look_around() -> Clip:
    """Return a look to the left and to the right: a loop, additive to its first frame, which looks ahead."""
    times = np.arange(round(DURATION * RATE) + 1) / RATE
    motion = Motion(times)
    head, trunk = _glance(times, 0.0), _glance(times, LAG)
    motion.turn_spine(yaw=TRUNK_YAW * trunk, roll=-1.5 * trunk)
    motion.face(pitch=-4.0 * np.abs(head), yaw=HEAD_YAW * head, roll=3.0 * head)
    clip = motion.clip("look_around")
    clip.additive = Additive("first_frame")
    return clip


def _glance(times: KeyTimes, lag: float) -> Fractions:
    """Return where to look: from 0, the front, to 1 on the left and -1 on the right, and back."""

    def held(begin: float, end: float) -> Fractions:
        return smooth((times - lag - begin) / TURN) - smooth((times - lag - end) / TURN)

    return held(*LEFT) - held(*RIGHT)
