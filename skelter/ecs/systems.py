"""Systems: functions that a step runs, in groups, in an order that they name themselves."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Any

from skelter.core.errors import ArgumentError, WorldError, near_names, unknown_name

GROUPS = ("simulation", "transform", "presentation")
"""Groups of systems, in the order in which a step runs them."""
SPECIAL = ("world", "dt", "entities")
"""Parameters of a system that are not columns."""
Function = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class System:
    """A system.

    Attributes:
        name: Its name.
        function: What it calls: once per table with columns, or once if it takes none.
        group: One of `GROUPS`.
        before, after: Systems of the same group that it comes before or after.
        writes: Components that it may write; None is all there are.
        without: It passes over tables that have one of these components.
        parameters: Component, or one of `SPECIAL`, per parameter of the function.
        check: Called before a step begins, to refuse it while nothing has changed; only systems of skelter have one.
        trusted: It does not fail after its check, and is called once with the world and dt.
    """

    name: str
    function: Function
    group: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    writes: tuple[str, ...] | None
    without: tuple[str, ...]
    parameters: Mapping[str, str]
    check: Callable[[], None] | None = None
    trusted: bool = False

    @property
    def components(self) -> tuple[str, ...]:
        """Components that a table must have."""
        return tuple(name for name in self.parameters.values() if name not in SPECIAL)

    def may_write(self, name: str) -> bool:
        """Return whether the system may write a component."""
        return self.writes is None or name in self.writes


def read_parameters(name: str, function: Function, components: Iterable[str]) -> dict[str, str]:
    """Return the component, or what else, that each parameter of a function stands for; ``a_b`` may be ``a.b``.

    Raises:
        ArgumentError: It is no function, or a parameter is called like nothing that there is.
    """
    if not callable(function):
        raise ArgumentError(f"system {name!r}: expected a function, got {type(function).__name__}")
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        raise ArgumentError(f"system {name!r}: expected a plain function; nothing runs one with async or yield")
    known = {component.replace(".", "_"): component for component in components}
    known |= {special: special for special in SPECIAL}
    found: dict[str, str] = {}
    for parameter in _signature(name, function).parameters.values():
        if parameter.kind is parameter.POSITIONAL_ONLY:
            raise ArgumentError(f"system {name!r}: parameter {parameter.name!r} is given by name; drop the slash")
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise ArgumentError(f"system {name!r}: name the columns that it takes; *{parameter.name} says nothing")
        if parameter.name in known:
            found[parameter.name] = known[parameter.name]
        elif parameter.default is parameter.empty:
            raise ArgumentError(
                f"system {name!r}: parameter {parameter.name!r} is no component, nor one of {', '.join(SPECIAL)}"
                f"{near_names(parameter.name, known)}; declare it with world.declare"
            )
    return found


def _signature(name: str, function: Function) -> inspect.Signature:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError) as error:
        raise ArgumentError(
            f"system {name!r}: the parameters of {function!r} cannot be read; wrap it in def"
        ) from error


def names_of(value: str | Iterable[str], what: str) -> tuple[str, ...]:
    """Return names that may be given as one; raise ArgumentError if they are none."""
    if not isinstance(value, Iterable):
        raise ArgumentError(f"{what}: expected a name or names, got {value!r}")
    names = (value,) if isinstance(value, str) else tuple(value)
    for name in names:
        if not isinstance(name, str):
            raise ArgumentError(f"{what}: expected names, got {name!r}")
    return names


def ordered(systems: Sequence[System]) -> list[System]:
    """Return systems in the order of a step: by group, then by their wishes, then as they came.

    Raises:
        WorldError: They name systems that are not in their group, or wish for a circle.
    """
    return [
        system for group in GROUPS for system in _ordered_group([one for one in systems if one.group == group], systems)
    ]


def _ordered_group(group: list[System], everybody: Sequence[System]) -> list[System]:
    by_name = {system.name: system for system in group}
    wishes: dict[str, dict[str, None]] = {name: {} for name in by_name}
    for system in group:
        for kind, others in (("before", system.before), ("after", system.after)):
            for other in others:
                _check_wish(system, kind, other, by_name, everybody)
                later, earlier = (other, system.name) if kind == "before" else (system.name, other)
                wishes[later][earlier] = None
    sorter = TopologicalSorter(wishes)
    try:
        sorter.prepare()
    except CycleError as error:
        circle = " -> ".join(error.args[1])
        raise WorldError(
            f"systems of group {group[0].group!r} wish for a circle: {circle}; drop one of their wishes"
        ) from None
    result: list[System] = []
    ready: list[str] = []
    places = {name: place for place, name in enumerate(by_name)}
    while sorter.is_active():
        ready = sorted([*ready, *sorter.get_ready()], key=places.__getitem__)
        first = ready.pop(0)
        result.append(by_name[first])
        sorter.done(first)
    return result


def _check_wish(
    system: System, kind: str, other: str, group: Mapping[str, System], everybody: Sequence[System]
) -> None:
    if other in group:
        return
    for one in everybody:
        if one.name == other:
            raise WorldError(
                f"system {system.name!r}: {kind}={other!r} is in group {one.group!r}, and it is in {system.group!r};"
                f" groups run in the order {', '.join(GROUPS)}"
            )
    raise WorldError(f"system {system.name!r}: {kind}: {unknown_name('system', other, group)}")
