"""What is drawn: batches of characters that share a rig, where they stand, and their colours."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float32

from skelter.core.arrays import MorphWeights, SkinMatrices
from skelter.core.errors import ArgumentError
from skelter.rendering.color import linear_from_srgb
from skelter.rig.rig import Rig, check_is_rig

Placements = Float32[np.ndarray, "char row=3 col=4"]
Tints = Float32[np.ndarray, "char rgb=3"]

_GOLDEN_RATIO = (5.0**0.5 - 1.0) / 2.0
# sRGB, all of about the same lightness so that no character of a crowd stands out.
_TINT_SWATCHES = (
    (0xE0, 0x5A, 0x47),  # coral
    (0xEE, 0x9B, 0x3A),  # amber
    (0xE8, 0xC4, 0x5A),  # straw
    (0x5F, 0xA8, 0x6B),  # fern
    (0x2F, 0x9C, 0x95),  # teal
    (0x3E, 0x7C, 0xB8),  # denim
    (0x7A, 0x6B, 0xB5),  # iris
    (0xC8, 0x6A, 0x92),  # rose
)


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Characters that share one rig.

    A vertex goes through ``world_from_model[c] @ sum(weight * skinning_matrices[c, entry]) @ position``.

    Attributes:
        rig: The character.
        skinning_matrices: model_from_bind per palette entry [m], float32 ``[char, palette, 3, 4]``.
        world_from_model: Where each character stands [m], float32 ``[char, 3, 4]``; None for the origin.
        morph_weights: float32 ``[char, morph]``; None for the default weights of the rig.
        tint: Linear RGB in place of the base colour of materials called ``accent``, float32 ``[char, 3]``; None for
            their own colour.
    """

    rig: Rig
    skinning_matrices: SkinMatrices
    world_from_model: Placements | None = None
    morph_weights: MorphWeights | None = None
    tint: Tints | None = None

    def __post_init__(self) -> None:
        check_is_rig(self.rig)
        palette, morphs = len(self.rig.palette.joint), len(self.rig.mesh.morph_names)
        _check("skinning_matrices", self.skinning_matrices, {"char": -1, "palette": palette, "row": 3, "col": 4})
        count = {"char": len(self.skinning_matrices)}
        if self.world_from_model is not None:
            _check("world_from_model", self.world_from_model, count | {"row": 3, "col": 4})
        if self.morph_weights is not None:
            _check("morph_weights", self.morph_weights, count | {"morph": morphs})
        if self.tint is not None:
            _check("tint", self.tint, count | {"rgb": 3})

    @property
    def char_count(self) -> int:
        """Number of characters."""
        return len(self.skinning_matrices)

    def placements(self) -> Placements:
        """Return ``world_from_model``, identities where there is none."""
        if self.world_from_model is not None:
            return self.world_from_model
        return np.tile(np.eye(3, 4, dtype=np.float32), (self.char_count, 1, 1))

    def morphs(self) -> MorphWeights:
        """Return ``morph_weights``, the default weights of the rig where there are none."""
        if self.morph_weights is not None:
            return self.morph_weights
        return np.tile(np.asarray(self.rig.mesh.morph_rest, np.float32), (self.char_count, 1))


def _check(name: str, array: object, axes: dict[str, int]) -> None:
    """Raise ArgumentError unless the array is finite float32 of the given shape, where -1 stands for any size."""
    sizes = (f"{axis}={size}" if size >= 0 else axis for axis, size in axes.items())
    expected = f"float32 [{', '.join(sizes)}]"
    if not isinstance(array, np.ndarray):
        raise ArgumentError(f"{name}: expected an array {expected}, got {type(array).__name__}")
    fits = array.ndim == len(axes) and all(
        size in (-1, got) for size, got in zip(axes.values(), array.shape, strict=True)
    )
    if array.dtype != np.float32 or not fits:
        got = f"{array.dtype} [{', '.join(map(str, array.shape))}]"
        raise ArgumentError(f"{name}: expected {expected}, got {got}")
    if not np.isfinite(array).all():
        first = int(np.argwhere(~np.isfinite(array))[0, 0])
        raise ArgumentError(f"{name}: character {first} has a value that is not finite")


def place_crowd(count: int, spacing: float, seed: int = 0, jitter: float = 0.22) -> Placements:
    """Place characters in staggered rows that face +Z, the camera's side, each a little off and turned a little.

    Rows run along X, each shifted against the last. There are about as many rows as columns, the
    best fit for a wide picture seen from above. The origin is in the middle of the crowd.

    Args:
        count: Number of characters.
        spacing: Distance between neighbours in a row [m].
        seed: Seed of the random variation; the same seed gives the same crowd.
        jitter: Random shift in a row and between rows, as a share of the spacing.

    Returns:
        world_from_model [m], float32 ``[char, 3, 4]``.
    """
    if count < 0:
        raise ArgumentError(f"count: expected 0 or more characters, got {count}")
    if not spacing > 0.0:
        raise ArgumentError(f"spacing: expected a distance above 0 m, got {spacing}")
    random = np.random.default_rng(seed)
    x, z = _staggered_rows(count)
    shift = random.uniform(-jitter, jitter, (2, count)) if count > 1 else np.zeros((2, count))
    turn = random.normal(0.0, 0.30, count).clip(-0.8, 0.8) if count > 1 else np.zeros(count)
    return _upright(turn, (x + shift[0]) * spacing, (z + shift[1]) * spacing)


def _staggered_rows(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return x and z of ``count`` places in units of the spacing, centred, front row first.

    Back rows are longer than front rows, which perspective undoes in the picture. Each row is shifted by the golden
    ratio against the last, so that no lanes open between the columns.
    """
    columns = max(1, round((count * 0.9) ** 0.5))
    rows = -(-count // columns)
    share = 1.0 + 0.5 * ((np.arange(rows) + 0.5) / max(rows, 1) - 0.5)
    row_end = np.rint(np.cumsum(share) / max(share.sum(), 1.0) * count).astype(np.int64)
    row_size = np.diff(row_end, prepend=0)
    row = np.repeat(np.arange(rows), row_size)
    stagger = (row * _GOLDEN_RATIO % 1.0 - 0.5) * (rows > 1)
    x = np.arange(count) - (row_end - row_size)[row] - (row_size[row] - 1) / 2 + stagger
    z = -row.astype(np.float64)
    return x, z - z.mean() if count else z


def _upright(turn: np.ndarray, x: np.ndarray, z: np.ndarray) -> Placements:
    """Return world_from_model for characters turned about +Y by ``turn`` [rad]."""
    matrix = np.zeros((len(turn), 3, 4), np.float32)
    matrix[:, 0, 0] = matrix[:, 2, 2] = np.cos(turn)
    matrix[:, 0, 2] = np.sin(turn)
    matrix[:, 2, 0] = -np.sin(turn)
    matrix[:, 1, 1] = 1.0
    matrix[:, 0, 3], matrix[:, 2, 3] = x, z
    return matrix


def tints(count: int, seed: int = 0) -> Tints:
    """Choose a colour per character from a small palette, with a little variation in brightness.

    Args:
        count: Number of characters.
        seed: Seed of the choice.

    Returns:
        Linear RGB, float32 ``[char, 3]``.
    """
    if count < 0:
        raise ArgumentError(f"count: expected 0 or more characters, got {count}")
    random = np.random.default_rng(seed)
    swatches = linear_from_srgb(np.array(_TINT_SWATCHES) / 255.0)
    # Rounds of the whole palette in random order: every colour is as frequent as the others.
    rounds = -(-count // len(swatches))
    order = np.concatenate([random.permutation(len(swatches)) for _ in range(rounds)] or [np.zeros(0, np.int64)])
    brightness = random.uniform(0.85, 1.1, (count, 1))
    colors: Tints = np.minimum(swatches[order[:count]] * brightness, 1.0).astype(np.float32)
    return colors
