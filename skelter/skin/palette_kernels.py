"""Kernels of `skelter.skin.palette`."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from skelter.core.kernel import kernel

AFFINE = 12
"""Floats of a 3x4 matrix."""


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
        matrices = model[char]
        out = out_matrices[char]
        for entry in range(len(joint)):
            source = joint[entry] * AFFINE
            bind = entry * AFFINE
            for row in range(0, AFFINE, 4):
                a0 = matrices[source + row]
                a1 = matrices[source + row + 1]
                a2 = matrices[source + row + 2]
                for column in range(4):
                    out[bind + row + column] = (
                        a0 * joint_from_bind[bind + column]
                        + a1 * joint_from_bind[bind + 4 + column]
                        + a2 * joint_from_bind[bind + 8 + column]
                    )
                out[bind + row + 3] += matrices[source + row + 3]
