"""Stages of the cpu engine, for whole arrays of characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from skelter.core.arrays import AFFINE, LocalPose, SkinMatrices
from skelter.core.checks import as_array
from skelter.core.playback import PlaybackList
from skelter.core.workers import default_workers
from skelter.engines.cpu.stage import PoseStage
from skelter.pose.layers import bind_playback
from skelter.rig.rig import Rig, check_is_rig

if TYPE_CHECKING:
    from skelter.core.vector_kernels import Work


def blend_layers(rig: Rig, playback: PlaybackList, *, additive: ArrayLike, mask: ArrayLike | None = None) -> LocalPose:
    """Pose characters by their playback lists.

    Beginning with the rest pose P, for each layer and each property (t, r, s) of each joint: ``cov`` is the sum of the
    weights of the entries that key it, ``a = layer weight * mask * cov``, and nothing changes where a is 0. Otherwise

    - OVERWRITE: ``P = lerp(P, sum(w v) / cov, a)``. Quaternions are summed with their signs aligned to the heaviest
      entry, normalised, and mixed by nlerp.
    - ADDITIVE: the same mean of deltas ``t - t_ref``, ``conj(q_ref) * q``, ``s / s_ref``; ``P_t += a dt``,
      ``P_r = P_r * slerp(identity, dq, a)``, ``P_s *= 1 + a (ds - 1)``.

    A clip that was baked as additive holds deltas; any other clip is taken against the rest pose in an ADDITIVE layer.
    In an OVERWRITE layer an additive clip is put onto the rest pose.

    Args:
        rig: A baked character.
        playback: What each character plays; times are clamped into the clips.
        additive: uint8 ``[layer]``: 1 adds, 0 overwrites.
        mask: Weight in [0, 1] per joint, float32 ``[layer, block, 16]``, as `skelter.rig.mask.pack_mask` makes it; None
            for 1 everywhere.

    Returns:
        float32 ``[char, block, 10, 16]``, relative to the parent joint. The result for a character does not depend on
        the order of its entries within a layer (up to rounding), nor on other characters.

    Raises:
        ArgumentError: A shape is wrong, an index points nowhere, or a number is not finite; the message names character
            and entry.
    """
    bound = bind_playback(rig, playback, additive, mask)
    stage = PoseStage(rig, bound.layers, playback.clip.shape[1])
    out = np.empty((len(playback), rig.rest.size), np.float32)
    stage.run(bound.playback, local=out)
    return out.reshape(len(playback), *rig.rest.shape)


def animate(rig: Rig, playback: PlaybackList, *, additive: ArrayLike, mask: ArrayLike | None = None) -> SkinMatrices:
    """Turn playback lists into skinning matrices.

    Gives what `skinning_matrices` makes of `blend_layers`, to the bit, and keeps no poses.

    Args:
        rig: A baked character.
        playback: What each character plays.
        additive: uint8 ``[layer]``: 1 adds, 0 overwrites.
        mask: Weight in [0, 1] per joint, float32 ``[layer, block, 16]``; None for 1 everywhere.

    Returns:
        float32 ``[char, palette, 3, 4]`` [m], one per entry of ``rig.palette``.

    Raises:
        ArgumentError: As in `blend_layers`.
    """
    bound = bind_playback(rig, playback, additive, mask)
    stage = PoseStage(rig, bound.layers, playback.clip.shape[1])
    out = np.empty((len(playback), len(rig.palette.joint) * AFFINE), np.float32)
    stage.run(bound.playback, skinning=out)
    return out.reshape(len(playback), len(rig.palette.joint), 3, 4)


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
    from skelter.engines.cpu.frame_kernels import matrices_kernel
    from skelter.transform.to_model_kernels import matrix_scratch

    check_is_rig(rig)
    poses = as_array(local, np.float32, (None, *rig.rest.shape), "local").reshape(-1, rig.rest.size)
    joint, joint_from_bind = rig.palette.joint, rig.palette.joint_from_bind.reshape(-1)
    out = np.empty((len(poses), len(joint) * AFFINE), np.float32)

    def call(work: Work, _thread: int) -> None:
        scratch, model = matrix_scratch(len(rig.rest)), np.empty(rig.joint_count * AFFINE, np.float32)
        matrices_kernel(poses, rig.parent, joint, joint_from_bind, work, scratch, model, out)

    default_workers().share(len(poses), call)
    return out.reshape(len(poses), len(joint), 3, 4)
