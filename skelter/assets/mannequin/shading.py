"""Normals of the mannequin's vertices, and how much of the sky they see."""

from __future__ import annotations

import numpy as np

from skelter.assets.mannequin import anatomy
from skelter.assets.mannequin.skeleton import to_hanging
from skelter.assets.mannequin.surfaces import Surface

PROBES = ((0.012, 0.30), (0.035, 0.35), (0.090, 0.35))
"""Heights above the surface at which free space is measured [m], and their weights."""

DARKEST = 0.35
"""Openness of a vertex that sees nothing."""


def vertex_normals(surface: Surface) -> np.ndarray:
    """Return unit normals: the sum of the triangles' normals, weighted by area, at each vertex."""
    first, second, third = (surface.points[surface.triangles[:, corner]] for corner in range(3))
    facing = np.cross(second - first, third - first)
    normals = np.zeros_like(surface.points)
    for axis in range(3):
        weight = np.repeat(facing[:, axis], 3)
        normals[:, axis] = np.bincount(surface.triangles.ravel(), weight, len(normals))
    return np.asarray(normals / np.linalg.norm(normals, axis=-1, keepdims=True))


def openness(points: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """Return the ambient light at vertices of the rest pose, float64 ``[vert]`` in [`DARKEST`, 1].

    ``1 - sum(w (1 - d(p + h n) / h))`` over the probes: in the open the distance at height h is h.

    Args:
        points: Model space [m], float64 ``[vert, 3]``.
        normals: Unit normals, float64 ``[vert, 3]``.
    """
    hidden = np.zeros(len(points))
    for height, weight in PROBES:
        free = _body_distance(points + height * normals)
        hidden += weight * np.clip(1.0 - free / height, 0.0, 1.0)
    return np.asarray(1.0 - (1.0 - DARKEST) * hidden)


def _body_distance(points: np.ndarray) -> np.ndarray:
    """Return the distance to the resting body."""
    points = np.concatenate([np.abs(points[:, :1]), points[:, 1:]], axis=-1)
    hanging = to_hanging(points)
    here = [field.distance(points) for field in (anatomy.TORSO, anatomy.NECK, anatomy.HEAD, anatomy.LEG, anatomy.SHOE)]
    arm = [field.distance(hanging) for field in (anatomy.ARM, anatomy.PALM, anatomy.MITTEN)]
    return np.asarray(np.minimum.reduce([*here, *arm]))
