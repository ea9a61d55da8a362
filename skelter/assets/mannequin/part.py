"""Body parts: a surface of one material with its weights, and the banded tubes that limbs are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from skelter.assets.mannequin.field import Field
from skelter.assets.mannequin.surfaces import Axis, Surface, mirrored, tube
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
        small: Ornaments and the lips of the shells are there.
    """

    scale: float
    small: bool

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
    """A stretch of a limb, from the end of the band before it.

    Attributes:
        material: Name of the material. Dark bands lie on the field, all others `LIFT` above it.
        end: End of the band along the axis [m].
        rings: Quads along the band at the finest level of detail.
    """

    material: str
    end: float
    rings: int

    @property
    def lift(self) -> float:
        """Return the height above the field [m]."""
        return 0.0 if self.material == JOINTS else LIFT


def banded_tube(
    field: Field, axis: Axis, start: float, bands: Sequence[Band], sides: int, detail: Detail
) -> list[tuple[Surface, str]]:
    """Wrap a limb of several bands onto a field; the first and last bands are closed by domes.

    Args:
        field: The shape.
        axis: The middle line.
        start: Start of the first band along the axis [m].
        bands: The bands, in order.
        sides: Vertices of a ring.
        detail: The level of detail.
    """
    edges = [start, *(band.end for band in bands)]
    surfaces = []
    for index, band in enumerate(bands):
        rings = np.linspace(edges[index], edges[index + 1], detail.count(band.rings, 1) + 1)
        lift = np.full(len(rings), band.lift)
        first, last = index == 0, index == len(bands) - 1
        if band.lift == 0.0 and not first:
            rings, lift = _with_lip(rings, lift, detail)
        if band.lift == 0.0 and not last:
            backward, lift = _with_lip(-rings[::-1], lift[::-1], detail)
            rings, lift = -backward[::-1], lift[::-1]
        surfaces.append((tube(field, axis, rings, sides, lift, (first, last)), band.material))
    return surfaces


def _with_lip(rings: np.ndarray, lift: np.ndarray, detail: Detail) -> tuple[np.ndarray, np.ndarray]:
    """Let a dark band rise to the shell at its start."""
    if not detail.small:
        return rings, np.concatenate([[LIFT], lift[1:]])
    inner = np.concatenate([[rings[0], rings[0] + LIP], rings[1:]])
    return inner, np.concatenate([[LIFT], lift])
