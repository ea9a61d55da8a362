"""Meshes, palettes and morph targets."""

from __future__ import annotations

import numpy as np
import pytest

import skelter as sk
from skelter.assets.character import Character, Mesh, MeshInstance, Primitive, Skin
from skelter.core.errors import BakeError
from skelter.core.material import Material
from skelter.engines import reference
from skelter.testing.rigs import random_character
from tests.build import Y, make_clip, make_nodes, make_primitive, make_track, rigid

POSITION_TOL_M = 2e-6


def skinned(primitive: Primitive, joint_count: int = 6, **values: object) -> Character:
    nodes = make_nodes([index - 1 for index in range(joint_count)], **values)  # type: ignore[arg-type]
    skin = Skin("skin", np.arange(joint_count, dtype=np.int32), np.tile(np.eye(4), (joint_count, 1, 1)))
    return Character(
        "skinned", nodes, meshes=[Mesh("mesh", [primitive])], skins=[skin], instances=[MeshInstance(0, 0, 0)]
    )


def weighted(joints: list[list[int]], weights: list[list[float]]) -> Primitive:
    points = np.random.default_rng(0).normal(size=(len(joints), 3))
    return make_primitive(points, joints=np.array(joints, np.int32), weights=np.array(weights, np.float32))


def assert_skinned_like_the_reference(character: Character) -> None:
    """Hold positions and normals of the rest pose and the middle of each clip to the reference engine."""
    rig = sk.bake(character, cache=False, rate=30.0)
    for clip in (None, *range(len(character.clips))):
        time = 0.0 if clip is None else character.clips[clip].duration * 3 / 15
        local = rig.rest[None] if clip is None else sk.sample(rig, clip, time)
        weights = None if clip is None else sk.sample_morphs(rig, clip, time)
        positions, normals = sk.skin_vertices(rig, sk.skinning_matrices(rig, local), weights)
        pose = reference.pose(character, clip, time)
        for draw in rig.mesh.draws:
            verts = slice(draw.vert_start, draw.vert_start + draw.vert_count)
            index = next(i for i, instance in enumerate(character.instances) if instance.node == draw.node)
            want = reference.positions(character, pose, index, draw.primitive)
            np.testing.assert_allclose(positions[0, verts], want, atol=POSITION_TOL_M * rig.report.size)
            want_normals = reference.normals(character, pose, index, draw.primitive)
            if want_normals is not None:
                np.testing.assert_allclose(normals[0, verts], want_normals, atol=1e-5)


class TestInvalidInput:
    def test_too_many_vertices(self) -> None:
        character = rigid(make_nodes([-1]), 0, np.eye(3))
        character.meshes[0].primitives[0].positions = np.broadcast_to(np.float32(0), (10_000_000, 3))
        with pytest.raises(BakeError, match="the 10000000 vertices of all mesh instances are too many"):
            sk.bake(character, cache=False)


class TestDegenerate:
    def test_a_mesh_without_vertices(self) -> None:
        rig = sk.bake(rigid(make_nodes([-1]), 0, []), cache=False)
        assert (len(rig.mesh.positions), rig.mesh.draws[0].tri_count) == (0, 0)

    def test_a_mesh_without_primitives(self) -> None:
        character = rigid(make_nodes([-1]), 0, [])
        character.meshes[0].primitives.clear()
        assert sk.bake(character, cache=False).mesh.draws == ()

    def test_normals_that_have_no_direction_point_up(self) -> None:
        rig = sk.bake(rigid(make_nodes([-1]), 0, [Y, Y, Y]), cache=False)
        assert rig.mesh.normals.tolist() == [[0.0, 1.0, 0.0]] * 3


class TestPalette:
    def test_a_rigid_mesh_has_an_entry_with_the_identity(self) -> None:
        nodes = make_nodes([-1, 0], translation=[[1, 0, 0], [0, 2, 0]])
        rig = sk.bake(rigid(nodes, 1, np.eye(3)), cache=False)
        assert rig.palette.joint.tolist() == [1]
        assert rig.palette.joint_from_bind.tolist() == [np.eye(4)[:3].tolist()]
        positions, _ = sk.skin_vertices(rig, sk.skinning_matrices(rig, rig.rest[None]))
        np.testing.assert_allclose(positions[0], np.add(np.eye(3), [1, 2, 0]), atol=1e-7)

    def test_only_joints_that_vertices_use_have_entries(self) -> None:
        rig = sk.bake(skinned(weighted([[3, 1], [3, 5]], [[0.5, 0.5], [1.0, 0.0]])), cache=False)
        assert rig.palette.joint.tolist() == [1, 3]

    def test_two_skins_with_the_same_matrices_share_entries(self) -> None:
        character = skinned(weighted([[1, 2]] * 3, [[0.5, 0.5]] * 3))
        character.skins.append(Skin("twin", character.skins[0].joints, character.skins[0].joint_from_bind))
        character.instances.append(MeshInstance(1, 0, 1))
        assert sk.bake(character, cache=False).palette.joint.tolist() == [1, 2]
        assert_skinned_like_the_reference(character)

    def test_two_skins_that_bind_one_joint_differently(self) -> None:
        character = skinned(weighted([[1, 2]] * 3, [[0.5, 0.5]] * 3))
        moved = character.skins[0].joint_from_bind.copy()
        moved[:, 0, 3] = 0.25
        character.skins.append(Skin("moved", character.skins[0].joints[::-1].copy(), moved))
        character.instances.append(MeshInstance(1, 0, 1))
        assert sk.bake(character, cache=False).palette.joint.tolist() == [1, 2, 4, 3]
        assert_skinned_like_the_reference(character)


class TestInfluences:
    def test_heaviest_first_and_unused_ones_dropped(self) -> None:
        primitive = weighted([[0, 1, 2, 3], [4, 1, 2, 3]], [[0.1, 0.6, 0.3, 0.0], [0.0, 0.5, 0.5, 0.0]])
        mesh = sk.bake(skinned(primitive), cache=False).mesh
        np.testing.assert_allclose(mesh.weights, [[0.6, 0.3, 0.1], [0.5, 0.5, 0.0]], atol=1e-7)

    def test_meshes_with_few_and_many_influences(self) -> None:
        character = skinned(weighted([[0, 1, 2, 3, 4, 5]] * 3, [[0.3, 0.2, 0.2, 0.1, 0.1, 0.1]] * 3))
        character.meshes[0].primitives.append(weighted([[5]] * 3, [[1.0]] * 3))
        mesh = sk.bake(character, cache=False).mesh
        assert mesh.weights.shape == (6, 6)
        np.testing.assert_allclose(mesh.weights.sum(axis=1), 1.0, atol=1e-6)
        assert_skinned_like_the_reference(character)

    def test_a_joint_that_a_vertex_names_twice(self) -> None:
        assert_skinned_like_the_reference(skinned(weighted([[2, 2, 1]] * 3, [[0.25, 0.5, 0.25]] * 3)))

    def test_mirrored_and_stretched_joints(self) -> None:
        primitive = weighted([[1, 2, 5]] * 3, [[0.5, 0.25, 0.25]] * 3)
        primitive.normals = np.eye(3, dtype=np.float32)
        scale = [[1, 1, 1], [-1, 1, 1], [1, 3, 0.2], [1, 1, 1], [1, 1, 1], [2, 2, 2]]
        assert_skinned_like_the_reference(skinned(primitive, scale=scale))


class TestKnownValues:
    def test_normals_made_from_triangles(self) -> None:
        square = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
        rig = sk.bake(rigid(make_nodes([-1]), 0, square), cache=False)
        np.testing.assert_allclose(rig.mesh.normals, [[0, 0, 1]] * 3, atol=1e-7)

    def test_draws_name_ranges_and_materials(self) -> None:
        character = rigid(make_nodes([-1, -1]), 0, np.eye(3))
        character.meshes.append(Mesh("", [make_primitive(np.eye(3), material=0), make_primitive(np.ones((6, 3)))]))
        character.instances.append(MeshInstance(1, 1, visible=False))
        character.materials.append(Material("red"))
        rig = sk.bake(character, cache=False)
        rows = [(d.name, d.tri_start, d.tri_count, d.vert_start, d.vert_count, d.material) for d in rig.mesh.draws]
        assert rows == [("rigid", 0, 1, 0, 3, 1), ("node_1", 1, 1, 3, 3, 0), ("node_1", 2, 2, 6, 6, 1)]
        assert [draw.visible for draw in rig.mesh.draws] == [True, False, False]
        assert [material.name for material in rig.materials] == ["red", "default"]
        assert rig.mesh.triangles.tolist() == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]


class TestMorphs:
    def morphed(self, instance_count: int = 1) -> Character:
        deltas = np.zeros((2, 3, 3), np.float32)
        deltas[0, 1] = [0, 0.5, 0]
        deltas[1, [0, 2]] = [0, 0, 1]
        character = rigid(make_nodes([-1] * instance_count), 0, np.eye(3))
        character.meshes[0] = Mesh("face", [make_primitive(np.eye(3), morph_positions=deltas)], ["smile", "frown"])
        character.instances = [MeshInstance(node, 0, weights=np.array([0.25, 0.0])) for node in range(instance_count)]
        return character

    def test_only_deltas_that_move_something_are_kept(self) -> None:
        mesh = sk.bake(self.morphed(), cache=False).mesh
        assert mesh.morph_names == ("face.smile", "face.frown")
        assert (mesh.morph_start.tolist(), mesh.morph_vert.tolist()) == ([0, 1, 3], [1, 0, 2])
        assert mesh.morph_position.tolist() == [[0, 0.5, 0], [0, 0, 1], [0, 0, 1]]
        assert mesh.morph_rest.tolist() == [0.25, 0.0]

    def test_default_weights_are_used_without_a_clip(self) -> None:
        rig = sk.bake(self.morphed(), cache=False)
        positions, _ = sk.skin_vertices(rig, sk.skinning_matrices(rig, rig.rest[None]))
        np.testing.assert_allclose(positions[0, 1], [0, 1.225, 0], atol=1e-7)

    def test_each_instance_has_weights_of_its_own(self) -> None:
        character = self.morphed(2)
        character.clips = [make_clip("smile", make_track(1, "weights", [0.0, 1.0], [[0, 0], [1, 0.5]]))]
        rig = sk.bake(character, cache=False)
        np.testing.assert_allclose(sk.sample_morphs(rig, 0, 0.5), [[0.25, 0.0, 0.5, 0.25]], atol=1e-6)
        assert_skinned_like_the_reference(character)

    def test_a_clip_without_weights_gives_the_default_ones(self) -> None:
        character = self.morphed()
        character.clips = [make_clip("slide", make_track(0, "translation", [0.0, 1.0], [[0, 0, 0], [0, 0, 1]]))]
        rig = sk.bake(character, cache=False)
        assert rig.clips.morph_start.tolist() == [-1]
        assert sk.sample_morphs(rig, 0, [0.0, 0.7]).tolist() == [[0.25, 0.0]] * 2

    def test_weights_that_step(self) -> None:
        character = self.morphed()
        track = make_track(0, "weights", np.arange(4) / 30.0, [[0, 0], [1, 0], [0, 1], [1, 1]], "STEP")
        character.clips = [make_clip("blink", track)]
        rig = sk.bake(character, cache=False, rate=30.0)
        assert rig.clips.morph_hold.tolist() == [[1, 1]]
        times = np.array([0.5, 1.0, 1.9999, 2.5, 3.0]) / 30.0
        assert sk.sample_morphs(rig, 0, times, loop=False).tolist() == [[0, 0], [1, 0], [1, 0], [0, 1], [1, 1]]

    def test_morph_normals(self) -> None:
        character = self.morphed()
        primitive = character.meshes[0].primitives[0]
        primitive.normals = np.eye(3, dtype=np.float32)
        primitive.morph_normals = np.full((2, 3, 3), 0.5, np.float32)
        assert_skinned_like_the_reference(character)


@pytest.mark.parametrize("seed", range(4))
def test_random_characters(seed: int) -> None:
    character = random_character(9 + seed, 2, seed, vertex_count=60, influence_count=3 + 2 * seed, target_count=seed)
    assert_skinned_like_the_reference(character)
