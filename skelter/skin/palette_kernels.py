"""Kernels of `skelter.skin.palette`."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from skelter.core.arrays import AFFINE
from skelter.core.kernel import kernel


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
        for entry in range(len(joint)):
            above = model[char, joint[entry] * AFFINE :][:AFFINE]
            m = joint_from_bind[entry * AFFINE : (entry + 1) * AFFINE]
            m0, m1, m2, m3, m4, m5, m6, m7 = m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7]
            m8, m9, m10, m11 = m[8], m[9], m[10], m[11]
            out = out_matrices[char, entry * AFFINE : (entry + 1) * AFFINE]
            for row in range(0, AFFINE, 4):
                a0, a1, a2 = above[row], above[row + 1], above[row + 2]
                out[row] = a0 * m0 + a1 * m4 + a2 * m8
                out[row + 1] = a0 * m1 + a1 * m5 + a2 * m9
                out[row + 2] = a0 * m2 + a1 * m6 + a2 * m10
                out[row + 3] = a0 * m3 + a1 * m7 + a2 * m11 + above[row + 3]
