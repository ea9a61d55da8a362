"""Advance graphs by a step: dt and inputs in, playback list, events and verdicts out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from skelter.core.checks import as_array, due_flags
from skelter.core.playback import REST, PlaybackList
from skelter.core.workers import CHUNK, Workers, default_workers
from skelter.graph.controller import Controller
from skelter.graph.room import EVENT_ROOM as EVENT_ROOM
from skelter.graph.room import borrowed_room, new_scratch, new_ways
from skelter.graph.tables import EVENT, VERDICT, MachineState

if TYPE_CHECKING:
    from skelter.core.vector_kernels import Work

Timing = Literal["frame", "exact"]
TIMINGS: tuple[Timing, ...] = ("frame", "exact")
PLAYBACK_FIELDS = ("layer_start", "clip", "time", "weight", "layer_weight")


@dataclass(slots=True, eq=False)
class StepOutput:
    """What a step writes, one row per character.

    Attributes:
        playback: What every character plays.
        verdict: `VERDICT` ``[char, transition]``: what became of each transition, if it is recorded; else no rows.
    """

    playback: PlaybackList
    verdict: np.ndarray


def output_rows(controller: Controller, record: bool = True) -> dict[str, np.ndarray]:
    """Return what characters that have made no step have in each column of a `StepOutput`, by its name.

    Columns that are not needed are not there.
    """
    layer_count, entry_count = controller.layer_count, controller.entry_count
    rows: dict[str, np.ndarray] = {
        "layer_start": np.arange(layer_count + 1, dtype=np.int32),
        "clip": np.full(entry_count, REST, np.int32),
        "time": np.zeros(entry_count),
        "weight": np.ones(entry_count),
        "layer_weight": controller.tables.layers["weight"].copy(),
    }
    if record:
        rows["verdict"] = np.zeros(len(controller.tables.transitions), VERDICT)
    return rows


def bind_output(columns: Mapping[str, np.ndarray]) -> StepOutput:
    """Return columns, each ``[char, ...]`` and called as in `output_rows`, as what a step writes."""
    verdict = columns["verdict"] if "verdict" in columns else np.zeros((0, 0), VERDICT)
    return StepOutput(PlaybackList(*(columns[name] for name in PLAYBACK_FIELDS)), verdict)


def new_output(controller: Controller, count: int, record: bool = True) -> StepOutput:
    """Return memory for the steps of ``count`` characters, which play nothing yet."""
    rows = output_rows(controller, record)
    return bind_output({name: np.repeat(row[None], count, axis=0) for name, row in rows.items()})


def advance(
    controller: Controller,
    state: MachineState,
    dt: float | np.ndarray,
    output: StepOutput,
    *,
    timing: Timing = "frame",
    record: bool = False,
    due: np.ndarray | None = None,
    workers: Workers | None = None,
    chunk: int = CHUNK,
) -> np.ndarray:
    """Advance characters by one step.

    Args:
        controller: The compiled graph.
        state: State and inputs of the characters, read and written.
        dt: Length of the step [s], at least 0: one for all, or float64 ``[char]``.
        output: Written.
        timing: ``frame``: at most one transition per layer, in the order of a frame. ``exact``: transitions happen when
            they are due, so that it does not matter how a time is split into steps.
        record: Write verdicts.
        due: uint8 ``[char]``: 0 leaves a character and what it plays as they are; None advances all.
        workers: Threads; None is those that everything uses.
        chunk: Characters that a thread takes at a time. Results depend neither on it nor on the threads.

    Returns:
        `EVENT` ``[event]``: events of the step, character by character; those of one layer by layer in frame timing,
        moment by moment in exact timing.

    Raises:
        ArgumentError: ``dt`` or ``due`` is of other characters, or the chunk is less than 1.
    """
    step = _Step(controller, state, dt, output, record, due, workers or default_workers(), chunk)
    return step.exactly() if timing == "exact" else step.by_frames()


class _Step:
    """A step of all characters, with its arrays as kernels take them."""

    def __init__(
        self,
        controller: Controller,
        state: MachineState,
        dt: float | np.ndarray,
        output: StepOutput,
        record: bool,
        due: np.ndarray | None,
        workers: Workers,
        chunk: int,
    ) -> None:
        self.controller = controller
        self.state = state
        self.count = len(state.values)
        spans = np.full(self.count, dt, np.float64) if np.ndim(dt) == 0 else dt
        self.dt = as_array(spans, np.float64, (self.count,), "dt")
        self.due = due_flags(due, self.count)
        self.output = output
        self.record = record
        self.workers = workers
        self.chunk = chunk
        self.has_events = bool(len(controller.tables.event_time))

    def by_frames(self) -> np.ndarray:
        """Advance in frame timing."""
        from skelter.graph.advance_kernels import advance_kernel
        from skelter.graph.layer_kernels import StepOptions

        options = StepOptions(False, self.record, self.has_events)
        playback, duration = self.output.playback.arrays(), self.controller.rig.clips.duration
        passed: list[np.ndarray] = []

        def call(work: Work, _thread: int) -> None:
            with borrowed_room(self.controller, work.chunk) as room:
                room.events.total[0], room.events.pending[0] = 0, -1
                while True:
                    advance_kernel(
                        self.controller.tables,
                        duration,
                        self.dt,
                        self.due,
                        options,
                        work,
                        room.scratch,
                        self.state,
                        playback,
                        room.ways,
                        room.events,
                        self.output.verdict,
                    )
                    if room.events.pending[0] < 0:
                        break
                    room.grow()
                passed.append(room.events.records[: room.events.total[0]].copy())

        self.workers.share(self.count, call, chunk=self.chunk)
        return _by_character(passed)

    def exactly(self) -> np.ndarray:
        """Advance in exact timing. When a thread had too little room for events, the step is done again."""
        saved = self.state.copy() if self.has_events else None
        room = EVENT_ROOM
        parts = self._exactly(room)
        while saved is not None and max(total for _, total in parts) > room:
            room = 2 * max(total for _, total in parts)
            self.state.restore(saved)
            parts = self._exactly(room)
        return _by_character([records[:total] for records, total in parts])

    def _exactly(self, room: int) -> list[tuple[np.ndarray, int]]:
        """Do the step; return the events of each thread, and how many there would have been with room enough."""
        from skelter.graph.exact_kernels import advance_exactly_kernel
        from skelter.graph.layer_kernels import StepOptions
        from skelter.graph.playback_kernels import EventArrays

        options = StepOptions(True, self.record, self.has_events)
        ways = new_ways(0, 0)
        events = [
            EventArrays(np.zeros(room, EVENT), np.zeros(1, np.int64), np.full(1, -1))
            for _ in range(self.workers.threads)
        ]

        def call(work: Work, thread: int) -> None:
            advance_exactly_kernel(
                self.controller.tables,
                self.dt,
                self.due,
                options,
                work,
                new_scratch(self.controller),
                self.state,
                self.output.playback.arrays(),
                ways,
                events[thread],
                self.output.verdict,
            )

        self.workers.share(self.count, call, chunk=self.chunk)
        return [(one.records, int(one.total[0])) for one in events]


def _by_character(parts: list[np.ndarray]) -> np.ndarray:
    """Return the events of all threads; those of one character come from one thread, in their order."""
    events = np.concatenate([np.zeros(0, EVENT), *parts])
    return events[np.argsort(events["char"], kind="stable")]
