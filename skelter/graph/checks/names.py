"""Names: there is one, and no other object has it; and every clip has a path of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from skelter.graph.graph import CONTROL_STATES, BlendTree, Layer, Leaf, Parameter, Source, State, StateGraph
from skelter.graph.problems import Problem, key_of, quoted

Named = Layer | State | Parameter | Leaf | BlendTree
Names = tuple[str, ...]


def name_problems(objects: Iterable[Named], kind: str) -> Iterator[Problem]:
    """Yield objects without a name, or with the name of an earlier one.

    Args:
        objects: Objects whose names must differ.
        kind: What they are, in the plural.
    """
    first: dict[str, Named] = {}
    for item in objects:
        path = key_of(item.place, "name")
        if not item.name:
            yield Problem(path, "it is empty; give a name")
        elif item.name in first:
            there = first[item.name].place
            yield Problem(path, f"{quoted(item.name)} is the name of {there} already; {kind} need names of their own")
        else:
            first[item.name] = item


def path_problems(graph: StateGraph) -> Iterator[Problem]:
    """Yield clips whose path, such as ``Move.Walk``, is that of a clip with other names."""
    clips = list(_clips(graph))
    counts = Counter(".".join(names[1:]) for names, _ in clips)
    first: dict[str, tuple[Names, Source]] = {}
    for names, owner in clips:
        path = ".".join(names[1:])
        if counts[path] > 1:
            path = f"{names[0]}:{path}"
        other, there = first.setdefault(path, (names, owner))
        if other != names:
            message = f"the clip's path {quoted('.'.join(names[1:]))} is that of {there.place} too"
            yield Problem(key_of(owner.place, "name"), f"{message}; rename one, without '.' and ':'")


def _clips(graph: StateGraph) -> Iterator[tuple[Names, Source]]:
    """Yield the names on the way to each clip, from the layer's on, and the state or leaf that plays it."""
    for layer in graph.layers:
        for state in layer.states:
            if state.tree is not None:
                yield from _leaves(state.tree, (layer.name, state.name))
            elif state.name not in CONTROL_STATES:
                yield (layer.name, state.name), state


def _leaves(tree: BlendTree, names: Names) -> Iterator[tuple[Names, Source]]:
    for child in tree.children:
        below = (*names, child.name)
        if isinstance(child, Leaf):
            yield below, child
        else:
            yield from _leaves(child, below)
