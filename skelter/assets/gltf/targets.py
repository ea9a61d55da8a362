"""Targets of animation channels: a node and a property, plain or by pointer.

Source: the glTF 2.0 specification, section 5.4; KHR_animation_pointer.
"""

from __future__ import annotations

from typing import NamedTuple

from skelter.assets.character import MeshInstance, Path
from skelter.assets.gltf import schema
from skelter.assets.gltf.document import Document

PATHS: dict[str, Path] = {
    "translation": "translation",
    "rotation": "rotation",
    "scale": "scale",
    "weights": "weights",
}
POINTER = "KHR_animation_pointer"


class Target(NamedTuple):
    """What a channel moves.

    Attributes:
        node: Index of the node.
        path: Its property.
        weight_count: Number of morph targets of the node, for ``weights``.
    """

    node: int
    path: Path
    weight_count: int


def read_targets(
    document: Document, target: schema.ChannelTarget, instances: dict[int, MeshInstance], where: str
) -> list[Target]:
    """Return what a channel moves: one target, several for the weights of a shared mesh, or none with a warning.

    Raises:
        AssetError: The node does not exist.
    """
    if target.path == "pointer":
        return _pointer_targets(document, target, instances, where)
    if target.node is None:
        document.warn(where, "the channel names no node; it is ignored")
        return []
    return _node_targets(document, target.node, target.path, instances, where)


def _node_targets(
    document: Document, node: int, name: str, instances: dict[int, MeshInstance], where: str
) -> list[Target]:
    document.check_index(node, len(document.gltf.nodes), f"{where}.target.node", "node")
    path = PATHS.get(name)
    if path is None:
        document.warn(where, f"the path {name!r} is unknown; the channel is ignored")
        return []
    if path == "weights":
        count = len(instances[node].weights) if node in instances else 0
        if count == 0:
            document.warn(where, f"node {node} has no morph targets; the channel is ignored")
            return []
        return [Target(node, path, count)]
    if document.gltf.nodes[node].matrix is not None:
        document.warn(where, f"node {node} has a matrix; its {path} is replaced while the clip plays")
    return [Target(node, path, 0)]


def _pointer_targets(
    document: Document, target: schema.ChannelTarget, instances: dict[int, MeshInstance], where: str
) -> list[Target]:
    extension = target.extensions.get(POINTER)
    pointer = extension.get("pointer", "") if isinstance(extension, dict) else ""
    match str(pointer).split("/"):
        case ["", "nodes", index, path] if index.isdecimal() and path in PATHS:
            return _node_targets(document, int(index), path, instances, where)
        case ["", "meshes", index, "weights"] if index.isdecimal():
            return _mesh_targets(document, int(index), instances, where)
    document.warn(where, f"the pointer {str(pointer)[:100]!r} is nothing that a pose has; the channel is ignored")
    return []


def _mesh_targets(document: Document, mesh: int, instances: dict[int, MeshInstance], where: str) -> list[Target]:
    """Return the nodes that show a mesh and have no weights of their own."""
    document.check_index(mesh, len(document.gltf.meshes), where, "mesh")
    nodes = document.gltf.nodes
    return [
        Target(node, "weights", len(instance.weights))
        for node, instance in instances.items()
        if instance.mesh == mesh and nodes[node].weights is None and len(instance.weights)
    ]
