"""Accessors: typed arrays out of buffer views, with strides, normalised integers, sparse elements and compression.

Source: the glTF 2.0 specification, section 3.6; EXT_meshopt_compression and KHR_meshopt_compression.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from skelter.assets.gltf.document import Document
from skelter.assets.gltf.schema import Accessor, BufferView
from skelter.core.checks import NUMBER_MAX, usable

COMPONENTS: dict[int, np.dtype[Any]] = {
    5120: np.dtype("<i1"),
    5121: np.dtype("<u1"),
    5122: np.dtype("<i2"),
    5123: np.dtype("<u2"),
    5125: np.dtype("<u4"),
    5126: np.dtype("<f4"),
}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
MATRIX_ROWS = {"MAT2": 2, "MAT3": 3, "MAT4": 4}
MESHOPT_EXTENSIONS = ("EXT_meshopt_compression", "KHR_meshopt_compression")
ZERO_COUNT_MAX = 1 << 20
"""Most elements of an accessor without any data, unless another accessor with data has as many."""


class _Layout(NamedTuple):
    """Where the components of one element lie."""

    dtype: np.dtype[Any]
    width: int  # components of an element
    rows: int  # components of a column; columns of matrices start at multiples of 4 bytes
    column_bytes: int

    @property
    def element_bytes(self) -> int:
        """Bytes from the first to past the last component."""
        return self.column_bytes * (self.width // self.rows - 1) + self.rows * self.dtype.itemsize

    @property
    def stride(self) -> int:
        """Bytes from one element to the next where the file does not say: the last column is padded, too."""
        return self.column_bytes * (self.width // self.rows)


class AccessorReader:
    """Reads the accessors of a document, each at most once."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._views: dict[int, memoryview] = {}
        self._raw: dict[int, np.ndarray] = {}
        self._float: dict[int, np.ndarray] = {}
        self._usable: set[int] = set()
        accessors = document.gltf.accessors
        backed = [accessor.count for accessor in accessors if accessor.buffer_view is not None]
        self._zero_count_max = max([ZERO_COUNT_MAX, *backed])

    def info(self, index: int, where: str) -> Accessor:
        """Return the accessor's JSON.

        Raises:
            AssetError: There is no such accessor.
        """
        accessors = self._document.gltf.accessors
        return accessors[self._document.check_index(index, len(accessors), where, "accessor")]

    def read(self, index: int, where: str, types: tuple[str, ...]) -> np.ndarray:
        """Return the elements as they are stored.

        Args:
            index: Index of the accessor.
            where: Place in the file that refers to it.
            types: glTF types that are allowed here, such as ``("VEC3",)``.

        Returns:
            Array ``[count, width]`` of the stored dtype. Matrices are column-major, as stored.

        Raises:
            AssetError: The accessor is out of bounds, of another type, or claims more than the file holds.
        """
        accessor = self.info(index, where)
        if accessor.type not in types:
            raise self._error(index, f"its type is {accessor.type!r}; {where} needs {' or '.join(types)}")
        if index not in self._raw:
            self._raw[index] = self._decode(index, accessor)
        return self._raw[index]

    def read_float(self, index: int, where: str, types: tuple[str, ...]) -> np.ndarray:
        """Return the elements as float64, normalised integers mapped to [0, 1] or [-1, 1].

        Raises:
            AssetError: As `read`; also when a value is not finite.
        """
        array = self.read_float_unchecked(index, where, types)
        if index in self._usable:
            return array
        good = usable(array)
        if not good.all():
            element = int(np.argmin(good)) // array.shape[1]
            raise self._error(index, f"element {element} is not finite or beyond {NUMBER_MAX:g}; {where} needs numbers")
        self._usable.add(index)
        return array

    def read_float_unchecked(self, index: int, where: str, types: tuple[str, ...]) -> np.ndarray:
        """Return the elements as float64, whatever they are: for curves, whose bad keys are dropped one by one."""
        raw = self.read(index, where, types)
        if index not in self._float:
            self._document.spend(raw.size * 8, f"accessors[{index}]")
            self._float[index] = as_float(raw, self.info(index, where).normalized)
        return self._float[index]

    def view(self, index: int) -> memoryview:
        """Return the bytes of a buffer view, decompressed.

        Raises:
            AssetError: The view runs past its buffer or its compressed data is broken.
        """
        if index not in self._views:
            document = self._document
            where = f"bufferViews[{index}]"
            view = document.gltf.buffer_views[
                document.check_index(index, len(document.gltf.buffer_views), where, "bufferView")
            ]
            name = next((name for name in MESHOPT_EXTENSIONS if name in view.extensions), None)
            self._views[index] = self._plain_view(view, where) if name is None else self._packed_view(view, name, where)
        return self._views[index]

    def _plain_view(self, view: BufferView, where: str) -> memoryview:
        return self._slice(view.buffer, view.byte_offset, view.byte_length, where)

    def _slice(self, buffer: int, offset: int, length: int, where: str) -> memoryview:
        data = self._document.buffer(buffer)
        if offset < 0 or length < 0 or offset + length > len(data):
            raise self._document.error(
                where, f"bytes {offset} to {offset + length} lie outside buffer {buffer}, which has {len(data)} bytes"
            )
        return data[offset : offset + length]

    def _packed_view(self, view: BufferView, name: str, where: str) -> memoryview:
        place = f"{where}.extensions.{name}"
        packed = view.extensions[name]
        try:
            buffer, length = int(packed["buffer"]), int(packed["byteLength"])
            count, stride = int(packed["count"]), int(packed["byteStride"])
            offset = int(packed.get("byteOffset", 0))
            mode, kind = str(packed["mode"]), str(packed.get("filter", "NONE"))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise self._document.error(place, f"a property is missing or wrong: {error!r}") from None
        if count < 0 or stride <= 0 or count * stride > view.byte_length:
            raise self._document.error(place, f"{count} x {stride} bytes do not fit byteLength {view.byte_length}")
        data = bytes(self._slice(buffer, offset, length, place))
        self._document.spend(count * stride, place)
        from skelter.assets.gltf.meshopt import decode_meshopt  # loads Numba: only for files that need it

        prefix = f"{self._document.path}: {place}"
        return decode_meshopt(data, count, stride, mode, kind, where=prefix).data

    def _decode(self, index: int, accessor: Accessor) -> np.ndarray:
        layout = self._layout(index, accessor)
        if accessor.count < 0:
            raise self._error(index, f"count is {accessor.count}")
        if accessor.buffer_view is None:
            if accessor.count > self._zero_count_max:
                raise self._error(index, f"it claims {accessor.count} elements without any data; refused")
            self._document.spend(accessor.count * layout.width * layout.dtype.itemsize, f"accessors[{index}]")
            array = np.zeros((accessor.count, layout.width), layout.dtype)
        else:
            array = self._strided(index, accessor, layout, accessor.buffer_view)
        if accessor.sparse is not None:
            array = self._with_sparse(index, accessor, layout, array)
        return array

    def _layout(self, index: int, accessor: Accessor) -> _Layout:
        dtype = COMPONENTS.get(accessor.component_type)
        if dtype is None:
            raise self._error(
                index, f"componentType {accessor.component_type} is none of {', '.join(map(str, COMPONENTS))}"
            )
        width = WIDTHS.get(accessor.type)
        if width is None:
            raise self._error(index, f"type {accessor.type!r} is none of {', '.join(WIDTHS)}")
        rows = MATRIX_ROWS.get(accessor.type, width)
        column_bytes = -(-rows * dtype.itemsize // 4) * 4 if accessor.type in MATRIX_ROWS else rows * dtype.itemsize
        return _Layout(dtype, width, rows, column_bytes)

    def _strided(self, index: int, accessor: Accessor, layout: _Layout, view_index: int) -> np.ndarray:
        data = self.view(view_index)
        stride = self._document.gltf.buffer_views[view_index].byte_stride or layout.stride
        if stride < layout.element_bytes:
            raise self._error(index, f"byteStride {stride} is less than the {layout.element_bytes} bytes of an element")
        if accessor.count < 2:
            stride = layout.stride  # the file's may be larger than an array can have
        return self._elements(index, data, accessor.byte_offset, stride, accessor.count, layout)

    def _elements(
        self, index: int, data: memoryview, offset: int, stride: int, count: int, layout: _Layout
    ) -> np.ndarray:
        end = offset + max(count - 1, 0) * stride + (layout.element_bytes if count else 0)
        if offset < 0 or end > len(data):
            raise self._error(
                index,
                f"{count} elements of stride {stride} at offset {offset} need {end} bytes; its view has {len(data)}",
            )
        shape = (count, layout.width // layout.rows, layout.rows)
        strides = (stride, layout.column_bytes, layout.dtype.itemsize)
        self._document.spend(count * layout.width * layout.dtype.itemsize, f"accessors[{index}]")
        array: np.ndarray = np.ndarray(shape, layout.dtype, data, offset, strides)
        return np.ascontiguousarray(array).reshape(count, layout.width)

    def _with_sparse(self, index: int, accessor: Accessor, layout: _Layout, base: np.ndarray) -> np.ndarray:
        sparse = accessor.sparse
        assert sparse is not None
        place = f"accessors[{index}].sparse"
        dtype = COMPONENTS.get(sparse.indices.component_type)
        if dtype is None or dtype.kind != "u":
            raise self._document.error(place, f"indices.componentType is {sparse.indices.component_type}")
        if not 0 <= sparse.count <= accessor.count:
            raise self._document.error(place, f"count is {sparse.count}, the accessor has {accessor.count} elements")
        index_layout = _Layout(dtype, 1, 1, dtype.itemsize)
        indices = self._elements(
            index,
            self.view(sparse.indices.buffer_view),
            sparse.indices.byte_offset,
            dtype.itemsize,
            sparse.count,
            index_layout,
        )[:, 0]
        values = self._elements(
            index,
            self.view(sparse.values.buffer_view),
            sparse.values.byte_offset,
            layout.stride,
            sparse.count,
            layout,
        )
        if indices.size and int(indices.max()) >= accessor.count:
            raise self._document.error(place, f"index {int(indices.max())} is past the {accessor.count} elements")
        array = base.copy()
        array[indices] = values
        return array

    def _error(self, index: int, message: str) -> Exception:
        return self._document.error(f"accessors[{index}]", message)


def as_float(raw: np.ndarray, normalized: bool) -> np.ndarray:
    """Convert to float64; normalised integers by the formulas of the specification, section 3.6.2.2."""
    with np.errstate(invalid="ignore"):  # a signalling NaN stays a NaN, which is found where it is used
        array = raw.astype(np.float64)
    if normalized and raw.dtype.kind in "iu":
        array /= np.iinfo(raw.dtype).max
        if raw.dtype.kind == "i":
            np.maximum(array, -1.0, out=array)
    return array
