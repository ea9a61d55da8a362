"""The events of a step: columns for all of them at once, or one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from skelter.graph.tables import EVENT
from skelter.rig.rig import Rig


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a clip that a character has passed.

    Attributes:
        char: The character.
        layer: Name of the layer.
        clip: Name of the clip.
        name: Name of the event.
        payload: What the clip says about it.
        time: Clip time of the event [s].
        weight: Weight of the clip in its layer, times the weight of the layer.
    """

    char: int
    layer: str
    clip: str
    name: str
    payload: Any
    time: float
    weight: float


class Events(Sequence[Event]):
    """The events of a step, character by character: a sequence of `Event`, with a column for each of its fields."""

    def __init__(self, records: np.ndarray, rig: Rig, layer_names: Sequence[str]) -> None:
        """Hold the records of a step.

        Args:
            records: `skelter.graph.tables.EVENT` ``[event]``.
            rig: Rig whose clips have the events.
            layer_names: Names of the layers.
        """
        self._records = records
        self._rig = rig
        self._layer_names = layer_names

    def __len__(self) -> int:
        return len(self._records)

    @overload
    def __getitem__(self, index: int) -> Event: ...
    @overload
    def __getitem__(self, index: slice) -> Events: ...
    def __getitem__(self, index: int | slice) -> Event | Events:
        if isinstance(index, slice):
            return Events(self._records[index], self._rig, self._layer_names)
        record, bank = self._records[index], self._rig.clips
        return Event(
            char=int(record["char"]),
            layer=self._layer_names[record["layer"]],
            clip=bank.names[record["clip"]],
            name=bank.event_names[record["event"]],
            payload=bank.event_payloads[record["event"]],
            time=float(record["time"]),
            weight=float(record["weight"]),
        )

    def __eq__(self, other: object) -> bool:
        """Compare with any sequence of `Event`."""
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        return list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self))

    @property
    def char(self) -> np.ndarray:
        """The characters, int64 ``[event]``."""
        return self._records["char"].copy()

    @property
    def layer(self) -> np.ndarray:
        """Names of the layers, text ``[event]``."""
        return np.array(self._layer_names, np.str_)[self._records["layer"]]

    @property
    def clip(self) -> np.ndarray:
        """Names of the clips, text ``[event]``."""
        return np.array(self._rig.clips.names, np.str_)[self._records["clip"]]

    @property
    def name(self) -> np.ndarray:
        """Names of the events, text ``[event]``."""
        return np.array(self._rig.clips.event_names, np.str_)[self._records["event"]]

    @property
    def time(self) -> np.ndarray:
        """Clip times [s], float64 ``[event]``."""
        return self._records["time"].copy()

    @property
    def weight(self) -> np.ndarray:
        """Weights of the clips, times those of their layers, float64 ``[event]``."""
        return self._records["weight"].copy()


def merged_events(parts: Sequence[Events], rig: Rig) -> Events:
    """Return the events of several graphs over the same characters as one, character by character."""
    if len(parts) == 1:
        return parts[0]
    names: list[str] = []
    shifted = []
    for part in parts:
        records = part._records.copy()
        records["layer"] += len(names)
        names += part._layer_names
        shifted.append(records)
    records = np.concatenate(shifted) if shifted else np.zeros(0, EVENT)
    return Events(records[np.argsort(records["char"], kind="stable")], rig, names)
