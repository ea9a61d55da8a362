"""Pictures and films of a cast, with progress, for the commands that draw."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from skelter.cli.step import Report, step

if TYPE_CHECKING:
    from skelter.cast import Cast
    from skelter.core.arrays import Picture


def draw_picture(cast: Cast, path: Path, width: int, height: int) -> None:
    """Draw a cast into a PNG file.

    Args:
        cast: The crowd.
        path: File to write; one that exists is replaced.
        width: [pixels].
        height: [pixels].
    """
    from skelter.rendering.files import save_png
    from skelter.rendering.render import render

    with step(f"drawing {path}"):
        save_png(render(cast.batch(), width=width, height=height), path)


def draw_film(cast: Cast, path: Path, seconds: float, rate: float, width: int, height: int) -> None:
    """Draw a moving cast into an MP4 file.

    Args:
        cast: The crowd.
        path: File to write; one that exists is replaced.
        seconds: Length of the film [s].
        rate: Pictures a second [Hz].
        width: [pixels].
        height: [pixels].
    """
    from skelter.cast import film, frame_total
    from skelter.rendering.files import save_video

    total = frame_total(seconds, rate)
    with step(f"drawing {path}, {total} pictures") as report:
        pictures = film(cast, seconds, rate, width=width, height=height)
        save_video(_counted(pictures, total, report), path, rate)


def _counted(pictures: Iterator[Picture], total: int, report: Report) -> Iterator[Picture]:
    for index, picture in enumerate(pictures):
        report(f"picture {index + 1} of {total}", index / total)
        yield picture
