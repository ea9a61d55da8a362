"""Value of a track at a time.

Source: the glTF 2.0 specification, appendix C (animation sampler interpolation modes).
"""

from __future__ import annotations

import numpy as np

from skelter.assets.character import Track
from skelter.core.affine import normalized, slerp


def sample_track(track: Track, time: float) -> np.ndarray:
    """Return the value of a track.

    Before the first key and after the last one the track holds their values. At the time of a STEP key the value is
    that key's.

    Args:
        track: The track.
        time: Clip time [s].

    Returns:
        float64 ``[value]``; a unit quaternion xyzw for a rotation.
    """
    value = _value(track, time)
    return normalized(value) if track.path == "rotation" else value


def _value(track: Track, time: float) -> np.ndarray:
    times, values = track.times, track.values
    keys = values[:, 1] if track.interpolation == "CUBICSPLINE" else values
    if time <= times[0]:
        return keys[0]
    if time >= times[-1]:
        return keys[-1]
    left = int(np.searchsorted(times, time, side="right")) - 1
    span = float(times[left + 1] - times[left])
    fraction = (time - float(times[left])) / span
    if track.interpolation == "STEP":
        return keys[left]
    if track.interpolation == "CUBICSPLINE":
        return _hermite(values[left], values[left + 1], fraction, span)
    if track.path == "rotation":
        return slerp(keys[left], keys[left + 1], np.asarray(fraction))
    return (1.0 - fraction) * keys[left] + fraction * keys[left + 1]


def _hermite(left: np.ndarray, right: np.ndarray, fraction: float, span: float) -> np.ndarray:
    """Evaluate the cubic Hermite spline between two keys ``[in-tangent, value, out-tangent]``.

    ``(2u3 - 3u2 + 1) p0 + d (u3 - 2u2 + u) m0 + (3u2 - 2u3) p1 + d (u3 - u2) m1``, tangents per second, d the span.
    """
    u1, u2, u3 = fraction, fraction**2, fraction**3
    value: np.ndarray = (
        (2 * u3 - 3 * u2 + 1) * left[1]
        + span * (u3 - 2 * u2 + u1) * left[2]
        + (3 * u2 - 2 * u3) * right[1]
        + span * (u3 - u2) * right[0]
    )
    return value
