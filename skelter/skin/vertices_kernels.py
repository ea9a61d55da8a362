"""Kernels of `skelter.skin.vertices`."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skelter.core.arrays import AFFINE, LANE_COUNT
from skelter.core.kernel import kernel, kernel_part
from skelter.core.vector_kernels import (
    add_four,
    add_four_lanes,
    blend_four,
    blend_four_lanes,
    blend_one,
    blend_one_lanes,
    blend_two,
    blend_two_lanes,
    next_chunk,
    scatter_vectors,
    transpose_four,
)

MATRICES = 0
"""Blended matrices of 16 vertices in lanes, ``[element 12][lane 16]``, in the scratch buffer."""
VERTEX_LANES = 6 * LANE_COUNT
"""Floats of 16 vertices: x, y, z of positions and of normals."""
MOVED = MATRICES + AFFINE * LANE_COUNT
"""16 results."""
ROWS = MOVED + VERTEX_LANES
"""Blended matrices of 16 vertices one after the other."""
SCRATCH_SIZE = ROWS + AFFINE * LANE_COUNT


class TileArrays(NamedTuple):
    """Vertices in tiles of 16, those with the same joints next to each other.

    Attributes:
        vert: uint32 ``[tile * 16]``: vertex of each lane; the last tile repeats its last vertex.
        same: uint8 ``[tile]``: 1 if all vertices of a tile have the same joints.
        used: int32 ``[tile]``: influences that its vertices use: 1, 2 or a multiple of 4.
        joints: int32 ``[tile * 16, influence]``: offsets of matrices, ascending; unused ones are the first.
        weights: float32 ``[tile * 16, influence]``.
        lane_weights: float32 ``[tile, influence * 16]``: the same in lanes.
    """

    vert: np.ndarray
    same: np.ndarray
    used: np.ndarray
    joints: np.ndarray
    weights: np.ndarray
    lane_weights: np.ndarray


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
def gather_kernel(vert, positions, normals, out_vertices):
    """Copy vertices into the lanes of tiles.

    Args:
        vert: uint32 ``[tile * 16]``.
        positions: float32 ``[vert, 3]``.
        normals: float32 ``[vert, 3]``.
        out_vertices: float32 ``[tile, 96]``: x, y, z of positions, then of normals, in lanes; written whole.
    """
    for tile in range(len(out_vertices)):
        for lane in range(LANE_COUNT):
            index = vert[tile * LANE_COUNT + lane]
            for axis in range(3):
                out_vertices[tile, axis * LANE_COUNT + lane] = positions[index, axis]
                out_vertices[tile, (3 + axis) * LANE_COUNT + lane] = normals[index, axis]


@kernel
def skin_kernel(tiles, work, matrices, vertices, scratch, out_positions, out_normals):
    """Skin the vertices of characters: linear blend.

    Normals are turned by the cofactor matrix of the blended matrix times the sign of its determinant (its inverse
    transpose up to length, finite when a scale is 0) and normalised; one without direction stays zero.

    Args:
        tiles: `TileArrays`.
        work: `skelter.core.vector_kernels.Work`, whose chunks are of characters.
        matrices: float32 ``[char, palette * 12]``.
        vertices: float32 ``[tile, 96]``, from `gather_kernel`.
        scratch: float32 ``[SCRATCH_SIZE]``.
        out_positions: float32 ``[char, vert * 3]``, written whole.
        out_normals: float32 ``[char, vert * 3]``, written whole.
    """
    width = tiles.joints.shape[1]
    joints, weights, lane_weights = tiles.joints.reshape(-1), tiles.weights.reshape(-1), tiles.lane_weights.reshape(-1)
    while True:
        begin = work.start + next_chunk(work.counter) * work.chunk
        if begin >= work.stop:
            return
        for char in range(begin, min(begin + work.chunk, work.stop)):
            for tile in range(len(tiles.same)):
                at, count = tile * LANE_COUNT * width, np.int64(tiles.used[tile])
                if tiles.same[tile]:
                    blend_same(joints, lane_weights, at, count, matrices[char], scratch)
                else:
                    blend_each(joints, weights, at, width, count, matrices[char], scratch)
                transform(vertices[tile], scratch)
                scatter_vectors(scratch, MOVED, tiles.vert, tile * LANE_COUNT, out_positions[char])
                scatter_vectors(scratch, MOVED + 3 * LANE_COUNT, tiles.vert, tile * LANE_COUNT, out_normals[char])


@kernel_part
def blend_same(joints, weights, at, count, matrices, out):
    """Blend the matrices of 16 vertices with the same joints."""
    if count == 1:
        blend_one_lanes(matrices, joints, at, weights, at, out, MATRICES)
    elif count == 2:
        blend_two_lanes(matrices, joints, at, weights, at, out, MATRICES)
    else:
        blend_four_lanes(matrices, joints, at, weights, at, out, MATRICES)
        for more in range(4, count, 4):
            add_four_lanes(matrices, joints, at + more, weights, at + more * LANE_COUNT, out, MATRICES)


@kernel_part
def blend_each(joints, weights, at, width, count, matrices, out):
    """Blend the matrices of 16 vertices one by one, and turn them into lanes."""
    for lane in range(LANE_COUNT):
        place, row = at + lane * width, ROWS + lane * AFFINE
        if count == 1:
            blend_one(matrices, joints, weights, place, out, row)
        elif count == 2:
            blend_two(matrices, joints, weights, place, out, row)
        else:
            blend_four(matrices, joints, weights, place, out, row)
            for more in range(4, count, 4):
                add_four(matrices, joints, weights, place + more, out, row)
    for lane in range(0, LANE_COUNT, 4):
        for element in range(0, AFFINE, 4):
            transpose_four(out, ROWS + lane * AFFINE + element, AFFINE, out, element * LANE_COUNT + lane, LANE_COUNT)


@kernel_part
def transform(vertices, lanes):
    """Move 16 positions, and turn 16 normals by ``sign(det(m)) * cofactor(m)``; unit length, or zero."""
    one, none = np.float32(1.0), np.float32(0.0)
    for lane in range(LANE_COUNT):
        m0, m1, m2, m3 = lanes[lane], lanes[16 + lane], lanes[32 + lane], lanes[48 + lane]
        m4, m5, m6, m7 = lanes[64 + lane], lanes[80 + lane], lanes[96 + lane], lanes[112 + lane]
        m8, m9, m10, m11 = lanes[128 + lane], lanes[144 + lane], lanes[160 + lane], lanes[176 + lane]
        x, y, z = vertices[lane], vertices[16 + lane], vertices[32 + lane]
        lanes[MOVED + lane] = m0 * x + m1 * y + m2 * z + m3
        lanes[MOVED + 16 + lane] = m4 * x + m5 * y + m6 * z + m7
        lanes[MOVED + 32 + lane] = m8 * x + m9 * y + m10 * z + m11
        x, y, z = vertices[48 + lane], vertices[64 + lane], vertices[80 + lane]
        c0, c1, c2 = m5 * m10 - m6 * m9, m6 * m8 - m4 * m10, m4 * m9 - m5 * m8
        nx = c0 * x + c1 * y + c2 * z
        ny = (m9 * m2 - m10 * m1) * x + (m10 * m0 - m8 * m2) * y + (m8 * m1 - m9 * m0) * z
        nz = (m1 * m6 - m2 * m5) * x + (m2 * m4 - m0 * m6) * y + (m0 * m5 - m1 * m4) * z
        square = nx * nx + ny * ny + nz * nz
        scale = one / np.sqrt(square if square > none else one)
        scale = -scale if m0 * c0 + m1 * c1 + m2 * c2 < none else scale
        lanes[MOVED + 48 + lane] = nx * scale
        lanes[MOVED + 64 + lane] = ny * scale
        lanes[MOVED + 80 + lane] = nz * scale
