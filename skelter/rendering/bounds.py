"""Boxes around skinned characters: cheap, a little too large, never too small by much."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float64

from skelter.core.arrays import MorphWeights
from skelter.rendering.scene import Batch
from skelter.rig.rig import RigMesh

Boxes = Float64[np.ndarray, "char corner=2 xyz=3"]


def world_boxes(batch: Batch, axes: np.ndarray | None = None) -> Boxes:
    """Return a world-space box around each character of a batch.

    A vertex belongs to the palette entry of its largest weight. The bind-space box of an entry, moved by the entry's
    matrix A, has the centre ``A c`` and the half size ``|A| e``; a character's box is the union over its entries.

    Args:
        batch: The characters.
        axes: Unit directions of the sides of the boxes, one per row, float64 ``[3, 3]``; None for those of the world.

    Returns:
        Lowest and highest corner along the axes [m], float64 ``[char, 2, 3]``; the origin of a character that has
        nothing to draw.
    """
    world = batch.placements().astype(np.float64)
    if axes is not None:
        world = axes @ world
    entry, center, extent = _entry_boxes(batch.rig.mesh, batch.morphs())
    if not len(entry):
        return np.repeat(world[:, None, :, 3], 2, axis=1)
    model = batch.skinning_matrices[:, entry].astype(np.float64)
    linear = world[:, None, :, :3] @ model[..., :3]
    offset = np.einsum("cij,cej->cei", world[:, :, :3], model[..., 3]) + world[:, None, :, 3]
    middle = np.einsum("ceij,ej->cei", linear, center) + offset
    half = np.einsum("ceij,ej->cei", np.abs(linear), extent)
    return np.stack([(middle - half).min(axis=1), (middle + half).max(axis=1)], axis=1)


def crowd_boxes(batches: Sequence[Batch], axes: np.ndarray | None = None) -> Boxes:
    """Return the boxes of all characters of all batches (`world_boxes`)."""
    return np.concatenate([np.zeros((0, 2, 3)), *(world_boxes(batch, axes) for batch in batches)])


def _entry_boxes(mesh: RigMesh, weights: MorphWeights) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (palette entries that move vertices ``[e]``, box centres ``[e, 3]``, half sizes ``[e, 3]``)."""
    drawn = _drawn_vertices(mesh)
    low, high = _morph_range(mesh, weights)
    low, high = (mesh.positions + low)[drawn], (mesh.positions + high)[drawn]
    entry, slot = np.unique(mesh.joints[drawn, :1].ravel(), return_inverse=True)
    lowest = np.full((len(entry), 3), np.inf)
    highest = np.full((len(entry), 3), -np.inf)
    np.minimum.at(lowest, slot, low)
    np.maximum.at(highest, slot, high)
    return entry, (lowest + highest) / 2, (highest - lowest) / 2


def _drawn_vertices(mesh: RigMesh) -> np.ndarray:
    """Return the indices of the vertices that a visible triangle uses."""
    used = np.zeros(len(mesh.positions), bool)
    for draw in mesh.draws:
        if draw.visible:
            used[mesh.triangles[draw.tri_start : draw.tri_start + draw.tri_count]] = True
    return np.flatnonzero(used)


def _morph_range(mesh: RigMesh, weights: MorphWeights) -> tuple[np.ndarray, np.ndarray]:
    """Return the lowest and highest shift of each vertex over all characters [m], float32 ``[vert, 3]`` each."""
    low = np.zeros_like(mesh.positions)
    high = np.zeros_like(mesh.positions)
    if not weights.size or not len(mesh.morph_vert):
        return low, high
    morph = np.repeat(np.arange(len(mesh.morph_start) - 1), np.diff(mesh.morph_start))
    ends = np.stack([weights.min(axis=0), weights.max(axis=0)])[:, morph, None] * mesh.morph_position
    np.add.at(low, mesh.morph_vert, np.minimum(ends.min(axis=0), 0.0))
    np.add.at(high, mesh.morph_vert, np.maximum(ends.max(axis=0), 0.0))
    return low, high


def ground_height(boxes: Boxes, origins: np.ndarray) -> float:
    """Return the height of the floor under a crowd [m].

    It is the height of the lowest origin, where characters are made to stand, unless the characters hang far below
    or float far above it: then it is their lowest point.

    Args:
        boxes: Boxes around the characters [m].
        origins: Heights of the characters' origins [m], ``[char]``.
    """
    if not len(boxes):
        return 0.0
    lowest, origin = float(boxes[:, 0, 1].min()), float(origins.min())
    size = float(np.median(boxes[:, 1, 1] - boxes[:, 0, 1]))
    stands = -0.12 * size <= lowest - origin <= 0.6 * size
    return origin if stands else lowest
