"""The command ``skelter render``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from skelter.cli.result import show
from skelter.cli.scene_moment import is_scene, scene_moment
from skelter.cli.source import ForceOption, JsonOption, check_suffix, open_character
from skelter.cli.step import step
from skelter.core.errors import ArgumentError
from skelter.core.files import check_target

if TYPE_CHECKING:
    from skelter.cast import Cast, Moment

WidthOption = Annotated[int, typer.Option(min=1, max=8192, help="Width of the picture [pixels].")]
HeightOption = Annotated[int, typer.Option(min=1, max=8192, help="Height of the picture [pixels].")]
SeedOption = Annotated[int, typer.Option(min=0, help="The same seed gives the same picture.")]
DrawnArgument = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help="A character file, the word mannequin, or a scene file (.toml) that is played and drawn."
    ),
]


def render(
    file: DrawnArgument,
    clip: Annotated[str | None, typer.Option(help="Clip that all play. By default the clips are spread.")] = None,
    time: Annotated[float | None, typer.Option(help="Clip time of all [s]. By default the times are spread.")] = None,
    count: Annotated[int | None, typer.Option(help="Number of characters; by default 1.")] = None,
    at: Annotated[
        float | None, typer.Option(help="Time in the scene [s]; by default its end, or for a film its start.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="File to write; by default NAME.png or NAME.mp4.")] = None,
    width: WidthOption = 1280,
    height: HeightOption = 720,
    video: Annotated[float | None, typer.Option(metavar="SECONDS", help="Make a film of this length [s].")] = None,
    rate: Annotated[float, typer.Option(help="Pictures a second of the film [Hz].")] = 30.0,
    seed: Annotated[int | None, typer.Option(min=0, help="The same seed gives the same picture; by default 0.")] = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Draw one character, a crowd, or a scene, as a picture or a film."""
    from skelter.cast import frame_total
    from skelter.cli.drawing import draw_film, draw_picture
    from skelter.rendering.adapter import require_adapter

    if video is not None:
        frame_total(video, rate)
    suffix = ".png" if video is None else ".mp4"
    if out is not None:
        check_suffix(out, suffix)
    path = out or Path(f"{Path(file).stem}{suffix}")
    check_target(path, force=force)
    require_adapter()
    if is_scene(file):
        _refuse(file, "a scene says itself what its characters do", clip=clip, time=time, count=count, seed=seed)
        moment = scene_moment(file, at, video)
        crowd: Moment = moment
        total = sum(entry.count for entry in moment.player.scene.crowds)
    else:
        _refuse(file, "it is a time in a scene (.toml); --time is that in a clip", at=at)
        total = 1 if count is None else count
        crowd = _cast(file, total, clip, time, seed or 0).batch
    if video is None:
        draw_picture(crowd, path, width, height)
    else:
        draw_film(crowd, path, video, rate, width, height)
    show({"path": str(path), "characters": total}, f"wrote {path}", as_json)


def _refuse(file: str, reason: str, **options: object) -> None:
    """Raise ArgumentError if options are given that mean nothing for what is drawn."""
    given = [f"--{name}" for name, value in options.items() if value is not None]
    if given:
        raise ArgumentError(f"{', '.join(given)}: not with {file}: {reason}")


def _cast(file: str, count: int, clip: str | None, time: float | None, seed: int) -> Cast:
    from skelter.baking.bake import bake
    from skelter.cast import cast_crowd

    character = open_character(file)
    with step(f"baking {character.name}") as report:
        rig = bake(character, progress=report)
    return cast_crowd(rig, count, clip=clip, time=time, seed=seed)
