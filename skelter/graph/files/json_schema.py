"""The JSON Schema of graph files, for editors that check and complete while one types.

``docs/reference/state-graph.schema.json`` is the published one;
``python -m skelter.graph.files.json_schema FILE`` writes it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import msgspec

from skelter.core.files import replacing
from skelter.graph.files.schema import (
    EditorGraphObject,
    GraphObject,
    LeafObject,
    NestedTreeObject,
    TreeObject,
    WrappedTreeObject,
)

DIALECT = "https://json-schema.org/draft/2020-12/schema"
PLACE = "#/$defs/{name}"


def graph_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of graph files; it describes both forms.

    It says what a file may hold, not whether the names in it exist: `skelter.graph.check.check_graph` does.
    """
    kinds = (GraphObject, EditorGraphObject, LeafObject, NestedTreeObject, WrappedTreeObject)
    (engine, editor, leaf, nested, wrapped), objects = msgspec.json.schema_components(kinds, ref_template=PLACE)
    child = {
        "if": {"required": ["blendTree"], "properties": {"blendTree": {"type": "object"}}},
        "then": wrapped,
        "else": {"if": {"anyOf": [{"required": [key]} for key in ("type", "children")]}, "then": nested, "else": leaf},
    }
    for tree in (TreeObject, NestedTreeObject):
        objects[tree.__name__]["properties"]["children"]["items"] = child
    for layer in ("LayerObject", "EditorLayerObject"):
        objects[layer]["properties"]["mask"]["anyOf"][0]["additionalProperties"] = _mask_rule()
    return {
        "$schema": DIALECT,
        "title": "State graph",
        "description": "An animation state graph in PlayCanvas's engine form or Editor form, with skelter's keys.",
        "type": "object",
        "required": ["layers"],
        "if": {"properties": {"layers": {"type": "object"}}},
        "then": editor,
        "else": engine,
        "$defs": objects,
    }


def _mask_rule() -> dict[str, Any]:
    weight = {"anyOf": [{"type": "boolean"}, {"type": "number", "minimum": 0, "maximum": 1}]}
    rule = {"type": "object", "properties": {"value": weight, "children": {"type": "boolean"}}}
    return {"anyOf": [*weight["anyOf"], rule]}


def schema_text() -> str:
    """Return the JSON Schema as the text of its file."""
    return json.dumps(graph_schema(), indent=2) + "\n"


if __name__ == "__main__":
    with replacing(Path(sys.argv[1])) as temporary:
        temporary.write_text(schema_text(), encoding="utf-8")
