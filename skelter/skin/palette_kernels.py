"""Kernels of `skelter.skin.palette`."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from skelter.core.arrays import AFFINE
from skelter.core.kernel import kernel, kernel_part
from skelter.core.vector_kernels import multiply_affine


@kernel
def palette_kernel(model, joint, joint_from_bind, start, stop, out_matrices):
    """Multiply model matrices with inverse bind matrices for the characters ``[start, stop)``.

    ``model_from_bind[p] = model_from_joint[joint[p]] @ joint_from_bind[p]``

    Args:
        model: float32 ``[char, joint * 12]``.
        joint: int32 ``[palette]``.
        joint_from_bind: float32 ``[palette * 12]``.
        start: First character.
        stop: Past the last character.
        out_matrices: float32 ``[char, palette * 12]``, written whole.
    """
    for char in range(start, stop):
        palette_matrices(model[char], joint, joint_from_bind, out_matrices[char])


@kernel_part
def palette_matrices(model, joint, joint_from_bind, out_matrices):
    """Write the skinning matrices of one character, float32 ``[palette * 12]``."""
    for entry in range(len(joint)):
        multiply_affine(
            model, np.int64(joint[entry]) * AFFINE, joint_from_bind, entry * AFFINE, out_matrices, entry * AFFINE
        )
