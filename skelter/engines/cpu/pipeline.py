"""Stages of the cpu engine, wired for whole arrays of characters."""

from __future__ import annotations

from skelter.core.arrays import LocalPose, SkinMatrices
from skelter.rig.rig import Rig
from skelter.skin.palette import palette_matrices
from skelter.transform.to_model import to_model


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
    return palette_matrices(rig, to_model(rig, local))
