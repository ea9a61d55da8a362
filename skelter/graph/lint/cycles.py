"""Cycles of transitions that can all fire one step after another: the layer flickers."""

from __future__ import annotations

from collections.abc import Iterator

from skelter.graph.graph import ANY, CONTROL_STATES, END, START, Layer, Transition
from skelter.graph.lint.finding import Code, Finding, Subject, true_target
from skelter.graph.lint.values import Parameters, example, example_text, needs_trigger

LENGTH_MAX = 8
"""Longest cycle that is looked for."""
STEPS_MAX = 20_000
"""Most steps of the search in a layer."""


def instant_cycles(subject: Subject) -> Iterator[Finding]:
    """Find cycles of transitions that wait for no exit time and no trigger, and whose conditions can hold at once."""
    for layer in subject.graph.layers:
        seen = set[frozenset[str]]()
        for cycle in _Search(layer, subject.parameters).cycles():
            places = frozenset(way.place for way in cycle)
            if places not in seen:
                seen.add(places)
                yield _finding(layer, cycle, subject.parameters)


def _finding(layer: Layer, cycle: list[Transition], parameters: Parameters) -> Finding:
    names = [true_target(layer, way) for way in cycle]
    values = example([condition for way in cycle for condition in way.conditions], parameters)
    when = f"with {example_text(values, parameters)}" if values else "whatever the parameters are"
    message = (
        f"{' -> '.join([names[-1], *names])}: {when}, these transitions follow each other without end; give one an "
        "exit time, or conditions that do not hold while those of another do"
    )
    return Finding(Code.INSTANT_CYCLE, cycle[0].place, message)


class _Search:
    """Depth-first search for cycles whose conditions can hold together; each is found from its first state."""

    def __init__(self, layer: Layer, parameters: Parameters) -> None:
        self.layer, self.parameters, self.steps = layer, parameters, 0
        names = [state.name for state in layer.states if state.name not in CONTROL_STATES]
        self.order = {name: index for index, name in enumerate(names)}
        self.ways: dict[str, list[Transition]] = {name: [] for name in (*names, ANY, START)}
        for way in layer.transitions:
            if not way.exit_time and not needs_trigger(way.conditions, parameters):
                self.ways[way.source].append(way)

    def cycles(self) -> Iterator[list[Transition]]:
        """Yield cycles as lists of transitions."""
        for first in self.order:
            yield from self._from(first, first, [])

    def _from(self, first: str, name: str, chain: list[Transition]) -> Iterator[list[Transition]]:
        for way in (*self.ways[name], *self.ways[ANY]):
            target = true_target(self.layer, way)
            self.steps += 1
            if self.steps > STEPS_MAX or self.order[target] < self.order[first]:
                continue
            if target == name and (way.target != END or way.source == ANY):  # only END enters the active state again
                continue
            longer = [*chain, way]
            if example([test for link in longer for test in link.conditions], self.parameters) is None:
                continue
            if target == first:
                yield longer
            elif len(longer) < LENGTH_MAX and all(true_target(self.layer, link) != target for link in chain):
                yield from self._from(first, target, longer)
