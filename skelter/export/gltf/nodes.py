"""Nodes and the scene of a character as glTF JSON."""

from __future__ import annotations

from typing import Any

import numpy as np

from skelter.assets.character import Character, MeshInstance, Nodes
from skelter.core.affine import normalized


def placed_instances(character: Character, mesh_numbers: list[int]) -> list[MeshInstance]:
    """Return the mesh instances that have a place in the file: glTF hides whole trees only, by leaving out their root.

    Args:
        character: The character.
        mesh_numbers: Per mesh, its index in the file, or -1 if it is not written.
    """
    root = _roots(character.nodes.parent)
    shown = {int(root[instance.node]) for instance in character.instances if instance.visible}
    return [
        instance
        for instance in character.instances
        if mesh_numbers[instance.mesh] >= 0 and (instance.visible or int(root[instance.node]) not in shown)
    ]


def node_json(
    character: Character, placed: list[MeshInstance], mesh_numbers: list[int]
) -> tuple[list[dict[str, Any]], list[int]]:
    """Return all nodes, and the roots that the scene shows.

    If the joints of a skin hang under several roots, which glTF does not allow, one more node is put above them.

    Args:
        character: The character.
        placed: The mesh instances that have a place.
        mesh_numbers: Per mesh, its index in the file.
    """
    nodes = character.nodes
    entries = [_entry(nodes, index, rotation) for index, rotation in enumerate(normalized(nodes.rotation))]
    for index, parent in enumerate(nodes.parent.tolist()):
        if parent >= 0:
            entries[parent].setdefault("children", []).append(index)
    for instance in placed:
        entries[instance.node] |= {"mesh": mesh_numbers[instance.mesh]} | _skin_and_weights(instance)
    root = _roots(nodes.parent)
    hidden = {int(root[instance.node]) for instance in placed if not instance.visible}
    shown = [index for index in np.flatnonzero(nodes.parent < 0).tolist() if index not in hidden]
    if any(len(np.unique(root[skin.joints])) > 1 for skin in character.skins):
        entries.append({"name": _free_name(nodes.names), "children": shown})
        shown = [len(entries) - 1]
    return entries, shown


def _entry(nodes: Nodes, index: int, rotation: np.ndarray) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": nodes.names[index]} if nodes.names[index] else {}
    if nodes.translation[index].any():
        entry["translation"] = nodes.translation[index].tolist()
    if not np.array_equal(rotation, [0.0, 0.0, 0.0, 1.0]):
        entry["rotation"] = rotation.tolist()
    if (nodes.scale[index] != 1.0).any():
        entry["scale"] = nodes.scale[index].tolist()
    return entry


def _skin_and_weights(instance: MeshInstance) -> dict[str, Any]:
    entry: dict[str, Any] = {}
    if instance.skin >= 0:
        entry["skin"] = instance.skin
    if len(instance.weights):
        entry["weights"] = instance.weights.tolist()
    return entry


def _roots(parent: np.ndarray) -> np.ndarray:
    """Return the root above every node. Each round doubles how far all have climbed."""
    above = np.where(parent < 0, np.arange(len(parent)), parent)
    for _ in range(len(parent).bit_length()):
        above = above[above]
    return above


def _free_name(names: list[str]) -> str:
    return next(name for count in range(len(names) + 1) if (name := "root" + "_" * count) not in names)
