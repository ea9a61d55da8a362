"""The binary chunk of a GLB: accessors that share bytes where they hold the same."""

from __future__ import annotations

from typing import Any

import numpy as np

COMPONENT_TYPES = {"|u1": 5121, "<u2": 5123, "<u4": 5125, "<f4": 5126}
TYPES = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER = 34962, 34963


class BufferWriter:
    """Collects arrays into one buffer, and the accessors and buffer views that describe them."""

    def __init__(self) -> None:
        self.accessors: list[dict[str, Any]] = []
        self.views: list[dict[str, Any]] = []
        self._chunks: list[bytes] = []
        self._size = 0
        self._known: dict[tuple[Any, ...], int] = {}

    def data(self) -> bytes:
        """Return the bytes of the buffer; their number is a multiple of 4."""
        return b"".join(self._chunks)

    def accessor(self, array: np.ndarray, *, target: int | None = None, limits: bool = False) -> int:
        """Add an array and return the index of its accessor; an equal array is added once.

        Args:
            array: ``[element]`` or ``[element, component]``, of a dtype that glTF knows.
            target: Use of the buffer view, as glTF numbers it.
            limits: Store the smallest and largest value of each component.
        """
        array = np.ascontiguousarray(array)
        bits = array.tobytes()
        key = (bits, array.dtype.str, array.shape, target, limits)
        if key not in self._known:
            self._known[key] = len(self.accessors)
            self.accessors.append(self._describe(array, bits, target, limits))
        return self._known[key]

    def view(self, bits: bytes, target: int | None = None, stride: int | None = None) -> int:
        """Add bytes and return the index of their buffer view."""
        entry: dict[str, Any] = {"buffer": 0, "byteOffset": self._size, "byteLength": len(bits)}
        if target is not None:
            entry["target"] = target
        if stride is not None:
            entry["byteStride"] = stride
        padded = bits + b"\0" * (-len(bits) % 4)
        self._chunks.append(padded)
        self._size += len(padded)
        self.views.append(entry)
        return len(self.views) - 1

    def _describe(self, array: np.ndarray, bits: bytes, target: int | None, limits: bool) -> dict[str, Any]:
        width = array.shape[1] if array.ndim == 2 else 1
        entry: dict[str, Any] = {
            "componentType": COMPONENT_TYPES[array.dtype.str],
            "count": len(array),
            "type": TYPES[width],
        }
        if limits:
            rows = array.reshape(len(array), width)
            entry["min"], entry["max"] = rows.min(axis=0).tolist(), rows.max(axis=0).tolist()
        # The attributes of a vertex must start at multiples of 4: the stride says so where there could be doubt.
        stride = width * array.dtype.itemsize if target == ARRAY_BUFFER else None
        if array.any() or limits or target is not None:
            entry["bufferView"] = self.view(bits, target, stride)
        return entry
