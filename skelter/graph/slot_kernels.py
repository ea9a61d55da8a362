"""Kernels: slots, which are the states that a layer plays at a moment: their weights, rates, times and positions."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skelter.core.kernel import exact_part, exact_routine
from skelter.graph.tree_kernels import leaf_weights


class LayerRows(NamedTuple):
    """What one layer of one character has in a `MachineState`.

    Attributes:
        machine: `MACHINE` ``[1]``.
        slots: `SLOT` ``[slot]``.
        positions: float64 ``[slot, group]``.
        held: float64 ``[slot, child]``.
    """

    machine: np.ndarray
    slots: np.ndarray
    positions: np.ndarray
    held: np.ndarray


class Scratch(NamedTuple):
    """Room for one layer of one character at a time, and marks of all of its layers.

    Attributes:
        weights: float64 ``[slot, leaf]``: weight of each leaf in its state.
        rest: float64 ``[slot]``: weight of the rest pose in its state.
        still: uint8 ``[slot]``: 1 while the state's tree holds its last weights, and its groups stand still.
        rates: float64 ``[slot, group]``: how fast positions move at state speed 1, in units of the group per second.
        origins: float64 ``[slot, group]``: positions before they moved.
        tree_weight: float64 ``[tree]``.
        child_weight: float64 ``[child]``.
        values: float64 ``[parameter]``: parameters as the layer sees them.
        done: uint8 ``[layer]``: 1 for a layer that takes no more transitions in the running step.
    """

    weights: np.ndarray
    rest: np.ndarray
    still: np.ndarray
    rates: np.ndarray
    origins: np.ndarray
    tree_weight: np.ndarray
    child_weight: np.ndarray
    values: np.ndarray
    done: np.ndarray


@exact_part
def evaluate_slot(tables, slots, held, slot, scratch):
    """Compute leaf weights and group rates of one slot from the parameters in ``scratch.values``.

    A phase group moves at one over the weighted mean duration of its leaves. Leaves that do not move (speed 0, empty
    clips) do not count in the mean.
    """
    state = slots[slot].state
    row = tables.states[state]
    weights, rates = scratch.weights[slot], scratch.rates[slot]
    scratch.rest[slot], scratch.still[slot] = leaf_weights(
        tables, state, scratch.values, held[slot], scratch.tree_weight, scratch.child_weight, weights
    )
    for group in range(row.group_stop - row.group_start):
        rates[group] = 1.0
        if tables.group_by_phase[row.group_start + group]:
            mean = _mean_duration(tables, row, group, weights)
            rates[group] = 1.0 / mean if mean > 0.0 else 0.0


@exact_part
def _mean_duration(tables, row, group, weights):
    """Return the weighted mean duration of the leaves of a group over their speeds; equal weights if all are 0."""
    total, mean, count, plain = 0.0, 0.0, 0, 0.0
    for number in range(row.leaf_stop - row.leaf_start):
        leaf = tables.leaves[row.leaf_start + number]
        if leaf.group != group or leaf.speed == 0.0 or leaf.clip < 0:
            continue
        duration = leaf.duration / abs(leaf.speed)
        total += weights[number]
        mean += weights[number] * duration
        count += 1
        plain += duration
    if total > 0.0:
        return mean / total
    return plain / count if count > 0 else 0.0


@exact_part
def own_rate(tables, slots, slot, scratch):
    """Return how fast the own time of a slot's state moves, in its units per second."""
    row = tables.states[slots[slot].state]
    rate = scratch.rates[slot, row.main_group] if row.by_phase else 1.0
    return abs(row.speed) * rate


@exact_part
def advance_time(tables, slots, slot, dt, scratch):
    """Advance the own time of a slot's state; return the part of ``dt`` that it took to reach its end, or ``dt``.

    A state that does not loop and has ended keeps its time and the time before it: its last window stays open.
    """
    row, record = tables.states[slots[slot].state], slots[slot]
    if not row.loop and record.time >= row.end:
        return dt
    rate = own_rate(tables, slots, slot, scratch)
    record.before = record.time
    record.time += dt * rate
    if not row.loop and record.time > row.end:
        record.time = row.end
        return (row.end - record.before) / rate
    return dt


@exact_part
def advance_positions(tables, slots, positions, count, dt, scratch):
    """Move the groups of the first ``count`` slots, but for those that are frozen or hold their weights."""
    for slot in range(count):
        row = tables.states[slots[slot].state]
        stands = slots[slot].frozen or scratch.still[slot]
        for group in range(row.group_stop - row.group_start):
            scratch.origins[slot, group] = positions[slot, group]
            if not stands:
                positions[slot, group] += dt * row.speed * scratch.rates[slot, group]


@exact_part
def progress(tables, state, time):
    """Return how many times a state has played at an own time."""
    row = tables.states[state]
    if row.complete:
        return 1.0
    return time if row.by_phase else time * row.first_speed / row.first_duration


@exact_part
def leaf_position(leaf, by_phase, position):
    """Return the unwrapped clip time [s] of a leaf whose group is at a position."""
    if leaf.speed == 0.0:
        return 0.0
    if not by_phase:
        return position * leaf.speed
    return position * leaf.duration if leaf.speed > 0.0 else (1.0 - position) * leaf.duration


@exact_part
def clip_time(position, duration, loop):
    """Wrap an unwrapped clip time into ``[0, duration]``, or clamp it.

    Whole plays read as the duration, not as 0: the last key shows before the clip begins again.
    """
    if duration <= 0.0:
        return 0.0
    if not loop:
        return min(max(position, 0.0), duration)
    if 0.0 <= position <= duration:
        return position
    wrapped = np.fmod(position, duration)
    if wrapped < 0.0:
        wrapped += duration
    if wrapped == 0.0 and position > 0.0:
        wrapped = duration
    return wrapped


@exact_routine
def move_slot(rows, scratch, source, target):
    """Copy a slot, with everything that belongs to it, to another place."""
    old, new = rows.slots[source], rows.slots[target]
    new.time = old.time
    new.before = old.before
    new.share = old.share
    new.state = old.state
    new.frozen = old.frozen
    copy_row(rows.positions[source], rows.positions[target])
    copy_row(rows.held[source], rows.held[target])
    copy_row(scratch.weights[source], scratch.weights[target])
    scratch.rest[target] = scratch.rest[source]
    scratch.still[target] = scratch.still[source]
    copy_row(scratch.rates[source], scratch.rates[target])
    copy_row(scratch.origins[source], scratch.origins[target])


@exact_part
def copy_row(source, out):
    """Copy a row; assigning slices would allocate."""
    for place in range(len(out)):
        out[place] = source[place]
