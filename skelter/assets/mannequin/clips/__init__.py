"""The clips of the mannequin, made by procedure: one file a kind of motion."""

from collections.abc import Callable
from math import cos, radians, sin

from skelter.assets.character import Clip
from skelter.assets.mannequin.clips.gait import RUN_SPEED as RUN_SPEED
from skelter.assets.mannequin.clips.gait import WALK_SPEED as WALK_SPEED
from skelter.assets.mannequin.clips.gait import run, walk
from skelter.assets.mannequin.clips.hit import hit_back, hit_front, hit_left, hit_right
from skelter.assets.mannequin.clips.idle import idle
from skelter.assets.mannequin.clips.jump import jump
from skelter.assets.mannequin.clips.look import look_around
from skelter.assets.mannequin.clips.strafe import (
    BACK_SLANT_SPEED,
    SLANT_SPEED,
    walk_back,
    walk_back_left,
    walk_back_right,
    walk_front_left,
    walk_front_right,
    walk_left,
    walk_right,
)
from skelter.assets.mannequin.clips.strafe import BACK_SPEED as BACK_SPEED
from skelter.assets.mannequin.clips.strafe import STRAFE_SPEED as STRAFE_SPEED
from skelter.assets.mannequin.clips.wave import wave

CLIPS: tuple[Callable[[], Clip], ...] = (
    idle,
    walk,
    run,
    jump,
    wave,
    walk_back,
    walk_left,
    walk_right,
    walk_front_left,
    walk_front_right,
    walk_back_left,
    walk_back_right,
    look_around,
    hit_front,
    hit_back,
    hit_left,
    hit_right,
)
"""The makers of all clips, in the order of the character's clips."""


def _velocity(speed: float, direction: float) -> tuple[float, float]:
    """Return x and z of a velocity [m/s] whose direction turns from the front to the left [deg]."""
    x, z = speed * sin(radians(direction)), speed * cos(radians(direction))
    return round(x, 9), round(z, 9)  # the sine of 180 degrees is not quite 0


VELOCITIES: dict[str, tuple[float, float]] = {
    "walk": _velocity(WALK_SPEED, 0.0),
    "run": _velocity(RUN_SPEED, 0.0),
    "walk_front_left": _velocity(SLANT_SPEED, 45.0),
    "walk_left": _velocity(STRAFE_SPEED, 90.0),
    "walk_back_left": _velocity(BACK_SLANT_SPEED, 135.0),
    "walk_back": _velocity(BACK_SPEED, 180.0),
    "walk_back_right": _velocity(BACK_SLANT_SPEED, -135.0),
    "walk_right": _velocity(STRAFE_SPEED, -90.0),
    "walk_front_right": _velocity(SLANT_SPEED, -45.0),
}
"""How a character has to travel so that its feet do not slide, per clip that goes somewhere: x and z [m/s]."""
