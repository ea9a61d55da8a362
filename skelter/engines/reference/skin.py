"""Vertices of a posed character: morph targets, then linear blend skinning, any number of influences."""

from __future__ import annotations

import numpy as np

from skelter.assets.character import Character, MeshInstance, Primitive
from skelter.engines.reference.pose import ReferencePose


def positions(character: Character, pose: ReferencePose, instance: int, primitive: int) -> np.ndarray:
    """Return the posed vertex positions of one primitive, float64 ``[vert, 3]``, model space [m].

    ``sum_k weight_k * model_from_joint_k @ joint_from_bind_k @ (position + sum_t morph_t * delta_t)``. The transform of
    the node that holds a skinned mesh does not count (glTF 2.0, section 3.7.3.3), but a primitive without joints
    follows it.

    Args:
        character: The character.
        pose: A pose of it.
        instance: Index into ``character.instances``.
        primitive: Index into the primitives of its mesh.
    """
    source = _primitive(character, instance, primitive)
    points = source.positions.astype(np.float64)
    for weight, deltas in zip(pose.weights[instance], source.morph_positions, strict=False):  # a part may have none
        points += weight * deltas
    matrices = _vertex_matrices(character, pose, character.instances[instance], source)
    moved: np.ndarray = np.einsum("vij,vj->vi", matrices[:, :3, :3], points) + matrices[:, :3, 3]
    return moved


def normals(character: Character, pose: ReferencePose, instance: int, primitive: int) -> np.ndarray | None:
    """Return the posed unit normals of one primitive, float64 ``[vert, 3]``, or None if it has none.

    Normals are turned by the cofactor matrix of the blended matrix times the sign of its determinant, which is its
    inverse transpose up to length and stays finite when a scale is 0. A normal without direction keeps length 0.
    """
    source = _primitive(character, instance, primitive)
    if source.normals is None:
        return None
    directions = source.normals.astype(np.float64)
    if source.morph_normals is not None:
        for weight, deltas in zip(pose.weights[instance], source.morph_normals, strict=False):
            directions += weight * deltas
    linear = _vertex_matrices(character, pose, character.instances[instance], source)[:, :3, :3]
    turned = np.einsum("vij,vj->vi", _cofactors(linear), directions)
    turned[np.linalg.det(linear) < 0] *= -1.0
    length = np.linalg.norm(turned, axis=1, keepdims=True)
    return np.divide(turned, length, out=np.zeros_like(turned), where=length > 0)


def _primitive(character: Character, instance: int, primitive: int) -> Primitive:
    return character.meshes[character.instances[instance].mesh].primitives[primitive]


def _vertex_matrices(
    character: Character, pose: ReferencePose, instance: MeshInstance, primitive: Primitive
) -> np.ndarray:
    """Return the blended matrix of every vertex, ``[vert, 4, 4]``."""
    count = len(primitive.positions)
    if instance.skin < 0 or primitive.joints.shape[1] == 0:
        return np.broadcast_to(pose.model_from_node[instance.node], (count, 4, 4))
    skin = character.skins[instance.skin]
    palette = pose.model_from_node[skin.joints] @ skin.joint_from_bind
    matrices = np.zeros((count, 4, 4))
    for influence in range(primitive.joints.shape[1]):
        weight = primitive.weights[:, influence].astype(np.float64)
        matrices += weight[:, None, None] * palette[primitive.joints[:, influence]]
    return matrices


def _cofactors(linear: np.ndarray) -> np.ndarray:
    """Return the cofactor matrices of 3x3 matrices: rows are cross products of the other two rows."""
    a, b, c = linear[:, 0], linear[:, 1], linear[:, 2]
    return np.stack([np.cross(b, c), np.cross(c, a), np.cross(a, b)], axis=1)
