"""Queries: the tables that have certain components, as views of their columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from skelter.core.errors import WorldError
from skelter.ecs.table import Table


class View:
    """The rows of one table."""

    def __init__(self, table: Table, column: Callable[[Table, str], np.ndarray]) -> None:
        """Show a table.

        Args:
            table: The table.
            column: Returns a column of it as whoever asks may see it.
        """
        self._table = table
        self._column = column

    def __len__(self) -> int:
        return len(self._table)

    def __getitem__(self, name: str) -> np.ndarray:
        """Return a column ``[row, ...]``; raise WorldError if there is none."""
        return self._column(self._table, name)

    @property
    def entities(self) -> np.ndarray:
        """Handles of the rows, uint64 ``[row]``."""
        return self._table.entities

    @property
    def shared(self) -> dict[str, object]:
        """What all rows share."""
        return self._table.shared


class Query:
    """The tables that have all of some components and none of others. It can be gone through again and again."""

    def __init__(
        self,
        tables: Callable[[], list[Table]],
        column: Callable[[Table, str], np.ndarray],
        names: tuple[str, ...],
        without: tuple[str, ...],
    ) -> None:
        """Ask for tables.

        Args:
            tables: Returns the tables of the world.
            column: Returns a column of a table as whoever asks may see it.
            names: Components that a table must have.
            without: Components that it must not have.
        """
        self._tables = tables
        self._column = column
        self._names = names
        self._without = without

    def __iter__(self) -> Iterator[View]:
        """Yield a view of each table that has rows.

        Raises:
            WorldError: Entities came, went or moved since the loop began.
        """
        tables = self.tables()
        versions = [table.version for table in self._tables()]
        for table in tables:
            yield View(table, self._column)
            if [table.version for table in self._tables()] != versions:
                raise WorldError(
                    "query: entities came, went or moved while a loop went through them; collect their handles in the"
                    " loop, and change the world after it"
                )

    def __repr__(self) -> str:
        return f"<Query of {len(self)} entities with {', '.join(self._names) or 'anything'}>"

    def __len__(self) -> int:
        """Return how many entities there are."""
        return sum(len(table) for table in self.tables())

    def tables(self) -> list[Table]:
        """Return the tables that have rows."""
        return [table for table in self._tables() if len(table) and fits(table, self._names, self._without)]

    @property
    def entities(self) -> np.ndarray:
        """Handles of all entities, uint64 ``[entity]``, table by table."""
        return np.concatenate([np.zeros(0, np.uint64), *(table.entities for table in self.tables())])


def fits(table: Table, names: tuple[str, ...], without: tuple[str, ...]) -> bool:
    """Return whether a table has all of some components and none of others."""
    return all(name in table for name in names) and not any(name in table for name in without)
