"""Feet: a shoe on a sole with a crisp edge."""

from __future__ import annotations

import numpy as np

from skelter.assets.mannequin import anatomy
from skelter.assets.mannequin.field import cast_rays
from skelter.assets.mannequin.part import ACCENT, JOINTS, Detail, Part
from skelter.assets.mannequin.skeleton import skeleton
from skelter.assets.mannequin.surfaces import REACH, Surface, column_angles, slab, star
from skelter.assets.mannequin.weights import chain_weights

SHOE_CENTER = np.array([0.101, 0.045, 0.050])
SOLE_HEIGHT = 0.020
SOLE_RIM = 0.004
"""How far the sole stands out from the shoe [m]."""


def foot(detail: Detail) -> list[Part]:
    """Return the left foot."""
    shoe = star(anatomy.SHOE, SHOE_CENTER, detail.count(7, 2), (0.5, 0.5, 1.2))
    shoe.points[:, 1] = np.maximum(shoe.points[:, 1], 0.25 * SOLE_HEIGHT)
    parts = [Part(shoe, ACCENT, _weights(shoe))]
    return [*parts, _sole(detail)] if detail.ornaments else parts


def _sole(detail: Detail) -> Part:
    """Return the sole: the outline of the shoe just above it, a little larger."""
    angle = column_angles(detail.count(24, 8))
    direction = np.stack([0.4 * np.sin(angle), np.zeros_like(angle), np.cos(angle)], axis=-1)
    direction /= np.linalg.norm(direction, axis=-1, keepdims=True)
    center = SHOE_CENTER * (1.0, 0.0, 1.0) + np.array((0.0, 1.1 * SOLE_HEIGHT, 0.0))
    outline = cast_rays(anatomy.SHOE, center, direction, REACH) + SOLE_RIM * direction
    sole = slab(outline, center, SOLE_HEIGHT)
    return Part(sole, JOINTS, _weights(sole))


def _weights(surface: Surface) -> np.ndarray:
    """Return the weights of foot and toes, by the way forward."""
    ball = skeleton().at("LeftToes")[2]
    return chain_weights(surface.points[:, 2], "LeftFoot", [("LeftToes", ball, 0.045)])
