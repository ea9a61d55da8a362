"""Kernels: what frame timing and exact timing have in common for one layer of one character."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skelter.core.kernel import exact_part, exact_routine
from skelter.graph.playback_kernels import write_entries
from skelter.graph.slot_kernels import LayerRows, copy_row, evaluate_slot
from skelter.graph.transition_kernels import enter_state
from skelter.graph.verdict import OTHER_STATE

SINGLE = 1
"""Mark of a trigger that is reset at the end of the step."""
USED = 2
"""Mark of a trigger that a transition has used."""


class StepOptions(NamedTuple):
    """How a step is done.

    Attributes:
        exact: Exact timing.
        records: Write verdicts.
        has_events: Some clip has events, which exact timing writes.
    """

    exact: bool
    records: bool
    has_events: bool


@exact_part
def layer_rows(state, char, layer):
    """Return what one layer of one character has in the state of all."""
    return LayerRows(
        state.machines[char, layer : layer + 1],
        state.slots[char, layer],
        state.positions[char, layer],
        state.held[char, layer],
    )


@exact_part
def evaluate(tables, rows, values, scratch):
    """Compute weights and rates of all slots of a layer from the parameters."""
    copy_row(values, scratch.values)
    for slot in range(rows.machine[0].previous_count + 1):
        evaluate_slot(tables, rows.slots, rows.held, slot, scratch)
        copy_row(rows.positions[slot], scratch.origins[slot])


@exact_routine
def take(tables, number, rows, scratch, used):
    """Enter the target of a transition and use up the triggers that it names."""
    transition = tables.transitions[number]
    enter_state(tables, rows, scratch, transition.target, transition.time, transition.offset, transition.interruption)
    for place in range(transition.condition_start, transition.condition_stop):
        condition = tables.conditions[place]
        if condition.trigger:
            used[condition.parameter] = USED
    evaluate_slot(tables, rows.slots, rows.held, rows.machine[0].previous_count, scratch)


@exact_part
def reset_triggers(values, used, least):
    """Reset the triggers whose mark is at least ``least``, and the marks."""
    for parameter in range(len(values)):
        if used[parameter] >= least:
            values[parameter] = 0.0
            used[parameter] = 0


@exact_part
def fade_weight(machine, dt, exact):
    """Move the weight of a layer towards where it is fading to.

    In frame timing the first step of a fade still shows its first weight, and one more step ends it; exact timing is
    linear in time.
    """
    if machine.weight_time < 0.0:
        return
    if exact:
        machine.weight_elapsed += dt
    if machine.weight_elapsed < machine.weight_time:
        part = machine.weight_elapsed / machine.weight_time
        machine.weight = machine.weight_from + (machine.weight_to - machine.weight_from) * part
        if not exact:
            machine.weight_elapsed += dt
    else:
        machine.weight = machine.weight_to
        machine.weight_time = -1.0


@exact_part
def begin_step(tables, char, dt, options, out_state, out_verdict):
    """Move the weights of the layers of a character, and forget the verdicts of the step before."""
    if options.records:
        for number in range(len(tables.transitions)):
            out_verdict[char, number].code = OTHER_STATE
    for layer in range(len(tables.layers)):
        fade_weight(out_state.machines[char, layer], dt, options.exact)


@exact_part
def write_layer(tables, char, layer, rows, scratch, way, out_playback, out_ways):
    """Append the entries of a layer, whose slots are evaluated, to the playback list of a character."""
    start = np.int64(out_playback.layer_start[char, layer])
    out_playback.layer_start[char, layer + 1] = write_entries(
        tables, rows, scratch, char, start, way, out_playback, out_ways
    )
    out_playback.layer_weight[char, layer] = min(max(rows.machine[0].weight, 0.0), 1.0)
