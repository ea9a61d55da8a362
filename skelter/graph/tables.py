"""Tables of a compiled graph and state of the machines that run on it: the layouts that graph kernels read and write.

Tables are arrays of records, so that a kernel takes a dozen of them instead of a hundred columns, and what belongs
together lies in one cache line. Whole numbers are int64, so that each kernel is compiled for one set of types; -1
stands for none; ranges are ``start:stop``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

PREVIOUS_MAX = 5
"""States that may fade out at once: one that plays on and four that stand still."""
SLOT_COUNT = PREVIOUS_MAX + 1
"""The previous states, oldest first, and the active one."""

PREDICATES = (
    "GREATER_THAN",
    "LESS_THAN",
    "GREATER_THAN_EQUAL_TO",
    "LESS_THAN_EQUAL_TO",
    "EQUAL_TO",
    "NOT_EQUAL_TO",
)
GREATER, LESS, GREATER_EQUAL, LESS_EQUAL, EQUAL, NOT_EQUAL = range(6)

INTERRUPTIONS = ("NONE", "PREV_STATE", "NEXT_STATE", "PREV_STATE_NEXT_STATE", "NEXT_STATE_PREV_STATE")
BY_NONE, BY_PREVIOUS, BY_NEXT, BY_PREVIOUS_NEXT, BY_NEXT_PREVIOUS = range(5)

TREE_TYPES = ("1D", "2D_CARTESIAN", "2D_DIRECTIONAL", "2D_SIMPLE_DIRECTIONAL", "DIRECT")
ONE_D, CARTESIAN, DIRECTIONAL, SIMPLE_DIRECTIONAL, DIRECT = range(5)

FALLBACKS = ("hold", "equal", "rest")
HOLD, EQUAL_WEIGHTS, REST_POSE = range(3)

PARAMETER_TYPES = ("FLOAT", "INTEGER", "BOOLEAN", "TRIGGER")

LAYER = np.dtype(
    [
        ("state_start", np.int64),  # states[state_start] is START
        ("state_stop", np.int64),
        ("default_state", np.int64),
        ("any_start", np.int64),  # candidates[any_start:any_stop]: transitions from ANY
        ("any_stop", np.int64),
        ("transition_start", np.int64),
        ("transition_stop", np.int64),
        ("weight", np.float64),
    ],
    align=True,
)
STATE = np.dtype(
    [
        ("speed", np.float64),
        ("end", np.float64),  # own time at which it ends if it does not loop: 1 cycle, or seconds
        ("clock_end", np.float64),  # longest clip of its clock over its speed [s]: where it starts if it runs backwards
        ("longest", np.float64),  # longest clip [s]
        ("first_duration", np.float64),  # clip of the first leaf [s]
        ("first_speed", np.float64),  # its absolute speed
        ("loop", np.uint8),
        ("plays", np.uint8),  # 0: START, which contributes nothing
        ("by_phase", np.uint8),  # own time counts cycles of the main group, else seconds
        ("complete", np.uint8),  # progress is always 1: START, an empty clip, a clip of length 0
        ("main_group", np.int64),
        ("group_start", np.int64),
        ("group_stop", np.int64),
        ("leaf_start", np.int64),
        ("leaf_stop", np.int64),
        ("tree_start", np.int64),
        ("tree_stop", np.int64),
        ("candidate_start", np.int64),  # candidates[...]: its transitions, in the order they are looked at
        ("candidate_stop", np.int64),
    ],
    align=True,
)
LEAF = np.dtype(
    [
        ("speed", np.float64),
        ("duration", np.float64),
        ("clip", np.int64),  # -1: an empty clip
        ("group", np.int64),  # of the state: 0, 1, ...
    ],
    align=True,
)
TREE = np.dtype(
    [
        ("type", np.int64),
        ("x_parameter", np.int64),
        ("y_parameter", np.int64),
        ("child_start", np.int64),
        ("child_stop", np.int64),
        ("pair_start", np.int64),  # pairs[pair_start + i * child_count + j]
        ("front", np.int64),  # child of the front of SIMPLE_DIRECTIONAL
        ("fallback", np.int64),
        ("clamp", np.uint8),
    ],
    align=True,
)
CHILD = np.dtype(
    [
        ("x", np.float64),
        ("y", np.float64),
        ("left", np.float64),  # 1D: nearest lower point, -inf if none
        ("right", np.float64),
        ("share", np.float64),  # one over the number of children at this point
        ("parameter", np.int64),  # DIRECT
        ("leaf", np.int64),  # leaf of the state, or -1
        ("tree", np.int64),  # tree of the state, or -1
    ],
    align=True,
)
PAIR = np.dtype([("x", np.float64), ("y", np.float64), ("scale", np.float64)], align=True)
"""Gradient band of a child against another: direction over its squared length; scale is one over the mean length."""
TRANSITION = np.dtype(
    [
        ("time", np.float64),
        ("exit_time", np.float64),  # 0: none
        ("offset", np.float64),  # 0: none
        ("source", np.int64),  # -1: ANY
        ("target", np.int64),  # END is resolved
        ("interruption", np.int64),
        ("condition_start", np.int64),
        ("condition_stop", np.int64),
        ("playcanvas", np.uint8),  # its exit time is PlayCanvas's: of the active state, and a loop's end is no time
        ("restarts", np.uint8),  # written on a state as leading to END: it may enter the active state again
    ],
    align=True,
)
CONDITION = np.dtype(
    [("value", np.float64), ("parameter", np.int64), ("predicate", np.int64), ("trigger", np.uint8)], align=True
)


class GraphTables(NamedTuple):
    """A compiled graph as kernels take it.

    Attributes:
        layers, states, leaves, trees, children, pairs, transitions, conditions: Arrays of the records above.
        group_by_phase: uint8 ``[group]``: 1 for a group whose position counts cycles, 0 for seconds.
        candidates: int64: indices of transitions in the order in which they are looked at, source by source.
        event_start: int32 ``[clip + 1]`` into ``event_time``.
        event_time: float64 ``[event]`` [s], ascending within a clip.
    """

    layers: np.ndarray
    states: np.ndarray
    leaves: np.ndarray
    trees: np.ndarray
    children: np.ndarray
    pairs: np.ndarray
    transitions: np.ndarray
    conditions: np.ndarray
    group_by_phase: np.ndarray
    candidates: np.ndarray
    event_start: np.ndarray
    event_time: np.ndarray


MACHINE = np.dtype(
    [
        ("elapsed", np.float64),  # of the cross-fade [s]
        ("total", np.float64),
        ("weight", np.float64),
        ("weight_from", np.float64),
        ("weight_to", np.float64),
        ("weight_elapsed", np.float64),
        ("weight_time", np.float64),  # length of the weight's fade [s], -1: none is running
        ("active", np.int64),
        ("previous", np.int64),  # -1: none
        ("previous_count", np.int64),  # slots[0:previous_count] fade out, slots[previous_count] is the active state
        ("interruption", np.int64),  # of the running cross-fade
        ("fading", np.uint8),
        ("playing", np.uint8),
    ],
    align=True,
)
SLOT = np.dtype(
    [
        ("time", np.float64),  # own time of the state, in cycles or seconds of its main group
        ("before", np.float64),  # the same before the last advance
        ("share", np.float64),  # of the previous states
        ("state", np.int64),
        ("frozen", np.uint8),
    ],
    align=True,
)
EVENT = np.dtype(
    [
        ("char", np.int64),
        ("layer", np.int64),
        ("clip", np.int64),
        ("event", np.int64),  # index into the event tables of the clip bank
        ("time", np.float64),  # clip time of the event [s]
        ("weight", np.float64),  # of the clip in its layer, times the weight of the layer
    ],
    align=True,
)

VERDICT = np.dtype(
    [
        ("before", np.float64),  # EXIT_TIME: progress before the step
        ("seen", np.float64),  # EXIT_TIME: progress after it; CONDITION: value of the parameter
        ("condition", np.int64),  # CONDITION: the first that did not hold
        ("code", np.uint8),  # `skelter.graph.verdict.Verdict`
    ],
    align=True,
)


class MachineState(NamedTuple):
    """State and inputs of all characters, one row each: everything that changes from step to step.

    Attributes:
        values: float64 ``[char, parameter]``: the parameters; booleans and triggers are 0 or 1.
        single: uint8 ``[char, parameter]``: 1 for a trigger that lasts to the end of the step only, 2 for one that a
            transition has used, which is reset then, too.
        speed: float64 ``[char]``: factor of dt, at least 0.
        machines: `MACHINE` ``[char, layer]``.
        slots: `SLOT` ``[char, layer, slot]``.
        positions: float64 ``[char, layer, slot, group]``: unwrapped position of each group, in cycles or seconds.
        held: float64 ``[char, layer, slot, child]``: last weights of trees that can fall back to them, -1 if none.
    """

    values: np.ndarray
    single: np.ndarray
    speed: np.ndarray
    machines: np.ndarray
    slots: np.ndarray
    positions: np.ndarray
    held: np.ndarray

    def copy(self) -> MachineState:
        """Return a copy that shares nothing with this one."""
        return MachineState(*(array.copy() for array in self))

    def restore(self, saved: MachineState) -> None:
        """Overwrite everything with what a copy holds."""
        for mine, theirs in zip(self, saved, strict=True):
            mine[...] = theirs
