"""Document: a parsed glTF file, its buffers, its warnings, and the limits that hostile files meet."""

from __future__ import annotations

import base64
import binascii
from pathlib import Path
from urllib.parse import unquote, unquote_to_bytes, urlsplit

import msgspec

from skelter.assets.character import AssetWarning
from skelter.assets.files import read_file
from skelter.assets.gltf.container import split_container
from skelter.assets.gltf.schema import Gltf
from skelter.core.errors import AssetError

OBJECT_COUNT_MAX = 500_000
"""Most JSON objects (or lists) in a file. A character with 76 clips and 50 joints has 44,000."""
VALUE_COUNT_MAX = 2_000_000
"""Most commas in the JSON of a file: a named value of an object takes 200 bytes once it is parsed."""
MESSAGE_LENGTH_MAX = 500
"""Messages quote the file; longer ones are cut."""
WARNING_COUNT_MAX = 1_000
"""Warnings after this many are counted, not kept."""
DECODED_BYTES_MIN = 256 << 20
"""A file may always decode to this many bytes; beyond that, to `DECODED_BYTES_PER_BYTE` times its own size."""
DECODED_BYTES_PER_BYTE = 6


class Document:
    """A glTF file that is being read.

    Attributes:
        path: The file.
        gltf: Its JSON.
        warnings: What was odd so far.
    """

    def __init__(self, path: Path) -> None:
        """Read and parse a file.

        Raises:
            AssetError: The file cannot be read or is no glTF 2.0.
        """
        self.path = path
        self.warnings: list[AssetWarning] = []
        self._warning_count = 0
        data = read_file(path)
        text, self._binary = split_container(data, str(path), self.warn)
        self.gltf = _parse(text, path)
        self._buffers: dict[int, memoryview] = {}
        self._files: dict[Path, bytes] = {}
        self._budget = DECODED_BYTES_MIN + DECODED_BYTES_PER_BYTE * len(data)

    def warn(self, where: str, message: str) -> None:
        """Record an oddity that was mended or ignored."""
        self._warning_count += 1
        if self._warning_count <= WARNING_COUNT_MAX:
            self.warnings.append(AssetWarning(where, _shortened(message)))
        elif self._warning_count == WARNING_COUNT_MAX + 1:
            self.warnings.append(
                AssetWarning("file", f"more than {WARNING_COUNT_MAX} warnings; the rest is not listed")
            )

    def error(self, where: str, message: str) -> AssetError:
        """Return the error for a place in this file, to be raised."""
        return AssetError(f"{self.path}: {where}: {_shortened(message)}")

    def spend(self, size: int, where: str) -> None:
        """Take ``size`` bytes from the memory that this file may decode to.

        Raises:
            AssetError: The file claims more data than a file of its size can hold.
        """
        self._budget -= size
        if self._budget < 0:
            raise self.error(where, f"the file claims far more data than its size allows ({size} bytes here); refused")

    def check_index(self, index: int, count: int, where: str, kind: str) -> int:
        """Return ``index`` if it is one of ``count`` things called ``kind``.

        Raises:
            AssetError: It is not.
        """
        if not 0 <= index < count:
            raise self.error(where, f"there is no {kind} {index}; the file has {count}")
        return index

    def buffer(self, index: int) -> memoryview:
        """Return the bytes of a buffer, exactly ``byteLength`` of them.

        Raises:
            AssetError: The buffer is missing, too short, badly encoded, or lies outside the file's folder.
        """
        if index not in self._buffers:
            self._buffers[index] = self._load_buffer(index)
        return self._buffers[index]

    def read_uri(self, uri: str, where: str) -> bytes:
        """Return the bytes behind a ``data:`` URI or a relative path.

        Raises:
            AssetError: The URI is not relative, leaves the folder of the file, is badly encoded, or nothing is there.
        """
        if uri.startswith("data:"):
            return self._read_data_uri(uri, where)
        return self._read_file(self._resolve(uri, where), where)

    def _read_file(self, path: Path, where: str) -> bytes:
        """Return an external file, which is read once and adds to what the document may decode to."""
        if path not in self._files:
            try:
                self._files[path] = read_file(path)
            except AssetError as error:
                raise self.error(where, str(error)) from None
            self._budget += DECODED_BYTES_PER_BYTE * len(self._files[path])
        return self._files[path]

    def _load_buffer(self, index: int) -> memoryview:
        where = f"buffers[{index}]"
        self.check_index(index, len(self.gltf.buffers), where, "buffer")
        buffer = self.gltf.buffers[index]
        if buffer.uri is not None:
            data = memoryview(self.read_uri(buffer.uri, where))
        elif index == 0 and self._binary is not None:
            data = self._binary
        else:
            raise self.error(where, "it has no uri and there is no BIN chunk for it; the file is incomplete")
        if not 0 <= buffer.byte_length <= len(data):
            raise self.error(where, f"byteLength is {buffer.byte_length}, but there are {len(data)} bytes")
        return data[: buffer.byte_length]

    def _read_data_uri(self, uri: str, where: str) -> bytes:
        head, comma, body = uri.partition(",")
        if not comma:
            raise self.error(where, "the data URI has no comma")
        if not head.endswith(";base64"):
            return unquote_to_bytes(body)
        self.spend(len(body), where)
        try:
            return base64.b64decode(unquote(body) if "%" in body else body, validate=True)
        except (binascii.Error, ValueError) as error:
            raise self.error(where, f"the base64 data is broken: {error}; export the file again") from None

    def _resolve(self, uri: str, where: str) -> Path:
        try:
            parts = urlsplit(uri)
        except ValueError:
            raise self.error(where, f"the URI {uri[:100]!r} is no usable path") from None
        name = unquote(parts.path)
        if parts.scheme or parts.netloc or name.startswith(("/", "\\")) or not name:
            raise self.error(where, f"the URI {uri[:100]!r} is not relative to the file; copy the data beside it")
        try:
            target = (self.path.parent / name).resolve()
            inside = target.is_relative_to(self.path.parent.resolve())
            regular = not target.exists() or target.is_file()
        except (OSError, ValueError, RuntimeError):
            raise self.error(where, f"the URI {uri[:100]!r} is no usable path") from None
        if not inside:
            raise self.error(where, f"the URI {uri[:100]!r} leaves the folder of the file; refused")
        if not regular:
            raise self.error(where, f"the URI {uri[:100]!r} is no regular file; refused")
        return target


def _shortened(message: str) -> str:
    return message if len(message) <= MESSAGE_LENGTH_MAX else f"{message[:MESSAGE_LENGTH_MAX]} ..."


def _parse(text: bytes, path: Path) -> Gltf:
    """Parse the JSON after a look at its size: what msgspec would build must fit in memory."""
    if text.count(b"{") + text.count(b"[") > OBJECT_COUNT_MAX or text.count(b",") > VALUE_COUNT_MAX:
        raise AssetError(
            f"{path}: the JSON has more than {OBJECT_COUNT_MAX} objects or {VALUE_COUNT_MAX} values; refused"
        )
    try:
        gltf = msgspec.json.decode(text, type=Gltf)
    except RecursionError:
        raise AssetError(f"{path}: the JSON is nested too deeply") from None
    except msgspec.ValidationError as error:
        raise AssetError(f"{path}: the JSON does not follow glTF 2.0: {error}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise AssetError(f"{path}: the JSON is broken: {error}") from None
    if not gltf.asset.version.startswith("2."):
        raise AssetError(f"{path}: asset.version is {gltf.asset.version!r}; skelter reads glTF 2.x")
    if gltf.asset.min_version not in ("", "2.0"):
        raise AssetError(f"{path}: asset.minVersion is {gltf.asset.min_version!r}; skelter reads glTF 2.0")
    return gltf
