"""One layer of a crowd: what it is doing, and how to make it do something by hand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from skelter.core.checks import single_number
from skelter.core.errors import ArgumentError, near_names
from skelter.core.playback import REST
from skelter.crowd.inputs import CharSelection, char_indices, char_values
from skelter.crowd.run import GraphRun
from skelter.ecs.world import DT_MAX
from skelter.graph.graph import END, Mask
from skelter.rig.mask import joint_mask, pack_mask

TIME_MAX = DT_MAX
"""Longest cross-fade and weight fade [s]: as long as a step."""


@dataclass(frozen=True, slots=True)
class PlayingClip:
    """A clip that a character plays.

    Attributes:
        clip: Name of the clip, None for nothing: the rest pose, or what lies below.
        time: Clip time [s].
        weight: Weight in its layer.
    """

    clip: str | None
    time: float
    weight: float


class CrowdLayer:
    """A layer of all characters of a crowd. Columns have one entry per character and are copies."""

    def __init__(self, run: GraphRun, index: int) -> None:
        self._run = run
        self._index = index

    @property
    def name(self) -> str:
        """Name of the layer."""
        return self._run.controller.layer_names[self._index]

    @property
    def active(self) -> np.ndarray:
        """Names of the active states, text ``[char]``."""
        return self._names()[self._machines["active"]]

    @property
    def previous(self) -> np.ndarray:
        """Names of the states that were active before, text ``[char]``; empty where there was none."""
        return np.append(self._names(), "")[self._machines["previous"]]

    @property
    def transitioning(self) -> np.ndarray:
        """Where a cross-fade is running, bool ``[char]``."""
        return np.asarray(self._machines["fading"] != 0)

    @property
    def transition_progress(self) -> np.ndarray:
        """How far the cross-fade has come, float64 ``[char]`` in [0, 1]; NaN where none is running."""
        elapsed, total = self._machines["elapsed"], self._machines["total"]
        part = np.divide(elapsed, total, out=np.ones(len(total)), where=total > 0.0)
        return np.where(self.transitioning, part, np.nan)

    @property
    def progress(self) -> np.ndarray:
        """How many times the active state has played, float64 ``[char]``; 1 for START and for clips of length 0."""
        states = self._run.controller.tables.states[self._machines["active"]]
        time = self._active_slots["time"]
        length = np.where(states["first_duration"] > 0.0, states["first_duration"], 1.0)
        plays = np.where(states["by_phase"] != 0, time, time * states["first_speed"] / length)
        return np.where(states["complete"] != 0, 1.0, plays)

    @property
    def time(self) -> np.ndarray:
        """Time of the active state, float64 ``[char]``: seconds, or plays of a tree that is in step."""
        return np.asarray(self._active_slots["time"])

    @property
    def weight(self) -> np.ndarray:
        """Weight of the layer, float64 ``[char]``."""
        return self._machines["weight"].copy()

    @property
    def playing(self) -> np.ndarray:
        """Where the layer plays, bool ``[char]``."""
        return np.asarray(self._machines["playing"] != 0)

    def playing_clips(self, char: int = 0) -> tuple[PlayingClip, ...]:
        """Return what a character plays in this layer since the last step; the weights sum to 1.

        Raises:
            ArgumentError: There is no such character.
        """
        (row,) = self._chars(char)
        playback, names = self._run.output.playback, self._run.controller.rig.clip_names
        entries = range(*playback.layer_start[row, self._index : self._index + 2])
        return tuple(
            PlayingClip(
                names[playback.clip[row, entry]] if playback.clip[row, entry] != REST else None,
                float(playback.time[row, entry]),
                float(playback.weight[row, entry]),
            )
            for entry in entries
        )

    def transition(self, to: str, time: float = 0.0, *, offset: float = 0.0, where: CharSelection = None) -> None:
        """Enter a state now, whatever the transitions say; the active state is entered anew.

        Args:
            to: Name of the state; ``END`` is the default state.
            time: Length of the cross-fade [s].
            offset: Where its clip starts, as a fraction of its length in [0, 1).
            where: Which characters.

        Raises:
            ArgumentError: There is no such state, or a number makes no sense.
        """
        fade = single_number(time, "time", low=0.0, high=TIME_MAX, unit=" s")
        part = single_number(offset, "offset", low=0.0, high=1.0)
        self._run.enter(self._chars(where), self._index, self._state(to), fade, part if part < 1.0 else 0.0)

    def play(self, state: str | None = None, *, where: CharSelection = None) -> None:
        """Go on after a pause; or play a state at once.

        A state is entered through a transition from the active state if one passes now; otherwise without a fade, from
        its start.

        Args:
            state: Name of the state, or None to go on with what is active.
            where: Which characters.

        Raises:
            ArgumentError: There is no such state.
        """
        if state is None:
            self._machines["playing"][self._chars(where)] = 1
        else:
            self._run.play(self._chars(where), self._index, self._state(state))

    def pause(self, *, where: CharSelection = None) -> None:
        """Stand still: no time passes in the layer and no transition is taken, but its pose stays in the mix."""
        self._machines["playing"][self._chars(where)] = 0

    def reset(self, *, where: CharSelection = None) -> None:
        """Go back to START and pause; `play` begins anew. Parameters and the layer's weight stay."""
        self._run.reset_layer(self._chars(where), self._index)

    def set_weight(self, weight: ArrayLike, *, where: CharSelection = None) -> None:
        """Set the weight of the layer, one for all or one per character, in [0, 1]; a running fade ends."""
        which = self._chars(where)
        weights = self._checked_weights(weight, which)
        self._machines["weight"][which] = weights
        self._machines["weight_time"][which] = -1.0

    def blend_to_weight(self, weight: ArrayLike, time: float, *, where: CharSelection = None) -> None:
        """Fade the weight of the layer.

        Args:
            weight: Where it fades to, one for all or one per character, in [0, 1].
            time: Length of the fade [s]; 0 sets it in the next step, or never by the rules of PlayCanvas.
            where: Which characters.

        Raises:
            ArgumentError: A weight is outside [0, 1], or the time makes no sense.
        """
        which = self._chars(where)
        weights = self._checked_weights(weight, which)
        fade = single_number(time, "time", low=0.0, high=TIME_MAX, unit=" s")
        machines = self._machines
        machines["weight_from"][which] = machines["weight"][which]
        machines["weight_to"][which] = weights
        machines["weight_elapsed"][which] = 0.0
        ignored = fade == 0.0 and self._run.controller.rules == "playcanvas"
        machines["weight_time"][which] = -1.0 if ignored else fade

    def set_time(self, time: ArrayLike, *, where: CharSelection = None) -> None:
        """Move the active state to a time, one for all or one per character: seconds, or plays of a tree in step.

        Raises:
            ArgumentError: A time is negative or not finite.
        """
        which = self._chars(where)
        times = char_values(time, which, "time")
        if (times < 0.0).any():
            raise ArgumentError(f"time: expected times from 0, got {times.min():g}")
        run, count = self._run, self._machines["previous_count"][which]
        slots = run.state.slots[:, self._index]
        slots["time"][which, count] = times
        slots["before"][which, count] = times
        run.state.positions[which, self._index, count] = self._positions(self._machines["active"][which], times)

    def set_mask(self, rules: Mask | None) -> None:
        """Change the mask of the layer for this crowd.

        Args:
            rules: As in a graph; None is every joint.

        Raises:
            ArgumentError: A rule is malformed or matches no joint.
        """
        rig = self._run.controller.rig
        weights, unmatched = (np.ones(rig.joint_count, np.float32), ()) if rules is None else joint_mask(rig, rules)
        if unmatched:
            problems = [f"no joint matches {key!r}{near_names(key, rig.joint_names)}" for key in unmatched]
            raise ArgumentError(f"mask: {', '.join(problems)}")
        self._run.set_mask(self._index, pack_mask(weights))

    def _positions(self, states: np.ndarray, times: np.ndarray) -> np.ndarray:
        """Return the positions of the groups of states at own times, float64 ``[some, group]``.

        Between groups that count plays and the one that counts seconds, the longest clip of the state converts.
        """
        tables = self._run.controller.tables
        rows = tables.states[states]
        groups = np.arange(self._run.controller.group_count)
        known = np.minimum(rows["group_start"][:, None] + groups, max(len(tables.group_by_phase) - 1, 0))
        by_phase = tables.group_by_phase[known] != 0
        own = (rows["by_phase"] != 0)[:, None]
        longest = np.where(rows["longest"] > 0.0, rows["longest"], 1.0)[:, None]
        factor = np.where(by_phase == own, 1.0, np.where(by_phase, 1.0 / longest, longest))
        return times[:, None] * factor

    @property
    def _machines(self) -> np.ndarray:
        return self._run.state.machines[:, self._index]

    @property
    def _active_slots(self) -> np.ndarray:
        slots = self._run.state.slots[:, self._index]
        return slots[np.arange(len(slots)), self._machines["previous_count"]]

    def _names(self) -> np.ndarray:
        return np.array(self._run.controller.state_names)

    def _state(self, name: str) -> int:
        if name == END:
            return int(self._run.controller.tables.layers["default_state"][self._index])
        return self._run.controller.state_index(self._index, name)

    def _chars(self, where: CharSelection) -> np.ndarray:
        return char_indices(where, len(self._run.state.values))

    def _checked_weights(self, weight: ArrayLike, chars: np.ndarray) -> np.ndarray:
        weights = char_values(weight, chars, "weight")
        wrong = (weights < 0.0) | (weights > 1.0)
        if wrong.any():
            place = int(np.flatnonzero(wrong)[0])
            raise ArgumentError(
                f"weight: expected weights from 0 to 1, the one for character {chars[place]} is {weights[place]:g}"
            )
        return weights
