"""Quaternions xyzw in NumPy, float64, over any leading axes. ``multiply(a, b)`` turns by b first."""

from __future__ import annotations

import numpy as np

from skelter.core.affine import multiply as multiply
from skelter.core.affine import rotate as rotate
from skelter.core.arrays import Fractions, Mat3, Quat, Vec3

X, Y, Z = np.eye(3)
"""The axes."""


def about(axis: Vec3, angle: Fractions | float) -> Quat:
    """Return rotations about unit axes by angles in degrees."""
    half = 0.5 * np.deg2rad(np.asarray(angle, np.float64))[..., None]
    return np.concatenate([np.sin(half) * axis, np.cos(half)], axis=-1)


def chain(*rotations: Quat) -> Quat:
    """Return the product of several rotations."""
    product = rotations[0]
    for rotation in rotations[1:]:
        product = multiply(product, rotation)
    return product


def inverse(rotation: Quat) -> Quat:
    """Return the inverse of unit quaternions."""
    return rotation * (-1.0, -1.0, -1.0, 1.0)


def mirrored(rotation: Quat) -> Quat:
    """Return rotations mirrored from left to right (x to -x)."""
    return rotation * (1.0, -1.0, -1.0, 1.0)


def power(rotation: Quat, exponent: float) -> Quat:
    """Return a part of each rotation, along its shorter arc."""
    near = np.where(rotation[..., 3:] < 0.0, -rotation, rotation)
    length = np.linalg.norm(near[..., :3], axis=-1, keepdims=True)
    half = exponent * np.arctan2(length, near[..., 3:])
    axis = near[..., :3] / np.maximum(length, 1e-300)
    return np.concatenate([np.sin(half) * axis, np.cos(half)], axis=-1)


def twist(rotation: Quat, axis: Vec3) -> Quat:
    """Return the part of rotations that turns about a unit axis; the rest is ``rotation * inverse(twist)``."""
    along = np.sum(rotation[..., :3] * axis, axis=-1, keepdims=True)
    part = np.concatenate([along * axis, rotation[..., 3:]], axis=-1)
    return np.asarray(part / np.linalg.norm(part, axis=-1, keepdims=True))


def from_frames(new: Mat3, old: Mat3) -> Quat:
    """Return the rotations that turn one orthonormal frame (columns) into another.

    The four squares are taken from the trace, the largest is divided by: S. W. Shepperd, Quaternion from Rotation
    Matrix, 1978.
    """
    m = new @ np.swapaxes(old, -1, -2)
    trace = np.trace(m, axis1=-2, axis2=-1)
    diagonal = np.diagonal(m, axis1=-2, axis2=-1)
    off = np.stack([m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]], axis=-1)
    products = np.empty((*m.shape[:-2], 4, 4))
    products[..., :3, :3] = m + np.swapaxes(m, -1, -2)
    for axis in range(3):
        products[..., axis, axis] = 1.0 - trace + 2.0 * diagonal[..., axis]
    products[..., :3, 3] = products[..., 3, :3] = off
    products[..., 3, 3] = 1.0 + trace
    largest = np.argmax(np.diagonal(products, axis1=-2, axis2=-1), axis=-1)
    row = np.take_along_axis(products, largest[..., None, None], axis=-2)[..., 0, :]
    return np.asarray(row / np.linalg.norm(row, axis=-1, keepdims=True))


def continuous(rotation: Quat) -> Quat:
    """Return keys ``[key, 4]`` with signs chosen so that neighbours are near each other and the first has w >= 0."""
    steps = np.sum(rotation[1:] * rotation[:-1], axis=-1)
    signs = np.cumprod(np.where(np.concatenate([rotation[:1, 3], steps]) < 0.0, -1.0, 1.0))
    return rotation * signs[:, None]
