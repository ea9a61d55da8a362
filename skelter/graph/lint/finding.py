"""Finding: one thing that looks wrong; Code: which kind of thing."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from skelter.graph.graph import END, Layer, Parameter, StateGraph, Transition


class Code(StrEnum):
    """The kinds of findings; `docs/reference/lint.md` explains each."""

    UNKNOWN_KEY = "unknown-key"
    UNUSED_PARAMETER = "unused-parameter"
    UNUSED_TRIGGER = "unused-trigger"
    UNREACHABLE_STATE = "unreachable-state"
    DEAD_END = "dead-end"
    SELF_TRANSITION = "self-transition"
    SHADOWED_TRANSITION = "shadowed-transition"
    IMPOSSIBLE_CONDITIONS = "impossible-conditions"
    MAGNITUDE_OF_BOOLEAN = "magnitude-of-boolean"
    CONDITIONAL_START = "conditional-start"
    INSTANT_CYCLE = "instant-cycle"
    UNREACHABLE_EXIT_TIME = "unreachable-exit-time"
    LONG_FADE = "long-fade"
    SLOW_FADE = "slow-fade"
    IGNORED_OFFSET = "ignored-offset"
    COINCIDENT_POINTS = "coincident-points"
    SINGLE_CHILD = "single-child"
    POINT_OUT_OF_REACH = "point-out-of-reach"
    EMPTY_MASK = "empty-mask"


@dataclass(frozen=True, slots=True)
class Finding:
    """A thing that looks wrong in a graph that can run.

    Attributes:
        code: Its kind.
        path: Where it is in the JSON form.
        message: What was found there, and the fix.
    """

    code: Code
    path: str
    message: str

    def __str__(self) -> str:
        """Return ``path: message [code]``."""
        return f"{self.path}: {self.message} [{self.code}]"


@dataclass
class Subject:
    """What rules look at.

    Attributes:
        graph: A valid graph, read from its JSON form: each object knows its place.
        durations: Lengths of clips [s] by path.
        parameters: The parameters by name.
    """

    graph: StateGraph
    durations: dict[str, float]
    parameters: dict[str, Parameter] = field(init=False)

    def __post_init__(self) -> None:
        self.parameters = {parameter.name: parameter for parameter in self.graph.parameters}


def true_target(layer: Layer, transition: Transition) -> str:
    """Return the state that a transition leads to; END stands for the default state."""
    return (layer.default_state or END) if transition.target == END else transition.target


def arrow(transition: Transition) -> str:
    """Return ``Idle -> Walk``."""
    return f"{transition.source} -> {transition.target}"
