"""Places in JSON data that is no graph yet: where a value is, and where a graph hides."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from skelter.graph.problems import item_of, key_of

DICTIONARIES = ("layers", "states", "transitions", "parameters", "conditions", "mask")
"""Keys that may hold a dictionary by id or name, whose items are written in brackets."""
WRAPPING_MAX = 3
"""Objects around a graph that are looked through: exports of assets have one or two."""

Link = tuple[Any, Any]
"""The link of what holds a value, and the value's key in it; () for the whole."""


def place_of(data: Any, wanted: Any) -> str:
    """Return the path of a value, which is found by its identity; empty if it is the whole, or a key.

    Each list and object is looked into once, so data that holds itself does no harm.
    """
    pending: list[tuple[Any, Any]] = [(data, ())]
    seen = set[int]()
    while pending:
        holder, link = pending.pop()
        if id(holder) in seen:
            continue
        seen.add(id(holder))
        for key, value in _items(holder):
            if value is wanted:
                return _path((link, key))
            if isinstance(value, dict | list | tuple):
                pending.append((value, (link, key)))
    return ""


def graph_place(data: Any) -> str:
    """Return the path of the object below others that holds a list or dictionary of layers; empty if there is none."""
    level = [("", data)]
    for _ in range(WRAPPING_MAX):
        below = [(key_of(path, str(key)), value) for path, holder in level for key, value in holder.items()]
        level = [(path, value) for path, value in below if isinstance(value, dict)]
        found = next((path for path, value in level if isinstance(value.get("layers"), list | dict)), "")
        if found:
            return found
    return ""


def _items(holder: Any) -> Iterable[tuple[Any, Any]]:
    if isinstance(holder, dict):
        return holder.items()
    return enumerate(holder) if isinstance(holder, list | tuple) else ()


def _path(link: Link) -> str:
    keys: list[Any] = []
    while link:
        link, key = link
        keys.insert(0, key)
    path, before = "", None
    for key in keys:
        bracket = not isinstance(key, str) or before in DICTIONARIES or not key.isidentifier()
        path = item_of(path, key) if bracket else key_of(path, key)
        before = key
    return path
