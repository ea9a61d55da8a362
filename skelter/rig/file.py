"""A baked rig as one file: a header and raw arrays, checksummed, versioned, memory-mapped, written atomically.

Layout: 8 bytes magic, 8 bytes length of the header (little endian), 16 bytes blake2b of everything after them, the
header as JSON, then the arrays, each at a multiple of 64 bytes.
"""

from __future__ import annotations

import hashlib
import struct
from os import PathLike
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from skelter.core.errors import AssetError
from skelter.core.files import replacing
from skelter.core.material import Image, Material
from skelter.rig.check import check_rig
from skelter.rig.packed import PackedClips
from skelter.rig.report import BakeReport
from skelter.rig.rig import ClipBank, Draw, Palette, Rig, RigMesh

MAGIC = b"SKELRIG1"
PREFIX = struct.Struct("<8sQ16s")
ALIGNMENT = 64
LITTLE = {"<f4", "<f8", "<i4", "<i8", "<u2", "<u4", "|u1"}


class ArrayEntry(msgspec.Struct, frozen=True):
    """Where an array lies: dtype, shape and offset after the header."""

    dtype: str
    shape: tuple[int, ...]
    offset: int


class Header(msgspec.Struct, frozen=True):
    """Everything of a rig that is not an array, and where the arrays are."""

    name: str
    content_hash: str
    joint_names: tuple[str, ...]
    clip_names: tuple[str, ...]
    event_names: tuple[str, ...]
    event_payloads: tuple[Any, ...]
    morph_names: tuple[str, ...]
    draws: tuple[Draw, ...]
    materials: tuple[Material, ...]
    images: tuple[tuple[str, str], ...]
    report: BakeReport
    arrays: dict[str, ArrayEntry]


def save_rig(rig: Rig, path: str | PathLike[str]) -> None:
    """Write a rig to a file, whole or not at all.

    Args:
        rig: The rig.
        path: File to write. An existing file is replaced in one step.

    Raises:
        OutputError: The folder is missing or read-only, or there is no space.
    """
    target = Path(path)
    arrays = _arrays(rig)
    entries: dict[str, ArrayEntry] = {}
    end = 0
    for name, array in arrays.items():
        entries[name] = ArrayEntry(array.dtype.str, array.shape, end)
        end += -(-array.nbytes // ALIGNMENT) * ALIGNMENT
    header = msgspec.json.encode(_header(rig, entries))
    header += b" " * (-(PREFIX.size + len(header)) % ALIGNMENT)
    digest = hashlib.blake2b(header, digest_size=16)
    for chunk in _chunks(arrays):
        digest.update(chunk)
    with replacing(target) as temporary, temporary.open("wb") as file:
        for chunk in (PREFIX.pack(MAGIC, len(header), digest.digest()), header, *_chunks(arrays)):
            file.write(chunk)


def load_rig(path: str | PathLike[str]) -> Rig:
    """Map a rig file into memory after checking it against its checksum.

    Args:
        path: A file that `save_rig` wrote.

    Returns:
        The rig; its arrays are read-only views of the file.

    Raises:
        AssetError: The file is missing, is no rig, is of another version, was cut short or changed.
    """
    source = Path(path)
    try:
        mapped = np.memmap(source, np.uint8, "r")
    except FileNotFoundError:
        raise AssetError(
            f"{source}: there is no such file; `skelter bake FILE --out {source.name}` makes one"
        ) from None
    except (OSError, ValueError) as error:
        raise AssetError(f"{source}: the file cannot be read: {getattr(error, 'strerror', None) or error}") from None
    data = np.asarray(mapped).view(np.ndarray)
    header, start = _checked_header(data, source)
    try:
        rig = _rig(header, {name: _array(data, start, entry, source) for name, entry in header.arrays.items()})
        check_rig(rig)
    except (IndexError, KeyError, TypeError, ValueError) as error:  # an array is missing, unknown, or does not fit
        raise AssetError(f"{source}: its arrays do not fit ({error}); bake the character again") from None
    return rig


def _chunks(arrays: dict[str, np.ndarray]) -> list[Any]:
    chunks: list[Any] = []
    for array in arrays.values():
        chunks.append(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
        chunks.append(b"\0" * (-array.nbytes % ALIGNMENT))
    return chunks


def _checked_header(data: np.ndarray, source: Path) -> tuple[Header, int]:
    if len(data) < PREFIX.size or bytes(data[: len(MAGIC)]) != MAGIC:
        raise AssetError(f"{source}: this is no skelter rig of this version; bake the character again")
    _, length, digest = PREFIX.unpack(bytes(data[: PREFIX.size]))
    if hashlib.blake2b(data[PREFIX.size :].data, digest_size=16).digest() != digest:
        raise AssetError(
            f"{source}: the checksum is wrong: the file was cut short or changed; bake the character again"
        )
    start = PREFIX.size + length
    try:
        return msgspec.json.decode(bytes(data[PREFIX.size : start]), type=Header), start
    except msgspec.MsgspecError as error:
        raise AssetError(f"{source}: the header is of another version ({error}); bake the character again") from None


def _array(data: np.ndarray, start: int, entry: ArrayEntry, source: Path) -> np.ndarray:
    if entry.dtype not in LITTLE:
        raise AssetError(f"{source}: it holds an array of dtype {entry.dtype}; bake the character again")
    dtype = np.dtype(entry.dtype)
    size = int(np.prod(entry.shape, dtype=np.int64)) * dtype.itemsize
    begin = start + entry.offset
    if min(entry.offset, *entry.shape, 0) < 0 or begin + size > len(data):
        raise AssetError(f"{source}: it names an array outside of the file; bake the character again")
    return data[begin : begin + size].view(dtype).reshape(entry.shape)


def _arrays(rig: Rig) -> dict[str, np.ndarray]:
    """Return all arrays of a rig under dotted names; encoded pictures count as arrays of bytes."""
    arrays = {name: getattr(rig, name) for name in ("parent", "node", "rest", "bounds")}
    arrays |= {f"packed.{name}": array for name, array in rig.clips.packed._asdict().items()}
    for part, owner in (("clips", rig.clips), ("palette", rig.palette), ("mesh", rig.mesh)):
        for name in owner.__slots__:
            value = getattr(owner, name)
            if isinstance(value, np.ndarray):
                arrays[f"{part}.{name}"] = value
    for index, image in enumerate(rig.images):
        arrays[f"image.{index}"] = np.frombuffer(image.data, np.uint8)
    return arrays


def _header(rig: Rig, entries: dict[str, ArrayEntry]) -> Header:
    return Header(
        name=rig.name,
        content_hash=rig.content_hash,
        joint_names=rig.joint_names,
        clip_names=rig.clips.names,
        event_names=rig.clips.event_names,
        event_payloads=rig.clips.event_payloads,
        morph_names=rig.mesh.morph_names,
        draws=rig.mesh.draws,
        materials=rig.materials,
        images=tuple((image.name, image.mime_type) for image in rig.images),
        report=rig.report,
        arrays=entries,
    )


def _rig(header: Header, arrays: dict[str, np.ndarray]) -> Rig:
    def part(prefix: str) -> dict[str, Any]:
        return {name[len(prefix) :]: array for name, array in arrays.items() if name.startswith(prefix)}

    return Rig(
        name=header.name,
        content_hash=header.content_hash,
        joint_names=header.joint_names,
        parent=arrays["parent"],
        node=arrays["node"],
        rest=arrays["rest"],
        clips=ClipBank(
            names=header.clip_names,
            event_names=header.event_names,
            event_payloads=header.event_payloads,
            packed=PackedClips(**part("packed.")),
            **part("clips."),
        ),
        palette=Palette(**part("palette.")),
        mesh=RigMesh(draws=header.draws, morph_names=header.morph_names, **part("mesh.")),
        materials=header.materials,
        images=tuple(
            Image(name, mime_type, arrays[f"image.{index}"].tobytes())
            for index, (name, mime_type) in enumerate(header.images)
        ),
        bounds=arrays["bounds"],
        report=header.report,
    )
