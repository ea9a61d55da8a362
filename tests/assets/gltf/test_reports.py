"""What went wrong in other importers, as their issue trackers tell; each input is made anew from the description."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import skelter as sk
from skelter.engines import reference
from tests.build import X, Y, Z, turn
from tests.support.gltf_builder import GltfBuilder

POSITION_TOL_M = 1e-6


def skinned(builder: GltfBuilder, joints: list[int], node: dict[str, Any] | None = None, **skin: Any) -> None:
    """Append a triangle at (1, 0, 0) that follows the first of some joints, at a node of its own."""
    position = builder.accessor(np.tile(X, (3, 1)))
    influences = {
        "JOINTS_0": builder.accessor(np.zeros((3, 4)), "u1"),
        "WEIGHTS_0": builder.accessor(np.tile([1.0, 0, 0, 0], (3, 1))),
    }
    mesh = builder.add("meshes", {"primitives": [{"attributes": {"POSITION": position} | influences}]})
    index = builder.add("skins", {"joints": joints} | skin)
    builder.add("nodes", {"mesh": mesh, "skin": index} | (node or {}))


def vertices(character: sk.Character, clip: int | None = None, time: float = 0.0, instance: int = 0) -> np.ndarray:
    return reference.positions(character, reference.pose(character, clip, time), instance, 0)


def test_a_spline_of_rotations_is_normalised(tmp_path: Path) -> None:
    """three.js 22339: without it, the mesh is stretched between two keys."""
    builder = GltfBuilder()
    builder.json["nodes"] = [{}]
    first, second = turn(Z, 0.0), turn(Z, 2 * np.pi / 3)
    tangents = np.array([[3.0, -2, 1, 4], [-5, 1, 2, -3]])
    values = [np.zeros(4), first, tangents[0], tangents[1], second, np.zeros(4)]
    builder.clip(0, "rotation", [0, 0.5], values, "CUBICSPLINE")
    character = sk.load(builder.write(tmp_path))
    for time in np.linspace(0, 0.5, 50):
        u = time / 0.5
        hermite = (
            (2 * u**3 - 3 * u**2 + 1) * first
            + 0.5 * (u**3 - 2 * u**2 + u) * tangents[0]
            + (3 * u**2 - 2 * u**3) * second
            + 0.5 * (u**3 - u**2) * tangents[1]
        )
        pose = reference.pose(character, 0, time)
        np.testing.assert_allclose(pose.rotation[0], hermite / np.linalg.norm(hermite), atol=1e-6)
        linear = pose.model_from_node[0, :3, :3]
        np.testing.assert_allclose(linear @ linear.T, np.eye(3), atol=1e-12)


def test_sampling_does_not_depend_on_what_was_sampled_before(tmp_path: Path) -> None:
    """Bevy 9927: morph weights moved from where they were, not from the key before."""
    builder = GltfBuilder()
    builder.triangle()
    delta = builder.accessor(np.eye(3))
    builder.json["meshes"][0]["primitives"][0]["targets"] = [{"POSITION": delta}] * 2
    builder.json["nodes"] = [{"mesh": 0}]
    builder.clip(0, "weights", [0, 1, 2], [0, 1, 1, 0, 0.5, 0.5])
    character = sk.load(builder.write(tmp_path))
    for time in (0.5, 1.9, 0.5, 0.0, 0.5):
        weights = reference.pose(character, 0, time).weights[0]
    np.testing.assert_array_equal(weights, [0.5, 0.5])


def test_weights_of_the_third_set_count(tmp_path: Path) -> None:
    """Bevy 22235: vertices whose weight lay in JOINTS_2 alone fell to the origin."""
    builder = GltfBuilder()
    builder.json["nodes"] = [{"translation": [0, index, 0]} for index in range(12)]
    skinned(builder, list(range(12)))
    attributes = builder.json["meshes"][0]["primitives"][0]["attributes"]
    for number in range(3):
        attributes[f"JOINTS_{number}"] = builder.accessor(np.tile(np.arange(4) + 4 * number, (3, 1)), "u1")
        attributes[f"WEIGHTS_{number}"] = builder.accessor(np.tile([0, 0, 0, float(number == 2)], (3, 1)))
    np.testing.assert_allclose(vertices(sk.load(builder.write(tmp_path))), np.tile(X + 11 * Y, (3, 1)))


def test_influences_may_be_padded(tmp_path: Path) -> None:
    """panda3d-gltf 99: a stride of 16 bytes for elements of 8."""
    builder = GltfBuilder()
    builder.json["nodes"] = [{}, {"translation": [0, 5, 0]}]
    skinned(builder, [0, 1])
    padded = np.full((3, 8), 0xFFFF, "<u2")
    padded[:, :4] = [1, 0, 0, 0]
    view = builder.view(padded.tobytes(), byteStride=16)
    entry = {"bufferView": view, "componentType": 5123, "count": 3, "type": "VEC4"}
    builder.json["meshes"][0]["primitives"][0]["attributes"]["JOINTS_0"] = builder.add("accessors", entry)
    np.testing.assert_allclose(vertices(sk.load(builder.write(tmp_path))), np.tile(X + 5 * Y, (3, 1)))


@pytest.mark.parametrize("skin", [{}, {"skeleton": 0}, {"skeleton": 1}])
def test_the_pose_does_not_depend_on_skeleton(tmp_path: Path, skin: dict[str, Any]) -> None:
    """panda3d-gltf 10: the property is optional, and says nothing about the pose."""
    builder = GltfBuilder()
    builder.json["nodes"] = [{"translation": [0, 1, 0], "children": [1]}, {"translation": [0, 2, 0]}]
    skinned(builder, [1], **skin)
    np.testing.assert_allclose(vertices(sk.load(builder.write(tmp_path))), np.tile(X + 3 * Y, (3, 1)))


def test_skins_under_one_root_each_keep_their_joints(tmp_path: Path) -> None:
    """panda3d-gltf 62: skins were stored by their common root, so that the last one won."""
    builder = GltfBuilder()
    builder.json["nodes"] = [{"children": [1, 2, 3]}, *({"translation": [0, 10 * index, 0]} for index in (1, 2, 3))]
    for joint in (1, 2, 3):
        skinned(builder, [joint])
    character = sk.load(builder.write(tmp_path))
    heights = [vertices(character, instance=index)[0, 1] for index in range(3)]
    assert heights == [10, 20, 30]


def test_joints_without_names_each_move(tmp_path: Path) -> None:
    """flutter_scene 122: all were bound to the one with the empty name."""
    builder = GltfBuilder()
    builder.json["nodes"] = [{} for _ in range(4)]
    builder.clip(0, "rotation", [0], [turn(X, 0.0)])
    animation = builder.json["animations"][0]
    for node in (1, 2, 3):
        animation["samplers"].append({"input": 0, "output": builder.accessor([turn(X, 0.1 * node)])})
        animation["channels"].append({"sampler": node, "target": {"node": node, "path": "rotation"}})
    character = sk.load(builder.write(tmp_path))
    np.testing.assert_allclose(reference.pose(character, 0).rotation, turn(X, 0.1 * np.arange(4)), atol=1e-7)
    assert character.nodes.names == ["node_0", "node_1", "node_2", "node_3"]


def test_the_transform_of_a_skinned_node_does_not_count(tmp_path: Path) -> None:
    """Godot 21092: it was applied on top of the joints."""
    builder = GltfBuilder()
    builder.json["nodes"] = [{"translation": [0, 1, 0]}]
    skinned(builder, [0], node={"translation": [9, 9, 9], "scale": [3, 3, 3]})
    builder.clip(1, "translation", [0, 1], [[0, 0, 0], [7, 7, 7]])
    character = sk.load(builder.write(tmp_path))
    for clip in (None, 0):
        np.testing.assert_allclose(vertices(character, clip, 0.5), np.tile(X + Y, (3, 1)))


def test_a_morph_target_without_a_view_does_not_move(tmp_path: Path) -> None:
    """UnityGLTF 900: neither a view nor sparse elements means zeros; sparse elements alone replace zeros."""
    builder = GltfBuilder()
    builder.triangle()
    index, value = builder.view(bytes([1])), builder.view(np.array([0, 0, 4], "<f4").tobytes())
    sparse = {"count": 1, "indices": {"bufferView": index, "componentType": 5121}, "values": {"bufferView": value}}
    entry = {"componentType": 5126, "count": 3, "type": "VEC3"}
    targets = [
        {"POSITION": builder.add("accessors", entry)},
        {"POSITION": builder.add("accessors", entry | {"sparse": sparse})},
    ]
    builder.json["meshes"][0] |= {"weights": [1.0, 0.5]}
    builder.json["meshes"][0]["primitives"][0]["targets"] = targets
    builder.json["nodes"] = [{"mesh": 0}]
    np.testing.assert_array_equal(vertices(sk.load(builder.write(tmp_path))), [[0, 0, 0], [1, 0, 2], [0, 1, 0]])


def test_the_length_of_a_clip_is_that_of_its_keys(tmp_path: Path) -> None:
    """Assimp 2662: keys at 0 s and 4 s, made at 12 frames a second."""
    builder = GltfBuilder()
    builder.json["nodes"] = [{}]
    times = np.arange(49) / 12
    builder.clip(0, "translation", times, np.zeros((49, 3)))
    clip = sk.load(builder.write(tmp_path)).clips[0]
    assert clip.duration == 4.0
    np.testing.assert_allclose(clip.tracks[0].times, times, atol=1e-6)


def test_keys_a_third_of_a_turn_apart_are_all_kept(tmp_path: Path) -> None:
    """glTF-Transform 501: keys were merged although the outer two lie more than half a turn apart."""
    builder = GltfBuilder()
    builder.json["nodes"] = [{}]
    builder.clip(0, "rotation", [0, 1, 2, 3], turn(Y, np.radians([0, 120, 240, 360])))
    character = sk.load(builder.write(tmp_path))
    rig = sk.bake(character, cache=False)
    for time in np.linspace(0, 3, 31):
        wanted = turn(Y, np.radians(120) * time)
        assert abs(reference.pose(character, 0, time).rotation[0] @ wanted) == pytest.approx(1.0)
    assert rig.report.clips[0].max_mm < 0.1


def test_a_curve_of_one_value_is_no_curve_of_the_rest_pose(tmp_path: Path) -> None:
    """Godot 59150: tracks that never change were left out, and joints fell back to the T-pose."""
    builder = GltfBuilder()
    builder.json["nodes"] = [{"rotation": [0, 0, 0, 1]}]
    builder.clip(0, "rotation", [0, 1], np.tile(turn(Z, np.pi / 4), (2, 1)))
    character = sk.load(builder.write(tmp_path))
    rig = sk.bake(character, cache=False)
    for time in (0.0, 0.5, 1.0):
        np.testing.assert_allclose(reference.pose(character, 0, time).rotation[0], turn(Z, np.pi / 4), atol=1e-7)
        found = sk.sample(rig, 0, time)[0, 0, :4, 0]
        np.testing.assert_allclose(found, turn(Z, np.pi / 4), atol=1e-6)


def test_a_clip_that_starts_late_has_no_pause(tmp_path: Path) -> None:
    """Godot 68665: keys from 30/24 s to 60/24 s; skelter trims, and says where the clip began."""
    builder = GltfBuilder()
    builder.json["nodes"] = [{}]
    builder.clip(0, "translation", [30 / 24, 60 / 24], [[1, 0, 0], [2, 0, 0]])
    character = sk.load(builder.write(tmp_path))
    assert (character.clips[0].start, character.clips[0].duration) == (1.25, 1.25)
    at = [reference.pose(character, 0, time).translation[0, 0] for time in (0.0, 0.625, 1.25)]
    np.testing.assert_allclose(at, [1, 1.5, 2], atol=POSITION_TOL_M)
