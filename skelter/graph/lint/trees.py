"""Blend trees whose points or children make them do less than they seem to."""

from __future__ import annotations

from collections.abc import Iterator

from skelter.graph.checks.trees import tree_place
from skelter.graph.graph import BlendTree, Leaf, Parameter, Point
from skelter.graph.lint.finding import Code, Finding, Subject
from skelter.graph.lint.values import BOOLEANS
from skelter.graph.problems import key_of, quoted


def coincident_points(subject: Subject) -> Iterator[Finding]:
    """Find children that lie where another does: no parameter can tell them apart."""
    for tree in _trees(subject):
        first: dict[Point, Leaf | BlendTree] = {}
        for child in tree.children if tree.type != "DIRECT" else ():
            other = first.setdefault(child.point, child)
            if other is not child:
                message = (
                    f"{quoted(child.name)} lies where {quoted(other.name)} lies, and they share its weight; move one"
                )
                yield Finding(Code.COINCIDENT_POINTS, key_of(child.place, "point"), message)


def single_children(subject: Subject) -> Iterator[Finding]:
    """Find trees with one child: it plays alone, whatever the parameters are."""
    for tree in _trees(subject):
        if len(tree.children) == 1:
            message = (
                f"{quoted(tree.children[0].name)} is alone, so it plays whatever the parameters are; "
                "add children, or use a plain clip"
            )
            yield Finding(Code.SINGLE_CHILD, key_of(tree_place(tree), "children"), message)


def points_out_of_reach(subject: Subject) -> Iterator[Finding]:
    """Find points beyond 0 and 1 on the axis of a boolean or a trigger."""
    for tree in _trees(subject):
        parameters = [subject.parameters[name] for name in tree.parameters]
        for child in tree.children if tree.type != "DIRECT" else ():
            point = child.point if isinstance(child.point, tuple) else (child.point or 0.0,)
            for value, parameter in zip(point, parameters, strict=True):
                if parameter.type in BOOLEANS and not 0 <= value <= 1:
                    yield _out_of_reach(child, value, parameter)


def _out_of_reach(child: Leaf | BlendTree, value: float, parameter: Parameter) -> Finding:
    message = (
        f"{value:g} is out of reach: {quoted(parameter.name)} is a {parameter.type}, which is 0 or 1; "
        "move the point, or make the parameter a FLOAT"
    )
    return Finding(Code.POINT_OUT_OF_REACH, key_of(child.place, "point"), message)


def _trees(subject: Subject) -> Iterator[BlendTree]:
    for layer in subject.graph.layers:
        for state in layer.states:
            if state.tree is not None:
                yield from _nested(state.tree)


def _nested(tree: BlendTree) -> Iterator[BlendTree]:
    yield tree
    for child in tree.children:
        if isinstance(child, BlendTree):
            yield from _nested(child)
