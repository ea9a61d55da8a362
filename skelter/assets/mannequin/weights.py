"""Skin weights: smooth memberships along chains of joints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from skelter.assets.mannequin.skeleton import skeleton

Knot = tuple[str, float, float]
"""A joint, the station [m] at which it takes over from the joint before it, and the width of the change [m]."""


def smoothstep(value: np.ndarray) -> np.ndarray:
    """Return ``3 u^2 - 2 u^3`` of a value clamped to [0, 1]."""
    u = np.clip(value, 0.0, 1.0)
    return np.asarray(u * u * (3.0 - 2.0 * u))


def chain_weights(station: np.ndarray, first: str, knots: Sequence[Knot]) -> np.ndarray:
    """Return the weights of all joints for vertices along a chain.

    ``w_j = m_1 ... m_j (1 - m_(j+1))`` with ``m_j = smoothstep((station - start_j) / width_j + 1 / 2)``: the sum is 1.

    Args:
        station: Way along the chain, float64 ``[vert]`` [m].
        first: The joint that holds the start.
        knots: The joints after it, in order.

    Returns:
        float64 ``[vert, joint]``.
    """
    names = skeleton().names
    weights = np.zeros((len(station), len(names)))
    rest = np.ones(len(station))
    holder = names.index(first)
    for name, start, width in knots:
        member = smoothstep((station - start) / width + 0.5)
        weights[:, holder] += rest * (1.0 - member)
        rest, holder = rest * member, names.index(name)
    weights[:, holder] += rest
    return weights


def handed_over(weights: np.ndarray, joint: str, share: np.ndarray) -> np.ndarray:
    """Return weights of which ``share`` ``[vert]`` of every vertex goes to another joint."""
    result = weights * (1.0 - share[:, None])
    result[:, skeleton().names.index(joint)] += share
    return result


def mirrored_weights(weights: np.ndarray) -> np.ndarray:
    """Return the weights of the mirrored vertices: left joints become right ones and the reverse."""
    names = skeleton().names
    swap = {"Left": "Right", "Right": "Left"}
    other = [next((swap[side] + name[len(side) :] for side in swap if name.startswith(side)), name) for name in names]
    return np.asarray(weights[:, [names.index(name) for name in other]])


def strongest(weights: np.ndarray, count: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Return the ``count`` heaviest joints of each vertex, heaviest first, and their weights, which sum to 1."""
    joints = np.argsort(-weights, axis=1, kind="stable")[:, :count].astype(np.int32)
    values = np.take_along_axis(weights, joints, axis=1).astype(np.float32)
    values[values < 1e-3] = 0.0
    joints[values == 0.0] = 0
    return joints, values / values.sum(axis=1, keepdims=True)
