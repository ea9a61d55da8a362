"""Stages of the cpu engine, wired for whole arrays of characters."""

from __future__ import annotations

import numpy as np

from skelter.core.arrays import BLOCK_SIZE, LocalPose, SkinMatrices
from skelter.core.checks import as_array, read_only
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
    from skelter.skin.palette_kernels import palette_kernel
    from skelter.transform.to_model_kernels import MATRIX_BLOCK, to_model_kernel

    check_is_rig(rig)
    blocks = rig.rest.shape[0]
    joint, joint_from_bind = rig.palette.joint, rig.palette.joint_from_bind.reshape(-1)
    poses = as_array(local, np.float32, (None, *rig.rest.shape), "local").reshape(-1, blocks * BLOCK_SIZE)
    out = np.empty((len(poses), len(joint) * 12), np.float32)
    scratch = np.empty(blocks * MATRIX_BLOCK, np.float32)
    model = np.empty((min(len(poses), CHUNK), rig.joint_count * 12), np.float32)
    for start in range(0, len(poses), CHUNK):
        chunk, target = poses[start : start + CHUNK], out[start : start + CHUNK]
        to_model_kernel(chunk, rig.parent, 0, len(chunk), scratch, model)
        palette_kernel(read_only(model), joint, joint_from_bind, 0, len(chunk), target)
    return out.reshape(len(out), len(joint), 3, 4)
