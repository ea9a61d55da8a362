"""The command ``skelter export``."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from skelter.cli.result import show
from skelter.cli.source import FileArgument, ForceOption, JsonOption, open_character
from skelter.cli.step import step
from skelter.core.files import check_target


class Profile(StrEnum):
    """What can be written."""

    GLB = "glb"


def export(
    file: FileArgument,
    to: Annotated[Profile, typer.Option("--to", help="What to write.")],
    out: Annotated[Path | None, typer.Option(help="File to write; by default NAME.glb in this folder.")] = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write a character to a file that other programs read."""
    from skelter.export.gltf import export_glb

    if out is not None:
        check_target(out, force=force)
    character = open_character(file)
    path = out or Path(f"{character.name}.{to}")
    with step(f"writing {path}"):
        export_glb(character, path, force=force)
    size = path.stat().st_size
    show({"path": str(path), "bytes": size}, f"wrote {path}, {size:,} bytes", as_json)
