"""What a clip bank says beside its frames: which joints a clip keys, and its events."""

from __future__ import annotations

import numpy as np
import pytest

import skelter as sk
from skelter.assets.character import Clip, ClipEvent
from skelter.rig.rig import Rig
from skelter.testing.rigs import random_character
from tests.build import X, make_clip, make_track, turn, walker

PATHS = ("translation", "rotation", "scale")


def baked(*clips: Clip, joint_count: int = 3) -> Rig:
    return sk.bake(walker(*clips, joint_count=joint_count), cache=False)


def keyed_joints(rig: Rig, clip: int, path: str) -> list[int]:
    bits = rig.clips.keyed[clip, :, PATHS.index(path)]
    return [16 * block + lane for block in range(len(bits)) for lane in range(32) if int(bits[block]) >> lane & 1]


# degenerate


def test_a_rig_without_clips() -> None:
    bank = baked().clips
    assert (bank.keyed.shape, bank.additive.shape, bank.event_start.tolist()) == ((0, 1, 3), (0,), [0])
    assert (bank.event_time.shape, bank.event_names, bank.event_payloads) == ((0,), (), ())


def test_a_clip_without_tracks_keys_nothing_but_has_its_events() -> None:
    rig = baked(Clip("nothing", [], 2.0, events=[ClipEvent(1.5, "bell")]))
    assert not rig.clips.keyed.any()
    assert rig.clips.event_time.tolist() == [1.5]


# known values


def test_keyed_joints_are_those_with_a_track_whatever_its_values() -> None:
    still = make_track(1, "translation", [0.0, 1.0], [[0.0, 0.1, 0.0]] * 2)
    clip = make_clip("some", still, make_track(2, "rotation", [0.0, 1.0], turn(X, np.array([0.0, 1.0]))))
    grow = make_clip("grow", make_track(0, "scale", [0.0], [[1.0, 1.0, 1.0]]))
    rig = baked(clip, grow)
    assert rig.clips.keyed.dtype == np.uint32
    assert [keyed_joints(rig, 0, path) for path in PATHS] == [[1], [2], []]
    assert [keyed_joints(rig, 1, path) for path in PATHS] == [[], [], [0]]


def test_joints_of_further_blocks() -> None:
    tracks = [make_track(node, "rotation", [0.0], [turn(X, 0.1)]) for node in (0, 15, 16, 39)]
    assert keyed_joints(baked(make_clip("some", *tracks), joint_count=40), 0, "rotation") == [0, 15, 16, 39]


def test_bits_follow_the_order_of_the_joints_not_of_the_nodes() -> None:
    clip = make_clip("some", make_track(0, "rotation", [0.0], [turn(X, 0.1)]))
    character = walker(clip)
    character.nodes.parent[:] = [2, 0, -1]
    rig = sk.bake(character, cache=False)
    assert keyed_joints(rig, 0, "rotation") == [rig.joint_index("node_0")] == [1]


def test_events_are_sorted_and_those_of_one_time_keep_their_order() -> None:
    first, second = Clip("first", [], 1.0), Clip("second", [], 2.0)
    first.events = [ClipEvent(1.0, "end"), ClipEvent(0.5, "b"), ClipEvent(0.5, "a", [1]), ClipEvent(0.0, "start")]
    second.events = [ClipEvent(0.25, "step", {"foot": "left"})]
    bank = baked(first, Clip("none", [], 1.0), second).clips
    assert bank.event_start.tolist() == [0, 4, 4, 5]
    assert bank.event_start.dtype == np.int32
    assert bank.event_time.tolist() == [0.0, 0.5, 0.5, 1.0, 0.25]
    assert bank.event_names == ("start", "b", "a", "end", "step")
    assert bank.event_payloads == (None, None, [1], None, {"foot": "left"})
    assert [event.name for event in first.events] == ["end", "b", "a", "start"]


def test_payloads_are_copied() -> None:
    payload = {"sounds": ["thud"]}
    rig = baked(Clip("drop", [], 1.0, events=[ClipEvent(0.5, "land", payload)]))
    payload["sounds"].append("crack")
    assert rig.clips.event_payloads == ({"sounds": ["thud"]},)


def test_clips_that_differ_only_in_events_share_frames() -> None:
    clips = [make_clip(name, make_track(1, "rotation", [0, 1], turn(X, np.array([0, 1])))) for name in "ab"]
    clips[1].events = [ClipEvent(0.5, "half")]
    rig = baked(*clips)
    assert rig.report.clips[1].same_as == "a"
    assert rig.clips.event_start.tolist() == [0, 0, 1]


# properties


@pytest.mark.parametrize("seed", range(3))
def test_random_characters(seed: int) -> None:
    character = random_character(37, 3, seed, vertex_count=30, keyed_fraction=0.4, event_count=5)
    rig = sk.bake(character, cache=False)
    for index, clip in enumerate(character.clips):
        for path in PATHS:
            nodes = {track.node for track in clip.tracks if track.path == path}
            assert {int(rig.node[joint]) for joint in keyed_joints(rig, index, path)} == nodes
        begin, end = rig.clips.event_start[index : index + 2]
        assert rig.clips.event_time[begin:end].tolist() == sorted(event.time for event in clip.events)
