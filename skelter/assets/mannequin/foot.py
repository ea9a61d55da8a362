"""Feet: a shoe on a sole with a crisp edge."""

from __future__ import annotations

import numpy as np

from skelter.assets.mannequin import anatomy
from skelter.assets.mannequin.part import ACCENT, JOINTS, Detail, Part
from skelter.assets.mannequin.skeleton import skeleton
from skelter.assets.mannequin.surfaces import Surface, slab, star
from skelter.assets.mannequin.weights import chain_weights

SHOE_CENTER = (0.101, 0.045, 0.050)
SOLE_HEIGHT = 0.022


def foot(detail: Detail) -> list[Part]:
    """Return the left foot."""
    shoe = star(anatomy.SHOE, SHOE_CENTER, detail.count(6, 2), (0.5, 0.5, 1.2))
    parts = [Part(shoe, ACCENT, _weights(shoe))]
    if detail.scale > 0.3:
        sole = slab(anatomy.SOLE, (SHOE_CENTER[0], 0.0, SHOE_CENTER[2]), detail.count(22, 8), SOLE_HEIGHT, 0.38)
        parts.append(Part(sole, JOINTS, _weights(sole)))
    return parts


def _weights(surface: Surface) -> np.ndarray:
    """Return the weights of foot and toes, by the way forward."""
    ball = skeleton().at("LeftToes")[2]
    return chain_weights(surface.points[:, 2], "LeftFoot", [("LeftToes", ball, 0.045)])
