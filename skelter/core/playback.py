"""PlaybackList: what every character plays in a frame, the narrow waist between graphs and poses.

Everything above it is decided in one place; everything below it is arithmetic that each engine does alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

REST = -1
"""Index of an entry that plays no clip: it keys no joint."""


class PlaybackArrays(NamedTuple):
    """The arrays of a `PlaybackList`, as kernels take them."""

    layer_start: np.ndarray
    clip: np.ndarray
    time: np.ndarray
    weight: np.ndarray
    layer_weight: np.ndarray


@dataclass(frozen=True, slots=True)
class PlaybackList:
    """Clips, times and weights of all characters, grouped by layer.

    The entries of layer ``l`` of character ``c`` are ``layer_start[c, l]:layer_start[c, l + 1]`` of row ``c``. Their
    weights are above 0 and sum to 1. Entries past ``layer_start[c, layer_count]`` mean nothing.

    Attributes:
        layer_start: int32 ``[char, layer + 1]``, begins with 0.
        clip: int32 ``[char, entry]``; `REST` plays nothing.
        time: float64 ``[char, entry]``: clip time [s], already wrapped or clamped into the clip.
        weight: float64 ``[char, entry]``: weight within its layer.
        layer_weight: float64 ``[char, layer]``: weight of the layer in [0, 1].
    """

    layer_start: np.ndarray
    clip: np.ndarray
    time: np.ndarray
    weight: np.ndarray
    layer_weight: np.ndarray

    def __len__(self) -> int:
        return len(self.clip)

    def arrays(self) -> PlaybackArrays:
        """Return the arrays as a NamedTuple, which is what Numba takes; nothing is copied."""
        return PlaybackArrays(self.layer_start, self.clip, self.time, self.weight, self.layer_weight)

    @property
    def layer_count(self) -> int:
        """Number of layers."""
        return self.layer_weight.shape[1]
