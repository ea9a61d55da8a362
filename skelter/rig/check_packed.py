"""Check that packed clips hold together: kernels follow their tables without looking."""

from __future__ import annotations

import numpy as np

from skelter.core.arrays import LANE_COUNT
from skelter.rig.packed import CLIP_COLUMNS, SPARE_LINES, WIDTH_MAX, PackedClips

LINE, WORD, FRAME_BITS, STILL, STILL_STOP, GROUP, GROUP_STOP, ROW, ROW_STOP, GROUND = range(len(CLIP_COLUMNS))
QUATERNION = 3 * LANE_COUNT
"""How far behind its x the w of a quaternion lies."""
WORD_BITS = 32


def check_packed(
    packed: PackedClips, frame_count: np.ndarray, base_index: np.ndarray, base_count: int, pose_size: int
) -> None:
    """Check the packed clips of a bank.

    Args:
        packed: The clips.
        frame_count: int32 ``[clip]``.
        base_index: int32 ``[clip]``: -1 for the clips that are packed.
        base_count: Number of bases.
        pose_size: Floats of a pose.

    Raises:
        ValueError: An array has a wrong shape, or an index points nowhere. The message names the array.
    """
    rows, stills = len(packed.row), len(packed.still)
    shapes = {
        "clip": (len(frame_count), len(CLIP_COLUMNS)),
        "still_scale": (stills, 2),
        "group": (len(packed.group), 2),
        "row": (rows, 2),
        "row_scale": (rows, 2),
        "lines": (packed.lines.size,),
        "words": (packed.words.size,),
    }
    for name, shape in shapes.items():
        if getattr(packed, name).shape != shape:
            raise ValueError(f"packed.{name} has shape {getattr(packed, name).shape}, not {shape}")
    _check(packed.still, 0, pose_size - LANE_COUNT, "still")
    _check(packed.group[:, 0], 3, 4, "group")
    _check(packed.group[:, 1], -1, pose_size - 4 * LANE_COUNT, "group")
    _check(packed.row[:, 0], 0, WIDTH_MAX, "row")
    _check(packed.row[:, 1], 0, (1 << LANE_COUNT) - 1, "row")
    if ((base_index < 0) != (packed.clip[:, LINE] >= 0)).any():
        raise ValueError("packed.clip and clips.base_index differ in which clips are packed")
    _check(packed.clip[:, GROUND], -1, base_count - 1, "clip", packed.clip[:, LINE] >= 0)
    for clip, frames in zip(packed.clip, frame_count.tolist(), strict=True):
        if clip[LINE] >= 0:
            _check_clip(packed, [int(value) for value in clip], frames, pose_size)
        elif (clip != [-1] + [0] * (len(clip) - 1)).any():
            raise ValueError("packed.clip says something of a clip that is not packed")


def _check_clip(packed: PackedClips, clip: list[int], frames: int, pose_size: int) -> None:
    """Check one clip, whose first line is not below 0."""
    for first, stop, name in ((STILL, STILL_STOP, "still"), (GROUP, GROUP_STOP, "group"), (ROW, ROW_STOP, "row")):
        if not 0 <= clip[first] <= clip[stop] <= len(getattr(packed, name)):
            raise ValueError(f"packed.clip points out of packed.{name}")
    widths = packed.row[clip[ROW] : clip[ROW_STOP], 0].astype(np.int64)
    if clip[FRAME_BITS] != widths.sum():
        raise ValueError("packed.clip has frames of another size than their rows")
    words = (clip[FRAME_BITS] * frames // WORD_BITS + SPARE_LINES) * LANE_COUNT
    if clip[WORD] < 0 or clip[WORD] % LANE_COUNT or clip[WORD] + words > len(packed.words):
        raise ValueError("packed.clip points out of packed.words")
    groups = packed.group[clip[GROUP] : clip[GROUP_STOP]].astype(np.int64)
    stored = int(groups[:, 0].sum())
    channels = len(widths) - stored
    if channels < 0:
        raise ValueError("packed.group has more rows than the clip")
    stills = clip[STILL_STOP] - clip[STILL]
    sizes = 2 * groups[:, 0] + (groups[:, 0] == 3) + (groups[:, 1] < 0)
    ends = clip[LINE] + (stills + np.cumsum(sizes)) * LANE_COUNT
    last = clip[LINE] + (stills + int(sizes.sum()) + 3 * channels) * LANE_COUNT
    if last > len(packed.lines):
        raise ValueError("packed.clip points out of packed.lines")
    lanes = np.arange(LANE_COUNT)
    places = packed.lines[(ends[groups[:, 1] < 0] - LANE_COUNT)[:, None] + lanes]
    _check(places, 0, pose_size - 1 - QUATERNION, "lines")
    rows = last - 3 * LANE_COUNT * np.arange(channels) - LANE_COUNT
    _check(packed.lines[rows[:, None] + lanes], 0, pose_size - 1, "lines")


def _check(values: np.ndarray, lowest: int, highest: int, name: str, where: np.ndarray | bool = True) -> None:
    if (where & ((values < lowest) | (values > highest))).any():
        raise ValueError(f"packed.{name} points out of range")
