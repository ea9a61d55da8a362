"""Check that a graph made in code is built of the right objects, before anything follows them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skelter.graph.graph import BlendTree, Condition, Layer, Leaf, Parameter, State, StateGraph, Transition
from skelter.graph.problems import Problem, found, item_of, key_of

TREE_DEPTH_MAX = 32
"""Most trees inside each other."""
LISTS: dict[type, dict[str, tuple[type, ...]]] = {
    StateGraph: {"layers": (Layer,), "parameters": (Parameter,)},
    Layer: {"states": (State,), "transitions": (Transition,)},
    Transition: {"conditions": (Condition,)},
    BlendTree: {"children": (Leaf, BlendTree)},
}
TEXTS: dict[type, tuple[str, ...]] = {
    Parameter: ("name",),
    Layer: ("name",),
    State: ("name",),
    Leaf: ("name",),
    BlendTree: ("name",),
    Transition: ("source", "target"),
    Condition: ("parameter",),
}


def shape_problems(graph: StateGraph) -> list[Problem]:
    """Return where a graph holds something else than lists of objects, names that are no texts, or endless trees."""
    return list(_problems(graph, "", 0))


def _problems(source: Any, path: str, depth: int) -> Iterator[Problem]:
    for text in TEXTS.get(type(source), ()):
        if not isinstance(getattr(source, text), str):
            yield Problem(key_of(path, text), f"expected a text, got {found(getattr(source, text))}")
    if isinstance(source, Condition) and source.parameter == "":  # a file with it would be read without the condition
        yield Problem(key_of(path, "parameter"), "it is empty; give the name of a parameter")
    if isinstance(source, BlendTree) and depth > TREE_DEPTH_MAX:
        yield Problem(path, f"trees are nested deeper than {TREE_DEPTH_MAX}; flatten them")
        return
    if isinstance(source, State) and source.tree is not None:
        yield from _item(source.tree, (BlendTree,), key_of(path, "tree"), 1)
    for name, kinds in LISTS.get(type(source), {}).items():
        values, place = getattr(source, name), key_of(path, name)
        if not isinstance(values, list | tuple):
            yield Problem(place, f"expected a list, got {found(values)}")
            continue
        for index, value in enumerate(values):
            yield from _item(value, kinds, item_of(place, index), depth + 1)


def _item(value: Any, kinds: tuple[type, ...], path: str, depth: int) -> Iterator[Problem]:
    if isinstance(value, kinds):
        yield from _problems(value, path, depth)
    else:
        yield Problem(path, f"expected a {' or a '.join(kind.__name__ for kind in kinds)}, got {found(value)}")
