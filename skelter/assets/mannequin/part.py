"""Body parts: a surface of one material with its weights, and the banded tubes that limbs are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from skelter.assets.mannequin.field import Field
from skelter.assets.mannequin.surfaces import Axis, Surface, column_angles, mirrored, tube
from skelter.assets.mannequin.weights import mirrored_weights

SHELL, JOINTS, ACCENT = "shell", "joints", "accent"
"""Names of the materials."""

LIFT = 0.004
"""Height of the shells above the dark body [m]."""

LIP = 0.003
"""Length of the dark slope at the edge of a shell [m]."""


@dataclass(frozen=True, slots=True)
class Detail:
    """A level of detail.

    Attributes:
        scale: Factor on the number of quads in each direction.
        lips: Dark slopes join the shells to the body below.
        ornaments: The discs over the ears and the soles are there.
        fingers: The fingers are separate; without it the hand is a mitten.
    """

    scale: float
    lips: bool
    ornaments: bool
    fingers: bool

    def count(self, full: int, least: int) -> int:
        """Return the number of quads of this level for ``full`` quads at the finest, at least ``least``."""
        return max(least, round(full * self.scale))


@dataclass(frozen=True, slots=True)
class Part:
    """A surface of one material with its weights.

    Attributes:
        surface: Vertices and triangles, model space.
        material: Name of the material.
        weights: float64 ``[vert, joint]``, each row sums to 1.
    """

    surface: Surface
    material: str
    weights: np.ndarray

    def mirrored(self) -> Part:
        """Return the same part of the right side."""
        return Part(mirrored(self.surface), self.material, mirrored_weights(self.weights))

    def moved(self, points: np.ndarray) -> Part:
        """Return the part with its vertices elsewhere."""
        return Part(Surface(points, self.surface.triangles, self.surface.station), self.material, self.weights)


@dataclass(frozen=True, slots=True)
class Band:
    """A stretch of a tube, from the end of the band before it.

    Attributes:
        material: Name of the material. Dark bands lie on the field, all others `LIFT` above it.
        end: End of the band along the axis [m].
        quads: Quads along the band at the finest level of detail.
        arch: The end is no straight ring but ``end + arch[0] cos(a) + arch[1] sin(a) + arch[2] cos(2 a)`` at a
            column's angle a [m].
    """

    material: str
    end: float
    quads: int
    arch: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @property
    def lift(self) -> float:
        """Return the height above the field [m]."""
        return 0.0 if self.material == JOINTS else LIFT

    def edge(self, sides: int) -> np.ndarray:
        """Return the end of the band at each column, float64 ``[side]`` [m]."""
        angle = column_angles(sides)
        waves = np.stack([np.cos(angle), np.sin(angle), np.cos(2.0 * angle)])
        return np.asarray(self.end + np.array(self.arch) @ waves)


def banded_tube(
    field: Field, axis: Axis, bands: Sequence[Band], sides: int, dome: int, detail: Detail
) -> list[tuple[Surface, str]]:
    """Wrap a tube of several materials onto a field, closed by a dome at either end.

    Args:
        field: The shape.
        axis: The middle line; the first band starts where it starts.
        bands: The bands, in order.
        sides: Columns at the finest level of detail; an even number at all, so that both sides are alike.
        dome: Rings of a dome at the finest level of detail.
        detail: The level of detail.
    """
    sides, dome = 2 * detail.count(sides // 2, 2), detail.count(dome, 1)
    start = np.zeros(sides)
    surfaces = []
    for index, band in enumerate(bands):
        first, last = index == 0, index == len(bands) - 1
        end = band.edge(sides)
        part = np.linspace(0.0, 1.0, detail.count(band.quads, 1) + 1)[:, None]
        rings, lift = _with_lips(start + part * (end - start), band.lift, (not first, not last), detail)
        domes = (dome if first else 0, dome if last else 0)
        surfaces.append((tube(field, axis, rings, lift, domes), band.material))
        start = end
    return surfaces


def _with_lips(
    rings: np.ndarray, lift: float, ends: tuple[bool, bool], detail: Detail
) -> tuple[np.ndarray, np.ndarray]:
    """Return rings and their lifts, of which the ends of a dark band rise to the shells beside it."""
    lifts = np.full(len(rings), lift)
    if lift > 0.0:
        return rings, lifts
    for end, step in ((0, LIP), (-1, -LIP)):
        if ends[end] and detail.lips:
            edge = rings[end].copy()
            rings[end] += step
            place = 0 if end == 0 else len(rings)
            rings, lifts = np.insert(rings, place, edge, axis=0), np.insert(lifts, place, LIFT)
        elif ends[end]:
            lifts[end] = LIFT
    return rings, lifts
