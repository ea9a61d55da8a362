"""Slot: one stay in a state: how far it has played, and what it weighs in a cross-fade."""

from __future__ import annotations

from collections.abc import Mapping

from skelter.engines.reference.shares import Memory, Share, group_rate, is_held, state_shares
from skelter.engines.reference.state_plan import CLOCK, LeafPlan, StatePlan


class Slot:
    """A stay in a state.

    Attributes:
        plan: The state.
        time: The state's own time in the unit of its main group: seconds of a clock, or cycles. It only grows.
        time_before: The time before the last step that moved it; the two are the window of exit times.
        position: Unwrapped position per group: seconds of a clock, or cycles. It falls if the state plays backwards.
        share: Weight among the previous slots of a cross-fade.
        frozen: Nothing moves any more.
    """

    def __init__(self, plan: StatePlan, offset: float | None = None) -> None:
        self.plan = plan
        self.share = 1.0
        self.frozen = False
        self._memory: Memory = {}
        self.time = self.time_before = 0.0
        self.position = {group: plan.end(group) if plan.state.speed < 0.0 else 0.0 for group in plan.groups}
        if offset is not None and 0.0 < offset < 1.0:
            self.place(offset * plan.longest, offset)

    @property
    def name(self) -> str:
        """Name of the state."""
        return self.plan.state.name

    @property
    def finished(self) -> bool:
        """Whether a state that does not loop has come to its end."""
        return not self.plan.state.loop and self.time >= self.plan.time_end

    def progress(self) -> float:
        """Return plays of the first leaf's clip."""
        return self.plan.progress(self.time)

    def place(self, clock: float, phase: float) -> None:
        """Set all positions and the time; no event fires, no exit time is passed.

        Args:
            clock: Position of the clock [s].
            phase: Position of phase groups [cycles].
        """
        self.position = {group: clock if group == CLOCK else phase for group in self.plan.groups}
        self.time = self.time_before = self.position[self.plan.main]

    def set_time(self, time: float) -> None:
        """Set the time, in the main group's unit; the other groups go to the same fraction of the longest clip."""
        longest = self.plan.longest
        if self.plan.main == CLOCK:
            self.place(time, time / longest if longest > 0.0 else 0.0)
        else:
            self.place(time * longest, time)

    def shares(self, values: Mapping[str, float]) -> list[Share]:
        """Return what its leaves weigh at these parameters."""
        return state_shares(self.plan, values, self._memory)

    def pace(self, values: Mapping[str, float]) -> float:
        """Return how fast the time grows [1/s]."""
        return abs(self.plan.state.speed) * group_rate(self.plan.main, self.shares(values))

    def advance_time(self, dt: float, values: Mapping[str, float]) -> float:
        """Advance the state's own time; it stops at the end of a state that does not loop.

        Returns:
            The part of dt until the end was reached; all of dt if it was not, or has been before.
        """
        if self.finished:
            return dt
        pace = self.pace(values)
        self.time_before = self.time
        self.time += dt * pace
        end = self.plan.time_end
        if self.plan.state.loop or self.time <= end:
            return dt
        self.time = end
        return (end - self.time_before) / pace

    def move(self, dt: float, values: Mapping[str, float]) -> None:
        """Advance the positions, unless the state's tree holds its pose."""
        shares = self.shares(values)
        if is_held(self.plan, values):
            return
        state = self.plan.state
        for group, position in self.position.items():
            self.position[group] = position + dt * state.speed * group_rate(group, shares)

    def clip_time(self, leaf: LeafPlan) -> float:
        """Return the time in the clip of a leaf [s], in [0, duration]."""
        return clip_time(leaf, self.position[leaf.group], self.plan.state.loop)


def clip_time(leaf: LeafPlan, position: float, loop: bool) -> float:
    """Return the time in a clip [s] at a position of its group.

    Args:
        leaf: The leaf.
        position: Unwrapped position of the group.
        loop: Wrap into the clip; otherwise clamp.
    """
    if not loop:
        return unwrapped_time(leaf, position, loop)
    if leaf.group == CLOCK:
        return _wrapped(unwrapped_time(leaf, position, loop), leaf.duration)
    return unwrapped_time(leaf, _wrapped(position, 1.0), loop)


def unwrapped_time(leaf: LeafPlan, position: float, loop: bool) -> float:
    """Return the time in a clip [s], counted on through its loops; clamped to the clip if it does not loop."""
    if leaf.group == CLOCK:
        time = position * leaf.speed
        if not loop and leaf.speed > 0.0 and position >= leaf.play_time:
            return leaf.duration  # the product may round to less
    elif leaf.speed > 0.0:
        time = position * leaf.duration
    else:
        time = (1.0 - position) * leaf.duration if leaf.speed < 0.0 else 0.0
    return time if loop else min(max(time, 0.0), leaf.duration)


def _wrapped(value: float, length: float) -> float:
    """Return a value modulo a length; the end of a loop stays the end until it is passed."""
    if length == 0.0:
        return 0.0
    rest = value % length
    return length if rest == 0.0 and value > 0.0 else rest
