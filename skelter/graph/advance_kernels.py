"""Kernels: one step of the machines of all characters, in the order of the real engine's frame."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from skelter.core.kernel import exact_kernel, exact_part
from skelter.core.vector_kernels import next_chunk
from skelter.graph.layer_kernels import SINGLE, begin_step, evaluate, layer_rows, reset_triggers, take, write_layer
from skelter.graph.playback_kernels import write_chunk_events
from skelter.graph.slot_kernels import advance_positions, advance_time
from skelter.graph.transition_kernels import drop_previous, find_transition, judge_transitions, pause_verdicts


@exact_kernel
def advance_kernel(
    tables, duration, dt, due, options, work, scratch, out_state, out_playback, out_ways, out_events, out_verdict
):
    """Advance the graph of characters by one step in frame timing.

    For each layer: fade of its weight, own times, at most one transition, cross-fade, positions, entries. Triggers that
    were used, or last one step only, are reset after all layers. If there is too little room for the events of a chunk
    of characters, the kernel returns, says so in ``out_events.pending``, and goes on from there when it is called with
    more room.

    Args:
        tables: `GraphTables`.
        duration: float64 ``[clip]`` [s].
        dt: Length of the step [s] per character, float64 ``[char]``, times ``out_state.speed``.
        due: uint8 ``[char]``: 0 leaves a character as it is.
        options: `StepOptions`.
        work: `Work`.
        scratch: `Scratch`.
        out_state: `MachineState`, read and written.
        out_playback: `PlaybackArrays`, written.
        out_ways: `WayArrays` with a row for each character of a chunk, or none if no clip has events.
        out_events: `EventArrays`, appended to.
        out_verdict: `VERDICT` ``[char, transition]``, written if ``options.records``.
    """
    while True:
        first = out_events.pending[0]
        if first < 0:
            first = work.start + next_chunk(work.counter) * work.chunk
            if first >= work.stop:
                return
            for char in range(first, min(first + work.chunk, work.stop)):
                if due[char] != 0:
                    _advance_character(
                        tables,
                        char,
                        dt[char],
                        options,
                        scratch,
                        out_state,
                        char - first,
                        out_playback,
                        out_ways,
                        out_verdict,
                    )
        if len(out_ways.begin) > 0:
            before = out_events.total[0]
            stop = min(first + work.chunk, work.stop)
            write_chunk_events(tables, duration, out_playback, out_ways, due, first, stop, out_events)
            if out_events.total[0] > len(out_events.records):
                out_events.pending[0] = first
                out_events.total[0] = before
                return
        out_events.pending[0] = -1


@exact_part
def _advance_character(tables, char, dt, options, scratch, out_state, way, out_playback, out_ways, out_verdict):
    """Advance all layers of a character."""
    step = dt * out_state.speed[char]
    values, used = out_state.values[char], out_state.single[char]
    begin_step(tables, char, step, options, out_state, out_verdict)
    out_playback.layer_start[char, 0] = 0
    for layer in range(len(tables.layers)):
        rows = layer_rows(out_state, char, layer)
        evaluate(tables, rows, values, scratch)
        _step(tables, char, layer, step, options, rows, scratch, used, out_verdict)
        write_layer(tables, char, layer, rows, scratch, way, out_playback, out_ways)
    reset_triggers(values, used, SINGLE)


@exact_part
def _step(tables, char, layer, dt, options, rows, scratch, used, out_verdict):
    """Advance one layer; one that does not play stands still."""
    machine, slots = rows.machine[0], rows.slots
    if not machine.playing:
        if options.records:
            pause_verdicts(tables, layer, out_verdict[char])
        return
    active = machine.previous_count
    rest = advance_time(tables, slots, active, dt, scratch)
    if machine.fading and active > 0:
        advance_time(tables, slots, active - 1, dt, scratch)
    taken = find_transition(tables, layer, machine, slots, scratch.values, options.exact)
    if options.records:
        judge_transitions(tables, layer, machine, slots, scratch.values, options.exact, taken, out_verdict[char])
    if taken >= 0:
        take(tables, taken, rows, scratch, used)
    if machine.fading:
        machine.elapsed += rest
        if machine.elapsed > machine.total:
            machine.fading = 0
            drop_previous(rows, scratch)
    advance_positions(tables, slots, rows.positions, machine.previous_count + 1, rest, scratch)
