"""A job as skelter's objects: character, rig, graph, and which clips are bound to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skelter.assets.character import Character, Clip, Nodes, Track
from skelter.baking.bake import bake
from skelter.graph.files.read import graph_from_json
from skelter.graph.graph import Layer, State, StateGraph, Transition
from skelter.rig.rig import Rig

from .binding import Binder
from .job import EMPTY_CLIP, Curve, Job

BAKE_RATE = 120.0
"""Rate of all clips [Hz]."""

PATHS = {"t": "translation", "r": "rotation", "s": "scale"}
LETTERS = {path: letter for letter, path in PATHS.items()}
INTERPOLATIONS = {"STEP": "STEP", "LINEAR": "LINEAR", "CUBIC": "CUBICSPLINE"}


@dataclass(eq=False)
class Setup:
    """A job as skelter's objects.

    Attributes:
        job: The job.
        character: Hierarchy and clips.
        rig: The character, baked.
        graph: The graph, with layers and states that assignments make.
        clips: Name of a clip, or None, per ``Layer:State`` or ``Layer:State.Leaf``, in the order of assignment.
    """

    job: Job
    character: Character
    rig: Rig
    graph: StateGraph
    clips: dict[str, str | None]


def set_up(job: Job) -> Setup:
    """Make skelter's objects of a job."""
    graph = _graph(job)
    clips: dict[str, str | None] = {}
    for assignment in job.assignments:
        layer = assignment.layer or graph.layers[0].name
        clips[f"{layer}:{assignment.path}"] = None if assignment.clip is EMPTY_CLIP else assignment.clip.name
    for added in graph.layers:
        for path in (path for state in added.states for path in state.clip_paths()):
            clips.setdefault(f"{added.name}:{path}", None)
    character = _character(job)
    return Setup(job, character, bake(character, rate=BAKE_RATE, cache=False), graph, clips)


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
