"""Events: what the clips of a layer say on their way, once per crossing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from skelter.engines.reference.contributions import Entry
from skelter.engines.reference.slot import Slot, unwrapped_time
from skelter.engines.reference.state_plan import LeafPlan


@dataclass(frozen=True, slots=True)
class EventRecord:
    """An event that fired.

    Attributes:
        layer: Name of the layer.
        clip: Name of the clip.
        name: Name of the event.
        payload: What the clip attaches to it.
        time: Time in the clip [s].
        weight: Weight of the clip in the layer times that of the layer.
    """

    layer: str
    clip: str
    name: str
    payload: object
    time: float
    weight: float


@dataclass(frozen=True, slots=True)
class Move:
    """A slot on its way: the position of each group before and after."""

    slot: Slot
    before: dict[str, float]
    after: dict[str, float]


@dataclass(frozen=True, slots=True)
class Stretch:
    """A time in which slots moved and weights count as constant.

    Attributes:
        moves: The slots that moved.
        entries: Who contributed, frozen slots included.
    """

    moves: Sequence[Move]
    entries: Sequence[Entry]


def fired(layer: str, weight: float, stretch: Stretch) -> Iterator[EventRecord]:
    """Yield the events of a stretch: entry by entry, each in the order of crossing; none of a layer without weight.

    Args:
        layer: Name of the layer.
        weight: Weight of the layer.
        stretch: The stretch.
    """
    moves = {id(move.slot): move for move in stretch.moves} if weight > 0.0 else {}
    for entry in stretch.entries:
        move, leaf = moves.get(id(entry.slot)), entry.leaf
        if move is None or leaf is None or leaf.clip is None:
            continue
        for event in crossed(leaf, move.before[leaf.group], move.after[leaf.group], entry.slot.plan.state.loop):
            time, name, payload = leaf.clip.events[event]
            yield EventRecord(layer, leaf.clip.name, name, payload, time, entry.weight * weight)


def crossed(leaf: LeafPlan, before: float, after: float, loop: bool) -> list[int]:
    """Return the indices of the events that a leaf crosses, in that order.

    Let the clip's unwrapped time go from a to b, and o be a time of the event in any loop. Forwards ``a <= o < b``,
    backwards ``b < o <= a``; an event on the last moment of the clip, where a loop begins again, when that is reached.

    Args:
        leaf: A leaf with a clip.
        before: Position of its group before.
        after: Position of its group after.
        loop: Whether the state loops.
    """
    if leaf.clip is None or leaf.duration == 0.0:
        return []
    a, b = unwrapped_time(leaf, before, loop), unwrapped_time(leaf, after, loop)
    crossings = []
    for index, (time, _, _) in enumerate(leaf.clip.events):
        for occurrence in _occurrences(time, leaf.duration, a, b) if loop else (time,):
            last = time == (leaf.duration if b > a else 0.0)
            if _is_crossed(occurrence, a, b, last):
                crossings.append((abs(occurrence - a), index))
    return [index for _, index in sorted(crossings)]


def _is_crossed(occurrence: float, a: float, b: float, last: bool) -> bool:
    """Return whether going from a to b crosses a time: with the end and without the start if it is the last one."""
    if b > a:
        return a < occurrence <= b if last else a <= occurrence < b
    return b <= occurrence < a if last else b < occurrence <= a


def _occurrences(time: float, duration: float, a: float, b: float) -> Iterator[float]:
    """Yield the times of an event in all loops that a and b lie in."""
    first = math.floor((min(a, b) - time) / duration)
    last = math.ceil((max(a, b) - time) / duration)
    for loop in range(first, last + 1):
        yield time + loop * duration
