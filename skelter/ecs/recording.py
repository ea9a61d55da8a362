"""Recordings: what is done to a world between its steps, so that it can be done again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from skelter.core.errors import ArgumentError, WorldError
from skelter.ecs.snapshot import WorldSnapshot

if TYPE_CHECKING:
    from skelter.ecs.world import World


@dataclass(frozen=True, slots=True, eq=False)
class RowChange:
    """Rows of a column that were changed.

    Attributes:
        table: Number of the table.
        column: Name of the column.
        rows: int64 ``[some]``.
        values: Their values, ``[some, ...]``.
    """

    table: int
    column: str
    rows: np.ndarray
    values: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class RecordedStep:
    """A step, and what was done before it.

    Attributes:
        dt: Length of the step [s].
        changes: Rows that were changed, if nothing else was.
        whole: The world before the step, if entities came or went, or something in no column changed.
        hash: Hash of the world after the step.
    """

    dt: float
    changes: tuple[RowChange, ...]
    whole: WorldSnapshot | None
    hash: str


@dataclass(slots=True, eq=False, repr=False)
class Recording:
    """Steps of a world, and what was done to it before each: inputs are whatever differs from the end of a step.

        with world.record() as recording:
            ...                       # set, trigger, spawn, write columns, step
        recording.replay()            # the world does it all again

    Recording compares all columns in every step, so that no way of changing them is missed; it is made for finding
    faults, not for every day.

    Attributes:
        world: The world.
        start: The world when the recording began.
        steps: The steps.
    """

    world: World
    start: WorldSnapshot
    steps: list[RecordedStep] = field(default_factory=list)
    _before: WorldSnapshot | None = None
    _parts: dict[str, bytes] = field(default_factory=dict)
    _pending: tuple[tuple[RowChange, ...], WorldSnapshot | None] = ((), None)

    def __repr__(self) -> str:
        return f"<Recording of {len(self.steps)} steps from {self.start.time:.4g} s>"

    def __len__(self) -> int:
        return len(self.steps)

    def __enter__(self) -> Recording:
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Record no more."""
        if self.world._recording is self:
            self.world._recording = None

    def replay(self, *, check: bool = True) -> None:
        """Put the world back to the start, and do everything again.

        Args:
            check: Compare the hash of the world after each step with the recorded one.

        Raises:
            WorldError: A step has ended in another state; the message names it. `skelter.diff` says what differs.
        """
        for index, step in enumerate(self.play()):
            if check and self.world.hash() != step.hash:
                raise WorldError(
                    f"replay: step {index} of {len(self.steps)} ended in another state than when it was recorded; a"
                    " system depends on something that the world does not know, such as the time of day"
                )

    def play(self) -> Iterator[RecordedStep]:
        """Do everything again; yield each step after it was made."""
        if self.world._recording is not None:
            raise WorldError("replay: the world is being recorded; stop the recording first")
        self.world.restore(self.start)
        for step in self.steps:
            self.apply(step)
            self.world.step(step.dt)
            yield step

    def apply(self, step: RecordedStep) -> None:
        """Do what was done before a step."""
        if step.whole is not None:
            self.world.restore(step.whole)
            return
        for change in step.changes:
            self.world._tables[change.table].column(change.column)[change.rows] = change.values

    # The world calls these

    def begin_step(self) -> None:
        """Keep what was done since the last step."""
        before = self._before or self.start
        parts = {name: part.digest() for name, part in self.world._parts.items()}
        structure = [(table.number, table.names, table.entities.tobytes()) for table in self.world.tables]
        known = [(table.number, tuple(saved.columns), saved.entities.tobytes()) for table, saved in before.tables]
        if structure != known or parts != (self._parts or parts) or self._entities_moved(before):
            self._pending = ((), self.world.snapshot())
            return
        changes = []
        for table, saved in before.tables:
            for name, column in table.items():
                rows = changed_rows(column, saved.columns[name])
                if len(rows):
                    changes.append(RowChange(table.number, name, rows, column[rows]))
        self._pending = (tuple(changes), None)

    def end_step(self, dt: float) -> None:
        """Keep a step that was made."""
        self._before = self.world.snapshot()
        self._parts = {name: part.digest() for name, part in self.world._parts.items()}
        self.steps.append(RecordedStep(dt, *self._pending, self.world.hash()))

    def _entities_moved(self, before: WorldSnapshot) -> bool:
        return not np.array_equal(self.world._entities.save().generation, before.entities.generation)


def start_recording(world: World) -> Recording:
    """Begin to record a world."""
    if world._recording is not None:
        raise WorldError("record: the world is being recorded already")
    recording = Recording(world, world.snapshot())
    recording._parts = {name: part.digest() for name, part in world._parts.items()}
    world._recording = recording
    return recording


def changed_rows(now: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Return the rows of a column that differ in a bit, int64 ``[some]``."""
    if now.dtype.names is not None:
        some = [changed_rows(now[name], before[name]) for name in now.dtype.names]
        return np.unique(np.concatenate(some))
    differs = raw(now) != raw(before)
    return np.flatnonzero(differs.reshape(len(now), -1).any(axis=1)) if now.size else np.zeros(0, np.int64)


def raw(column: np.ndarray) -> np.ndarray:
    """Return numbers as their bits, so that NaN is equal to itself and -0 is not 0."""
    if column.dtype.kind in "fc":
        size = column.dtype.itemsize
        bits: np.ndarray[Any, Any] = np.ascontiguousarray(column).view(f"u{size}" if size <= 8 else "u8")
        return bits
    return column


def check_recording(value: object, name: str) -> None:
    """Raise ArgumentError if an argument is no recording."""
    if not isinstance(value, Recording):
        raise ArgumentError(f"{name}: expected a Recording, got {type(value).__name__}; world.record() makes one")
