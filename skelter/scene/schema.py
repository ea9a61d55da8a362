"""The tables of scene files: which keys they have, and what each key holds."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

from skelter.graph.advance import Timing
from skelter.scene.scene import MANNEQUIN, Placement

DURATION_MAX = 3600.0
RATE_MAX = 1000.0
COUNT_MAX = 100_000
INPUT_COUNT_MAX = 10_000
CROWD_COUNT_MAX = 100

Time = Annotated[float, Meta(ge=0.0, le=DURATION_MAX)]
Interval = Annotated[float, Meta(ge=1e-3, le=DURATION_MAX)]
Share = Annotated[float, Meta(ge=0.0, le=1.0)]
Text = Annotated[str, Meta(min_length=1, max_length=1000)]
Index = Annotated[int, Meta(ge=0, lt=COUNT_MAX)]


class RampTable(Struct, forbid_unknown_fields=True):
    """Where a parameter goes: a number or two bounds to draw from, and how long it takes [s]."""

    to: float | tuple[float, float]
    over: Interval


class InputTable(Struct, forbid_unknown_fields=True):
    """An entry of ``[[crowd.input]]``."""

    at: Time = 0.0
    every: Interval | None = None
    until: Time | None = None
    parameter: Text | None = None
    value: bool | float | None = None
    random: tuple[float, float] | None = None
    ramp: RampTable | None = None
    trigger: bool | None = None
    single_frame: bool | None = None
    layer: Text | None = None
    weight: Share | None = None
    over: Time | None = None
    chars: list[Index] | Index | Literal["all"] | None = None
    fraction: Share | None = None


class CrowdTable(Struct, forbid_unknown_fields=True):
    """An entry of ``[[crowd]]``."""

    name: Text = "crowd"
    character: Text = MANNEQUIN
    graph: Text = "locomotion"
    clips: dict[str, Any] = field(default_factory=dict)
    count: Annotated[int, Meta(ge=1, le=COUNT_MAX)] = 1
    placement: Placement = "scatter"
    spacing: Annotated[float, Meta(ge=1e-3, le=1e4)] = 1.2
    origin: tuple[float, float] = (0.0, 0.0)
    timing: Timing = "frame"
    engine: Literal["cpu"] = "cpu"
    weights: dict[str, Share] = field(default_factory=dict)
    input: Annotated[list[InputTable], Meta(max_length=INPUT_COUNT_MAX)] = field(default_factory=list)


class SceneTable(Struct, forbid_unknown_fields=True):
    """A scene file."""

    duration: Annotated[float, Meta(ge=1e-3, le=DURATION_MAX)]
    crowd: Annotated[list[CrowdTable], Meta(min_length=1, max_length=CROWD_COUNT_MAX)]
    rate: Annotated[float, Meta(ge=1.0, le=RATE_MAX)] = 60.0
    seed: Annotated[int, Meta(ge=0, le=2**53)] = 0
