"""Advance graphs by a step: dt and inputs in, playback list, events and verdicts out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from skelter.core.playback import PlaybackList
from skelter.graph.controller import Controller
from skelter.graph.tables import EVENT, SLOT_COUNT, VERDICT, MachineState

if TYPE_CHECKING:
    from skelter.graph.slot_kernels import Scratch

Timing = Literal["frame", "exact"]
TIMINGS: tuple[Timing, ...] = ("frame", "exact")
EVENT_ROOM = 256
"""Events that a step has room for at first; it is doubled, and the step repeated, when more happen."""


@dataclass(slots=True, eq=False)
class StepOutput:
    """What a step writes, one row per character.

    Attributes:
        playback: What every character plays.
        events: `EVENT` ``[event]``: events of the step, character by character; those of one layer by layer in frame
            timing, moment by moment in exact timing.
        verdict: `VERDICT` ``[char, transition]``: what became of each transition, if it is recorded.
        room: `EVENT` ``[...]``: memory of ``events``.
    """

    playback: PlaybackList
    verdict: np.ndarray
    events: np.ndarray = field(default_factory=lambda: np.zeros(0, EVENT))
    room: np.ndarray = field(default_factory=lambda: np.zeros(EVENT_ROOM, EVENT), repr=False)


def new_output(controller: Controller, count: int) -> StepOutput:
    """Return buffers for the steps of ``count`` characters, which play nothing yet."""
    layer_count, entry_count = controller.layer_count, controller.entry_count
    playback = PlaybackList(
        layer_start=np.tile(np.arange(layer_count + 1, dtype=np.int32), (count, 1)),
        clip=np.full((count, entry_count), -1, np.int32),
        time=np.zeros((count, entry_count)),
        weight=np.ones((count, entry_count)),
        layer_weight=np.tile(controller.tables.layers["weight"], (count, 1)),
    )
    return StepOutput(playback, np.zeros((count, len(controller.tables.transitions)), VERDICT))


def new_scratch(controller: Controller) -> Scratch:
    """Return room for one layer of one character."""
    from skelter.graph.slot_kernels import Scratch

    return Scratch(
        weights=np.zeros((SLOT_COUNT, controller.leaf_count)),
        rest=np.zeros(SLOT_COUNT),
        still=np.zeros(SLOT_COUNT, np.uint8),
        rates=np.zeros((SLOT_COUNT, controller.group_count)),
        origins=np.zeros((SLOT_COUNT, controller.group_count)),
        tree_weight=np.zeros(controller.tree_count),
        child_weight=np.zeros(controller.child_count),
        values=np.zeros(len(controller.parameter_names)),
        done=np.zeros(controller.layer_count, np.uint8),
    )


def advance(
    controller: Controller,
    state: MachineState,
    dt: float,
    output: StepOutput,
    *,
    timing: Timing = "frame",
    record: bool = False,
) -> None:
    """Advance all characters by one step.

    Args:
        controller: The compiled graph.
        state: State and inputs of the characters, read and written.
        dt: Length of the step [s], at least 0.
        output: Buffers, written; ``events`` is a view that the next step overwrites.
        timing: ``frame``: at most one transition per layer, in the order of a frame. ``exact``: transitions happen when
            they are due, so that it does not matter how a time is split into steps.
        record: Write verdicts.
    """
    has_events = bool(len(controller.tables.event_time))
    saved = state.copy() if has_events else None
    count = _run(controller, state, dt, output, timing, record, has_events)
    while saved is not None and count > len(output.room):
        output.room = np.zeros(2 * count, EVENT)
        state.restore(saved)
        count = _run(controller, state, dt, output, timing, record, has_events)
    output.events = output.room[:count]


def _run(
    controller: Controller,
    state: MachineState,
    dt: float,
    output: StepOutput,
    timing: Timing,
    record: bool,
    has_events: bool,
) -> int:
    """Run the kernel; return how many events happened, which may be more than there is room for."""
    from skelter.graph.advance_kernels import advance_kernel
    from skelter.graph.exact_kernels import advance_exactly_kernel
    from skelter.graph.layer_kernels import StepOptions
    from skelter.graph.playback_kernels import EventArrays

    total = np.zeros(1, np.int64)
    kernel = advance_exactly_kernel if timing == "exact" else advance_kernel
    kernel(
        controller.tables,
        float(dt),
        StepOptions(timing == "exact", record, has_events),
        0,
        len(state.values),
        new_scratch(controller),
        state,
        output.playback.arrays(),
        EventArrays(output.room, total),
        output.verdict,
    )
    return int(total[0])
