"""Problem: one mistake in a graph, with its place; and the words of its message."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from skelter.core.errors import GraphError, near_names

PROBLEMS_MAX = 1000
"""After so many problems of a graph no others are looked for."""
REPORT_LINES_MAX = 200
NAMES_LISTED_MAX = 12
TEXT_MAX = 60


@dataclass(frozen=True, slots=True)
class Problem:
    """A mistake that keeps a graph from running.

    Attributes:
        path: Where it is in the JSON form, such as ``layers[0].transitions[3].time``.
        message: What was found there, and the fix.
    """

    path: str
    message: str

    def __str__(self) -> str:
        """Return ``path: message``."""
        return f"{self.path}: {self.message}" if self.path else self.message


def raise_problems(name: str, problems: Sequence[Problem]) -> None:
    """Raise GraphError if there are problems: a line with their number, then a line for each.

    Args:
        name: Name of the graph or file.
        problems: What is wrong with it.
    """
    if not problems:
        return
    count = f"{len(problems)} problem{'s' if len(problems) > 1 else ''}"
    lines = [f"{name}: {count}{' or more' if len(problems) >= PROBLEMS_MAX else ''}"]
    lines += map(str, problems[:REPORT_LINES_MAX])
    if len(problems) > REPORT_LINES_MAX:
        lines.append(f"... and {len(problems) - REPORT_LINES_MAX} more")
    raise GraphError("\n".join(lines))


def found(value: Any) -> str:
    """Return a short text for a JSON value that came in the wrong place."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return f"the text {quoted(value)}"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    return shortened(f"{value:.0f}" if isinstance(value, float) and value.is_integer() else repr(value))


def quoted(name: str) -> str:
    """Return a name in quotes, cut short if it is very long."""
    return repr(shortened(name))


def shortened(text: str) -> str:
    """Return a text, cut at `TEXT_MAX` characters."""
    return text if len(text) <= TEXT_MAX else f"{text[:TEXT_MAX]}..."


def joined(words: Iterable[str], last: str = "and") -> str:
    """Return ``a, b and c``."""
    *first, end = words
    return f"{', '.join(first)} {last} {end}" if first else end


def unknown(kind: str, name: str, names: Collection[str]) -> str:
    """Return the text for a name that is not there, with the nearest names, or else with those that exist.

    Args:
        kind: What the name stands for, in the singular, such as ``"state"``.
        name: The name that was asked for.
        names: The names that exist.
    """
    text = f"no {kind} {quoted(name)}"
    if not names:
        return f"{text}: there are no {kind}s; add it"
    return text + (near_names(name, names) or f"; the {kind}s are {listed(names)}")


def listed(names: Collection[str]) -> str:
    """Return the first names, separated by commas."""
    return ", ".join(islice(names, NAMES_LISTED_MAX)) + (", ..." if len(names) > NAMES_LISTED_MAX else "")


def key_of(place: str, key: str) -> str:
    """Return the path of a key of the object at ``place``."""
    return f"{place}.{key}" if place else key


def item_of(place: str, item: int | str) -> str:
    """Return the path of an item of the list or dictionary at ``place``."""
    return f"{place}[{item}]" if isinstance(item, int) else f"{place}[{json.dumps(item, ensure_ascii=False)}]"


def file_order(path: str) -> str:
    """Return a key that sorts paths as their places follow each other: numbers by their value."""
    return re.sub(r"\d+", lambda number: number[0].zfill(9), path)
