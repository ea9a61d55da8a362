"""A controller at work: the columns of its characters, and what the last step did."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skelter.core.arrays import LocalPose
from skelter.core.errors import ArgumentError, WorldError
from skelter.core.playback import PlaybackList
from skelter.crowd.components import OUTPUT_COLUMNS, STATE_COLUMNS
from skelter.ecs.table import Table
from skelter.graph.advance import TIMINGS, StepOutput, Timing, advance, bind_output
from skelter.graph.controller import Controller
from skelter.graph.room import new_scratch
from skelter.graph.tables import EVENT, MachineState
from skelter.pose.ordered import LayerMemory, blend_in_order


@dataclass(frozen=True, slots=True, eq=False)
class SavedRun:
    """What `GraphRun.save` keeps: what is in no column.

    Attributes:
        events: Events of the last step.
        mask: Weights of joints.
    """

    events: np.ndarray
    mask: np.ndarray


class GraphRun:
    """The machines of all characters in a table under one controller.

    Attributes:
        controller: The compiled graph.
        table: The table; it has the columns of `skelter.crowd.components.graph_rows`.
        prefix: What their names begin with.
        timing: ``frame`` or ``exact``.
        record: Whether steps write verdicts.
        mask: float32 ``[layer, block, 16]``: weights of joints; the controller's until one is changed.
        events: `EVENT` ``[event]``: events of the last step.
    """

    def __init__(self, controller: Controller, table: Table, timing: Timing, record: bool, prefix: str = "") -> None:
        self.controller = controller
        self.table = table
        self.prefix = prefix
        self.timing: Timing = timing
        self.record = record
        self.mask = controller.mask
        self.events = np.zeros(0, EVENT)
        self._state_names = [name if name == "speed" else prefix + name for name in STATE_COLUMNS]
        self._output_names = {name: f"{prefix}playback.{name}" for name in OUTPUT_COLUMNS}
        self._local: LocalPose | None = None
        self._local_version = -1

    @property
    def state(self) -> MachineState:
        """State and inputs, one row per character: views of the columns. All runs of a table share the speed."""
        return MachineState(*(self.table.column(name) for name in self._state_names))

    @property
    def output(self) -> StepOutput:
        """What the last step wrote: views of the columns."""
        names = self._output_names.items()
        return bind_output({name: self.table.column(full) for name, full in names if full in self.table})

    @property
    def memory(self) -> LayerMemory | None:
        """What layers showed last, under the rules of PlayCanvas; None under ours."""
        if self.controller.rules != "playcanvas":
            return None
        return LayerMemory(*(self.table.column(f"{self.prefix}memory.{name}") for name in ("pose", "bound")))

    def step(self, dt: float | np.ndarray, due: np.ndarray | None) -> None:
        """Advance characters; layers that remember their poses are posed in every step.

        Args:
            dt: Length of the step [s], one for all or one per character.
            due: uint8 ``[char]``: 0 leaves a character as it is; None advances all.
        """
        self.events = advance(
            self.controller, self.state, dt, self.output, timing=self.timing, record=self.record, due=due
        )
        if self.controller.rules == "playcanvas":
            memory = self.memory
            assert memory is not None
            self._local, self._local_version = self._blend_in_order(memory), self.table.version

    def remembered_pose(self) -> LocalPose:
        """Return the poses of the last step under the rules of PlayCanvas."""
        if self._local is None or self._local_version != self.table.version:
            memory = self.memory
            assert memory is not None
            self._local = self._blend_in_order(memory.copy())  # reading changes nothing
            self._local_version = self.table.version
        return self._local

    def _blend_in_order(self, memory: LayerMemory) -> LocalPose:
        controller = self.controller
        return blend_in_order(
            controller.rig, self.output.playback, memory, additive=controller.additive, mask=self.mask
        )

    def set_mask(self, layer: int, weights: np.ndarray) -> None:
        """Change the weights of joints in a layer, float32 ``[block, 16]``."""
        self.mask = self.mask.copy()
        self.mask[layer] = weights
        self._local = None

    def save(self) -> SavedRun:
        """Return what changes and is in no column."""
        return SavedRun(self.events, self.mask)  # both are replaced, never changed

    def restore(self, saved: SavedRun) -> None:
        """Go back to what was saved."""
        self.events, self.mask = saved.events, saved.mask
        self._local = None

    def enter(self, chars: np.ndarray, layer: int, target: int, time: float, offset: float) -> None:
        """Enter a state by hand, with a cross-fade of ``time`` [s]; it may be the active one.

        Args:
            chars: Indices of characters, int64 ``[some]``; one that is there twice enters once.
            layer: Index of the layer.
            target: State to enter.
            time: Length of the cross-fade [s].
            offset: Where its clip starts, as a fraction of its length; 0 is its start.
        """
        from skelter.graph.hand_kernels import enter_kernel

        scratch = new_scratch(self.controller)
        enter_kernel(self.controller.tables, np.unique(chars), layer, target, time, offset, scratch, self._open_state())

    def play(self, chars: np.ndarray, layer: int, target: int) -> None:
        """Play a state at once: through a transition if one passes now, else without a fade."""
        from skelter.graph.hand_kernels import play_kernel

        exact = self.timing == "exact"
        scratch = new_scratch(self.controller)
        play_kernel(self.controller.tables, np.unique(chars), layer, target, exact, scratch, self._open_state())

    def _open_state(self) -> MachineState:
        """Return the state for a kernel that writes it; raise WorldError if a system runs that may not."""
        state = self.state
        for name, column in zip(STATE_COLUMNS, state, strict=True):
            if not column.flags.writeable:
                raise WorldError(f"column {name!r} is read-only for the system that runs")
        return state

    def reset_layer(self, chars: np.ndarray, layer: int) -> None:
        """Put a layer back to START and pause it; its weight, a fade of it, its mask and the parameters stay."""
        fresh, state = self.controller.new_state(1), self.state
        machines = state.machines
        for name in ("active", "previous", "previous_count", "fading", "elapsed", "total", "interruption"):
            machines[name][chars, layer] = fresh.machines[name][0, layer]
        machines["playing"][chars, layer] = 0
        state.slots[chars, layer] = fresh.slots[0, layer]
        state.positions[chars, layer] = 0.0
        state.held[chars, layer] = -1.0


def check_timing(timing: Timing, controller: Controller) -> None:
    """Raise ArgumentError if a timing is unknown, or is none of the controller's rules."""
    if timing not in TIMINGS:
        raise ArgumentError(f"timing: expected 'frame' or 'exact', got {timing!r}")
    if timing == "exact" and controller.rules == "playcanvas":
        raise ArgumentError("timing: the rules of PlayCanvas go by frames; use timing='frame' or rules='skelter'")


def joined_playback(runs: list[GraphRun]) -> PlaybackList:
    """Return the playback lists of several runs over the same characters as one: layers of later runs come on top."""
    joined = runs[0].output.playback
    for run in runs[1:]:
        joined = _stacked(joined, run.output.playback)
    return joined


def _stacked(low: PlaybackList, high: PlaybackList) -> PlaybackList:
    """Return two lists as one; the entries of the second follow the last used one of the first."""
    end = low.layer_start[:, -1:]
    places = np.arange(high.clip.shape[1]) + end
    columns = {}
    for name in ("clip", "time", "weight"):
        first, second = getattr(low, name), getattr(high, name)
        columns[name] = np.concatenate([first, np.zeros_like(second)], axis=1)
        np.put_along_axis(columns[name], places, second, axis=1)
    return PlaybackList(
        layer_start=np.concatenate([low.layer_start, high.layer_start[:, 1:] + end], axis=1),
        layer_weight=np.concatenate([low.layer_weight, high.layer_weight], axis=1),
        **columns,
    )
