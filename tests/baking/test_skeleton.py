"""Which nodes become joints, and in which order."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import skelter as sk
from skelter.assets.character import Character, Skin
from skelter.baking.skeleton import build_skeleton
from tests.build import X, make_clip, make_nodes, make_track, rigid, turn, walker


def test_a_character_where_nothing_matters_keeps_all_nodes() -> None:
    assert build_skeleton(walker()).node.tolist() == [0, 1, 2]


def test_parents_first_whatever_the_file_says() -> None:
    skeleton = build_skeleton(Character("file", make_nodes([2, 0, -1])))
    assert skeleton.node.tolist() == [2, 0, 1]
    assert skeleton.parent.tolist() == [-1, 0, 1]
    assert skeleton.joint.tolist() == [1, 2, 0]


def test_bystanders_are_left_out_ancestors_and_sockets_stay() -> None:
    #          0 root, 1 hip, 2 hand (skin), 3 socket below the hand, 4 camera below the root, 5 lamp on its own
    nodes = make_nodes([-1, 0, 1, 2, 0, -1], names=["root", "hip", "hand", "socket", "camera", "lamp"])
    character = Character("scene", nodes, skins=[Skin("skin", np.array([2], np.int32), np.eye(4)[None])])
    rig = sk.bake(character, cache=False)
    assert rig.joint_names == ("root", "hip", "hand", "socket")
    assert rig.node.tolist() == [0, 1, 2, 3]


def test_a_node_that_moves_or_holds_a_mesh_is_a_joint() -> None:
    clip = make_clip("turn", make_track(1, "rotation", [0.0, 1.0], turn(X, np.array([0.0, 1.0]))))
    character = rigid(make_nodes([-1, -1, -1, -1]), 3, np.eye(3), clip)
    assert build_skeleton(character).node.tolist() == [1, 3]


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(-1, 30), min_size=1, max_size=30), st.randoms(use_true_random=False))
def test_any_forest_in_any_order(above: list[int], random) -> None:  # type: ignore[no-untyped-def]
    parent = [min(value, index - 1) for index, value in enumerate(above)]
    order = list(range(len(parent)))
    random.shuffle(order)
    place = np.argsort(order)
    shuffled = [int(place[parent[node]]) if parent[node] >= 0 else -1 for node in order]
    skeleton = build_skeleton(Character("any", make_nodes(shuffled)))
    assert sorted(skeleton.node.tolist()) == list(range(len(parent)))
    assert (skeleton.parent < np.arange(len(parent))).all()
    for joint, node in enumerate(skeleton.node.tolist()):
        assert skeleton.joint[node] == joint
        up = skeleton.parent[joint]
        assert shuffled[node] == (skeleton.node[up] if up >= 0 else -1)
