"""The command ``skelter inspect``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from skelter.cli.result import show, table
from skelter.cli.source import FileArgument, JsonOption, open_character


def inspect(
    file: FileArgument,
    joints: Annotated[
        bool, typer.Option("--joints", help="List the names of the joints, each below its parent.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show what is in a character file: joints, meshes, clips, materials, and oddities."""
    from skelter.summary import summarize

    summary = summarize(open_character(file, quiet=True))
    show(summary, _joints(summary["hierarchy"]) if joints else _text(summary), as_json)


def _joints(hierarchy: list[dict[str, Any]]) -> str:
    """Return a line for each joint, below its parent and two spaces deeper."""
    below: dict[str | None, list[str]] = {}
    for joint in hierarchy:
        below.setdefault(joint["parent"], []).append(joint["name"])
    lines = []
    waiting = [(name, 0) for name in reversed(below.get(None, []))]
    while waiting:
        name, depth = waiting.pop()
        lines.append(f"{'  ' * depth}{name}")
        waiting += [(child, depth + 1) for child in reversed(below.get(name, []))]
    return "\n".join(lines) or "no joints"


def _text(summary: dict[str, Any]) -> str:
    head = f"{summary['name']}: {summary['nodes']} nodes, {summary['joints']} joints"
    parts = [head + (f", made by {summary['generator']}" if summary["generator"] else "")]
    parts += [_section(title, summary[title]) for title in ("meshes", "skins", "clips", "materials") if summary[title]]
    parts.append("\n".join([f"warnings: {len(summary['warnings'])}", *(f"  {text}" for text in summary["warnings"])]))
    return "\n\n".join(parts)


def _section(title: str, rows: list[dict[str, Any]]) -> str:
    header = [name.replace("_", " ") for name in rows[0]]
    lines = table(header, ([_word(value) for value in row.values()] for row in rows)).splitlines()
    return "\n".join([title, *(f"  {line}" for line in lines)])


def _word(value: object) -> object:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else value
