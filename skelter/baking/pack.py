"""Packed frames: what of a clip is stored, in which rows and how wide, and its words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skelter.baking.frames import ClipFrames
from skelter.core.arrays import BLOCK_SIZE, CHANNEL_COUNT, LANE_COUNT
from skelter.rig.packed import NEGATIVE, SPARE_LINES, WIDTH_MAX, PackedClips

JOINTS_MAX = (1 << 16) // BLOCK_SIZE * LANE_COUNT
"""Most joints of a rig whose clips can be packed: places have 16 bits."""
LOW_MAX = 32_000
WORD_MAX = 65_535


@dataclass(frozen=True, slots=True)
class Group:
    """Up to 16 joints that turn.

    Attributes:
        joints: int64 ``[lane]``.
        left_out: int64 ``[lane]``: component that is left out, or an empty array if none is.
        block: The block whose lanes these are, -1 for any joints.
    """

    joints: np.ndarray
    left_out: np.ndarray
    block: int = -1

    @property
    def row_count(self) -> int:
        """Number of rows."""
        return 3 if len(self.left_out) else 4

    def components(self) -> np.ndarray:
        """Return the components in the rows, int64 ``[row, lane]``."""
        rows = np.arange(self.row_count)[:, None]
        return rows + (rows >= self.left_out) if len(self.left_out) else np.repeat(rows, len(self.joints), axis=1)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is stored of a clip.

    Attributes:
        still: int64 ``[row]``: rows of the pose that are replaced.
        groups: The groups.
        channels: Columns ``10 * joint + channel`` of each channel row.
        widths: Bits of each row, those of the groups first.
    """

    still: np.ndarray
    groups: tuple[Group, ...]
    channels: tuple[np.ndarray, ...]
    widths: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PackedFrames:
    """A packed clip.

    Attributes:
        arrays: A bank of this one clip.
        ground: What the clip differs from, float32 ``[block, 10, 16]``.
        deltas: The same clip as float32 deltas, if it is additive.
    """

    arrays: PackedClips
    ground: np.ndarray
    deltas: ClipFrames | None = None

    @property
    def size(self) -> int:
        """Bytes of all arrays."""
        return sum(array.nbytes for array in self.arrays)


def unpacked_poses(frames: ClipFrames) -> np.ndarray:
    """Return all frames of a clip as poses, float32 ``[frame, block, 10, 16]``."""
    poses = np.repeat(frames.base[None], frames.frame_count, axis=0)
    poses.reshape(frames.frame_count, -1, LANE_COUNT)[:, frames.row_offset // LANE_COUNT] = frames.data
    return poses


def pack_frames(poses: np.ndarray, ground: np.ndarray, held: np.ndarray, plan: Plan) -> PackedClips:
    """Pack a clip as planned.

    Args:
        poses: float32 ``[frame, block, 10, 16]``.
        ground: What the clip differs from, float32 ``[block, 10, 16]``.
        held: bool ``[block, 10, 16]``: channels that hold their frame.
        plan: What is stored.
    """
    writer = _Writer(poses, ground.copy(), held, plan)
    return writer.packed()


class _Writer:
    """Collects the lines of one clip."""

    def __init__(self, poses: np.ndarray, ground: np.ndarray, held: np.ndarray, plan: Plan) -> None:
        self._rows = poses.reshape(len(poses), -1, LANE_COUNT)
        self._values = poses.reshape(len(poses), -1)
        self._ground = ground
        self._held = held.reshape(-1)
        self._plan = plan
        self._lines: list[np.ndarray] = []
        self._numbers: list[np.ndarray] = []
        self._units: list[float] = []
        self._holds: list[int] = []

    def packed(self) -> PackedClips:
        """Return the arrays of the clip."""
        plan = self._plan
        scales = [self._still_row(row) for row in plan.still.tolist()]
        for group in plan.groups:
            self._group(group)
        for columns in plan.channels:
            self._channel_row(columns)
        widths, units = np.array(plan.widths, np.int64), np.array(self._units, np.float64)
        tops = np.maximum(2.0**widths - 1.0, 1.0)
        stops = (0, len(plan.still), 0, len(plan.groups), 0, len(widths))
        return PackedClips(
            clip=np.array([[0, 0, widths.sum(), *stops, -1]], np.int64),
            still=(plan.still * LANE_COUNT).astype(np.int32),
            still_scale=np.array(scales, np.float32).reshape(-1, 2),
            group=np.array(
                [(group.row_count, max(group.block * BLOCK_SIZE, -1)) for group in plan.groups], np.int32
            ).reshape(-1, 2),
            row=np.stack([widths, np.array(self._holds, np.int64)], axis=1).astype(np.int32),
            row_scale=np.stack([units, units / tops], axis=1).astype(np.float32),
            lines=np.concatenate([np.zeros(0, np.uint16), *self._lines]),
            words=self._frames(),
        )

    def _still_row(self, row: int) -> tuple[float, float]:
        """Store a row that does not move, halfway between its lowest and highest values."""
        values = self._rows[:, row].astype(np.float64)
        middle = (values.min(axis=0) + values.max(axis=0)) / 2
        low = np.float32(middle.min())
        step = np.float32((middle.max() - low) / WORD_MAX)
        words = np.zeros(LANE_COUNT) if step == 0 else np.rint((middle - low) / step)
        words = np.clip(words, 0, WORD_MAX).astype(np.uint16)
        self._ground.reshape(-1, LANE_COUNT)[row] = low + step * words.astype(np.float32)
        self._lines.append(words)
        return float(low), float(step)

    def _group(self, group: Group) -> None:
        """Store a group; spare lanes repeat the last joint."""
        lanes = np.minimum(np.arange(LANE_COUNT), len(group.joints) - 1)
        first = group.joints[lanes] * CHANNEL_COUNT
        for row in group.components():
            places = _places(first + row[lanes])
            self._row(self._values[:, places].astype(np.float64), places)
        if len(group.left_out):
            left_out = group.left_out[lanes]
            below = self._values[0, _places(first + left_out)] < 0
            self._lines.append(np.where(below, left_out | NEGATIVE, left_out).astype(np.uint16))
        if group.block < 0:
            self._lines.append(_places(first).astype(np.uint16))

    def _channel_row(self, columns: np.ndarray) -> None:
        """Store a row of channels; spare lanes add nothing, each to a place of its own: adding to one takes turns."""
        places = _places(columns)
        values = self._values[:, places].astype(np.float64) - self._ground.reshape(-1)[places].astype(np.float64)
        spare = LANE_COUNT - len(columns)
        values = np.concatenate([values, np.zeros((len(values), spare))], axis=1)
        others = np.setdiff1d(np.arange(4 * LANE_COUNT, 6 * LANE_COUNT), places)
        places = np.concatenate([places, others[:spare]])
        self._row(values, places)
        self._lines.append(places.astype(np.uint16))

    def _row(self, values: np.ndarray, places: np.ndarray) -> None:
        """Store 16 lanes of numbers, float64 ``[frame, 16]``."""
        width = self._plan.widths[len(self._units)]
        top = (1 << width) - 1
        unit = float(np.float32(np.abs(values).max() / LOW_MAX)) or 1.0
        low = np.floor(values.min(axis=0) / unit)
        span = np.ceil((values.max(axis=0) - low * unit) / unit)
        if width == 0:
            low, span = np.rint((values.min(axis=0) + values.max(axis=0)) / (2 * unit)), np.zeros(LANE_COUNT)
        spread = np.where(span == 0, 1.0, span * unit)
        numbers = np.where(span == 0, 0, np.rint((values - low * unit) / spread * top))
        self._numbers.append(np.clip(numbers, 0, top).astype(np.uint64))
        self._units.append(unit)
        self._holds.append(int((self._held[places].astype(np.int64) << np.arange(LANE_COUNT)).sum()))
        self._lines += [low.astype(np.int16).view(np.uint16), span.astype(np.uint16)]

    def _frames(self) -> np.ndarray:
        """Return the words of all frames: a stream of bits per lane."""
        widths = np.array(self._plan.widths, np.int64)
        total = int(widths.sum()) * len(self._rows)
        lines = total // 32 + SPARE_LINES
        bits = np.zeros((lines * 32, LANE_COUNT), np.uint8)
        first = 0
        stream = bits[:total].reshape(len(self._rows), -1, LANE_COUNT)
        for width, numbers in zip(widths.tolist(), self._numbers, strict=True):
            shifts = np.arange(width, dtype=np.uint64)[None, :, None]
            stream[:, first : first + width] = (numbers[:, None] >> shifts) & np.uint64(1)
            first += width
        packed = np.packbits(bits.reshape(lines, 4, 8, LANE_COUNT), axis=2, bitorder="little")[:, :, 0]
        words = packed.astype(np.uint32) << (8 * np.arange(4, dtype=np.uint32))[:, None]
        return np.bitwise_or.reduce(words, axis=1).reshape(-1)


def _places(columns: np.ndarray) -> np.ndarray:
    """Return offsets in a pose of columns ``10 * joint + channel``."""
    joint, channel = columns // CHANNEL_COUNT, columns % CHANNEL_COUNT
    block, lane = joint // LANE_COUNT, joint % LANE_COUNT
    places: np.ndarray = (block * CHANNEL_COUNT + channel) * LANE_COUNT + lane
    return places


def channel_widths(span: np.ndarray, step: np.ndarray) -> np.ndarray:
    """Return how many bits numbers need whose steps are no longer than ``step``, int64; none where one is enough."""
    bits = np.ceil(np.log2(span / step + 1.0))
    return np.clip(np.where(span <= step, 0.0, bits), 0, WIDTH_MAX).astype(np.int64)
