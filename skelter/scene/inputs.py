"""Apply the inputs of a scene to a crowd as time goes on."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from skelter.crowd.crowd import Crowd
from skelter.scene.scene import FadeWeight, Input, Ramp, SetRandom, SetTrigger, SetValue

TOLERANCE_S = 1e-9
"""Times that differ by less are one: multiples of an interval add up with rounding."""


@dataclass(slots=True)
class _RunningRamp:
    """A ramp that some characters are on.

    Attributes:
        parameter: Name of the parameter.
        chars: Indices of the characters, int64 ``[some]``.
        begin: When it began [s].
        over: How long it takes [s].
        start, stop: Where it leads from and to, float64 ``[some]``.
    """

    parameter: str
    chars: np.ndarray
    begin: float
    over: float
    start: np.ndarray
    stop: np.ndarray

    def part(self, time: float) -> float:
        """Return how much of it is done at a time, in [0, 1]."""
        return min((time - self.begin) / self.over, 1.0)

    def leave(self, chars: np.ndarray) -> None:
        """Take characters off the ramp."""
        stays = ~np.isin(self.chars, chars)
        self.chars, self.start, self.stop = self.chars[stays], self.start[stays], self.stop[stays]


class InputPlayer:
    """Applies inputs to one crowd.

    Every input draws from a generator of its own, so that it draws the same whatever the others do and however many
    steps a second the scene has.
    """

    def __init__(self, crowd: Crowd, inputs: Sequence[Input], seed: Sequence[int]) -> None:
        """Begin before the first input.

        Args:
            crowd: The characters.
            inputs: What happens to them.
            seed: Seed of what is drawn.
        """
        self._crowd = crowd
        self._inputs = inputs
        self._random = [np.random.default_rng([*seed, index]) for index in range(len(inputs))]
        self._due = [(entry.at, index, 0) for index, entry in enumerate(inputs)]
        self._ramps: list[_RunningRamp] = []
        heapq.heapify(self._due)

    def apply(self, time: float) -> None:
        """Apply what is due at a time [s] and was not applied before, in order of time, then of the list."""
        while self._due and self._due[0][0] <= time + TOLERANCE_S:
            at, index, turn = heapq.heappop(self._due)
            entry = self._inputs[index]
            if at <= entry.until + TOLERANCE_S:
                self._move_ramps(at)
                self._start(entry, self._random[index], at)
                if entry.every is not None:
                    heapq.heappush(self._due, (entry.at + (turn + 1) * entry.every, index, turn + 1))
        self._move_ramps(time)

    def _start(self, entry: Input, random: np.random.Generator, at: float) -> None:
        crowd, chars, change = self._crowd, self._chars(entry, random), entry.change
        if isinstance(change, FadeWeight):
            layer = crowd.layer(change.layer)
            if change.over > 0.0:
                layer.blend_to_weight(change.weight, change.over, where=chars)
            else:
                layer.set_weight(change.weight, where=chars)
            return
        self._leave_ramps(change.parameter, chars)
        match change:
            case SetValue():
                crowd.set(change.parameter, change.value, where=chars)
            case SetRandom():
                crowd.set(change.parameter, self._drawn(change, random)[chars], where=chars)
            case Ramp():
                start = crowd.get(change.parameter)[chars]
                stop = self._drawn(change, random)[chars]
                self._ramps.append(_RunningRamp(change.parameter, chars, at, change.over, start, stop))
            case SetTrigger():
                crowd.trigger(change.parameter, where=chars, single_frame=change.single_frame)

    def _chars(self, entry: Input, random: np.random.Generator) -> np.ndarray:
        chars = np.arange(len(self._crowd)) if entry.chars is None else np.array(entry.chars, np.int64)
        if entry.fraction >= 1.0:
            return chars
        # rounded up or down at random: a small part of a small crowd is somebody now and then, not nobody ever
        count = int(entry.fraction * len(chars) + random.random())
        return np.sort(random.permutation(chars)[:count])

    def _drawn(self, change: SetRandom | Ramp, random: np.random.Generator) -> np.ndarray:
        """Draw a number for every character of the crowd, float64 ``[char]``."""
        count = len(self._crowd)
        if self._crowd.get(change.parameter).dtype == np.int64:
            return random.integers(int(np.ceil(change.low)), int(np.floor(change.high)), count, endpoint=True) * 1.0
        return random.uniform(change.low, change.high, count)

    def _move_ramps(self, time: float) -> None:
        for ramp in self._ramps:
            value = ramp.start + ramp.part(time) * (ramp.stop - ramp.start)
            self._crowd.set(ramp.parameter, value, where=ramp.chars)
        self._ramps = [ramp for ramp in self._ramps if ramp.part(time) < 1.0 and len(ramp.chars)]

    def _leave_ramps(self, parameter: str, chars: np.ndarray) -> None:
        """End the ramps that a newer input replaces."""
        for ramp in self._ramps:
            if ramp.parameter == parameter:
                ramp.leave(chars)
