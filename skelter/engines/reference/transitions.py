"""Which transition a layer takes: the order in which they are looked at, and what each of them asks."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from skelter.core.errors import GraphError
from skelter.engines.reference.slot import Slot
from skelter.engines.reference.stays import Stays
from skelter.graph.controller import Rules
from skelter.graph.graph import ANY, END, Condition, Interruption, Layer, Predicate, Transition
from skelter.graph.verdict import Verdict

PREDICATES: dict[Predicate, Callable[[float, float], bool]] = {
    "GREATER_THAN": operator.gt,
    "LESS_THAN": operator.lt,
    "GREATER_THAN_EQUAL_TO": operator.ge,
    "LESS_THAN_EQUAL_TO": operator.le,
    "EQUAL_TO": operator.eq,
    "NOT_EQUAL_TO": operator.ne,
}
PROGRESS_TOL = 1e-9
"""Moments of a state that are nearer than this [plays of its clip] are one moment."""

Reached = Callable[[Slot, float], bool]
"""Whether a slot has reached an exit time."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What became of a transition.

    Attributes:
        verdict: It was taken, or the first reason against it: target active, exit time, condition, priority.
        condition: Index of the first condition that does not hold, or -1.
    """

    verdict: Verdict
    condition: int = -1


@dataclass(frozen=True, slots=True)
class Candidate:
    """A transition that is looked at, and the slot that its exit time waits for."""

    transition: Transition
    slot: Slot


class Ways:
    """The transitions of a layer.

    Attributes:
        all: In the order of the graph.
    """

    def __init__(self, layer: Layer, rules: Rules = "skelter") -> None:
        self._rules = rules
        self.all = layer.transitions
        self._layer = layer
        self._sorted = sorted(layer.transitions, key=lambda way: way.priority)

    def written_on(self, source: str) -> list[Transition]:
        """Return the transitions of a source, by priority, equal ones in the order of the graph."""
        return [way for way in self._sorted if way.source == source]

    def resolve(self, target: str) -> str:
        """Return the state that a target stands for: END goes on to the default state.

        Raises:
            GraphError: The layer has no default state.
        """
        if target != END:
            return target
        if self._layer.default_state is None:
            raise GraphError(f"layer {self._layer.name!r}: END needs a transition from START to a default state")
        return self._layer.default_state

    def candidates(self, stays: Stays) -> list[Candidate]:
        """Return the transitions to look at, in that order: those of one or two states, then those of ANY.

        Args:
            stays: What the layer is in.
        """
        if stays.fade and stays.fade.interruption == "NONE":
            return []
        sources = _sources(stays, stays.fade.interruption if stays.fade else "NEXT_STATE")
        own = [Candidate(way, self._clock(slot, stays)) for slot in sources for way in self.written_on(slot.name)]
        return own + [Candidate(way, stays.active) for way in self.written_on(ANY)]

    def _clock(self, slot: Slot, stays: Stays) -> Slot:
        """Return the slot that exit times wait for: the state's own, by PlayCanvas's rules always the active one."""
        return stays.active if self._rules == "playcanvas" else slot

    def judge(self, candidate: Candidate, active: str, reached: Reached, values: Mapping[str, float]) -> Finding:
        """Return TAKEN if a transition can be taken, else the first reason against it.

        Args:
            candidate: The transition.
            active: Name of the active state.
            reached: Whether a slot has reached an exit time.
            values: Value of each parameter.
        """
        way = candidate.transition
        if self.resolve(way.target) == active and not (way.target == END and way.source == active):
            return Finding(Verdict.ACTIVE)  # only a state's own way to END enters the state anew
        if way.exit_time and not reached(candidate.slot, way.exit_time):
            return Finding(Verdict.EXIT_TIME)
        for index, condition in enumerate(way.conditions):
            if not holds(condition, values):
                return Finding(Verdict.CONDITION, index)
        return Finding(Verdict.TAKEN)


def holds(condition: Condition, values: Mapping[str, float]) -> bool:
    """Return whether a condition is true at the values of the parameters."""
    return PREDICATES[condition.predicate](values[condition.parameter], float(condition.value))


def passed(slot: Slot, exit_time: float) -> bool:
    """Return whether the last step of a state passed an exit time.

    With b and p the progress before and after it: ``floor(p - e) > floor(b - e)`` for ``e < 1`` in a state that loops,
    ``b < e <= p`` otherwise. Where nothing moved, p must be at the exit time. By PlayCanvas's rules b and p are wrapped
    one by one, so that a step across the end of the loop passes nothing.
    """
    plan = slot.plan
    if plan.complete:
        return True
    before, now = plan.progress(slot.time_before), plan.progress(slot.time)
    wraps = plan.state.loop and exit_time < 1.0
    if wraps and plan.rules == "playcanvas":
        before, now = before - math.floor(before), now - math.floor(now)
    elif wraps:
        if now == before:
            return (now - exit_time).is_integer()
        return math.floor(now - exit_time) > math.floor(before - exit_time)
    return before < exit_time <= now or before == now == exit_time


def due(slot: Slot, exit_time: float) -> bool:
    """Return whether a state is at an exit time now, within `PROGRESS_TOL`."""
    if slot.plan.complete:
        return True
    beyond = slot.progress() - exit_time
    if slot.plan.state.loop and exit_time < 1.0:
        beyond -= round(beyond)
    return abs(beyond) <= PROGRESS_TOL


def _sources(stays: Stays, interruption: Interruption) -> list[Slot]:
    """Return the slots whose transitions are looked at."""
    places: dict[str, Slot | None] = {"PREV": stays.leaving, "NEXT": stays.active}
    named = [places[word] for word in interruption.replace("_STATE", "").split("_")]
    return [slot for slot in named if slot is not None]
