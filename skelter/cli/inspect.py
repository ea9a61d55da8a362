"""The command ``skelter inspect``."""

from __future__ import annotations

from typing import Any

from skelter.cli.result import show, table
from skelter.cli.source import FileArgument, JsonOption, open_character


def inspect(file: FileArgument, as_json: JsonOption = False) -> None:
    """Show what is in a character file: joints, meshes, clips, materials, and oddities."""
    from skelter.summary import summarize

    summary = summarize(open_character(file, quiet=True))
    show(summary, _text(summary), as_json)


def _text(summary: dict[str, Any]) -> str:
    head = f"{summary['name']}: {summary['nodes']} nodes, {summary['joints']} joints"
    parts = [head + (f", made by {summary['generator']}" if summary["generator"] else "")]
    parts += [_section(title, summary[title]) for title in ("meshes", "skins", "clips", "materials") if summary[title]]
    parts.append("\n".join([f"warnings: {len(summary['warnings'])}", *(f"  {text}" for text in summary["warnings"])]))
    return "\n\n".join(parts)


def _section(title: str, rows: list[dict[str, Any]]) -> str:
    header = [name.replace("_", " ") for name in rows[0]]
    lines = table(header, (list(row.values()) for row in rows)).splitlines()
    return "\n".join([title, *(f"  {line}" for line in lines)])
