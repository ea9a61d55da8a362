"""Skinned vertices: morph targets, then linear blend skinning."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from skelter.core.arrays import SkinMatrices, Vertices
from skelter.core.checks import as_array
from skelter.core.workers import default_workers
from skelter.rig.rig import Rig, RigMesh, check_is_rig
from skelter.skin.tiles import MeshTiles, mesh_tiles, tile_vertices

if TYPE_CHECKING:
    from skelter.core.vector_kernels import Work

ALONE = 20_000
"""Up to this many vertices are skinned by the caller: waking another thread would take as long."""


def skin_vertices(
    rig: Rig, matrices: SkinMatrices, morph_weights: ArrayLike | None = None
) -> tuple[Vertices, Vertices]:
    """Move the vertices of a rig with skinning matrices.

    ``sum_k weight_k * matrices[joint_k] @ (position + sum_m morph_m * delta_m)``, any number of influences.

    Args:
        rig: The rig.
        matrices: float32 ``[char, palette, 3, 4]`` [m], as `skelter.skinning_matrices` returns them.
        morph_weights: float32 ``[char, morph]`` as `skelter.sample_morphs` returns them; None for the default weights.

    Returns:
        ``(positions, normals)``, float32 ``[char, vert, 3]`` each: model space [m], and unit vectors.

    Raises:
        ArgumentError: A shape does not fit the rig.
    """
    check_is_rig(rig)
    palette = as_array(matrices, np.float32, (None, len(rig.palette.joint), 3, 4), "matrices")
    count = len(palette)
    morphs = len(rig.mesh.morph_names)
    if morph_weights is None:
        morph_weights = np.broadcast_to(rig.mesh.morph_rest, (count, morphs))
    weights = as_array(morph_weights, np.float32, (count, morphs), "morph_weights")
    vertices = len(rig.mesh.positions)
    positions, normals = np.empty((2, count, vertices * 3), np.float32)
    _skin_all(rig.mesh, palette.reshape(count, len(rig.palette.joint) * 12), weights, positions, normals)
    return positions.reshape(count, vertices, 3), normals.reshape(count, vertices, 3)


def _skin_all(
    mesh: RigMesh, palette: np.ndarray, weights: np.ndarray, out_positions: np.ndarray, out_normals: np.ndarray
) -> None:
    from skelter.skin.vertices_kernels import morph_kernel

    made = mesh_tiles(mesh)
    if not len(mesh.morph_names):
        _skin(made, palette, (0, len(palette)), out_positions, out_normals)
        return
    positions, normals = np.empty_like(mesh.positions), np.empty_like(mesh.normals)
    for char in range(len(palette)):
        targets = (weights[char], mesh.morph_start, mesh.morph_vert)
        morph_kernel(*targets, mesh.morph_position, mesh.positions, positions)
        morph_kernel(*targets, mesh.morph_normal, mesh.normals, normals)
        morphed = made._replace(vertices=tile_vertices(made.tiles, positions, normals))
        _skin(morphed, palette, (char, char + 1), out_positions, out_normals)


def _skin(
    made: MeshTiles,
    palette: np.ndarray,
    chars: tuple[int, int],
    out_positions: np.ndarray,
    out_normals: np.ndarray,
) -> None:
    """Skin some characters, each by one thread."""
    from skelter.skin.vertices_kernels import SCRATCH_SIZE, skin_kernel

    def call(work: Work, _thread: int) -> None:
        scratch = np.empty(SCRATCH_SIZE, np.float32)
        skin_kernel(made.tiles, work, palette, made.vertices, scratch, out_positions, out_normals)

    start, stop = chars
    alone = ALONE // max(len(made.tiles.vert), 1)
    default_workers().share(stop - start, call, start=start, chunk=1, alone=alone)
