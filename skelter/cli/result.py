"""What a command prints: JSON for programs, text for people, always on stdout."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import typer


def show(result: Any, text: str, as_json: bool) -> None:
    """Print a result.

    Args:
        result: What a program wants: dicts, lists, numbers and strings.
        text: What a person wants.
        as_json: True for a program.
    """
    typer.echo(json.dumps(result, indent=2) if as_json else text)


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return rows as aligned columns; numbers stand to the right.

    Args:
        header: Names of the columns.
        rows: Cells, as many in each row as there are columns.
    """
    cells = [list(row) for row in rows]
    texts = [list(header), *([_cell(value) for value in row] for row in cells)]
    widths = [max(len(row[column]) for row in texts) for column in range(len(header))]
    right = [bool(cells) and isinstance(cells[0][column], int | float) for column in range(len(header))]
    lines = (
        "  ".join(
            value.rjust(width) if to_right else value.ljust(width)
            for value, width, to_right in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in texts
    )
    return "\n".join(lines)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1e4 else f"{value:.0f}"
    return str(value)
