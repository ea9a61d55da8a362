"""The FILE that a command reads, and the files that it writes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from skelter.cli.step import step
from skelter.core.errors import OutputError

if TYPE_CHECKING:
    from skelter.assets.character import Character

MANNEQUIN = "mannequin"

FileArgument = Annotated[
    str,
    typer.Argument(metavar="FILE", help="A character file (.glb, .gltf, .vrm, .vrma, .bvh), or the word mannequin."),
]
SceneArgument = Annotated[str, typer.Argument(metavar="SCENE", help="A scene file (.toml).")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
ForceOption = Annotated[bool, typer.Option("--force", help="Replace a file that exists.")]


def open_character(file: str, quiet: bool = False) -> Character:
    """Load the character that FILE stands for, and unless ``quiet`` say so if the file has oddities."""
    if file == MANNEQUIN:
        from skelter.assets.mannequin import mannequin

        with step("building the mannequin"):
            return mannequin()
    from skelter.assets.load import load

    with step(f"reading {file}"):
        character = load(file)
    if character.warnings and not quiet:
        count = len(character.warnings)
        typer.echo(f"note: {count} oddities were mended or ignored; see them with: skelter inspect {file}", err=True)
    return character


def check_suffix(path: Path, suffix: str) -> None:
    """Raise OutputError if the name of a file promises another kind of content than it will have."""
    if path.suffix.lower() != suffix:
        hint = "; with --video SECONDS it is a film" if suffix == ".png" else ""
        raise OutputError(f"{path}: what is written is a {suffix} file; name it so{hint}")
