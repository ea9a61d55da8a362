"""Conditions that never hold, and starts that may wait for ever."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

from skelter.graph.graph import START, Condition, Transition
from skelter.graph.lint.finding import Code, Finding, Subject
from skelter.graph.lint.values import (
    BOOLEANS,
    SIGNS,
    Parameters,
    condition_text,
    example_text,
    holds,
    solutions,
    trial_values,
)
from skelter.graph.problems import joined, key_of, quoted

COMBINATIONS_MAX = 10_000
"""Most combinations of values that are tried for a start."""
EQUALITIES = ("EQUAL_TO", "NOT_EQUAL_TO")


def impossible_conditions(subject: Subject) -> Iterator[Finding]:
    """Find transitions whose conditions on one parameter never hold together."""
    for layer in subject.graph.layers:
        for way in layer.transitions:
            for name in dict.fromkeys(condition.parameter for condition in way.conditions):
                if not solutions(way.conditions, name, subject.parameters):
                    yield _impossible(way, name, subject.parameters)


def _impossible(way: Transition, name: str, parameters: Parameters) -> Finding:
    own = [condition for condition in way.conditions if condition.parameter == name]
    texts = joined(dict.fromkeys(quoted(condition_text(condition, parameters)) for condition in own))
    kind = parameters[name].type
    if len(own) == 1:
        message = (
            f"{texts} never holds for {'an' if kind == 'INTEGER' else 'a'} {kind}; change it, or remove the transition"
        )
        return Finding(Code.IMPOSSIBLE_CONDITIONS, own[0].place, message)
    message = f"{texts} never hold together; change one, or make two transitions of this"
    return Finding(Code.IMPOSSIBLE_CONDITIONS, key_of(way.place, "conditions"), message)


def magnitudes_of_booleans(subject: Subject) -> Iterator[Finding]:
    """Find conditions that compare a boolean or a trigger by size."""
    for layer in subject.graph.layers:
        for way in layer.transitions:
            for condition in way.conditions:
                kind = subject.parameters[condition.parameter].type
                if kind in BOOLEANS and condition.predicate not in EQUALITIES:
                    message = (
                        f"{quoted(condition.parameter)} is a {kind}, and {SIGNS[condition.predicate]!r} compares sizes"
                        "; use EQUAL_TO with true or false"
                    )
                    yield Finding(Code.MAGNITUDE_OF_BOOLEAN, key_of(condition.place, "predicate"), message)


def conditional_starts(subject: Subject) -> Iterator[Finding]:
    """Find layers that stay in START, and play nothing, for some values of the parameters."""
    for layer in subject.graph.layers:
        starts = [way for way in layer.transitions if way.source == START]
        values = _stuck([way.conditions for way in starts], subject.parameters)
        if values is not None:
            message = (
                f"with {example_text(values, subject.parameters)} no transition leads on from START, and the layer "
                "plays nothing; add one without conditions after the others"
            )
            yield Finding(Code.CONDITIONAL_START, key_of(layer.place, "transitions"), message)


def _stuck(choices: Sequence[Sequence[Condition]], parameters: Parameters) -> dict[str, float] | None:
    """Return values for which none of several lists of conditions holds; None if there are none, or too many to try."""
    conditions = [condition for choice in choices for condition in choice]
    names = list(dict.fromkeys(condition.parameter for condition in conditions))
    trials = [trial_values(parameters[name], [test for test in conditions if test.parameter == name]) for name in names]
    if prod(map(len, trials)) > COMBINATIONS_MAX:
        return None
    for combination in product(*trials):
        values = dict(zip(names, combination, strict=True))
        if not any(all(holds(test, values[test.parameter]) for test in choice) for choice in choices):
            return values
    return None
