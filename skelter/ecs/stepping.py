"""A step of a world: systems in their order, and what undoes them if one fails."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import TYPE_CHECKING, Any

from skelter.core.checks import read_only
from skelter.core.errors import WorldError
from skelter.ecs.query import fits
from skelter.ecs.snapshot import Part
from skelter.ecs.systems import System
from skelter.ecs.table import SavedTable, Table

if TYPE_CHECKING:
    from skelter.ecs.world import World


STRUCTURE = (
    "time",
    "step_count",
    "_components",
    "_tables",
    "_open",
    "_next_table",
    "_systems",
    "_order",
    "_parts",
)
"""Attributes of a world that a system may change at once."""


def check_systems(plan: list[System]) -> None:
    """Refuse a step that cannot be made, while nothing has changed.

    Systems behind the first one of somebody else are checked in their turn: it may put right what they need.
    """
    for system in plan:
        if not system.trusted:
            return
        if system.check is not None:
            system.check()


def run_systems(world: World, plan: list[System], dt: float) -> None:
    """Run systems; if one fails, put everything back that they may have changed.

    Systems of skelter fail in their check or not at all, so that nothing needs to be kept behind the last system of
    somebody else.
    """
    fallible = max((place + 1 for place, system in enumerate(plan) if not system.trusted), default=0)
    undo = _keep(world, plan[:fallible]) if fallible else None
    try:
        for place, system in enumerate(plan):
            _run(world, system, dt, check=0 < place < fallible)
            if place + 1 == fallible:
                for other in plan[fallible:]:
                    _check(other)
    except BaseException:
        _guard(world, None)
        if undo is not None:
            undo()
        raise


def _run(world: World, system: System, dt: float, check: bool) -> None:
    if check:
        _check(system)
    world._running = system
    _guard(world, None if system.trusted else system.may_write)
    try:
        if system.trusted:
            system.function(dt)
        else:
            _call(world, system, dt)
    except Exception as error:
        raise _failed(system, error) from error
    finally:
        world._running = None
        _guard(world, None)


def _check(system: System) -> None:
    try:
        check_systems([system])
    except Exception as error:
        raise _failed(system, error) from error


def _failed(system: System, error: Exception) -> WorldError:
    what = str(error) if isinstance(error, WorldError) else f"{type(error).__name__}: {error}"
    hint = "; name what it changes in writes=, or say writes=None for everything" if "read-only" in what else ""
    return WorldError(f"system {system.name!r}: {what}{hint}; the world is as before the step")


def _call(world: World, system: System, dt: float) -> None:
    """Call somebody's function: once per table, or once if it takes no columns."""
    if not system.components:
        constants = {"world": world, "dt": dt, "entities": world.query(without=system.without).entities}
        system.function(**{name: constants[source] for name, source in system.parameters.items()})
        return
    for table in [one for one in world.tables if len(one) and fits(one, system.components, system.without)]:
        given: dict[str, Any] = {}
        for name, source in system.parameters.items():
            special = {"world": world, "dt": dt, "entities": read_only(table.entities)}
            given[name] = special[source] if source in special else table.column(source)
        system.function(**given)


def _guard(world: World, may_write: Callable[[str], bool] | None) -> None:
    """Let tables hand out columns that cannot be written, but those that a system may write; None is all of them."""
    for table in world.tables:
        table.may_write = may_write


def _keep(world: World, plan: list[System]) -> Callable[[], None]:
    """Keep what systems may change; return what puts it back.

    What systems of skelter write is not listed: if one is among them, everything is kept.
    """
    everything = any(system.trusted or system.writes is None for system in plan)
    written = {name for system in plan for name in system.writes or ()}
    kept: list[tuple[Table, SavedTable]] = [
        (table, table.save(None if everything else written)) for table in world.tables
    ]
    parts: list[tuple[Part, Any]] = [(part, part.save()) for part in world._parts.values()]
    structure = {name: copy(getattr(world, name)) for name in STRUCTURE}

    def put_back() -> None:
        for name, value in structure.items():
            setattr(world, name, value)
        for table, saved in kept:
            table.put_back(saved)
        for part, saved in parts:
            part.restore(saved)

    return put_back
