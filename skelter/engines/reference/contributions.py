"""Contributions: the clips that a layer blends, with their times and weights."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from skelter.engines.reference.graph_clips import GraphClip
from skelter.engines.reference.slot import Slot
from skelter.engines.reference.state_plan import LeafPlan


@dataclass(frozen=True, slots=True)
class Contribution:
    """An entry of a layer's playback list.

    Attributes:
        path: Path of the leaf, or of a tree or state that plays nothing.
        clip: The clip, or None: it keys nothing.
        time: Time in the clip [s].
        weight: Weight in the layer, above 0; the layer's sum to 1.
        frozen: Whether it stands still because its cross-fade was interrupted.
        state: Name of the state.
    """

    path: str
    clip: GraphClip | None
    time: float
    weight: float
    frozen: bool
    state: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A contribution before it is read: the leaf (None plays nothing) in its slot."""

    slot: Slot
    path: str
    leaf: LeafPlan | None
    weight: float


def weigh_slots(slots: Sequence[Slot], fade: float, values: Mapping[str, float]) -> list[Entry]:
    """Return the entries of a layer, oldest slot first; their weights are above 0 and sum to 1.

    The active slot weighs ``fade``, a previous one ``(1 - fade) * share``, and their sum is scaled to 1. Control states
    have no leaves and take no part. Where nothing else weighs anything the active state has all the weight.

    Args:
        slots: The slots, the active one last.
        fade: Progress of the cross-fade in [0, 1]; 1 without one.
        values: Value of each parameter.
    """
    *previous, active = slots
    entries = [
        entry for slot in previous for entry in _slot_entries(slot, (1.0 - fade) * slot.share, values)
    ] + _slot_entries(active, fade, values)
    if not any(entry.weight > 0.0 for entry in entries):
        entries = _slot_entries(active, 1.0, values) or [Entry(active, active.name, None, 1.0)]
    total = sum(entry.weight for entry in entries)
    return [replace(entry, weight=entry.weight / total) for entry in entries if entry.weight > 0.0]


def contributions(entries: Iterable[Entry]) -> list[Contribution]:
    """Return entries with their clips and times as they are now."""
    return [
        Contribution(
            entry.path,
            entry.leaf.clip if entry.leaf else None,
            entry.slot.clip_time(entry.leaf) if entry.leaf else 0.0,
            entry.weight,
            entry.slot.frozen,
            entry.slot.name,
        )
        for entry in entries
    ]


def _slot_entries(slot: Slot, weight: float, values: Mapping[str, float]) -> list[Entry]:
    return [Entry(slot, share.path, share.leaf, weight * share.weight) for share in slot.shares(values)]
