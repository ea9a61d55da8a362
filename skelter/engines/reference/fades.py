"""Fades: a cross-fade between states, and a change of a layer's weight."""

from __future__ import annotations

from dataclasses import dataclass

from skelter.graph.graph import Interruption


@dataclass(slots=True)
class Fade:
    """A running cross-fade.

    Attributes:
        total: Its length [s].
        interruption: Whose transitions may interrupt it.
        elapsed: Time since it began [s].
    """

    total: float
    interruption: Interruption = "NONE"
    elapsed: float = 0.0

    @property
    def progress(self) -> float:
        """Fraction that is over, in [0, 1]; 1 for a fade without length."""
        return min(self.elapsed / self.total, 1.0) if self.total > 0.0 else 1.0


@dataclass(slots=True)
class WeightFade:
    """A linear change of a layer's weight.

    Attributes:
        start: Weight at its beginning.
        goal: Weight at its end.
        total: Its length [s].
        elapsed: Time since it began [s].
    """

    start: float
    goal: float
    total: float
    elapsed: float = 0.0

    @property
    def over(self) -> bool:
        """Whether it has come to its end."""
        return self.elapsed >= self.total

    @property
    def weight(self) -> float:
        """Weight at the elapsed time."""
        return self.goal if self.over else self.start + (self.goal - self.start) * (self.elapsed / self.total)
