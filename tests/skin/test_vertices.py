"""Skinned vertices and normals, against the reference engine and against hand-made cases."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import skelter as sk
from skelter.assets.character import Character
from skelter.core.errors import ArgumentError
from skelter.engines import reference
from skelter.rig.rig import Rig
from skelter.testing.rigs import random_character
from tests.build import make_nodes, rigid

POSITION_TOL = 1e-5
"""Of the size of the character."""
NORMAL_TOL = 1e-3
CORPUS_FILES = (
    "crafted/joints1_eight_influences_u16.glb",
    "crafted/negative_scale_joint.glb",
    "crafted/one_mesh_two_skins_shared_ibm.glb",
    "crafted/shear_nonuniform_parent.gltf",
    "crafted/skinned_node_under_joint_and_prop.glb",
    "crafted/times_start_at_100000s.glb",
    "khronos/CesiumMan.gltf",
    "khronos/Fox.glb",
    "khronos/SimpleMorph.gltf",
    "khronos/box-morph.gltf",
)


@pytest.fixture(scope="module")
def rig() -> Rig:
    return sk.bake(random_character(7, 1, seed=8, vertex_count=60, target_count=2), cache=False)


class TestInvalidInput:
    def test_matrices_of_another_rig(self, rig: Rig) -> None:
        with pytest.raises(ArgumentError, match=r"matrices: expected shape \[any, 7, 3, 4\], got \[1, 8, 3, 4\]"):
            sk.skin_vertices(rig, np.zeros((1, 8, 3, 4), np.float32))

    @pytest.mark.parametrize("shape", [(2,), (1, 2), (2, 3)])
    def test_morph_weights_of_another_shape(self, rig: Rig, shape: tuple[int, ...]) -> None:
        matrices = sk.skinning_matrices(rig, sk.sample(rig, 0, [0.0, 0.5]))
        with pytest.raises(ArgumentError, match=r"morph_weights: expected shape \[2, 2\]"):
            sk.skin_vertices(rig, matrices, np.zeros(shape))


class TestDegenerate:
    def test_no_characters(self, rig: Rig) -> None:
        positions, normals = sk.skin_vertices(rig, np.zeros((0, 7, 3, 4), np.float32))
        assert positions.shape == normals.shape == (0, 60, 3)

    @pytest.mark.parametrize("scale", [[0, 0, 0], [1, 0, 0], [1, 1, 0], [1e-4, 1e-4, 1e-4], [-1, -1, -1]])
    def test_any_scale_gives_finite_normals(self, scale: list[float]) -> None:
        character = rigid(make_nodes([-1], scale=[scale]), 0, np.random.default_rng(0).normal(size=(9, 3)))
        rig = sk.bake(character, cache=False)
        _, normals = sk.skin_vertices(rig, sk.skinning_matrices(rig, rig.rest[None]))
        lengths = np.linalg.norm(normals[0], axis=1)
        assert np.isfinite(normals).all()
        expected = 0.0 if scale.count(0) > 1 else 1.0
        np.testing.assert_allclose(lengths, expected, atol=1e-5)

    def test_weights_of_morphs_that_do_nothing(self, rig: Rig) -> None:
        matrices = sk.skinning_matrices(rig, rig.rest[None])
        base, _ = sk.skin_vertices(rig, matrices)
        assert np.array_equal(sk.skin_vertices(rig, matrices, np.zeros((1, 2)))[0], base)


class TestKnownValues:
    def test_normals_under_non_uniform_scale_stay_upright(self) -> None:
        """A slope of 45 degrees that is stretched twofold along x has the normal (1, 2, 0)."""
        character = rigid(make_nodes([-1], scale=[[2, 1, 1]]), 0, [[0, 1, 0], [1, 0, 0], [0, 1, -1]])
        character.meshes[0].primitives[0].normals = np.full((3, 3), [2**-0.5, 2**-0.5, 0], np.float32)
        rig = sk.bake(character, cache=False)
        _, normals = sk.skin_vertices(rig, sk.skinning_matrices(rig, rig.rest[None]))
        np.testing.assert_allclose(normals[0], [np.array([1, 2, 0]) / 5**0.5] * 3, atol=1e-6)

    def test_mirrored_normals_point_outwards(self) -> None:
        """A mirrored cube is lit from outside too; the cofactor matrix alone would turn its normals inside out."""
        character = rigid(make_nodes([-1], scale=[[-1, 1, 1]]), 0, np.eye(3))
        character.meshes[0].primitives[0].normals = np.eye(3, dtype=np.float32)
        rig = sk.bake(character, cache=False)
        _, normals = sk.skin_vertices(rig, sk.skinning_matrices(rig, rig.rest[None]))
        np.testing.assert_allclose(normals[0], np.diag([-1, 1, 1]), atol=1e-7)

    def test_morphs_are_added_before_skinning(self, rig: Rig) -> None:
        matrices = sk.skinning_matrices(rig, rig.rest[None])
        positions, _ = sk.skin_vertices(rig, matrices, [[0.5, -1.0]])
        mesh = rig.mesh
        want = mesh.positions.astype(np.float64)
        for morph, weight in enumerate([0.5, -1.0]):
            begin, end = mesh.morph_start[morph : morph + 2]
            want[mesh.morph_vert[begin:end]] += weight * mesh.morph_position[begin:end]
        np.testing.assert_allclose(positions[0], want, atol=1e-6)


class TestProperties:
    @pytest.mark.parametrize("seed", range(5))
    def test_random_characters_like_the_reference(self, seed: int) -> None:
        character = random_character(
            5 + 7 * seed, 2, seed, vertex_count=60, influence_count=1 + 2 * seed, target_count=seed % 3
        )
        assert_like_the_reference(character, times_per_clip=3)

    def test_characters_do_not_depend_on_each_other(self, rig: Rig) -> None:
        times = np.random.default_rng(0).random(20)
        matrices, weights = sk.skinning_matrices(rig, sk.sample(rig, 0, times)), sk.sample_morphs(rig, 0, times)
        positions, normals = sk.skin_vertices(rig, matrices, weights)
        apart = [sk.skin_vertices(rig, matrices[i : i + 1], weights[i : i + 1]) for i in range(20)]
        assert np.array_equal(positions, np.concatenate([pair[0] for pair in apart]))
        assert np.array_equal(normals, np.concatenate([pair[1] for pair in apart]))

    @pytest.mark.parametrize("file", CORPUS_FILES)
    def test_real_files_like_the_reference(self, corpus: Path, file: str) -> None:
        if not (corpus / file).is_file():
            pytest.skip(f"the corpus has no {file}")
        assert_like_the_reference(sk.load(corpus / file), times_per_clip=2)


def assert_like_the_reference(character: Character, times_per_clip: int) -> None:
    """Hold the vertices of each clip to the reference engine, within what the bake report admits."""
    rig = sk.bake(character, cache=False)
    for clip, report in enumerate(rig.report.clips):
        times = np.random.default_rng(clip).uniform(0.0, report.duration, times_per_clip)
        weights = sk.sample_morphs(rig, clip, times)
        positions, normals = sk.skin_vertices(rig, sk.skinning_matrices(rig, sk.sample(rig, clip, times)), weights)
        # A vertex is further from its joint than the shell at which the report measures.
        allowed = (POSITION_TOL + 20 * report.max_mm / 2000) * rig.report.size
        for row, time in enumerate(times):
            pose = reference.pose(character, clip, float(time))
            for draw in rig.mesh.draws:
                verts = slice(draw.vert_start, draw.vert_start + draw.vert_count)
                index = next(i for i, instance in enumerate(character.instances) if instance.node == draw.node)
                want = reference.positions(character, pose, index, draw.primitive)
                np.testing.assert_allclose(positions[row, verts], want, atol=allowed)
                facing = reference.normals(character, pose, index, draw.primitive)
                if facing is not None:
                    np.testing.assert_allclose(normals[row, verts], facing, atol=10 * NORMAL_TOL)
