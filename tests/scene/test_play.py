"""Scenes that are played."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import skelter as sk
from skelter.core.errors import ArgumentError, AssetError, GraphError, SkelterWarning
from skelter.rig.rig import Rig
from skelter.scene.load import load_scene
from skelter.scene.locomotion import LOCOMOTION_CLIPS, locomotion
from skelter.scene.play import ScenePlayer, placements, play_scene
from skelter.scene.scene import Scene, SceneCrowd
from skelter.testing.rigs import random_character
from tests.scene.conftest import Write


def crowd(**options: object) -> SceneCrowd:
    return SceneCrowd("all", locomotion(), clips=LOCOMOTION_CLIPS, **options)  # type: ignore[arg-type]


def scene(*crowds: SceneCrowd) -> Scene:
    return Scene("my.toml", crowds or (crowd(count=3),), 1.0)


def test_a_clip_that_does_not_exist_is_named_with_its_place(write: Write) -> None:
    path = write('[crowd.clips]\nMove.Idle = "idel"\n')
    with pytest.raises(
        AssetError, match=r"crowd\[0\].clips\['Move.Idle'\]: no clip 'idel'; did you mean 'idle'"
    ) as caught:
        ScenePlayer(load_scene(path))
    assert str(caught.value).startswith(f"{path}: ")


def test_a_path_that_does_not_exist_is_named_with_its_place(rig: Rig) -> None:
    wrong = replace(crowd(), clips={"Move.Idel": "idle"})
    with pytest.raises(AssetError, match=r"my.toml: crowd\[0\].clips: no path 'Move.Idel'; did you mean 'Move.Idle'"):
        ScenePlayer(scene(wrong), rigs={"mannequin": rig})


def test_paths_without_clips_are_listed(rig: Rig) -> None:
    with pytest.raises(GraphError, match=r"my.toml: crowd\[0\]: locomotion: \d+ of 16 paths cannot be played"):
        ScenePlayer(scene(replace(crowd(), clips={})), rigs={"mannequin": rig})


def test_a_mask_that_matches_no_joint_is_warned_about(rig: Rig) -> None:
    graph = locomotion()
    graph.layers[1].mask = {"chesst": {"children": True}, "Head": True}
    with pytest.warns(
        SkelterWarning, match=r"my.toml: crowd\[0\]: mask of layer 'Wave': no joint matches 'chesst'; did"
    ):
        ScenePlayer(scene(replace(crowd(), graph=graph)), rigs={"mannequin": rig})


def test_the_graph_that_nobody_named_is_not_blamed_on_clips_that_nobody_wrote(write: Write, tmp_path: Path) -> None:
    sk.export_glb(random_character(5, 2), tmp_path / "mine.glb")
    path = write('character = "mine.glb"\n')
    with pytest.raises(GraphError) as caught:
        ScenePlayer(load_scene(path))
    text = str(caught.value)
    assert text.startswith(
        f"{path}: crowd[0].graph: 'locomotion', the graph of a crowd that names no other, needs clips"
    )
    assert "idle, walk, run" in text
    assert "name a graph, such as graph = " in text
    assert "Strafe" not in text


def test_a_crowd_that_does_not_exist(rig: Rig) -> None:
    player = ScenePlayer(scene(), rigs={"mannequin": rig})
    assert player.crowd() is player.crowd("all")
    with pytest.raises(ArgumentError, match="no crowd 'al'; did you mean 'all'"):
        player.crowd("al")


def test_a_scene_shorter_than_a_step_has_one() -> None:
    players = list(play_scene(replace(scene(), duration=1e-3)))
    assert [player.step_index for player in players] == [1]


def test_steps_end_at_the_duration() -> None:
    players = [player.time for player in play_scene(replace(scene(), rate=30.0))]
    assert (len(players), players[-1]) == (30, 1.0)


def test_playing_to_a_time(rig: Rig) -> None:
    player = ScenePlayer(scene(), rigs={"mannequin": rig})
    for time, index in ((0.0, 1), (0.5, 30), (0.508, 30), (0.51, 31), (0.2, 31)):
        player.play_to(time)
        assert player.step_index == index


def test_weights_at_the_start(rig: Rig) -> None:
    player = ScenePlayer(scene(crowd(weights={"Look": 0.25})), rigs={"mannequin": rig})
    assert player.crowd().layer("Look").weight.tolist() == [0.25]


def test_crowds_of_one_character_share_its_rig() -> None:
    player = ScenePlayer(scene(crowd(), replace(crowd(), name="others", count=2)))
    first, second = player.crowds.values()
    assert first.rig is second.rig
    assert [batch.char_count for batch in player.batches()] == [1, 2]


def test_a_grid_stands_in_rows_and_columns() -> None:
    places = placements(crowd(count=5, placement="grid", spacing=2.0, origin=(10.0, 0.0)))
    assert places.dtype == np.float32
    np.testing.assert_allclose(places[:, 0, 3] - 10.0, [-2, 0, 2, -2, 0])
    np.testing.assert_allclose(places[:, 2, 3], [1, 1, 1, -1, -1])
    np.testing.assert_array_equal(places[:, :3, :3], np.broadcast_to(np.eye(3), (5, 3, 3)))


def test_a_scattered_crowd_is_the_seeds() -> None:
    a, b, c = (placements(crowd(count=9), seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(a, b)
    assert not np.array_equal(a, c)


def test_the_same_scene_plays_the_same(write: Write) -> None:
    path = write('[[crowd.input]]\nparameter = "speed"\nrandom = [0, 3]\n')
    poses = [list(play_scene(load_scene(path)))[-1].crowd().pose for _ in range(2)]
    np.testing.assert_array_equal(*poses)
