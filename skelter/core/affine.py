"""Affine maths in NumPy, float64, over any leading axes. Column vectors: ``dst_from_src @ src``."""

from __future__ import annotations

import numpy as np

from skelter.core.arrays import Fractions, Mat3, Mat4, Quat, Vec3


def rotation_matrix(rotation: Quat) -> Mat3:
    """Return the rotation matrices of unit quaternions xyzw."""
    x, y, z, w = np.moveaxis(rotation, -1, 0)
    matrix = np.empty((*rotation.shape[:-1], 3, 3))
    matrix[..., 0, 0] = 1 - 2 * (y * y + z * z)
    matrix[..., 0, 1] = 2 * (x * y - z * w)
    matrix[..., 0, 2] = 2 * (x * z + y * w)
    matrix[..., 1, 0] = 2 * (x * y + z * w)
    matrix[..., 1, 1] = 1 - 2 * (x * x + z * z)
    matrix[..., 1, 2] = 2 * (y * z - x * w)
    matrix[..., 2, 0] = 2 * (x * z - y * w)
    matrix[..., 2, 1] = 2 * (y * z + x * w)
    matrix[..., 2, 2] = 1 - 2 * (x * x + y * y)
    return matrix


def compose(translation: Vec3, rotation: Quat, scale: Vec3) -> Mat4:
    """Return ``T @ R @ S`` as 4x4 matrices.

    Args:
        translation: ``[..., 3]`` [m].
        rotation: Unit quaternions xyzw, ``[..., 4]``.
        scale: ``[..., 3]``.
    """
    matrix = np.zeros((*translation.shape[:-1], 4, 4))
    matrix[..., :3, :3] = rotation_matrix(rotation) * scale[..., None, :]
    matrix[..., :3, 3] = translation
    matrix[..., 3, 3] = 1.0
    return matrix


def decompose(matrix: Mat4) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Split an affine matrix into translation, rotation and scale, with what is left over.

    A mirrored matrix (negative determinant) gets a negative x scale. A column of length zero keeps scale 0 and takes an
    axis that completes the frame. Shear cannot be kept; the residual says how much there was.

    Args:
        matrix: ``[4, 4]``, column vectors.

    Returns:
        ``(translation [3], rotation xyzw [4], scale [3], residual)``; residual is the largest element of
        ``|R @ S - matrix|`` over the largest scale.
    """
    linear = matrix[:3, :3]
    scale = np.linalg.norm(linear, axis=0)
    if np.linalg.det(linear) < 0:
        scale[0] = -scale[0]
    axes = _complete_frame(linear, scale)
    rotation = quaternion_from_matrix(axes)
    size = max(float(np.abs(scale).max()), 1e-300)
    residual = float(np.abs(rotation_matrix(rotation) * scale - linear).max()) / size
    return matrix[:3, 3].copy(), rotation, scale, residual


def _complete_frame(linear: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Return unit columns of ``linear``; columns of length zero are replaced so that the frame is right-handed."""
    flat = np.abs(scale) < 1e-300
    axes = linear / np.where(flat, 1.0, scale)
    if flat.sum() == 1:
        lost = int(np.argmax(flat))
        axes[:, lost] = np.cross(axes[:, (lost + 1) % 3], axes[:, (lost + 2) % 3])
    elif flat.sum() == 2:
        kept = int(np.argmin(flat))
        other = np.eye(3)[int(np.argmin(np.abs(axes[:, kept])))]
        side = np.cross(axes[:, kept], other)
        axes[:, (kept + 1) % 3] = side / np.linalg.norm(side)
        axes[:, (kept + 2) % 3] = np.cross(axes[:, kept], axes[:, (kept + 1) % 3])
    elif flat.all():
        axes = np.eye(3)
    return axes


def quaternion_from_matrix(matrix: Mat3) -> Quat:
    """Return the unit quaternion xyzw nearest to a 3x3 matrix: the eigenvector of Bar-Itzhack's method.

    Source: I. Y. Bar-Itzhack, New Method for Extracting the Quaternion from a Rotation Matrix, 2000.
    """
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = matrix
    k = np.array(
        [
            [xx - yy - zz, yx + xy, zx + xz, zy - yz],
            [yx + xy, yy - xx - zz, zy + yz, xz - zx],
            [zx + xz, zy + yz, zz - xx - yy, yx - xy],
            [zy - yz, xz - zx, yx - xy, xx + yy + zz],
        ]
    )
    quaternion: np.ndarray = np.linalg.eigh(k)[1][:, -1]
    return quaternion if quaternion[3] >= 0 else -quaternion


def normalized(rotation: Quat) -> Quat:
    """Return quaternions of length one; zero quaternions become the identity."""
    length = np.linalg.norm(rotation, axis=-1, keepdims=True)
    identity = np.array([0.0, 0.0, 0.0, 1.0])
    return np.where(length > 1e-12, rotation / np.where(length > 1e-12, length, 1.0), identity)


def multiply(first: Quat, second: Quat) -> Quat:
    """Return the products ``first * second`` of quaternions xyzw: the second turns, then the first."""
    u, v = first[..., :3], second[..., :3]
    s, t = first[..., 3:], second[..., 3:]
    vector = s * v + t * u + np.cross(u, v)
    scalar = s * t - np.sum(u * v, axis=-1, keepdims=True)
    return np.concatenate([vector, scalar], axis=-1)


def rotate(rotation: Quat, vector: Vec3) -> Vec3:
    """Return vectors turned by unit quaternions xyzw: ``v + 2 u x (u x v + w v)``."""
    u, w = rotation[..., :3], rotation[..., 3:]
    turned: np.ndarray = vector + 2.0 * np.cross(u, np.cross(u, vector) + w * vector)
    return turned


def slerp(start: Quat, end: Quat, fraction: Fractions) -> Quat:
    """Interpolate between unit quaternions at constant angular speed, along the shorter arc.

    ``sin((1 - u) a) / sin(a) * start + sin(u a) / sin(a) * end`` with ``cos(a) = |dot(start, end)|``. Source: the glTF
    2.0 specification, appendix C.
    """
    dot = np.sum(start * end, axis=-1)
    end = np.where(dot[..., None] < 0, -end, end)
    angle = np.arccos(np.clip(np.abs(dot), 0.0, 1.0))
    sine = np.sin(angle)
    near = sine < 1e-6
    divisor = np.where(near, 1.0, sine)
    first = np.where(near, 1.0 - fraction, np.sin((1.0 - fraction) * angle) / divisor)
    second = np.where(near, fraction, np.sin(fraction * angle) / divisor)
    return normalized(first[..., None] * start + second[..., None] * end)
