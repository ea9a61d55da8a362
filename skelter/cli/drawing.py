"""Pictures and films of a crowd, with progress, for the commands that draw."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from skelter.cli.step import Report, step

if TYPE_CHECKING:
    from skelter.cast import Moment
    from skelter.core.arrays import Picture


def draw_picture(crowd: Moment, path: Path, width: int, height: int) -> None:
    """Draw a crowd into a PNG file.

    Args:
        crowd: The crowd.
        path: File to write; one that exists is replaced.
        width: [pixels].
        height: [pixels].
    """
    from skelter.rendering.files import save_png
    from skelter.rendering.render import render

    with step(f"drawing {path}"):
        save_png(render(crowd(0.0), width=width, height=height), path)


def draw_film(crowd: Moment, path: Path, seconds: float, rate: float, width: int, height: int) -> None:
    """Draw a moving crowd into an MP4 file.

    Args:
        crowd: The crowd.
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
        pictures = film(crowd, seconds, rate, width=width, height=height)
        save_video(_counted(pictures, total, report), path, rate)


def _counted(pictures: Iterator[Picture], total: int, report: Report) -> Iterator[Picture]:
    for index, picture in enumerate(pictures):
        report(f"picture {index + 1} of {total}", index / total)
        yield picture
