"""Order and product of a hierarchy that is given by the parent of each node, in any order."""

from __future__ import annotations

import numpy as np

from skelter.core.arrays import Matrices, NodeParents


def parents_first(parent: NodeParents) -> list[int]:
    """Return node indices, depth first, so that a parent comes before its children and a subtree is one run.

    Args:
        parent: int ``[node]``, -1 for a root; a forest.
    """
    children: list[list[int]] = [[] for _ in range(len(parent))]
    roots: list[int] = []
    for node, above in enumerate(parent.tolist()):
        (roots if above < 0 else children[above]).append(node)
    order: list[int] = []
    front = roots[::-1]
    while front:
        node = front.pop()
        order.append(node)
        front.extend(reversed(children[node]))
    return order


def model_matrices(parent_from_node: Matrices, parent: NodeParents) -> Matrices:
    """Return ``model_from_node[n] = model_from_node[parent[n]] @ parent_from_node[n]``.

    Args:
        parent_from_node: float64 ``[node, 4, 4]``.
        parent: int ``[node]``, -1 for a root; a forest.
    """
    model: np.ndarray = parent_from_node.copy()
    for node in parents_first(parent):
        if parent[node] >= 0:
            model[node] = model[parent[node]] @ parent_from_node[node]
    return model
