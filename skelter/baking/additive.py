"""Deltas of additive clips: frames against a reference.

Interpolating deltas gives the delta of what interpolating the frames gives: ``t - t_ref`` and ``s / s_ref`` are linear,
and ``conj(q_ref) * q`` turns all quaternions of a joint in the same way. So the error of a delta, put on its reference,
is the error of the frames, which is measured on them.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from skelter.assets.character import Character, Clip
from skelter.baking.curves import ClipCurves, pack_curves
from skelter.baking.frames import ClipFrames
from skelter.baking.skeleton import Skeleton
from skelter.core.affine import normalized
from skelter.core.arrays import CHANNEL_COUNT, IDENTITY_CHANNELS, LANE_COUNT, pack_pose, unpack_pose
from skelter.core.checks import NUMBER_MAX

SCALE_MIN = 1.0 / NUMBER_MAX
"""A reference scale below this is 0: nothing is a multiple of it."""
CHUNK_FLOATS = 1 << 21
"""Frames become deltas in chunks of about this many floats."""


def reference_columns(
    character: Character,
    clip: Clip,
    curves: ClipCurves,
    skeleton: Skeleton,
    morph_first: dict[int, int],
    rest: np.ndarray,
) -> np.ndarray | None:
    """Return what the deltas of a clip are taken against, or None if it is not additive.

    Args:
        character: The character, for the named clip.
        clip: The clip.
        curves: Its curves.
        skeleton: Joints of the rig.
        morph_first: First morph weight of each node that has any.
        rest: As `skelter.baking.curves.rest_columns` returns it.

    Returns:
        float64 ``[joint * 10 + morph]``, rounded to what float32 can hold: deltas of equal frames are exactly 0.
    """
    additive = clip.additive
    if additive is None:
        return None
    if additive.reference == "rest":
        columns = rest
    elif additive.reference == "first_frame":
        columns = _columns_at(curves, 0.0)
    else:
        named = character.clip(additive.clip)
        columns = _columns_at(pack_curves(named, skeleton, morph_first, rest), additive.time)
    return columns.astype(np.float32).astype(np.float64)


def _columns_at(curves: ClipCurves, time: float) -> np.ndarray:
    local, morphs = curves.sample(np.array([time], np.float64))
    return np.concatenate([local.ravel(), morphs.ravel()])


def delta_frames(frames: ClipFrames, curves: ClipCurves, reference: np.ndarray) -> ClipFrames:
    """Turn frames of poses into frames of deltas.

    Rows that do not move have a delta that does not move, so the rows, their holds and their order stay as they are.

    Args:
        frames: The baked frames.
        curves: What they were baked from.
        reference: As `reference_columns` returns it.
    """
    columns = curves.joint_count * CHANNEL_COUNT
    local = reference[:columns].reshape(-1, CHANNEL_COUNT).copy()
    keyed = curves.keyed_columns[:columns].reshape(-1, CHANNEL_COUNT)
    base = _pose_deltas(frames.base, local, keyed)
    below = unpack_pose(base, curves.joint_count)[0][:, 3] < 0
    local[below, :4] *= -1.0
    return dataclasses.replace(
        frames,
        base=_pose_deltas(frames.base, local, keyed),
        data=_row_deltas(frames, local, keyed),
        morphs=_morph_deltas(frames, curves, reference[columns:]),
    )


def _row_deltas(frames: ClipFrames, local: np.ndarray, keyed: np.ndarray) -> np.ndarray:
    """Return the deltas of the rows that move, float32 ``[frame, row, 16]``."""
    data = np.empty_like(frames.data)
    rows = frames.row_offset // LANE_COUNT
    step = max(CHUNK_FLOATS // frames.base.size, 1)
    for start in range(0, frames.frame_count, step):
        part = frames.data[start : start + step]
        poses = np.repeat(frames.base[None], len(part), axis=0)
        poses.reshape(len(part), -1, LANE_COUNT)[:, rows] = part
        deltas = _pose_deltas(poses, local, keyed)
        data[start : start + step] = deltas.reshape(len(part), -1, LANE_COUNT)[:, rows]
    return data


def _pose_deltas(poses: np.ndarray, local: np.ndarray, keyed: np.ndarray) -> np.ndarray:
    """Return ``conj(q_ref) * q``, ``t - t_ref`` and ``s / s_ref``, and the identity for what is not keyed.

    Args:
        poses: float32 ``[..., block, 10, 16]``.
        local: The reference, float64 ``[joint, 10]``.
        keyed: bool ``[joint, 10]``.
    """
    rotation, translation, scale = unpack_pose(poses, len(local))
    lost = np.abs(local[:, 7:]) < SCALE_MIN
    ratio = np.where(lost, 1.0, scale / np.where(lost, 1.0, local[:, 7:]))
    turn = normalized(_turn_from(local[:, :4], rotation.astype(np.float64)))
    delta = np.concatenate([turn, translation - local[:, 4:7], ratio], axis=-1)
    delta = np.where(keyed, delta, IDENTITY_CHANNELS)
    return pack_pose(delta[..., :4], delta[..., 4:7], delta[..., 7:])


def _turn_from(reference: np.ndarray, rotation: np.ndarray) -> np.ndarray:
    """Return ``conj(reference) * rotation`` of quaternions xyzw."""
    a, w = reference[..., :3], reference[..., 3:]
    b, v = rotation[..., :3], rotation[..., 3:]
    vector = w * b - v * a - np.cross(a, b)
    return np.concatenate([vector, w * v + (a * b).sum(axis=-1, keepdims=True)], axis=-1)


def _morph_deltas(frames: ClipFrames, curves: ClipCurves, reference: np.ndarray) -> np.ndarray:
    """Return ``w - w_ref``, float32 ``[frame, morph]``, and 0 for weights that are not keyed."""
    columns = curves.joint_count * CHANNEL_COUNT
    weights = frames.morphs if frames.morphs.size else np.tile(curves.rest[columns:], (frames.frame_count, 1))
    deltas: np.ndarray = np.where(curves.keyed_columns[columns:], weights - reference, 0.0).astype(np.float32)
    return deltas
