"""Nodes: the transform hierarchy of a file, checked to be a forest."""

from __future__ import annotations

import numpy as np

from skelter.assets.character import Nodes
from skelter.assets.gltf.document import Document
from skelter.assets.gltf.schema import Node
from skelter.assets.names import unique_names
from skelter.core.affine import decompose
from skelter.core.checks import NUMBER_MAX, usable

NODE_COUNT_MAX = 65_536
SHEAR_TOLERANCE = 1e-4
UNIT_TOLERANCE = 5e-3
"""Quaternions whose length differs from 1 by more than this are reported; 8-bit ones are off by up to 0.4 %."""


def read_nodes(document: Document) -> Nodes:
    """Read names, parents and rest transforms of all nodes.

    Raises:
        AssetError: A node has two parents or is its own ancestor, an index or a transform is wrong.
    """
    nodes = document.gltf.nodes
    if len(nodes) > NODE_COUNT_MAX:
        raise document.error("nodes", f"the file has {len(nodes)} nodes; skelter reads up to {NODE_COUNT_MAX}")
    parent = _parents(document)
    _refuse_cycles(document, parent)
    result = Nodes(
        names=unique_names([node.name for node in nodes], "node"),
        parent=parent,
        translation=np.zeros((len(nodes), 3)),
        rotation=np.tile([0.0, 0.0, 0.0, 1.0], (len(nodes), 1)),
        scale=np.ones((len(nodes), 3)),
    )
    for index, node in enumerate(nodes):
        _read_transform(document, index, node, result)
    return result


def _parents(document: Document) -> np.ndarray:
    nodes = document.gltf.nodes
    parent = np.full(len(nodes), -1, np.int32)
    for index, node in enumerate(nodes):
        for child in node.children:
            where = f"nodes[{index}].children"
            document.check_index(child, len(nodes), where, "node")
            if parent[child] >= 0:
                found = f"node {child} has two parents, {parent[child]} and {index}"
                raise document.error(where, f"{found}: the hierarchy has a cycle or a shared child")
            parent[child] = index
    return parent


def _refuse_cycles(document: Document, parent: np.ndarray) -> None:
    """Raise if a node is its own ancestor: such nodes are never reached from a root."""
    reached = np.zeros(len(parent), bool)
    front = [int(index) for index in np.flatnonzero(parent < 0)]
    while front:
        index = front.pop()
        reached[index] = True
        front.extend(document.gltf.nodes[index].children)
    if not reached.all():
        index = int(np.argmin(reached))
        raise document.error(f"nodes[{index}]", "the node is its own ancestor: the hierarchy has a cycle")


def _read_transform(document: Document, index: int, node: Node, out: Nodes) -> None:
    where = f"nodes[{index}]"
    if node.matrix is not None:
        if node.translation is not None or node.rotation is not None or node.scale is not None:
            document.warn(where, "it has both a matrix and translation, rotation or scale; the matrix is used")
        _read_matrix(document, index, _numbers(document, node.matrix, 16, f"{where}.matrix"), out)
        return
    if node.translation is not None:
        out.translation[index] = _numbers(document, node.translation, 3, f"{where}.translation")
    if node.rotation is not None:
        rotation = _numbers(document, node.rotation, 4, f"{where}.rotation")
        out.rotation[index] = _unit(document, rotation, f"{where}.rotation")
    if node.scale is not None:
        out.scale[index] = _numbers(document, node.scale, 3, f"{where}.scale")


def _read_matrix(document: Document, index: int, values: np.ndarray, out: Nodes) -> None:
    translation, rotation, scale, residual = decompose(values.reshape(4, 4).T)
    if residual > SHEAR_TOLERANCE:
        document.warn(
            f"nodes[{index}].matrix", f"the matrix has shear, which is lost (up to {residual:.2g} of its scale)"
        )
    out.translation[index], out.rotation[index], out.scale[index] = translation, rotation, scale


def _numbers(document: Document, values: list[float], count: int, where: str) -> np.ndarray:
    if len(values) != count:
        raise document.error(where, f"it has {len(values)} numbers, not {count}")
    array = np.array(values, np.float64)
    if not usable(array).all():
        raise document.error(where, f"{values} is not finite or beyond {NUMBER_MAX:g}")
    return array


def _unit(document: Document, rotation: np.ndarray, where: str) -> np.ndarray:
    length = float(np.linalg.norm(rotation))
    if length < 1e-9:
        document.warn(where, "the rotation is a zero quaternion; the identity is used")
        return np.array([0.0, 0.0, 0.0, 1.0])
    if abs(length - 1.0) > UNIT_TOLERANCE:
        document.warn(where, f"the quaternion has length {length:.4g}; it is normalised")
    return rotation / length


def scene_roots(document: Document) -> list[int]:
    """Return the root nodes of the default scene: the file's ``scene``, else its first one, else all roots.

    Raises:
        AssetError: The scene, or a node of it, does not exist.
    """
    gltf = document.gltf
    if not gltf.scenes:
        children = {child for node in gltf.nodes for child in node.children}
        return [index for index in range(len(gltf.nodes)) if index not in children]
    scene = document.check_index(gltf.scene or 0, len(gltf.scenes), "scene", "scene")
    for node in gltf.scenes[scene].nodes:
        document.check_index(node, len(gltf.nodes), f"scenes[{scene}].nodes", "node")
    return gltf.scenes[scene].nodes


def visible_nodes(document: Document) -> set[int]:
    """Return the nodes of the default scene, descendants included."""
    visible: set[int] = set()
    front = list(scene_roots(document))
    while front:
        index = front.pop()
        if index not in visible:
            visible.add(index)
            front.extend(document.gltf.nodes[index].children)
    return visible
