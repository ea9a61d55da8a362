"""The mannequin's skeleton and surface."""

import numpy as np
import pytest

import skelter.assets.mannequin as module
from skelter.assets.mannequin import mannequin
from skelter.core.errors import ArgumentError

VERTEX_COUNTS = {0: (3500, 6200), 1: (900, 1500), 2: (300, 700)}
SIZE_TOL_M = 1e-6


@pytest.fixture(scope="module", params=[0, 1, 2])
def lod(request):
    return request.param


@pytest.fixture(scope="module")
def character(lod):
    return mannequin(lod)


@pytest.fixture(scope="module")
def primitives(character):
    return character.meshes[0].primitives


def positions(primitives):
    return np.concatenate([primitive.positions for primitive in primitives])


@pytest.mark.parametrize("value", [-1, 3, "fine"])
def test_an_unknown_level_of_detail_is_refused(value):
    with pytest.raises(ArgumentError, match="take 0, 1 or 2"):
        mannequin(value)


def test_speeds_are_public():
    assert 1.0 < module.WALK_SPEED < 1.6
    assert 2.5 < module.RUN_SPEED < 4.0
    assert 0.5 < module.STRAFE_SPEED < module.BACK_SPEED < module.WALK_SPEED


def test_velocities_are_those_of_the_speeds_and_directions():
    assert module.VELOCITIES["walk"] == (0.0, module.WALK_SPEED)
    assert module.VELOCITIES["run"] == (0.0, module.RUN_SPEED)
    assert module.VELOCITIES["walk_left"] == pytest.approx((module.STRAFE_SPEED, 0.0))
    assert module.VELOCITIES["walk_right"] == pytest.approx((-module.STRAFE_SPEED, 0.0))
    assert module.VELOCITIES["walk_back"] == pytest.approx((0.0, -module.BACK_SPEED))
    left, front = module.VELOCITIES["walk_front_left"]
    assert left == pytest.approx(front)
    assert left > 0.0


def test_nodes_come_parents_first_with_unique_names(character):
    nodes = character.nodes
    assert len(nodes) == len(set(nodes.names)) == 57
    assert nodes.names[0] == "Root"
    assert nodes.parent[0] == -1
    assert np.all(nodes.parent[1:] >= 0)
    assert np.all(nodes.parent[1:] < np.arange(1, len(nodes)))


def test_the_two_sides_mirror_each_other(character):
    nodes = character.nodes
    for index, name in enumerate(nodes.names):
        if name.startswith("Left"):
            other = nodes.names.index("Right" + name[4:])
            np.testing.assert_array_equal(nodes.translation[index] * (-1, 1, 1), nodes.translation[other])


def test_inverse_bind_matrices_are_the_exact_inverses_of_the_rest_pose(character):
    nodes, skin = character.nodes, character.skins[0]
    np.testing.assert_array_equal(nodes.rotation, np.tile([0.0, 0.0, 0.0, 1.0], (len(nodes), 1)))
    position = np.zeros((len(nodes), 3))
    for node, parent in enumerate(nodes.parent):
        position[node] = nodes.translation[node] + (position[parent] if parent >= 0 else 0.0)
    np.testing.assert_array_equal(skin.joints, np.arange(len(nodes)))
    np.testing.assert_allclose(skin.joint_from_bind[:, :3, 3], -position, atol=1e-15)
    np.testing.assert_array_equal(skin.joint_from_bind[:, :3, :3], np.tile(np.eye(3), (len(nodes), 1, 1)))


def test_the_instance_binds_mesh_and_skin(character):
    (instance,) = character.instances
    assert (instance.mesh, instance.skin) == (0, 0)
    assert [material.name for material in character.materials] == ["shell", "joints", "accent"]
    assert (character.name, character.source) == ("mannequin", "built-in")


def test_it_stands_on_the_ground_and_is_as_tall_as_an_adult(lod, primitives):
    points = positions(primitives)
    assert points[:, 1].max() == pytest.approx(1.80, abs=0.006)
    assert -SIZE_TOL_M < points[:, 1].min() < (0.01 if lod == 2 else SIZE_TOL_M)


def test_it_is_symmetric(primitives):
    points = {tuple(point) for point in np.round(positions(primitives), 4) + 0.0}
    mirrored = {tuple(point) for point in np.round(positions(primitives) * np.float32([-1, 1, 1]), 4) + 0.0}
    assert len(points ^ mirrored) < 0.02 * len(points)


def test_vertex_counts_fit_the_level_of_detail(lod, primitives):
    low, high = VERTEX_COUNTS[lod]
    assert low < len(positions(primitives)) < high


def test_arrays_have_the_types_of_the_contract(primitives):
    for primitive in primitives:
        count = len(primitive.positions)
        assert primitive.positions.dtype == primitive.normals.dtype == primitive.colors.dtype == np.float32
        assert (primitive.joints.dtype, primitive.weights.dtype) == (np.int32, np.float32)
        assert primitive.joints.shape == primitive.weights.shape == (count, 4)
        assert primitive.triangles.dtype == np.uint32
        assert set(np.unique(primitive.triangles)) == set(range(count))
        assert np.all((primitive.colors >= 0.0) & (primitive.colors <= 1.0))


def test_normals_have_length_one(primitives):
    for primitive in primitives:
        np.testing.assert_allclose(np.linalg.norm(primitive.normals, axis=1), 1.0, atol=1e-6)


def test_weights_sum_to_one_heaviest_first(character, primitives):
    for primitive in primitives:
        np.testing.assert_allclose(primitive.weights.sum(axis=1), 1.0, atol=1e-6)
        assert np.all(np.diff(primitive.weights, axis=1) <= 0.0)
        assert np.all((primitive.joints >= 0) & (primitive.joints < len(character.nodes)))


def test_a_vertex_is_moved_by_joints_of_its_own_side(character, primitives):
    names = np.array(character.nodes.names)
    for primitive in primitives:
        strong = primitive.weights > 0.5
        side = np.where(np.char.startswith(names, "Left"), 1, np.where(np.char.startswith(names, "Right"), -1, 0))
        owner = np.sum(strong * side[primitive.joints], axis=1)
        assert np.all(owner * primitive.positions[:, 0] >= 0.0)


def test_triangles_face_outwards(primitives):
    for primitive in primitives:
        first, second, third = (primitive.positions[primitive.triangles[:, corner]] for corner in range(3))
        facing = np.cross(second - first, third - first)
        assert np.all(np.linalg.norm(facing, axis=1) > 0.0)
        agree = np.sum(facing * primitive.normals[primitive.triangles].mean(axis=1), axis=1)
        assert np.mean(agree > 0.0) > 0.998
        volume = np.sum(first * np.cross(second, third)) / 6.0
        assert volume > 0.0


def test_neighbouring_triangles_run_the_same_way_round(primitives):
    """Every directed edge belongs to one triangle: the surface is an oriented manifold, with open rims inside."""
    for primitive in primitives:
        triangles = primitive.triangles.astype(np.int64)
        edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
        assert len(np.unique(edges, axis=0)) == len(edges)


def test_two_builds_are_equal_to_the_bit(lod, character):
    again = mannequin(lod)
    for one, other in zip(character.meshes[0].primitives, again.meshes[0].primitives, strict=True):
        for name in ("positions", "normals", "triangles", "colors", "joints", "weights"):
            assert getattr(one, name).tobytes() == getattr(other, name).tobytes()
    for one, other in zip(character.clips, again.clips, strict=True):
        assert [track.values.tobytes() for track in one.tracks] == [track.values.tobytes() for track in other.tracks]


def test_characters_do_not_share_arrays():
    one, other = mannequin(2), mannequin(2)
    one.nodes.translation[1] += 1.0
    one.clips[0].tracks[0].values += 1.0
    assert not np.array_equal(one.nodes.translation, other.nodes.translation)
    assert not np.array_equal(one.clips[0].tracks[0].values, other.clips[0].tracks[0].values)
