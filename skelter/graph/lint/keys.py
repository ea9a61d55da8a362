"""Keys that mean nothing, and masks that let nothing through."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from skelter.core.errors import near_names
from skelter.graph.files.keys import keys_of
from skelter.graph.files.parse import WRAPPED
from skelter.graph.files.schema import (
    ConditionObject,
    EditorGraphObject,
    LayerObject,
    NestedTreeObject,
    ParameterObject,
    StateObject,
    TransitionObject,
)
from skelter.graph.graph import BlendTree, Condition, Layer, Leaf, Parameter, Source, State, StateGraph, Transition
from skelter.graph.lint.finding import Code, Finding, Subject
from skelter.graph.problems import key_of, quoted

KNOWN: dict[type[Source], tuple[str, ...]] = {
    StateGraph: tuple(keys_of(EditorGraphObject)),
    Parameter: tuple(keys_of(ParameterObject)),
    Layer: tuple(keys_of(LayerObject)),
    State: (*keys_of(StateObject), "id", "nodeType", "posX", "posY", "defaultState"),
    Transition: (*keys_of(TransitionObject), "edgeType", "defaultTransition"),
    Condition: tuple(keys_of(ConditionObject)),
    BlendTree: (*keys_of(NestedTreeObject), WRAPPED),
    Leaf: (*keys_of(NestedTreeObject), WRAPPED),
}
"""Keys of each kind of object, with those that PlayCanvas's Editor keeps for itself."""
NOTES = ("_", "$", "//")
"""Keys that start so are notes of the author, or say which schema the file has."""


def unknown_keys(subject: Subject) -> Iterator[Finding]:
    """Find keys that nothing reads."""
    for source in _objects(subject.graph):
        known = KNOWN[type(source)]
        for key in source.extras:
            yield from _unknown(key.removeprefix(f"{WRAPPED}."), key, known, source.place)


def _unknown(key: str, path: str, known: Collection[str], place: str) -> Iterator[Finding]:
    if key not in known and not key.startswith(NOTES):
        hint = near_names(key, known) or "; remove it, or let it start with '_' to keep it as a note"
        yield Finding(Code.UNKNOWN_KEY, key_of(place, path), f"unknown key {quoted(key)}{hint}")


def _objects(graph: StateGraph) -> Iterator[Source]:
    yield graph
    yield from graph.parameters
    for layer in graph.layers:
        yield layer
        for state in layer.states:
            yield state
            yield from _tree_objects([state.tree] if state.tree else [])
        for transition in layer.transitions:
            yield transition
            yield from transition.conditions


def _tree_objects(children: Iterable[Leaf | BlendTree]) -> Iterator[Source]:
    for child in children:
        yield child
        if isinstance(child, BlendTree):
            yield from _tree_objects(child.children)


def empty_masks(subject: Subject) -> Iterator[Finding]:
    """Find masks without a rule."""
    for layer in subject.graph.layers:
        if layer.mask is not None and not layer.mask:
            message = "a mask without rules lets nothing through; add a rule, or leave the mask out for all joints"
            yield Finding(Code.EMPTY_MASK, key_of(layer.place, "mask"), message)
