"""Machine: a state graph at work for one character, as obvious as it can be; fast kernels are held to it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Literal

from skelter.core.errors import ArgumentError, GraphError, unknown_name
from skelter.engines.reference.events import EventRecord
from skelter.engines.reference.exact_timing import EXACT
from skelter.engines.reference.frame_timing import FRAME
from skelter.engines.reference.graph_clips import Bound, GraphClip, binding_order, bound_clips
from skelter.engines.reference.layer_machine import LayerMachine
from skelter.engines.reference.parameters import Parameters
from skelter.engines.reference.state_plan import StatePlan, plan_state
from skelter.engines.reference.transitions import Finding
from skelter.graph.controller import Rules
from skelter.graph.graph import ANY, END, START, BlendTree, Layer, State, StateGraph, Transition

TIMINGS = {"frame": FRAME, "exact": EXACT}
RULES = ("skelter", "playcanvas")


class Machine:
    """The state machine of one character.

    Attributes:
        layers: One machine per layer, the base layer first.
    """

    def __init__(
        self,
        graph: StateGraph,
        clips: Mapping[str, GraphClip | None],
        *,
        timing: Literal["frame", "exact"] = "frame",
        rules: Rules = "skelter",
    ) -> None:
        """Bind a graph to clips.

        Args:
            graph: The graph.
            clips: A clip, or None for nothing, per path of the graph; ``Layer:State`` where layers share a name.
            timing: ``frame``: as PlayCanvas, at most one transition per layer and step; ``exact``: when they are due.
            rules: ``playcanvas``: what that engine does where it differs and does so consistently, as in
                `skelter.graph.compile.compile`; poses are then mixed by `OrderedBlend`.

        Raises:
            GraphError: Paths lack a clip, or the graph names things that it does not have; all are listed.
            ArgumentError: There is no such timing, or no such rules, or they do not go together.
        """
        if timing not in TIMINGS:
            raise ArgumentError(unknown_name("timing", timing, TIMINGS))
        if rules not in RULES:
            raise ArgumentError(unknown_name("rules", rules, RULES))
        if timing == "exact" and rules == "playcanvas":
            raise ArgumentError("timing: the rules of PlayCanvas go by frames; use timing='frame' or rules='skelter'")
        problems = list(_unknown_names(graph))
        if problems:
            raise GraphError(f"{graph.name}:\n" + "\n".join(f"  {problem}" for problem in problems))
        bound = bound_clips(graph, clips)
        self._speed = 1.0
        self._timing = TIMINGS[timing]
        self._parameters = Parameters(graph.parameters)
        self.layers = [
            LayerMachine(layer, _plans(layer, bound, clips, rules), self._parameters, TIMINGS[timing], rules)
            for layer in graph.layers
        ]

    @property
    def values(self) -> dict[str, float]:
        """Value of each parameter: booleans and triggers are 0 or 1."""
        return dict(self._parameters.values)

    @property
    def speed(self) -> float:
        """Factor of the length of every step, not negative."""
        return self._speed

    @speed.setter
    def speed(self, value: float) -> None:
        self._speed = _length(value, "speed")

    @property
    def events(self) -> list[EventRecord]:
        """Events of the last step: by layer, by contribution, in the order of crossing.

        With exact timing a layer's are by stretch between two moments before they are by contribution.
        """
        return [event for layer in self.layers for event in layer.events]

    @property
    def taken(self) -> list[list[Transition]]:
        """Transitions that fired in the last step, per layer."""
        return [layer.taken for layer in self.layers]

    @property
    def verdicts(self) -> list[list[Finding]]:
        """What became of each transition of each layer in the last step."""
        return [layer.verdicts for layer in self.layers]

    def layer(self, name: str) -> LayerMachine:
        """Return the machine of a layer."""
        for layer in self.layers:
            if layer.name == name:
                return layer
        raise ArgumentError(unknown_name("layer", name, [layer.name for layer in self.layers]))

    def get(self, name: str) -> float:
        """Return the value of a parameter."""
        return self._parameters.get(name)

    def set(self, name: str, value: float | bool) -> None:
        """Set a parameter.

        Raises:
            ArgumentError: There is no such parameter, or the value does not fit its type.
        """
        self._parameters.set(name, value)

    def trigger(self, name: str, single_frame: bool = False) -> None:
        """Set a trigger until a transition consumes it.

        Args:
            name: Name of the trigger.
            single_frame: Reset it at the end of the next step in any case.
        """
        self._parameters.trigger(name, single_frame)

    def reset_trigger(self, name: str) -> None:
        """Take a trigger back."""
        self._parameters.reset_trigger(name)

    def reset(self) -> None:
        """Set every parameter and layer to its start, and its weight, too; layers that play go on playing."""
        self._parameters.reset()
        for layer in self.layers:
            playing = layer.playing
            layer.reset()
            layer.reset_weight()
            layer.playing = playing

    def step(self, dt: float) -> None:
        """Advance all layers.

        Args:
            dt: Length of the step [s], not negative.
        """
        time = _length(dt, "dt") * self._speed
        for layer in self.layers:
            layer.begin_step(time)
        self._timing.advance([layer for layer in self.layers if layer.playing], self._parameters, time)
        for layer in self.layers:
            layer.end_step()
        self._parameters.clear_consumed()
        self._parameters.clear_single()


def _plans(layer: Layer, bound: Bound, clips: Mapping[str, GraphClip | None], rules: Rules) -> dict[str, StatePlan]:
    """Return the states that can be active."""
    order = binding_order(layer, clips)
    states = {START: State(START)} | {state.name: state for state in layer.states if state.name not in (END, ANY)}
    return {
        name: plan_state(state, lambda path: bound[layer.name, path], order, rules) for name, state in states.items()
    }


def _unknown_names(graph: StateGraph) -> Iterator[str]:
    """Yield a text for each state or parameter that is named and not there."""
    parameters = [parameter.name for parameter in graph.parameters]
    for number, layer in enumerate(graph.layers):
        states = [state.name for state in layer.states]
        used = [(f"states[{i}]", name) for i, state in enumerate(layer.states) for name in _tree_parameters(state.tree)]
        for i, way in enumerate(layer.transitions):
            used += [(f"transitions[{i}]", condition.parameter) for condition in way.conditions]
            for end, known in ((way.source, (START, ANY)), (way.target, (END,))):
                if end not in states and end not in known:
                    yield f"layers[{number}].transitions[{i}]: {unknown_name('state', end, states)}"
        for place, name in used:
            if name not in parameters:
                yield f"layers[{number}].{place}: {unknown_name('parameter', name, parameters)}"


def _tree_parameters(tree: BlendTree | None) -> list[str]:
    if tree is None:
        return []
    nested = [child for child in tree.children if isinstance(child, BlendTree)]
    return [*tree.parameters, *(name for child in nested for name in _tree_parameters(child))]


def _length(value: float, what: str) -> float:
    if not (math.isfinite(value) and value >= 0.0):
        raise ArgumentError(f"{what} is {value}; it must be finite and not negative")
    return value
