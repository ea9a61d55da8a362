"""Make small glTF files in code."""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

COMPONENTS = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123, "u4": 5125, "f4": 5126}
TYPES = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}


class GltfBuilder:
    """A glTF document that grows; ``json`` may be changed at will before it is written."""

    def __init__(self) -> None:
        self.json: dict[str, Any] = {"asset": {"version": "2.0"}}
        self._data = bytearray()

    def add(self, name: str, entry: dict[str, Any]) -> int:
        """Append to a list of the document and return the index."""
        self.json.setdefault(name, []).append(entry)
        return len(self.json[name]) - 1

    def view(self, data: bytes, **entry: Any) -> int:
        """Append bytes and return the index of their buffer view."""
        self._data += b"\0" * (-len(self._data) % 4)
        offset = len(self._data)
        self._data += data or b"\0\0\0\0"
        return self.add("bufferViews", {"buffer": 0, "byteOffset": offset, "byteLength": len(data)} | entry)

    def extend(self, data: bytes) -> None:
        """Append bytes that the document already describes."""
        self._data += data

    def accessor(self, values: Any, dtype: str = "f4", **entry: Any) -> int:
        """Append an array and return the index of its accessor."""
        array = np.asarray(values, dtype)
        width = array.shape[1] if array.ndim == 2 else 1
        base = {"bufferView": self.view(array.tobytes()), "componentType": COMPONENTS[array.dtype.str[1:]]}
        return self.add("accessors", base | {"count": len(array), "type": TYPES[width]} | entry)

    def clip(self, node: int, path: str, times: Any, values: Any, interpolation: str = "LINEAR", **entry: Any) -> int:
        """Append an animation of one channel and return its index."""
        sampler = {"input": self.accessor(times), "output": self.accessor(values), "interpolation": interpolation}
        channel = {"sampler": 0, "target": {"node": node, "path": path}}
        return self.add("animations", {"samplers": [sampler], "channels": [channel]} | entry)

    def triangle(self, **attributes: int) -> int:
        """Append a mesh of one triangle and return its index."""
        position = self.accessor([[0, 0, 0], [1, 0, 0], [0, 1, 0]])
        return self.add("meshes", {"primitives": [{"attributes": {"POSITION": position} | attributes}]})

    def glb(self) -> bytes:
        """Return the document as GLB."""
        return glb(json.dumps(self._document()).encode(), bytes(self._data))

    def write(self, folder: Path, name: str = "test.glb") -> Path:
        """Write a GLB, or a glTF with base64 data, as the suffix says."""
        path = folder / name
        if path.suffix == ".gltf":
            document = self._document()
            for buffer in document.get("buffers", []):
                buffer.setdefault("uri", "data:;base64," + base64.b64encode(self._data).decode())
            path.write_text(json.dumps(document))
        else:
            path.write_bytes(self.glb())
        return path

    def _document(self) -> dict[str, Any]:
        document = json.loads(json.dumps(self.json))
        if self._data:
            document.setdefault("buffers", [{"byteLength": len(self._data)}])
        return document


def glb(text: bytes, binary: bytes = b"", *, version: int = 2, length: int | None = None) -> bytes:
    """Return a GLB of a JSON chunk and, if there is any, a binary chunk."""
    text += b" " * (-len(text) % 4)
    binary += b"\0" * (-len(binary) % 4)
    chunks = chunk(b"JSON", text) + (chunk(b"BIN\0", binary) if binary else b"")
    return struct.pack("<4sII", b"glTF", version, 12 + len(chunks) if length is None else length) + chunks


def chunk(kind: bytes, data: bytes) -> bytes:
    """Return a GLB chunk."""
    return struct.pack("<I", len(data)) + kind + data
