"""Play baked clips with the kernels that the cpu engine uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from skelter.baking.frames import ClipFrames
from skelter.baking.pack import PackedFrames
from skelter.core.affine import multiply
from skelter.core.arrays import CHANNEL_COUNT, LANE_COUNT
from skelter.core.checks import read_only
from skelter.rig.packed import PackedClips, no_packed_clips

if TYPE_CHECKING:
    from skelter.pose.sample_kernels import BankArrays


def play(
    frames: ClipFrames, duration: float, parent: np.ndarray, times: np.ndarray, packed: PackedFrames | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Play one baked clip with the kernels that the cpu engine uses.

    Args:
        frames: The baked clip.
        duration: [s].
        parent: int32 ``[joint]``.
        times: float64 ``[time]`` [s].
        packed: Play this form of the frames.

    Returns:
        ``(model_from_joint float32 [time, joint, 12], morph weights float32 [time, morph])``.
    """
    from skelter.pose.sample_kernels import sample_morphs_kernel
    from skelter.transform.to_model_kernels import matrix_scratch, to_model_kernel

    if packed is None:
        local = _local(_single_bank(frames, duration), times)
    elif packed.deltas is None:
        local = _local(_packed_bank(frames, duration, packed), times)
    else:
        whole, deltas = (_local(_single_bank(form, duration), times) for form in (frames, packed.deltas))
        local = _moved(whole, deltas, _local(_packed_bank(packed.deltas, duration, packed), times))
    model = np.empty((len(times), len(parent) * 12), np.float32)
    morphs = np.empty((len(times), frames.morphs.shape[1]), np.float32)
    to_model_kernel(read_only(local), read_only(parent), 0, len(times), matrix_scratch(frames.base.shape[0]), model)
    if frames.morphs.size:
        clips = read_only(np.zeros(len(times), np.int32))
        sample_morphs_kernel(_single_bank(frames, duration), clips, read_only(times), False, 0, len(times), morphs)
    return model.reshape(len(times), len(parent), 12), morphs


def _local(bank: BankArrays, times: np.ndarray) -> np.ndarray:
    """Return local poses of a bank's first clip, float32 ``[time, block * 160]``."""
    from skelter.pose.sample_kernels import sample_kernel

    local = np.empty((len(times), len(bank.rest)), np.float32)
    sample_kernel(bank, read_only(np.zeros(len(times), np.int32)), read_only(times), False, 0, len(times), local)
    return local


def _moved(whole: np.ndarray, deltas: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return poses with their deltas taken away and others put in their place, float32 ``[time, block * 160]``."""
    shape = (len(whole), -1, CHANNEL_COUNT, LANE_COUNT)
    pose, delta, other = (
        np.swapaxes(values.reshape(shape), -1, -2).astype(np.float64) for values in (whole, deltas, others)
    )
    back = delta[..., :4] * (-1.0, -1.0, -1.0, 1.0)
    pose[..., :4] = multiply(pose[..., :4], multiply(back, other[..., :4]))
    pose[..., 4:7] += other[..., 4:7] - delta[..., 4:7]
    lost = delta[..., 7:] == 0
    pose[..., 7:] *= np.where(lost, 1.0, other[..., 7:] / np.where(lost, 1.0, delta[..., 7:]))
    return np.ascontiguousarray(np.swapaxes(pose, -1, -2).astype(np.float32)).reshape(whole.shape)


def _single_bank(frames: ClipFrames, duration: float) -> BankArrays:
    """Return a bank of one clip."""
    own = {
        "rest": frames.base.reshape(-1),
        "base": frames.base.reshape(1, -1),
        "base_index": np.zeros(1, np.int32),
        "row_start": np.array([0, len(frames.row_offset)], np.int32),
        "row_offset": frames.row_offset,
        "quat_row_count": np.array([frames.quat_row_count], np.int32),
        "row_hold": frames.row_hold,
        "data": frames.data.reshape(-1),
        "additive": np.zeros(1, np.uint8),
    }
    return _bank(frames, duration, own, no_packed_clips(1))


def _packed_bank(frames: ClipFrames, duration: float, packed: PackedFrames) -> BankArrays:
    """Return a bank of one packed clip."""
    own = {
        "rest": packed.ground.reshape(-1),
        "base": packed.ground.reshape(1, -1),
        "base_index": np.full(1, -1, np.int32),
        "row_start": np.zeros(2, np.int32),
        "row_offset": np.zeros(0, np.int32),
        "quat_row_count": np.zeros(1, np.int32),
        "row_hold": np.zeros(0, np.uint32),
        "data": np.zeros(0, np.float32),
        "additive": np.array([packed.deltas is not None], np.uint8),
    }
    return _bank(frames, duration, own, packed.arrays)


def _bank(frames: ClipFrames, duration: float, own: dict[str, np.ndarray], packed: PackedClips) -> BankArrays:
    from skelter.pose.sample_kernels import BankArrays

    arrays = own | {
        "duration": np.array([duration]),
        "frame_count": np.array([frames.frame_count], np.int32),
        "data_start": np.zeros(1, np.int64),
        "morph_start": np.array([0 if frames.morphs.size else -1], np.int64),
        "morph_data": frames.morphs.reshape(-1),
        "morph_hold": frames.morph_hold.reshape(1, -1),
        "morph_rest": np.zeros(frames.morphs.shape[1], np.float32),
        "keyed": frames.keyed[None],
    }
    small = PackedClips(*map(read_only, packed))
    return BankArrays(**{name: read_only(array) for name, array in arrays.items()}, packed=small)
