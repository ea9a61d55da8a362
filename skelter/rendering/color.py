"""sRGB and linear light."""

from __future__ import annotations

import numpy as np


def linear_from_srgb(encoded: np.ndarray) -> np.ndarray:
    """Decode sRGB values in [0, 1] (IEC 61966-2-1)."""
    linear: np.ndarray = np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)
    return linear


def srgb_from_linear(linear: np.ndarray) -> np.ndarray:
    """Encode linear values in [0, 1] as sRGB (IEC 61966-2-1)."""
    power = np.maximum(linear, 0.0) ** (1 / 2.4)
    encoded: np.ndarray = np.where(linear <= 0.0031308, linear * 12.92, 1.055 * power - 0.055)
    return encoded
