"""Transitions that are never taken, because of others or of themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skelter.graph.graph import ANY, START, Layer, Transition
from skelter.graph.lint.finding import Code, Finding, Subject, arrow, true_target
from skelter.graph.lint.values import Parameters, example, implies
from skelter.graph.problems import quoted

COMPARED_MAX = 200
"""Most transitions of one state that are compared with each other."""


def self_transitions(subject: Subject) -> Iterator[Finding]:
    """Find transitions from a state to itself: the active state is never entered again."""
    for layer in subject.graph.layers:
        for way in layer.transitions:
            if way.source == way.target:
                message = (
                    f"{quoted(way.source)} is active already, so this is never taken; name another state, or remove it"
                )
                yield Finding(Code.SELF_TRANSITION, way.place, message)


def shadowed_transitions(subject: Subject) -> Iterator[Finding]:
    """Find transitions of a state before which another is looked at that passes whenever they do."""
    for layer in subject.graph.layers:
        ways: dict[str, list[Transition]] = {}
        for way in sorted(layer.transitions, key=lambda way: way.priority):
            if way.source != way.target:
                ways.setdefault(way.source, []).append(way)
        for own in ways.values():
            yield from _shadowed(layer, own[:COMPARED_MAX], subject.parameters)


def _shadowed(layer: Layer, ways: Sequence[Transition], parameters: Parameters) -> Iterator[Finding]:
    for index, late in enumerate(ways):
        if example(late.conditions, parameters) is None:
            continue  # it has a finding of its own
        early = next((way for way in ways[:index] if _shadows(layer, way, late, parameters)), None)
        if early is not None:
            message = (
                f"it is never taken: {early.place} ({arrow(early)}) is looked at first and passes whenever this does; "
                "give that one another condition, or this one a lower priority number"
            )
            yield Finding(Code.SHADOWED_TRANSITION, late.place, message)


def _shadows(layer: Layer, early: Transition, late: Transition, parameters: Parameters) -> bool:
    """Say whether ``early`` is taken whenever ``late`` could be."""
    target = true_target(layer, early)
    if target != true_target(layer, late) and (early.source == ANY or _may_be_skipped(layer, early, target)):
        return False
    waits = early.exit_time and early.source != START and early.exit_time != late.exit_time
    return not waits and implies(late.conditions, early.conditions, parameters)


def _may_be_skipped(layer: Layer, early: Transition, target: str) -> bool:
    """Say whether ``early`` may meet its own target as active: in a fade that the previous state interrupts."""
    return any(
        way.source in (early.source, ANY) and true_target(layer, way) == target and "PREV_STATE" in way.interruption
        for way in layer.transitions
    )
