"""Snapshots and hashes of worlds."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from skelter.core.errors import ArgumentError
from skelter.ecs.entities import SavedEntities
from skelter.ecs.table import SavedTable, Table

if TYPE_CHECKING:
    from skelter.ecs.world import World


class Part(Protocol):
    """State of a world that is in no column."""

    def save(self) -> Any:
        """Return a copy of everything that changes."""

    def restore(self, saved: Any) -> None:
        """Go back to what was saved."""

    def digest(self) -> bytes:
        """Return bytes that are the same for the same state."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class WorldSnapshot:
    """A world at a moment; `World.restore` goes back to it.

    Attributes:
        world: The world.
        time: Its time [s].
        step_count: Its steps.
        entities: Its handles.
        tables: Its tables, and what is in them.
        open_tables: Which of them entities find by their components.
        next_table: Number of the next table.
        parts: Its parts, and what is in them.
    """

    world: World
    time: float
    step_count: int
    entities: SavedEntities
    tables: tuple[tuple[Table, SavedTable], ...]
    open_tables: dict[Any, Table]
    next_table: int
    parts: dict[str, tuple[Part, Any]]

    def __repr__(self) -> str:
        count = sum(len(saved.entities) for _, saved in self.tables)
        return f"<WorldSnapshot of {count} entities at {self.time:.4g} s>"


def save_world(world: World) -> WorldSnapshot:
    """Return a snapshot of a world."""
    return WorldSnapshot(
        world,
        world.time,
        world.step_count,
        world._entities.save(),
        tuple((table, table.save()) for table in world._tables.values()),
        dict(world._open),
        world._next_table,
        {name: (part, part.save()) for name, part in world._parts.items()},
    )


def restore_world(world: World, snapshot: WorldSnapshot) -> None:
    """Put a world back to a snapshot of it."""
    if not isinstance(snapshot, WorldSnapshot):
        raise ArgumentError(
            f"snapshot: expected a WorldSnapshot, got {type(snapshot).__name__}; world.snapshot() makes one"
        )
    if snapshot.world is not world:
        raise ArgumentError("snapshot: it is of another world")
    for table in world._tables.values():
        table.restore(SavedTable(np.zeros(0, np.uint64), {}, {}))  # one that was made later is left empty
    for table, saved in snapshot.tables:
        table.restore(saved)
    world._tables = {table.number: table for table, _ in snapshot.tables}
    world._open, world._next_table = dict(snapshot.open_tables), snapshot.next_table
    world._entities.restore(snapshot.entities)
    world._parts = {name: part for name, (part, _) in snapshot.parts.items()}
    for part, state in snapshot.parts.values():
        part.restore(state)
    world.time, world.step_count = snapshot.time, snapshot.step_count


def hash_world(world: World) -> str:
    """Return the hash of a world."""
    digest = hashlib.blake2b(repr((world.time, world.step_count)).encode(), digest_size=16)
    update(digest, world._entities.arrays())
    for table in world._tables.values():
        if len(table):
            update(digest, [table.entities])
            for name, column in sorted(table.items()):
                digest.update(name.encode())
                update(digest, [column])
    for name, part in sorted(world._parts.items()):
        digest.update(name.encode())
        digest.update(part.digest())
    return digest.hexdigest()


def update(digest: hashlib.blake2b, arrays: Iterable[np.ndarray]) -> None:
    """Feed arrays to a hash; of records the fields, since what lies between them means nothing."""
    for array in arrays:
        digest.update(f"{array.dtype} {array.shape}".encode())
        if array.dtype.names is None:
            digest.update(np.ascontiguousarray(array).data.cast("B") if array.size else b"")
        else:
            update(digest, (array[name] for name in array.dtype.names))
