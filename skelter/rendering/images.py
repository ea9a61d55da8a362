"""Pictures of materials, decoded for the graphics device."""

from __future__ import annotations

import io
import warnings

import numpy as np

from skelter.core.arrays import Picture
from skelter.core.errors import MissingExtraError, SkelterWarning
from skelter.core.material import Image

PIXEL_LIMIT = 64_000_000
SIDE_LIMIT = 2048
NEUTRAL = (200, 200, 200, 255)


def decode_mips(image: Image) -> list[Picture]:
    """Decode a picture to sRGB and make its mip levels, largest first, the largest side at most 2048 pixels.

    A picture that is broken or larger than 64 megapixels becomes one grey pixel, with a SkelterWarning.
    """
    try:
        from PIL import Image as Pillow
    except ImportError as error:
        raise MissingExtraError("textures need Pillow: pip install skelter[gpu]") from error
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow's own remarks on size and metadata: the size is checked here
            with Pillow.open(io.BytesIO(image.data), formats=("PNG", "JPEG", "WEBP")) as opened:
                _check_size(opened.size)
                level = opened.convert("RGBA")
    except (OSError, ValueError, SyntaxError, EOFError, Pillow.DecompressionBombError) as error:
        message = f"the image {image.name!r} cannot be read, grey is drawn instead: {error}"
        warnings.warn(message, SkelterWarning, stacklevel=2)
        return [np.full((1, 1, 4), NEUTRAL, np.uint8)]
    level.thumbnail((SIDE_LIMIT, SIDE_LIMIT), Pillow.Resampling.BOX)
    levels = [level]
    while max(level.size) > 1:
        level = level.resize((max(1, level.width // 2), max(1, level.height // 2)), Pillow.Resampling.BOX)
        levels.append(level)
    return [np.asarray(level) for level in levels]


def _check_size(size: tuple[int, int]) -> None:
    if size[0] * size[1] > PIXEL_LIMIT:
        raise ValueError(f"{size[0]}x{size[1]} pixels are more than {PIXEL_LIMIT // 1_000_000} million")
