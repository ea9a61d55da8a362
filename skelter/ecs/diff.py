"""Differences of two runs: the first step, entity, stage and value that differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from skelter.ecs.recording import Recording, changed_rows, check_recording, raw
from skelter.ecs.snapshot import WorldSnapshot
from skelter.ecs.table import Table
from skelter.ecs.world import World

STAGES = ("inputs", "graph", "playback", "pose", "transform")
"""Stages in the order of a frame; all others come after them."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two runs part.

    Attributes:
        step: Index of the step; its inputs or what came of it differ.
        time: Time of the first run after the step [s].
        row: Row of the table: the index of the character.
        entity: Its handle.
        layer: Name of the layer, if what differs belongs to one.
        stage: Stage of the frame: ``inputs``, ``graph``, ``playback``, ``pose``, ``transform``, or ``structure``.
        column: Name of the column.
        place: Where in the row: names or indices along its axes, then the field.
        first, second: The two values.
    """

    step: int
    time: float
    row: int
    entity: int
    layer: str | None
    stage: str
    column: str
    place: tuple[str | int, ...]
    first: Any
    second: Any

    def __str__(self) -> str:
        where = f", layer {self.layer}" if self.layer is not None else ""
        place = ".".join(map(str, self.place))
        return (
            f"step {self.step} ({self.time:.6g} s), character {self.row}{where}: stage {self.stage},"
            f" {self.column}{f' at {place}' if place else ''}: {self.first} and {self.second}"
        )


def diff(first: Recording, second: Recording) -> Difference | None:
    """Play two recordings side by side, and find the first difference.

    Both worlds are put back afterwards. Within a step, stages are compared in the order of the frame: inputs, graph,
    playback, poses, transforms, and then all other columns.

    Args:
        first: A recording.
        second: Another one; of another world, or of the same one.

    Returns:
        The first difference, or None if there is none.

    Raises:
        ArgumentError: One of them is no recording.
    """
    check_recording(first, "first")
    check_recording(second, "second")
    before = first.world.snapshot(), second.world.snapshot()
    try:
        if first.world is second.world:
            return _compare_states(first, second)
        return _compare(first, second)
    finally:
        first.world.restore(before[0])
        second.world.restore(before[1])


def _compare(first: Recording, second: Recording) -> Difference | None:
    first.world.restore(first.start)
    second.world.restore(second.start)
    for index in range(max(len(first), len(second))):
        if index >= min(len(first), len(second)):
            return _missing(first, second, index)
        for recording in (first, second):
            recording.apply(recording.steps[index])
        found = _find(index, first.world, second.world, inputs=True)
        if found is not None:
            return found
        for recording in (first, second):
            recording.world.step(recording.steps[index].dt)
        found = _find(index, first.world, second.world, inputs=False)
        if found is not None:
            return found
    return None


def _compare_states(first: Recording, second: Recording) -> Difference | None:
    """Compare two recordings of one world: by snapshots of each step, since they cannot run side by side."""
    world = first.world
    states: list[list[WorldSnapshot]] = []
    for recording in (first, second):
        snapshots: list[WorldSnapshot] = []
        states.append(snapshots)
        world.restore(recording.start)
        for step in recording.steps:
            recording.apply(step)
            snapshots.append(world.snapshot())
            world.step(step.dt)
            snapshots.append(world.snapshot())
    for index, (one, other) in enumerate(zip(*states, strict=False)):
        tables = {table.number: (table, saved) for table, saved in other.tables}
        for table, saved in one.tables:
            if table.number not in tables:
                return _structure(index // 2, one.time, 0)
            found = _find_in(
                index // 2, one.time, table, saved.entities, saved.columns, tables[table.number][1].columns, world
            )
            if found is not None:
                return found
    return _missing(first, second, min(len(first), len(second))) if len(first) != len(second) else None


def _find(step: int, first: World, second: World, inputs: bool) -> Difference | None:
    tables = {table.number: table for table in second.tables}
    for table in first.tables:
        other = tables.get(table.number)
        if other is None:
            return _structure(step, first.time, 0)
        found = _find_in(step, first.time, table, table.entities, dict(table.items()), dict(other.items()), first)
        if found is not None:
            return found
    return None if inputs else _find_looks(step, first, second)


def _find_in(
    step: int,
    time: float,
    table: Table,
    entities: np.ndarray,
    columns: dict[str, np.ndarray],
    others: dict[str, np.ndarray],
    world: World,
) -> Difference | None:
    components = world.components
    order = sorted(columns, key=lambda name: _stage_number(components[name].stage))
    if set(columns) != set(others):
        return _structure(step, time, 0)
    for name in order:
        column, other = columns[name], others[name]
        if column.shape != other.shape or column.dtype != other.dtype:
            return _structure(step, time, min(len(column), len(other)))
        rows = changed_rows(column, other)
        if len(rows):
            row = int(rows[0])
            place, one, two = _first_place(column[row], other[row], table, components[name].axes)
            axes = zip(components[name].axes, place, strict=False)
            layer = next((str(label) for axis, label in axes if axis == "layer"), None)
            return Difference(step, time, row, int(entities[row]), layer, components[name].stage, name, place, one, two)
    return None


def _stage_number(stage: str) -> int:
    return STAGES.index(stage) if stage in STAGES else len(STAGES)


def _find_looks(step: int, first: World, second: World) -> Difference | None:
    """Compare what parts of the worlds show, such as poses: the same columns may look different in another engine."""
    for name, part in first._parts.items():
        compare = getattr(part, "difference", None)
        other = second._parts.get(name)
        if compare is not None and other is not None:
            found: Difference | None = compare(step, other)
            if found is not None:
                return found
    return None


def _first_place(
    one: np.ndarray, two: np.ndarray, table: Table, axes: tuple[str, ...]
) -> tuple[tuple[str | int, ...], Any, Any]:
    """Return where two rows differ first, and both values there."""
    one, two = np.asarray(one), np.asarray(two)
    if one.dtype.names is not None:
        for name in one.dtype.names:
            if (raw(one[name]) != raw(two[name])).any():
                place, first, second = _first_place(one[name], two[name], table, axes)
                return (*place, name), first, second
    index = tuple(int(part) for part in np.argwhere(np.atleast_1d(raw(one) != raw(two)))[0])[: one.ndim]
    labels = [table.labels.get(axis, ()) for axis in (*axes, *[""] * len(index))]
    place = tuple(label[part] if part < len(label) else part for part, label in zip(index, labels, strict=False))
    return place, one[index].item(), two[index].item()


def _structure(step: int, time: float, row: int) -> Difference:
    return Difference(step, time, row, 0, None, "structure", "entities", (), "its entities", "others")


def _missing(first: Recording, second: Recording, step: int) -> Difference:
    lengths = (f"{len(first)} steps", f"{len(second)} steps")
    return Difference(step, first.world.time, 0, 0, None, "structure", "steps", (), *lengths)
