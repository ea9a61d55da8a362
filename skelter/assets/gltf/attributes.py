"""Vertex attributes of a primitive, plain or compressed with Draco.

Source: the glTF 2.0 specification, section 3.7.2; KHR_draco_mesh_compression.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from skelter.assets.gltf import schema
from skelter.assets.gltf.accessors import AccessorReader, as_float
from skelter.assets.gltf.document import Document
from skelter.core.checks import NUMBER_MAX, usable
from skelter.core.errors import MissingExtraError

if TYPE_CHECKING:
    from skelter.assets.gltf.draco import DracoMesh

DRACO = "KHR_draco_mesh_compression"


class Attributes:
    """The vertex attributes of one primitive, all of the same length."""

    def __init__(
        self,
        document: Document,
        accessors: AccessorReader,
        primitive: schema.Primitive,
        where: str,
        draco: DracoMesh | None,
    ) -> None:
        self._document = document
        self.accessors = accessors
        self._indices = dict(primitive.attributes)
        self._where = where
        self._draco = draco
        self._draco_ids = _draco_ids(primitive) if draco is not None else {}
        self._count: int | None = None

    def __contains__(self, name: str) -> bool:
        return name in self._indices

    @property
    def triangles(self) -> np.ndarray | None:
        """Triangles of Draco data, uint32 ``[tri, 3]``, or None when the primitive's own indices count."""
        return None if self._draco is None else self._draco.triangles

    def floats(self, name: str, types: tuple[str, ...]) -> np.ndarray:
        """Return an attribute as float64 ``[vert, width]``.

        Raises:
            AssetError: Its type is none of ``types``, it is not finite, or its length is not that of the others.
        """
        where = f"{self._where}.attributes.{name}"
        packed = self._packed(name)
        if packed is None:
            values = self.accessors.read_float(self._indices[name], where, types)
        else:
            normalized = self.accessors.info(self._indices[name], where).normalized
            values = as_float(packed, normalized)
            if not usable(values).all():
                raise self._document.error(where, f"a value is not finite or beyond {NUMBER_MAX:g}")
        return self._counted(values, where)

    def vectors(self, name: str, width: int) -> np.ndarray:
        """Return an attribute of ``width`` components as float32 ``[vert, width]``."""
        values = self.floats(name, (f"VEC{width}",))
        if values.shape[1] != width:
            raise self._document.error(f"{self._where}.attributes.{name}", f"it has {values.shape[1]} components")
        self._document.spend(values.size * 4, self._where)
        return values.astype(np.float32)

    def integers(self, name: str) -> np.ndarray:
        """Return a VEC4 of integers as stored, such as ``JOINTS_0``."""
        where = f"{self._where}.attributes.{name}"
        packed = self._packed(name)
        values = self.accessors.read(self._indices[name], where, ("VEC4",)) if packed is None else packed
        if values.dtype.kind == "f":
            if not (usable(values).all() and np.array_equal(values, np.rint(values))):
                raise self._document.error(where, "joint indices must be whole numbers")
            values = values.astype(np.int64)
        return self._counted(values, where)

    def _packed(self, name: str) -> np.ndarray | None:
        if self._draco is None or name not in self._draco_ids:
            return None
        values = self._draco.attributes.get(self._draco_ids[name])
        if values is None:
            raise self._document.error(
                f"{self._where}.extensions.{DRACO}", f"the data has no attribute {self._draco_ids[name]} for {name}"
            )
        return values

    def _counted(self, values: np.ndarray, where: str) -> np.ndarray:
        if self._count is None:
            self._count = len(values)
        if len(values) != self._count:
            raise self._document.error(where, f"it has {len(values)} elements, the other attributes {self._count}")
        return values


def read_attributes(
    document: Document, accessors: AccessorReader, primitive: schema.Primitive, where: str
) -> Attributes:
    """Return the vertex attributes of a primitive, decompressed if need be.

    Raises:
        AssetError: The compressed data is broken.
        MissingExtraError: It needs the ``draco`` extra and has no uncompressed fallback.
    """
    draco = None
    if DRACO in primitive.extensions:
        place = f"{where}.extensions.{DRACO}"
        try:
            draco = _decode(document, accessors, primitive, place)
        except MissingExtraError:
            if not _has_fallback(accessors, primitive, where):
                raise
            document.warn(place, "the draco extra is not installed; the uncompressed fallback is used")
    return Attributes(document, accessors, primitive, where, draco)


def _decode(document: Document, accessors: AccessorReader, primitive: schema.Primitive, where: str) -> DracoMesh:
    from skelter.assets.gltf.draco import decode_draco

    view = primitive.extensions[DRACO].get("bufferView") if isinstance(primitive.extensions[DRACO], dict) else None
    if not isinstance(view, int):
        raise document.error(where, "it has no bufferView")
    _draco_ids(primitive)
    claimed = sum(max(accessors.info(index, where).count, 0) for index in primitive.attributes.values())
    document.spend(claimed * 16, where)
    mesh = decode_draco(bytes(accessors.view(view)), where=f"{document.path}: {where}")
    document.spend(mesh.triangles.nbytes + sum(values.nbytes for values in mesh.attributes.values()), where)
    return mesh


def _draco_ids(primitive: schema.Primitive) -> dict[str, int]:
    ids = primitive.extensions[DRACO].get("attributes", {})
    return {str(name): value for name, value in ids.items() if isinstance(value, int)} if isinstance(ids, dict) else {}


def _has_fallback(accessors: AccessorReader, primitive: schema.Primitive, where: str) -> bool:
    position = primitive.attributes.get("POSITION")
    return position is not None and accessors.info(position, where).buffer_view is not None
