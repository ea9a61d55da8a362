"""Read a TOML file as the tables of the schema; every error names the file and the place in it."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import msgspec

from skelter.core.errors import AssetError, unknown_name
from skelter.scene.schema import CrowdTable, InputTable, RampTable, SceneTable, Share

FILE_BYTES_MAX = 4_000_000
TEXT_MAX = 60
_WORDS = {
    "array": "a list",
    "object": "a table",
    "str": "a text",
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
}
_TABLES: dict[str, type[msgspec.Struct]] = {"crowd": CrowdTable, "input": InputTable, "ramp": RampTable}


def read_scene_table(path: Path) -> SceneTable:
    """Read a scene file.

    Args:
        path: A TOML file.

    Raises:
        AssetError: It is missing, too large or not TOML, or a key is unknown, missing or holds the wrong kind of value.
    """
    data = _read_toml(path)
    for place, problem in _oddities(data, SceneTable, ""):
        raise AssetError(f"{path}: {place}: {problem}")
    try:
        return msgspec.convert(data, SceneTable, strict=True)
    except msgspec.ValidationError as error:
        raise AssetError(f"{path}: {_in_words(str(error), data)}") from None


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            content = file.read(FILE_BYTES_MAX + 1)
    except OSError as error:
        raise AssetError(f"{path}: cannot be read: {error.strerror or error}") from error
    if len(content) > FILE_BYTES_MAX:
        raise AssetError(f"{path}: it is larger than {FILE_BYTES_MAX / 1e6:g} MB, which no scene is")
    try:
        return tomllib.loads(content.decode())
    except UnicodeDecodeError as error:
        raise AssetError(
            f"{path}: it is not TOML: byte {error.start} is not UTF-8; name a scene file (.toml)"
        ) from None
    except RecursionError:
        raise AssetError(f"{path}: it is nested too deep to be a scene") from None
    except ValueError as error:
        fix = "is it a graph? name a scene file (.toml)" if path.suffix == ".json" else "correct it there"
        raise AssetError(f"{path}: it is not TOML: {error}; {fix}") from None


def _oddities(table: dict[str, Any], schema: type[msgspec.Struct], place: str) -> Iterator[tuple[str, str]]:
    """Yield places with unknown keys and with numbers that are not finite: the schema's own words help less there."""
    known = [field.encode_name for field in msgspec.structs.fields(schema)]
    for key, value in table.items():
        below = f"{place}.{key}" if place else key
        if key not in known:
            yield below, unknown_name("key", key, known)
        for inner, item in _items(value, below):
            if isinstance(item, float) and not math.isfinite(item):
                yield inner, f"expected a finite number, got {item}"
            if isinstance(item, dict) and key in _TABLES:
                yield from _oddities(item, _TABLES[key], inner)


def _items(value: Any, place: str) -> Iterator[tuple[str, Any]]:
    """Yield the items of a list, or a value itself, with their places."""
    if isinstance(value, list):
        yield from ((f"{place}[{index}]", item) for index, item in enumerate(value))
    else:
        yield place, value


def _in_words(message: str, data: dict[str, Any]) -> str:
    """Return the schema's message as ``place: what was expected, what was found``."""
    text, _, place = message.partition(" - at `$")
    place = place.rstrip("`").lstrip(".")
    if text.startswith("Object missing required field"):
        return f"{place + ': ' if place else ''}the key {text.split('`')[1]!r} is missing; add it"
    place, value = _culprit(place, data)
    if text.startswith("Invalid enum value"):
        return f"{place}: expected {' or '.join(map(repr, _choices(place)))}, got {_found(value)}"
    expected = text.split(", got ")[0].replace("Expected ", "expected ")
    expected = re.sub("`([^`]*)`", lambda kinds: _plain(kinds[1]), expected)
    hint = f"; write [[{place}]]" if isinstance(value, dict) and "a list" in expected else ""
    return f"{place}: {expected}, got {_found(value)}{hint}"


def _culprit(place: str, data: dict[str, Any]) -> tuple[str, Any]:
    """Return a place and what is there; the schema writes ``weights[...]`` for whichever weight is wrong."""
    table, sign, _ = place.partition("[...]")
    value = _value_at(data, table)
    if not sign:
        return place, value
    key = next(key for key, weight in value.items() if not _is_share(weight))
    return f"{table}.{key}", value[key]


def _is_share(value: Any) -> bool:
    try:
        msgspec.convert(value, Share, strict=True)
    except msgspec.ValidationError:
        return False
    return True


def _plain(kinds: str) -> str:
    """Return types that the schema names, such as ``float | null``, in words."""
    return ", ".join(_WORDS.get(kind, kind) for kind in kinds.split(" | ") if kind != "null")


def _value_at(data: Any, place: str) -> Any:
    for key, index in re.findall(r"([^.\[\]]+)|\[(\d+)\]", place):
        data = data[key] if key else data[int(index)]
    return data


def _choices(place: str) -> tuple[str, ...]:
    """Return the words that a key can hold."""
    name = place.rpartition(".")[2]
    kinds = {field.name: field.type for table in _TABLES.values() for field in msgspec.structs.fields(table)}
    alternatives = (kinds[name], *get_args(kinds[name]))
    return tuple(word for kind in alternatives if get_origin(kind) is Literal for word in get_args(kind))


def _found(value: Any) -> str:
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    text = {True: "true", False: "false"}[value] if isinstance(value, bool) else repr(value)
    return text if len(text) <= TEXT_MAX else f"{text[:TEXT_MAX]}..."
