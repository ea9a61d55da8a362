"""A controller at work: its tables, the state of the characters and what the last step wrote."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import numpy as np

from skelter.core.arrays import LocalPose
from skelter.core.errors import ArgumentError
from skelter.core.playback import PlaybackList
from skelter.graph.advance import TIMINGS, StepOutput, Timing, advance, new_output, new_scratch
from skelter.graph.controller import Controller
from skelter.graph.tables import MachineState
from skelter.pose.ordered import LayerMemory, blend_in_order, new_memory


@dataclass(frozen=True, slots=True, eq=False)
class SavedRun:
    """What `GraphRun.save` keeps.

    Attributes:
        state: The state of the characters.
        output: What the last step wrote.
        mask: Weights of joints.
        memory: What layers showed last, if they remember it.
    """

    state: MachineState
    output: StepOutput
    mask: np.ndarray
    memory: LayerMemory | None


class GraphRun:
    """The machines of all characters of a crowd under one controller.

    Attributes:
        controller: The compiled graph.
        state: State and inputs, one row per character.
        output: What the last step wrote.
        timing: ``frame`` or ``exact``.
        record: Whether steps write verdicts.
        mask: float32 ``[layer, block, 16]``: weights of joints; the controller's until one is changed.
        memory: What layers showed last, under the rules of PlayCanvas; None under ours.
    """

    def __init__(self, controller: Controller, count: int, timing: Timing, record: bool) -> None:
        if timing not in TIMINGS:
            raise ArgumentError(f"timing: expected 'frame' or 'exact', got {timing!r}")
        if timing == "exact" and controller.rules == "playcanvas":
            raise ArgumentError("timing: the rules of PlayCanvas go by frames; use timing='frame' or rules='skelter'")
        self.controller = controller
        self.timing: Timing = timing
        self.record = record
        self.state = controller.new_state(count)
        self.output = new_output(controller, count)
        self.mask = controller.mask
        remembers = controller.rules == "playcanvas"
        self.memory = new_memory(controller.rig, count, controller.layer_count) if remembers else None
        self._local: LocalPose | None = None

    def step(self, dt: float) -> None:
        """Advance all characters by ``dt`` [s]; layers that remember their poses are posed in every step."""
        advance(self.controller, self.state, dt, self.output, timing=self.timing, record=self.record)
        if self.memory is not None:
            self._local = self._blend_in_order(self.memory)

    def remembered_pose(self) -> LocalPose:
        """Return the poses of the last step under the rules of PlayCanvas."""
        assert self.memory is not None
        if self._local is None:
            self._local = self._blend_in_order(self.memory)
        return self._local.copy()

    def _blend_in_order(self, memory: LayerMemory) -> LocalPose:
        controller = self.controller
        return blend_in_order(
            controller.rig, self.output.playback, memory, additive=controller.additive, mask=self.mask
        )

    def set_mask(self, layer: int, weights: np.ndarray) -> None:
        """Change the weights of joints in a layer, float32 ``[block, 16]``; poses show it at once."""
        self.mask = self.mask.copy()
        self.mask[layer] = weights
        self._local = None

    def save(self) -> SavedRun:
        """Return a copy of everything that changes."""
        memory = self.memory.copy() if self.memory is not None else None
        return SavedRun(self.state.copy(), copy.deepcopy(self.output), self.mask.copy(), memory)

    def restore(self, saved: SavedRun) -> None:
        """Go back to what was saved."""
        self.state.restore(saved.state)
        self.output = copy.deepcopy(saved.output)
        self.mask = saved.mask.copy()
        self.memory = saved.memory.copy() if saved.memory is not None else None
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
        enter_kernel(self.controller.tables, np.unique(chars), layer, target, time, offset, scratch, self.state)

    def play(self, chars: np.ndarray, layer: int, target: int) -> None:
        """Play a state at once: through a transition if one passes now, else without a fade."""
        from skelter.graph.hand_kernels import play_kernel

        exact = self.timing == "exact"
        scratch = new_scratch(self.controller)
        play_kernel(self.controller.tables, np.unique(chars), layer, target, exact, scratch, self.state)

    def reset_layer(self, chars: np.ndarray, layer: int) -> None:
        """Put a layer back to START and pause it; its weight, a fade of it, its mask and the parameters stay."""
        fresh = self.controller.new_state(1)
        machines = self.state.machines
        for name in ("active", "previous", "previous_count", "fading", "elapsed", "total", "interruption"):
            machines[name][chars, layer] = fresh.machines[name][0, layer]
        machines["playing"][chars, layer] = 0
        self.state.slots[chars, layer] = fresh.slots[0, layer]
        self.state.positions[chars, layer] = 0.0
        self.state.held[chars, layer] = -1.0


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
