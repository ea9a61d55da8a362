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
    str, typer.Argument(metavar="FILE", help="A character file (.glb, .gltf, .vrm, .bvh), or the word mannequin.")
]
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


def check_output(path: Path, force: bool) -> None:
    """Raise OutputError before any long work if ``path`` cannot be written or would replace a file.

    Args:
        path: File to write.
        force: Replacing is wanted.
    """
    if path.is_dir():
        raise OutputError(f"{path} is a folder: give the name of a file")
    if not path.parent.is_dir():
        raise OutputError(f"cannot write {path}: the folder {path.parent} does not exist")
    if path.exists() and not force:
        raise OutputError(f"{path} exists: add --force to replace it, or name another file")
