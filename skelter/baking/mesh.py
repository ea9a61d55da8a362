"""Meshes of a character into one set of arrays, against one palette."""

from __future__ import annotations

import numpy as np

from skelter.assets.character import Character, MeshInstance, Primitive
from skelter.baking.morphs import MorphTable, pack_morphs
from skelter.baking.skeleton import Skeleton
from skelter.core.errors import BakeError
from skelter.rig.rig import Draw, Palette, RigMesh

MESH_BYTES_MAX = 1 << 29
"""Most bytes of the vertices of a rig."""
VERTEX_BYTES = 48
"""A vertex without its influences: position, normal, texture coordinates, colour."""
INFLUENCE_BYTES = 8


class PaletteBuilder:
    """Collects the (joint, inverse bind matrix) pairs that vertices use, each once."""

    def __init__(self) -> None:
        self._entries: dict[tuple[int, bytes], int] = {}
        self._joints: list[int] = []
        self._matrices: list[np.ndarray] = []

    def entry(self, joint: int, joint_from_bind: np.ndarray) -> int:
        """Return the index of a pair, which is added if it is new."""
        matrix = np.ascontiguousarray(joint_from_bind[:3], np.float32)
        key = (joint, matrix.tobytes())
        if key not in self._entries:
            self._entries[key] = len(self._joints)
            self._joints.append(joint)
            self._matrices.append(matrix)
        return self._entries[key]

    def build(self) -> Palette:
        """Return the palette."""
        matrices = np.array(self._matrices, np.float32).reshape(-1, 3, 4)
        return Palette(np.array(self._joints, np.int32), matrices)


def build_mesh(character: Character, skeleton: Skeleton) -> tuple[RigMesh, Palette, MorphTable]:
    """Merge all primitives of all mesh instances.

    Args:
        character: The character.
        skeleton: Its joints.

    Returns:
        ``(mesh, palette, morphs)``; morphs says where the weights of each instance lie.

    Raises:
        BakeError: The vertices or the morph targets of all instances take too much memory.
    """
    pairs = [
        (instance, index, primitive)
        for instance in character.instances
        for index, primitive in enumerate(character.meshes[instance.mesh].primitives)
    ]
    vertex_count = sum(len(primitive.positions) for _, _, primitive in pairs)
    width = max((primitive.joints.shape[1] for _, _, primitive in pairs), default=0)
    size = vertex_count * (VERTEX_BYTES + INFLUENCE_BYTES * max(width, 1))
    if size > MESH_BYTES_MAX:
        raise BakeError(
            f"{character.name}: the {vertex_count} vertices of all mesh instances are too many: with up to {width}"
            f" influences they take {size >> 20} MB; {MESH_BYTES_MAX >> 20} MB can be baked"
        )
    builder = PaletteBuilder()
    influences = [_influences(character, skeleton, builder, instance, primitive) for instance, _, primitive in pairs]
    starts = np.cumsum([0, *(len(primitive.positions) for _, _, primitive in pairs)])
    morphs = pack_morphs(character, pairs, starts)
    joints, weights = _merged_influences(influences, vertex_count)
    mesh = RigMesh(
        positions=_stacked([primitive.positions for _, _, primitive in pairs], 3),
        normals=_stacked([_normals(primitive) for _, _, primitive in pairs], 3),
        uvs=_stacked([_or_fill(primitive.uvs, primitive, 2, 0.0) for _, _, primitive in pairs], 2),
        colors=_stacked([_or_fill(primitive.colors, primitive, 4, 1.0) for _, _, primitive in pairs], 4),
        joints=joints,
        weights=weights,
        triangles=_triangles(pairs, starts),
        draws=_draws(character, pairs, starts),
        morph_names=morphs.names,
        morph_rest=morphs.rest,
        morph_start=morphs.start,
        morph_vert=morphs.vert,
        morph_position=morphs.position,
        morph_normal=morphs.normal,
    )
    return mesh, builder.build(), morphs


def _influences(
    character: Character, skeleton: Skeleton, builder: PaletteBuilder, instance: MeshInstance, primitive: Primitive
) -> tuple[np.ndarray, np.ndarray]:
    """Return palette entries and weights of a primitive, heaviest first."""
    count = len(primitive.positions)
    if instance.skin < 0 or count == 0 or primitive.joints.shape[0] != count:
        entry = builder.entry(int(skeleton.joint[instance.node]), np.eye(4))
        return np.full((count, 1), entry, np.int32), np.ones((count, 1), np.float32)
    skin = character.skins[instance.skin]
    used = np.unique(primitive.joints[primitive.weights > 0])
    entry_of = np.zeros(len(skin.joints), np.int32)
    for index in used:
        entry_of[index] = builder.entry(int(skeleton.joint[skin.joints[index]]), skin.joint_from_bind[index])
    entries = np.where(primitive.weights > 0, entry_of[primitive.joints], entry_of[used[0]])
    order = np.argsort(-primitive.weights, axis=1, kind="stable")
    weights = np.take_along_axis(primitive.weights, order, axis=1)
    influence_count = int((weights > 0).any(axis=0).sum())
    return np.take_along_axis(entries, order, axis=1)[:, :influence_count], weights[:, :influence_count]


def _merged_influences(parts: list[tuple[np.ndarray, np.ndarray]], vertex_count: int) -> tuple[np.ndarray, np.ndarray]:
    width = max((weights.shape[1] for _, weights in parts), default=1)
    joints = np.zeros((vertex_count, width), np.int32)
    weights = np.zeros((vertex_count, width), np.float32)
    start = 0
    for part_joints, part_weights in parts:
        stop = start + len(part_joints)
        joints[start:stop, : part_joints.shape[1]] = part_joints
        joints[start:stop, part_joints.shape[1] :] = part_joints[:, :1]
        weights[start:stop, : part_weights.shape[1]] = part_weights
        start = stop
    return joints, weights


def _stacked(parts: list[np.ndarray], width: int) -> np.ndarray:
    return np.concatenate([np.zeros((0, width), np.float32), *parts]).astype(np.float32, copy=False)


def _or_fill(values: np.ndarray | None, primitive: Primitive, width: int, fill: float) -> np.ndarray:
    return np.full((len(primitive.positions), width), fill, np.float32) if values is None else values


def _normals(primitive: Primitive) -> np.ndarray:
    """Return unit normals; where the file has none, the mean of the adjoining triangles weighted by their area."""
    normals = primitive.normals
    if normals is None:
        normals = np.zeros_like(primitive.positions)
        corners = primitive.positions[primitive.triangles]
        facing = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        for corner in range(3):
            np.add.at(normals, primitive.triangles[:, corner], facing)
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    up = np.array([0.0, 1.0, 0.0], np.float32)
    return np.where(length > 0, normals / np.where(length > 0, length, 1), up).astype(np.float32)


def _triangles(pairs: list[tuple[MeshInstance, int, Primitive]], starts: np.ndarray) -> np.ndarray:
    parts = [
        primitive.triangles + np.uint32(start) for (_, _, primitive), start in zip(pairs, starts[:-1], strict=True)
    ]
    return np.concatenate([np.zeros((0, 3), np.uint32), *parts]).astype(np.uint32, copy=False)


def _draws(
    character: Character, pairs: list[tuple[MeshInstance, int, Primitive]], starts: np.ndarray
) -> tuple[Draw, ...]:
    draws = []
    tri_start = 0
    for (instance, index, primitive), start in zip(pairs, starts[:-1].tolist(), strict=True):
        draws.append(
            Draw(
                name=character.meshes[instance.mesh].name or character.nodes.names[instance.node],
                tri_start=tri_start,
                tri_count=len(primitive.triangles),
                vert_start=start,
                vert_count=len(primitive.positions),
                material=primitive.material if primitive.material >= 0 else len(character.materials),
                visible=instance.visible,
                node=instance.node,
                primitive=index,
            )
        )
        tri_start += len(primitive.triangles)
    return tuple(draws)
