"""Scene: crowds, what happens to them over time, and for how long."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from skelter.graph.advance import Timing
from skelter.graph.graph import StateGraph

MANNEQUIN = "mannequin"
"""The word for the built-in character in place of a file."""

Placement = Literal["grid", "scatter"]


@dataclass(frozen=True, slots=True)
class SetValue:
    """Set a parameter to a value."""

    parameter: str
    value: float | bool


@dataclass(frozen=True, slots=True)
class SetRandom:
    """Set a parameter to a number between two bounds, drawn for each character; whole if the parameter is."""

    parameter: str
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Ramp:
    """Change a parameter evenly over time, from what it is to a number between two bounds, drawn for each character.

    Attributes:
        parameter: Name of the parameter.
        low, high: Bounds of where it leads; equal for a value that all share.
        over: How long it takes [s].
    """

    parameter: str
    low: float
    high: float
    over: float


@dataclass(frozen=True, slots=True)
class SetTrigger:
    """Set a trigger; ``single_frame`` takes it back after one step, used or not."""

    parameter: str
    single_frame: bool = False


@dataclass(frozen=True, slots=True)
class FadeWeight:
    """Change the weight of a layer, over a time [s]."""

    layer: str
    weight: float
    over: float = 0.0


Change = SetValue | SetRandom | Ramp | SetTrigger | FadeWeight


@dataclass(frozen=True, slots=True)
class Input:
    """Something that happens to characters.

    Attributes:
        change: What happens.
        at: When it happens [s]; the first time, if it happens again.
        every: Time from one to the next [s], or None if it happens once.
        until: When it happens at the latest [s].
        chars: Indices of the characters, or None for all.
        fraction: Part of these characters, drawn anew each time; what is no whole number is rounded at random.
    """

    change: Change
    at: float = 0.0
    every: float | None = None
    until: float = float("inf")
    chars: tuple[int, ...] | None = None
    fraction: float = 1.0


@dataclass(frozen=True, slots=True)
class SceneCrowd:
    """Characters that share a file and a graph.

    Attributes:
        name: Unique name.
        graph: What drives them.
        character: A character file, or `MANNEQUIN`.
        clips: Clip per path of the graph, None for an empty one; other paths are bound by name.
        count: Number of characters.
        placement: ``grid``: rows and columns. ``scatter``: staggered rows, each character a little off.
        spacing: Distance between neighbours [m].
        origin: Middle of the crowd on the ground, x and z [m].
        timing: ``frame`` or ``exact``, as in `Crowd`.
        weights: Weights of layers at the start, where they are not the graph's.
        inputs: What happens, in the order of the file.
    """

    name: str
    graph: StateGraph
    character: str = MANNEQUIN
    clips: Mapping[str, str | None] = field(default_factory=dict)
    count: int = 1
    placement: Placement = "scatter"
    spacing: float = 1.2
    origin: tuple[float, float] = (0.0, 0.0)
    timing: Timing = "frame"
    weights: Mapping[str, float] = field(default_factory=dict)
    inputs: tuple[Input, ...] = ()


@dataclass(frozen=True, slots=True)
class Scene:
    """Crowds, what happens to them, and for how long.

    Attributes:
        name: Name for messages, such as the file's.
        crowds: The crowds.
        duration: Length [s].
        rate: Steps a second [Hz].
        seed: Seed of everything that is drawn: the same seed gives the same scene.
    """

    name: str
    crowds: tuple[SceneCrowd, ...]
    duration: float
    rate: float = 60.0
    seed: int = 0

    @property
    def step_count(self) -> int:
        """Number of steps, at least 1; the last one ends at the duration, or within half a step of it."""
        return max(1, round(self.duration * self.rate))
