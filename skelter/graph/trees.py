"""Blend trees of a state into tables: leaves depth first, trees parents first, children sorted for their type."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from skelter.graph.graph import BlendTree, Leaf, State
from skelter.graph.tables import CHILD, FALLBACKS, LEAF, PAIR, TREE, TREE_TYPES

CLOCK = 0
"""Kind of a group whose position counts seconds."""
PHASE = 1
"""Kind of a group whose position counts cycles."""


@dataclass(frozen=True, slots=True)
class BoundClip:
    """A clip that a path is bound to: its index in the bank, -1 for none, and its duration [s]."""

    index: int
    duration: float


@dataclass(slots=True)
class StateTrees:
    """What the trees of one state come to; indices count from the first record of the state.

    Attributes:
        leaves, trees, children, pairs: Rows of `LEAF`, `TREE`, `CHILD` and `PAIR`.
        groups: `CLOCK` or `PHASE` per group.
    """

    leaves: list[tuple[Any, ...]] = field(default_factory=list)
    trees: list[tuple[Any, ...]] = field(default_factory=list)
    children: list[tuple[Any, ...]] = field(default_factory=list)
    pairs: list[tuple[Any, ...]] = field(default_factory=list)
    groups: list[int] = field(default_factory=list)


def state_trees(state: State, clips: Mapping[str, BoundClip], parameters: Mapping[str, int]) -> StateTrees:
    """Return the tables of one state.

    Args:
        state: A state; not a control state.
        clips: What each of its paths is bound to, in the order of its leaves; the first one measures its progress.
        parameters: Index of each parameter.
    """
    out = StateTrees()
    if state.tree is None:
        clip = clips[state.name]
        out.groups.append(CLOCK)
        out.leaves.append(record(LEAF, speed=1.0, duration=clip.duration, clip=clip.index, group=0))
        return out
    leaf_numbers = {path: number for number, path in enumerate(clips)}
    out.leaves = [()] * len(clips)
    out.groups.append(PHASE if state.tree.sync else CLOCK)
    queue = deque([(state.tree, state.name, 1.0, 0)])
    tree_count = 1  # those that have been queued
    while queue:
        tree, path, speed, group = queue.popleft()
        below = speed * tree.speed
        places = []
        for child in tree.children:
            child_path = f"{path}.{child.name}"
            if isinstance(child, Leaf):
                number, clip = leaf_numbers[child_path], clips[child_path]
                out.leaves[number] = record(
                    LEAF, speed=below * child.speed, duration=clip.duration, clip=clip.index, group=group
                )
                places.append((number, -1))
            else:
                places.append((-1, tree_count))
                tree_count += 1
                queue.append((child, child_path, below, _child_group(out, child, group)))
        _append_tree(out, tree, places, parameters)
    return out


def record(dtype: np.dtype[Any], **values: Any) -> tuple[Any, ...]:
    """Return a row of a record array, given by names; fields that are left out are 0."""
    unknown = set(values) - set(dtype.names or ())
    assert not unknown, unknown
    return tuple(values.get(name, 0) for name in dtype.names or ())


def _child_group(out: StateTrees, child: BlendTree, group: int) -> int:
    """Return the group of a nested tree: its parent's if both are in step or neither is, else one of its own."""
    if child.sync == (out.groups[group] == PHASE):
        return group
    if not child.sync and CLOCK in out.groups:
        return out.groups.index(CLOCK)
    out.groups.append(PHASE if child.sync else CLOCK)
    return len(out.groups) - 1


def _append_tree(
    out: StateTrees, tree: BlendTree, places: list[tuple[int, int]], parameters: Mapping[str, int]
) -> None:
    """Append a tree and its children; ``places`` holds the leaf or the tree of the state that each child is."""
    points = [_point(child.point) for child in tree.children]
    order = _child_order(tree, points)
    direct = tree.type == "DIRECT"
    out.trees.append(
        record(
            TREE,
            type=TREE_TYPES.index(tree.type),
            x_parameter=-1 if direct else parameters[tree.parameters[0]],
            y_parameter=-1 if direct else parameters[tree.parameters[-1]],  # in 1D it is not looked at
            child_start=len(out.children),
            child_stop=len(out.children) + len(order),
            pair_start=len(out.pairs),
            front=_front(points, order),
            fallback=FALLBACKS.index(tree.fallback),
            clamp=tree.outside == "clamp",
        )
    )
    lines, counts = sorted({x for x, _ in points}), Counter(points)
    for number in order:
        x, y = points[number]
        place = bisect_left(lines, x)
        unit = _unit(points[number]) if tree.type == "2D_SIMPLE_DIRECTIONAL" else points[number]
        out.children.append(
            record(
                CHILD,
                x=unit[0],
                y=unit[1],
                left=lines[place - 1] if place > 0 else -math.inf,
                right=lines[place + 1] if place + 1 < len(lines) else math.inf,
                share=1.0 / counts[x, y],
                parameter=parameters[tree.parameters[number]] if direct else -1,
                leaf=places[number][0],
                tree=places[number][1],
            )
        )
    if tree.type in _BANDS:
        out.pairs.extend(_BANDS[tree.type](points[i], points[j]) for i in order for j in order)


def _point(point: float | tuple[float, float] | None) -> tuple[float, float]:
    if point is None:
        return 0.0, 0.0
    if isinstance(point, tuple | list):
        return float(point[0]), float(point[1])
    return float(point), 0.0


def _child_order(tree: BlendTree, points: list[tuple[float, float]]) -> list[int]:
    """Return the children of a ring by angle, the others as they are written."""
    numbers = list(range(len(points)))
    if tree.type == "2D_SIMPLE_DIRECTIONAL":
        return sorted(numbers, key=lambda number: math.atan2(points[number][1], points[number][0]))
    return numbers


def _front(points: list[tuple[float, float]], order: list[int]) -> int:
    """Return the child whose direction is nearest to (0, 1)."""
    return max(range(len(order)), key=lambda place: _unit(points[order[place]])[1])


def _unit(point: tuple[float, float]) -> tuple[float, float]:
    length = math.hypot(*point) or 1.0
    return point[0] / length, point[1] / length


def _cartesian_band(own: tuple[float, float], other: tuple[float, float]) -> tuple[Any, ...]:
    """Return ``(p_j - p_i) / |p_j - p_i|^2``, zero for coincident points."""
    x, y = other[0] - own[0], other[1] - own[1]
    square = x * x + y * y
    return record(PAIR, x=x / square, y=y / square, scale=1.0) if square > 0.0 else record(PAIR)


def _polar_band(own: tuple[float, float], other: tuple[float, float]) -> tuple[Any, ...]:
    """Return ``e / |e|^2`` of ``e = ((|p_j| - |p_i|) / m, 2 angle(p_i, p_j))`` and 1 / m, the mean length.

    Where either point is the origin there is no angle between them. Source: R. S. Johansen, Automated Semi-Procedural
    Animation for Character Locomotion, 2009.
    """
    own_length, other_length = math.hypot(*own), math.hypot(*other)
    mean = (own_length + other_length) / 2.0
    if own == other or mean == 0.0:
        return record(PAIR)
    angle = 0.0
    if own_length > 0.0 and other_length > 0.0:
        angle = math.atan2(own[0] * other[1] - own[1] * other[0], own[0] * other[0] + own[1] * other[1])
    x, y = (other_length - own_length) / mean, 2.0 * angle
    square = x * x + y * y
    return record(PAIR, x=x / square, y=y / square, scale=1.0 / mean)


_BANDS = {"2D_CARTESIAN": _cartesian_band, "2D_DIRECTIONAL": _polar_band}
