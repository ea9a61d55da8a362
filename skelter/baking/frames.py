"""Frames of a clip in the 16-lane layout, split into rows that move and rows that do not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skelter.baking.curves import ClipCurves
from skelter.core.arrays import CHANNEL_COUNT, HOLD_FRACTION, LANE_COUNT, block_count, pack_pose

STILL = 3e-7
"""Rows whose lanes change by no more than this over a clip, relative to the size of their vectors, are constant."""
PROPERTIES = [4, 0, 7]
"""First channels of translation, rotation and scale."""


@dataclass(frozen=True, slots=True)
class ClipFrames:
    """One baked clip. The attributes are those of a `skelter.rig.rig.ClipBank`, for a single clip.

    Attributes:
        frame_count: Number of frames.
        base: float32 ``[block, 10, 16]``.
        row_offset: int32 ``[row]``.
        quat_row_count: Number of leading quaternion rows.
        row_hold: uint32 ``[row]``.
        data: float32 ``[frame, row, 16]``.
        morphs: float32 ``[frame, morph]``, or ``[0, morph]`` when no weight differs from its default.
        morph_hold: uint8 ``[morph]``.
        keyed: uint32 ``[block, 3]``.
    """

    frame_count: int
    base: np.ndarray
    row_offset: np.ndarray
    quat_row_count: int
    row_hold: np.ndarray
    data: np.ndarray
    morphs: np.ndarray
    morph_hold: np.ndarray
    keyed: np.ndarray

    @property
    def size(self) -> int:
        """Bytes of the frames, of the rows that do not move, and of the table of rows."""
        tables = self.base.nbytes + self.row_offset.nbytes + self.row_hold.nbytes
        return tables + self.data.nbytes + self.morphs.nbytes


def bake_frames(curves: ClipCurves, duration: float, frame_count: int) -> ClipFrames:
    """Sample the source curves at uniform times and pack them.

    Args:
        curves: The source.
        duration: [s].
        frame_count: Number of frames; the first lies at 0, the last at ``duration``.
    """
    local, morphs = curves.sample(_frame_times(curves.step_times, duration, frame_count))
    poses = _poses(local, curves.rest)
    rows = poses.reshape(frame_count, -1, LANE_COUNT)
    moving = _moving_rows(rows)
    order = _quaternions_first(np.flatnonzero(moving))
    held = _lane_bits(curves.held_columns, curves.joint_count)
    return ClipFrames(
        frame_count=frame_count,
        base=poses[0].copy(),  # a view would keep all poses
        row_offset=(order * LANE_COUNT).astype(np.int32),
        quat_row_count=int((order % CHANNEL_COUNT < 4).sum()),
        row_hold=held.ravel()[order],
        data=np.ascontiguousarray(rows[:, order]),
        morphs=_moving_morphs(morphs, curves),
        morph_hold=curves.held_columns[curves.joint_count * CHANNEL_COUNT :].astype(np.uint8),
        keyed=_lane_bits(curves.keyed_columns, curves.joint_count)[:, PROPERTIES],
    )


def _frame_times(step_times: np.ndarray, duration: float, frame_count: int) -> np.ndarray:
    """Return uniform times [s]; one that a step follows by a hair is moved onto the step, so that it is not missed."""
    times = np.linspace(0.0, duration, frame_count)
    if frame_count > 1 and len(step_times):
        following = step_times[np.minimum(np.searchsorted(step_times, times), len(step_times) - 1)]
        hair = (1.0 - HOLD_FRACTION) * duration / (frame_count - 1)
        times = np.where((following > times) & (following < times + hair), following, times)
    return times


def _poses(local: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """Return poses ``[frame, block, 10, 16]`` float32 whose quaternions never jump to the other hemisphere."""
    joint_count = local.shape[1]
    rotation = local[:, :, :4].copy()
    rest_rotation = rest[: joint_count * CHANNEL_COUNT].reshape(joint_count, CHANNEL_COUNT)[:, :4]
    before = np.concatenate([rest_rotation[None], rotation[:-1]])
    flips = np.where(np.einsum("fjc,fjc->fj", before, rotation) < 0, -1.0, 1.0)
    rotation *= np.cumprod(flips, axis=0)[:, :, None]
    return pack_pose(rotation, local[:, :, 4:7], local[:, :, 7:10])


def _moving_rows(rows: np.ndarray) -> np.ndarray:
    """Return which rows change, bool ``[row]``; the four rows of a quaternion move together.

    No absolute threshold: under an ancestor of scale 200 a translation of 0.004 is a large one.
    """
    low, high = rows.min(axis=0), rows.max(axis=0)
    size = np.maximum(np.abs(low), np.abs(high)).reshape(-1, CHANNEL_COUNT, LANE_COUNT)
    for vector in (slice(0, 4), slice(4, 7), slice(7, 10)):
        size[:, vector] = size[:, vector].max(axis=1, keepdims=True)
    moving = ((high - low).reshape(size.shape) > STILL * size).any(axis=2)
    moving[:, :4] |= moving[:, :4].any(axis=1, keepdims=True)
    result: np.ndarray = moving.ravel()
    return result


def _quaternions_first(rows: np.ndarray) -> np.ndarray:
    is_quaternion = rows % CHANNEL_COUNT < 4
    return np.concatenate([rows[is_quaternion], rows[~is_quaternion]])


def _lane_bits(columns: np.ndarray, joint_count: int) -> np.ndarray:
    """Return flags of columns as a bit set of lanes per row, uint32 ``[block, 10]``."""
    lanes = np.zeros((block_count(joint_count) * LANE_COUNT, CHANNEL_COUNT), np.uint32)
    lanes[:joint_count] = columns[: joint_count * CHANNEL_COUNT].reshape(joint_count, CHANNEL_COUNT)
    bits = np.left_shift(lanes.reshape(-1, LANE_COUNT, CHANNEL_COUNT), np.arange(LANE_COUNT, dtype=np.uint32)[:, None])
    return np.bitwise_or.reduce(bits, axis=1)


def _moving_morphs(morphs: np.ndarray, curves: ClipCurves) -> np.ndarray:
    weights = morphs.astype(np.float32)
    rest = curves.rest[curves.joint_count * CHANNEL_COUNT :].astype(np.float32)
    return weights if (weights != rest).any() else np.empty((0, len(rest)), np.float32)
