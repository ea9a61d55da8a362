"""Turn the bytes of a graph file into plain JSON data, within limits: files come from strangers."""

from __future__ import annotations

import json
import math
import stat
from collections.abc import Collection
from os import PathLike
from pathlib import Path
from typing import Any

from skelter.core.errors import ArgumentError, GraphError
from skelter.graph.files.places import place_of
from skelter.graph.problems import quoted

FILE_BYTES_MAX = 16 << 20
"""Files larger than this are refused before they are read [bytes]."""
NESTING_MAX = 128
"""Deepest nesting of lists and objects; 32 nested trees need about 100."""
NUMBER_MAX = 1e300
"""Largest number, so that all of them are finite as float64."""
ITEMS_MAX = 4 << 20
"""Most values at one depth."""


def as_path(path: Any) -> Path:
    """Return an argument as a path.

    Raises:
        ArgumentError: It is neither a text nor a path.
    """
    if not isinstance(path, str | PathLike):
        raise ArgumentError(f"path: expected the path of a file, got {type(path).__name__}")
    return Path(path)


def read_file(path: Path) -> bytes:
    """Read a whole file.

    Raises:
        GraphError: There is no such file, it is a folder or a device, it cannot be read, or it is too large.
    """
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise GraphError(f"{path}: this is a folder; name a graph file (.json) in it")
        if not stat.S_ISREG(status.st_mode):  # a pipe may never end
            raise GraphError(f"{path}: this is a pipe or a device, not a file; save its content to a file first")
        check_size(status.st_size, str(path))
        return path.read_bytes()
    except FileNotFoundError:
        raise GraphError(f"{path}: there is no such file; check the name and the folder") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise GraphError(f"{path}: the file cannot be read: {reason}") from None


def check_size(size: int, name: str) -> None:
    """Raise GraphError if a file of ``size`` bytes is too large for a graph."""
    if size > FILE_BYTES_MAX:
        raise GraphError(f"{name}: {size} bytes are too many for a graph; at most {FILE_BYTES_MAX} are read")


def decode(text: bytes, name: str) -> Any:
    """Return the data that a JSON text holds.

    Args:
        text: JSON in UTF-8.
        name: Name of the graph, for messages.

    Raises:
        GraphError: It is empty, no UTF-8, no JSON, nested too deep, or holds a number that is not finite.
    """
    check_size(len(text), name)
    if text.startswith(b"glTF"):
        raise GraphError(f"{name}: it is a character, no graph; name a graph file (.json)")
    if not text.strip():
        raise GraphError(f"{name}: it is empty; a graph is a JSON object with 'layers' and 'parameters'")
    try:
        data = json.loads(text.decode("utf-8-sig"), object_pairs_hook=_object)
    except UnicodeDecodeError as error:
        raise GraphError(f"{name}: it is not UTF-8 (byte {error.start}); save it as UTF-8") from None
    except json.JSONDecodeError as error:
        fix = "is it a scene? name its graph file (.json)" if name.endswith(".toml") else "correct it there"
        raise GraphError(
            f"{name}: it is not JSON: {error.msg} in line {error.lineno}, column {error.colno}; {fix}"
        ) from None
    except ValueError as error:
        raise GraphError(f"{name}: {error}") from None
    except RecursionError:
        raise GraphError(_too_deep(name)) from None
    check_data(data, name)
    return data


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; JSON lets the last one of equal keys win, and that would lose something silently."""
    result = dict(pairs)
    if len(result) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for index, key in enumerate(keys) if key in keys[:index])
        raise ValueError(f"one object has the key {quoted(twice)} twice; remove or rename one")
    return result


def check_data(data: Any, name: str) -> None:
    """Raise GraphError unless data is what a JSON file may hold: plain types, not too deep, finite numbers.

    It goes level by level, so data of any depth, or that holds itself, does no harm.
    """
    level = [data]
    for _ in range(NESTING_MAX):
        below: list[Any] = []
        for value in level:
            fault = _fault(value)
            if fault:
                place = place_of(data, value)
                raise GraphError(f"{name}: {place}: {fault}" if place else f"{name}: {fault}")
            below.extend(_contents(value))
            if len(below) > ITEMS_MAX:
                raise GraphError(f"{name}: it holds more than {ITEMS_MAX} values; that is no graph")
        if not below:
            return
        level = below
    raise GraphError(_too_deep(name))


def _contents(value: Any) -> Collection[Any]:
    """Return what a list or an object holds."""
    if isinstance(value, dict):
        return [*value, *value.values()]
    return value if isinstance(value, list | tuple) else ()


def _fault(value: Any) -> str:
    """Return what a JSON file cannot hold of a value, its contents apart; empty if it can."""
    if isinstance(value, str):
        whole = value.isascii() or _is_whole(value)
        return "" if whole else f"the text {value!a} holds half of a surrogate pair; remove it"
    if value is None or isinstance(value, list | tuple):
        return ""
    if isinstance(value, int | float):
        if abs(value) <= NUMBER_MAX:
            return ""
        shown = value if isinstance(value, float) and not math.isfinite(value) else f"a number beyond {NUMBER_MAX:g}"
        return f"it holds {shown}; all numbers must be finite"
    if isinstance(value, dict):
        fits, what = all(isinstance(key, str) for key in value), "a key that is no text"
    else:
        fits, what = False, f"an object of type {type(value).__name__}"
    return "" if fits else f"it holds {what}; use objects, lists, texts, numbers, true, false and null"


def _is_whole(text: str) -> bool:
    """Say whether a text can be written as UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _too_deep(name: str) -> str:
    return f"{name}: lists and objects are nested deeper than {NESTING_MAX}; flatten them"
