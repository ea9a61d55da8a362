"""Decode meshes that are compressed with KHR_draco_mesh_compression, through the optional package DracoPy.

The decoder believes the counts in the header of its data and takes memory for them, so they are looked at here first.

Source: KHR_draco_mesh_compression; the Draco bitstream specification 2.2, sections 4 and 5.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from skelter.core.arrays import Triangles
from skelter.core.errors import AssetError, MissingExtraError

COUNT_PER_BYTE_MAX = 256
"""Faces or vertices per byte of data. The most regular of meshes, a flat grid of 4-bit positions, has 66."""
COUNT_MIN = 1 << 20
"""Data of any size may claim this many faces or vertices."""

_MAGIC = b"DRACO"
_VERSION = (2, 2)
_MESH = 1
_SEQUENTIAL, _EDGEBREAKER = 0, 1
_METADATA_FLAG = 0x8000
_DTYPES = {1: np.int8, 2: np.uint8, 3: np.int16, 4: np.uint16, 5: np.int32, 6: np.uint32, 9: np.float32}


@dataclass(frozen=True, slots=True)
class DracoMesh:
    """A decoded mesh.

    Attributes:
        triangles: uint32 ``[tri, 3]``.
        attributes: Values ``[vert, component]`` as they were before compression (integers are not normalised), by the
            unique id that ``extensions.KHR_draco_mesh_compression.attributes`` refers to.
    """

    triangles: Triangles
    attributes: dict[int, np.ndarray]


def decode_draco(data: bytes, where: str) -> DracoMesh:
    """Decode a compressed mesh.

    Args:
        data: The bytes of the buffer view.
        where: Place in the file, which begins the message of an error.

    Raises:
        AssetError: The data is broken, claims far more than it can hold, or is no mesh.
        MissingExtraError: DracoPy is not installed.
    """
    try:
        import DracoPy
    except ImportError:
        raise MissingExtraError(
            f"{where}: this mesh is compressed with Draco; install the decoder with: pip install skelter[draco]"
        ) from None
    try:
        _check_claims(data)
        return _checked_mesh(_decode(DracoPy.decode, data))
    except _BrokenError as error:
        raise AssetError(f"{where}: Draco data is broken: {error}; export the file again") from None


class _BrokenError(Exception):
    """What is wrong with the data; the caller knows where it lies."""


def _decode(decode: Callable[[bytes], Any], data: bytes) -> Any:
    try:
        return decode(data)
    except Exception as error:  # DracoPy's errors have no class in common
        raise _BrokenError(str(error)) from None


def _checked_mesh(decoded: Any) -> DracoMesh:
    faces = getattr(decoded, "faces", ())  # a mesh without faces comes back as a point cloud
    triangles = np.asarray(faces, np.uint32).reshape(-1, 3)
    values = {int(attribute["unique_id"]): _typed(attribute) for attribute in decoded.attributes}
    vertex_count = min((len(array) for array in values.values()), default=0)
    if triangles.size and int(triangles.max()) >= vertex_count:
        raise _BrokenError(f"a triangle refers to vertex {int(triangles.max())} of {vertex_count}")
    return DracoMesh(triangles, values)


def _typed(attribute: dict[str, Any]) -> np.ndarray:
    """Return the values in their own type: DracoPy widens 16-bit integers, whose type tells how to normalise them."""
    dtype = _DTYPES.get(int(attribute["data_type"]))
    if dtype is None:
        raise _BrokenError(f"attribute {attribute['unique_id']} has data type {int(attribute['data_type'])}")
    values: np.ndarray = np.asarray(attribute["data"])
    return values.reshape(len(values), -1).astype(dtype)


def _check_claims(data: bytes) -> None:
    """Refuse data whose header is no Draco mesh, or claims counts that data of this size cannot hold."""
    reader = _HeaderReader(data)
    if data[: len(_MAGIC)] != _MAGIC:
        raise _BrokenError(f"it must start with {_MAGIC!r}; it starts with {bytes(data[: len(_MAGIC)])!r}")
    reader.skip(len(_MAGIC))
    version = (reader.byte(), reader.byte())
    if version != _VERSION:
        raise _BrokenError(f"its version is {version[0]}.{version[1]}; glTF allows 2.2")
    if (kind := reader.byte()) != _MESH:
        raise _BrokenError(f"its type is {kind}, not a mesh ({_MESH})")
    if (method := reader.byte()) not in (_SEQUENTIAL, _EDGEBREAKER):
        raise _BrokenError(f"its encoding method is {method}")
    if (reader.byte() | reader.byte() << 8) & _METADATA_FLAG:
        reader.skip_metadata()
    reader.skip(method)  # the edgebreaker method names its variant first
    claimed = max(reader.varint(), reader.varint())  # faces and vertices
    allowed = max(COUNT_MIN, COUNT_PER_BYTE_MAX * len(data))
    if claimed > allowed:
        raise _BrokenError(f"{len(data)} bytes claim {claimed} faces or vertices; {allowed} are allowed")


class _HeaderReader:
    """Reads the header from front to back, and never past its end."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._position = 0

    def skip(self, count: int) -> None:
        self._position += count
        if self._position > len(self._data):
            raise _BrokenError(f"it ends early, after {len(self._data)} bytes")

    def byte(self) -> int:
        self.skip(1)
        return self._data[self._position - 1]

    def varint(self) -> int:
        """Read 7 bits of each byte, low bits first."""
        value = shift = 0
        while (code := self.byte()) & 0x80:
            value |= (code & 0x7F) << shift
            shift += 7
            if shift > 28:
                raise _BrokenError("a number of its header has more than 32 bits")
        return value | code << shift

    def skip_metadata(self) -> None:
        """Skip one named tree of entries for each attribute, and the one of the mesh.

        A tree is its entries, the number of its subtrees, and the subtrees, each after its name; read depth first.
        """
        for attribute in range(self.varint(), -1, -1):
            if attribute:  # the last one is that of the mesh, which has no attribute id
                self.varint()
            trees = 1
            while trees:
                for _ in range(self.varint()):
                    self.skip(self.byte())
                    self.skip(self.varint())
                subtrees = self.varint()
                trees += subtrees - 1
                if trees:
                    self.skip(self.byte())
