"""Why a transition was taken or not: codes that the kernels write."""

from __future__ import annotations

from enum import IntEnum


class Verdict(IntEnum):
    """What became of a transition in a step: it was taken, or the first reason against it."""

    OTHER_STATE = 0
    """Its source is not a state that was looked at."""
    TAKEN = 1
    INTERRUPTION = 2
    """A cross-fade is running that it may not interrupt."""
    ACTIVE = 3
    """Its target is active already."""
    EXIT_TIME = 4
    """The step did not pass its exit time."""
    CONDITION = 5
    """A condition did not hold."""
    PRIORITY = 6
    """It could have been taken, but another one was looked at before it."""
    PAUSED = 7
    """The layer does not play."""


OTHER_STATE, TAKEN, INTERRUPTION, ACTIVE, EXIT_TIME, CONDITION, PRIORITY, PAUSED = (int(code) for code in Verdict)
