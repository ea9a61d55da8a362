"""Frame timing: the order of PlayCanvas's engine within a step; at most one transition per layer and step.

    time of the state -> transition -> cross-fade -> positions

So in the step that enters a state its clips and the cross-fade advance by the whole step; the state's own time is left
behind.
"""

from __future__ import annotations

from collections.abc import Sequence

from skelter.engines.reference.events import Move, Stretch
from skelter.engines.reference.fades import WeightFade
from skelter.engines.reference.layer_machine import LayerMachine, Timing
from skelter.engines.reference.parameters import Parameters
from skelter.engines.reference.stays import Stays
from skelter.engines.reference.transitions import passed


def advance(layers: Sequence[LayerMachine], _: Parameters, dt: float) -> None:
    """Advance layers by a step, one after the other.

    Args:
        layers: The layers.
        dt: Length of the step [s].
    """
    for layer in layers:
        _advance_layer(layer, dt)


def _advance_layer(layer: LayerMachine, dt: float) -> None:
    """Advance a layer by a step, which is cut short at the end of a state that does not loop."""
    stays, values = layer.stays, layer.values
    if stays.leaving:
        stays.leaving.advance_time(dt, values)
    rest = stays.active.advance_time(dt, values)
    layer.look(values)
    advance_fade(stays, rest)
    moves = []
    for slot in stays.moving:
        before = dict(slot.position)
        slot.move(rest, values)
        moves.append(Move(slot, before, dict(slot.position)))
    layer.stretches.append(Stretch(moves, stays.entries(values)))


def advance_fade(stays: Stays, dt: float) -> None:
    """Advance the cross-fade; it is over in the step that goes beyond its end."""
    if stays.fade is None:
        return
    stays.fade.elapsed += dt
    if stays.fade.elapsed > stays.fade.total:
        stays.end_fade()


def weigh(fade: WeightFade, dt: float) -> tuple[float, bool]:
    """Return the weight at the beginning of the step, then advance."""
    weight, over = fade.weight, fade.over
    fade.elapsed += dt
    return weight, over


FRAME = Timing(passed, advance, weigh, keeps_used=True)
