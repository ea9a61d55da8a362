"""Walking in other directions than the front, facing it: backwards, askew and sideways.

All of them have the rhythm of the walk, and the left foot touches the ground at phase 0: in step, they can be blended.
"""

from __future__ import annotations

from dataclasses import replace

from skelter.assets.character import Clip
from skelter.assets.mannequin.clips.curves import loop_phase, wave
from skelter.assets.mannequin.clips.gait import WALK, pace
from skelter.assets.mannequin.clips.motion import Arm, Motion
from skelter.assets.mannequin.clips.stride import Gait, steps, stride
from skelter.core.arrays import Fractions

BACK_SPEED = 0.9
"""Ground speed at which the feet of the clip ``walk_back`` do not slide [m/s]."""

STRAFE_SPEED = 0.65
"""Ground speed at which the feet of the clips ``walk_left`` and ``walk_right`` do not slide [m/s]."""

SLANT_SPEED = 0.95
"""Ground speed at which the feet of ``walk_front_left`` and ``walk_front_right`` do not slide [m/s]."""

BACK_SLANT_SPEED = 0.75
"""Ground speed at which the feet of ``walk_back_left`` and ``walk_back_right`` do not slide [m/s]."""

PELVIS_SHARE = 0.6
"""Part of the way from the front to a slanted direction that the pelvis turns."""

SLANT_WIDTH = 0.10
"""Distance of the feet from the middle where they cross each other's way a little [m]."""

SIDE = Gait(
    speed=STRAFE_SPEED,
    duration=WALK.duration,
    rate=WALK.rate,
    duty=WALK.duty,
    touch=0.5 * WALK.duty * WALK.duration * STRAFE_SPEED,
    width=0.24,
    toe_out=8.0,
    strike=6.0,
    flat=(0.08, 0.42),
    push=22.0,
    swing=((0.35, 0.165, -0.09, 20.0), (0.75, 0.125, 0.20, 10.0)),
    direction=90.0,
    ahead=-0.07,
)
"""The side step: the leading foot steps out, the other one follows and never crosses it."""


def walk_back() -> Clip:
    """Return the walk backwards."""
    return _slanted("walk_back", BACK_SPEED, 0.0, backwards=True)


def walk_front_left() -> Clip:
    """Return the walk halfway between front and left."""
    return _slanted("walk_front_left", SLANT_SPEED, 45.0)


def walk_front_right() -> Clip:
    """Return the walk halfway between front and right."""
    return _slanted("walk_front_right", SLANT_SPEED, -45.0)


def walk_back_left() -> Clip:
    """Return the walk halfway between back and left."""
    return _slanted("walk_back_left", BACK_SLANT_SPEED, -45.0, backwards=True)


def walk_back_right() -> Clip:
    """Return the walk halfway between back and right."""
    return _slanted("walk_back_right", BACK_SLANT_SPEED, 45.0, backwards=True)


def _slanted(name: str, speed: float, direction: float, *, backwards: bool = False) -> Clip:
    """Return a walk of shorter steps in a direction [deg], to which the pelvis turns part of the way.

    A walk backwards is one to the front that is played from its end: toes touch first, and the heel leaves last.
    """
    times, phase = loop_phase(WALK.duration, WALK.rate)
    if backwards:
        phase = (WALK.duty - phase) % 1.0  # where a foot left the ground it touches it now
    heading = PELVIS_SHARE * direction
    motion = Motion(times)
    pace(motion, phase, speed / WALK.speed, heading)
    gait = replace(WALK.slowed(speed), direction=direction - heading, width=SLANT_WIDTH if direction else WALK.width)
    stride(motion, gait, phase, heading)
    return motion.clip(name, steps(gait))


def walk_left() -> Clip:
    """Return the side step to the left: a loop of one step of each foot."""
    return _side_step("walk_left", 1)


def walk_right() -> Clip:
    """Return the side step to the right."""
    return _side_step("walk_right", -1)


def _side_step(name: str, sign: int) -> Clip:
    """Return a side step; ``sign`` is 1 to the left, -1 to the right."""
    times, phase = loop_phase(SIDE.duration, SIDE.rate)
    motion = Motion(times)
    lead = phase if sign > 0 else (phase - 0.5) % 1.0
    _sidle(motion, lead, sign)
    stride(motion, replace(SIDE, direction=sign * SIDE.direction), phase)
    return motion.clip(name, steps(SIDE))


def _sidle(motion: Motion, lead: Fractions, sign: int) -> None:
    """Move hips, trunk and arms over a side step; the phase ``lead`` is 0 when the leading foot touches: legs wide."""
    motion.hips[:, 0] = sign * 0.020 * wave(lead, 0.31)
    motion.hips[:, 1] = -0.062 - 0.030 * wave(lead, 0.06)
    motion.turn_hips(4.0, sign * 3.0 * wave(lead, 0.30), sign * (3.0 * wave(lead, 0.28) - 1.0))
    motion.turn_spine(2.0, sign * -2.0 * wave(lead, 0.35), sign * (-4.0 * wave(lead, 0.30) - 2.0))
    motion.face(3.0, sign * 2.0, sign * -1.0 * wave(lead, 0.35))
    for side, way in (("Left", sign), ("Right", -sign)):
        motion.hold_arm(side, _balancing_arm(lead, way))
        motion.curl_fingers(side, 17.0, spread=-3.0, thumb=9.0)


def _balancing_arm(lead: Fractions, way: int) -> Arm:
    """Return an arm that opens with the legs; ``way`` is 1 for the arm of the leading side, -1 for the other."""
    return Arm(
        forward=6.0 + 4.0 * wave(lead, 0.35 + 0.1 * way),
        out=16.0 + 5.0 * wave(lead, 0.14 - 0.04 * way),
        turn=-10.0,
        elbow=30.0 + 6.0 * wave(lead, 0.2 + 0.05 * way),
        palm=-20.0,
        wrist=3.0 - 4.0 * wave(lead, 0.3),
        shrug=-1.0 + 1.0 * wave(lead, 0.2),
    )
