"""Blend poses: any number of them, with weights per character and per joint, then deltas on top."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from skelter.core.arrays import LocalPose
from skelter.core.checks import as_array, check_finite, read_only
from skelter.core.errors import ArgumentError
from skelter.rig.mask import pack_mask
from skelter.rig.rig import Rig, check_is_rig

CHUNK = 64
"""Characters whose sums are kept at once, so that they stay in the cache."""

ZeroWeights = Literal["rest", "equal"]


@dataclass(frozen=True, slots=True)
class BlendLayer:
    """One pose, or one delta, of every character.

    Attributes:
        pose: float32 ``[char, block, 10, 16]``.
        weight: One weight for all characters, or one per character.
        joint_weight: Factor of the weight per joint, float32 ``[joint]``; None for 1 everywhere, below 0 counts as 0.
    """

    pose: LocalPose
    weight: float | ArrayLike = 1.0
    joint_weight: ArrayLike | None = None


@dataclass(frozen=True, slots=True)
class _Bound:
    """A layer as kernels take it: ``pose [char, block * 160]``, ``weight [char]``, ``joint_weight [block * 16]``."""

    pose: np.ndarray
    weight: np.ndarray
    joint_weight: np.ndarray


def blend(
    rig: Rig,
    layers: Sequence[BlendLayer],
    *,
    additive: Sequence[BlendLayer] = (),
    threshold: float = 0.1,
    zero: ZeroWeights = "rest",
) -> LocalPose:
    """Blend poses by their weights, then put deltas onto the result.

    ``pose = (sum w p + max(0, threshold - sum w) rest) / max(threshold, sum w)`` per joint, with ``w = weight *
    joint_weight``. Weights need not sum to 1; negative ones are skipped; little weight in all fades to the rest pose.
    Quaternions are summed with their signs aligned to the heaviest layer of the joint (equal weights: the one with the
    greater w, then x, y, z) and normalised once, so the order of the layers does not matter.

    Deltas ``t``, ``conj(q_ref) * q``, ``s / s_ref`` follow in their order: ``t += w dt``, ``q = q * nlerp(identity, dq,
    w)``, ``s *= w ds + 1 - w``. A negative weight takes the same delta away.

    Args:
        rig: The rig that the poses belong to.
        layers: Poses. None at all give the rest pose, of one character if there are no deltas either.
        additive: Deltas.
        threshold: Sum of weights below which the rest pose shows; above 0.
        zero: What a character is given none of whose layers has a weight: the ``rest`` pose, or ``equal`` weights of
            the layers whose weight is 0.

    Returns:
        float32 ``[char, block, 10, 16]``; rotations have length 1, their sign means nothing.

    Raises:
        ArgumentError: A shape is wrong, layers differ in their number of characters, a number is not finite, or the
            threshold is not above 0.
    """
    check_is_rig(rig)
    if not (np.isfinite(threshold) and threshold > 0.0):
        raise ArgumentError(f"threshold: {threshold} is not a number above 0")
    if zero not in ("rest", "equal"):
        raise ArgumentError(f"zero: expected 'rest' or 'equal', got {zero!r}")
    poses = [_bind(rig, layer, f"layers[{index}]") for index, layer in enumerate(layers)]
    deltas = [_bind(rig, layer, f"additive[{index}]") for index, layer in enumerate(additive)]
    count = _char_count([*poses, *deltas])
    out = np.empty((count, rig.rest.size), np.float32)
    _blend_chunks(rig, _with_usable_weights(poses, zero), deltas, np.float32(threshold), out)
    return out.reshape(count, *rig.rest.shape)


def _blend_chunks(rig: Rig, poses: list[_Bound], deltas: list[_Bound], threshold: np.float32, out: np.ndarray) -> None:
    from skelter.pose import blend_kernels as kernels

    rest = rig.rest.reshape(-1)
    for start in range(0, len(out), CHUNK):
        rows = slice(start, start + CHUNK)
        local = out[rows]
        count = len(local)
        sums = np.empty((count, len(rig.rest) * kernels.SUMS_SIZE), np.float32)
        kernels.begin_blend_kernel(0, count, sums, local)
        for layer in poses:
            kernels.find_pivot_kernel(layer.pose[rows], layer.weight[rows], layer.joint_weight, 0, count, sums)
        for layer in poses:
            kernels.add_pose_kernel(layer.pose[rows], layer.weight[rows], layer.joint_weight, 0, count, sums, local)
        kernels.end_blend_kernel(rest, threshold, sums, 0, count, local)
        for layer in deltas:
            kernels.add_delta_kernel(layer.pose[rows], layer.weight[rows], layer.joint_weight, 0, count, local)


def _bind(rig: Rig, layer: BlendLayer, name: str) -> _Bound:
    if not isinstance(layer, BlendLayer):
        raise ArgumentError(f"{name}: expected a BlendLayer, got {type(layer).__name__}")
    pose = as_array(layer.pose, np.float32, (None, *rig.rest.shape), f"{name}.pose")
    check_finite(pose, f"{name}.pose")
    weight = as_array(layer.weight, np.float32, (None,), f"{name}.weight")  # a scalar becomes one row
    check_finite(weight, f"{name}.weight")
    if len(weight) not in (1, len(pose)):
        raise ArgumentError(f"{name}.weight: there are {len(weight)} weights for {len(pose)} characters")
    joint_weight = np.ones(rig.joint_count, np.float32) if layer.joint_weight is None else layer.joint_weight
    factors = as_array(joint_weight, np.float32, (rig.joint_count,), f"{name}.joint_weight")
    check_finite(factors, f"{name}.joint_weight")
    return _Bound(
        pose.reshape(len(pose), rig.rest.size),
        read_only(np.ascontiguousarray(np.broadcast_to(weight, len(pose)))),
        read_only(pack_mask(np.maximum(factors, 0.0)).reshape(-1)),
    )


def _char_count(layers: list[_Bound]) -> int:
    """Return the number of characters, which is that of all layers, or 1 without any."""
    counts = {len(layer.pose) for layer in layers}
    if len(counts) > 1:
        raise ArgumentError(f"layers: they are poses of {' and '.join(map(str, sorted(counts)))} characters")
    return counts.pop() if counts else 1


def _with_usable_weights(layers: list[_Bound], zero: ZeroWeights) -> list[_Bound]:
    """Return the layers without negative weights, with equal ones for characters that have none but 0 if so chosen."""
    if not layers:
        return layers
    given = np.array([layer.weight for layer in layers])
    weights = np.maximum(given, np.float32(0.0))
    if zero == "equal":
        idle = given == 0.0
        share = np.float32(1.0) / np.maximum(idle.sum(axis=0), 1).astype(np.float32)
        weights = np.where((weights.sum(axis=0) == 0.0) & idle, share, weights)
    return [
        _Bound(layer.pose, read_only(weight), layer.joint_weight) for layer, weight in zip(layers, weights, strict=True)
    ]
