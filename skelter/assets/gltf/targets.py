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
POINTER_LENGTH_MAX = 100
"""Pointers to what a pose has are short; Python refuses to read numbers of many thousand digits."""


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


class TargetReader:
    """Finds what the channels of a document move."""

    def __init__(self, document: Document, instances: list[MeshInstance]) -> None:
        self._document = document
        self._weight_counts = {instance.node: len(instance.weights) for instance in instances}
        self._showing: dict[int, list[Target]] = {}
        for instance in instances:
            if len(instance.weights) and document.gltf.nodes[instance.node].weights is None:
                target = Target(instance.node, "weights", len(instance.weights))
                self._showing.setdefault(instance.mesh, []).append(target)

    def read(self, target: schema.ChannelTarget, where: str) -> list[Target]:
        """Return what a channel moves: one target, several for the weights of a shared mesh, or none with a warning.

        Raises:
            AssetError: The node does not exist.
        """
        if target.path == "pointer":
            return self._pointer_targets(target, where)
        if target.node is None:
            self._document.warn(where, "the channel names no node; it is ignored")
            return []
        return self._node_targets(target.node, target.path, where)

    def _node_targets(self, node: int, name: str, where: str) -> list[Target]:
        nodes = self._document.gltf.nodes
        self._document.check_index(node, len(nodes), f"{where}.target.node", "node")
        path = PATHS.get(name)
        if path is None:
            self._document.warn(where, f"the path {name!r} is unknown; the channel is ignored")
            return []
        if path == "weights":
            count = self._weight_counts.get(node, 0)
            if count == 0:
                self._document.warn(where, f"node {node} has no morph targets; the channel is ignored")
                return []
            return [Target(node, path, count)]
        if nodes[node].matrix is not None:
            self._document.warn(where, f"node {node} has a matrix; its {path} is replaced while the clip plays")
        return [Target(node, path, 0)]

    def _pointer_targets(self, target: schema.ChannelTarget, where: str) -> list[Target]:
        extension = target.extensions.get(POINTER)
        pointer = str(extension.get("pointer", "") if isinstance(extension, dict) else "")
        match pointer.split("/") if len(pointer) <= POINTER_LENGTH_MAX else []:
            case ["", "nodes", index, path] if index.isdecimal() and path in PATHS:
                return self._node_targets(int(index), path, where)
            case ["", "meshes", index, "weights"] if index.isdecimal():
                return self._mesh_targets(int(index), where)
        self._document.warn(where, f"the pointer {pointer[:100]!r} is nothing that a pose has; the channel is ignored")
        return []

    def _mesh_targets(self, mesh: int, where: str) -> list[Target]:
        """Return the nodes that show a mesh and have no weights of their own."""
        self._document.check_index(mesh, len(self._document.gltf.meshes), where, "mesh")
        return self._showing.get(mesh, [])
