"""Make a StateGraph of JSON data, and collect everything that does not fit the schema on the way."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from skelter.core.errors import near_names
from skelter.graph.files.keys import Key, keys_of
from skelter.graph.files.order import is_index, js_order
from skelter.graph.files.places import graph_place
from skelter.graph.files.schema import (
    ConditionObject,
    EditorGraphObject,
    EditorLayerObject,
    EditorTransitionObject,
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
from skelter.graph.files.shape import TREE_DEPTH_MAX
from skelter.graph.graph import BlendTree, Condition, Form, Layer, Leaf, Parameter, State, StateGraph, Transition
from skelter.graph.problems import Problem, found, item_of, key_of, listed, quoted

WRAPPED = "blendTree"
"""Key under which a child may hold its tree; its own keys are then kept as ``blendTree.<key>``."""

Values = dict[str, Any]


@dataclass
class Reading:
    """What came of JSON data.

    Attributes:
        graph: The graph; where the data is wrong it holds defaults.
        problems: What does not fit the schema.
        unsound: Paths at and below which `graph` is not what the author meant.
    """

    graph: StateGraph
    problems: list[Problem] = field(default_factory=list)
    unsound: list[str] = field(default_factory=list)


def parse_graph(data: Any, name: str) -> Reading:
    """Make a graph of JSON data of either form.

    Args:
        data: What a JSON file holds. Nothing of it is shared with the graph but what no key of ours holds.
        name: Name of the graph.
    """
    place = graph_place(data) if isinstance(data, dict) and "layers" not in data else ""
    if place:
        message = f"it is missing here; the graph is in the key {quoted(place)}: save what that holds as a file"
        return Reading(StateGraph(name=name), [Problem("layers", message)], [""])
    parser = _Parser()
    editor = isinstance(data, dict) and isinstance(data.get("layers"), dict)
    graph = parser.editor_graph(data) if editor else parser.engine_graph(data)
    graph.name = name
    return Reading(graph, list(dict.fromkeys(parser.problems)), parser.unsound)


class _Parser:
    """Makes objects of JSON objects; it goes on after a mistake, with defaults in its place."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.unsound: list[str] = []

    def report(self, path: str, message: str) -> None:
        """Note a problem; what is at the path is not to be judged further."""
        self.problems.append(Problem(path, message))
        self.unsound.append(path)

    def values(self, schema: type[msgspec.Struct], raw: Any, place: str) -> tuple[Values, Values]:
        """Return the values of an object by attribute, and what its `Source` keeps."""
        keys = keys_of(schema)
        if not isinstance(raw, dict):
            self.report(place, f"expected an object, got {found(raw)}; write it as {{...}}")
            return {key.attribute: key.default() for key in keys.values()}, {"keys": (), "extras": {}, "place": place}
        extras = {key: value for key, value in raw.items() if key not in keys}
        extras |= {key: None for key in raw if key in keys and raw[key] is None}
        values = {key.attribute: self._value(key, raw.get(key.name), key_of(place, key.name)) for key in keys.values()}
        return values, {"keys": tuple(raw), "extras": extras, "place": place}

    def _value(self, key: Key, raw: Any, path: str) -> Any:
        """Return a value in the type of its key, or the default."""
        if raw is None:
            if key.required:
                self.report(path, f"it is missing; give {key.wanted}")
            return key.default()
        if key.whole and isinstance(raw, float) and raw.is_integer():
            raw = int(raw)
        try:
            value = key.convert(raw)
        except (msgspec.ValidationError, TypeError):
            near = near_names(raw, key.choices) if isinstance(raw, str) and key.choices else ""
            self.report(path, f"expected {key.wanted}, got {found(raw)}{near}")
            return key.default()
        numbers = value if isinstance(value, tuple) else (value,)
        if all(math.isfinite(number) for number in numbers if isinstance(number, float)):
            return value
        self.report(path, f"expected a finite number, got {found(raw)}")
        return key.default()

    # Both forms

    def parameters(self, raw: Any, source: Values, form: Form) -> list[Parameter]:
        """Make parameters of a dictionary or a list."""
        if isinstance(raw, list):
            source["extras"]["parameters"] = []
            return [self.parameter(item, item_of("parameters", index), "") for index, item in enumerate(raw)]
        parameters = [self.parameter(item, item_of("parameters", key), key) for key, item in raw.items()]
        for parameter in parameters:  # in the engine form the key is usually the name, and not an id
            if form == "engine" and parameter.id == parameter.name:
                parameter.id = ""
        return parameters

    def parameter(self, raw: Any, place: str, key: str) -> Parameter:
        """Make a parameter; its key is its name if it has none."""
        count = len(self.problems)
        values, source = self.values(ParameterObject, raw, place)
        if len(self.problems) > count:
            self.unsound.append(place)
        values["name"] = key if values["name"] is None else values["name"]
        if values["value"] is None:
            values["value"] = default_value(values["type"])
        return Parameter(**values, **source, id=key)

    def state(self, raw: Any, place: str, key: str = "") -> State:
        """Make a state."""
        values, source = self.values(StateObject, raw, place)
        tree = values.pop("tree")
        if tree is not None:
            values["tree"] = self.tree(tree, key_of(place, "blendTree"), 1)
        return State(**values, **source, id=key)

    def tree(self, raw: Any, place: str, depth: int) -> BlendTree:
        """Make the tree of a state."""
        values, source = self._tree_values(TreeObject, raw, place, depth)
        return BlendTree(**values, **source)

    def child(self, raw: Any, place: str, depth: int) -> Leaf | BlendTree:
        """Make a leaf, or a nested tree written in either way."""
        wrapped = isinstance(raw, dict) and raw.get(WRAPPED) is not None
        if not wrapped and not (isinstance(raw, dict) and {"type", "children"} & raw.keys()):
            values, source = self.values(LeafObject, raw, place)
            return Leaf(**values, **source)
        if not wrapped:
            values, source = self._tree_values(NestedTreeObject, raw, place, depth)
            return BlendTree(**values, **source)
        outer, source = self.values(WrappedTreeObject, raw, place)
        inner, kept = self._tree_values(TreeObject, outer.pop("tree"), key_of(place, WRAPPED), depth)
        source["keys"] += tuple(f"{WRAPPED}.{key}" for key in kept["keys"])
        source["extras"] |= {f"{WRAPPED}.{key}": value for key, value in kept["extras"].items()}
        return BlendTree(**inner, **outer, **source)

    def _tree_values(self, schema: type[msgspec.Struct], raw: Any, place: str, depth: int) -> tuple[Values, Values]:
        count = len(self.problems)
        values, source = self.values(schema, raw, place)
        single = values.pop("parameter")
        if single:  # PlayCanvas looks at it first
            if values["parameters"] is not None:
                source["extras"]["parameters"] = values["parameters"]
            values["parameters"] = [single]
        values["parameters"] = values["parameters"] or []
        children = values["children"]
        if depth > TREE_DEPTH_MAX:
            self.report(place, f"trees are nested deeper than {TREE_DEPTH_MAX}; flatten them")
            children = []
        if len(self.problems) > count:
            self.unsound.append(place)
        place = key_of(place, "children")
        values["children"] = [self.child(item, item_of(place, index), depth + 1) for index, item in enumerate(children)]
        return values, source

    def conditions(self, raw: dict[str, Any] | list[Any], source: Values, usual: type) -> list[Condition]:
        """Make conditions of a list or a dictionary; those without a parameter are kept aside, as in PlayCanvas.

        What is unusual is kept as a template: the list or dictionary with null where conditions go.
        """
        items: Iterable[tuple[int | str, Any]] = (
            enumerate(raw) if isinstance(raw, list) else [(key, raw[key]) for key in js_order(raw)]
        )
        place, conditions, template = key_of(source["place"], "conditions"), [], []
        for key, item in items:
            dropped = isinstance(item, dict) and "parameterName" in item and not item["parameterName"]
            template.append((key, item if dropped else None))
            if not dropped:
                conditions.append(self.condition(item, item_of(place, key), key if isinstance(key, str) else ""))
        if len(conditions) < len(template) or not isinstance(raw, usual):
            kept = dict(template) if isinstance(raw, dict) else [item for _, item in template]
            source["extras"]["conditions"] = kept
        return conditions

    def condition(self, raw: Any, place: str, key: str) -> Condition:
        """Make a condition."""
        values, source = self.values(ConditionObject, raw, place)
        if values["parameter"] is None:
            self.report(key_of(place, "parameterName"), "it is missing; give the name of a parameter")
            values["parameter"] = ""
        return Condition(**values, **source, id=key)

    # The engine form

    def engine_graph(self, data: Any) -> StateGraph:
        """Make a graph of lists."""
        values, source = self.values(GraphObject, data, "")
        layers = [self.layer(raw, item_of("layers", index)) for index, raw in enumerate(values["layers"])]
        return StateGraph(layers, self.parameters(values["parameters"], source, "engine"), "engine", **source)

    def layer(self, raw: Any, place: str) -> Layer:
        """Make a layer of lists."""
        values, source = self.values(LayerObject, raw, place)
        for kind, make in (("states", self.state), ("transitions", self.transition)):
            values[kind] = [make(item, item_of(key_of(place, kind), index)) for index, item in enumerate(values[kind])]
        return Layer(**values, **source)

    def transition(self, raw: Any, place: str) -> Transition:
        """Make a transition that names its states."""
        values, source = self.values(TransitionObject, raw, place)
        values["conditions"] = self.conditions(values["conditions"], source, list)
        return Transition(**values, **source)

    # The editor form

    def editor_graph(self, data: Any) -> StateGraph:
        """Make a graph of dictionaries by id."""
        values, source = self.values(EditorGraphObject, data, "")
        states, transitions = values["states"], values["transitions"]
        names = {key: raw["name"] for key, raw in states.items() if isinstance(raw, dict) and "name" in raw}
        layers, used = [], {"states": set[str](), "transitions": set[str]()}
        for key in js_order(values["layers"]):
            layer = self.editor_layer(values["layers"][key], key, states, transitions, names)
            used["states"].update(state.id for state in layer.states)
            used["transitions"].update(transition.id for transition in layer.transitions)
            layers.append(layer)
        for kind, ids in used.items():
            orphans = {key: raw for key, raw in values[kind].items() if key not in ids}
            if orphans:
                source["extras"][kind] = orphans
        return StateGraph(layers, self.parameters(values["parameters"], source, "editor"), "editor", **source)

    def editor_layer(self, raw: Any, key: str, states: Values, transitions: Values, names: dict[str, Any]) -> Layer:
        """Make a layer of the states and transitions whose ids it lists."""
        place = item_of("layers", key)
        values, source = self.values(EditorLayerObject, raw, place)
        for kind, objects in (("states", states), ("transitions", transitions)):
            given = values[kind]
            values[kind] = self._ids(given, objects, key_of(place, kind))
            if given != [reference(key) for key in values[kind]]:
                source["extras"][kind] = given
        values["states"] = [self.state(states[key], item_of("states", key), key) for key in values["states"]]
        references = state_references(values["states"])
        values["transitions"] = [
            self.editor_transition(transitions[key], key, names, references) for key in values["transitions"]
        ]
        return Layer(**values, **source, id=key)

    def _ids(self, given: list[int | str], objects: Values, place: str) -> list[str]:
        """Return the ids of a list that exist."""
        kind = place.rpartition(".")[2]
        ids: dict[str, None] = {}
        for index, raw in enumerate(given):
            key = str(raw)
            if key in ids:
                self.report(item_of(place, index), f"{key} is in the list already; remove it")
            elif key not in objects:
                message = f"no id {key} in '{kind}'; add it there, or remove it here"
                self.report(item_of(place, index), message + near_names(key, objects))
            else:
                ids[key] = None
        return list(ids)

    def editor_transition(
        self, raw: Any, key: str, names: dict[str, Any], references: dict[str, int | str]
    ) -> Transition:
        """Make a transition; integers in it are ids of states, texts are names."""
        values, source = self.values(EditorTransitionObject, raw, item_of("transitions", key))
        for attribute, end in (("source", "from"), ("target", "to")):
            given = values[attribute]
            values[attribute] = self._state_name(given, names, key_of(source["place"], end))
            if given != references.get(values[attribute], values[attribute]):
                source["extras"][end] = given
        values["conditions"] = self.conditions(values["conditions"], source, dict)
        return Transition(**values, **source, id=key)

    def _state_name(self, given: int | str, names: dict[str, Any], path: str) -> str:
        if isinstance(given, str):
            return given
        name = names.get(str(given))
        if name is None:
            ids = f"the ids are {listed(names)}" if names else "there are no states"
            self.report(path, f"no state has the id {given}; {ids}")
        return name if isinstance(name, str) else ""


def default_value(kind: str) -> float | bool:
    """Return the value of a parameter of a type that gives none."""
    return False if kind in ("BOOLEAN", "TRIGGER") else 0.0


def reference(key: str) -> int | str:
    """Return how the editor form refers to an id: by the number that it is, or by the text."""
    return int(key) if is_index(key) else key


def state_references(states: list[State]) -> dict[str, int | str]:
    """Return how transitions of a layer refer to its states by id; a name that has no number is its own reference."""
    references: dict[str, int | str] = {}
    for state in states:
        if is_index(state.id):
            references.setdefault(state.name, int(state.id))
    return references
