"""Compile ahead of time."""

from __future__ import annotations

from skelter.baking.bake import bake
from skelter.engines.cpu.pipeline import skinning_matrices
from skelter.pose.sample import sample, sample_morphs
from skelter.skin.vertices import skin_vertices
from skelter.testing.rigs import random_character


def compile_kernels() -> None:
    """Compile the kernels of baking, posing and skinning, or load them from the cache on disk.

    Without it they are compiled when they are first used. A tiny character goes through all stages.
    """
    rig = bake(random_character(2, 1, vertex_count=3, target_count=1), rate=30.0, cache=False)
    matrices = skinning_matrices(rig, sample(rig, 0, 0.0))
    skin_vertices(rig, matrices, sample_morphs(rig, 0, 0.0))
