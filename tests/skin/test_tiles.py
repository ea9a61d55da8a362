"""Vertices in tiles: every vertex once, whatever its joints, and skinned as the plain formula says."""

from __future__ import annotations

import numpy as np
import pytest

from skelter.core.arrays import LANE_COUNT
from skelter.core.checks import read_only
from skelter.core.vector_kernels import Work
from skelter.skin.tiles import make_tiles, tile_vertices
from skelter.skin.vertices_kernels import SCRATCH_SIZE, skin_kernel

PALETTE = 12


def random_influences(count: int, influences: int, sets: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return joints and descending weights of vertices of which many share their joints; some use fewer."""
    random = np.random.default_rng(seed)
    known = np.array([random.permutation(PALETTE)[:influences] for _ in range(sets)], np.int32)
    joints = random.permuted(known[random.integers(0, sets, count)], axis=1)
    weights = random.random((count, influences)).astype(np.float32) + np.float32(0.1)
    used = random.integers(1, influences + 1, count)
    weights[np.arange(influences) >= used[:, None]] = 0.0
    weights = -np.sort(-weights, axis=1)
    return joints, weights / weights.sum(axis=1, keepdims=True)


def skin(
    joints: np.ndarray, weights: np.ndarray, matrices: np.ndarray, positions: np.ndarray, normals: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    tiles = make_tiles(joints, weights)
    out = np.full((2, len(matrices), positions.size), np.nan, np.float32)
    vertices = tile_vertices(tiles, positions, normals)
    work = Work(np.zeros(1, np.int64), 1, 0, len(matrices))
    skin_kernel(tiles, work, read_only(matrices), vertices, np.empty(SCRATCH_SIZE, np.float32), *out)
    return tuple(out.reshape(2, len(matrices), -1, 3))


def plain(
    joints: np.ndarray, weights: np.ndarray, matrices: np.ndarray, positions: np.ndarray, normals: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The formula, in float64."""
    each = matrices.astype(np.float64).reshape(len(matrices), -1, 3, 4)[:, joints]
    blended = (each * weights[..., None, None]).sum(axis=2)
    linear = blended[..., :3]
    cofactor = np.stack([np.cross(linear[..., (i + 1) % 3, :], linear[..., (i + 2) % 3, :]) for i in range(3)], axis=2)
    turned = np.einsum("cvij,vj->cvi", cofactor, normals) * np.sign(np.linalg.det(linear))[..., None]
    length = np.linalg.norm(turned, axis=-1, keepdims=True)
    turned = np.divide(turned, length, out=np.zeros_like(turned), where=length > 0.0)
    return np.einsum("cvij,vj->cvi", linear, positions) + blended[..., 3], turned


@pytest.mark.parametrize("influences", [1, 2, 3, 4, 5, 8, 9])
@pytest.mark.parametrize(("count", "sets"), [(1, 1), (15, 2), (16, 1), (500, 4), (333, 200)])
def test_it_is_the_plain_formula(influences: int, count: int, sets: int) -> None:
    random = np.random.default_rng(count)
    joints, weights = random_influences(count, influences, sets, seed=influences)
    matrices = random.normal(size=(3, PALETTE * 12)).astype(np.float32)
    positions, normals = random.normal(size=(2, count, 3)).astype(np.float32)
    normals[::7] = 0.0
    moved, turned = skin(joints, weights, matrices, positions, normals)
    want, wanted = plain(joints, weights, matrices, positions, normals)
    np.testing.assert_allclose(moved, want, atol=2e-5)
    determinant = np.abs(np.linalg.norm(wanted - turned, axis=-1))
    assert np.quantile(determinant, 0.99) < 1e-3  # a matrix that is nearly flat turns a normal either way
    assert (turned[:, ::7] == 0.0).all()


@pytest.mark.parametrize("count", [0, 1, 16, 17, 100])
def test_every_vertex_is_in_a_tile(count: int) -> None:
    joints, weights = random_influences(count, 4, 3, seed=0)
    tiles = make_tiles(joints, weights)
    assert len(tiles.vert) == -(-count // LANE_COUNT) * LANE_COUNT
    assert sorted(set(tiles.vert.tolist())) == list(range(count))
    assert len(tiles.same) == len(tiles.used) == len(tiles.vert) // LANE_COUNT


def test_vertices_that_share_joints_come_together() -> None:
    joints, weights = random_influences(800, 2, 2, seed=1)
    tiles = make_tiles(joints, weights)
    assert tiles.same[:-8].all()
    assert set(tiles.used.tolist()) == {1, 2}


def test_a_joint_without_weight_spoils_nothing() -> None:
    joints, weights = np.array([[1, 0, 0]] * 20, np.int32), np.array([[1.0, 0.0, 0.0]] * 20, np.float32)
    matrices = np.full((1, PALETTE * 12), np.nan, np.float32)
    matrices[0, 12:24] = np.eye(3, 4).ravel()
    points = np.random.default_rng(0).normal(size=(20, 3)).astype(np.float32)
    assert np.array_equal(skin(joints, weights, matrices, points, points)[0][0], points)
