"""Skinning matrices: what vertices are multiplied with."""

from __future__ import annotations

import numpy as np

from skelter.core.arrays import Affine, SkinMatrices
from skelter.core.checks import as_array
from skelter.rig.rig import Rig, check_is_rig


def palette_matrices(rig: Rig, model_from_joint: Affine) -> SkinMatrices:
    """Multiply model matrices with inverse bind matrices, for the joints that meshes use.

    ``model_from_bind[p] = model_from_joint[palette.joint[p]] @ palette.joint_from_bind[p]``

    Args:
        rig: The rig.
        model_from_joint: float32 ``[char, joint, 3, 4]`` [m], as `skelter.to_model` returns it.

    Returns:
        float32 ``[char, palette, 3, 4]`` [m], one per entry of ``rig.palette``.

    Raises:
        ArgumentError: The shape is not that of matrices of this rig.
    """
    check_is_rig(rig)
    from skelter.skin.palette_kernels import palette_kernel

    model = as_array(model_from_joint, np.float32, (None, rig.joint_count, 3, 4), "model_from_joint")
    palette = rig.palette
    out = np.empty((len(model), len(palette.joint) * 12), np.float32)
    flat = model.reshape(len(model), rig.joint_count * 12)
    palette_kernel(flat, palette.joint, palette.joint_from_bind.reshape(-1), 0, len(model), out)
    return out.reshape(len(model), len(palette.joint), 3, 4)
