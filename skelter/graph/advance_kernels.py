"""Kernels: one step of the machines of all characters."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from skelter.core.kernel import exact_kernel, exact_part
from skelter.graph.playback_kernels import write_entries, write_events
from skelter.graph.slot_kernels import (
    LayerRows,
    advance_positions,
    advance_time,
    copy_row,
    evaluate_slot,
    own_rate,
    progress,
)
from skelter.graph.tables import BY_NONE
from skelter.graph.transition_kernels import (
    TOLERANCE,
    drop_previous,
    enter_state,
    find_transition,
    find_transition_to,
    judge_transitions,
    pause_verdicts,
    source_slot,
    waits_for_exit,
)
from skelter.graph.verdict import OTHER_STATE

LOOK_MAX = 64
"""Transitions that a layer takes at one moment in exact timing; after as many it takes none until the next step."""
MOMENT_MAX = 100_000
"""Moments of one step in exact timing; what is left after them is one moment, so that nothing hangs."""

SINGLE = 1
"""Mark of a trigger that is reset at the end of the step."""
USED = 2
"""Mark of a trigger that a transition has used."""


class StepOptions(NamedTuple):
    """How a step is done.

    Attributes:
        exact: Exact timing.
        records: Write verdicts.
        has_events: Some clip has events.
    """

    exact: bool
    records: bool
    has_events: bool


@exact_kernel
def advance_kernel(tables, dt, options, start, stop, scratch, out_state, out_playback, out_events, out_verdict):
    """Advance the graph of the characters ``[start, stop)`` by one step.

    For each layer: fade of its weight, own times, at most one transition, cross-fade, positions, entries. Triggers that
    were used, or last one step only, are reset after all layers. Exact timing moves from moment to moment instead.

    Args:
        tables: `GraphTables`.
        dt: Length of the step [s], times ``out_state.speed``.
        options: `StepOptions`.
        start: First character.
        stop: Past the last character.
        scratch: `Scratch`.
        out_state: `MachineState`, read and written.
        out_playback: `PlaybackArrays`, written.
        out_events: `EventArrays`, appended to.
        out_verdict: `VERDICT` ``[char, transition]``, written if ``options.records``.
    """
    for char in range(start, stop):
        step = dt * out_state.speed[char]
        if options.records:
            for number in range(len(tables.transitions)):
                out_verdict[char, number].code = OTHER_STATE
        for layer in range(len(tables.layers)):
            _fade_weight(out_state.machines[char, layer], step, options.exact)
        if options.exact:
            _step_exactly(tables, char, step, options, scratch, out_state, out_events, out_verdict[char])
        entry = np.int64(0)
        out_playback.layer_start[char, 0] = 0
        for layer in range(len(tables.layers)):
            rows = _rows(out_state, char, layer)
            _evaluate(tables, rows, out_state.values[char], scratch)
            if not options.exact:
                _step_frame(
                    tables,
                    char,
                    layer,
                    step,
                    options,
                    rows,
                    scratch,
                    out_state.single[char],
                    out_events,
                    out_verdict[char],
                )
            entry = write_entries(
                tables,
                rows,
                scratch,
                entry,
                out_playback.clip[char],
                out_playback.time[char],
                out_playback.weight[char],
            )
            out_playback.layer_start[char, layer + 1] = entry
            out_playback.layer_weight[char, layer] = min(max(rows.machine[0].weight, 0.0), 1.0)
        _reset_triggers(out_state.values[char], out_state.single[char], np.int64(SINGLE))


@exact_part
def _rows(state, char, layer):
    """Return what one layer of one character has in the state of all."""
    return LayerRows(
        state.machines[char, layer : layer + 1],
        state.slots[char, layer],
        state.positions[char, layer],
        state.held[char, layer],
    )


@exact_part
def _evaluate(tables, rows, values, scratch):
    """Compute weights and rates of all slots of a layer from the parameters."""
    copy_row(values, scratch.values)
    for slot in range(rows.machine[0].previous_count + 1):
        evaluate_slot(tables, rows.slots, rows.held, slot, scratch)
        copy_row(rows.positions[slot], scratch.origins[slot])


@exact_part
def _reset_triggers(values, used, least):
    """Reset the triggers whose mark is at least ``least``, and the marks."""
    for parameter in range(len(values)):
        if used[parameter] >= least:
            values[parameter] = 0.0
            used[parameter] = 0


@exact_part
def _step_frame(tables, char, layer, dt, options, rows, scratch, used, out_events, out_verdict):
    """Advance one layer in the order of the real engine's frame; a layer that does not play stands still."""
    machine, slots = rows.machine[0], rows.slots
    if not machine.playing:
        if options.records:
            pause_verdicts(tables, layer, out_verdict)
        return
    active = machine.previous_count
    rest = advance_time(tables, slots, active, dt, scratch)
    if machine.fading and active > 0:
        advance_time(tables, slots, active - 1, dt, scratch)
    taken = find_transition(tables, layer, machine, slots, scratch.values, options.exact)
    if options.records:
        judge_transitions(tables, layer, machine, slots, scratch.values, options.exact, taken, out_verdict)
    if taken >= 0:
        _take(tables, taken, rows, scratch, used)
    if machine.fading:
        machine.elapsed += rest
        if machine.elapsed > machine.total:
            machine.fading = 0
            drop_previous(rows, scratch)
    advance_positions(tables, slots, rows.positions, machine.previous_count + 1, rest, scratch)
    if options.has_events:
        write_events(tables, char, layer, rows, scratch, out_events)


@exact_part
def _take(tables, number, rows, scratch, used):
    """Enter the target of a transition and use up the triggers that it names."""
    transition = tables.transitions[number]
    enter_state(tables, rows, scratch, transition.target, transition.time, transition.offset, transition.interruption)
    for place in range(transition.condition_start, transition.condition_stop):
        condition = tables.conditions[place]
        if condition.trigger:
            used[condition.parameter] = USED
    evaluate_slot(tables, rows.slots, rows.held, rows.machine[0].previous_count, scratch)


@exact_part
def _step_exactly(tables, char, dt, options, scratch, out_state, out_events, out_verdict):
    """Advance all layers together from moment to moment: transitions happen when they are due, as often as they are.

    A trigger serves every layer at the moment at which it is used, and is gone when time goes on.
    """
    values, used = out_state.values[char], out_state.single[char]
    for layer in range(len(tables.layers)):
        scratch.done[layer] = 0
    left, moments = dt, 0
    while True:
        for layer in range(len(tables.layers)):
            _settle(tables, layer, _rows(out_state, char, layer), options, scratch, values, used, out_verdict)
        if left <= 0.0:
            break
        _reset_triggers(values, used, np.int64(USED))
        span = left
        for layer in range(len(tables.layers)):
            rows = _rows(out_state, char, layer)
            if rows.machine[0].playing:
                _evaluate(tables, rows, values, scratch)
                span = _next_moment(tables, layer, rows.machine[0], rows.slots, scratch, span)
        moments += 1
        if span >= left - TOLERANCE or moments > MOMENT_MAX:
            span = left
        for layer in range(len(tables.layers)):
            rows = _rows(out_state, char, layer)
            if rows.machine[0].playing:
                _evaluate(tables, rows, values, scratch)
                _flow(tables, char, layer, span, options, rows, scratch, out_events)
        left -= span


@exact_part
def _settle(tables, layer, rows, options, scratch, values, used, out_verdict):
    """Take all transitions of a layer that are due at this moment."""
    machine, slots = rows.machine[0], rows.slots
    if not machine.playing:
        if options.records:
            pause_verdicts(tables, layer, out_verdict)
        return
    _evaluate(tables, rows, values, scratch)
    if scratch.done[layer]:
        _end_fade(rows, scratch)
        return
    for _ in range(LOOK_MAX):
        _end_fade(rows, scratch)
        taken = find_transition(tables, layer, machine, slots, scratch.values, options.exact)
        if options.records:
            judge_transitions(tables, layer, machine, slots, scratch.values, options.exact, taken, out_verdict)
        if taken < 0:
            return
        _take(tables, taken, rows, scratch, used)
        _forget_used(tables, taken, scratch.values)
    scratch.done[layer] = 1
    _end_fade(rows, scratch)


@exact_part
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


@exact_part
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


@exact_part
def _fade_weight(machine, dt, exact):
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
        enter_state(tables, _rows(out_state, char, layer), scratch, target, time, offset, np.int64(BY_NONE))


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
        rows = _rows(out_state, char, layer)
        machine = rows.machine[0]
        machine.playing = 1
        taken = find_transition_to(tables, machine, rows.slots, out_state.values[char], exact, target)
        if taken >= 0:
            copy_row(out_state.values[char], scratch.values)
            _take(tables, taken, rows, scratch, out_state.single[char])
            continue
        enter_state(tables, rows, scratch, target, 0.0, 0.0, np.int64(BY_NONE))
        drop_previous(rows, scratch)
        machine.previous = -1
