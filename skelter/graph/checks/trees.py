"""Blend trees: as many parameters and such points as their type needs."""

from __future__ import annotations

import math
from collections.abc import Iterator

from skelter.graph.checks.names import name_problems
from skelter.graph.checks.parameters import Parameters
from skelter.graph.files.parse import WRAPPED
from skelter.graph.graph import BlendTree, Leaf, Point, State
from skelter.graph.problems import Problem, found, item_of, key_of, quoted, unknown

PARAMETER_COUNTS = {"1D": 1, "2D_CARTESIAN": 2, "2D_DIRECTIONAL": 2, "2D_SIMPLE_DIRECTIONAL": 2}
RING_COUNTS = (4, 8)
SPEED_MAX = 1e6
"""Speeds beyond this are refused: times must stay numbers."""
ANGLE_TOLERANCE = 1e-9
"""Directions closer than this are one [rad]."""


def tree_place(tree: BlendTree) -> str:
    """Return the path of the object that holds the type, parameters and children of a tree."""
    inner = f"{WRAPPED}.type" in tree.keys
    return key_of(tree.place, WRAPPED) if inner else tree.place


def parameter_path(tree: BlendTree, index: int) -> str:
    """Return the path of the name of a tree's parameter."""
    if {"parameter", f"{WRAPPED}.parameter"} & set(tree.keys):
        return key_of(tree_place(tree), "parameter")
    return item_of(key_of(tree_place(tree), "parameters"), index)


def tree_problems(tree: BlendTree, parameters: Parameters) -> Iterator[Problem]:
    """Yield what is wrong with a tree and those in it."""
    place = tree_place(tree)
    if not tree.children:
        yield Problem(key_of(place, "children"), "there are none; add at least one clip")
    yield from _parameter_problems(tree, parameters)
    yield from name_problems(tree.children, "children of a tree")
    wrong = [child for child in tree.children if not _point_fits(tree.type, child.point)]
    for child in wrong:
        wanted = "a number" if tree.type == "1D" else "two numbers"
        has = f"got {found(child.point)}" if child.point is not None else "it has none"
        yield Problem(key_of(child.place, "point"), f"a child of a {tree.type} tree needs {wanted}; {has}")
    if tree.type == "2D_SIMPLE_DIRECTIONAL" and tree.children and not wrong:
        yield from _ring_problems(tree)
    for child in tree.children:
        yield from speed_problems(child)
        if isinstance(child, BlendTree):
            yield from tree_problems(child, parameters)


def speed_problems(owner: State | Leaf | BlendTree) -> Iterator[Problem]:
    """Yield what is wrong with the speed of a state or a child of a tree."""
    if abs(owner.speed) > SPEED_MAX:
        yield Problem(
            key_of(owner.place, "speed"), f"{owner.speed:g} is beyond {SPEED_MAX:g}; give a factor of the clip's speed"
        )


def _parameter_problems(tree: BlendTree, parameters: Parameters) -> Iterator[Problem]:
    count, wanted = len(tree.parameters), PARAMETER_COUNTS.get(tree.type, len(tree.children))
    if count != wanted:
        each = ", one for each child" if tree.type == "DIRECT" else ""
        key = "parameter" if tree.type == "1D" and count == 0 else "parameters"
        yield Problem(
            key_of(tree_place(tree), key),
            f"a {tree.type} tree needs {wanted} parameter{'s' if wanted != 1 else ''}{each}; it names {count}",
        )
    for index, name in enumerate(tree.parameters):
        if name not in parameters:
            yield Problem(parameter_path(tree, index), unknown("parameter", name, parameters.keys()))


def _point_fits(kind: str, point: Point) -> bool:
    if kind == "DIRECT":
        return True
    return isinstance(point, tuple) if kind.startswith("2D") else isinstance(point, float)


def _ring_problems(tree: BlendTree) -> Iterator[Problem]:
    """Yield why the points of a simple directional tree are no ring around the origin."""
    path = key_of(tree_place(tree), "children")
    if len(tree.children) not in RING_COUNTS:
        yield Problem(
            path, f"a {tree.type} tree needs 4 or 8 children, not {len(tree.children)}; 2D_DIRECTIONAL takes any"
        )
    around = []
    for child in tree.children:
        x, y = child.point if isinstance(child.point, tuple) else (0.0, 0.0)
        if x == y == 0:
            yield Problem(
                key_of(child.place, "point"), "it is the origin, which has no direction; move it, or use 2D_DIRECTIONAL"
            )
        else:
            around.append((math.atan2(y, x) % math.tau, child))
    yield from _gap_problems(sorted(around, key=lambda item: item[0]), path)


def _gap_problems(around: list[tuple[float, Leaf | BlendTree]], path: str) -> Iterator[Problem]:
    """Yield neighbours in angle that are too near or too far from each other."""
    for index, (angle, child) in enumerate(around):
        end, other = around[index + 1] if index + 1 < len(around) else (around[0][0] + math.tau, around[0][1])
        names = f"{quoted(child.name)} and {quoted(other.name)}"
        if end - angle < ANGLE_TOLERANCE:
            yield Problem(path, f"{names} lie in one direction; move one of them")
        elif end - angle > math.pi - ANGLE_TOLERANCE:
            degrees = f"{math.degrees(end - angle):.0f} degrees"
            yield Problem(path, f"there are {degrees} between {names}; leave less than 180 between neighbours")
