"""The built-in graph and the example that shows it."""

from __future__ import annotations

from pathlib import Path

import pytest

import skelter as sk
from skelter.assets.mannequin import RUN_SPEED, VELOCITIES, WALK_SPEED
from skelter.graph.check import check_graph
from skelter.graph.graph import BlendTree, Leaf
from skelter.graph.lint import lint
from skelter.rig.rig import Rig
from skelter.scene.demo import demo_scene
from skelter.scene.load import load_scene
from skelter.scene.locomotion import LOCOMOTION_CLIPS, fits_locomotion, locomotion, missing_clips
from skelter.testing.rigs import random_character

EXAMPLE = Path(__file__).parents[2] / "examples" / "locomotion.toml"


def tree(state: str) -> BlendTree:
    found = locomotion().layers[0].state(state)
    assert found is not None
    assert found.tree is not None
    return found.tree


def test_nothing_is_wrong_with_it(rig: Rig) -> None:
    graph = locomotion()
    clips = {path: LOCOMOTION_CLIPS.get(path, path.rpartition(".")[2].lower()) for path in graph.clip_paths()}
    lengths = {path: float(rig.clips.duration[rig.clip_index(clip)]) for path, clip in clips.items() if clip}
    assert check_graph(graph) == ()
    assert lint(graph, durations=lengths) == ()


def test_feet_keep_up_with_the_ground() -> None:
    """Points are the velocities for which the clips are made."""
    idle, gait = tree("Move").children
    assert isinstance(gait, BlendTree)
    assert [child.point for child in (idle, gait, *gait.children)] == [0.0, WALK_SPEED, WALK_SPEED, RUN_SPEED]
    for child in tree("Strafe").children:
        assert isinstance(child, Leaf)
        clip = LOCOMOTION_CLIPS[f"Strafe.{child.name}"]
        assert clip is not None
        assert child.point == pytest.approx(VELOCITIES[clip], abs=1e-6)


def test_it_fits_the_mannequin_and_nobody_else(rig: Rig) -> None:
    assert fits_locomotion(rig)
    assert not fits_locomotion(sk.bake(random_character(3, 2), cache=False))


def test_the_example_is_the_same_graph() -> None:
    crowd = load_scene(EXAMPLE).crowds[0]
    assert crowd.graph == locomotion()
    assert crowd.clips == LOCOMOTION_CLIPS


def test_the_demo() -> None:
    scene = demo_scene(7, seed=3)
    assert (scene.crowds[0].count, scene.seed, scene.name) == (7, 3, "demo")
    with pytest.raises(sk.SkelterError, match="count: expected 1 to 100000 characters, got 0"):
        demo_scene(0)


def test_clips_that_a_rig_lacks_are_the_graphs_own_only(rig: Rig) -> None:
    other = sk.bake(random_character(5, 2))
    assert missing_clips(rig, LOCOMOTION_CLIPS) == []
    lacking = missing_clips(other, LOCOMOTION_CLIPS)
    assert lacking[:4] == ["idle", "walk", "run", "walk_front_left"]
    assert lacking[-1] == "look_around"
    own = dict.fromkeys(locomotion().clip_paths()) | {"Jump": "no such clip"}
    assert missing_clips(other, own | {"Look": "look_around"}) == ["look_around"]
