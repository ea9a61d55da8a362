from __future__ import annotations

import numpy as np

import skelter as sk
from skelter.assets.character import Primitive
from skelter.engines import reference
from skelter.testing.rigs import random_character


def test_a_part_without_joints_of_a_skinned_mesh_follows_its_node_on_every_engine() -> None:
    character = random_character(5, 1)
    part = Primitive(np.eye(3, dtype=np.float32), np.array([[0, 1, 2]], np.uint32))
    character.meshes[0].primitives.append(part)
    pose = reference.pose(character, 0, 0.0)
    positions = reference.positions(character, pose, 0, 1)
    node = pose.model_from_node[0]
    np.testing.assert_allclose(positions, part.positions @ node[:3, :3].T + node[:3, 3])
    rig = sk.bake(character, cache=False)
    vertices, _ = sk.skin_vertices(rig, sk.skinning_matrices(rig, sk.sample(rig, 0, 0.0)))
    np.testing.assert_allclose(vertices[0, -3:], positions, atol=1e-6)
