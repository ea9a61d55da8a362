"""Skinned vertices: morph targets, then linear blend skinning."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from skelter.core.arrays import SkinMatrices, Vertices
from skelter.core.checks import as_array, read_only
from skelter.rig.rig import Rig, RigMesh, check_is_rig


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
    positions = np.empty((count, *rig.mesh.positions.shape), np.float32)
    normals = np.empty_like(positions)
    _skin_all(rig.mesh, palette.reshape(count, len(rig.palette.joint) * 12), weights, positions, normals)
    return positions, normals


def _skin_all(
    mesh: RigMesh, palette: np.ndarray, weights: np.ndarray, out_positions: np.ndarray, out_normals: np.ndarray
) -> None:
    from skelter.skin.vertices_kernels import morph_kernel, skin_kernel

    moved_positions, moved_normals = np.empty_like(mesh.positions), np.empty_like(mesh.normals)
    base_positions, base_normals = mesh.positions, mesh.normals
    if len(mesh.morph_names):
        base_positions, base_normals = read_only(moved_positions), read_only(moved_normals)
    for char in range(len(palette)):
        if len(mesh.morph_names):
            targets = (weights[char], mesh.morph_start, mesh.morph_vert)
            morph_kernel(*targets, mesh.morph_position, mesh.positions, moved_positions)
            morph_kernel(*targets, mesh.morph_normal, mesh.normals, moved_normals)
        vertices = (mesh.joints, mesh.weights, base_positions, base_normals)
        skin_kernel(palette[char], *vertices, out_positions[char], out_normals[char])
