"""Values of the parameters of one character, typed as the graph declares them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from numbers import Real

import numpy as np

from skelter.core.errors import ArgumentError, unknown_name
from skelter.graph.graph import Condition, Parameter


class Parameters:
    """The inputs of a machine.

    Attributes:
        values: One float64 per name; booleans and triggers are 0 or 1.
        consumed: Triggers that a transition has used; they become 0 when all layers have had their turn.
        single: Triggers that become 0 at the end of the step in any case.
    """

    def __init__(self, declared: Sequence[Parameter]) -> None:
        self._declared = {parameter.name: parameter for parameter in declared}
        self.values: dict[str, float] = {}
        self.consumed: set[str] = set()
        self.single: set[str] = set()
        self.reset()

    def reset(self) -> None:
        """Set every parameter to the value at the start."""
        self.values = {name: float(parameter.value) for name, parameter in self._declared.items()}
        self.consumed.clear()
        self.single.clear()

    def get(self, name: str) -> float:
        """Return the value of a parameter."""
        return self.values[self._known(name).name]

    def set(self, name: str, value: float | bool) -> None:
        """Set a parameter.

        Raises:
            ArgumentError: There is no such parameter, or the value does not fit its type.
        """
        self._keep(name, _as_value(self._known(name), value))

    def trigger(self, name: str, single_frame: bool = False) -> None:
        """Set a trigger until a transition consumes it, or until the end of the next step at the latest.

        Args:
            name: Name of the trigger.
            single_frame: It is reset at the end of the next step even if nothing consumed it.
        """
        self._keep(self._trigger(name), 1.0)
        if single_frame:
            self.single.add(name)

    def reset_trigger(self, name: str) -> None:
        """Take back a trigger."""
        self._keep(self._trigger(name), 0.0)

    def triggers(self, conditions: Iterable[Condition]) -> frozenset[str]:
        """Return the triggers that conditions name, whatever they ask of them."""
        named = (self._declared[condition.parameter] for condition in conditions)
        return frozenset(parameter.name for parameter in named if parameter.type == "TRIGGER")

    def clear_consumed(self) -> None:
        """Set the triggers to 0 that transitions have used."""
        self.values.update(dict.fromkeys(self.consumed, 0.0))
        self.consumed.clear()

    def clear_single(self) -> None:
        """Set the triggers to 0 that last one step."""
        self.values.update(dict.fromkeys(self.single, 0.0))
        self.single.clear()

    def _keep(self, name: str, value: float) -> None:
        """Set a value that stays until something uses it from now on."""
        self.values[name] = value
        self.consumed.discard(name)
        self.single.discard(name)

    def _known(self, name: str) -> Parameter:
        if name not in self._declared:
            raise ArgumentError(unknown_name("parameter", name, self._declared))
        return self._declared[name]

    def _trigger(self, name: str) -> str:
        parameter = self._known(name)
        if parameter.type != "TRIGGER":
            raise ArgumentError(f"parameter {name!r} is {parameter.type}, no TRIGGER; use set({name!r}, ...)")
        return name


def _as_value(parameter: Parameter, value: object) -> float:
    label = f"parameter {parameter.name!r} of type {parameter.type}"
    is_flag = isinstance(value, bool | np.bool_)
    if parameter.type in ("BOOLEAN", "TRIGGER"):
        if not is_flag:
            raise ArgumentError(f"{label}: expected True or False, got {value!r}")
        return float(bool(value))
    if is_flag or not isinstance(value, Real):
        raise ArgumentError(f"{label}: expected a number, got {value!r}")
    number = float(value)
    if not math.isfinite(number):
        raise ArgumentError(f"{label}: the value is {number}; it must be finite")
    if parameter.type == "INTEGER" and not number.is_integer():
        raise ArgumentError(f"{label}: expected a whole number, got {value!r}")
    return number
