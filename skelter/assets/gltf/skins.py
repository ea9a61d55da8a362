"""Skins: joints and inverse bind matrices."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skelter.assets.character import Nodes, Skin
from skelter.assets.gltf import schema
from skelter.assets.gltf.accessors import AccessorReader
from skelter.assets.gltf.document import Document
from skelter.core.checks import NUMBER_MAX, usable
from skelter.core.hierarchy import parents_first

LAST_ROW_TOLERANCE = 1e-5


def read_skins(document: Document, accessors: AccessorReader, nodes: Nodes) -> list[Skin]:
    """Read all skins.

    Raises:
        AssetError: A joint does not exist, or the inverse bind matrices are too few or not finite.
    """
    forest = _forest(nodes)
    return [_read_skin(document, accessors, forest, index) for index in range(len(document.gltf.skins))]


def _read_skin(document: Document, accessors: AccessorReader, forest: _Forest, index: int) -> Skin:
    where = f"skins[{index}]"
    skin = document.gltf.skins[index]
    if not skin.joints:
        raise document.error(where, "the skin has no joints")
    for joint in skin.joints:
        document.check_index(joint, len(forest.root), f"{where}.joints", "node")
    joints = np.array(skin.joints, np.int32)
    _check_roots(document, forest, joints, skin.skeleton, where)
    return Skin(
        name=skin.name,
        joints=joints,
        joint_from_bind=_inverse_binds(document, accessors, skin, f"{where}.inverseBindMatrices"),
    )


def _inverse_binds(document: Document, accessors: AccessorReader, skin: schema.Skin, where: str) -> np.ndarray:
    count = len(skin.joints)
    document.spend(count * 128, where)
    if skin.inverse_bind_matrices is None:
        return np.tile(np.eye(4), (count, 1, 1))
    found = accessors.info(skin.inverse_bind_matrices, where).count
    if found < count:
        raise document.error(where, f"there are {found} matrices for {count} joints")
    if found > count:
        document.warn(where, f"there are {found} matrices for {count} joints; the rest is ignored")
    columns = accessors.read_float_unchecked(skin.inverse_bind_matrices, where, ("MAT4",))[:count]
    matrices = columns.reshape(count, 4, 4).transpose(0, 2, 1).copy()
    broken = ~usable(columns).all(axis=1)
    if broken.any():
        document.warn(
            where, f"{int(broken.sum())} matrices are not finite or beyond {NUMBER_MAX:g}; they are the identity"
        )
        matrices[broken] = np.eye(4)
    if np.abs(matrices[:, 3] - [0.0, 0.0, 0.0, 1.0]).max() > LAST_ROW_TOLERANCE:
        document.warn(where, "the last row of a matrix is not 0 0 0 1; it is taken as that")
    matrices[:, 3] = [0.0, 0.0, 0.0, 1.0]
    return matrices


def _check_roots(document: Document, forest: _Forest, joints: np.ndarray, skeleton: int | None, where: str) -> None:
    """Warn about properties that do not matter for skinning but are wrong."""
    roots = forest.root[joints]
    if (roots != roots[0]).any():
        document.warn(f"{where}.joints", "the joints have no common root; each is posed by its own ancestors")
    if skeleton is None:
        return
    if not 0 <= skeleton < len(forest.root):
        document.warn(f"{where}.skeleton", f"there is no node {skeleton}; the property is ignored")
    elif not forest.below(joints, skeleton).all():
        document.warn(f"{where}.skeleton", f"node {skeleton} is no common root of the joints; it is ignored")


class _Forest(NamedTuple):
    """What is above what, without climbing: many skins may hang at the end of a long chain.

    Attributes:
        root: int ``[node]``: the topmost ancestor of each node.
        place: int ``[node]``: place of each node in depth-first order.
        size: int ``[node]``: number of nodes of the subtree, which lie behind each other in that order.
    """

    root: np.ndarray
    place: np.ndarray
    size: np.ndarray

    def below(self, nodes: np.ndarray, top: int) -> np.ndarray:
        """Return which nodes are ``top`` or below it."""
        offset = self.place[nodes] - self.place[top]
        below: np.ndarray = (offset >= 0) & (offset < self.size[top])
        return below


def _forest(nodes: Nodes) -> _Forest:
    parent = nodes.parent.tolist()
    root, place, size = list(range(len(parent))), [0] * len(parent), [1] * len(parent)
    order = parents_first(nodes.parent)
    for index, node in enumerate(order):
        place[node] = index
        if parent[node] >= 0:
            root[node] = root[parent[node]]
    for node in reversed(order):
        if parent[node] >= 0:
            size[parent[node]] += size[node]
    return _Forest(np.array(root, np.int32), np.array(place, np.int32), np.array(size, np.int32))
