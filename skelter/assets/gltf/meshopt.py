"""Decode buffer views that are compressed with EXT_meshopt_compression or KHR_meshopt_compression.

Both extensions are read alike: EXT streams are version 0 of the KHR ones.

Source: the text of KHR_meshopt_compression.
"""

from __future__ import annotations

import numpy as np

from skelter.assets.gltf.meshopt_filters import FILTERS, apply_filter
from skelter.assets.gltf.meshopt_kernels import (
    BLOCK_BYTES_MAX,
    BLOCK_ELEMENTS_MAX,
    BYTES_LEFT,
    FIFO_SIZE,
    GROUP,
    NO_HISTORY,
    OK,
    POSITION,
    STATE_SIZE,
    STATUS,
    attributes_kernel,
    indices_kernel,
    triangles_kernel,
)
from skelter.core.errors import AssetError

ATTRIBUTES_HEADERS = (0xA0, 0xA1)
TRIANGLES_HEADER = 0xE1
INDICES_HEADER = 0xD1
STRIDE_MAX = 256

_TAIL_BYTES_MIN = (32, 24)  # by version
_CHANNEL_MODE_XOR = 2
_TABLE_BYTES = 16
_PADDING_BYTES = 4


def decode_meshopt(data: bytes, count: int, stride: int, mode: str, filter: str, *, where: str) -> np.ndarray:  # noqa: A002
    """Decode a compressed buffer view.

    Args:
        data: The stream, exactly ``byteLength`` bytes.
        count: Number of elements.
        stride: Size of an element [bytes].
        mode: ``ATTRIBUTES``, ``TRIANGLES`` or ``INDICES``.
        filter: ``NONE``, ``OCTAHEDRAL``, ``QUATERNION``, ``EXPONENTIAL`` or ``COLOR``.
        where: Place in the file, which begins the message of an error.

    Returns:
        The bytes of the elements, uint8 ``[count * stride]``.

    Raises:
        AssetError: The stream is broken, or the arguments do not fit each other or the stream.
    """
    try:
        return _decode(np.frombuffer(data, np.uint8), count, stride, mode, filter)
    except _BrokenError as error:
        raise AssetError(f"{where}: {error}") from None


class _BrokenError(Exception):
    """What is wrong with a stream; the caller knows where it lies."""


def _decode(data: np.ndarray, count: int, stride: int, mode: str, kind: str) -> np.ndarray:
    if count < 0:
        raise _BrokenError(f"count is {count}; it must be 0 or more")
    if mode == "ATTRIBUTES":
        return _attributes(data, count, stride, kind)
    if mode not in ("TRIANGLES", "INDICES"):
        raise _BrokenError(f"mode is {mode!r}; skelter knows ATTRIBUTES, TRIANGLES and INDICES")
    if kind != "NONE":
        raise _BrokenError(f"filter is {kind!r}; mode {mode} allows only NONE")
    if stride not in (2, 4):
        raise _BrokenError(f"byteStride is {stride}; mode {mode} allows 2 and 4")
    indices = _triangles(data, count) if mode == "TRIANGLES" else _indices(data, count)
    return indices.astype("<u2" if stride == 2 else "<u4", copy=False).view(np.uint8)


def _attributes(data: np.ndarray, count: int, stride: int, kind: str) -> np.ndarray:
    if stride % 4 or not 4 <= stride <= STRIDE_MAX:
        raise _BrokenError(f"byteStride is {stride}; mode ATTRIBUTES allows multiples of 4 up to {STRIDE_MAX}")
    known = FILTERS.get(kind)
    if known is None and kind != "NONE":
        raise _BrokenError(f"filter is {kind!r}; skelter knows NONE, {', '.join(FILTERS)}")
    if known is not None and stride not in known.strides:
        raise _BrokenError(f"byteStride is {stride}; filter {kind} allows {sorted(known.strides)}")
    elements = _elements(data, count, stride)
    if known is not None:
        apply_filter(known, elements)
    return elements.reshape(-1)


def _elements(data: np.ndarray, count: int, stride: int) -> np.ndarray:
    version = _check_header(data, ATTRIBUTES_HEADERS) & 1
    channel_count = stride // 4
    block_max = min(BLOCK_BYTES_MAX // stride // GROUP * GROUP, BLOCK_ELEMENTS_MAX)
    tail_bytes = max(stride + channel_count * version, _TAIL_BYTES_MIN[version])
    _check_length(data, 1 + -(-count // block_max) * channel_count + tail_bytes, count)
    modes = data[len(data) - channel_count :] if version else np.zeros(channel_count, np.uint8)
    if (modes & 15 > _CHANNEL_MODE_XOR).any() or ((modes & 15 < _CHANNEL_MODE_XOR) & (modes > 15)).any():
        raise _BrokenError(f"meshopt data is broken: its channel modes are {modes.tolist()}")
    baseline_end = len(data) - channel_count * version
    elements = np.empty((count, stride), np.uint8)
    status = np.zeros(STATE_SIZE, np.int64)
    attributes_kernel(
        data,
        len(data) - tail_bytes,
        version,
        data[baseline_end - stride : baseline_end].copy(),
        modes.copy(),
        np.empty((4, BLOCK_ELEMENTS_MAX), np.uint8),
        elements,
        status,
    )
    _check_status(status, data)
    return elements


def _triangles(data: np.ndarray, count: int) -> np.ndarray:
    if count % 3:
        raise _BrokenError(f"count is {count}; mode TRIANGLES needs a multiple of 3")
    _check_header(data, (TRIANGLES_HEADER,))
    _check_length(data, 1 + count // 3 + _TABLE_BYTES, count)
    triangles = np.empty((count // 3, 3), np.uint32)
    state = np.zeros(STATE_SIZE, np.int64)
    edges, vertices = np.zeros((FIFO_SIZE, 2), np.uint32), np.zeros(FIFO_SIZE, np.uint32)
    triangles_kernel(data, len(data) - _TABLE_BYTES, state, edges, vertices, triangles)
    _check_status(state, data)
    return triangles.reshape(-1)


def _indices(data: np.ndarray, count: int) -> np.ndarray:
    _check_header(data, (INDICES_HEADER,))
    _check_length(data, 1 + count + _PADDING_BYTES, count)
    indices = np.empty(count, np.uint32)
    status = np.zeros(STATE_SIZE, np.int64)
    indices_kernel(data, len(data) - _PADDING_BYTES, indices, status)
    _check_status(status, data)
    return indices


def _check_header(data: np.ndarray, expected: tuple[int, ...]) -> int:
    header = int(data[0]) if len(data) else None
    if header not in expected:
        found = "there is none" if header is None else f"it is {header:#04x}"
        raise _BrokenError(f"meshopt data is broken: the header must be {' or '.join(map(hex, expected))}; {found}")
    return header


def _check_length(data: np.ndarray, least: int, count: int) -> None:
    """Refuse a count that the stream cannot hold, before memory is taken for it."""
    if len(data) < least:
        raise _BrokenError(f"meshopt data is broken: {count} elements need {least} bytes at least, not {len(data)}")


def _check_status(status: np.ndarray, data: np.ndarray) -> None:
    if status[STATUS] == OK:
        return
    if status[STATUS] == NO_HISTORY:
        reason = "a triangle refers to an edge or vertex before the first one"
    elif status[STATUS] == BYTES_LEFT:
        reason = f"only {status[POSITION]} of {len(data)} bytes and the tail are used"
    else:
        reason = f"it ends early, after {len(data)} bytes"
    raise _BrokenError(f"meshopt data is broken: {reason}; export the file again")
