"""Handles of entities: which are alive, and where their rows are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from skelter.core.errors import ArgumentError, WorldError

INDEX_BITS = np.uint64(32)
INDEX_MASK = np.uint64(0xFFFFFFFF)
NOWHERE = -1
"""Table of an entity that is not alive."""
FIRST_ROOM = 64
ENTITY_MAX = 1 << 30


@dataclass(frozen=True, slots=True, eq=False)
class SavedEntities:
    """What `Entities.save` keeps: its arrays, cut to what is used."""

    generation: np.ndarray
    table: np.ndarray
    row: np.ndarray
    free: np.ndarray


class Entities:
    """Handles and the places of their rows.

    A handle is ``generation << 32 | index``. The index is used again when its entity is despawned, with the next
    generation, so that old handles are known to be old. Handle 0 is never alive.

    Attributes:
        generation: uint32 ``[index]``.
        table: int32 ``[index]``: number of the table, `NOWHERE` if it is not alive.
        row: int64 ``[index]``.
        promised: Handles that are to be taken at the end of a step.
    """

    def __init__(self) -> None:
        self.generation = np.ones(FIRST_ROOM, np.uint32)
        self.table = np.full(FIRST_ROOM, NOWHERE, np.int32)
        self.row = np.zeros(FIRST_ROOM, np.int64)
        self._free = np.zeros(0, np.int64)
        self._used = 1
        self.promised = 0

    def next_handles(self, count: int, skip: int = 0) -> np.ndarray:
        """Return the handles that `take` gives out next, after ``skip`` others, uint64 ``[count]``."""
        stop = skip + count
        reused = self._free[::-1][skip:stop]
        fresh = self._used + np.arange(max(skip - len(self._free), 0), max(stop - len(self._free), 0))
        generations = np.concatenate([self.generation[reused], np.ones(len(fresh), np.uint32)])
        indices = np.concatenate([reused, fresh])
        return generations.astype(np.uint64) << INDEX_BITS | indices.astype(np.uint64)

    def take(self, count: int) -> np.ndarray:
        """Give out handles, which are not alive before `place` has put them somewhere, uint64 ``[count]``."""
        handles = self.next_handles(count)
        reused = min(count, len(self._free))
        self._free = self._free[: len(self._free) - reused]
        self._used += count - reused
        if self._used > ENTITY_MAX:
            raise WorldError(f"a world holds at most {ENTITY_MAX} entities")
        if self._used > len(self.generation):
            self._grow(max(2 * len(self.generation), self._used))
        return handles

    def place(self, handles: np.ndarray, table: int, rows: np.ndarray) -> None:
        """Say where the rows of entities are now."""
        indices = index_of(handles)
        self.table[indices] = table
        self.row[indices] = rows

    def release(self, handles: np.ndarray) -> None:
        """Make handles old; their indices may be used again."""
        indices = index_of(handles)
        self.table[indices] = NOWHERE
        self.generation[indices] += np.uint32(1)
        self.generation[indices[self.generation[indices] == 0]] = 1
        self._free = np.concatenate([self._free, indices[::-1]])

    def is_alive(self, handles: np.ndarray) -> np.ndarray:
        """Return which handles are those of living entities, bool ``[some]``."""
        indices = index_of(handles)
        known = indices < self._used
        safe = np.where(known, indices, 0)
        fresh = self.generation[safe] == (handles >> INDEX_BITS).astype(np.uint32)
        alive: np.ndarray = known & fresh & (self.table[safe] != NOWHERE)
        return alive

    def find(self, handles: np.ndarray, name: str = "handles") -> tuple[np.ndarray, np.ndarray]:
        """Return tables and rows of living entities, int32 and int64 ``[some]``.

        Raises:
            WorldError: One is not alive; the message says which, and why.
        """
        alive = self.is_alive(handles)
        if not alive.all():
            raise WorldError(self._problem(handles, int(np.argmin(alive)), name))
        indices = index_of(handles)
        return self.table[indices], self.row[indices]

    def save(self) -> SavedEntities:
        """Return a copy of everything."""
        used = slice(0, self._used)
        arrays = (self.generation[used], self.table[used], self.row[used], self._free)
        return SavedEntities(*(array.copy() for array in arrays))

    def restore(self, saved: SavedEntities) -> None:
        """Go back to what was saved."""
        self.generation, self.table, self.row = saved.generation.copy(), saved.table.copy(), saved.row.copy()
        self._free, self._used = saved.free.copy(), len(saved.generation)

    def arrays(self) -> list[np.ndarray]:
        """Return what a hash of the world covers."""
        used = slice(0, self._used)
        return [self.generation[used], self.table[used], self.row[used], self._free]

    def _grow(self, room: int) -> None:
        more = room - len(self.generation)
        self.generation = np.concatenate([self.generation, np.ones(more, np.uint32)])
        self.table = np.concatenate([self.table, np.full(more, NOWHERE, np.int32)])
        self.row = np.concatenate([self.row, np.zeros(more, np.int64)])

    def _problem(self, handles: np.ndarray, place: int, name: str) -> str:
        handle = int(handles[place])
        index, generation = handle & 0xFFFFFFFF, handle >> 32
        where = f"{name}: the handle at {place}, {handle:#x},"
        if handles[place] in self.next_handles(self.promised):
            return f"{where} is of an entity that is spawned at the end of this step"
        if index == 0 or index >= self._used:
            return f"{where} was never given out by this world"
        if generation >= self.generation[index]:
            return f"{where} was never given out by this world"
        return (
            f"{where} is of an entity that was despawned (generation {generation}; its index is at"
            f" {self.generation[index]} now); drop old handles, or ask world.is_alive"
        )


def index_of(handles: np.ndarray) -> np.ndarray:
    """Return the indices of handles, int64 ``[some]``."""
    indices: np.ndarray = (handles & INDEX_MASK).astype(np.int64)
    return indices


def as_handles(handles: ArrayLike, name: str = "handles") -> np.ndarray:
    """Return handles as uint64 ``[some]``; raise ArgumentError if they are none."""
    array = np.atleast_1d(np.asarray(handles))
    if array.size == 0:
        return np.zeros(0, np.uint64)
    if array.ndim != 1 or array.dtype.kind not in "iu" or (array.dtype.kind == "i" and (array < 0).any()):
        raise ArgumentError(
            f"{name}: expected handles as world.spawn gives them, uint64, got dtype {array.dtype} and shape"
            f" {list(array.shape)}"
        )
    return array.astype(np.uint64)
