"""Pictures and videos on disk, never half written."""

from __future__ import annotations

import os
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from skelter.core.arrays import Picture
from skelter.core.errors import ArgumentError, MissingExtraError
from skelter.core.files import replacing


def save_png(picture: Picture, path: str | os.PathLike[str]) -> Path:
    """Write a picture as PNG.

    Args:
        picture: uint8 ``[row, col, 4]``.
        path: File to write. An existing file is replaced once the new one is complete.

    Returns:
        The path that was written.
    """
    try:
        from PIL import Image
    except ImportError as error:
        raise MissingExtraError("PNG files need Pillow: pip install skelter[gpu]") from error
    _check_picture(picture)
    with replacing(Path(path)) as temporary:
        Image.fromarray(picture).save(temporary, format="PNG", compress_level=6)
    return Path(path)


def save_video(frames: Iterable[Picture], path: str | os.PathLike[str], rate: float) -> Path:
    """Write pictures as an H.264 MP4 that every browser plays.

    Odd widths and heights lose their last column or row: 4:2:0 chroma needs even sizes.

    Args:
        frames: Pictures of one size, uint8 ``[row, col, 4]``; they may be made while they are written.
        path: File to write. An existing file is replaced once the new one is complete.
        rate: Pictures a second [Hz].

    Returns:
        The path that was written.
    """
    try:
        import av
    except ImportError as error:
        raise MissingExtraError("videos need PyAV: pip install skelter[video]") from error
    if not 0.0 < rate <= 1000.0:
        raise ArgumentError(f"rate: expected above 0 and at most 1000 pictures a second, got {rate}")
    # Without faststart a player has to load the whole file before it shows the first picture.
    options = {"movflags": "faststart"}
    with (
        replacing(Path(path)) as temporary,
        av.open(str(temporary), "w", format="mp4", options=options) as container,
    ):
        _encode(av, container, frames, rate)
    return Path(path)


def _encode(av: Any, container: Any, frames: Iterable[Picture], rate: float) -> None:
    stream: Any = None
    for picture in frames:
        _check_picture(picture)
        even = picture[: picture.shape[0] & ~1, : picture.shape[1] & ~1, :3]
        if stream is None:
            stream = container.add_stream("libx264", rate=Fraction(rate).limit_denominator(1001))
            stream.height, stream.width = even.shape[:2]
            stream.pix_fmt = "yuv420p"
            stream.options = {"crf": "17", "preset": "medium"}
        elif even.shape[:2] != (stream.height, stream.width):
            raise ArgumentError(f"frames: expected {stream.width}x{stream.height}, got {even.shape[1]}x{even.shape[0]}")
        container.mux(stream.encode(av.VideoFrame.from_ndarray(np.ascontiguousarray(even), format="rgb24")))
    if stream is None:
        raise ArgumentError("frames: expected at least one picture, got none")
    container.mux(stream.encode())


def _check_picture(picture: object) -> None:
    if not isinstance(picture, np.ndarray) or picture.dtype != np.uint8 or picture.shape[2:] != (4,):
        got = f"{picture.dtype} {list(picture.shape)}" if isinstance(picture, np.ndarray) else type(picture).__name__
        raise ArgumentError(f"picture: expected uint8 [row, col, 4], got {got}")
