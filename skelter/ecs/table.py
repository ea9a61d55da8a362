"""Tables: entities of one kind, a column per component."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from skelter.core.checks import read_only
from skelter.core.errors import WorldError, unknown_name

FIRST_ROOM = 16
SHRINK = 4
"""Memory is given back when less than one in so many rows is used."""


@dataclass(frozen=True, slots=True, eq=False)
class SavedTable:
    """What `Table.save` keeps."""

    entities: np.ndarray
    columns: dict[str, np.ndarray]
    defaults: dict[str, np.ndarray]


class Table:
    """Entities with the same components and shared assets. Rows have no order of their own: the last fill gaps.

    Attributes:
        number: Number of the table in its world.
        shared: What all entities of the table share, such as a controller.
        sealed: Whether single entities may not get or lose components.
        labels: Names of what lies along an axis of a row, by the name of the axis.
        may_write: Which columns can be written now; None is all of them.
        version: Grows whenever rows or columns come, go or move: views from before are then out of date.
    """

    def __init__(
        self,
        number: int,
        defaults: Mapping[str, np.ndarray],
        shared: Mapping[str, object],
        sealed: bool = False,
        labels: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        self.number = number
        self.shared = dict(shared)
        self.sealed = sealed
        self.labels = dict(labels or {})
        self.may_write: Callable[[str], bool] | None = None
        self.version = 0
        self._count = 0
        self._entities = np.zeros(0, np.uint64)
        self._entities_view = self._entities
        self._columns: dict[str, np.ndarray] = {}
        self._defaults: dict[str, np.ndarray] = {}
        self._views: dict[str, np.ndarray] = {}
        self.add_columns(defaults)

    def __len__(self) -> int:
        return self._count

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __repr__(self) -> str:
        return f"<Table of {self._count} entities with {', '.join(self._columns)}>"

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the components."""
        return tuple(self._columns)

    @property
    def entities(self) -> np.ndarray:
        """Handles of the rows, uint64 ``[row]``, a view that cannot be written."""
        return self._entities_view

    def column(self, name: str) -> np.ndarray:
        """Return a column, C-contiguous ``[row, ...]``: a view until the next structural change.

        Raises:
            WorldError: There is no such column.
        """
        view = self._views.get(name)
        if view is None:
            raise WorldError(unknown_name("component", name, self._columns))
        return view if self.may_write is None or self.may_write(name) else read_only(view)

    def default(self, name: str) -> np.ndarray:
        """Return the row that new entities have in a column."""
        return self._defaults[name]

    def add_columns(self, defaults: Mapping[str, np.ndarray]) -> None:
        """Add columns; all rows get the default row.

        Raises:
            WorldError: A system runs that does not say that it writes everything.
        """
        self._check_open()
        for name, row in defaults.items():
            column = np.empty((len(self._entities), *row.shape), row.dtype)
            column[...] = row
            self._columns[name] = column
            self._defaults[name] = row
        self._renew()

    def remove_columns(self, names: tuple[str, ...]) -> None:
        """Remove columns; raise WorldError as `add_columns`."""
        self._check_open()
        for name in names:
            del self._columns[name], self._defaults[name]
        self._renew()

    def append(self, entities: np.ndarray) -> slice:
        """Add rows with the default values; return where they are."""
        rows = slice(self._count, self._count + len(entities))
        if rows.stop > len(self._entities):
            self._resize(max(2 * len(self._entities), rows.stop, FIRST_ROOM))
        self._entities[rows] = entities
        for name, column in self._columns.items():
            column[rows] = self._defaults[name]
        self._count = rows.stop
        self._renew()
        return rows

    def remove(self, rows: np.ndarray) -> np.ndarray:
        """Remove rows; the last ones fill the gaps.

        Args:
            rows: int64 ``[some]``, each once.

        Returns:
            The rows that others have moved to, int64 ``[moved]``.
        """
        stays = np.ones(self._count, np.bool_)
        stays[rows] = False
        count = self._count - len(rows)
        gaps = np.flatnonzero(~stays[:count])
        movers = count + np.flatnonzero(stays[count:])
        self._entities[gaps] = self._entities[movers]
        for column in self._columns.values():
            column[gaps] = column[movers]
        self._count = count
        if SHRINK * count < len(self._entities) > FIRST_ROOM:
            self._resize(max(2 * count, FIRST_ROOM))
        self._renew()
        return gaps

    def save(self, only: Set[str] | None = None) -> SavedTable:
        """Return a copy of everything that changes, or of some columns only."""
        columns = {name: view.copy() for name, view in self._views.items() if only is None or name in only}
        return SavedTable(self.entities.copy(), columns, dict(self._defaults))

    def restore(self, saved: SavedTable) -> None:
        """Go back to what was saved, columns that came or went included; raise WorldError as `add_columns`."""
        self._check_open()
        self._count = len(saved.entities)
        self._entities = saved.entities.copy()
        self._columns = {name: column.copy() for name, column in saved.columns.items()}
        self._defaults = dict(saved.defaults)
        self._renew()

    def put_back(self, saved: SavedTable) -> None:
        """Go back to what was saved a moment ago: in place, so that views stay good, if no columns came or went."""
        if [*map(id, self._defaults.values())] != [*map(id, saved.defaults.values())]:
            self.restore(saved)
            return
        for name, column in saved.columns.items():
            self._views[name][...] = column

    def items(self) -> Iterator[tuple[str, np.ndarray]]:
        """Yield names and columns."""
        yield from self._views.items()

    def _check_open(self) -> None:
        if self.may_write is not None and not self.may_write(""):
            raise WorldError("the system that runs may not add or remove columns; say writes=None for it")

    def _resize(self, room: int) -> None:
        self._entities = _resized(self._entities, self._count, room)
        self._columns = {name: _resized(column, self._count, room) for name, column in self._columns.items()}

    def _renew(self) -> None:
        self._views = {name: column[: self._count] for name, column in self._columns.items()}
        self._entities_view = read_only(self._entities[: self._count])
        self.version += 1


def _resized(column: np.ndarray, count: int, room: int) -> np.ndarray:
    resized: np.ndarray[Any, Any] = np.zeros((room, *column.shape[1:]), column.dtype)
    resized[:count] = column[:count]
    return resized
