"""The MOTION part of a BVH file: a table of numbers, one row a frame, one column a channel."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice

import numpy as np

from skelter.assets.bvh.text import VALUE_MAX, BvhText, shown

FRAME_TIME_DEFAULT = 1.0 / 30.0
"""Seconds between frames where the file gives no usable time."""
FRAME_TIME_MIN, FRAME_TIME_MAX = 1e-5, 1e4
"""Usable times between frames [s]."""

_FRAMES = re.compile(rb"\s*Frames\s*:\s*(\S+)", re.IGNORECASE)
_FRAME_TIME = re.compile(rb"\s*Frame\s*Time\s*:\s*(\S+)", re.IGNORECASE)


def read_motion(text: BvhText, offset: int, channel_count: int) -> tuple[np.ndarray, float]:
    """Read the table.

    Args:
        text: The file.
        offset: Where the text after the word MOTION begins.
        channel_count: Channels of all joints together.

    Returns:
        ``(values, frame_time)``: float64 ``[frame, channel]`` in the units of the file (angles in degrees), and
        seconds between frames.

    Raises:
        AssetError: A value is no finite number, or rows have too few or too many.
    """
    claimed, offset = _frames(text, offset)
    frame_time, offset = _frame_time(text, offset)
    values = _numbers(text, offset)
    if channel_count == 0:
        if values.size:
            text.warn(text.line(offset), f"there are {values.size} numbers but no channels; they are ignored")
        return np.zeros((0, 0)), frame_time
    count = len(values) // channel_count
    if len(values) % channel_count:
        _refuse_uneven_rows(text, offset, channel_count)
        text.warn(text.line(len(text.data)), f"the file is cut off inside frame {count + 1}; the frame is dropped")
    elif claimed is not None and claimed != count:
        text.warn(text.line(offset), f"Frames: {claimed}, but there are {count}; {min(claimed, count)} are used")
    used = count if claimed is None else min(claimed, count)
    return values[: used * channel_count].reshape(used, channel_count), frame_time


def _frames(text: BvhText, offset: int) -> tuple[int | None, int]:
    match = _FRAMES.match(text.data, offset)
    if match is None:
        text.warn(text.line(offset), "there is no 'Frames:'; all frames that are there are used")
        return None, offset
    token = match.group(1)
    if not token.isdigit() or len(token) > 12:
        raise text.error(text.line(match.start(1)), f"Frames: must be a whole number, not {shown(token)}")
    return int(token), match.end()


def _frame_time(text: BvhText, offset: int) -> tuple[float, int]:
    match = _FRAME_TIME.match(text.data, offset)
    if match is None:
        text.warn(text.line(offset), "there is no 'Frame Time:'; 30 frames a second are assumed")
        return FRAME_TIME_DEFAULT, offset
    token = match.group(1)
    try:
        value = float(token)
    except ValueError:
        raise text.error(
            text.line(match.start(1)), f"Frame Time: must be a number of seconds, not {shown(token)}"
        ) from None
    if not FRAME_TIME_MIN <= value <= FRAME_TIME_MAX:
        text.warn(text.line(match.start(1)), f"Frame Time: is {value}; 30 frames a second are assumed")
        value = FRAME_TIME_DEFAULT
    return value, match.end()


def _numbers(text: BvhText, offset: int) -> np.ndarray:
    """Return all numbers from ``offset`` on."""
    rows = text.data[offset:].split(b"\n")
    try:
        values = np.fromiter(map(float, _tokens(rows)), np.float64)
    except ValueError:
        wrong = next(index for index, token in enumerate(_tokens(rows)) if not _is_number(token))
        raise _bad_number(text, offset, rows, wrong) from None
    believed = np.abs(values) <= VALUE_MAX
    if not believed.all():
        raise _bad_number(text, offset, rows, int(np.argmin(believed)))
    return values


def _bad_number(text: BvhText, offset: int, rows: list[bytes], index: int) -> Exception:
    token = next(islice(_tokens(rows), index, None))
    ends = np.cumsum([len(row.split()) for row in rows])
    row = int(np.searchsorted(ends, index, side="right"))
    message = f"{shown(token)} is not a finite number; correct it or delete the frame"
    return text.error(text.line(offset) + row, message)


def _tokens(rows: Iterable[bytes]) -> Iterator[bytes]:
    return chain.from_iterable(map(bytes.split, rows))


def _is_number(token: bytes) -> bool:
    try:
        float(token)
    except ValueError:
        return False
    return True


def _refuse_uneven_rows(text: BvhText, offset: int, channel_count: int) -> None:
    """Raise unless the last row is the only one whose length is wrong, and it is too short.

    Otherwise a number is missing or too many somewhere, and everything after it would move to the wrong joint.
    """
    lengths = np.array([len(row.split()) for row in text.data[offset:].split(b"\n")])
    wrong = np.flatnonzero((lengths != channel_count) & (lengths > 0))
    last = np.flatnonzero(lengths)[-1]
    if wrong[0] != last or lengths[last] > channel_count:
        found = f"there are {lengths[wrong[0]]} numbers"
        raise text.error(text.line(offset) + int(wrong[0]), f"{found}; the channels of all joints are {channel_count}")
