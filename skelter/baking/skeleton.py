"""Which nodes become joints, and in which order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skelter.assets.character import Character
from skelter.core.arrays import JointParents
from skelter.core.errors import BakeError
from skelter.core.hierarchy import parents_first

JOINT_COUNT_MAX = 8_192


@dataclass(frozen=True, slots=True)
class Skeleton:
    """The joints of a rig and where they come from.

    Attributes:
        node: int32 ``[joint]``: node of each joint, parents first.
        parent: int32 ``[joint]``, -1 for a root.
        joint: int32 ``[node]``: joint of each node, -1 for a node that is left out.
    """

    node: np.ndarray
    parent: JointParents
    joint: np.ndarray


def build_skeleton(character: Character) -> Skeleton:
    """Choose the nodes that matter and sort them parents first.

    A node becomes a joint if it is a joint of a skin, holds a mesh, or moves in a clip; so do its ancestors, which
    carry it, and its descendants, which may be sockets. Cameras, lights and other bystanders are left out. A character
    where nothing matters keeps all its nodes.

    Raises:
        BakeError: The character has no nodes, or needs more than `JOINT_COUNT_MAX` joints.
    """
    if len(character.nodes) == 0:
        raise BakeError(f"{character.name}: there is nothing to bake: the file has no nodes")
    order = parents_first(character.nodes.parent)
    kept = _kept(character, order)
    node = np.array([index for index in order if kept[index]], np.int32)
    if len(node) > JOINT_COUNT_MAX:
        raise BakeError(f"{character.name}: {len(node)} joints are too many; up to {JOINT_COUNT_MAX} can be baked")
    joint = np.full(len(character.nodes), -1, np.int32)
    joint[node] = np.arange(len(node), dtype=np.int32)
    above = character.nodes.parent[node]
    parent = np.where(above >= 0, joint[above], -1).astype(np.int32)
    return Skeleton(node, parent, joint)


def _kept(character: Character, order: list[int]) -> np.ndarray:
    parent = character.nodes.parent
    kept = np.zeros(len(parent), bool)
    for skin in character.skins:
        kept[skin.joints] = True
    kept[[instance.node for instance in character.instances]] = True
    kept[[track.node for clip in character.clips for track in clip.tracks if track.path != "weights"]] = True
    if not kept.any():
        return ~kept
    for index in order:  # descendants
        kept[index] |= parent[index] >= 0 and kept[parent[index]]
    for index in reversed(order):  # ancestors
        if kept[index] and parent[index] >= 0:
            kept[parent[index]] = True
    return kept
