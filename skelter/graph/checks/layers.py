"""Layers: their states and transitions, and where they start."""

from __future__ import annotations

from collections.abc import Iterator

from skelter.graph.checks.masks import mask_problems
from skelter.graph.checks.names import name_problems
from skelter.graph.checks.parameters import Parameters, condition_problems
from skelter.graph.checks.trees import speed_problems, tree_problems
from skelter.graph.graph import ANY, CONTROL_STATES, END, START, Layer, Transition
from skelter.graph.problems import Problem, key_of, unknown


def layer_problems(layer: Layer, parameters: Parameters) -> Iterator[Problem]:
    """Yield what is wrong in a layer."""
    if not 0 <= layer.weight <= 1:
        yield Problem(key_of(layer.place, "weight"), f"{layer.weight:g} is outside [0, 1]; give a weight in it")
    yield from mask_problems(layer)
    yield from name_problems(layer.states, "states of a layer")
    yield from _start_problems(layer)
    for state in layer.states:
        yield from speed_problems(state)
        if state.tree is not None:
            yield from tree_problems(state.tree, parameters)
    names = {state.name: None for state in layer.states if state.name not in CONTROL_STATES}
    for transition in layer.transitions:
        yield from transition_problems(transition, names)
        for condition in transition.conditions:
            yield from condition_problems(condition, parameters)


def _start_problems(layer: Layer) -> Iterator[Problem]:
    names = [state.name for state in layer.states if state.name not in CONTROL_STATES]
    if not names:
        yield Problem(key_of(layer.place, "states"), "there is none that plays anything; add one beside START")
    elif layer.default_state is None and all(transition.source for transition in layer.transitions):
        yield Problem(
            key_of(layer.place, "transitions"),
            f'none leads from START; add one to the default state, such as {{"from": "START", "to": "{names[0]}"}}',
        )


def transition_problems(transition: Transition, names: dict[str, None]) -> Iterator[Problem]:
    """Yield what is wrong with a transition, its conditions apart.

    Args:
        transition: The transition.
        names: Names of the states of its layer, without START, END and ANY.
    """
    source, target, place = transition.source, transition.target, transition.place
    if source == END:
        yield Problem(key_of(place, "from"), "END goes on to the default state by itself; start at a state, or at ANY")
    elif source not in (START, ANY) and source not in names:
        yield Problem(key_of(place, "from"), unknown("state", source, (*names, START, ANY)))
    if target in (START, ANY):
        yield Problem(key_of(place, "to"), f"{target} cannot be a target; use END to start over, or name a state")
    elif target == END and source == START:
        yield Problem(key_of(place, "to"), "START to END leads nowhere: END starts over; name the default state")
    elif target != END and target not in names:
        yield Problem(key_of(place, "to"), unknown("state", target, names))
    yield from _number_problems(transition)


def _number_problems(transition: Transition) -> Iterator[Problem]:
    place, exit_time = transition.place, transition.exit_time
    if transition.time < 0:
        yield Problem(key_of(place, "time"), f"{transition.time:g} is negative; give seconds from 0 on")
    if exit_time is not None and exit_time < 0:
        yield Problem(key_of(place, "exitTime"), f"{exit_time:g} is negative; give plays of the clip, from 0 on")
