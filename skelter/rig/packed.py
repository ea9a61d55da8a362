"""Packed clips: the small form of a clip, whole numbers of few bits instead of floats."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

CLIP_COLUMNS = ("line", "word", "frame_bits", "still", "still_stop", "group", "group_stop", "row", "row_stop", "ground")
"""Columns of ``clip``."""
WIDTH_MAX = 24
"""Most bits of a number: what a float32 holds exactly."""
SPARE_LINES = 2
"""A kernel loads this many times 16 words from the one where a number begins."""
NEGATIVE = 1 << 15
"""Flag of a component that is left out and below 0."""


class PackedClips(NamedTuple):
    """The packed clips of a bank, as kernels take them, too.

    A packed clip says how its poses differ from the rest pose, or from the identity if it is additive. What does not
    depend on the time is a run of *lines* of 16 numbers of 16 bits, one for each lane:

    * *Still rows*, a line each, replace a row of the pose: ``low + step * number``.
    * *Groups* of 16 joints that turn: those of a block, or any. A group has four rows, the components of quaternions,
      or three. Its lines are lows and spans of each row; for one of three rows a line that says which component is
      left out (0 to 3, and bit 15 is set if it is below 0): it is what makes the length one; for one of any joints a
      line of places in a pose, of the x of each joint.
    * *Channel rows*: 16 channels of translations and scales, any of any joint. Their lines are lows, spans, places.
      What they say is added to the pose.

    The frames are 16 streams of bits, one for each lane, the lowest bit of a word first: frame after frame, in each
    frame the rows in their order, those of the groups first. A number ``q`` of a row is the value
    ``unit * low + step * span * q``. Frames are interpolated as those of a `skelter.rig.rig.ClipBank`: linearly, then
    quaternions are scaled to length one.

    Attributes:
        clip: int64 ``[clip, 10]``: first number in ``lines`` (-1 for a clip that is not packed), first word in
            ``words``, bits of a frame in each lane; then first and past the last still row, group, row; then -1, or for
            an additive clip the base that is the identity. Identical clips share all.
        still: int32 ``[still]``: offset of a still row in a pose, in floats.
        still_scale: float32 ``[still, 2]``: low and step.
        group: int32 ``[group, 2]``: rows, 3 or 4; offset in a pose of the block that it turns, -1 for any joints.
        row: int32 ``[row, 2]``: bits of a number, up to `WIDTH_MAX`; bit set of the lanes that hold their value until
            the next frame (STEP curves), which for a group is that of its first row.
        row_scale: float32 ``[row, 2]``: unit, and ``step = unit / (2 ** bits - 1)``.
        lines: uint16 ``[...]``; lows have a sign.
        words: uint32 ``[...]``: one for each lane, 16 times. After those of a clip's frames come some of no use.
    """

    clip: np.ndarray
    still: np.ndarray
    still_scale: np.ndarray
    group: np.ndarray
    row: np.ndarray
    row_scale: np.ndarray
    lines: np.ndarray
    words: np.ndarray


def no_packed_clips(clip_count: int) -> PackedClips:
    """Return what a bank has all of whose clips are float32."""
    clip = np.zeros((clip_count, len(CLIP_COLUMNS)), np.int64)
    clip[:, 0] = -1
    return PackedClips(
        clip=clip,
        still=np.zeros(0, np.int32),
        still_scale=np.zeros((0, 2), np.float32),
        group=np.zeros((0, 2), np.int32),
        row=np.zeros((0, 2), np.int32),
        row_scale=np.zeros((0, 2), np.float32),
        lines=np.zeros(0, np.uint16),
        words=np.zeros(0, np.uint32),
    )
