"""The command ``skelter render``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from skelter.cli.result import show
from skelter.cli.source import FileArgument, ForceOption, JsonOption, check_suffix, open_character
from skelter.cli.step import step
from skelter.core.files import check_target

WidthOption = Annotated[int, typer.Option(min=1, max=8192, help="Width of the picture [pixels].")]
HeightOption = Annotated[int, typer.Option(min=1, max=8192, help="Height of the picture [pixels].")]
SeedOption = Annotated[int, typer.Option(min=0, help="The same seed gives the same picture.")]


def render(
    file: FileArgument,
    clip: Annotated[str | None, typer.Option(help="Clip that all play. By default the clips are spread.")] = None,
    time: Annotated[float | None, typer.Option(help="Clip time of all [s]. By default the times are spread.")] = None,
    count: Annotated[int, typer.Option(help="Number of characters.")] = 1,
    out: Annotated[Path | None, typer.Option(help="File to write; by default NAME.png or NAME.mp4.")] = None,
    width: WidthOption = 1280,
    height: HeightOption = 720,
    video: Annotated[float | None, typer.Option(metavar="SECONDS", help="Make a film of this length [s].")] = None,
    rate: Annotated[float, typer.Option(help="Pictures a second of the film [Hz].")] = 30.0,
    seed: SeedOption = 0,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Draw one character or a crowd, as a picture or a film."""
    from skelter.baking.bake import bake
    from skelter.cast import cast_crowd, frame_total
    from skelter.cli.drawing import draw_film, draw_picture
    from skelter.rendering.adapter import require_adapter

    if video is not None:
        frame_total(video, rate)
    suffix = ".png" if video is None else ".mp4"
    if out is not None:
        check_suffix(out, suffix)
        check_target(out, force=force)
    require_adapter()
    character = open_character(file)
    path = out or Path(f"{character.name}{suffix}")
    check_target(path, force=force)
    with step(f"baking {character.name}") as report:
        rig = bake(character, progress=report)
    cast = cast_crowd(rig, count, clip=clip, time=time, seed=seed)
    if video is None:
        draw_picture(cast.batch, path, width, height)
    else:
        draw_film(cast.batch, path, video, rate, width, height)
    show({"path": str(path), "characters": count}, f"wrote {path}", as_json)
