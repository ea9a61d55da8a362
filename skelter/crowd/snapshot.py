"""Snapshots of a crowd."""

from __future__ import annotations

from dataclasses import dataclass

from skelter.crowd.reactions import Key, SavedReaction
from skelter.crowd.run import SavedRun
from skelter.ecs.table import SavedTable
from skelter.graph.controller import Controller


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Snapshot:
    """A crowd at a moment; `Crowd.restore` goes back to it.

    Attributes:
        controller: Controller of the crowd.
        table: Its columns.
        state: What is in no column.
    """

    controller: Controller
    table: SavedTable
    state: SavedCrowd

    @property
    def time(self) -> float:
        """Time of the crowd [s]."""
        return self.state.time

    def __repr__(self) -> str:
        return f"<Snapshot of {len(self.table.entities)} characters at {self.state.time:.4g} s>"


@dataclass(frozen=True, slots=True, eq=False)
class SavedCrowd:
    """What a crowd has in no column.

    Attributes:
        time: Time of the crowd [s].
        run: Of its graph.
        reactions: Of its directional reactions.
        next_turn: See `Crowd.spawn`.
    """

    time: float
    run: SavedRun
    reactions: dict[Key, SavedReaction]
    next_turn: int
