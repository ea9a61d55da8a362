"""Exact timing: within a step layers go from moment to moment, and transitions happen when they are due.

What it is in at a time does not depend on how that time is split into steps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from skelter.engines.reference.events import Move, Stretch
from skelter.engines.reference.fades import WeightFade
from skelter.engines.reference.layer_machine import LayerMachine, Timing
from skelter.engines.reference.parameters import Parameters
from skelter.engines.reference.slot import Slot
from skelter.engines.reference.stays import Stays
from skelter.engines.reference.transitions import PROGRESS_TOL, Candidate, due

TIME_TOL = 1e-9
"""Moments nearer than this [s] are one moment."""
TRANSITIONS_MAX = 64
"""Transitions at one moment; a graph that goes round without taking time is left alone until the next step."""


def advance(layers: Sequence[LayerMachine], parameters: Parameters, dt: float) -> None:
    """Advance layers together by a step. Transitions are looked for at its beginning, its end, and moments between.

    A trigger serves every layer at the moment at which it is consumed, and is gone when time goes on.

    Args:
        layers: The layers that play.
        parameters: Their inputs.
        dt: Length of the step [s].
    """
    looking = [layer for layer in layers if _settle(layer)]
    while dt > 0.0:
        parameters.clear_consumed()
        times = [_time_to_moment(layer, layer in looking) for layer in layers]
        time = min([*times, dt])
        if dt - time <= TIME_TOL:
            time = dt
        for layer in layers:
            layer.forget_consumed()
            layer.stretches.append(_go(layer, time))
            _end_fade(layer.stays)
        dt -= time
        looking = [layer for layer in looking if _settle(layer)]


def weigh(fade: WeightFade, dt: float) -> tuple[float, bool]:
    """Advance, then return the weight at the end of the step."""
    fade.elapsed += dt
    return fade.weight, fade.over


EXACT = Timing(due, advance, weigh, keeps_used=False)


def _settle(layer: LayerMachine) -> bool:
    """Take all transitions that are due at this moment; return False if there is no end of them."""
    for _ in range(TRANSITIONS_MAX):
        _end_fade(layer.stays)
        if not layer.look(layer.unspent_values):
            return True
    _end_fade(layer.stays)
    return False


def _end_fade(stays: Stays) -> None:
    if stays.fade and stays.fade.total - stays.fade.elapsed <= TIME_TOL:
        stays.end_fade()


def _time_to_moment(layer: LayerMachine, looking: bool) -> float:
    """Return the time [s] until something happens: the cross-fade ends, a state ends, or an exit time is due."""
    stays = layer.stays
    times = [_time_to_end(slot, layer) for slot in stays.moving]
    if stays.fade:
        times.append(stays.fade.total - stays.fade.elapsed)
    if looking:
        times += [_time_to_exit(candidate, layer) for candidate in layer.candidates()]
    return min(times)


def _time_to_end(slot: Slot, layer: LayerMachine) -> float:
    """Return the time until a state that does not loop has come to its end."""
    pace = slot.pace(layer.values)
    if slot.plan.state.loop or slot.finished or pace == 0.0:
        return math.inf
    return (slot.plan.time_end - slot.time) / pace


def _time_to_exit(candidate: Candidate, layer: LayerMachine) -> float:
    """Return the time until the exit time of a transition is due, or due again; infinity if it will not be."""
    slot, exit_time = candidate.slot, candidate.transition.exit_time
    pace = slot.plan.progress(1.0) * slot.pace(layer.values)
    if not exit_time or slot.plan.complete or slot.finished or pace == 0.0:
        return math.inf
    ahead = exit_time - slot.progress()
    if slot.plan.state.loop and exit_time < 1.0:
        ahead %= 1.0
        if ahead <= PROGRESS_TOL:
            ahead += 1.0
    return ahead / pace if ahead > PROGRESS_TOL else math.inf


def _go(layer: LayerMachine, dt: float) -> Stretch:
    """Move everything by a time in which nothing happens; weights are those in the middle of it."""
    stays, values = layer.stays, layer.values
    _advance_fade(stays, dt / 2.0)
    entries = stays.entries(values)
    _advance_fade(stays, dt / 2.0)
    moves = []
    for slot in stays.moving:
        before = dict(slot.position)
        slot.advance_time(dt, values)
        slot.move(dt, values)
        moves.append(Move(slot, before, dict(slot.position)))
    return Stretch(moves, entries)


def _advance_fade(stays: Stays, dt: float) -> None:
    if stays.fade:
        stays.fade.elapsed += dt
