"""Kernels: states entered by hand."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from skelter.core.kernel import exact_kernel
from skelter.graph.layer_kernels import USED, layer_rows, reset_triggers, take
from skelter.graph.slot_kernels import copy_row
from skelter.graph.tables import BY_NONE
from skelter.graph.transition_kernels import drop_previous, enter_state, find_transition_to


@exact_kernel
def enter_kernel(tables, chars, layer, target, time, offset, scratch, out_state):
    """Enter a state by hand, now, in one layer of some characters; it may be the active one.

    Args:
        tables: `GraphTables`.
        chars: int64 ``[some]``.
        layer: Index of the layer.
        target: State to enter.
        time: Length of the cross-fade [s].
        offset: Fraction of its clip at which it starts; 0 is its start.
        scratch: `Scratch`.
        out_state: `MachineState`.
    """
    for char in chars:
        enter_state(tables, layer_rows(out_state, char, layer), scratch, target, time, offset, np.int64(BY_NONE))


@exact_kernel
def play_kernel(tables, chars, layer, target, exact, scratch, out_state):
    """Play a state at once, in one layer of some characters.

    A transition from the active state to it is taken if one passes now; otherwise the state is entered with a fade of
    no length, from its start, and what was active is forgotten.

    Args:
        tables: `GraphTables`.
        chars: int64 ``[some]``.
        layer: Index of the layer.
        target: State to play.
        exact: Whether exit times are passed in the manner of exact timing.
        scratch: `Scratch`.
        out_state: `MachineState`.
    """
    for char in chars:
        rows = layer_rows(out_state, char, layer)
        machine = rows.machine[0]
        machine.playing = 1
        taken = find_transition_to(tables, machine, rows.slots, out_state.values[char], exact, target)
        if taken >= 0:
            copy_row(out_state.values[char], scratch.values)
            take(tables, taken, rows, scratch, out_state.single[char])
            rows.held[machine.previous_count] = -1.0  # inputs may still change before it plays
            if exact:  # this moment is over for all layers
                reset_triggers(out_state.values[char], out_state.single[char], np.int64(USED))
            continue
        enter_state(tables, rows, scratch, target, 0.0, 0.0, np.int64(BY_NONE))
        drop_previous(rows, scratch)
        machine.previous = -1
