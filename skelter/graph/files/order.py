"""The order in which JavaScript goes through the keys of an object: editor files are written in it."""

from __future__ import annotations

from collections.abc import Iterable

INDEX_MAX = (1 << 32) - 2
"""Keys beyond this count as text, even if they look like integers."""


def is_index(key: str) -> bool:
    """Say whether a key is an integer in its only spelling, such as ``"12"`` but not ``"012"``."""
    return key.isascii() and key.isdigit() and str(int(key[:10])) == key and int(key) <= INDEX_MAX


def js_order(keys: Iterable[str]) -> list[str]:
    """Return keys as JavaScript orders them: integers ascending, then the others as they come."""
    return sorted(keys, key=lambda key: (0, int(key)) if is_index(key) else (1, 0))
