"""The filters of EXT_meshopt_compression and KHR_meshopt_compression, which follow the attribute decoder.

A filter turns every element into another one of the same size. Where an element is not valid the specification leaves
the result open; here it is some number in range.

Source: Appendix B of KHR_meshopt_compression.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

ELEMENTS_AT_ONCE = 1 << 14
"""Elements that are filtered together: intermediate values stay in the cache."""


class Filter(NamedTuple):
    """A filter and the element sizes it is defined for.

    Attributes:
        strides: Allowed sizes of an element [bytes].
        apply: Function that overwrites elements, uint8 ``[count, stride]``.
    """

    strides: frozenset[int]
    apply: Callable[[np.ndarray], None]


def apply_filter(kind: Filter, elements: np.ndarray) -> None:
    """Overwrite elements with their filtered values.

    Args:
        kind: One of `FILTERS`.
        elements: uint8 ``[count, stride]``, C-contiguous.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        for start in range(0, len(elements), ELEMENTS_AT_ONCE):
            kind.apply(elements[start : start + ELEMENTS_AT_ONCE])


def _octahedral(elements: np.ndarray) -> None:
    """Unfold unit vectors from an octahedron.

    ``z = 1 - |x| - |y|; x -= copysign(min(z, 0), x); y -= copysign(min(z, 0), y); xyz /= |xyz|``, where the stored
    third component stands for 1. The fourth component stays.
    """
    stored = elements.view("<i1" if elements.shape[1] == 4 else "<i2")
    one = stored[:, 2].astype(np.float32)
    x = stored[:, 0] / one
    y = stored[:, 1] / one
    z = np.float32(1.0) - np.abs(x) - np.abs(y)
    fold = np.minimum(z, np.float32(0.0))
    x -= np.copysign(fold, x)
    y -= np.copysign(fold, y)
    length = np.sqrt(x * x + y * y + z * z)
    for component, value in enumerate((x, y, z)):
        _store(value / length, stored[:, component])


def _quaternion(elements: np.ndarray) -> None:
    """Restore the largest component of unit quaternions.

    ``w = sqrt(1 - x^2 - y^2 - z^2)``. The last component stands for 1 but for its low 2 bits: the place of ``w``. The
    others follow it cyclically, scaled by ``sqrt(2)``.
    """
    stored = elements.view("<i2")
    last = stored[:, 3].copy()
    scale = np.float32(np.sqrt(0.5)) / (last | 3).astype(np.float32)
    rest = stored[:, :3] * scale[:, None]
    largest = np.sqrt(np.maximum(np.float32(1.0) - np.square(rest).sum(axis=1), np.float32(0.0)))
    values = np.empty(stored.shape, np.int16)
    for component, value in enumerate((largest, *rest.T)):
        _store(value, values[:, component])
    place = (last & 3)[:, None]
    np.put_along_axis(stored, ((place + np.arange(4)) & 3).astype(np.intp), values, axis=1)


def _store(value: np.ndarray, out_component: np.ndarray) -> None:
    """Write numbers in [-1, 1] as normalised integers, halves away from zero; what is no number becomes 0."""
    top = np.iinfo(out_component.dtype).max
    clipped = np.clip(np.nan_to_num(value, nan=0.0), -1.0, 1.0) * np.float32(top)
    out_component[:] = np.trunc(clipped + np.copysign(np.float32(0.5), clipped))


def _exponential(elements: np.ndarray) -> None:
    """Turn pairs of an exponent (high 8 bits) and a mantissa (low 24 bits) into floats: ``2^exponent * mantissa``."""
    stored = elements.view("<i4")
    mantissa = (stored << 8) >> 8
    elements.view("<f4")[:] = np.ldexp(mantissa.astype(np.float32), stored >> 24)


def _color(elements: np.ndarray) -> None:
    """Turn luma and two chroma values of K bits, and alpha of K - 1 bits below a marker bit, into RGBA.

    ``r = y + co - cg; g = y + cg; b = y - co - cg``, then all are scaled from K bits to 8 or 16.
    """
    unsigned, signed = ("<u1", "<i1") if elements.shape[1] == 4 else ("<u2", "<i2")
    stored = elements.view(unsigned)
    y, marked = stored[:, 0].astype(np.int32), stored[:, 3].astype(np.int32)
    co, cg = elements.view(signed)[:, 1:3].T.astype(np.int32)
    top = (1 << np.frexp(marked.astype(np.float32))[1]) - 1  # frexp gives the number of bits
    alpha = marked & (top >> 1)
    values = np.stack((y + co - cg, y + cg, y - co - cg, (alpha << 1) | (alpha & 1)), axis=1)
    fraction = values.astype(np.float32) / np.maximum(top, 1).astype(np.float32)[:, None]
    full = np.float32(np.iinfo(stored.dtype).max)
    stored[:] = np.floor(np.clip(fraction, 0.0, 1.0) * full + np.float32(0.5))


FILTERS = {
    "OCTAHEDRAL": Filter(frozenset({4, 8}), _octahedral),
    "QUATERNION": Filter(frozenset({8}), _quaternion),
    "EXPONENTIAL": Filter(frozenset(range(4, 257, 4)), _exponential),
    "COLOR": Filter(frozenset({4, 8}), _color),
}
"""Filters by name."""
