"""Room for threads that advance graphs: made once, and lent to one thread at a time."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from skelter.core.workers import lent
from skelter.graph.controller import Controller
from skelter.graph.tables import EVENT, SLOT_COUNT

if TYPE_CHECKING:
    from skelter.graph.playback_kernels import EventArrays, WayArrays
    from skelter.graph.slot_kernels import Scratch

EVENT_ROOM = 256
"""Events that a thread has room for at first."""


@dataclass(slots=True)
class Room:
    """What a thread needs.

    Attributes:
        scratch: Room for a layer of a character.
        ways: Room for a chunk of characters, if the rig has events.
        events: Room for events.
    """

    scratch: Scratch
    ways: WayArrays
    events: EventArrays

    def grow(self) -> None:
        """Double the room for events, and keep those that are there."""
        records = np.zeros(2 * len(self.events.records), EVENT)
        records[: len(self.events.records)] = self.events.records
        self.events = self.events._replace(records=records)


_idle: weakref.WeakKeyDictionary[Controller, list[Room]] = weakref.WeakKeyDictionary()


@contextmanager
def borrowed_room(controller: Controller, chunk: int) -> Iterator[Room]:
    """Lend room for chunks of characters."""
    with lent(_idle.setdefault(controller, []), lambda: _new_room(controller, chunk)) as room:
        if 0 < len(room.ways.begin) < chunk:
            room.ways = new_ways(chunk, controller.entry_count)
        yield room


def _new_room(controller: Controller, chunk: int) -> Room:
    from skelter.graph.playback_kernels import EventArrays

    rows = chunk if len(controller.tables.event_time) else 0
    events = EventArrays(np.zeros(EVENT_ROOM, EVENT), np.zeros(1, np.int64), np.full(1, -1))
    return Room(new_scratch(controller), new_ways(rows, controller.entry_count), events)


def new_ways(rows: int, entry_count: int) -> WayArrays:
    """Return room for how far the clips of some characters go."""
    from skelter.graph.playback_kernels import WayArrays

    shape = (rows, entry_count)
    return WayArrays(np.zeros(shape), np.zeros(shape), np.zeros(shape, np.uint8))


def new_scratch(controller: Controller) -> Scratch:
    """Return room for one layer of one character."""
    from skelter.graph.slot_kernels import Scratch

    return Scratch(
        weights=np.zeros((SLOT_COUNT, controller.leaf_count)),
        rest=np.zeros(SLOT_COUNT),
        still=np.zeros(SLOT_COUNT, np.uint8),
        rates=np.zeros((SLOT_COUNT, controller.group_count)),
        origins=np.zeros((SLOT_COUNT, controller.group_count)),
        tree_weight=np.zeros(controller.tree_count),
        child_weight=np.zeros(controller.child_count),
        values=np.zeros(len(controller.parameter_names)),
        done=np.zeros(controller.layer_count, np.uint8),
    )
