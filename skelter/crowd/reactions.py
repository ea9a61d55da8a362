"""Reactions of a crowd: layers on top of its graph that are there while they play."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from skelter.crowd.components import declare_columns, graph_rows
from skelter.crowd.directional import REACTS, REST, axis_parameters, reaction_controller
from skelter.crowd.run import GraphRun, SavedRun
from skelter.ecs.table import Table
from skelter.ecs.world import World
from skelter.graph.advance import Timing
from skelter.graph.controller import Controller
from skelter.rig.rig import Rig

Key = tuple[tuple[tuple[str, str], ...], float, bool]
"""Clips by direction, fade [s] and loop: what makes a reaction another one."""


@dataclass(frozen=True, slots=True, eq=False)
class SavedReaction:
    """A reaction at a moment; its columns are saved with the table.

    Attributes:
        controller: Its graph.
        prefix: What the names of its columns begin with.
        run: The rest of its state.
    """

    controller: Controller
    prefix: str
    run: SavedRun


class Reactions:
    """The reactions that play in a crowd: a run over all characters for each, the latest on top.

    A reaction is dropped when no character plays it any more.

    Attributes:
        runs: The runs, the lowest first.
    """

    def __init__(self, rig: Rig, world: World, table: Table, timing: Timing) -> None:
        """Begin without any.

        Args:
            rig: The rig of the crowd.
            world: The world of the crowd.
            table: The table of its characters, which gets the columns of reactions while they play.
            timing: Timing of the crowd.
        """
        self._rig = rig
        self._world = world
        self._table = table
        self._timing: Timing = timing
        self._by_key: dict[Key, GraphRun] = {}

    @property
    def runs(self) -> list[GraphRun]:
        """The runs, the lowest first."""
        return list(self._by_key.values())

    def play(self, chars: np.ndarray, clips: Mapping[str, str], local: np.ndarray, fade: float, loop: bool) -> None:
        """Play a reaction, or begin it anew.

        Args:
            chars: Indices of characters, int64 ``[some]``.
            clips: Clip per direction.
            local: Directions around them, float64 ``[some, 2]``: right and front.
            fade: Time to fade in, and out at the end [s].
            loop: Play on until `stop`.
        """
        key = (tuple(sorted(clips.items())), fade, loop)
        if key not in self._by_key:
            run = self._new_run(reaction_controller(self._rig, clips, fade, loop))
            run.step(0.0, None)  # from START into the state that plays nothing
            self._by_key[key] = run
        run = self._by_key[key]
        first, second = REACTS
        reacting = run.state.machines["active"][chars, 0] == run.controller.state_index(0, first)
        for state, which in ((first, ~reacting), (second, reacting)):
            _turn(run, state, chars[which], local[which])
            run.enter(chars[which], 0, run.controller.state_index(0, state), fade, 0.0)

    def turn(self, chars: np.ndarray, local: np.ndarray) -> None:
        """Change the directions of all reactions, float64 ``[some, 2]``: right and front.

        What an older hit left, and fades out under a new one, keeps its direction.
        """
        for run in self.runs:
            machines = run.state.machines[chars, 0]
            resting = machines["active"] == run.controller.state_index(0, REST)
            latest = np.where(resting, machines["previous"], machines["active"])
            for state in REACTS:
                which = latest == run.controller.state_index(0, state)
                _turn(run, state, chars[which], local[which])

    def stop(self, chars: np.ndarray, fade: float) -> None:
        """Fade out what characters play [s]; what fades out already goes on doing so."""
        for run in self.runs:
            rest = run.controller.state_index(0, REST)
            reacting = run.state.machines["active"][chars, 0] != rest
            run.enter(chars[reacting], 0, rest, fade, 0.0)

    def end(self, chars: np.ndarray) -> None:
        """Stop what characters play, and what fades out, without a fade."""
        for run in self.runs:
            run.enter(chars, 0, run.controller.state_index(0, REST), 0.0, 0.0)

    def step(self, dt: float | np.ndarray, due: np.ndarray | None) -> None:
        """Drop the reactions that have ended, and advance the others, as `GraphRun.step`."""
        for key, run in list(self._by_key.items()):
            if _has_ended(run):
                del self._by_key[key]
                self._drop_columns(run)
        for run in self.runs:
            run.step(dt, due)

    def save(self) -> dict[Key, SavedReaction]:
        """Return what changes and is in no column."""
        return {key: SavedReaction(run.controller, run.prefix, run.save()) for key, run in self._by_key.items()}

    def restore(self, saved: Mapping[Key, SavedReaction]) -> None:
        """Go back to what was saved, here or in another crowd; the columns are back already."""
        self._by_key = {}
        for key, reaction in saved.items():
            run = GraphRun(reaction.controller, self._table, self._timing, False, reaction.prefix)
            run.restore(reaction.run)
            self._by_key[key] = run

    def _new_run(self, controller: Controller) -> GraphRun:
        """Return a run with columns of its own in the table."""
        taken = {run.prefix for run in self.runs}
        prefix = next(name for name in map(_prefix, range(len(taken) + 1)) if name not in taken)
        rows = graph_rows(controller, False, prefix)
        del rows[f"{prefix}speed"]
        declare_columns(self._world, prefix)
        self._table.add_columns(rows)
        return GraphRun(controller, self._table, self._timing, False, prefix)

    def _drop_columns(self, run: GraphRun) -> None:
        self._table.remove_columns(tuple(name for name in self._table.names if name.startswith(run.prefix)))


def _prefix(number: int) -> str:
    return f"reaction_{number}."


def _turn(run: GraphRun, state: str, chars: np.ndarray, local: np.ndarray) -> None:
    for column, name in enumerate(axis_parameters(state)):
        run.state.values[chars, run.controller.parameter_index(name)] = local[:, column]


def _has_ended(run: GraphRun) -> bool:
    machines = run.state.machines
    resting = machines["active"] == run.controller.state_index(0, REST)
    return bool((resting & (machines["fading"] == 0)).all())
