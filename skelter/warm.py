"""Compile ahead of time."""

from __future__ import annotations

from skelter.baking.bake import bake
from skelter.crowd.crowd import Crowd
from skelter.engines.cpu.pipeline import skinning_matrices
from skelter.graph.compile import compile as compile_graph
from skelter.graph.graph import START, Layer, State, StateGraph, Transition
from skelter.pose.sample import sample, sample_morphs
from skelter.rig.rig import Rig
from skelter.skin.vertices import skin_vertices
from skelter.testing.rigs import random_character


def compile_kernels() -> None:
    """Compile the kernels of baking, graphs, posing and skinning, or load them from the cache on disk.

    Without it they are compiled when they are first used. A tiny character goes through all stages.
    """
    rig = bake(random_character(2, 1, vertex_count=3, target_count=1), rate=30.0, cache=False)
    matrices = skinning_matrices(rig, sample(rig, 0, 0.0))
    skin_vertices(rig, matrices, sample_morphs(rig, 0, 0.0))
    _step_crowd(rig)


def _step_crowd(rig: Rig) -> None:
    state = rig.clip_names[0]
    graph = StateGraph([Layer("Base", [State(state)], [Transition(START, state)])])
    crowd = Crowd(compile_graph(graph, rig))
    crowd.step(0.0)
    crowd.skinning_matrices()
    crowd.morphs()
