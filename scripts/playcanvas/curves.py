"""Value of a curve at a time, as the engine finds it or by slerp."""

from __future__ import annotations

import math

from .job import Curve

Values = list[float]


def sample(curve: Curve, time: float, slerped: bool, aligned: bool = True) -> Values:
    """Return the value of a curve.

    Args:
        curve: The curve.
        time: Clip time [s].
        slerped: Interpolate rotations by slerp, as glTF says; otherwise component by component, as the engine does, and
            not to unit length.
        aligned: With ``slerped`` off: turn the second key to the sign of the first one.
    """
    left, fraction = curve.segment(time)
    width = 4 if curve.property == "r" else 3
    if curve.interpolation == "CUBIC":
        return _cubic(curve, left, fraction, width)
    first = curve.keys[left]
    if fraction == 0.0 or curve.interpolation == "STEP":
        return first
    second = curve.keys[left + 1]
    if curve.property == "r" and (slerped or aligned) and dot(first, second) < 0:
        second = [-value for value in second]
    if curve.property == "r" and slerped:
        return slerp(first, second, fraction)
    return [a + (b - a) * fraction for a, b in zip(first, second, strict=True)]


def _cubic(curve: Curve, left: int, u: float, width: int) -> Values:
    first = curve.keys[left]
    if u == 0.0:
        return first[width : 2 * width]
    second, span = curve.keys[left + 1], curve.times[left + 1] - curve.times[left]
    rest = 1 - u
    h00, h10, h01, h11 = (1 + (u + u)) * (rest * rest), u * (rest * rest), u * u * (3 - (u + u)), u * u * (u - 1)
    return [
        h00 * first[width + i] + h10 * first[2 * width + i] * span + h01 * second[width + i] + h11 * second[i] * span
        for i in range(width)
    ]


def dot(a: Values, b: Values) -> float:
    """Return the inner product."""
    return sum(x * y for x, y in zip(a, b, strict=True))


def normalized(q: Values) -> Values:
    """Return a quaternion of length 1; one of length 0 stays."""
    square = dot(q, q)
    if not square > 0:
        return list(q)
    scale = 1.0 / math.sqrt(square)
    return [value * scale for value in q]


def slerp(a: Values, b: Values, fraction: float) -> Values:
    """Return the rotation between two, along the arc from ``a`` to ``b`` as they are given."""
    a, b = normalized(a), normalized(b)
    cosine = max(-1.0, min(1.0, dot(a, b)))
    angle = math.acos(cosine)
    sine = math.sin(angle)
    if sine < 1e-9:
        return normalized([x + (y - x) * fraction for x, y in zip(a, b, strict=True)])
    wa, wb = math.sin((1 - fraction) * angle) / sine, math.sin(fraction * angle) / sine
    return [wa * x + wb * y for x, y in zip(a, b, strict=True)]


def product(a: Values, b: Values) -> Values:
    """Return the Hamilton product ``a b``, quaternions xyzw."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return [
        aw * bx + bw * ax + ay * bz - by * az,
        aw * by + bw * ay + az * bx - bz * ax,
        aw * bz + bw * az + ax * by - bx * ay,
        aw * bw - ax * bx - ay * by - az * bz,
    ]


def conjugate(q: Values) -> Values:
    """Return the inverse of a unit quaternion."""
    return [-q[0], -q[1], -q[2], q[3]]


def distance(kind: str, a: Values, b: Values) -> float:
    """Return the largest difference of components; of rotations up to sign.

    Args:
        kind: ``t``, ``r`` or ``s``.
        a: A value.
        b: Another one.
    """
    sign = -1.0 if kind == "r" and dot(a, b) < 0 else 1.0
    return max(abs(x - sign * y) for x, y in zip(a, b, strict=True))
