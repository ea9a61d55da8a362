"""LayerMachine: the machine of one layer. How it spends a step is in `frame_timing` and `exact_timing`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from skelter.core.errors import ArgumentError, unknown_name
from skelter.engines.reference.contributions import Contribution, contributions
from skelter.engines.reference.events import EventRecord, Stretch, fired
from skelter.engines.reference.fades import Fade, WeightFade
from skelter.engines.reference.parameters import Parameters
from skelter.engines.reference.slot import Slot
from skelter.engines.reference.state_plan import StatePlan
from skelter.engines.reference.stays import Stays
from skelter.engines.reference.transitions import Candidate, Finding, Reached, Ways
from skelter.graph.controller import Rules
from skelter.graph.graph import ANY, END, START, Layer, Transition
from skelter.graph.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Timing:
    """How the layers of a character spend a step.

    Attributes:
        reached: Whether a slot has reached an exit time.
        advance: Moves the layers that play by a time [s], with the transitions on the way.
        weigh: Moves a change of the layer's weight by a time [s]; returns the weight of this step, and if it is over.
        keeps_used: Whether triggers that `LayerMachine.play` uses are there until the end of the next step.
    """

    reached: Reached
    advance: Callable[[Sequence[LayerMachine], Parameters, float], None]
    weigh: Callable[[WeightFade, float], tuple[float, bool]]
    keeps_used: bool


class LayerMachine:
    """The machine of one layer of one character.

    Attributes:
        playing: While False nothing moves and the pose holds.
        stays: What it is in.
        taken: Transitions that fired in the last step.
        events: Events of the last step.
        stretches: What moved in the running step.
    """

    def __init__(
        self,
        layer: Layer,
        plans: Mapping[str, StatePlan],
        parameters: Parameters,
        timing: Timing,
        rules: Rules = "skelter",
    ) -> None:
        self.name = layer.name
        self._first_weight = layer.weight
        self.playing = True
        self.stays = Stays(Slot(plans[START]))
        self.taken: list[Transition] = []
        self.events: list[EventRecord] = []
        self.stretches: list[Stretch] = []
        self._plans = plans
        self._ways = Ways(layer, rules)
        self._rules = rules
        self._parameters = parameters
        self._timing = timing
        self._weight_fade: WeightFade | None = None
        self.reset_weight()
        self._consumed: set[str] = set()
        self._findings: dict[int, Finding] = {}
        self._contributions = contributions(self.stays.entries(parameters.values))

    @property
    def weight(self) -> float:
        """Weight of the layer; setting it ends a fade of it."""
        return self._weight

    @weight.setter
    def weight(self, weight: float) -> None:
        self._weight = weight
        self._weight_fade = None

    @property
    def active(self) -> str:
        """Name of the active state."""
        return self.stays.active.name

    @property
    def previous(self) -> str | None:
        """Name of the state that was active before; None at the start, after a reset and after entering by `play`."""
        return self.stays.previous

    @property
    def transitioning(self) -> bool:
        """Whether a cross-fade is running."""
        return self.stays.fade is not None

    @property
    def transition_progress(self) -> float | None:
        """Fraction of the cross-fade that is over, or None without one."""
        return self.stays.fade.progress if self.stays.fade else None

    @property
    def progress(self) -> float:
        """Plays of the first clip of the active state since it was entered."""
        return self.stays.active.progress()

    @property
    def time(self) -> float:
        """Time of the active state: seconds, or cycles if its first clip is in a tree with sync."""
        return self.stays.active.time

    @property
    def values(self) -> Mapping[str, float]:
        """Value of each parameter."""
        return self._parameters.values

    @property
    def unspent_values(self) -> Mapping[str, float]:
        """Value of each parameter; triggers that this layer has consumed at this moment count as 0."""
        return {**self._parameters.values, **dict.fromkeys(self._consumed, 0.0)}

    @property
    def verdicts(self) -> list[Finding]:
        """What became of each transition of the layer in the last step, as it was found last; once taken is taken."""
        taken = {id(way) for way in self.taken}
        return [
            Finding(Verdict.TAKEN) if id(way) in taken else self._findings.get(id(way), Finding(Verdict.OTHER_STATE))
            for way in self._ways.all
        ]

    def contributions(self) -> list[Contribution]:
        """Return what the layer blends, as of the last step."""
        return self._contributions

    def transition(self, to: str, time: float = 0.0, offset: float | None = None) -> None:
        """Enter a state at once, even the active one; nothing may interrupt the cross-fade.

        Args:
            to: Name of the state, or END.
            time: Length of the cross-fade [s].
            offset: Where its clips start, as a fraction of their length in (0, 1).
        """
        self.stays.enter(Slot(self._plan(to), offset), Fade(self._duration(time)))

    def play(self, state: str | None = None) -> None:
        """Play on, in another state if one is named.

        It is entered by the first transition from the active state that can be taken now, or else at once: without a
        cross-fade, without a previous state, and anew if it is active.
        """
        self.playing = True
        if state is None:
            return
        plan = self._plan(state)
        ways = [way for way in self._ways.written_on(self.active) if way.target == plan.state.name]
        _, chosen = self._judge([Candidate(way, self.stays.active) for way in ways], self.values)
        if chosen:
            self._take(chosen)
            if not self._timing.keeps_used:
                self._parameters.clear_consumed()
                self.forget_consumed()
        else:
            self.stays = Stays(Slot(plan), Fade(0.0))

    def pause(self) -> None:
        """Stop: the pose holds."""
        self.playing = False

    def reset(self) -> None:
        """Go back to START and stop. Parameters and the weight of the layer stay."""
        self.playing = False
        self.stays = Stays(Slot(self._plans[START]))

    def reset_weight(self) -> None:
        """Give the layer its first weight."""
        self.weight = self._first_weight

    def blend_to_weight(self, weight: float, time: float) -> None:
        """Change the weight of the layer linearly.

        Args:
            weight: Weight to reach.
            time: Length of the change [s]; 0 changes it in the next step, by PlayCanvas's rules never.
        """
        fade = WeightFade(self.weight, self._finite(weight, "weight"), self._duration(time))
        self._weight_fade = None if self._rules == "playcanvas" and fade.total == 0.0 else fade

    def set_time(self, time: float) -> None:
        """Move the active state to a time, in the unit of `time`; no event fires and no exit time is passed."""
        self.stays.active.set_time(self._finite(time, "time"))

    def begin_step(self, dt: float) -> None:
        """Begin a step of dt [s]: nothing is taken yet, and the weight moves."""
        self.taken = []
        self.stretches = []
        self._findings = {id(way): Finding(Verdict.PAUSED) for way in self._ways.all}
        if self._weight_fade:
            self._weight, over = self._timing.weigh(self._weight_fade, dt)
            self._weight_fade = None if over else self._weight_fade

    def end_step(self) -> None:
        """End a step: keep what contributes now, and the events on the way."""
        self._contributions = contributions(self.stays.entries(self.values))
        self.events = [event for stretch in self.stretches for event in fired(self.name, self.weight, stretch)]
        self.forget_consumed()

    def forget_consumed(self) -> None:
        """Forget which triggers the layer has consumed: they are reset for all layers."""
        self._consumed.clear()

    def candidates(self) -> list[Candidate]:
        """Return the transitions to look at now."""
        return self._ways.candidates(self.stays)

    def look(self, values: Mapping[str, float]) -> bool:
        """Take the first transition that can be taken now, and say whether there was one.

        Args:
            values: Value of each parameter.
        """
        findings, chosen = self._judge(self.candidates(), values)
        self._findings = self._not_looked_at() | findings
        if chosen:
            self._take(chosen)
            self.taken.append(chosen)
        return chosen is not None

    def _judge(
        self, candidates: Iterable[Candidate], values: Mapping[str, float]
    ) -> tuple[dict[int, Finding], Transition | None]:
        """Return the finding of each transition by ``id``, and the one to take.

        One that is looked at twice keeps its first finding, unless the second one takes it.
        """
        findings: dict[int, Finding] = {}
        chosen: Transition | None = None
        for candidate in candidates:
            way = candidate.transition
            finding = self._ways.judge(candidate, self.active, self._timing.reached, values)
            if finding.verdict is Verdict.TAKEN and chosen is None:
                chosen = way
                findings[id(way)] = finding
            elif finding.verdict is Verdict.TAKEN:
                findings.setdefault(id(way), Finding(Verdict.PRIORITY))
            else:
                findings.setdefault(id(way), finding)
        return findings, chosen

    def _not_looked_at(self) -> dict[int, Finding]:
        """Return the findings of the transitions that only the running cross-fade keeps from being looked at."""
        if self.stays.fade is None:
            return {}
        sources = {ANY, self.active, self.stays.leaving.name if self.stays.leaving else None}
        return {id(way): Finding(Verdict.INTERRUPTION) for way in self._ways.all if way.source in sources}

    def _take(self, way: Transition) -> None:
        triggers = self._parameters.triggers(way.conditions)
        self._consumed |= triggers
        self._parameters.consumed |= triggers
        self.stays.enter(Slot(self._plan(way.target), way.offset), Fade(way.time, way.interruption))

    def _plan(self, state: str) -> StatePlan:
        if state not in self._plans and state != END:
            raise ArgumentError(f"layer {self.name!r}: {unknown_name('state', state, self._plans)}")
        return self._plans[self._ways.resolve(state)]

    def _finite(self, value: float, what: str) -> float:
        if not math.isfinite(value):
            raise ArgumentError(f"layer {self.name!r}: {what} is {value}; it must be finite")
        return value

    def _duration(self, time: float) -> float:
        if not (math.isfinite(time) and time >= 0.0):
            raise ArgumentError(f"layer {self.name!r}: time is {time}; it must be finite and not negative")
        return time
