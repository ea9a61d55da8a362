"""Parameters and the values they are compared with."""

from __future__ import annotations

from collections.abc import Iterator

from skelter.graph.graph import Condition, Parameter
from skelter.graph.problems import Problem, found, key_of, quoted, unknown

BOOLEANS = ("BOOLEAN", "TRIGGER")

Parameters = dict[str, Parameter | None]
"""Parameters by name; None where what is wrong with one leaves its type unclear: nothing is judged by it then."""


def parameter_problems(parameter: Parameter) -> Iterator[Problem]:
    """Yield what is wrong with the value of a parameter."""
    path, value = key_of(parameter.place, "value"), parameter.value
    article = _kind(parameter)
    if not _fits(parameter, value):
        yield Problem(path, f"expected {_wanted(parameter)} for {article}, got {found(value)}")
    elif parameter.type == "INTEGER" and not float(value).is_integer():
        yield Problem(path, f"expected a whole number for {article}, got {found(value)}; round it, or make it a FLOAT")


def condition_problems(condition: Condition, parameters: Parameters) -> Iterator[Problem]:
    """Yield what is wrong with a condition."""
    if condition.parameter not in parameters:
        yield Problem(
            key_of(condition.place, "parameterName"), unknown("parameter", condition.parameter, parameters.keys())
        )
        return
    parameter = parameters[condition.parameter]
    if parameter is not None and not _fits(parameter, condition.value):
        yield Problem(
            key_of(condition.place, "value"),
            f"{quoted(parameter.name)} is {_kind(parameter)}; compare it with {_wanted(parameter)}, "
            f"not {found(condition.value)}",
        )


def _fits(parameter: Parameter, value: float | bool) -> bool:
    """Say whether a value is of the parameter's type; 0 and 1 stand for false and true."""
    if parameter.type in BOOLEANS:
        return value in (0, 1)
    return not isinstance(value, bool)


def _wanted(parameter: Parameter) -> str:
    return "true or false" if parameter.type in BOOLEANS else "a number"


def _kind(parameter: Parameter) -> str:
    return f"{'an' if parameter.type == 'INTEGER' else 'a'} {parameter.type}"
