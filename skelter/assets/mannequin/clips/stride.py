"""Strides: the ways of the feet over a ground that moves at a fixed speed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from skelter.assets.character import ClipEvent
from skelter.assets.mannequin.clips.curves import smooth, spline
from skelter.assets.mannequin.clips.legs import Foot
from skelter.assets.mannequin.clips.motion import Motion
from skelter.assets.mannequin.rotation import Y, about, rotate
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
        touch: Distance of the heel ahead of its mean, along the way, when it touches [m].
        width: Distance of the feet from the middle [m].
        toe_out: Turn of the feet outwards [deg].
        strike: Pitch of the foot at touch-down [deg].
        flat: Phases at which the sole is flat, from and to.
        push: Pitch of the foot at toe-off [deg].
        swing: Knots of the swinging foot: part of the swing, height and way of the ankle [m], pitch [deg].
        direction: Direction of the way, seen from the pelvis; positive turns from the front to the left (+x) [deg].
        ahead: Distance of the feet ahead of the hips, beside what `touch` gives [m].
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
    direction: float = 0.0
    ahead: float = 0.0

    def slowed(self, speed: float) -> Gait:
        """Return the same gait at another speed: with the same rhythm, and steps that are shorter in proportion."""
        ratio = speed / self.speed
        stand = skeleton().at("LeftFoot")[1]
        swing = [(part, stand + ratio * (y - stand), ratio * way, ratio * pitch) for part, y, way, pitch in self.swing]
        sizes = {name: ratio * getattr(self, name) for name in ("touch", "strike", "push")}
        return replace(self, speed=speed, swing=tuple(swing), **sizes)


def stride(motion: Motion, gait: Gait, phase: Fractions, heading: float = 0.0) -> None:
    """Set both legs, half a cycle apart: the left foot touches the ground at phase 0. Set the hips first.

    Args:
        motion: Whose legs are set.
        gait: How they go.
        phase: float64 ``[frame]``.
        heading: Turn of the whole gait to the left [deg]; the pelvis should be turned by as much.
    """
    for side, sign, lag in (("Left", 1, 0.0), ("Right", -1, 0.5)):
        motion.place_foot(side, _foot(gait, (phase - lag) % 1.0, sign, heading))


def steps(gait: Gait) -> list[ClipEvent]:
    """Return the moments at which the feet of `stride` touch the ground, as events ``step``."""
    return [ClipEvent(0.0, "step", {"foot": "left"}), ClipEvent(0.5 * gait.duration, "step", {"foot": "right"})]


def _foot(gait: Gait, phase: Fractions, sign: int, heading: float) -> Foot:
    """Return the way of one foot: rolling from heel to toes on the ground, then swinging ahead."""
    gait = replace(gait, direction=sign * gait.direction)  # as the left foot sees it; the right one is mirrored
    across, y, way, pitch, toes = np.where(phase < gait.duty, _stance(gait, phase), _swing(gait, phase))
    cos, sin = np.cos(np.deg2rad(gait.direction)), np.sin(np.deg2rad(gait.direction))
    way = way + sin * gait.width + cos * gait.ahead
    x, z = cos * across + sin * way, cos * way - sin * across
    ankle = rotate(about(Y, heading), np.stack([sign * x, y, z], axis=-1))
    turn = sign * gait.toe_out
    return Foot(ankle, pitch, toes, heading + turn, knee=heading + 0.6 * turn)


def _stance(gait: Gait, phase: Fractions) -> np.ndarray:
    """Return the left foot on the ground, float64 ``[5, frame]``.

    The rows are the ankle's place across the way, from the middle to the left, its height, its place along the way,
    from the mean of the heel [m], pitch and toes [deg].
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
    direction = np.deg2rad(gait.direction)
    out = np.deg2rad(gait.toe_out) - direction
    middle = gait.width * np.cos(direction) - gait.ahead * np.sin(direction)
    across = middle + np.sin(out) * (along - (ankle - HEEL)[1])
    way = gait.touch - gait.speed * gait.duration * phase + np.cos(out) * along
    return np.stack([across, y, way, pitch, np.maximum(pitch, 0.0)])


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
