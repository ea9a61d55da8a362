"""Kernels: one step of the machines of all characters in exact timing, from moment to moment."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import math

from skelter.core.kernel import exact_kernel, exact_part, exact_routine
from skelter.core.vector_kernels import next_chunk
from skelter.graph.layer_kernels import (
    SINGLE,
    USED,
    begin_step,
    evaluate,
    layer_rows,
    reset_triggers,
    take,
    write_layer,
)
from skelter.graph.playback_kernels import write_events
from skelter.graph.slot_kernels import advance_positions, advance_time, own_rate, progress
from skelter.graph.tables import BY_NONE
from skelter.graph.transition_kernels import (
    TOLERANCE,
    drop_previous,
    find_transition,
    judge_transitions,
    pause_verdicts,
    source_slot,
    waits_for_exit,
)

LOOK_MAX = 64
"""Transitions that a layer takes at one moment in exact timing; after as many it takes none until the next step."""
MOMENT_MAX = 100_000
"""Moments of one step in exact timing; what is left after them is one moment, so that nothing hangs."""


@exact_kernel
def advance_exactly_kernel(
    tables, dt, due, options, work, scratch, out_state, out_playback, out_ways, out_events, out_verdict
):
    """Advance the graph of characters by one step in exact timing.

    Args:
        tables: `GraphTables`.
        dt: Length of the step [s] per character, float64 ``[char]``, times ``out_state.speed``.
        due: uint8 ``[char]``: 0 leaves a character as it is.
        options: `StepOptions`.
        work: `Work`.
        scratch: `Scratch`.
        out_state: `MachineState`, read and written.
        out_playback: `PlaybackArrays`, written.
        out_ways: `WayArrays` without rows.
        out_events: `EventArrays`, appended to.
        out_verdict: `VERDICT` ``[char, transition]``, written if ``options.records``.
    """
    while True:
        begin = work.start + next_chunk(work.counter) * work.chunk
        if begin >= work.stop:
            return
        for char in range(begin, min(begin + work.chunk, work.stop)):
            if due[char] == 0:
                continue
            step = dt[char] * out_state.speed[char]
            values, used = out_state.values[char], out_state.single[char]
            begin_step(tables, char, step, options, out_state, out_verdict)
            _step(tables, char, step, options, scratch, out_state, out_events, out_verdict)
            out_playback.layer_start[char, 0] = 0
            for layer in range(len(tables.layers)):
                rows = layer_rows(out_state, char, layer)
                evaluate(tables, rows, values, scratch)
                write_layer(tables, char, layer, rows, scratch, 0, out_playback, out_ways)
            reset_triggers(values, used, SINGLE)


@exact_part
def _step(tables, char, dt, options, scratch, out_state, out_events, out_verdict):
    """Advance all layers together from moment to moment: transitions happen when they are due, as often as they are.

    A trigger serves every layer at the moment at which it is used, and is gone when time goes on.
    """
    values, used = out_state.values[char], out_state.single[char]
    for layer in range(len(tables.layers)):
        scratch.done[layer] = 0
    left, moments = dt, 0
    while True:
        for layer in range(len(tables.layers)):
            rows = layer_rows(out_state, char, layer)
            _settle(tables, char, layer, rows, options, scratch, values, used, out_verdict)
        if left <= 0.0:
            break
        reset_triggers(values, used, USED)
        span = left
        for layer in range(len(tables.layers)):
            rows = layer_rows(out_state, char, layer)
            if rows.machine[0].playing:
                evaluate(tables, rows, values, scratch)
                span = _next_moment(tables, layer, rows.machine[0], rows.slots, scratch, span)
        moments += 1
        if span >= left - TOLERANCE or moments > MOMENT_MAX:
            span = left
        for layer in range(len(tables.layers)):
            rows = layer_rows(out_state, char, layer)
            if rows.machine[0].playing:
                evaluate(tables, rows, values, scratch)
                _flow(tables, char, layer, span, options, rows, scratch, out_events)
        left -= span


@exact_routine
def _settle(tables, char, layer, rows, options, scratch, values, used, out_verdict):
    """Take all transitions of a layer that are due at this moment."""
    machine, slots = rows.machine[0], rows.slots
    if not machine.playing:
        if options.records:
            pause_verdicts(tables, layer, out_verdict[char])
        return
    evaluate(tables, rows, values, scratch)
    if scratch.done[layer]:
        _end_fade(rows, scratch)
        return
    for _ in range(LOOK_MAX):
        _end_fade(rows, scratch)
        taken = find_transition(tables, layer, machine, slots, scratch.values, options.exact)
        if options.records:
            judge_transitions(tables, layer, machine, slots, scratch.values, options.exact, taken, out_verdict[char])
        if taken < 0:
            return
        take(tables, taken, rows, scratch, used)
        _forget_used(tables, taken, scratch.values)
    scratch.done[layer] = 1
    _end_fade(rows, scratch)


@exact_routine
def _flow(tables, char, layer, span, options, rows, scratch, out_events):
    """Let time go on in a layer; events get the weights in the middle of it."""
    machine, slots = rows.machine[0], rows.slots
    active = machine.previous_count
    advance_positions(tables, slots, rows.positions, active + 1, span, scratch)
    advance_time(tables, slots, active, span, scratch)
    if machine.fading and active > 0:
        advance_time(tables, slots, active - 1, span, scratch)
    machine.elapsed += 0.5 * span
    if options.has_events:
        write_events(tables, char, layer, rows, scratch, out_events)
    machine.elapsed += 0.5 * span


@exact_part
def _forget_used(tables, number, values):
    """Reset the triggers of a transition for the layer that took it, for the rest of the step."""
    transition = tables.transitions[number]
    for place in range(transition.condition_start, transition.condition_stop):
        condition = tables.conditions[place]
        if condition.trigger:
            values[condition.parameter] = 0.0


@exact_part
def _end_fade(rows, scratch):
    """End a cross-fade whose time is over."""
    machine = rows.machine[0]
    if machine.fading and machine.elapsed >= machine.total - TOLERANCE:
        machine.fading = 0
        drop_previous(rows, scratch)


@exact_routine
def _next_moment(tables, layer, machine, slots, scratch, left):
    """Return the time [s] to the next moment at which something can happen, at most ``left``."""
    active = machine.previous_count
    span = left
    if machine.fading:
        span = min(span, machine.total - machine.elapsed)
    row = tables.states[slots[active].state]
    rate = own_rate(tables, slots, active, scratch)
    if not row.loop and slots[active].time < row.end - TOLERANCE and rate > 0.0:
        span = min(span, (row.end - slots[active].time) / rate)
    for turn in range(2):
        slot = source_slot(machine, turn)
        if slot >= 0:
            source = tables.states[slots[slot].state]
            span = _next_exit(
                tables, source.candidate_start, source.candidate_stop, machine, slots, slot, scratch, span
            )
    if not (machine.fading and machine.interruption == BY_NONE):
        place = tables.layers[layer]
        span = _next_exit(tables, place.any_start, place.any_stop, machine, slots, active, scratch, span)
    return span


@exact_part
def _next_exit(tables, start, stop, machine, slots, slot, scratch, span):
    """Return the time [s] to the first exit time after now of candidates that wait for it, at most ``span``."""
    state = slots[slot].state
    row = tables.states[state]
    rate = own_rate(tables, slots, slot, scratch)
    if row.complete or rate <= 0.0:
        return span
    unit = progress(tables, state, 1.0)
    now = progress(tables, state, slots[slot].time)
    for place in range(start, stop):
        number = tables.candidates[place]
        if not waits_for_exit(tables, number, machine, slots, slot, scratch.values):
            continue
        exit_time = tables.transitions[number].exit_time
        due = exit_time
        if exit_time < 1.0 and row.loop and now > exit_time - TOLERANCE:
            due = exit_time + math.floor(now - exit_time + TOLERANCE) + 1.0
        if due > now + TOLERANCE:
            span = min(span, (due - now) / (unit * rate))
    return span
