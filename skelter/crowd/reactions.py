"""Reactions of a crowd: layers on top of its graph that are there while they play."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from skelter.crowd.directional import REACTS, REST, axis_parameters, reaction_controller
from skelter.crowd.run import GraphRun, SavedRun
from skelter.graph.advance import Timing
from skelter.graph.controller import Controller
from skelter.rig.rig import Rig

Key = tuple[tuple[tuple[str, str], ...], float, bool]
"""Clips by direction, fade [s] and loop: what makes a reaction another one."""


@dataclass(frozen=True, slots=True, eq=False)
class SavedReaction:
    """A reaction at a moment.

    Attributes:
        controller: Its graph.
        run: State of all characters.
    """

    controller: Controller
    run: SavedRun


class Reactions:
    """The reactions that play in a crowd: a run over all characters for each, the latest on top.

    A reaction is dropped when no character plays it any more.

    Attributes:
        runs: The runs, the lowest first.
    """

    def __init__(self, rig: Rig, timing: Timing, speed: np.ndarray) -> None:
        """Begin without any.

        Args:
            rig: The rig of the crowd.
            timing: Timing of the crowd.
            speed: The speeds of its characters, float64 ``[char]``; they are shared, so that all layers keep pace.
        """
        self._rig = rig
        self._timing: Timing = timing
        self._speed = speed
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
            run.step(0.0)  # from START into the state that plays nothing
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

    def step(self, dt: float) -> None:
        """Drop the reactions that have ended, and advance the others by ``dt`` [s]."""
        self._by_key = {key: run for key, run in self._by_key.items() if not _has_ended(run)}
        for run in self.runs:
            run.step(dt)

    def save(self) -> dict[Key, SavedReaction]:
        """Return a copy of everything that steps change."""
        return {key: SavedReaction(run.controller, run.save()) for key, run in self._by_key.items()}

    def restore(self, saved: Mapping[Key, SavedReaction]) -> None:
        """Go back to what was saved, here or in another crowd of as many characters."""
        self._by_key = {}
        for key, reaction in saved.items():
            self._by_key[key] = self._new_run(reaction.controller)
            self._by_key[key].restore(reaction.run)

    def _new_run(self, controller: Controller) -> GraphRun:
        run = GraphRun(controller, len(self._speed), self._timing, record=False)
        run.state = run.state._replace(speed=self._speed)
        return run


def _turn(run: GraphRun, state: str, chars: np.ndarray, local: np.ndarray) -> None:
    for column, name in enumerate(axis_parameters(state)):
        run.state.values[chars, run.controller.parameter_index(name)] = local[:, column]


def _has_ended(run: GraphRun) -> bool:
    machines = run.state.machines
    resting = machines["active"] == run.controller.state_index(0, REST)
    return bool((resting & (machines["fading"] == 0)).all())
