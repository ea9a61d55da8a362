"""Kernels of `skelter.skin.vertices`."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from skelter.core.arrays import AFFINE
from skelter.core.kernel import kernel


@kernel
def morph_kernel(weights, morph_start, morph_vert, deltas, base, out_vectors):
    """Write ``base + sum_m weights[m] * deltas[m]`` for one character.

    Args:
        weights: float32 ``[morph]``.
        morph_start: int32 ``[morph + 1]``.
        morph_vert: int32 ``[delta]``.
        deltas: float32 ``[delta, 3]``.
        base: float32 ``[vert, 3]``.
        out_vectors: float32 ``[vert, 3]``, written whole.
    """
    for vert in range(len(base)):
        for axis in range(3):
            out_vectors[vert, axis] = base[vert, axis]
    for morph in range(len(weights)):
        weight = weights[morph]
        if weight != np.float32(0.0):
            for delta in range(morph_start[morph], morph_start[morph + 1]):
                vert = morph_vert[delta]
                for axis in range(3):
                    out_vectors[vert, axis] += weight * deltas[delta, axis]


@kernel
def skin_kernel(matrices, joints, weights, positions, normals, out_positions, out_normals):
    """Skin the vertices of one character: linear blend, heaviest influence first, until one has no weight.

    Normals are turned by the cofactor matrix of the blended matrix times the sign of its determinant (its inverse
    transpose up to length, finite when a scale is 0) and normalised; one without direction stays zero.

    Args:
        matrices: float32 ``[palette * 12]``.
        joints: int32 ``[vert, influence]``.
        weights: float32 ``[vert, influence]``, descending.
        positions: float32 ``[vert, 3]``.
        normals: float32 ``[vert, 3]``.
        out_positions: float32 ``[vert, 3]``, written whole.
        out_normals: float32 ``[vert, 3]``, written whole.
    """
    influence_count = joints.shape[1]
    for vert in range(len(positions)):
        m = blend(matrices, joints[vert, 0] * AFFINE, weights[vert, 0])
        for influence in range(1, influence_count):
            weight = weights[vert, influence]
            if weight == np.float32(0.0):
                break
            m = add_blend(m, matrices, joints[vert, influence] * AFFINE, weight)
        x, y, z = positions[vert, 0], positions[vert, 1], positions[vert, 2]
        out_positions[vert, 0] = m[0] * x + m[1] * y + m[2] * z + m[3]
        out_positions[vert, 1] = m[4] * x + m[5] * y + m[6] * z + m[7]
        out_positions[vert, 2] = m[8] * x + m[9] * y + m[10] * z + m[11]
        turn_normal(m, normals[vert, 0], normals[vert, 1], normals[vert, 2], out_normals[vert])


@kernel
def blend(matrices, offset, weight):
    """Return ``weight * matrix`` as 12 scalars."""
    return (
        weight * matrices[offset],
        weight * matrices[offset + 1],
        weight * matrices[offset + 2],
        weight * matrices[offset + 3],
        weight * matrices[offset + 4],
        weight * matrices[offset + 5],
        weight * matrices[offset + 6],
        weight * matrices[offset + 7],
        weight * matrices[offset + 8],
        weight * matrices[offset + 9],
        weight * matrices[offset + 10],
        weight * matrices[offset + 11],
    )


@kernel
def add_blend(m, matrices, offset, weight):
    """Return ``m + weight * matrix`` as 12 scalars."""
    return (
        m[0] + weight * matrices[offset],
        m[1] + weight * matrices[offset + 1],
        m[2] + weight * matrices[offset + 2],
        m[3] + weight * matrices[offset + 3],
        m[4] + weight * matrices[offset + 4],
        m[5] + weight * matrices[offset + 5],
        m[6] + weight * matrices[offset + 6],
        m[7] + weight * matrices[offset + 7],
        m[8] + weight * matrices[offset + 8],
        m[9] + weight * matrices[offset + 9],
        m[10] + weight * matrices[offset + 10],
        m[11] + weight * matrices[offset + 11],
    )


@kernel
def turn_normal(m, x, y, z, out):
    """Write the unit normal ``sign(det(m)) * cofactor(m) @ (x, y, z)``."""
    c0, c1, c2 = m[5] * m[10] - m[6] * m[9], m[6] * m[8] - m[4] * m[10], m[4] * m[9] - m[5] * m[8]
    nx = c0 * x + c1 * y + c2 * z
    ny = (m[9] * m[2] - m[10] * m[1]) * x + (m[10] * m[0] - m[8] * m[2]) * y + (m[8] * m[1] - m[9] * m[0]) * z
    nz = (m[1] * m[6] - m[2] * m[5]) * x + (m[2] * m[4] - m[0] * m[6]) * y + (m[0] * m[5] - m[1] * m[4]) * z
    square = nx * nx + ny * ny + nz * nz
    scale = np.float32(0.0)
    if square > np.float32(0.0):
        scale = np.float32(1.0) / np.sqrt(square)
    if m[0] * c0 + m[1] * c1 + m[2] * c2 < np.float32(0.0):
        scale = -scale
    out[0] = nx * scale
    out[1] = ny * scale
    out[2] = nz * scale
