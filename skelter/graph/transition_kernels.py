"""Kernels: which transition is taken, and what entering a state does."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import math

import numpy as np

from skelter.core.kernel import exact_part, exact_routine
from skelter.graph.slot_kernels import move_slot, progress
from skelter.graph.tables import (
    BY_NEXT,
    BY_NEXT_PREVIOUS,
    BY_NONE,
    BY_PREVIOUS,
    BY_PREVIOUS_NEXT,
    EQUAL,
    GREATER,
    GREATER_EQUAL,
    LESS,
    LESS_EQUAL,
    PREVIOUS_MAX,
)
from skelter.graph.verdict import ACTIVE, CONDITION, EXIT_TIME, INTERRUPTION, OTHER_STATE, PAUSED, PRIORITY, TAKEN

TOLERANCE = 1e-9
"""Times [s] and progress that differ by less are one moment in exact timing: steps add up with rounding."""


@exact_part
def find_transition(tables, layer, machine, slots, values, exact):
    """Return the first transition that passes, or -1.

    Args:
        tables: `GraphTables`.
        layer: Index of the layer.
        machine: Record `MACHINE` of the layer.
        slots: `SLOT` ``[slot]``.
        values: float64 ``[parameter]``.
        exact: False: exit times are passed by the last step's window; True: they lie at this moment.
    """
    active = machine.previous_count
    for turn in range(2):
        slot = source_slot(machine, turn)
        if slot >= 0:
            row = tables.states[slots[slot].state]
            for place in range(row.candidate_start, row.candidate_stop):
                number = tables.candidates[place]
                if _verdict(tables, number, machine, slots, slot, values, exact) == TAKEN:
                    return number
    if machine.fading and machine.interruption == BY_NONE:
        return -1
    for place in range(tables.layers[layer].any_start, tables.layers[layer].any_stop):
        if _verdict(tables, tables.candidates[place], machine, slots, active, values, exact) == TAKEN:
            return tables.candidates[place]
    return -1


@exact_part
def find_transition_to(tables, machine, slots, values, exact, target):
    """Return the first transition from the active state that names a target, not END, and passes; or -1."""
    slot = machine.previous_count
    row = tables.states[slots[slot].state]
    for place in range(row.candidate_start, row.candidate_stop):
        number = tables.candidates[place]
        leads_there = tables.transitions[number].target == target and not tables.transitions[number].restarts
        if leads_there and _verdict(tables, number, machine, slots, slot, values, exact) == TAKEN:
            return number
    return -1


@exact_part
def source_slot(machine, turn):
    """Return the slot whose transitions are looked at first (``turn`` 0) or second (1); -1: none."""
    active = machine.previous_count
    if not machine.fading:
        return active if turn == 0 else -1
    previous = active - 1
    if machine.interruption == BY_PREVIOUS:
        return previous if turn == 0 else -1
    if machine.interruption == BY_NEXT:
        return active if turn == 0 else -1
    if machine.interruption == BY_PREVIOUS_NEXT:
        return previous if turn == 0 else active
    if machine.interruption == BY_NEXT_PREVIOUS:
        return active if turn == 0 else previous
    return -1


@exact_part
def _verdict(tables, number, machine, slots, slot, values, exact):
    """Return what stands against a transition that is written on the state in ``slot``, or TAKEN."""
    transition = tables.transitions[number]
    if not _may_enter(transition, machine, slots[slot].state):
        return ACTIVE
    timed = slots[_timed_slot(transition, machine, slot)]
    if transition.exit_time != 0.0 and not _exit_passes(tables, transition, timed, exact):
        return EXIT_TIME
    return CONDITION if failing_condition(tables, transition, values) >= 0 else TAKEN


@exact_part
def _timed_slot(transition, machine, slot):
    """Return the slot whose time counts for the exit time of a transition of ``slot``: in PlayCanvas the active one."""
    return machine.previous_count if transition.playcanvas else slot


@exact_part
def _may_enter(transition, machine, source):
    """Return if a transition written on a state leads elsewhere, or to END, which begins anew even where it ends."""
    return transition.target != machine.active or (transition.restarts and source == machine.active)


@exact_part
def waits_for_exit(tables, number, machine, slots, slot, values):
    """Return if nothing but its exit time stands against a transition that is written on the state in ``slot``."""
    transition = tables.transitions[number]
    if transition.exit_time == 0.0 or not _may_enter(transition, machine, slots[slot].state):
        return False
    return failing_condition(tables, transition, values) < 0


@exact_part
def _exit_passes(tables, transition, slot, exact):
    """Return if the last advance of a state passed an exit time, or if it is reached now.

    PlayCanvas wraps both ends of the advance into one play, so that an advance beyond the end of a loop passes nothing.
    """
    row, exit_time = tables.states[slot.state], transition.exit_time
    if row.complete:
        return True
    now = progress(tables, slot.state, slot.time)
    looped = exit_time < 1.0 and row.loop
    if exact:
        late = now - exit_time
        if looped:
            late -= math.floor(late + 0.5) if late > 0.0 else 0.0
        return abs(late) < TOLERANCE
    before = progress(tables, slot.state, slot.before)
    if before == now:
        return now == exit_time or (looped and now > exit_time and now - exit_time == math.floor(now - exit_time))
    if looped and transition.playcanvas:
        before, now = before - math.floor(before), now - math.floor(now)
    elif looped:
        return math.floor(now - exit_time) > math.floor(before - exit_time)
    return before < exit_time <= now


@exact_part
def failing_condition(tables, transition, values):
    """Return the first condition of a transition that does not hold, counted from its first, or -1."""
    for number in range(transition.condition_start, transition.condition_stop):
        condition = tables.conditions[number]
        value = values[condition.parameter]
        if condition.predicate == GREATER:
            holds = value > condition.value
        elif condition.predicate == LESS:
            holds = value < condition.value
        elif condition.predicate == GREATER_EQUAL:
            holds = value >= condition.value
        elif condition.predicate == LESS_EQUAL:
            holds = value <= condition.value
        elif condition.predicate == EQUAL:
            holds = value == condition.value
        else:
            holds = value != condition.value
        if not holds:
            return number - transition.condition_start
    return -1


@exact_routine
def judge_transitions(tables, layer, machine, slots, values, exact, taken, out_verdicts):
    """Write what became of every transition of a layer, before the one that is taken is entered.

    What was taken earlier in the step remains so.

    Args:
        tables: `GraphTables`.
        layer: Index of the layer.
        machine: Record `MACHINE` of the layer.
        slots: `SLOT` ``[slot]``.
        values: float64 ``[parameter]``.
        exact: As in `find_transition`.
        taken: The transition that is taken, or -1.
        out_verdicts: `VERDICT` ``[transition]``, of all layers; those of the layer are written.
    """
    first, stop = tables.layers[layer].transition_start, tables.layers[layer].transition_stop
    for number in range(first, stop):
        out = out_verdicts[number]
        slot = _looked_at(tables, number, machine, slots)
        if number == taken:
            out.code = TAKEN
        elif out.code == TAKEN:
            continue
        elif slot >= 0:
            code = _verdict(tables, number, machine, slots, slot, values, exact)
            out.code = PRIORITY if code == TAKEN else code
            timed = slots[_timed_slot(tables.transitions[number], machine, slot)]
            _write_details(tables, number, timed, values, out)
        else:
            source = tables.transitions[number].source
            here = source < 0 or _plays(machine, slots, source)
            out.code = INTERRUPTION if machine.fading and here else OTHER_STATE


@exact_routine
def pause_verdicts(tables, layer, out_verdicts):
    """Write that the layer does not play."""
    for number in range(tables.layers[layer].transition_start, tables.layers[layer].transition_stop):
        out_verdicts[number].code = PAUSED


@exact_part
def _looked_at(tables, number, machine, slots):
    """Return the slot that a transition is looked at for, or -1."""
    source = tables.transitions[number].source
    if source < 0:
        return -1 if machine.fading and machine.interruption == BY_NONE else machine.previous_count
    for turn in range(2):
        slot = source_slot(machine, turn)
        if slot >= 0 and slots[slot].state == source:
            return slot
    return -1


@exact_part
def _write_details(tables, number, timed, values, out):
    """Write the values that speak against a transition; ``timed`` is the slot whose time counts."""
    if out.code == EXIT_TIME:
        out.before = progress(tables, timed.state, timed.before)
        out.seen = progress(tables, timed.state, timed.time)
    elif out.code == CONDITION:
        transition = tables.transitions[number]
        out.condition = failing_condition(tables, transition, values)
        out.seen = values[tables.conditions[transition.condition_start + out.condition].parameter]


@exact_part
def _plays(machine, slots, state):
    """Return if a state is active or the newest of those that fade out."""
    active = machine.previous_count
    return slots[active].state == state or (active > 0 and slots[active - 1].state == state)


@exact_routine
def enter_state(tables, rows, scratch, target, time, offset, interruption):
    """Make a state the active one; what was active fades out over ``time`` [s].

    An interrupted cross-fade leaves its states where they are in the mix: the newest goes on, the older ones stand
    still. When there are more than `PREVIOUS_MAX`, the lightest of those that stand still is dropped.
    """
    machine, slots = rows.machine[0], rows.slots
    if not machine.fading:
        drop_previous(rows, scratch)
    active = machine.previous_count
    if machine.fading:
        mix = min(machine.elapsed / machine.total, 1.0) if machine.total > 0.0 else 1.0
        for slot in range(active):
            slots[slot].share *= 1.0 - mix
            slots[slot].frozen = 1
        slots[active].share = mix
    else:
        slots[active].share = 1.0
    machine.previous = machine.active
    if active + 1 > PREVIOUS_MAX:
        _drop_lightest(rows, scratch)
    machine.previous_count += 1
    _place(tables, rows, machine.previous_count, target, offset)
    machine.active = target
    machine.fading = 1
    machine.elapsed = 0.0
    machine.total = time
    machine.interruption = interruption


@exact_routine
def _place(tables, rows, slot, state, offset):
    """Put a state at its start into a slot: at an offset, at 0, or at its end if it runs backwards."""
    row, record = tables.states[state], rows.slots[slot]
    record.state = state
    record.frozen = 0
    record.share = 0.0
    record.time = offset if row.by_phase else offset * row.longest
    record.before = record.time
    rows.held[slot] = -1.0
    for group in range(row.group_stop - row.group_start):
        by_phase = tables.group_by_phase[row.group_start + group]
        if row.speed < 0.0 and offset == 0.0:
            rows.positions[slot, group] = 1.0 if by_phase else row.clock_end
        else:
            rows.positions[slot, group] = offset if by_phase else offset * row.longest


@exact_routine
def drop_previous(rows, scratch):
    """Forget the states that fade out."""
    if rows.machine[0].previous_count > 0:
        move_slot(rows, scratch, rows.machine[0].previous_count, np.int64(0))
        rows.machine[0].previous_count = 0


@exact_routine
def _drop_lightest(rows, scratch):
    """Forget the lightest of the frozen states, the oldest of equal ones; the shares of the others sum to 1 again."""
    slots, active = rows.slots, rows.machine[0].previous_count
    lightest = 0
    for slot in range(1, active):
        if slots[slot].share < slots[lightest].share:
            lightest = slot
    for slot in range(lightest, active):
        move_slot(rows, scratch, slot + 1, slot)
    rows.machine[0].previous_count = active - 1
    total = 0.0
    for slot in range(active):
        total += slots[slot].share
    for slot in range(active):
        slots[slot].share = slots[slot].share / total if total > 0.0 else 1.0 / active
