"""Looks: what stood against transitions when they were last looked at, for people who read why a test failed."""

from __future__ import annotations

from dataclasses import dataclass

from skelter.crowd.crowd import Crowd
from skelter.crowd.explanation import TransitionVerdict
from skelter.graph.graph import ANY
from skelter.graph.verdict import Verdict

HELD_BACK = (Verdict.INTERRUPTION, Verdict.PAUSED)
"""Verdicts for which neither exit times nor conditions were looked at."""


@dataclass(frozen=True, slots=True)
class Look:
    """What became of a transition in a step.

    Attributes:
        begin: Begin of the step [s].
        end: End of the step [s].
        verdict: What became of it, with the values that were seen.
    """

    begin: float
    end: float
    verdict: TransitionVerdict

    def __str__(self) -> str:
        return f"{f'{self.begin:.3f}-{self.end:.3f}':>13}  {self.verdict}"


class Looks:
    """The last look at each transition of a crowd of one."""

    def __init__(self, crowd: Crowd) -> None:
        """Follow a crowd that records its steps."""
        self._crowd = crowd
        self._last: dict[tuple[str, int], Look] = {}

    def see(self, begin: float) -> None:
        """Keep what became of the transitions in the last step, which began at a time [s]."""
        for layer in self._crowd.controller.layer_names:
            active = str(self._crowd.layer(layer).active[0])
            for verdict in self._crowd.explain(0, layer=layer).verdicts:
                key = verdict.layer, verdict.index
                # One that fades out, or waits in a paused layer, is not looked at: what was seen before says more.
                if verdict.verdict not in HELD_BACK or verdict.source in (ANY, active) or key not in self._last:
                    self._last[key] = Look(begin, self._crowd.time, verdict)

    def ways(self, layer: str, target: str) -> list[str]:
        """Return a line per transition of a layer that leads to a state."""
        return [self._line(verdict) for verdict in self._crowd.explain(0, target, layer=layer).verdicts]

    def _line(self, verdict: TransitionVerdict) -> str:
        look = self._last.get((verdict.layer, verdict.index))
        if look is not None:
            return str(look)
        way = f"{verdict.layer}: transitions[{verdict.index}] {verdict.source} -> {verdict.target}"
        return f"{'never':>13}  {way}: {verdict.source} was not active when a step began"
