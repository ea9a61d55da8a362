"""Vertices in tiles: sorted by their joints, so that a tile whose vertices share them is blended in lanes."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from skelter.core.arrays import AFFINE, LANE_COUNT
from skelter.core.checks import read_only
from skelter.rig.rig import RigMesh

if TYPE_CHECKING:
    from skelter.skin.vertices_kernels import TileArrays


class MeshTiles(NamedTuple):
    """The tiles of a mesh.

    Attributes:
        tiles: Which vertices are in them, and what moves them.
        vertices: float32 ``[tile, 96]``: the vertices themselves, without morph targets.
    """

    tiles: TileArrays
    vertices: np.ndarray


_made: dict[int, MeshTiles] = {}


def mesh_tiles(mesh: RigMesh) -> MeshTiles:
    """Return the tiles of a mesh; they are made once."""
    key = id(mesh)
    if key not in _made:
        tiles = make_tiles(mesh.joints, mesh.weights)
        _made[key] = MeshTiles(tiles, tile_vertices(tiles, mesh.positions, mesh.normals))
        weakref.finalize(mesh, _made.pop, key, None)
    return _made[key]


def tile_vertices(tiles: TileArrays, positions: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """Return vertices in the lanes of tiles, float32 ``[tile, 96]``."""
    from skelter.skin.vertices_kernels import VERTEX_LANES, gather_kernel

    vertices = np.empty((len(tiles.same), VERTEX_LANES), np.float32)
    gather_kernel(tiles.vert, read_only(positions), read_only(normals), vertices)
    return read_only(vertices)


def make_tiles(joints: np.ndarray, weights: np.ndarray) -> TileArrays:
    """Sort vertices into tiles.

    Runs of 16 vertices with the same joints become tiles of their own; what is left of the runs fills the others, those
    with as many influences next to each other.

    Args:
        joints: int32 ``[vert, influence]``.
        weights: float32 ``[vert, influence]``, descending.
    """
    from skelter.skin.vertices_kernels import TileArrays

    count, influences = joints.shape
    width = 1 if influences <= 1 else 2 if influences == 2 else -(-influences // 4) * 4
    padded_joints, padded_weights = _by_joint(joints, weights, width)
    used = np.maximum((weights > 0.0).sum(axis=1), 1) if influences else np.ones(count, np.int64)
    order = np.lexsort((*padded_joints.T[::-1], used))
    starts = np.flatnonzero(
        np.r_[True, (padded_joints[order][1:] != padded_joints[order][:-1]).any(axis=1)][: len(order)]
    )
    lengths = np.diff(np.r_[starts, len(order)])
    place = np.arange(len(order)) - np.repeat(starts, lengths)
    whole = place < np.repeat(lengths // LANE_COUNT * LANE_COUNT, lengths)
    order = np.concatenate([order[whole], order[~whole]])
    tile_count = -(-count // LANE_COUNT)
    order = np.concatenate([order, np.repeat(order[-1:], tile_count * LANE_COUNT - count)])
    tiled = padded_joints[order].reshape(tile_count, LANE_COUNT, width)
    most = used[order].reshape(tile_count, LANE_COUNT).max(axis=1) if tile_count else np.zeros(0, np.int64)
    lane_weights = padded_weights[order].reshape(tile_count, LANE_COUNT, width).swapaxes(1, 2)
    arrays = TileArrays(
        vert=order.astype(np.uint32),
        same=(tiled == tiled[:, :1]).all(axis=(1, 2)).astype(np.uint8),
        used=np.where(most <= 2, most, -(-most // 4) * 4).astype(np.int32),
        joints=(padded_joints[order] * AFFINE).astype(np.int32),
        weights=padded_weights[order],
        lane_weights=np.ascontiguousarray(lane_weights.reshape(tile_count, width * LANE_COUNT)),
    )
    return TileArrays(*map(read_only, arrays))


def _by_joint(joints: np.ndarray, weights: np.ndarray, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Return influences sorted by joint, ``[vert, width]`` each; the unused ones come last and name the first joint.

    A joint that a vertex does not use could spoil it: nothing times NaN is NaN.
    """
    count, influences = joints.shape
    order = np.argsort(np.where(weights > 0.0, joints, np.iinfo(np.int32).max), axis=1, kind="stable")
    wide_joints, wide_weights = np.zeros((count, width), np.int32), np.zeros((count, width), np.float32)
    wide_joints[:, :influences] = np.take_along_axis(joints, order, axis=1)
    wide_weights[:, :influences] = np.take_along_axis(weights, order, axis=1)
    unused = wide_weights <= 0.0
    wide_weights[unused] = 0.0
    return np.where(unused, wide_joints[:, :1], wide_joints), wide_weights
