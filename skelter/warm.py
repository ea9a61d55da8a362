"""Compile kernels ahead of time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from skelter.baking.bake import bake
from skelter.core.kernel import cache_folder
from skelter.crowd.crowd import Crowd
from skelter.engines.cpu.pipeline import skinning_matrices
from skelter.graph.compile import compile as compile_graph
from skelter.graph.graph import START, Layer, State, StateGraph, Transition
from skelter.pose.sample import sample, sample_morphs
from skelter.skin.vertices import skin_vertices
from skelter.testing.rigs import clock_rig, random_character

MARK = "compiled"
"""File in the folder of compiled kernels that says that those of `compile_kernels` are there."""


def compile_kernels() -> None:
    """Compile the kernels of baking, graphs, posing and skinning, or load them from the cache on disk.

    Without it they are compiled when they are first used, as are those that few need: exact timing, states entered by
    hand, the rules of PlayCanvas. A tiny character goes through all stages. The kernels of graphs take as long as all
    others, so that a second process compiles them where there is a second core.
    """
    folder = cache_folder()
    mark = Path(folder) / MARK
    helper = None
    if folder and not mark.exists() and (os.cpu_count() or 1) > 1 and sys.executable:
        helper = subprocess.Popen(
            [sys.executable, "-c", f"from {__name__} import compile_graph_kernels; compile_graph_kernels()"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    compile_pose_kernels()
    if helper is not None:
        helper.wait()
    compile_graph_kernels()
    if folder:
        mark.touch()


def compile_pose_kernels() -> None:
    """Compile or load the kernels of baking, posing and skinning."""
    rig = bake(random_character(2, 1, vertex_count=3, target_count=1), rate=30.0, cache=False)
    matrices = skinning_matrices(rig, sample(rig, 0, 0.0))
    skin_vertices(rig, matrices, sample_morphs(rig, 0, 0.0))
    state = rig.clip_names[0]
    crowd = Crowd(compile_graph(StateGraph([Layer("Base", [State(state)], [Transition(START, state)])]), rig))
    assert len(crowd.skinning_matrices) == len(crowd.morphs)


def compile_graph_kernels() -> None:
    """Compile or load the kernels of graphs."""
    graph = StateGraph([Layer("Base", [State("A")], [Transition(START, "A")])])
    crowd = Crowd(compile_graph(graph, clock_rig({"A": 1.0})))
    crowd.step(0.0)
