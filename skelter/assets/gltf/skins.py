"""Skins: joints and inverse bind matrices."""

from __future__ import annotations

import numpy as np

from skelter.assets.character import Nodes, Skin
from skelter.assets.gltf import schema
from skelter.assets.gltf.accessors import AccessorReader
from skelter.assets.gltf.document import Document

LAST_ROW_TOLERANCE = 1e-5


def read_skins(document: Document, accessors: AccessorReader, nodes: Nodes) -> list[Skin]:
    """Read all skins.

    Raises:
        AssetError: A joint does not exist, or the inverse bind matrices are too few or not finite.
    """
    return [_read_skin(document, accessors, nodes, index) for index in range(len(document.gltf.skins))]


def _read_skin(document: Document, accessors: AccessorReader, nodes: Nodes, index: int) -> Skin:
    where = f"skins[{index}]"
    skin = document.gltf.skins[index]
    if not skin.joints:
        raise document.error(where, "the skin has no joints")
    for joint in skin.joints:
        document.check_index(joint, len(nodes), f"{where}.joints", "node")
    _check_roots(document, nodes, skin, where)
    return Skin(
        name=skin.name,
        joints=np.array(skin.joints, np.int32),
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
    columns = accessors.read_float(skin.inverse_bind_matrices, where, ("MAT4",))[:count]
    matrices = columns.reshape(count, 4, 4).transpose(0, 2, 1).copy()
    if np.abs(matrices[:, 3] - [0.0, 0.0, 0.0, 1.0]).max() > LAST_ROW_TOLERANCE:
        document.warn(where, "the last row of a matrix is not 0 0 0 1; it is taken as that")
    matrices[:, 3] = [0.0, 0.0, 0.0, 1.0]
    return matrices


def _check_roots(document: Document, nodes: Nodes, skin: schema.Skin, where: str) -> None:
    """Warn about properties that do not matter for skinning but are wrong."""
    roots = _ends_of_climb(nodes, skin.joints, stop=-1)
    if len(roots) > 1:
        document.warn(f"{where}.joints", "the joints have no common root; each is posed by its own ancestors")
    if skin.skeleton is None:
        return
    if not 0 <= skin.skeleton < len(nodes):
        document.warn(f"{where}.skeleton", f"there is no node {skin.skeleton}; the property is ignored")
    elif _ends_of_climb(nodes, skin.joints, stop=skin.skeleton) != {skin.skeleton}:
        document.warn(f"{where}.skeleton", f"node {skin.skeleton} is no common root of the joints; it is ignored")


def _ends_of_climb(nodes: Nodes, joints: list[int], stop: int) -> set[int]:
    """Return where one arrives by climbing from every joint to ``stop`` or a root. Each node is visited once."""
    ends: set[int] = set()
    visited: set[int] = set()
    parent = nodes.parent
    for joint in joints:
        node = joint
        while node not in visited:
            visited.add(node)
            above = int(parent[node])
            if node == stop or above < 0:
                ends.add(node)
                break
            node = above
    return ends
