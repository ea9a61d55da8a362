"""All parts of the body at one level of detail."""

from __future__ import annotations

from skelter.assets.mannequin.foot import foot
from skelter.assets.mannequin.hand import hand
from skelter.assets.mannequin.limbs import arm, leg
from skelter.assets.mannequin.part import Detail, Part
from skelter.assets.mannequin.skeleton import from_hanging
from skelter.assets.mannequin.torso import torso

DETAILS = (
    Detail(1.0, lips=True, ornaments=True, fingers=True),
    Detail(0.37, lips=False, ornaments=True, fingers=True),
    Detail(0.22, lips=False, ornaments=False, fingers=False),
)
"""The levels of detail, from the finest: about 6,000, 1,200 and 540 vertices."""


def body(detail: Detail) -> list[Part]:
    """Return the parts of the whole body in the rest pose."""
    arms = [part.moved(from_hanging(part.surface.points)) for part in (*arm(detail), *hand(detail))]
    left = [*arms, *leg(detail), *foot(detail)]
    return [*torso(detail), *left, *(part.mirrored() for part in left)]
