"""Distance fields: the shape of the body as soft unions of tapered capsules and ellipsoids.

A field is negative inside, positive outside, and roughly a distance [m] near its surface.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from skelter.core.arrays import Fractions, Vec3


@dataclass(frozen=True, slots=True)
class Capsule:
    """A capsule whose radius changes along its segment, with an elliptic section.

    Attributes:
        start, end: End points [m].
        radii: Radius at the start and at the end [m].
        section: Factors on the radius along x, y and z.
        blend: Width of the soft union with the shapes before this one [m].
    """

    start: Sequence[float] | np.ndarray
    end: Sequence[float] | np.ndarray
    radii: tuple[float, float]
    section: tuple[float, float, float] = (1.0, 1.0, 1.0)
    blend: float = 0.03

    def distance(self, points: Vec3) -> Fractions:
        """Return ``|p - c| - r(c)`` with c the nearest point of the segment, measured in the section's metric."""
        offset = points - np.asarray(self.start)
        bone = np.asarray(self.end) - np.asarray(self.start)
        along = np.clip(offset @ bone / (bone @ bone), 0.0, 1.0)
        offset = (offset - along[..., None] * bone) / self.section
        radius = self.radii[0] + (self.radii[1] - self.radii[0]) * along
        distance: np.ndarray = np.sqrt(np.einsum("...i,...i->...", offset, offset)) - radius
        return distance


@dataclass(frozen=True, slots=True)
class Ellipsoid:
    """An ellipsoid along the axes, tilted about x.

    Attributes:
        center: Centre [m].
        radii: Half axes [m].
        tilt: Rotation about x [deg]; positive leans its top forward.
        blend: Width of the soft union with the shapes before this one [m].
    """

    center: Sequence[float]
    radii: Sequence[float]
    tilt: float = 0.0
    blend: float = 0.03

    def distance(self, points: Vec3) -> Fractions:
        """Return ``k (k - 1) / |grad k|`` with ``k = |p / r|``: exact at the surface, a good distance near it."""
        cos, sin = np.cos(np.deg2rad(self.tilt)), np.sin(np.deg2rad(self.tilt))
        axes = np.array([[1.0, 0.0, 0.0], [0.0, cos, -sin], [0.0, sin, cos]])
        scaled = (points - np.asarray(self.center)) @ axes / self.radii
        level = np.sqrt(np.einsum("...i,...i->...", scaled, scaled))
        scaled = scaled / self.radii
        slope = np.sqrt(np.einsum("...i,...i->...", scaled, scaled))
        distance: np.ndarray = level * (level - 1.0) / np.maximum(slope, 1e-9)
        return distance


@dataclass(frozen=True, slots=True)
class Field:
    """A soft union of shapes.

    Attributes:
        shapes: The shapes, in the order of the union.
        symmetric: The shapes are those of the left side (+x), and the right side is their mirror image.
    """

    shapes: Sequence[Capsule | Ellipsoid]
    symmetric: bool = False

    def distance(self, points: Vec3) -> Fractions:
        """Return the distance to the union.

        ``min(a, b) - max(k - |a - b|, 0)^2 / (4 k)``: a quadratic soft minimum of width k, shape after shape.

        Args:
            points: float64 ``[..., 3]`` [m].
        """
        if self.symmetric:
            points = np.concatenate([np.abs(points[..., :1]), points[..., 1:]], axis=-1)
        result = self.shapes[0].distance(points)
        for shape in self.shapes[1:]:
            other = shape.distance(points)
            overlap = np.maximum(shape.blend - np.abs(result - other), 0.0)
            result = np.minimum(result, other) - overlap * overlap / (4.0 * shape.blend)
        return result


def cast_rays(field: Field, origins: Vec3, directions: Vec3, reach: float) -> Vec3:
    """Return the points where rays leave a shape, by bisection.

    Args:
        field: The shape; origins lie inside, and a ray crosses the surface once.
        origins: Starts of the rays [m], float64 ``[..., 3]``.
        directions: Unit directions, float64 ``[..., 3]``.
        reach: Length of the rays [m]. A ray that stays inside ends there.
    """
    near = np.zeros(np.broadcast_shapes(origins.shape, directions.shape)[:-1])
    far = np.full_like(near, reach)
    for _ in range(18):
        middle = 0.5 * (near + far)
        inside = field.distance(origins + directions * middle[..., None]) < 0.0
        near = np.where(inside, middle, near)
        far = np.where(inside, far, middle)
    return origins + directions * (0.5 * (near + far))[..., None]
