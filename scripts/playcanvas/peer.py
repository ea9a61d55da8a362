"""The same job in skelter: its reference engine, driven by the job's steps.

What the engine can do and skelter has no counterpart for is left out: binding again, clips, layers and graphs that come
while playing, `normalizeWeights`, setting bones from outside.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from skelter.assets.character import Character, Clip, Nodes, Track
from skelter.engines.reference.blend import LayerContributions, blend_contributions
from skelter.engines.reference.graph_clips import GraphClip
from skelter.engines.reference.machine import Machine
from skelter.graph.graph import Layer, State, StateGraph, Transition
from skelter.graph.read import graph_from_json

from .binding import Binder
from .frames import BoneView, ClipView, Frame, LayerView
from .job import EMPTY_CLIP, Curve, Job, Json
from .model import run_steps

PATHS = {"t": "translation", "r": "rotation", "s": "scale"}
INTERPOLATIONS = {"STEP": "STEP", "LINEAR": "LINEAR", "CUBIC": "CUBICSPLINE"}


@dataclass(eq=False)
class Setup:
    """A job as skelter's objects.

    Attributes:
        job: The job.
        character: Hierarchy and clips.
        graph: The graph, with layers and states that assignments make.
        clips: Name of a clip, or None, per ``Layer:State`` or ``Layer:State.Leaf``.
    """

    job: Job
    character: Character
    graph: StateGraph
    clips: dict[str, str | None]


def set_up(job: Job) -> Setup:
    """Make skelter's objects of a job."""
    graph = _graph(job)
    paths = [f"{layer.name}:{path}" for layer in graph.layers for state in layer.states for path in state.clip_paths()]
    clips: dict[str, str | None] = dict.fromkeys(paths)
    for assignment in job.assignments:
        layer = assignment.layer or graph.layers[0].name
        clips[f"{layer}:{assignment.path}"] = None if assignment.clip is EMPTY_CLIP else assignment.clip.name
    return Setup(job, _character(job), graph, clips)


def _graph(job: Job) -> StateGraph:
    graph = graph_from_json(job.raw.get("stateGraph") or {"layers": [], "parameters": {}}, check=False)
    graph.layers += [Layer(raw["name"]) for raw in job.raw.get("addLayers", ())]
    for layer, raw in zip(graph.layers, job.layers, strict=True):
        weight = raw.get("weight")
        layer.weight = 1.0 if weight is None else weight
        layer.blend = raw.get("blendType") or "OVERWRITE"
        layer.mask = raw.get("mask")
    for assignment in job.assignments:
        added = graph.layer(assignment.layer) if assignment.layer else graph.layers[0]
        assert added is not None
        name = assignment.path.split(".")[0]
        if added.state(name) is None:
            loop = True if assignment.loop is None else assignment.loop
            added.states.append(State(name, 1.0 if assignment.speed is None else assignment.speed, loop))
        if not added.transitions:
            added.transitions.append(Transition("START", name))
    return graph


def _character(job: Job) -> Character:
    bones = job.bones
    rotation = np.array([bone.rest["r"] for bone in bones])
    nodes = Nodes(
        [bone.name for bone in bones],
        np.array([bone.parent for bone in bones], np.int32),
        np.array([bone.rest["t"] for bone in bones]),
        rotation / np.linalg.norm(rotation, axis=1, keepdims=True),
        np.array([bone.rest["s"] for bone in bones]),
    )
    binder = Binder(job)
    clips = []
    for clip in job.clips.values():
        tracks: dict[tuple[int, str], Track] = {}
        for curve in clip.curves:
            bone = binder.bone_of(curve)
            if bone is not None:
                tracks[bone, curve.property] = _track(bone, curve)
        clips.append(Clip(clip.name, list(tracks.values()), clip.duration))
    return Character(job.name, nodes, clips)


def _track(bone: int, curve: Curve) -> Track:
    values = np.array(curve.keys)
    if curve.interpolation == "CUBIC":
        values = values.reshape(len(values), 3, -1)
    return Track(bone, PATHS[curve.property], INTERPOLATIONS[curve.interpolation], np.array(curve.times), values)  # type: ignore[arg-type]


def mask_weights(job: Job, mask: Json | None) -> np.ndarray | None:
    """Return the mask weight per bone, by skelter's rules."""
    from skelter.rig.mask import joint_weights

    if mask is None:
        return None
    names = tuple(bone.name for bone in job.bones)
    parents = [bone.parent for bone in job.bones]
    return joint_weights(mask, names, parents)[0]


class Peer:
    """skelter's reference engine as the component of a character."""

    def __init__(self, setup: Setup) -> None:
        self.setup, job = setup, setup.job
        lengths = {clip.name: GraphClip(clip.name, clip.duration) for clip in setup.character.clips}
        bound = {path: lengths[name] if name is not None else None for path, name in setup.clips.items()}
        self.machine = Machine(setup.graph, bound)
        self.kinds = {parameter.name: parameter.type for parameter in setup.graph.parameters}
        self.masks = {layer.name: mask_weights(job, layer.mask) for layer in setup.graph.layers}
        self.blends = {layer.name: layer.blend for layer in setup.graph.layers}
        self.machine.speed = max(0.0, job.component.get("speed", 1))
        self.is_playing = bool(job.component.get("activate", True))
        self.is_enabled = job.component.get("enabled") is not False
        for layer in self.machine.layers:
            layer.playing = self.is_playing

    def layer(self, call: Json) -> Any:
        """Return the layer that a call names, or the first one; None if skelter does not have it."""
        name = call.get("layer")
        return next((layer for layer in self.machine.layers if name is None or layer.name == name), None)

    # ---- inputs

    def step(self, dt: float) -> None:
        """Advance by ``dt`` [s]."""
        if self.is_playing and self.is_enabled:
            self.machine.step(max(dt, 0.0))

    def inputs(self, step: Json) -> None:
        """Do what a step asks for before its update."""
        for name, value in step.get("set", {}).items():
            self._set(name, value)
        for name in step.get("trigger", ()):
            self._trigger(name)
        for name in step.get("singleFrameTrigger", ()):
            self._trigger(name, single_frame=True)
        for name in step.get("resetTrigger", ()):
            if self.kinds.get(name) == "TRIGGER":
                self.machine.reset_trigger(name)
        for call in step.get("calls", ()):
            action = getattr(self, f"_call_{call['op']}", None)
            if action and (call.get("layer") is None or self.layer(call)):
                action(call)

    def _set(self, name: str, value: Any) -> None:
        """Set a parameter as the engine's typed setters would."""
        kind = self.kinds[name]
        if kind == "INTEGER" and (isinstance(value, bool) or value % 1 != 0):
            return
        self.machine.set(name, bool(value) if kind in ("BOOLEAN", "TRIGGER") else value)

    def _trigger(self, name: str, single_frame: bool = False) -> None:
        if self.kinds.get(name) == "TRIGGER":
            self.machine.trigger(name, single_frame=single_frame)

    def _call_transition(self, call: Json) -> None:
        self.layer(call).transition(call["to"], call.get("time") or 0.0, call.get("offset"))

    def _call_play(self, call: Json) -> None:
        layer, state = self.layer(call), call.get("state")
        if state is None or state in self._states(layer.name):
            layer.play(state)
        else:
            layer.playing = True

    def _states(self, name: str) -> set[str]:
        layer = self.setup.graph.layer(name)
        assert layer is not None
        return {state.name for state in layer.states}

    def _call_pause(self, call: Json) -> None:
        self.layer(call).pause()

    def _call_resetLayer(self, call: Json) -> None:
        self.layer(call).reset()

    def _call_layerPlaying(self, call: Json) -> None:
        self.layer(call).playing = call["value"]

    def _call_weight(self, call: Json) -> None:
        self.layer(call).weight = call["value"]

    def _call_blendToWeight(self, call: Json) -> None:
        self.layer(call).blend_to_weight(call["value"], max(0.0, call["time"]))

    def _call_mask(self, call: Json) -> None:
        self.masks[self.layer(call).name] = mask_weights(self.setup.job, call["value"])

    def _call_blendType(self, call: Json) -> None:
        self.blends[self.layer(call).name] = call["value"]

    def _call_activeStateCurrentTime(self, call: Json) -> None:
        """Move to a time [s]; a tree whose leaves share a phase goes to that part of its longest clip."""
        layer, time = self.layer(call), call["value"]
        plan = layer.stays.active.plan
        layer.set_time(time if plan.main == "" else time / plan.longest if plan.longest else 0.0)

    def _call_speed(self, call: Json) -> None:
        self.machine.speed = max(0.0, call["value"])

    def _call_playing(self, call: Json) -> None:
        self.is_playing = call["value"]

    def _call_enabled(self, call: Json) -> None:
        self.is_enabled = call["value"]

    def _call_reset(self, _: Json) -> None:
        self.machine.reset()

    # ---- reading

    def frame(self) -> Frame:
        """Return what can be seen now."""
        layers = {layer.name: _layer_view(layer) for layer in self.machine.layers}
        return Frame(layers, dict(self.machine.values), self._bones())

    def _bones(self) -> dict[str, BoneView]:
        entries = [
            LayerContributions(
                [(entry.clip.name if entry.clip else None, entry.time, entry.weight) for entry in layer.contributions()],
                layer.weight,
                self.blends[layer.name] == "ADDITIVE",
                self.masks[layer.name],
            )
            for layer in self.machine.layers
        ]
        pose = blend_contributions(self.setup.character, entries)
        return {
            name: BoneView(pose.translation[i].tolist(), pose.rotation[i].tolist(), pose.scale[i].tolist())
            for i, name in enumerate(self.setup.character.nodes.names)
        }


def _layer_view(layer: Any) -> LayerView:
    clips = [
        ClipView(entry.path, entry.clip.name if entry.clip else "", entry.time, 1.0, entry.weight)
        for entry in layer.contributions()
    ]
    return LayerView(
        layer.active, layer.previous, layer.transitioning, layer.transition_progress, layer.progress, clips
    )


def run_peer(setup: Setup) -> Iterator[Frame]:
    """Yield a frame per step."""
    peer = Peer(setup)
    for _ in run_steps(setup.job, peer.inputs, peer.step):
        yield peer.frame()
