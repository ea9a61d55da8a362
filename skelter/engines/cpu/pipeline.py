"""Stages of the cpu engine, wired for whole arrays of characters."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from skelter.core.arrays import AFFINE, LocalPose, SkinMatrices
from skelter.core.checks import as_array, read_only
from skelter.core.playback import PlaybackArrays, PlaybackList
from skelter.pose.bank import bank_arrays
from skelter.pose.layers import bind_playback
from skelter.rig.rig import Rig, check_is_rig

CHUNK = 64
"""Characters that go through all stages before the next ones do: what lies between the stages stays in the cache."""


def skinning_matrices(rig: Rig, local: LocalPose) -> SkinMatrices:
    """Turn joint-local poses into skinning matrices.

    ``model_from_bind[p] = model_from_joint[palette.joint[p]] @ palette.joint_from_bind[p]``, with the model matrices of
    `skelter.to_model`.

    Args:
        rig: The rig that the poses belong to.
        local: float32 ``[char, block, 10, 16]``, as `skelter.sample` returns it.

    Returns:
        float32 ``[char, palette, 3, 4]`` [m], one per entry of ``rig.palette``: the joints that meshes use.

    Raises:
        ArgumentError: The shape is not that of a pose of this rig.
    """
    check_is_rig(rig)
    poses = as_array(local, np.float32, (None, *rig.rest.shape), "local").reshape(-1, rig.rest.size)
    chunks = (poses[start : start + CHUNK] for start in range(0, len(poses), CHUNK))
    return _matrices(rig, chunks, len(poses))


def animate(rig: Rig, playback: PlaybackList, *, additive: ArrayLike, mask: ArrayLike | None = None) -> SkinMatrices:
    """Turn playback lists into skinning matrices.

    Gives what `skinning_matrices` makes of `skelter.pose.layers.blend_layers`, to the bit, and keeps no poses.

    Args:
        rig: A baked character.
        playback: What each character plays.
        additive: uint8 ``[layer]``: 1 adds, 0 overwrites.
        mask: Weight in [0, 1] per joint, float32 ``[layer, block, 16]``; None for 1 everywhere.

    Returns:
        float32 ``[char, palette, 3, 4]`` [m], one per entry of ``rig.palette``.

    Raises:
        ArgumentError: As in `skelter.pose.layers.blend_layers`.
    """
    return _matrices(rig, _blended_chunks(rig, playback, additive, mask), len(playback))


def _blended_chunks(
    rig: Rig, playback: PlaybackList, additive: ArrayLike, mask: ArrayLike | None
) -> Iterator[np.ndarray]:
    """Yield the poses of one chunk after the other, float32 ``[char, block * 160]``, in one buffer."""
    from skelter.pose.layers_kernels import blend_layers_kernel

    bound = bind_playback(rig, playback, additive, mask)
    bank, rest, scratch = bank_arrays(rig), rig.rest.reshape(-1), bound.scratch(len(rig.rest))
    local = np.empty((min(len(playback), CHUNK), rig.rest.size), np.float32)
    for start in range(0, len(playback), CHUNK):
        rows = PlaybackArrays(*(array[start : start + CHUNK] for array in bound.playback))
        poses = local[: len(rows.clip)]
        blend_layers_kernel(bank, rest, rows, bound.layers, 0, len(poses), scratch, poses)
        yield read_only(poses)


def _matrices(rig: Rig, chunks: Iterator[np.ndarray], char_count: int) -> SkinMatrices:
    """Take chunks of poses ``[char, block * 160]`` through the hierarchy to the palette."""
    from skelter.skin.palette_kernels import palette_kernel
    from skelter.transform.to_model_kernels import MATRIX_BLOCK, to_model_kernel

    joint, joint_from_bind = rig.palette.joint, rig.palette.joint_from_bind.reshape(-1)
    out = np.empty((char_count, len(joint) * AFFINE), np.float32)
    scratch = np.empty(len(rig.rest) * MATRIX_BLOCK, np.float32)
    model = np.empty((min(char_count, CHUNK), rig.joint_count * AFFINE), np.float32)
    for index, poses in enumerate(chunks):
        target = out[index * CHUNK : index * CHUNK + len(poses)]
        to_model_kernel(poses, rig.parent, 0, len(poses), scratch, model)
        palette_kernel(read_only(model), joint, joint_from_bind, 0, len(poses), target)
    return out.reshape(char_count, len(joint), 3, 4)
