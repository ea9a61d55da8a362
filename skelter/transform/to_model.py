"""Joint-local poses to model-space matrices."""

from __future__ import annotations

import numpy as np

from skelter.core.arrays import BLOCK_SIZE, Affine, LocalPose
from skelter.core.checks import as_array
from skelter.rig.rig import Rig, check_is_rig


def to_model(rig: Rig, local: LocalPose) -> Affine:
    """Turn joint-local poses into model-space matrices, parents first.

    ``model_from_joint[j] = model_from_joint[parent[j]] @ parent_from_joint(local[j])``

    Args:
        rig: The rig that the pose belongs to.
        local: float32 ``[char, block, 10, 16]``, as `skelter.sample` returns it.

    Returns:
        float32 ``[char, joint, 3, 4]``: the upper three rows of ``model_from_joint`` [m].

    Raises:
        ArgumentError: The shape is not that of a pose of this rig.
    """
    check_is_rig(rig)
    from skelter.transform.to_model_kernels import matrix_scratch, to_model_kernel

    poses = as_array(local, np.float32, (None, *rig.rest.shape), "local")
    blocks = rig.rest.shape[0]
    scratch = matrix_scratch(blocks)
    out = np.empty((len(poses), rig.joint_count * 12), np.float32)
    to_model_kernel(poses.reshape(len(poses), blocks * BLOCK_SIZE), rig.parent, 0, len(poses), scratch, out)
    return out.reshape(len(poses), rig.joint_count, 3, 4)
