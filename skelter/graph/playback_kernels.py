"""Kernels: what a layer plays, as entries of the playback list, and the events that its clips pass."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skelter.core.kernel import exact_part, exact_routine
from skelter.core.playback import REST
from skelter.graph.slot_kernels import clip_time, leaf_position

TURN_MAX = 1_000_000
"""Plays of a clip whose events are written in one step, so that absurd speeds neither hang nor fill the memory."""


class EventArrays(NamedTuple):
    """Where kernels write events.

    Attributes:
        records: `EVENT` ``[event]``.
        total: int64 ``[1]``: how many there are; more than there is room for if some were left out.
        pending: int64 ``[1]``: first character of the chunk whose events need more room; or -1.
    """

    records: np.ndarray
    total: np.ndarray
    pending: np.ndarray


class WayArrays(NamedTuple):
    """How far the clips of a chunk of characters went in a step of frame timing; without rows if no clip has events.

    Attributes:
        begin: float64 ``[row, entry]`` [s]: unwrapped clip time before the step.
        end: float64 ``[row, entry]`` [s]: the same after it.
        loops: uint8 ``[row, entry]``: 0 where the clip stays within its length.
    """

    begin: np.ndarray
    end: np.ndarray
    loops: np.ndarray


@exact_part
def slot_weight(machine, slots, slot):
    """Return the weight of a slot before the weights of its layer are made to sum to 1."""
    if not machine.fading:
        return 1.0
    mix = machine.elapsed / machine.total if machine.total > 0.0 else 1.0
    return mix if slot == machine.previous_count else (1.0 - mix) * slots[slot].share


@exact_part
def total_weight(tables, machine, slots):
    """Return the sum of the weights of all slots that play something."""
    total = 0.0
    for slot in range(machine.previous_count + 1):
        if tables.states[slots[slot].state].plays:
            total += slot_weight(machine, slots, slot)
    return total


@exact_part
def write_entries(tables, rows, scratch, char, start, way, out_playback, out_ways):
    """Append the entries of one layer to the rows of one character; return where they stop.

    Args:
        tables: `GraphTables`.
        rows: `LayerRows`.
        scratch: `Scratch`, evaluated.
        char: The character.
        start: First free entry.
        way: Row of the character in ``out_ways``.
        out_playback: `PlaybackArrays`.
        out_ways: `WayArrays`.
    """
    out_clip, out_time, out_weight = out_playback.clip[char], out_playback.time[char], out_playback.weight[char]
    has_events = len(out_ways.begin) > 0
    machine, slots, positions = rows.machine[0], rows.slots, rows.positions
    total = total_weight(tables, machine, slots)
    entry = start
    for slot in range(machine.previous_count + 1):
        row = tables.states[slots[slot].state]
        if total > 0.0:
            own = slot_weight(machine, slots, slot) / total
        else:  # the first moment of a fade from START
            own = 1.0 if slot == machine.previous_count else 0.0
        if not row.plays or own <= 0.0:
            continue
        for number in range(row.leaf_stop - row.leaf_start):
            weight = own * scratch.weights[slot, number]
            if weight > 0.0:
                leaf = tables.leaves[row.leaf_start + number]
                by_phase = tables.group_by_phase[row.group_start + leaf.group]
                position = leaf_position(leaf, by_phase, positions[slot, leaf.group])
                out_clip[entry] = leaf.clip
                out_time[entry] = clip_time(position, leaf.duration, row.loop != 0)
                out_weight[entry] = weight
                if has_events:
                    out_ways.begin[way, entry] = leaf_position(leaf, by_phase, scratch.origins[slot, leaf.group])
                    out_ways.end[way, entry] = position
                    out_ways.loops[way, entry] = row.loop
                entry += 1
        if own * scratch.rest[slot] > 0.0:
            entry = _write_rest(entry, own * scratch.rest[slot], out_clip, out_time, out_weight)
    if entry == start:
        entry = _write_rest(entry, 1.0, out_clip, out_time, out_weight)
    return entry


@exact_part
def _write_rest(entry, weight, out_clip, out_time, out_weight):
    """Append an entry that plays nothing; return the next free one."""
    out_clip[entry] = REST
    out_time[entry] = 0.0
    out_weight[entry] = weight
    return entry + 1


@exact_routine
def write_events(tables, char, layer, rows, scratch, out_events):
    """Append the events that the clips of one layer passed between ``scratch.origins`` and ``positions``."""
    machine, slots, positions = rows.machine[0], rows.slots, rows.positions
    total = total_weight(tables, machine, slots)
    if total <= 0.0:
        return
    for slot in range(machine.previous_count + 1):
        row = tables.states[slots[slot].state]
        own = slot_weight(machine, slots, slot) / total * machine.weight
        if not row.plays or own <= 0.0:
            continue
        for number in range(row.leaf_stop - row.leaf_start):
            leaf = tables.leaves[row.leaf_start + number]
            weight = own * scratch.weights[slot, number]
            if leaf.clip < 0 or weight <= 0.0 or tables.event_start[leaf.clip] == tables.event_start[leaf.clip + 1]:
                continue
            by_phase = tables.group_by_phase[row.group_start + leaf.group]
            begin = leaf_position(leaf, by_phase, scratch.origins[slot, leaf.group])
            end = leaf_position(leaf, by_phase, positions[slot, leaf.group])
            _write_clip_events(
                tables, char, layer, leaf.clip, leaf.duration, row.loop != 0, begin, end, weight, out_events
            )


@exact_routine
def _write_clip_events(tables, char, layer, clip, duration, loop, begin, end, weight, out_events):
    """Append the events of one clip in the order in which they are passed, play after play."""
    plays = loop and duration > 0.0
    if not plays:
        begin, end = min(max(begin, 0.0), duration), min(max(end, 0.0), duration)
    if begin == end:
        return
    start, stop = tables.event_start[clip], tables.event_start[clip + 1]
    first = np.floor(min(begin, end) / duration) - 1.0 if plays else 0.0
    last = np.floor(max(begin, end) / duration) + 1.0 if plays else 0.0
    for turn in range(int(min(last - first, TURN_MAX)) + 1):
        play = first + turn if end > begin else last - turn
        for place in range(stop - start):
            event = start + place if end > begin else stop - 1 - place
            if _passes(tables.event_time[event], play, duration, plays, begin, end):
                _append_event(char, layer, clip, event, tables.event_time[event], weight, out_events)


@exact_part
def _passes(time, play, duration, plays, begin, end):
    """Return if going from ``begin`` to ``end`` passes an event in a certain play of its clip.

    The start of the way counts and its end does not; for an event on the last moment of the clip it is the other way
    round, so that it does not fire when the clip begins. Which play a position lies in is computed in one way from one
    position, so that the end of a step and the beginning of the next one agree.
    """
    forwards = end > begin
    last = time == duration if forwards else time == 0.0
    low, high = min(begin, end), max(begin, end)
    if not plays:
        return low < time <= high if last == forwards else low <= time < high
    if last == forwards:
        return np.floor((low - time) / duration) < play <= np.floor((high - time) / duration)
    return np.ceil((low - time) / duration) <= play < np.ceil((high - time) / duration)


@exact_part
def _append_event(char, layer, clip, event, time, weight, out_events):
    """Write one event if there is room, and count it."""
    count = out_events.total[0]
    if count < len(out_events.records):
        record = out_events.records[count]
        record.char = char
        record.layer = layer
        record.clip = clip
        record.event = event
        record.time = time
        record.weight = weight
    out_events.total[0] = count + 1


@exact_routine
def write_chunk_events(tables, duration, playback, ways, due, first, stop, out_events):
    """Append the events that a chunk of characters passed in a step of frame timing, character by character.

    Args:
        tables: `GraphTables`.
        duration: float64 ``[clip]`` [s].
        playback: `PlaybackArrays`.
        ways: `WayArrays`.
        due: uint8 ``[char]``: 0 for a character that made no step.
        first: First character of the chunk.
        stop: Past its last character.
        out_events: `EventArrays`; with too little room, the events are counted all the same.
    """
    for char in range(first, stop):
        if due[char] == 0:
            continue
        for layer in range(playback.layer_weight.shape[1]):
            strength = playback.layer_weight[char, layer]
            for entry in range(playback.layer_start[char, layer], playback.layer_start[char, layer + 1]):
                clip = np.int64(playback.clip[char, entry])
                weight = playback.weight[char, entry] * strength
                if clip < 0 or weight <= 0.0 or tables.event_start[clip] == tables.event_start[clip + 1]:
                    continue
                begin, end = ways.begin[char - first, entry], ways.end[char - first, entry]
                loop = ways.loops[char - first, entry] != 0
                _write_clip_events(tables, char, layer, clip, duration[clip], loop, begin, end, weight, out_events)
