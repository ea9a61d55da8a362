"""Reason about conditions by trying values.

Whether conditions on one parameter hold changes only at the values that they name. So one value at each of these, one
between each two, and one beyond each end stand for all values there are.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from itertools import pairwise

from skelter.graph.graph import Condition, Parameter

OPERATORS = {
    "GREATER_THAN": operator.gt,
    "LESS_THAN": operator.lt,
    "GREATER_THAN_EQUAL_TO": operator.ge,
    "LESS_THAN_EQUAL_TO": operator.le,
    "EQUAL_TO": operator.eq,
    "NOT_EQUAL_TO": operator.ne,
}
SIGNS = {
    "GREATER_THAN": ">",
    "LESS_THAN": "<",
    "GREATER_THAN_EQUAL_TO": ">=",
    "LESS_THAN_EQUAL_TO": "<=",
    "EQUAL_TO": "==",
    "NOT_EQUAL_TO": "!=",
}
BOOLEANS = ("BOOLEAN", "TRIGGER")

Parameters = dict[str, Parameter]


def condition_text(condition: Condition, parameters: Parameters) -> str:
    """Return a condition as ``speed > 0.5``."""
    value = value_text(condition.value, parameters[condition.parameter])
    return f"{condition.parameter} {SIGNS[condition.predicate]} {value}"


def value_text(value: float, parameter: Parameter) -> str:
    """Return a value of a parameter as its type writes it."""
    return ("true" if value else "false") if parameter.type in BOOLEANS and value in (0, 1) else f"{float(value):g}"


def holds(condition: Condition, value: float) -> bool:
    """Say whether a condition holds for a value of its parameter."""
    return bool(OPERATORS[condition.predicate](value, condition.value))


def trial_values(parameter: Parameter, conditions: Iterable[Condition]) -> list[float]:
    """Return values of a parameter that stand for all that it can have, as far as some conditions on it can tell."""
    if parameter.type in BOOLEANS:
        return [0.0, 1.0]
    named = sorted({float(condition.value) for condition in conditions})
    if parameter.type == "INTEGER":
        around = {math.floor(value) for value in named} | {math.ceil(value) for value in named}
        return sorted({float(whole + step) for whole in around for step in (-1, 0, 1)}) or [0.0]
    if not named:
        return [0.0]
    between = [(low + high) / 2 for low, high in pairwise(named)]
    outside = (named[0] - max(1.0, abs(named[0])), named[-1] + max(1.0, abs(named[-1])))
    return sorted({*named, *between, *outside})


def solutions(conditions: Sequence[Condition], name: str, parameters: Parameters) -> list[float]:
    """Return the trial values of a parameter for which all conditions on it hold."""
    own = [condition for condition in conditions if condition.parameter == name]
    return [value for value in trial_values(parameters[name], own) if all(holds(item, value) for item in own)]


def example(conditions: Sequence[Condition], parameters: Parameters) -> dict[str, float] | None:
    """Return values of the parameters for which all conditions hold, or None if there are none."""
    values = {}
    for name in dict.fromkeys(condition.parameter for condition in conditions):
        found = solutions(conditions, name, parameters)
        if not found:
            return None
        values[name] = found[len(found) // 2]
    return values


def example_text(values: dict[str, float], parameters: Parameters) -> str:
    """Return values as ``speed = 1 and jump = true``."""
    return " and ".join(f"{name} = {value_text(value, parameters[name])}" for name, value in values.items())


def implies(strong: Sequence[Condition], weak: Sequence[Condition], parameters: Parameters) -> bool:
    """Say whether ``weak`` holds whenever ``strong`` does, which must be possible."""
    for name in {condition.parameter for condition in weak}:
        given = [condition for condition in strong if condition.parameter == name]
        asked = [condition for condition in weak if condition.parameter == name]
        for value in trial_values(parameters[name], given + asked):
            if all(holds(item, value) for item in given) and not all(holds(item, value) for item in asked):
                return False
    return True


def needs_trigger(conditions: Sequence[Condition], parameters: Parameters) -> bool:
    """Say whether conditions hold only while some trigger is set, which taking the transition resets."""
    triggers = {item.parameter for item in conditions if parameters[item.parameter].type == "TRIGGER"}
    return any(solutions(conditions, name, parameters) == [1.0] for name in triggers)
