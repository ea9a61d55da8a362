"""The built-in character."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from skelter.assets.character import Character, Mesh, MeshInstance, Nodes, Primitive, Skin
from skelter.assets.mannequin.body import DETAILS, body
from skelter.assets.mannequin.clips import CLIPS
from skelter.assets.mannequin.part import ACCENT, JOINTS, SHELL, Part
from skelter.assets.mannequin.shading import openness, vertex_normals
from skelter.assets.mannequin.skeleton import Skeleton, skeleton
from skelter.assets.mannequin.surfaces import join
from skelter.assets.mannequin.weights import strongest
from skelter.core.errors import ArgumentError
from skelter.core.material import Material

NAMES = (SHELL, JOINTS, ACCENT)


def mannequin(lod: int = 0) -> Character:
    """Build the mannequin: a humanoid of 57 joints with its clips, facing +z, its feet on the ground at the origin.

    Args:
        lod: Level of detail: 0 has about 6,000 vertices, 1 about 1,200, 2 about 540. Skeleton and clips are the same.

    Raises:
        ArgumentError: There is no such level of detail.
    """
    if lod not in range(len(DETAILS)):
        raise ArgumentError(f"mannequin has no level of detail {lod!r}; take 0, 1 or 2")
    bones = skeleton()
    parts = body(DETAILS[lod])
    primitives = [_primitive(parts, index) for index in range(len(NAMES))]
    return Character(
        name="mannequin",
        nodes=_nodes(bones),
        clips=[make() for make in CLIPS],
        meshes=[Mesh("mannequin", primitives)],
        skins=[_skin(bones)],
        instances=[MeshInstance(node=0, mesh=0, skin=0)],
        materials=_materials(),
        source="built-in",
        generator="skelter",
    )


def _materials() -> list[Material]:
    """Return warm white shells over graphite; a renderer may tint the accent per character."""
    return [
        Material(SHELL, (0.80, 0.77, 0.72, 1.0), roughness=0.45, metallic=0.0),
        Material(JOINTS, (0.050, 0.053, 0.060, 1.0), roughness=0.6, metallic=0.0),
        Material(ACCENT, (0.85, 0.19, 0.06, 1.0), roughness=0.5, metallic=0.0),
    ]


def _nodes(bones: Skeleton) -> Nodes:
    """Return the joints as nodes: rotations are the identity, translations the offsets from the parents."""
    origin = np.where(bones.parent[:, None] < 0, 0.0, bones.position[bones.parent])
    rotation = np.tile([0.0, 0.0, 0.0, 1.0], (len(bones.names), 1))
    return Nodes(list(bones.names), bones.parent.copy(), bones.position - origin, rotation, np.ones_like(origin))


def _skin(bones: Skeleton) -> Skin:
    """Return the skin: inverse bind matrices are moves from the joints back to the origin."""
    joint_from_bind = np.tile(np.eye(4), (len(bones.names), 1, 1))
    joint_from_bind[:, :3, 3] = -bones.position
    return Skin("mannequin", np.arange(len(bones.names), dtype=np.int32), joint_from_bind)


def _primitive(parts: Sequence[Part], material: int) -> Primitive:
    """Return all parts of one material as one primitive."""
    chosen = [part for part in parts if part.material == NAMES[material]]
    surface = join([part.surface for part in chosen])
    normals = vertex_normals(surface)
    colors = np.ones((len(normals), 4), np.float32)
    colors[:, :3] = openness(surface.points, normals)[:, None]
    joints, weights = strongest(np.concatenate([part.weights for part in chosen]))
    return Primitive(
        positions=surface.points.astype(np.float32),
        triangles=surface.triangles.astype(np.uint32),
        normals=normals.astype(np.float32),
        colors=colors,
        joints=joints,
        weights=weights,
        material=material,
    )
