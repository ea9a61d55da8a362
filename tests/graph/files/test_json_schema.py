"""The published JSON Schema is current, and says of graph files what the reader says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from skelter.graph.files.json_schema import graph_schema, schema_text
from tests.support.state_graphs import editor, locomotion, recorded

LOCK = Path(__file__).parents[3] / "requirements/test.lock"
PUBLISHED = Path(__file__).parents[3] / "docs/reference/state-graph.schema.json"
SCHEMA = graph_schema()
TYPES: dict[str, Any] = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def fits(data: Any, schema: dict[str, Any]) -> bool:
    """Say whether data fits a schema, by the rules of JSON Schema 2020-12 for the words that ours uses."""
    if "$ref" in schema:
        return fits(data, SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]])
    if "if" in schema:
        branch = schema["then"] if fits(data, schema["if"]) else schema["else"]
        return fits(data, branch) and fits(
            data, {key: schema[key] for key in schema if key not in ("if", "then", "else")}
        )
    if "anyOf" in schema and not any(fits(data, choice) for choice in schema["anyOf"]):
        return False
    if "enum" in schema and data not in schema["enum"]:
        return False
    return _has_type(data, schema.get("type")) and _fits_parts(data, schema)


def _has_type(data: Any, name: str | None) -> bool:
    if name in ("number", "integer"):
        return isinstance(data, int if name == "integer" else int | float) and not isinstance(data, bool)
    return name is None or isinstance(data, TYPES[name])


def _fits_parts(data: Any, schema: dict[str, Any]) -> bool:
    if isinstance(data, int | float):
        return schema.get("minimum", data) <= data <= schema.get("maximum", data)
    if isinstance(data, list):
        first = schema.get("prefixItems", [])
        rest = schema.get("items", {})
        return (
            schema.get("minItems", 0) <= len(data) <= schema.get("maxItems", len(data))
            and all(fits(item, part) for item, part in zip(data, first, strict=False))
            and all(rest is not False and fits(item, rest) for item in data[len(first) :])
        )
    if isinstance(data, dict):
        known, other = schema.get("properties", {}), schema.get("additionalProperties", {})
        return schema.get("required", []) == [key for key in schema.get("required", []) if key in data] and all(
            fits(value, known.get(key, other)) for key, value in data.items()
        )
    return True


def changed(path: str, value: Any) -> dict[str, Any]:
    """Return the locomotion graph with another value at a path of keys and indices."""
    data = locomotion()
    *way, last = [int(part) if part.isdigit() else part for part in path.split("/")]
    place: Any = data
    for part in way:
        place = place[part]
    place[last] = value
    return data


@pytest.mark.parametrize(
    "data",
    [
        [],
        {},
        {"layers": []},
        {"layers": 1},
        {"layers": {}},
        changed("layers/0/name", 5),
        changed("layers/0/weight", 2),
        changed("layers/0/mask", {"Spine": 7}),
        changed("layers/0/states/1/loop", "yes"),
        changed("layers/0/states/1/blendTree", {"type": "1D", "parameter": "speed", "children": []}),
        changed("layers/0/states/1/blendTree", {"type": "3D", "parameter": "speed", "children": [{"name": "A"}]}),
        changed("layers/0/states/1/blendTree", {"type": "1D", "children": [{"name": "A", "point": [1, 2, 3]}]}),
        changed(
            "layers/0/states/1/blendTree", {"type": "1D", "children": [{"name": "A", "children": [{"name": "B"}]}]}
        ),
        changed("layers/0/transitions/1/time", -1),
        changed("layers/0/transitions/1/priority", 0.5),
        changed("layers/0/transitions/1/from", 1),
        changed("layers/0/transitions/1/conditions/0/predicate", "IS"),
        changed("parameters/speed/type", "DOUBLE"),
    ],
)
def test_what_does_not_fit(data: Any) -> None:
    assert not fits(data, SCHEMA)


@pytest.mark.parametrize(
    "data",
    [
        locomotion(),
        editor(),
        {**locomotion(), "$schema": "state-graph.schema.json"},
        changed("layers/0/mask", {"Spine": {"value": 0.5, "children": True}, "Head": False}),
        changed("layers/0/transitions/1/exitTime", None),
        changed(
            "layers/0/states/1/blendTree",
            {
                "type": "1D",
                "parameter": "speed",
                "outside": "none",
                "children": [
                    {"name": "A", "point": 0},
                    {"name": "B", "point": 1, "type": "DIRECT", "parameters": ["speed"], "children": [{"name": "C"}]},
                    {
                        "name": "D",
                        "point": 2,
                        "blendTree": {"type": "DIRECT", "parameters": [], "children": [{"name": "E"}]},
                    },
                ],
            },
        ),
    ],
)
def test_what_fits(data: Any) -> None:
    assert fits(data, SCHEMA)


def test_all_recorded_graphs_fit() -> None:
    assert [name for name, data in recorded().items() if not fits(data, SCHEMA)] == []


def test_every_key_is_explained() -> None:
    for name, schema in SCHEMA["$defs"].items():
        assert schema["description"], name
        assert set(schema["required"]) <= set(schema["properties"])


def test_the_published_schema_is_current() -> None:
    if f"msgspec=={msgspec.__version__}\n" not in LOCK.read_text(encoding="utf-8"):
        pytest.skip("other versions of msgspec word the same schema in other ways")
    text = PUBLISHED.read_text(encoding="utf-8")
    assert json.loads(text) == SCHEMA
    assert text == schema_text(), f"write it again: python -m skelter.graph.files.json_schema {PUBLISHED}"
