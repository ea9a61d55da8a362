"""Scenario: a state graph under test: drive it, and assert what it does.

    def test_jump(scenario):
        (
            scenario(graph, rig)
            .set(speed=1.2)
            .step(0.5)
            .assert_state("Walk")
            .trigger("jump")
            .until("Jump", within=0.2)
            .assert_event("takeoff", count=1)
        )

An assertion that fails shows a timeline, the values at that moment, and why a state was not entered.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from skelter.core.checks import single_number
from skelter.core.errors import ArgumentError
from skelter.crowd.crowd import Crowd, Event
from skelter.crowd.layer import TIME_MAX
from skelter.graph.advance import Timing
from skelter.graph.compile import ClipBindings, compile  # noqa: A004
from skelter.graph.controller import Rules
from skelter.graph.graph import END, START, StateGraph, Transition
from skelter.graph.verdict import Verdict
from skelter.rig.rig import Rig
from skelter.testing.arguments import (
    any_number,
    clip_weights,
    event_name,
    largest_difference,
    state_name,
    time_span,
    whole_number,
)
from skelter.testing.looks import Looks
from skelter.testing.short_tracebacks import short_tracebacks
from skelter.testing.timeline import Mark, Timeline

TOLERANCE = 1e-6
"""Largest difference of a time, a weight or a progress that is asserted."""
TIME_TOL = 1e-9
"""Shortest rest of a time that is worth a step [s]."""
DT_MIN = 1e-6
"""Shortest step [s]."""


@short_tracebacks
class Scenario:
    """One character on a graph. Methods return the scenario, so that calls can be chained.

    Wrong arguments, such as names that are not there, raise ArgumentError; what does not hold raises AssertionError.
    States are seen at the ends of steps: with exact timing one that was left within a step is not.

    Attributes:
        crowd: The crowd of one character, for what the scenario has no method for.
        dt: Length of a step [s].
        events: All events so far.
        timeline: What happened so far.
    """

    def __init__(
        self,
        graph: StateGraph,
        rig: Rig,
        *,
        clips: ClipBindings | None = None,
        timing: Timing = "frame",
        rules: Rules = "skelter",
        dt: float = 1 / 60,
    ) -> None:
        """Put a character on a graph; it is in START.

        Args:
            graph: The graph.
            rig: The rig whose clips it plays.
            clips: Clip per path, as in `skelter.compile`.
            timing: ``frame`` or ``exact``.
            rules: ``skelter`` or ``playcanvas``, as in `skelter.compile`.
            dt: Length of a step [s].

        Raises:
            GraphError: The graph has problems, or paths have no clip.
            ArgumentError: Another argument makes no sense.
        """
        self.crowd = Crowd(compile(graph, rig, clips, rules=rules), 1, timing=timing, record=True)
        self.dt = single_number(dt, "dt", low=DT_MIN, high=TIME_MAX, unit=" s")
        self.events: list[Event] = []
        self.timeline = Timeline()
        self._timing = timing
        self._looks = Looks(self.crowd)
        self._see(0.0)

    @property
    def time(self) -> float:
        """Time since the start [s]."""
        return self.crowd.time

    def set(self, name: str | None = None, value: float | bool | None = None, /, **values: float | bool) -> Scenario:
        """Set parameters: ``set("speed", 1.2)`` or ``set(speed=1.2)``."""
        if (name is None) != (value is None):
            raise ArgumentError(f"set: give a name and a value, such as set('speed', 1.2), got {name!r} and {value!r}")
        given = values if name is None or value is None else {name: value, **values}
        for parameter, wanted in given.items():
            self.crowd.set(parameter, wanted)
            self._note(f"{parameter} = {wanted}")
        return self

    def trigger(self, name: str, *, single_frame: bool = False) -> Scenario:
        """Set a trigger until a transition uses it, or for the next step only."""
        self.crowd.trigger(name, single_frame=single_frame)
        self._note(f"trigger {name}" + (" for one step" if single_frame else ""))
        return self

    def step(self, time: float) -> Scenario:
        """Advance by a time [s], in steps of `dt` and a shorter one for the rest."""
        span = time_span(time, "time")
        count = math.floor((span + TIME_TOL) / self.dt)
        self.frames(count)
        rest = span - count * self.dt
        if rest > TIME_TOL:
            self._step(rest)
        return self

    def frames(self, count: int = 1) -> Scenario:
        """Advance by some steps of `dt`."""
        for _ in range(whole_number(count, "count")):
            self._step(self.dt)
        return self

    def until(self, state: str, *, within: float, layer: str | int = 0) -> Scenario:
        """Advance until a state is active.

        Args:
            state: Name of the state.
            within: Longest time that it may take [s].
            layer: Name or index of the layer.

        Raises:
            AssertionError: It has not been entered by then.
        """
        state = state_name(self.crowd.controller, layer, state)
        end = self.time + time_span(within, "within")
        while self._active(layer) != state:
            if self.time + self.dt > end + TIME_TOL:
                self._fail(f"expected state {state!r} within {within:g} s, it is {self._active(layer)!r}", layer, state)
            self._step(self.dt)
        return self

    def assert_state(self, name: str, *, layer: str | int = 0) -> Scenario:
        """Assert that a state is active."""
        name = state_name(self.crowd.controller, layer, name)
        if self._active(layer) != name:
            self._fail(f"expected state {name!r}, it is {self._active(layer)!r}", layer, name)
        return self

    def assert_previous(self, name: str, *, layer: str | int = 0) -> Scenario:
        """Assert which state was active before; an empty name stands for none."""
        name = name and state_name(self.crowd.controller, layer, name)
        previous = str(self.crowd.layer(layer).previous[0])
        self._require(previous == name, f"expected previous state {name!r}, it is {previous!r}", layer)
        return self

    def assert_transitioning(self, expected: bool = True, *, layer: str | int = 0) -> Scenario:
        """Assert that a cross-fade is running, or that none is."""
        if not isinstance(expected, bool | np.bool_):
            raise ArgumentError(f"expected: give True or False, got {expected!r}")
        running = bool(self.crowd.layer(layer).transitioning[0])
        texts = ("no cross-fade", "a running cross-fade")
        self._require(running == expected, f"expected {texts[int(expected)]}, there is {texts[running]}", layer)
        return self

    def assert_weights(
        self, expected: Mapping[str, float], *, tolerance: float = TOLERANCE, layer: str | int = 0
    ) -> Scenario:
        """Assert the weights of clips in a layer.

        Args:
            expected: Weight per clip, not per state or leaf; clips that are not named weigh 0. An empty name stands
                for no clip.
            tolerance: Largest difference of a weight.
            layer: Name or index of the layer.
        """
        wanted, found = clip_weights(self.crowd.controller, expected), self.weights(layer)
        most = largest_difference(tolerance)
        wrong = [name for name in {**wanted, **found} if abs(wanted.get(name, 0.0) - found.get(name, 0.0)) > most]
        text = f"expected weights {_listed(wanted)}, they are {_listed(found)}"
        self._require(not wrong, f"{text}; wrong: {', '.join(map(repr, wrong))}", layer)
        return self

    def assert_event(self, name: str, *, count: int | None = None, layer: str | int | None = None) -> Scenario:
        """Assert that an event has fired since the start, or since `clear_events`.

        Args:
            name: Name of the event.
            count: How often; at least once by default.
            layer: Only in this layer.
        """
        name, where = event_name(self.crowd.controller, name), self._event_layer(layer)
        wanted = f"event {name!r}" + ("" if count is None else f" {whole_number(count, 'count')} times")
        found = sum(event.name == name and where in (None, event.layer) for event in self.events)
        self._require(
            found == count if count is not None else found > 0, f"expected {wanted}, it fired {found} times", where
        )
        return self

    def assert_no_event(self, name: str | None = None) -> Scenario:
        """Assert that no event of a name, or none at all, has fired since the start, or since `clear_events`."""
        name = None if name is None else event_name(self.crowd.controller, name)
        found = [event.name for event in self.events if name in (None, event.name)]
        wanted = "no event" if name is None else f"no event {name!r}"
        self._require(not found, f"expected {wanted}, there were {len(found)}: {', '.join(dict.fromkeys(found))}")
        return self

    def clear_events(self) -> Scenario:
        """Forget the events so far; the timeline keeps them."""
        self.events.clear()
        return self

    def assert_visited(self, *states: str, layer: str | int = 0) -> Scenario:
        """Assert that states were active in this order, with any others before, between and after them."""
        if not states:
            raise ArgumentError("states: name at least one state that must have been active")
        states = tuple(state_name(self.crowd.controller, layer, state) for state in states)
        visited = self.timeline.visited(self.crowd.layer(layer).name)
        ahead = iter(visited)
        missed = next((state for state in states if state not in ahead), None)
        if missed is not None:
            order = " -> ".join(states)
            self._fail(f"expected {order}, {missed!r} is missing in {' -> '.join(visited)}", layer, missed)
        return self

    def assert_time(self, expected: float, *, tolerance: float = TOLERANCE, layer: str | int = 0) -> Scenario:
        """Assert the time of the active state: seconds, or plays of a tree that is in step."""
        found = float(self.crowd.layer(layer).time[0])
        self._require_near(found, expected, tolerance, "time", layer)
        return self

    def assert_progress(self, expected: float, *, tolerance: float = TOLERANCE, layer: str | int = 0) -> Scenario:
        """Assert how many times the active state has played."""
        found = float(self.crowd.layer(layer).progress[0])
        self._require_near(found, expected, tolerance, "progress", layer)
        return self

    def weights(self, layer: str | int = 0) -> dict[str, float]:
        """Return the weight of each clip that a layer plays; an empty name stands for no clip."""
        playback = self.crowd.playback
        start, stop = playback.layer_start[0, self.crowd.controller.layer_index(layer) :][:2].tolist()
        weights: dict[str, float] = {}
        for clip, weight in zip(playback.clip[0, start:stop], playback.weight[0, start:stop].tolist(), strict=True):
            name = self.crowd.rig.clip_names[clip] if clip >= 0 else ""
            weights[name] = weights.get(name, 0.0) + weight
        return weights

    def __str__(self) -> str:
        """Return the timeline and the values at this moment."""
        layers = [self._moment(name) for name in self.crowd.controller.layer_names]
        parameters = ", ".join(f"{name} {self._shown(name)}" for name in self.crowd.controller.parameter_names)
        now = f"at {self.time:.3f} s"
        return "\n".join([now, *layers, f"  parameters: {parameters or 'none'}", str(self.timeline)])

    def _step(self, dt: float) -> None:
        begin = self.time
        self.crowd.step(dt)
        self._see(begin)
        self._looks.see(begin)
        for event in self.crowd.events:
            self.events.append(event)
            text = f"{event.name}  (clip {event.clip}, layer {event.layer}, weight {event.weight:.3g})"
            self.timeline.events.append(Mark(self.time, text))

    def _see(self, begin: float) -> None:
        for number, name in enumerate(self.crowd.controller.layer_names):
            active = self._active(number)
            taken = self._taken(number) if active != START else []
            entered = self._entered(number, taken, begin)
            self.timeline.see(name, active, self.time, entered=entered, again=bool(taken))

    def _taken(self, layer: int) -> list[Transition]:
        """Return the transitions of a layer that were taken in the last step, in the order of its list."""
        ways = self.crowd.controller.graph.layers[layer].transitions
        return [way for way, code in zip(ways, self.crowd.verdicts(layer)[0], strict=True) if code == Verdict.TAKEN]

    def _entered(self, layer: int, taken: Sequence[Transition], begin: float) -> float:
        """Return when the active state was entered if it was in the last step, which began at a time [s].

        That is its begin. With exact timing, the cross-fade that runs tells how long ago it was.
        """
        view, authored = self.crowd.layer(layer), self.crowd.controller.graph.layers[layer]
        if self._timing != "exact" or not view.transitioning[0]:
            return begin
        targets = {view.active[0], END if authored.default_state == view.active[0] else view.active[0]}
        fades = [way.time for way in taken if way.target in targets]
        return max(begin, self.time - float(view.transition_progress[0]) * fades[-1]) if fades else begin

    def _note(self, text: str) -> None:
        self.timeline.inputs.append(Mark(self.time, text))

    def _active(self, layer: str | int) -> str:
        return str(self.crowd.layer(layer).active[0])

    def _shown(self, parameter: str) -> Any:
        value = self.crowd.get(parameter)[0].item()
        return f"{value:g}" if isinstance(value, float) else value

    def _moment(self, name: str) -> str:
        view = self.crowd.layer(name)
        text = f"  layer {name}: state {view.active[0]}, progress {view.progress[0]:.4g}"
        if view.transitioning[0]:
            text += f", fading in from {view.previous[0]} ({view.transition_progress[0]:.0%})"
        return f"{text}, clips {_listed(self.weights(name))}"

    def _event_layer(self, layer: str | int | None) -> str | None:
        """Return the name of a layer of events, which may be that of a directional reaction; None stands for any."""
        names = self.crowd.controller.layer_names
        if layer is None or (isinstance(layer, str) and layer in [event.layer for event in self.events]):
            return layer
        return names[self.crowd.controller.layer_index(layer)]

    def _require_near(self, found: float, expected: float, tolerance: float, name: str, layer: str | int) -> None:
        wanted, most = any_number(expected, name), largest_difference(tolerance)
        self._require(abs(found - wanted) <= most, f"expected {name} {wanted:g}, it is {found:.9g}", layer)

    def _require(self, holds: bool, message: str, layer: str | int | None = None) -> None:
        if not holds:
            self._fail(message, layer)

    def _fail(self, message: str, layer: str | int | None, target: str | None = None) -> None:
        """Raise AssertionError with the message, the timeline, and why a state was not entered.

        Args:
            message: What was expected and what there is.
            layer: Where; None where it is about none of them.
            target: The state that was not entered.
        """
        name = layer if layer is None or isinstance(layer, str) else self.crowd.layer(layer).name
        parts = [message if name is None else f"layer {name!r}: {message}", str(self)]
        if name is not None and target is not None and target != START and self.time > 0.0:
            why = [f"  {line}" for line in self._looks.ways(name, target)]
            heading = f"ways to {target}, in the last step that looked at each [s]"
            parts.append("\n".join([heading, *why]) if why else f"no transition leads to {target}")
        raise AssertionError("\n".join(parts))


def _listed(weights: Mapping[str, float]) -> str:
    return ", ".join(f"{name or '(none)'} {weight:.4g}" for name, weight in weights.items()) or "none"
