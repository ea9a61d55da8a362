"""The keys of a schema's objects, as the reader needs them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec

from skelter.graph.problems import joined

WORDS = {float: "a number", int: "a whole number", str: "a text", bool: "true or false", dict: "an object"}


@dataclass(frozen=True)
class Key:
    """A key of a JSON object.

    Attributes:
        name: Its name in the file.
        attribute: Its name in Python.
        required: It must be there, and not null.
        default: Makes the value that stands for a missing or wrong one.
        convert: Gives a value its type, or raises TypeError or msgspec.ValidationError.
        wanted: What it holds, in words.
        choices: The texts that it may hold, or none.
        whole: It holds integers only.
    """

    name: str
    attribute: str
    required: bool
    default: Callable[[], Any]
    convert: Callable[[Any], Any]
    wanted: str
    choices: tuple[str, ...]
    whole: bool


@cache
def keys_of(schema: type[msgspec.Struct]) -> dict[str, Key]:
    """Return the keys of a schema's objects by their names in the file, ``name`` first."""
    fields = sorted(msgspec.structs.fields(schema), key=lambda field: field.name != "name")
    return {field.encode_name: _key(field) for field in fields}


def _key(field: msgspec.structs.FieldInfo) -> Key:
    kinds = _kinds(field.type)
    containers = tuple(list if get_origin(kind) is list else dict for kind in kinds if _holds_objects(kind))
    choices = tuple(text for kind in kinds if get_origin(kind) is Literal for text in get_args(kind))
    return Key(
        name=field.encode_name,
        attribute=field.name,
        required=field.required,
        default=partial(_default, field, kinds[0]),
        convert=partial(_container, containers) if containers else partial(msgspec.convert, type=Union[kinds]),  # noqa: UP007
        wanted=" or ".join(dict.fromkeys(map(_words, kinds))),
        choices=choices,
        whole=int in kinds,
    )


def _kinds(annotation: Any) -> tuple[Any, ...]:
    """Return the types that an annotation allows, without None and remarks."""
    annotation = _bare(annotation)
    members = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    return tuple(_bare(kind) for kind in members if kind is not type(None))


def _bare(annotation: Any) -> Any:
    """Return a type without its remarks: `skelter.graph.check` speaks of ranges, with better words."""
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


def _holds_objects(kind: Any) -> bool:
    """Say whether values of a type hold objects, which are read one by one."""
    return any(
        inner is Any or (isinstance(inner, type) and issubclass(inner, msgspec.Struct))
        for inner in (kind, *get_args(kind))
    )


def _container(containers: tuple[type, ...], value: Any) -> Any:
    if not isinstance(value, containers):
        raise TypeError
    return value


def _words(kind: Any) -> str:
    origin = get_origin(kind)
    if origin is Literal:
        return joined(get_args(kind), "or")
    if origin is list:
        return "a list of texts" if get_args(kind) == (str,) else "a list"
    if origin is tuple:
        return "a list of two numbers"
    return WORDS.get(origin or kind, "an object")


def _default(field: msgspec.structs.FieldInfo, kind: Any) -> Any:
    """Return the default of a key, or something of its type where it has none."""
    if field.default_factory is not msgspec.NODEFAULT:
        return field.default_factory()
    if field.default is not msgspec.NODEFAULT:
        return field.default
    if get_origin(kind) is Literal:
        return get_args(kind)[0]
    origin = get_origin(kind) or kind
    return {} if issubclass(origin, msgspec.Struct) else origin()
