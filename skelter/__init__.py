"""skelter: skeletal animation for crowds in Python.

    import skelter as sk

    character = sk.load("knight.glb")                       # raw and editable
    rig = sk.bake(character)                                # packed, immutable, cached on disk
    pose = sk.sample(rig, "Walk", [0.0, 0.25, 0.5])         # float32 [char, block, 10, 16]
    matrices = sk.skinning_matrices(rig, pose)              # float32 [char, palette, 3, 4]
    positions, normals = sk.skin_vertices(rig, matrices)    # float32 [char, vert, 3]

    graph = sk.load_graph("locomotion.json")                # states, transitions, blend trees, layers
    crowd = sk.Crowd(sk.compile(graph, rig), 1000)          # a thousand characters on it
    crowd.set("speed", 1.3)
    crowd.step(1 / 60)
    matrices = crowd.skinning_matrices

Names are loaded when they are first used: importing the package loads neither Numba nor wgpu.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from skelter.assets.character import Additive as Additive
    from skelter.assets.character import Character as Character
    from skelter.assets.character import ClipEvent as ClipEvent
    from skelter.assets.load import load as load
    from skelter.assets.mannequin import mannequin as mannequin
    from skelter.baking.bake import bake as bake
    from skelter.core.errors import SkelterError as SkelterError
    from skelter.core.errors import SkelterWarning as SkelterWarning
    from skelter.core.errors import WorldError as WorldError
    from skelter.core.workers import set_threads as set_threads
    from skelter.crowd.crowd import Crowd as Crowd
    from skelter.ecs.diff import diff as diff
    from skelter.ecs.world import World as World
    from skelter.engines.cpu.pipeline import skinning_matrices as skinning_matrices
    from skelter.export.gltf import export_glb as export_glb
    from skelter.graph.compile import compile as compile  # noqa: A004
    from skelter.graph.controller import Controller as Controller
    from skelter.graph.files.read import load_graph as load_graph
    from skelter.graph.files.write import save_graph as save_graph
    from skelter.graph.graph import BlendTree as BlendTree
    from skelter.graph.graph import Condition as Condition
    from skelter.graph.graph import Layer as Layer
    from skelter.graph.graph import Leaf as Leaf
    from skelter.graph.graph import Parameter as Parameter
    from skelter.graph.graph import State as State
    from skelter.graph.graph import StateGraph as StateGraph
    from skelter.graph.graph import Transition as Transition
    from skelter.graph.lint import lint as lint
    from skelter.pose.blend import BlendLayer as BlendLayer
    from skelter.pose.blend import blend as blend
    from skelter.pose.sample import sample as sample
    from skelter.pose.sample import sample_morphs as sample_morphs
    from skelter.rendering.render import render as render
    from skelter.rig.file import load_rig as load_rig
    from skelter.rig.file import save_rig as save_rig
    from skelter.rig.rig import Rig as Rig
    from skelter.skin.vertices import skin_vertices as skin_vertices
    from skelter.transform.to_model import to_model as to_model

__version__ = "0.1.0"

_PUBLIC = {
    "Additive": "skelter.assets.character",
    "BlendLayer": "skelter.pose.blend",
    "BlendTree": "skelter.graph.graph",
    "Character": "skelter.assets.character",
    "ClipEvent": "skelter.assets.character",
    "Condition": "skelter.graph.graph",
    "Controller": "skelter.graph.controller",
    "Crowd": "skelter.crowd.crowd",
    "Layer": "skelter.graph.graph",
    "Leaf": "skelter.graph.graph",
    "Parameter": "skelter.graph.graph",
    "Rig": "skelter.rig.rig",
    "SkelterError": "skelter.core.errors",
    "SkelterWarning": "skelter.core.errors",
    "State": "skelter.graph.graph",
    "StateGraph": "skelter.graph.graph",
    "Transition": "skelter.graph.graph",
    "World": "skelter.ecs.world",
    "WorldError": "skelter.core.errors",
    "bake": "skelter.baking.bake",
    "blend": "skelter.pose.blend",
    "compile": "skelter.graph.compile",
    "diff": "skelter.ecs.diff",
    "export_glb": "skelter.export.gltf",
    "lint": "skelter.graph.lint",
    "load": "skelter.assets.load",
    "load_graph": "skelter.graph.files.read",
    "load_rig": "skelter.rig.file",
    "mannequin": "skelter.assets.mannequin",
    "render": "skelter.rendering.render",
    "sample": "skelter.pose.sample",
    "sample_morphs": "skelter.pose.sample",
    "save_graph": "skelter.graph.files.write",
    "save_rig": "skelter.rig.file",
    "set_threads": "skelter.core.workers",
    "skin_vertices": "skelter.skin.vertices",
    "skinning_matrices": "skelter.engines.cpu.pipeline",
    "to_model": "skelter.transform.to_model",
}

__all__ = ["__version__", *_PUBLIC]


def __getattr__(name: str) -> Any:
    module = _PUBLIC.get(name)
    if module is None:
        raise AttributeError(f"module 'skelter' has no attribute {name!r}")
    value = getattr(import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
