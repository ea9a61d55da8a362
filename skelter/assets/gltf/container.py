"""Split a file into its JSON and its binary chunk.

Source: the glTF 2.0 specification, section 4 (GLB file format).
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from skelter.core.errors import AssetError

GLB_MAGIC = b"glTF"
CHUNK_JSON = 0x4E4F534A
CHUNK_BIN = 0x004E4942
BYTE_ORDER_MARK = b"\xef\xbb\xbf"

Warn = Callable[[str, str], None]


def split_container(data: bytes, file: str, warn: Warn) -> tuple[bytes, memoryview | None]:
    """Return the JSON text and the binary chunk of a GLB or glTF file.

    Args:
        data: The whole file.
        file: Name for messages.
        warn: Called with a place and a message for oddities that do no harm.

    Raises:
        AssetError: The file is empty, cut short, of version 1, or neither GLB nor glTF.
    """
    if not data:
        raise AssetError(f"{file}: the file is empty (0 bytes); export it again")
    if data[:4] == GLB_MAGIC:
        json_text, binary = _split_glb(data, file, warn)
    else:
        json_text, binary = data, None
    return _checked_json(json_text, file, warn), binary


def _split_glb(data: bytes, file: str, warn: Warn) -> tuple[bytes, memoryview | None]:
    if len(data) < 20:
        raise AssetError(f"{file}: the file is cut short: a GLB needs at least 20 bytes, this has {len(data)}")
    _, version, length = struct.unpack_from("<4sII", data)
    if version != 2:
        raise AssetError(f"{file}: this is GLB version {version}; skelter reads version 2: export it as glTF 2.0")
    if length > len(data):
        raise AssetError(
            f"{file}: the file is shorter than its declared length: {len(data)} of {length} bytes; copy it again"
        )
    if length < len(data):
        warn("GLB header", f"the file has {len(data)} bytes, its header says {length}; what follows is ignored")
    chunks = _chunks(data, length, file, warn)
    if not chunks or chunks[0][0] != CHUNK_JSON:
        raise AssetError(f"{file}: the first chunk of a GLB must be its JSON, this one is not; export it again")
    return bytes(chunks[0][1]), _binary_chunk(chunks, warn)


def _chunks(data: bytes, length: int, file: str, warn: Warn) -> list[tuple[int, memoryview]]:
    view = memoryview(data)[:length]
    chunks: list[tuple[int, memoryview]] = []
    offset = 12
    while offset + 8 <= length:
        size, kind = struct.unpack_from("<II", view, offset)
        name = {CHUNK_JSON: "JSON", CHUNK_BIN: "BIN"}.get(kind, f"0x{kind:08X}")
        if offset + 8 + size > length:
            raise AssetError(
                f"{file}: the {name} chunk at byte {offset} claims {size} bytes, {length - offset - 8} are left"
            )
        if size % 4:
            warn(f"chunk {len(chunks)}", f"the length of the {name} chunk, {size}, is not a multiple of 4")
        chunks.append((kind, view[offset + 8 : offset + 8 + size]))
        offset += 8 + size
    return chunks


def _binary_chunk(chunks: list[tuple[int, memoryview]], warn: Warn) -> memoryview | None:
    places = [index for index, (kind, _) in enumerate(chunks) if kind == CHUNK_BIN]
    if not places:
        return None
    if places[0] != 1:
        warn(f"chunk {places[0]}", "the BIN chunk must be the second one; it is used all the same")
    for place in places[1:]:
        warn(f"chunk {place}", "a second BIN chunk is ignored")
    return chunks[places[0]][1]


def _checked_json(text: bytes, file: str, warn: Warn) -> bytes:
    if text.startswith(BYTE_ORDER_MARK):
        warn("JSON", "the JSON starts with a byte order mark, which is skipped")
        text = text[len(BYTE_ORDER_MARK) :]
    if not text.lstrip()[:1] == b"{":
        raise AssetError(f"{file}: this is no glTF or GLB file: {_first_bytes(text)}")
    return text


def _first_bytes(text: bytes) -> str:
    known = {
        b"\x89PNG": "a PNG picture",
        b"\xff\xd8\xff": "a JPEG picture",
        b"PK": "a ZIP archive",
        b"Kaydara": "an FBX",
        b"SKELRIG": "a baked rig, which sk.load_rig reads",
    }
    for magic, name in known.items():
        if text.startswith(magic):
            return f"it is {name}"
    return f"it starts with {text[:8]!r}"
