"""Kernels of `skelter.baking.curves`: many source curves at many times, float64."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skelter.core.kernel import exact_kernel

LINEAR, STEP, CUBICSPLINE = 0, 1, 2


class CurveArrays(NamedTuple):
    """The tracks of a clip, one behind the other.

    Attributes:
        column: int32 ``[track]``: first column of the output that a track writes.
        width: int32 ``[track]``: number of columns.
        rotation: uint8 ``[track]``: 1 for quaternions.
        interpolation: int32 ``[track]``.
        key_start: int64 ``[track + 1]``: keys of track ``t`` are ``key_start[t]:key_start[t + 1]``.
        times: float64 ``[key]`` [s].
        value_start: int64 ``[track]``: offset of the first value of a track.
        values: float64 ``[...]``.
    """

    column: np.ndarray
    width: np.ndarray
    rotation: np.ndarray
    interpolation: np.ndarray
    key_start: np.ndarray
    times: np.ndarray
    value_start: np.ndarray
    values: np.ndarray


@exact_kernel
def sample_curves_kernel(curves, times, out_values):
    """Evaluate all tracks at all times; each track walks its keys once.

    Args:
        curves: `CurveArrays`.
        times: float64 ``[time]`` [s], increasing.
        out_values: float64 ``[time, column]``; columns without a track are left as they are.
    """
    for track in range(len(curves.column)):
        column = curves.column[track]
        out = out_values[:, column : column + curves.width[track]]
        if curves.rotation[track] and curves.interpolation[track] == LINEAR:
            sample_slerp(curves, track, times, out)
        else:
            sample_track(curves, track, times, out)


@exact_kernel
def sample_track(curves, track, times, out):
    """Write the value of a track at all times."""
    begin = curves.key_start[track]
    last = curves.key_start[track + 1] - 1
    key = begin
    for index in range(len(times)):
        while key < last and curves.times[key + 1] <= times[index]:
            key += 1
        if times[index] <= curves.times[begin] or key == last:
            copy_key(curves, track, key - begin, out[index])
        else:
            between_keys(curves, track, key - begin, times[index], out[index])
        if curves.rotation[track]:
            normalize(out[index])


@exact_kernel
def sample_slerp(curves, track, times, out):
    """Write the spherical interpolation of a rotation track; what does not depend on time is worked out once a key."""
    begin = curves.key_start[track]
    last = curves.key_start[track + 1] - 1
    values = curves.values
    key = begin
    known = begin - 1
    sign, angle, sine, span = 1.0, 0.0, 1.0, 1.0
    for index in range(len(times)):
        while key < last and curves.times[key + 1] <= times[index]:
            key += 1
        left = curves.value_start[track] + (key - begin) * 4
        if times[index] <= curves.times[begin] or key == last:
            for component in range(4):
                out[index, component] = values[left + component]
            normalize(out[index])
            continue
        if key != known:
            known = key
            span = curves.times[key + 1] - curves.times[key]
            dot = 0.0
            for component in range(4):
                dot += values[left + component] * values[left + 4 + component]
            sign = 1.0 if dot >= 0.0 else -1.0
            angle = np.arccos(min(abs(dot), 1.0))
            sine = np.sin(angle)
        second = (times[index] - curves.times[key]) / span
        first = 1.0 - second
        if sine > 1e-6:
            first = np.sin(first * angle) / sine
            second = np.sin(second * angle) / sine
        for component in range(4):
            out[index, component] = first * values[left + component] + sign * second * values[left + 4 + component]
        normalize(out[index])


@exact_kernel
def copy_key(curves, track, key, out):
    """Write the value of a key."""
    width = curves.width[track]
    cubic = curves.interpolation[track] == CUBICSPLINE
    source = curves.value_start[track] + (key * 3 + 1 if cubic else key) * width
    for component in range(width):
        out[component] = curves.values[source + component]


@exact_kernel
def between_keys(curves, track, key, time, out):
    """Write the value between a key and the next one."""
    first = curves.key_start[track] + key
    span = curves.times[first + 1] - curves.times[first]
    u = (time - curves.times[first]) / span
    width = curves.width[track]
    interpolation = curves.interpolation[track]
    if interpolation == STEP:
        copy_key(curves, track, key, out)
    elif interpolation == CUBICSPLINE:
        left = curves.value_start[track] + key * 3 * width
        hermite(curves.values, left, left + 3 * width, width, u, span, out)
    else:
        left = curves.value_start[track] + key * width
        for component in range(width):
            out[component] = (1.0 - u) * curves.values[left + component] + u * curves.values[left + width + component]


@exact_kernel
def hermite(values, left, right, width, u, span, out):
    """Write the cubic Hermite spline between two keys of (in-tangent, value, out-tangent)."""
    u2 = u * u
    u3 = u2 * u
    for component in range(width):
        out[component] = (
            (2 * u3 - 3 * u2 + 1) * values[left + width + component]
            + span * (u3 - 2 * u2 + u) * values[left + 2 * width + component]
            + (3 * u2 - 2 * u3) * values[right + width + component]
            + span * (u3 - u2) * values[right + component]
        )


@exact_kernel
def normalize(out):
    """Scale a quaternion to length one; zero becomes the identity."""
    square = 0.0
    for component in range(4):
        square += out[component] * out[component]
    length = np.sqrt(square)
    if length > 1e-12:
        for component in range(4):
            out[component] /= length
    else:
        out[:] = 0.0
        out[3] = 1.0


@exact_kernel
def model_matrices_kernel(local, parent, scratch, out_model):
    """Turn transforms into model matrices, parents first.

    Args:
        local: float64 ``[time, joint, 10]``: quaternion xyzw, translation, scale.
        parent: int32 ``[joint]``.
        scratch: float64 ``[12]``.
        out_model: float64 ``[time, joint, 12]``.
    """
    for time in range(local.shape[0]):
        for joint in range(local.shape[1]):
            local_matrix(local[time, joint], scratch)
            above = parent[joint]
            out = out_model[time, joint]
            if above < 0:
                for place in range(len(out)):
                    out[place] = scratch[place]
            else:
                multiply(out_model[time, above], scratch, out)


@exact_kernel
def local_matrix(channels, out):
    """Write ``T @ R @ S`` as 12 numbers."""
    x, y, z, w = channels[0], channels[1], channels[2], channels[3]
    sx, sy, sz = channels[7], channels[8], channels[9]
    out[0] = (1.0 - 2.0 * (y * y + z * z)) * sx
    out[1] = 2.0 * (x * y - z * w) * sy
    out[2] = 2.0 * (x * z + y * w) * sz
    out[3] = channels[4]
    out[4] = 2.0 * (x * y + z * w) * sx
    out[5] = (1.0 - 2.0 * (x * x + z * z)) * sy
    out[6] = 2.0 * (y * z - x * w) * sz
    out[7] = channels[5]
    out[8] = 2.0 * (x * z - y * w) * sx
    out[9] = 2.0 * (y * z + x * w) * sy
    out[10] = (1.0 - 2.0 * (x * x + y * y)) * sz
    out[11] = channels[6]


@exact_kernel
def multiply(a, b, out):
    """Write the product of two 3x4 matrices."""
    for row in range(0, 12, 4):
        for column in range(4):
            out[row + column] = a[row] * b[column] + a[row + 1] * b[4 + column] + a[row + 2] * b[8 + column]
        out[row + 3] += a[row + 3]


@exact_kernel
def shell_error_kernel(reference, model, radius, out_error):
    """Measure how far points around each joint are from where they should be.

    The largest distance over the joint itself and one point on each of its axes, ``radius`` away in model space.

    Args:
        reference: float64 ``[time, joint, 12]``, as it should be.
        model: float32 ``[time, joint, 12]``, as it is.
        radius: Distance of the points, in model units.
        out_error: float64 ``[time, joint]``, in model units.
    """
    for time in range(reference.shape[0]):
        for joint in range(reference.shape[1]):
            a = reference[time, joint]
            b = model[time, joint]
            dx, dy, dz = b[3] - a[3], b[7] - a[7], b[11] - a[11]
            worst = dx * dx + dy * dy + dz * dz
            for axis in range(3):
                length = np.sqrt(a[axis] ** 2 + a[4 + axis] ** 2 + a[8 + axis] ** 2)
                if length > 0.0:
                    reach = radius / length
                    px = dx + reach * (b[axis] - a[axis])
                    py = dy + reach * (b[4 + axis] - a[4 + axis])
                    pz = dz + reach * (b[8 + axis] - a[8 + axis])
                    worst = max(worst, px * px + py * py + pz * pz)
            out_error[time, joint] = np.sqrt(worst)
