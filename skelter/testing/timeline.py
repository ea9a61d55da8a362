"""Timeline: what happened in a scenario so far, as text for people who read why a test failed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

EVENT_LINES_MAX = 40
"""Inputs and events that are listed, the last ones."""


@dataclass(slots=True)
class Stay:
    """A stay in a state.

    Attributes:
        state: Name of the state.
        begin: When it was entered [s]: as a rule the begin of the step in which it was.
        end: When it was left, or the time at which it was last seen active [s].
    """

    state: str
    begin: float
    end: float

    def __str__(self) -> str:
        return f"{self.state} {_seconds(self.begin)}-{_seconds(self.end)}"


@dataclass(frozen=True, slots=True)
class Mark:
    """Something at a time.

    Attributes:
        time: When [s].
        text: What.
    """

    time: float
    text: str

    def __str__(self) -> str:
        return f"{_seconds(self.time):>8}  {self.text}"


@dataclass(slots=True)
class Timeline:
    """What happened so far.

    Attributes:
        stays: The stays of each layer, by name.
        inputs: What was set and triggered.
        events: Events of clips.
    """

    stays: dict[str, list[Stay]] = field(default_factory=dict)
    inputs: list[Mark] = field(default_factory=list)
    events: list[Mark] = field(default_factory=list)

    def see(self, layer: str, state: str, time: float, *, entered: float, again: bool = False) -> None:
        """Note that a state is active.

        Args:
            layer: Name of the layer.
            state: Name of the state.
            time: Now [s].
            entered: When it was entered, if it is another one than before [s].
            again: It has been entered anew.
        """
        stays = self.stays.setdefault(layer, [])
        new = not stays or stays[-1].state != state or again
        if stays:
            stays[-1].end = entered if new else time
        if new:
            stays.append(Stay(state, entered, time))

    def visited(self, layer: str) -> list[str]:
        """Return the names of the states of a layer in the order in which they were seen."""
        return [stay.state for stay in self.stays[layer]]

    def __str__(self) -> str:
        width = max(map(len, self.stays), default=0)
        lines = [f"  {layer:<{width}}  {', '.join(map(str, _shown(stays)))}" for layer, stays in self.stays.items()]
        return "\n".join(["states [s]", *lines, *_section("inputs", self.inputs), *_section("events", self.events)])


def _shown(stays: Sequence[Stay]) -> list[Stay]:
    """Return stays without those that lasted for no time, like that in START as a rule, but with the last one."""
    return [stay for stay in stays if stay.end > stay.begin or stay is stays[-1]]


def _section(title: str, marks: Sequence[Mark]) -> list[str]:
    if not marks:
        return [f"{title}: none"]
    left_out = len(marks) - EVENT_LINES_MAX
    heading = f"{title} [s]" + (f", the last {EVENT_LINES_MAX} of {len(marks)}" if left_out > 0 else "")
    return [heading, *(f"  {mark}" for mark in marks[-EVENT_LINES_MAX:])]


def _seconds(time: float) -> str:
    return f"{time:.3f}"
