"""Turn the objects of a graph into JSON data. Nothing is checked here: wrong values are written as they are."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from numbers import Real
from typing import Any

import msgspec

from skelter.graph.files.keys import keys_of
from skelter.graph.files.order import is_index
from skelter.graph.files.parse import WRAPPED
from skelter.graph.files.schema import (
    ConditionObject,
    GraphObject,
    LayerObject,
    LeafObject,
    NestedTreeObject,
    ParameterObject,
    StateObject,
    TransitionObject,
    TreeObject,
    WrappedTreeObject,
)
from skelter.graph.graph import (
    START,
    BlendTree,
    Layer,
    Leaf,
    Parameter,
    Source,
    State,
    StateGraph,
    Transition,
)

EXACT_MAX = 2.0**53
"""Whole numbers up to this are written without a fraction."""

Json = dict[str, Any]
Schema = type[msgspec.Struct]


def encode_engine_graph(graph: StateGraph) -> Json:
    """Return a graph in the engine form; the data may share parts with the graph."""
    parameters: Any = [encode_parameter(parameter) for parameter in graph.parameters]
    if not isinstance(graph.extras.get("parameters"), list):
        ids = unique_ids(parameter.id or parameter.name for parameter in graph.parameters)
        parameters = dict(zip(ids, parameters, strict=True))
    values = {"layers": [encode_layer(layer) for layer in graph.layers], "parameters": parameters}
    return encode(graph, GraphObject, values, always=("parameters",))


def encode_layer(layer: Layer) -> Json:
    """Return a layer; one made in code gets the START that PlayCanvas cannot do without."""
    states = [encode_state(state) for state in layer.states]
    if not layer.keys and layer.state(START) is None:
        states.append({"name": START})
    transitions = [encode_transition(transition) for transition in layer.transitions]
    return encode(layer, LayerObject, {"states": states, "transitions": transitions})


def encode_transition(transition: Transition) -> Json:
    """Return a transition that names its states."""
    return encode(transition, TransitionObject, {"conditions": encode_conditions(transition, list)})


def encode_parameter(parameter: Parameter) -> Json:
    """Return a parameter; booleans are written as such, and the name unless the file had it in the key alone."""
    value = plain(parameter.value)
    if parameter.type in ("BOOLEAN", "TRIGGER") and value in (0, 1):
        value = bool(value)
    named = "name" in parameter.keys and parameter.extras.get("name", "") is not None
    implied = bool(parameter.keys) and not named and parameter.id in ("", parameter.name)
    defaults = {"value": 0, "name": parameter.name if implied else None}
    return encode(parameter, ParameterObject, {"value": value}, defaults, always=("value",))


def encode_state(state: State) -> Json:
    """Return a state."""
    tree = None if state.tree is None else _tree(state.tree, TreeObject, state.tree.keys, state.tree.extras)
    return encode(state, StateObject, {"blendTree": tree})


def _child(child: Leaf | BlendTree) -> Json:
    """Return a leaf or a nested tree, which is written as the file had it: flat, or with its own object inside."""
    if isinstance(child, Leaf):
        return encode(child, LeafObject, {})
    if WRAPPED not in child.keys:
        return _tree(child, NestedTreeObject, child.keys, child.extras)
    prefix = f"{WRAPPED}."
    inner_keys = tuple(key.removeprefix(prefix) for key in child.keys if key.startswith(prefix))
    inner_extras = {key.removeprefix(prefix): value for key, value in child.extras.items() if key.startswith(prefix)}
    tree = _tree(child, TreeObject, inner_keys, inner_extras)
    values, defaults = values_of(child, WrappedTreeObject, {WRAPPED: tree})
    keys = tuple(key for key in child.keys if not key.startswith(prefix))
    extras = {key: value for key, value in child.extras.items() if not key.startswith(prefix)}
    return merge(keys, extras, values, defaults)


def _tree(tree: BlendTree, schema: Schema, keys: tuple[str, ...], extras: Json) -> Json:
    """Return the object that holds the keys of a tree proper."""
    children = [_child(child) for child in tree.children]
    values, defaults = values_of(tree, schema, {"children": children, "parameter": None})
    names = values["parameters"]
    single = names and len(names) == 1 and ("parameter" in keys if keys else tree.type == "1D")
    values["parameter"] = names[0] if single else None
    del values["parameters" if single else "parameter"]
    return merge(keys, extras, values, {**defaults, "parameters": []})


def encode_conditions(transition: Transition, usual: type) -> Any:
    """Return the conditions as a list or a dictionary by id, with those that the file had without a parameter."""
    rest = [encode(condition, ConditionObject, {}) for condition in transition.conditions]
    template = transition.extras.get("conditions")
    if template is None and usual is dict:
        return by_id(transition.conditions, rest)
    if usual is list and isinstance(template, dict):
        template = list(template.values())
    if isinstance(template, dict):
        filled = {key: kept or rest.pop(0) for key, kept in template.items() if kept or rest}
        return dict(zip(unique_ids([*filled, *([""] * len(rest))]), [*filled.values(), *rest], strict=True))
    return [kept or rest.pop(0) for kept in template or () if kept or rest] + rest


def by_id(objects: Iterable[Source], encoded: list[Json]) -> Json:
    """Return a dictionary of encoded objects by their ids; those without get the next numbers."""
    return dict(zip(unique_ids(item.id for item in objects), encoded, strict=True))


def unique_ids(ids: Iterable[str]) -> list[str]:
    """Return ids that are all different: an empty one becomes the next number, a repeated one gets a suffix."""
    ids = list(ids)
    number = 1 + max((int(text) for text in ids if is_index(text)), default=-1)
    taken, used = set(ids), dict[str, None]()
    for text in ids:
        if not text or text in used:
            while f"{text}{number}" in taken:
                number += 1
            text = f"{text}{number}"
            taken.add(text)
        used[text] = None
    return list(used)


def encode(
    source: Source, schema: Schema, values: Json, defaults: Json | None = None, always: Collection[str] = ()
) -> Json:
    """Return the JSON object of ``source``: the keys of its file in their order, then new ones that are no default.

    Args:
        source: The object.
        schema: The keys it may have.
        values: Values of keys that are not simply its attributes.
        defaults: Defaults that are not the schema's.
        always: Keys that are written even with their default, unless the object comes from a file.
    """
    values, usual = values_of(source, schema, values)
    usual |= defaults or {}
    if not source.keys:
        usual = {key: value for key, value in usual.items() if key not in always}
    return merge(source.keys, source.extras, values, usual)


def values_of(source: Source, schema: Schema, known: Json) -> tuple[Json, Json]:
    """Return the values of all keys of an object, and the defaults of those that need not be there."""
    keys = keys_of(schema).values()
    values = {key.name: known[key.name] if key.name in known else plain(getattr(source, key.attribute)) for key in keys}
    return values, {key.name: plain(key.default()) for key in keys if not key.required}


def merge(keys: Collection[str], extras: Json, values: Json, defaults: Json) -> Json:
    """Merge what the file held with what the object holds now; an explicit null stays while it means the value."""
    result: Json = {}
    for key in keys:
        if key in values:
            null = key in extras and extras[key] is None and key in defaults and values[key] == defaults[key]
            result[key] = None if null else values[key]
        elif key in extras:
            result[key] = extras[key]
    for key, value in values.items():
        if key not in result and not (key in defaults and value == defaults[key]):
            result[key] = value
    new = {key: value for key, value in extras.items() if key not in result and key not in values}
    return result | new


def plain(value: Any) -> Any:
    """Return a value as JSON has it: whole numbers without a fraction, tuples as lists."""
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, bool) or not isinstance(value, Real):
        return value
    number = float(value)
    return int(number) if number.is_integer() and abs(number) <= EXACT_MAX else number
