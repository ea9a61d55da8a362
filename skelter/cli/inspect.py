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
    parts += [
        f"{title}\n{_indented(table([name.replace('_', ' ') for name in rows[0]], (list(row.values()) for row in rows)))}"
        for title in ("meshes", "skins", "clips", "materials")
        if (rows := summary[title])
    ]
    parts.append("\n".join([f"warnings: {len(summary['warnings'])}", *(f"  {text}" for text in summary["warnings"])]))
    return "\n\n".join(parts)


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())
