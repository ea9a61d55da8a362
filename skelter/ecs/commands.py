"""Structural changes: entities that come, go and move between tables; during a step they wait for its end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from skelter.ecs.component import Values as ComponentValues
from skelter.ecs.entities import INDEX_MASK, NOWHERE
from skelter.ecs.table import Table

if TYPE_CHECKING:
    from skelter.ecs.world import World


class Commands:
    """Structural changes in the order in which they were asked for.

    Attributes:
        pending: Handles that are promised to entities, which come to life when the changes are made.
    """

    def __init__(self) -> None:
        self.pending = np.zeros(0, np.uint64)
        self._queue: list[tuple[str, tuple[Any, ...]]] = []
        self._promised: list[tuple[Table, np.ndarray]] = []

    def queue(self, world: World, kind: str, *arguments: Any) -> Any:
        """Keep a change for later; return what it returns: handles are known in advance."""
        copied = tuple(_kept(argument) for argument in arguments)
        self._queue.append((kind, copied))
        if kind not in ("spawn", "spawn_rows"):
            return None
        count = arguments[0] if kind == "spawn" else arguments[1]
        handles = world._entities.next_handles(count, skip=len(self.pending))
        if kind == "spawn_rows":
            self._promised.append((arguments[0], handles))
        self.pending = np.concatenate([self.pending, handles])
        world._entities.promised = len(self.pending)
        return handles.copy()

    def promised_tables(self, handles: np.ndarray) -> list[Table]:
        """Return the tables of their own that some of these handles are promised a row in."""
        return [table for table, promised in self._promised if np.isin(promised, handles).any()]

    def apply(self, world: World) -> None:
        """Make all changes. Handles are taken first, in the order in which they were promised."""
        if not self._queue:
            return
        world._entities.take(len(self.pending))
        taken = 0
        for kind, arguments in self._queue:
            if kind in ("spawn", "spawn_rows"):
                count = arguments[0] if kind == "spawn" else arguments[1]
                self._spawn(world, kind, arguments, self.pending[taken : taken + count])
                taken += count
            else:
                self._change(world, kind, arguments)

    def make(self, world: World, kind: str, *arguments: Any) -> Any:
        """Make a change at once."""
        if kind in ("spawn", "spawn_rows"):
            count = arguments[0] if kind == "spawn" else arguments[1]
            handles = world._entities.take(count)
            self._spawn(world, kind, arguments, handles)
            return handles
        return self._change(world, kind, arguments)

    def _spawn(self, world: World, kind: str, arguments: tuple[Any, ...], handles: np.ndarray) -> None:
        if kind == "spawn":
            _, names, values = arguments
            table = _open_table(world, frozenset(names), {}, {})
        else:
            table, _, values = arguments
        rows = table.append(handles)
        for name, column in values.items():
            if name in table:  # a column that a system has removed meanwhile is left alone
                table.column(name)[rows] = column
        world._entities.place(handles, table.number, np.arange(rows.start, rows.stop))

    def _change(self, world: World, kind: str, arguments: tuple[Any, ...]) -> None:
        handles, *rest = arguments
        places = np.flatnonzero(world._entities.is_alive(handles))  # what an earlier change has removed is left alone
        places = places[np.sort(np.unique(handles[places], return_index=True)[1])]
        numbers = world._entities.table[(handles[places] & INDEX_MASK).astype(np.int64)]
        for number in np.unique(numbers).tolist():
            some = places[numbers == number]
            table = world._tables[number]
            if kind == "despawn":
                _take_out(world, table, handles[some])
                world._entities.release(handles[some])
                continue
            names = rest[0]
            wanted = frozenset(table.names) | set(names) if kind == "add" else frozenset(table.names) - set(names)
            if wanted != frozenset(table.names):
                table = _move(world, table, handles[some], wanted)
            if kind == "add":
                _, rows = world._entities.find(handles[some])
                for name, values in rest[1].items():
                    table.column(name)[rows] = values[some]


def _move(world: World, table: Table, handles: np.ndarray, names: frozenset[str]) -> Table:
    """Move entities to the table that has certain components; return it."""
    own = {name: table.default(name) for name in names if name in table and world._component(name).default is None}
    target = _open_table(world, names, table.shared, own)
    _, rows = world._entities.find(handles)
    added = target.append(handles)
    for name in target.names:
        if name in table:
            target.column(name)[added] = table.column(name)[rows]
    _take_out(world, table, handles)
    world._entities.place(handles, target.number, np.arange(added.start, added.stop))
    return target


def _take_out(world: World, table: Table, handles: np.ndarray) -> None:
    """Remove the rows of entities from their table."""
    _, rows = world._entities.find(handles)
    gaps = table.remove(rows)
    moved = table.entities[gaps]
    world._entities.place(handles, NOWHERE, np.zeros(len(handles), np.int64))
    world._entities.place(moved, table.number, gaps)


def _open_table(world: World, names: frozenset[str], shared: dict[str, object], own: dict[str, np.ndarray]) -> Table:
    """Return the table with certain components and shared assets; it is made if there is none."""
    lengths = tuple((name, own[name].shape) for name in sorted(own))
    key = (names, tuple(sorted((name, id(value)) for name, value in shared.items())), lengths)
    table = world._open.get(key)
    if table is None:
        defaults: Mapping[str, ComponentValues] = {name: own.get(name, ...) for name in sorted(names)}
        table = world.make_table(defaults, shared=shared, sealed=False)
        world._open[key] = table
    return table


def _kept(argument: Any) -> Any:
    """Return an argument that nobody else can change."""
    if isinstance(argument, np.ndarray):
        return argument.copy()
    if isinstance(argument, dict):
        return {name: value.copy() for name, value in argument.items()}
    return argument
