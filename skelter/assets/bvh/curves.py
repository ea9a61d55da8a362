"""Turn the columns of one joint into rotations and positions."""

from __future__ import annotations

import numpy as np

from skelter.assets.bvh.hierarchy import Channel
from skelter.core.arrays import KeyValues


def rotations(columns: np.ndarray, channels: list[Channel]) -> KeyValues:
    """Compose the rotation channels of a joint, in the order of the file, about the axes that have turned so far.

    ``q = q(first) * q(second) * q(third)``; the sign of each quaternion is the one nearer to its predecessor.

    Args:
        columns: Values of the joint's channels [deg], float64 ``[frame, channel]``.
        channels: What the columns are.

    Returns:
        Unit quaternions xyzw, float64 ``[frame, 4]``.
    """
    result = np.zeros((len(columns), 4))
    result[:, 3] = 1.0
    for column, channel in enumerate(channels):
        if channel.kind == "rotation":
            result = _turned(result, channel.axis, np.radians(columns[:, column]))
    result /= np.linalg.norm(result, axis=1, keepdims=True)
    flips = (result[1:] * result[:-1]).sum(axis=1) < 0.0
    result[1:] *= np.where(np.cumsum(flips) % 2, -1.0, 1.0)[:, None]
    return result


def _turned(rotation: np.ndarray, axis: int, angle: np.ndarray) -> np.ndarray:
    """Return ``rotation * (sin(angle / 2) * axis, cos(angle / 2))``."""
    sine, cosine = np.sin(0.5 * angle), np.cos(0.5 * angle)
    a, b, c, w = axis, (axis + 1) % 3, (axis + 2) % 3, 3
    result = rotation * cosine[:, None]
    result[:, a] += rotation[:, w] * sine
    result[:, b] += rotation[:, c] * sine
    result[:, c] -= rotation[:, b] * sine
    result[:, w] -= rotation[:, a] * sine
    return result


def positions(columns: np.ndarray, channels: list[Channel], offset: np.ndarray, scale: float) -> KeyValues:
    """Return the place of a joint in its parent.

    A position channel replaces the component of OFFSET along its axis.

    Args:
        columns: Values of the joint's channels [unit of the file], float64 ``[frame, channel]``.
        channels: What the columns are.
        offset: Place in the parent at rest, ``scale`` applied [m].
        scale: Metres per unit of the file.

    Returns:
        Translations [m], float64 ``[frame, 3]``.
    """
    result = np.tile(offset, (len(columns), 1))
    for column, channel in enumerate(channels):
        if channel.kind == "position":
            result[:, channel.axis] = columns[:, column] * scale
    return result
