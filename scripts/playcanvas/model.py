"""Run a job in the model: the component with its parameters, layers, calls and steps."""

from __future__ import annotations

import math
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from .binding import Binder, rest_values
from .blending import Blender, Layer
from .frames import BoneView, ClipView, Frame, LayerView
from .job import EMPTY_CLIP, Assignment, Job, Json, added_layer, read_graph
from .machine import Machine
from .quirks import Quirks
from .states import CONTROL_STATES, START, EngineError, State, Way
from .steps import run_steps

CALLS = {
    "transition": "_transition",
    "play": "_play",
    "pause": "_pause",
    "resetLayer": "_reset_layer",
    "layerPlaying": "_set_layer_playing",
    "weight": "_set_weight",
    "blendToWeight": "_blend_to_weight",
    "mask": "_set_mask",
    "blendType": "_set_blend",
    "activeStateCurrentTime": "_set_time",
    "rebindLayer": "_rebind_layer",
    "rebind": "_rebind",
    "removeNodeAnimations": "_remove_clips",
    "speed": "_set_speed",
    "playing": "_set_playing",
    "enabled": "_set_enabled",
    "normalizeWeights": "_set_normalizing",
    "reset": "_reset",
    "assign": "_assign",
    "addLayer": "_add_layer",
    "setLocal": "_set_local",
    "loadStateGraph": "_load_graph",
}
"""Method of the model per call of a job."""


class Model:
    """The component of a character.

    Attributes:
        job: What it plays.
        quirks: Which of the engine's quirks it has.
        slerped: Interpolate rotations by slerp instead of component by component.
    """

    def __init__(self, job: Job, quirks: frozenset[str], slerped: bool) -> None:
        self.job, self.quirks = job, Quirks(quirks)
        self.pose = rest_values(job.bones)
        component = job.component
        self.binder = Binder(job)
        normalizing = bool(component.get("normalizeWeights"))
        self.blender = Blender(self.binder, self.quirks, self.pose, slerped, normalizing)
        self.parameters = deepcopy(job.parameters)
        self.consumed: set[str] = set()
        self.speed: float = component.get("speed", 1)
        self.activates: bool = component.get("activate", True)
        self.is_playing, self.is_enabled, self.is_running = False, True, False
        if job.has_nested_trees:
            raise EngineError("nested tree")
        for layer in job.layers:
            self._add(layer)
        if not job.has_trees:
            self._assign_empty()
        for assignment in job.assignments:
            self.assign(assignment)
        self.is_enabled = component.get("enabled") is not False
        self.is_running = True

    @property
    def layers(self) -> list[Layer]:
        """The layers."""
        return self.blender.layers

    def _add(self, raw: Json) -> None:
        machine = Machine(raw, self.quirks, self.parameters, self.consumed)
        weight, blend = raw.get("weight"), raw.get("blendType")
        self.layers.append(
            Layer(raw["name"], machine, 1.0 if weight is None else weight, blend or "OVERWRITE", raw.get("mask"))
        )

    def _assign_empty(self) -> None:
        for layer in self.layers:
            for state in list(layer.machine.states.values()):
                if state.name not in CONTROL_STATES:
                    self.assign(Assignment(layer.name, state.name, EMPTY_CLIP))

    def layer(self, name: str | None) -> Layer:
        """Return a layer, or the first one."""
        found = [layer for layer in self.layers if name is None or layer.name == name]
        if not found:
            raise EngineError(f"no layer {name}")
        return found[0]

    # ---- assigning

    def assign(self, assignment: Assignment) -> None:
        """Give a path its clip, as the engine does at any time."""
        layer = self.layer(assignment.layer)
        machine, path = layer.machine, assignment.path
        name = path.split(".")[0]
        state = machine.states.get(name)
        if state is None:
            state = self._new_state(machine, name, assignment)
        state.assign(path, assignment.clip)
        self._replace(layer, name, assignment)
        if "component-assign-overrides" in self.quirks:
            state.speed = state.speed if assignment.speed is None else assignment.speed
            state.loop = state.loop if assignment.loop is None else assignment.loop
        if not machine.is_playing and self.activates and machine.is_playable:
            machine.is_playing = True
        machine.duration = None
        if not machine.ways:
            machine.ways.append(Way(START, path))
        if self.activates and all(other.machine.is_playable for other in self.layers):
            self.is_playing = True

    def _new_state(self, machine: Machine, name: str, assignment: Assignment) -> State:
        raw: Json = {"name": name, "speed": 1 if assignment.speed is None else assignment.speed}
        if assignment.loop is not None:
            raw["loop"] = assignment.loop
        machine.states[name] = State(raw, self.quirks)
        return machine.states[name]

    def _replace(self, layer: Layer, name: str, assignment: Assignment) -> None:
        """Replace the clips that run under names that contain the state's."""
        for clip in layer.machine.clips:
            if name in clip.name:
                clip.clip = assignment.clip
        self.blender.rebind_layer(layer)

    # ---- a step

    def step(self, dt: float) -> None:
        """Advance by ``dt`` [s]."""
        if not (self.is_enabled and self.is_playing):
            return
        dt = dt * self.speed
        if dt < 0 and "negative-component-speed" not in self.quirks:
            dt = 0.0
        for layer in self.layers:
            self._fade_weight(layer, dt)
            if layer.machine.is_playing:
                self._update(layer, dt)
        self.blender.hold()
        for name in self.consumed:
            self.parameters[name]["value"] = False
        self.consumed.clear()

    def _update(self, layer: Layer, dt: float) -> None:
        self.blender.update(layer, layer.machine.update(dt))

    def _fade_weight(self, layer: Layer, dt: float) -> None:
        if layer.fade is None:
            return
        start, end, time = layer.fade
        if layer.elapsed < time:
            self._weigh(layer, start + (end - start) * min(max(layer.elapsed / time, 0.0), 1.0))
            layer.elapsed += dt
        else:
            self._weigh(layer, end)
            layer.fade = None

    def _weigh(self, layer: Layer, weight: float) -> None:
        layer.weight = weight
        for mixer in self.blender.mixers.values():
            mixer.is_dirty = True

    # ---- inputs

    def inputs(self, step: Json) -> None:
        """Do what a step asks for before its update."""
        for name, value in step.get("set", {}).items():
            self._set(name, value)
        for name in step.get("trigger", ()):
            self._trigger(name, True)
        for name in step.get("singleFrameTrigger", ()):
            self._trigger(name, True)
            self.consumed.add(name)
        for name in step.get("resetTrigger", ()):
            self._trigger(name, False)
        for call in step.get("calls", ()):
            getattr(self, CALLS[call["op"]])(call)

    def _set(self, name: str, value: Any) -> None:
        kind = self.parameters[name]["type"]
        if kind == "INTEGER" and (isinstance(value, bool) or value % 1 != 0):
            return
        self.parameters[name]["value"] = bool(value) if kind in ("BOOLEAN", "TRIGGER") else value
        self._forget_use(name)

    def _trigger(self, name: str, value: bool) -> None:
        parameter = self.parameters.get(name)
        if parameter and parameter["type"] == "TRIGGER":
            parameter["value"] = value
            self._forget_use(name)

    def _forget_use(self, name: str) -> None:
        """Let a trigger that is set again stay until it is used again."""
        if "used-triggers-reset" not in self.quirks:
            self.consumed.discard(name)

    def _transition(self, call: Json) -> None:
        layer = self.layer(call.get("layer"))
        layer.machine.go(call["to"], call.get("time") or 0.0, call.get("offset"))
        self.blender.bind_clips(layer)

    def _play(self, call: Json) -> None:
        layer = self.layer(call.get("layer"))
        layer.machine.play(call.get("state"))
        self.blender.bind_clips(layer)

    def _pause(self, call: Json) -> None:
        self.layer(call.get("layer")).machine.is_playing = False

    def _reset_layer(self, call: Json) -> None:
        self.layer(call.get("layer")).machine.reset()

    def _set_layer_playing(self, call: Json) -> None:
        self.layer(call.get("layer")).machine.is_playing = call["value"]

    def _set_weight(self, call: Json) -> None:
        if "fade-overrides-weight" not in self.quirks:
            self.layer(call.get("layer")).fade = None
        self._weigh(self.layer(call.get("layer")), call["value"])

    def _blend_to_weight(self, call: Json) -> None:
        layer, time = self.layer(call.get("layer")), max(0.0, call["time"])
        if time == 0 and "blend-to-weight-zero-time" in self.quirks:
            layer.fade = None
            return
        layer.fade, layer.elapsed = (layer.weight, call["value"], time), 0.0

    def _set_mask(self, call: Json) -> None:
        layer = self.layer(call.get("layer"))
        layer.mask = call["value"]
        self.blender.rebind()

    def _set_blend(self, call: Json) -> None:
        if "blend-type-changes" in self.quirks:
            self.layer(call.get("layer")).blend = call["value"]

    def _set_time(self, call: Json) -> None:
        layer = self.layer(call.get("layer"))
        layer.machine.set_time(call["value"])
        if not layer.machine.is_playing and "scrub-in-seconds" in self.quirks:
            layer.machine.is_playing = True
            self._update(layer, 0.0)
            layer.machine.is_playing = False

    def _rebind_layer(self, call: Json) -> None:
        self.blender.rebind_layer(self.layer(call.get("layer")))

    def _rebind(self, _: Json) -> None:
        self.blender.rebind()

    def _remove_clips(self, call: Json) -> None:
        state = self.layer(call.get("layer")).machine.states.get(call["state"])
        if state is not None and "assign-while-playing" in self.quirks:
            state.leaves = []
            self.is_playing = False

    def _set_speed(self, call: Json) -> None:
        self.speed = call["value"]

    def _set_playing(self, call: Json) -> None:
        self.is_playing = call["value"]

    def _set_enabled(self, call: Json) -> None:
        self.is_enabled = call["value"]

    def _set_normalizing(self, call: Json) -> None:
        if "normalize-weights" in self.quirks:
            self.blender.normalizing = bool(call["value"])
            if not call["value"]:
                self.blender.unbind()

    def _reset(self, _: Json) -> None:
        for name, parameter in self.job.parameters.items():
            self.parameters[name]["value"] = parameter["value"]
            self._forget_use(name)
        for layer in self.layers:
            playing = layer.machine.is_playing
            layer.machine.reset()
            layer.machine.is_playing = playing

    def _assign(self, call: Json) -> None:
        assignment = self.job.assignment(call)
        late = assignment.layer is not None and assignment.layer not in [layer["name"] for layer in self.job.layers]
        if ("late-layers" if late else "assign-while-playing") in self.quirks:
            self.assign(assignment)

    def _add_layer(self, call: Json) -> None:
        if "late-layers" in self.quirks and call["name"] not in [layer.name for layer in self.layers]:
            self._add(added_layer(call))

    def _set_local(self, call: Json) -> None:
        if "moved-bones" not in self.quirks:
            return
        bone = next(i for i, bone in enumerate(self.job.bones) if bone.name == call["bone"])
        for name in "trs":
            if call.get(name):
                self.pose[bone][name] = [float(value) for value in call[name]]

    def _load_graph(self, call: Json) -> None:
        if "late-layers" not in self.quirks:
            return
        layers, parameters = read_graph(call["graph"])
        self.parameters.clear()
        self.parameters.update(deepcopy(parameters))
        self.layers.clear()
        for layer in layers:
            self._add(layer)

    # ---- reading

    def frame(self) -> Frame:
        """Return what can be seen now."""
        self.blender.finish()
        layers = {layer.name: _layer_view(layer) for layer in self.layers}
        values = {name: parameter["value"] for name, parameter in self.parameters.items()}
        bones = {
            bone.name: BoneView(*(list(values[name]) for name in "trs"))
            for bone, values in zip(self.job.bones, self.pose, strict=True)
        }
        return Frame(layers, values, bones)


def _layer_view(layer: Layer) -> LayerView:
    machine = layer.machine
    clips = [ClipView(clip.name, clip.clip.name, clip.time, clip.speed, clip.weight) for clip in machine.clips]
    return LayerView(
        machine.active,
        machine.previous,
        machine.is_fading,
        _finite(machine.transition_progress),
        _finite(machine.progress),
        clips,
    )


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def run_model(job: Job, quirks: frozenset[str], slerped: bool) -> Iterator[Frame]:
    """Yield a frame per step; ends where the engine throws."""
    try:
        model = Model(job, quirks, slerped)
        for _ in run_steps(job.steps, model.inputs, model.step):
            yield model.frame()
    except (EngineError, KeyError):  # the graph names what does not exist: the engine throws, too
        return
