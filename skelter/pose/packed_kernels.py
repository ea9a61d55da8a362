"""Decode packed clips: whole numbers of any width in 16 lanes, some of them put where they belong in a pose.

The numbers of a *row* are one number for each of 16 lanes, of the same width. Each lane is a stream of bits in 32-bit
words, and a row lies at the same bits of all streams, so one shift and one mask take it out of all lanes.
See `skelter.rig.packed.PackedClips` for the layout.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from skelter.core.arrays import HOLD_FRACTION, LANE_COUNT
from skelter.core.kernel import exact_part, exact_routine
from skelter.pose.packed_vector_kernels import (
    QUATERNIONS,
    arrange_lanes,
    complete,
    lanes_scratch,
    lerp_lanes,
    store_quaternions,
    turn_lanes,
    unpack_lanes,
    unpack_still,
    write_fractions,
)

LINE, WORD, FRAME_BITS, STILL, STILL_STOP, GROUP, GROUP_STOP, ROW, ROW_STOP, GROUND = range(10)
"""Columns of ``clip``."""


@exact_routine
def unpack_clip(packed, which, first, second, alpha, out):
    """Put what a packed clip animates between two frames into a pose that holds the rest pose, or the identity.

    Args:
        packed: `skelter.rig.packed.PackedClips`.
        which: A clip that is packed.
        first: A frame.
        second: The next one.
        alpha: float32, the fraction between them.
        out: float32 ``[block * 160]``.
    """
    lines, scratch, table = packed.lines, lanes_scratch(), packed.clip[which]
    line = table[LINE]
    for still in range(table[STILL], table[STILL_STOP]):
        low, step = packed.still_scale[still, 0], packed.still_scale[still, 1]
        unpack_still(lines, line, low, step, out, packed.still[still])
        line += LANE_COUNT
    begin = table[WORD] // LANE_COUNT * 32
    left, right = begin + first * table[FRAME_BITS], begin + second * table[FRAME_BITS]
    kept = np.float32(0.0) if alpha < HOLD_FRACTION else np.float32(1.0)
    row = table[ROW]
    for group in range(table[GROUP], table[GROUP_STOP]):
        stored, target = packed.group[group, 0], packed.group[group, 1]
        write_fractions(alpha, kept, packed.row[row, 1], scratch)
        for place in range(0, stored * LANE_COUNT, LANE_COUNT):
            width, unit, step = packed.row[row, 0], packed.row_scale[row, 0], packed.row_scale[row, 1]
            unpack_lanes(packed.words, left, right, width, lines, line, unit, step, scratch, place)
            line += 2 * LANE_COUNT
            left += width
            right += width
            row += 1
        if stored == 3:
            complete(scratch)
        turn_lanes(scratch)
        if stored == 3:
            arrange_lanes(lines, line, scratch)
            line += LANE_COUNT
        if target >= 0:
            store_quaternions(scratch, out, target)
        else:
            scatter_quaternions(scratch, lines[line : line + LANE_COUNT], out)
            line += LANE_COUNT
    while row < table[ROW_STOP]:
        write_fractions(alpha, kept, packed.row[row, 1], scratch)
        width, unit, step = packed.row[row, 0], packed.row_scale[row, 0], packed.row_scale[row, 1]
        unpack_lanes(packed.words, left, right, width, lines, line, unit, step, scratch, 0)
        lerp_lanes(scratch)
        add_channels(scratch, lines[line + 2 * LANE_COUNT : line + 3 * LANE_COUNT], out)
        line += 3 * LANE_COUNT
        left += width
        right += width
        row += 1


@exact_part
def scatter_quaternions(values, places, out):
    """Put 16 quaternions where they belong."""
    for lane in range(LANE_COUNT):
        place = places[lane]
        for row in range(0, QUATERNIONS, LANE_COUNT):
            out[place + row] = values[row + lane]


@exact_part
def add_channels(values, places, out):
    """Add what 16 channels are between two frames to a pose."""
    for lane in range(LANE_COUNT):
        out[places[lane]] += values[lane]
