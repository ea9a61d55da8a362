"""Transforms: where entities are in the world, each under its parent if it has one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from skelter.core.checks import usable
from skelter.core.errors import WorldError
from skelter.ecs.entities import NOWHERE, index_of
from skelter.ecs.table import Table

if TYPE_CHECKING:
    from skelter.ecs.world import World

TRANSFORM = np.dtype([("position", np.float64, 3), ("rotation", np.float64, 4), ("scale", np.float64, 3)])
"""Position [m], unit quaternion xyzw, and scale of an entity, under its parent."""
IDENTITY = np.array(([0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [1.0, 1.0, 1.0]), TRANSFORM)
TRANSFORM_COMPONENTS: dict[str, tuple[Any, Any]] = {
    "transform": (TRANSFORM, IDENTITY),
    "parent": (np.uint64, np.uint64(0)),
    "world_matrix": (np.float32, np.eye(3, 4, dtype=np.float32)),
    "visible": (np.bool_, np.True_),
    "bounds": (np.float32, np.zeros((2, 3), np.float32)),
}
"""Dtype and default row of the components that every world has."""


class Transforms:
    """The system ``transforms``: ``world_matrix = world_matrix of the parent @ T @ R @ S``, parents first."""

    def __init__(self, world: World) -> None:
        self._world = world

    def check(self) -> None:
        """Raise WorldError if a transform is none, or a parent is not there or below its own child."""
        from skelter.ecs.transforms_kernels import find_bad_kernel

        place = np.empty(1, np.int64)
        for table in self._tables():
            find_bad_kernel(_numbers(table), place)
            if place[0] >= 0:
                raise WorldError(_problem(table, int(place[0])))
        self._family()

    def run(self, _dt: float) -> None:
        """Write the world matrices of all entities that have a transform."""
        from skelter.ecs.transforms_kernels import matrix_kernel

        for table in self._tables():
            matrix_kernel(_numbers(table), table.column("world_matrix").reshape(-1, 12))
        parents, generations = self._family()
        if not generations:
            return
        world = np.zeros((len(parents), 3, 4), np.float32)
        for table in self._tables():
            world[index_of(table.entities)] = table.column("world_matrix")
        for generation in generations:
            world[generation] = _product(world[parents[generation]], world[generation])
        for table in self._tables():
            if "parent" in table:
                rows = np.flatnonzero(table.column("parent"))
                table.column("world_matrix")[rows] = world[index_of(table.entities[rows])]

    def _tables(self) -> list[Table]:
        return [
            table for table in self._world.tables if len(table) and "transform" in table and "world_matrix" in table
        ]

    def _family(self) -> tuple[np.ndarray, list[np.ndarray]]:
        """Return the index of the parent of each entity, 0 for none, and the children, generation by generation."""
        entities = self._world._entities
        parents = np.zeros(0, np.int64)
        for table in self._tables():
            if "parent" not in table:
                continue
            if not table.column("parent").any():
                continue
            rows = np.flatnonzero(table.column("parent"))
            if not len(parents):
                parents = np.zeros(len(entities.table), np.int64)
            handles = table.column("parent")[rows]
            self._check_parents(table, rows, handles)
            parents[index_of(table.entities[rows])] = index_of(handles)
        return parents, self._generations(parents)

    def _generations(self, parents: np.ndarray) -> list[np.ndarray]:
        """Return the indices of children, those first whose parents have no parents."""
        if not len(parents):
            return []
        left = np.flatnonzero(parents)
        generations = []
        is_left = parents != 0
        while len(left):
            ready = left[~is_left[parents[left]]]
            if not len(ready):
                raise WorldError(self._circle(parents, int(left[0])))
            generations.append(ready)
            is_left[ready] = False
            left = left[is_left[left]]
        return generations

    def _circle(self, parents: np.ndarray, start: int) -> str:
        seen: list[int] = []
        index = start
        while index not in seen:
            seen.append(index)
            index = int(parents[index])
        circle = [*seen[seen.index(index) :], index]
        names = " -> ".join(self._name(one) for one in circle)
        return f"parent: the entities {names} are below themselves; set one's parent to 0"

    def _check_parents(self, table: Table, rows: np.ndarray, handles: np.ndarray) -> None:
        entities = self._world._entities
        alive = entities.is_alive(handles)
        if not alive.all():
            child = table.entities[rows[int(np.argmin(alive))]]
            raise WorldError(
                f"parent: that of entity {int(child):#x}, {int(handles[int(np.argmin(alive))]):#x}, is not alive;"
                f' world.set(handle, "parent", 0) lets it go'
            )
        placed = np.array(["world_matrix" in one and "transform" in one for one in self._by_number()], np.bool_)
        stands = placed[entities.table[index_of(handles)]]
        if not stands.all():
            child = table.entities[rows[int(np.argmin(stands))]]
            raise WorldError(
                f"parent: that of entity {int(child):#x}, {int(handles[int(np.argmin(stands))]):#x}, has no transform"
                " or no world_matrix; add them"
            )

    def _by_number(self) -> list[dict[str, None]]:
        tables = {table.number: dict.fromkeys(table.names) for table in self._world.tables}
        return [tables.get(number, {}) for number in range(max(tables, default=NOWHERE) + 1)]

    def _name(self, index: int) -> str:
        return f"{int(self._world._entities.generation[index]) << 32 | index:#x}"


def _numbers(table: Table) -> np.ndarray:
    """Return the transforms of a table as float64 ``[row, 10]``."""
    return table.column("transform").view(np.float64).reshape(-1, 10)


def _problem(table: Table, row: int) -> str:
    transform = table.column("transform")[row]
    for name in ("position", "rotation", "scale"):
        if not usable(transform[name]).all():
            what = f"its {name} is {transform[name].tolist()}, not finite or too large"
            break
    else:
        what = f"its rotation {transform['rotation'].tolist()} has no length; [0, 0, 0, 1] is none"
    return f"transform: entity {int(table.entities[row]):#x}, row {row}: {what}"


def _product(parent: np.ndarray, child: np.ndarray) -> np.ndarray:
    """Return products of 3x4 matrices ``[some, 3, 4]``."""
    result = parent[:, :, :3] @ child
    result[:, :, 3] += parent[:, :, 3]
    return result
