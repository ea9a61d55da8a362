"""Normals of the mannequin's vertices, and the light that reaches them."""

from __future__ import annotations

import numpy as np

from skelter.assets.mannequin.surfaces import Surface


def vertex_normals(surface: Surface) -> np.ndarray:
    """Return unit normals: the sum of the triangles' normals, weighted by area, at each vertex."""
    first, second, third = (surface.points[surface.triangles[:, corner]] for corner in range(3))
    facing = np.cross(second - first, third - first)
    normals = np.zeros_like(surface.points)
    for axis in range(3):
        weight = np.repeat(facing[:, axis], 3)
        normals[:, axis] = np.bincount(surface.triangles.ravel(), weight, len(normals))
    return normals / np.linalg.norm(normals, axis=-1, keepdims=True)
