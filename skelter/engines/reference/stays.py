"""Stays: what a layer blends: the active state, and those that a cross-fade has not left yet."""

from __future__ import annotations

from collections.abc import Mapping

from skelter.engines.reference.contributions import Entry, weigh_slots
from skelter.engines.reference.fades import Fade
from skelter.engines.reference.slot import Slot

FROZEN_MAX = 4
"""Interrupted poses that go on contributing; of more than these the lightest is dropped."""


class Stays:
    """Slots of a layer.

    Attributes:
        slots: Oldest first. The last is the active one, the one before it goes on playing, and older ones are frozen.
        fade: The running cross-fade, or None.
        previous: Name of the state that was active before, or None.
    """

    def __init__(self, slot: Slot, fade: Fade | None = None) -> None:
        self.slots = [slot]
        self.fade = fade
        self.previous: str | None = None

    @property
    def active(self) -> Slot:
        """The stay in the active state."""
        return self.slots[-1]

    @property
    def leaving(self) -> Slot | None:
        """The newest slot that fades out, or None."""
        return self.slots[-2] if len(self.slots) > 1 else None

    @property
    def moving(self) -> list[Slot]:
        """The slots that are not frozen."""
        return self.slots[-2:]

    def enter(self, slot: Slot, fade: Fade) -> None:
        """Enter a state; the active one begins to fade out."""
        self.previous = self.active.name
        self._retire()
        self.slots.append(slot)
        self.fade = fade

    def end_fade(self) -> None:
        """Keep the active slot only."""
        self.fade = None
        self.slots = [self.active]

    def entries(self, values: Mapping[str, float]) -> list[Entry]:
        """Return what is blended now.

        Args:
            values: Value of each parameter.
        """
        return weigh_slots(self.slots, self.fade.progress if self.fade else 1.0, values)

    def _retire(self) -> None:
        """Make every slot a previous one: the shares are what the cross-fade has come to."""
        *older, newest = self.slots
        progress = self.fade.progress if self.fade else 1.0
        for slot in older:
            slot.share *= 1.0 - progress
            slot.frozen = True
        newest.share = progress
        if len(older) > FROZEN_MAX:
            self.slots.remove(min(older, key=lambda slot: slot.share))
            total = sum(slot.share for slot in self.slots)
            for slot in self.slots:
                slot.share /= total
