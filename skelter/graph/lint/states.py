"""States that are never entered, or never left."""

from __future__ import annotations

from collections.abc import Iterator

from skelter.graph.graph import ANY, CONTROL_STATES, END, START, Layer
from skelter.graph.lint.finding import Code, Finding, Subject, true_target
from skelter.graph.problems import quoted


def unreachable_states(subject: Subject) -> Iterator[Finding]:
    """Find states to which no chain of transitions leads from START; ANY leads on from every state."""
    for layer in subject.graph.layers:
        reached = _reached(layer)
        for state in layer.states:
            if state.name not in CONTROL_STATES and state.name not in reached:
                message = f"no way leads from START to {quoted(state.name)}; add a transition to it, or remove it"
                yield Finding(Code.UNREACHABLE_STATE, state.place, message)


def _reached(layer: Layer) -> set[str]:
    ways: dict[str, list[str]] = {}
    for way in layer.transitions:
        ways.setdefault(way.source, []).append(true_target(layer, way))
    reached, new = set[str](), [*ways.get(START, ()), *ways.get(ANY, ())]
    while new:
        name = new.pop()
        if name not in reached:
            reached.add(name)
            new.extend(ways.get(name, ()))
    return reached


def dead_ends(subject: Subject) -> Iterator[Finding]:
    """Find states that do not loop and that nothing leads out of: they stand still for ever."""
    for layer in subject.graph.layers:
        left = {way.source for way in layer.transitions if way.target != way.source}
        anywhere = {true_target(layer, way) for way in layer.transitions if way.source == ANY}
        for state in layer.states:
            if state.loop or state.name in CONTROL_STATES or state.name in left or anywhere - {state.name}:
                continue
            message = (
                f"{quoted(state.name)} does not loop, and nothing leads out of it: it holds its last frame for ever; "
                f"add a transition with exit time 1, such as to {END}, or let it loop"
            )
            yield Finding(Code.DEAD_END, state.place, message)
