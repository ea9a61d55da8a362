"""Triangles of a primitive, whatever its mode."""

from __future__ import annotations

import numpy as np

from skelter.assets.gltf import schema
from skelter.assets.gltf.attributes import Attributes
from skelter.assets.gltf.document import Document

TRIANGLES, TRIANGLE_STRIP, TRIANGLE_FAN = 4, 5, 6
MODES = {0: "points", 1: "lines", 2: "a line loop", 3: "a line strip"}


def read_triangles(
    document: Document, attributes: Attributes, primitive: schema.Primitive, where: str, vertex_count: int
) -> np.ndarray:
    """Return the triangles, uint32 ``[tri, 3]``; none for points and lines.

    Raises:
        AssetError: An index is past the last vertex, or the mode does not exist.
    """
    if attributes.triangles is not None:
        corners = attributes.triangles.reshape(-1)
    else:
        corners = _corners(document, attributes, primitive, where, vertex_count)
    if corners.size and int(corners.max()) >= vertex_count:
        raise document.error(f"{where}.indices", f"index {int(corners.max())} is past the {vertex_count} vertices")
    if primitive.mode in MODES:
        document.warn(where, f"the primitive is made of {MODES[primitive.mode]}, which are not drawn")
        return np.zeros((0, 3), np.uint32)
    mode = TRIANGLES if attributes.triangles is not None else primitive.mode
    document.spend(corners.size * 12, where)
    return _assembled(document, corners.astype(np.uint32), mode, where)


def _corners(
    document: Document, attributes: Attributes, primitive: schema.Primitive, where: str, vertex_count: int
) -> np.ndarray:
    if primitive.indices is None:
        return np.arange(vertex_count, dtype=np.uint32)
    corners = attributes.accessors.read(primitive.indices, f"{where}.indices", ("SCALAR",))[:, 0]
    if corners.dtype.kind != "u":
        raise document.error(f"{where}.indices", "indices must be unsigned integers")
    return corners


def _assembled(document: Document, corners: np.ndarray, mode: int, where: str) -> np.ndarray:
    if mode == TRIANGLES:
        if corners.size % 3:
            document.warn(where, f"{corners.size} indices are no whole number of triangles; the rest is ignored")
        return corners[: corners.size // 3 * 3].reshape(-1, 3)
    if mode not in (TRIANGLE_STRIP, TRIANGLE_FAN):
        raise document.error(f"{where}.mode", f"there is no mode {mode}")
    if corners.size < 3:
        return np.zeros((0, 3), np.uint32)
    if mode == TRIANGLE_FAN:
        first = np.broadcast_to(corners[:1], corners.size - 2)
        return np.stack([first, corners[1:-1], corners[2:]], axis=1)
    strip = np.stack([corners[:-2], corners[1:-1], corners[2:]], axis=1)
    strip[1::2] = strip[1::2][:, [1, 0, 2]]
    return strip
