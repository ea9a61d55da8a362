"""Sample clips: times in, joint-local poses out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from skelter.core.arrays import BLOCK_SIZE, ClipIndices, LocalPose, MorphWeights, Times
from skelter.core.checks import as_array, check_finite, read_only
from skelter.core.errors import ArgumentError, unknown_name
from skelter.pose.bank import bank_arrays
from skelter.rig.rig import Rig, check_is_rig

ClipChoice = str | int | Sequence[str] | ArrayLike


def sample(rig: Rig, clip: ClipChoice, time: ArrayLike, *, loop: bool = True) -> LocalPose:
    """Sample one clip per character.

    Args:
        rig: A baked character.
        clip: Name or index of a clip for all characters, or one per character.
        time: Clip time [s] for all characters, or one per character. Scalars give one character.
        loop: True wraps the time into the clip (its duration is its first pose), False holds the first and last pose.

    Returns:
        float32 ``[char, block, 10, 16]``, channels ``qx qy qz qw tx ty tz sx sy sz``, relative to the parent joint.
        `skelter.core.arrays.unpack_pose` gives one row per joint.

    Raises:
        ArgumentError: There is no such clip, a time is not finite, or the lengths differ.
    """
    from skelter.pose.sample_kernels import sample_kernel

    clips, times = bind_clips(rig, clip, time)
    blocks = rig.rest.shape[0]
    out = np.empty((len(clips), blocks * BLOCK_SIZE), np.float32)
    sample_kernel(bank_arrays(rig), clips, times, bool(loop), 0, len(clips), out)
    return out.reshape(len(clips), *rig.rest.shape)


def sample_morphs(rig: Rig, clip: ClipChoice, time: ArrayLike, *, loop: bool = True) -> MorphWeights:
    """Sample the morph weights of one clip per character.

    Args:
        rig: A baked character.
        clip: As in `sample`.
        time: As in `sample` [s].
        loop: As in `sample`.

    Returns:
        float32 ``[char, morph]``, one column per name in ``rig.mesh.morph_names``.

    Raises:
        ArgumentError: As in `sample`.
    """
    from skelter.pose.sample_kernels import sample_morphs_kernel

    clips, times = bind_clips(rig, clip, time)
    out = np.empty((len(clips), len(rig.mesh.morph_names)), np.float32)
    sample_morphs_kernel(bank_arrays(rig), clips, times, bool(loop), 0, len(clips), out)
    return out


def bind_clips(rig: Rig, clip: ClipChoice, time: ArrayLike) -> tuple[ClipIndices, Times]:
    """Return one clip index and one time per character.

    Raises:
        ArgumentError: As in `sample`.
    """
    check_is_rig(rig)
    clips = _clip_indices(rig, clip)
    times = as_array(time, np.float64, (None,), "time")  # a scalar becomes one row
    check_finite(times, "time")
    try:
        clips, times = np.broadcast_arrays(clips, times)
    except ValueError:
        raise ArgumentError(
            f"clip has {len(clips)} entries, time {len(times)}; give one of each per character"
        ) from None
    return read_only(np.ascontiguousarray(clips, np.int32)), read_only(np.ascontiguousarray(times, np.float64))


def _clip_indices(rig: Rig, clip: ClipChoice) -> np.ndarray:
    """Return indices of clips, int32 ``[char]``."""
    try:
        given = np.atleast_1d(np.asarray(clip))
    except ValueError:  # lists of different lengths
        given = np.zeros((0, 0))
    if given.dtype.kind == "U" and given.ndim == 1:
        return np.array([rig.clip_index(str(name)) for name in given], np.int32)
    if given.ndim != 1 or (given.dtype.kind not in "iu" and given.size):
        raise ArgumentError(f"clip: expected names or whole numbers, one per character, got {clip!r}")
    wrong = (given < 0) | (given >= len(rig.clip_names))
    if wrong.any():
        raise ArgumentError(f"clip: {unknown_name('clip', int(given[wrong][0]), rig.clip_names)}")
    return given.astype(np.int32)
