"""Turn a graph into the editor form: dictionaries by id, in which layers and transitions name states by id."""

from __future__ import annotations

from typing import Any

from skelter.graph.files.encode import (
    Json,
    by_id,
    encode,
    encode_conditions,
    encode_parameter,
    encode_state,
    unique_ids,
)
from skelter.graph.files.order import is_index, js_order
from skelter.graph.files.parse import reference
from skelter.graph.files.schema import EditorGraphObject, EditorLayerObject, EditorTransitionObject
from skelter.graph.graph import ANY, CONTROL_STATES, END, START, Layer, State, StateGraph, Transition

NODE_TYPES = {START: 3, ANY: 4, END: 5}
NODE_DEFAULT, NODE_PLAIN = 1, 0
EDGE_ANY, EDGE_PLAIN = 3, 1
NODE_DISTANCE = 240
"""How far apart new states are put in the editor [pixels]."""


class Table:
    """A dictionary of the file: hands out ids, and lets an object keep the id that it came with."""

    def __init__(self, ids: list[str], orphans: Any) -> None:
        self.objects: Json = dict(orphans) if isinstance(orphans, dict) else {}
        taken = {*ids, *self.objects}
        self.next = 1 + max((int(key) for key in taken if is_index(key)), default=-1)

    def add(self, wanted: str, encoded: Any) -> str:
        """Add an object, under the id it wants unless another object has it, and return its id."""
        key = wanted
        if not wanted or self.objects.get(wanted, encoded) != encoded:
            key, self.next = str(self.next), self.next + 1
        self.objects[key] = encoded
        return key


def encode_editor_graph(graph: StateGraph) -> Json:
    """Return a graph in the editor form; the data may share parts with the graph."""
    states = Table([state.id for layer in graph.layers for state in layer.states], graph.extras.get("states"))
    transitions = Table(
        [transition.id for layer in graph.layers for transition in layer.transitions], graph.extras.get("transitions")
    )
    layers = [_layer(layer, states, transitions) for layer in graph.layers]
    ids = unique_ids(layer.id for layer in graph.layers)
    if js_order(ids) != ids:  # the order of the keys is the order of the layers
        ids = [str(index) for index in range(len(ids))]
    values = {
        "layers": dict(zip(ids, layers, strict=True)),
        "states": states.objects,
        "transitions": transitions.objects,
        "parameters": by_id(graph.parameters, [encode_parameter(parameter) for parameter in graph.parameters]),
    }
    return encode(graph, EditorGraphObject, values, always=("parameters",))


def _layer(layer: Layer, states: Table, transitions: Table) -> Json:
    refs: dict[str, int | str] = {}
    ids = []
    for state in [*layer.states, *_missing_states(layer)]:
        key = states.add(state.id, encode_state(state))
        if not state.id:
            states.objects[key] |= _node(state, key, layer)
        if is_index(key):
            refs.setdefault(state.name, int(key))
        ids.append(key)
    ways = [transitions.add(transition.id, _transition(transition, refs, states)) for transition in layer.transitions]
    values = {
        "states": _ids(ids, layer.extras.get("states")),
        "transitions": _ids(ways, layer.extras.get("transitions")),
    }
    return encode(layer, EditorLayerObject, values)


def _missing_states(layer: Layer) -> list[State]:
    """Return the control states that a layer made in code uses, and does not list."""
    if layer.keys:
        return []
    used = {START, *(way.source for way in layer.transitions), *(way.target for way in layer.transitions)}
    return [State(name) for name in CONTROL_STATES if name in used and layer.state(name) is None]


def _node(state: State, key: str, layer: Layer) -> Json:
    """Return what the editor wants to know of a new state."""
    kind = NODE_DEFAULT if state.name == layer.default_state else NODE_PLAIN
    place = {"posX": NODE_DISTANCE * int(key), "posY": 0} if is_index(key) else {}
    return {"id": reference(key), "nodeType": NODE_TYPES.get(state.name, kind), **place}


def _ids(ids: list[str], listed: Any) -> list[int | str]:
    """Return ids as the file spelled them, if these are they."""
    if isinstance(listed, list) and [str(key) for key in listed] == ids:
        return listed
    return [reference(key) for key in ids]


def _transition(transition: Transition, refs: dict[str, int | str], states: Table) -> Json:
    values: Json = {"conditions": encode_conditions(transition, dict)}
    for key, name in (("from", transition.source), ("to", transition.target)):
        given = transition.extras.get(key)
        same = given == name if isinstance(given, str) else states.objects.get(str(given), {}).get("name") == name
        values[key] = given if given is not None and same else refs.get(name, name)
    encoded = encode(transition, EditorTransitionObject, values, always=("conditions",))
    if not transition.id:
        encoded["edgeType"] = EDGE_ANY if transition.source == ANY else EDGE_PLAIN
        if transition.source == START:
            encoded["defaultTransition"] = True
    return encoded
