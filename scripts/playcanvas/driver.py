"""Drive one of skelter's engines by the steps of a job.

What the engine can do and skelter has no counterpart for is left out: binding again, clips, layers and graphs that come
while playing, changing the type of a layer, `normalizeWeights`, setting bones from outside.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from skelter.graph.controller import Rules

from .frames import Frame
from .job import Json
from .setup import Setup
from .steps import run_steps


class Driver(ABC):
    """A character of one of skelter's engines in the place of the engine's component.

    Attributes:
        setup: What it plays.
        rules: Whose rules hold.
        is_playing: Whether steps reach it.
        is_enabled: Likewise.
    """

    def __init__(self, setup: Setup, rules: Rules) -> None:
        self.setup, self.rules = setup, rules
        component = setup.job.component
        self.kinds = {parameter.name: parameter.type for parameter in setup.graph.parameters}
        self.is_playing = bool(component.get("activate", True))
        self.is_enabled = component.get("enabled") is not False
        self.set_speed(max(0.0, component.get("speed", 1)))
        if not self.is_playing:
            for layer in setup.graph.layers:
                self.pause(layer.name)

    # ---- what an engine offers

    @abstractmethod
    def set_value(self, name: str, value: Any) -> None:
        """Set a parameter."""

    @abstractmethod
    def trigger(self, name: str, single_frame: bool) -> None:
        """Set a trigger."""

    @abstractmethod
    def reset_trigger(self, name: str) -> None:
        """Take a trigger back."""

    @abstractmethod
    def set_speed(self, speed: float) -> None:
        """Set the factor of time."""

    @abstractmethod
    def advance(self, dt: float) -> None:
        """Advance by a step."""

    @abstractmethod
    def transition(self, layer: str, to: str, time: float, offset: float | None) -> None:
        """Enter a state by hand."""

    @abstractmethod
    def is_layer_playing(self, layer: str) -> bool:
        """Return whether a layer plays."""

    @abstractmethod
    def play(self, layer: str, state: str | None) -> None:
        """Play a layer, from a state if one is named."""

    @abstractmethod
    def pause(self, layer: str) -> None:
        """Stop a layer."""

    @abstractmethod
    def reset_layer(self, layer: str) -> None:
        """Put a layer back to START, stopped."""

    @abstractmethod
    def set_weight(self, layer: str, weight: float) -> None:
        """Set the weight of a layer."""

    @abstractmethod
    def blend_to_weight(self, layer: str, weight: float, time: float) -> None:
        """Fade the weight of a layer."""

    @abstractmethod
    def set_mask(self, layer: str, mask: Json | None) -> None:
        """Change the mask of a layer."""

    @abstractmethod
    def set_time(self, layer: str, time: float) -> None:
        """Move the active state to a time [s]; leaves that share a phase go to that part of the longest clip."""

    @abstractmethod
    def frame(self) -> Frame:
        """Return what can be seen now."""

    # ---- what a job asks

    def run(self) -> Iterator[Frame]:
        """Yield a frame per step."""
        for _ in run_steps(self.setup.job.steps, self.inputs, self.step):
            yield self.frame()

    def step(self, dt: float) -> None:
        """Advance by ``dt`` [s], unless something is switched off."""
        if self.is_playing and self.is_enabled:
            self.advance(max(dt, 0.0))

    def inputs(self, step: Json) -> None:
        """Do what a step asks for before its update."""
        for name, value in step.get("set", {}).items():
            self._set(name, value)
        for names, single_frame in ((step.get("trigger", ()), False), (step.get("singleFrameTrigger", ()), True)):
            for name in names:
                if self.kinds.get(name) == "TRIGGER":
                    self.trigger(name, single_frame)
        for name in step.get("resetTrigger", ()):
            if self.kinds.get(name) == "TRIGGER":
                self.reset_trigger(name)
        for call in step.get("calls", ()):
            self._call(call)

    def _set(self, name: str, value: Any) -> None:
        """Set a parameter as the engine's typed setters would."""
        kind = self.kinds[name]
        if kind == "INTEGER" and (isinstance(value, bool) or value % 1 != 0):
            return
        self.set_value(name, bool(value) if kind in ("BOOLEAN", "TRIGGER") else value)

    def _call(self, call: Json) -> None:
        name = call.get("layer") or self.setup.graph.layers[0].name
        if self.setup.graph.layer(name) is None:
            return
        value: Any = call.get("value")
        match call["op"]:
            case "transition":
                self.transition(name, call["to"], call.get("time") or 0.0, call.get("offset"))
            case "play":
                self._play(name, call.get("state"))
            case "pause":
                self.pause(name)
            case "resetLayer":
                self.reset_layer(name)
            case "layerPlaying":
                self.play(name, None) if value else self.pause(name)
            case "weight":
                self.set_weight(name, value)
            case "blendToWeight":
                self.blend_to_weight(name, value, max(0.0, call["time"]))
            case "mask":
                self.set_mask(name, value)
            case "activeStateCurrentTime":
                self.set_time(name, value)
            case "speed":
                self.set_speed(max(0.0, value))
            case "playing":
                self.is_playing = value
            case "enabled":
                self.is_enabled = value
            case "reset":
                self._reset()

    def _reset(self) -> None:
        """Start anew as the engine does: weights of layers stay, and those that play go on playing."""
        for parameter in self.setup.graph.parameters:
            self.set_value(parameter.name, parameter.value)
        for layer in self.setup.graph.layers:
            was_playing = self.is_layer_playing(layer.name)
            self.reset_layer(layer.name)
            if was_playing:
                self.play(layer.name, None)

    def _play(self, name: str, state: str | None) -> None:
        """Play; a state that does not exist is passed over, as the engine does."""
        layer = self.setup.graph.layer(name)
        assert layer is not None
        self.play(name, state if state is not None and layer.state(state) else None)
