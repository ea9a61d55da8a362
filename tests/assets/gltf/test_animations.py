from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import skelter as sk
from skelter.assets.character import Clip
from skelter.core.errors import AssetError
from skelter.engines import reference
from tests.support.gltf_builder import GltfBuilder

HALF = np.sqrt(0.5)


def document(path: str, times: Any, values: Any, interpolation: str = "LINEAR", **node: Any) -> GltfBuilder:
    builder = GltfBuilder()
    builder.json["nodes"] = [node]
    builder.clip(0, path, times, values, interpolation)
    return builder


def morph_document(times: Any, values: Any, interpolation: str = "LINEAR", targets: int = 3) -> GltfBuilder:
    builder = GltfBuilder()
    mesh = builder.triangle()
    delta = builder.accessor(np.eye(3))
    builder.json["meshes"][mesh]["primitives"][0]["targets"] = [{"POSITION": delta}] * targets
    builder.json["nodes"] = [{"mesh": mesh}]
    builder.clip(0, "weights", times, values, interpolation)
    return builder


def loaded(builder: GltfBuilder, folder: Path) -> tuple[sk.Character, Clip]:
    character = sk.load(builder.write(folder))
    return character, character.clips[0]


def said(character: sk.Character) -> str:
    return "; ".join(map(str, character.warnings))


# invalid input


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"channels": [{"sampler": 1, "target": {"node": 0, "path": "scale"}}]}, "no sampler 1"),
        ({"channels": [{"sampler": 0, "target": {"node": 7, "path": "scale"}}]}, "no node 7"),
        ({"samplers": [{"input": 9, "output": 1}]}, "no accessor 9"),
        ({"samplers": [{"input": 0, "output": 0}]}, "needs VEC3"),
        ({"samplers": [{"input": 1, "output": 1}]}, "needs SCALAR"),
    ],
)
def test_references_to_nothing_are_refused(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    builder = document("translation", [0, 1], np.zeros((2, 3)))
    builder.json["animations"][0] |= change
    with pytest.raises(AssetError, match=message):
        loaded(builder, tmp_path)


@pytest.mark.parametrize(
    ("builder", "message"),
    [
        (document("translation", [], np.zeros((0, 3))), "no keys"),
        (document("translation", [0, 1], np.zeros((3, 3))), "2 keys need 6 numbers, there are 9"),
        (document("translation", [0, 1], np.zeros((2, 3)), "CUBICSPLINE"), "2 keys need 18 numbers"),
        (document("translation", [np.nan], np.zeros((1, 3))), "not finite"),
        (document("weights", [0, 1], [0, 1]), "no morph targets"),
        (document("color", [0, 1], [0, 1]), "the path 'color' is unknown"),
        (morph_document([0, 1], [0, 1]), "2 keys need 6 numbers"),
    ],
)
def test_a_channel_that_cannot_be_used_is_dropped(tmp_path: Path, builder: GltfBuilder, message: str) -> None:
    character, clip = loaded(builder, tmp_path)
    assert clip.tracks == []
    assert message in said(character)
    assert "animations[0].channels[0]" in said(character)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_keys_that_are_not_finite_are_dropped(tmp_path: Path, bad: float) -> None:
    values = np.array([[1.0, 0, 0], [bad, 0, 0], [3, 0, 0]])
    character, clip = loaded(document("translation", [0, 1, 2], values), tmp_path)
    np.testing.assert_array_equal(clip.tracks[0].times, [0, 2])
    assert "1 keys are not finite" in said(character)


def test_unsorted_keys_are_sorted_and_equal_ones_jump(tmp_path: Path) -> None:
    values = np.arange(5.0)[:, None] * [1, 0, 0]
    character, clip = loaded(document("translation", [0, 0.75, 0.25, 0.75, 1], values), tmp_path)
    assert "not sorted" in said(character)
    assert "same time" in said(character)
    assert (np.diff(clip.tracks[0].times) > 0).all()
    at = [reference.sample_track(clip.tracks[0], time)[0] for time in (0.25, 0.75 - 1e-6, 0.75 + 1e-6, 1.0)]
    np.testing.assert_allclose(at, [2, 1, 3, 4], atol=1e-4)


def test_a_second_channel_for_the_same_property_is_ignored(tmp_path: Path) -> None:
    builder = document("translation", [0], [[1, 0, 0]])
    animation = builder.json["animations"][0]
    animation["samplers"].append({"input": 0, "output": builder.accessor([[2, 0, 0]])})
    animation["channels"].append({"sampler": 1, "target": {"node": 0, "path": "translation"}})
    character, clip = loaded(builder, tmp_path)
    assert "has a channel already" in said(character)
    np.testing.assert_array_equal(clip.tracks[0].values, [[1, 0, 0]])


def test_a_zero_quaternion_becomes_the_identity(tmp_path: Path) -> None:
    character, clip = loaded(document("rotation", [0, 1], [[0, 0, 0, 0], [0, 2, 0, 0]]), tmp_path)
    np.testing.assert_array_equal(clip.tracks[0].values, [[0, 0, 0, 1], [0, 1, 0, 0]])
    assert "1 rotations are zero" in said(character)


def test_an_unknown_interpolation_is_linear(tmp_path: Path) -> None:
    character, clip = loaded(document("scale", [0, 1], np.ones((2, 3)), "BOUNCE"), tmp_path)
    assert clip.tracks[0].interpolation == "LINEAR"
    assert "'BOUNCE' is unknown" in said(character)


# degenerate


@pytest.mark.parametrize("interpolation", ["LINEAR", "STEP", "CUBICSPLINE"])
def test_a_single_key_holds_for_ever(tmp_path: Path, interpolation: str) -> None:
    values = [[9, 9, 9], [1, 2, 3], [9, 9, 9]] if interpolation == "CUBICSPLINE" else [[1, 2, 3]]
    _, clip = loaded(document("translation", [0.5], values, interpolation), tmp_path)
    assert (clip.start, clip.duration) == (0.5, 0.0)
    for time in (-1.0, 0.0, 7.0):
        np.testing.assert_array_equal(reference.sample_track(clip.tracks[0], time), [1, 2, 3])


def test_an_animation_without_channels_keeps_its_place(tmp_path: Path) -> None:
    builder = GltfBuilder()
    builder.json |= {"nodes": [{}], "animations": [{"name": "nothing"}]}
    character, clip = loaded(builder, tmp_path)
    assert (clip.name, clip.tracks, clip.duration) == ("nothing", [], 0.0)
    assert "moves nothing" in said(character)


# known values


def test_the_first_key_is_time_0(tmp_path: Path) -> None:
    builder = document("translation", [100_000, 100_001], [[0, 0, 0], [2, 0, 0]])
    builder.json["animations"][0]["samplers"].append(
        {"input": builder.accessor([99_999.5, 100_003]), "output": builder.accessor(np.ones((2, 3)))}
    )
    builder.json["animations"][0]["channels"].append({"sampler": 1, "target": {"node": 0, "path": "scale"}})
    character, clip = loaded(builder, tmp_path)
    assert (clip.start, clip.duration) == (99_999.5, 3.5)
    np.testing.assert_array_equal(clip.tracks[0].times, [0.5, 1.5])
    assert reference.pose(character, 0, 1.0).translation[0, 0] == 1.0
    assert "starts at" in said(character)


def test_a_step_holds_until_its_next_key(tmp_path: Path) -> None:
    _, clip = loaded(morph_document([0, 1], [0, 1], "STEP", targets=1), tmp_path)
    assert reference.sample_track(clip.tracks[0], 0.999)[0] == 0
    assert reference.sample_track(clip.tracks[0], 1.0)[0] == 1


def test_tangents_are_those_of_hermite(tmp_path: Path) -> None:
    values = np.array([[0.0, 0, 3], [-1, 1, 0]])[:, :, None] * [1, 0, 0]
    _, clip = loaded(document("translation", [0, 2], values.reshape(-1, 3), "CUBICSPLINE"), tmp_path)
    assert reference.sample_track(clip.tracks[0], 1.0)[0] == pytest.approx(1.5)


def test_a_spline_of_morph_weights_is_tangents_values_tangents(tmp_path: Path) -> None:
    _, clip = loaded(morph_document([0, 1, 2], np.arange(1, 28), "CUBICSPLINE"), tmp_path)
    for key in range(3):
        np.testing.assert_array_equal(reference.sample_track(clip.tracks[0], key), 9 * key + np.array([4, 5, 6]))


def test_a_spline_of_rotations_stays_a_rotation(tmp_path: Path) -> None:
    keys = np.array([[[5, 1, 2, 3], [0, 0, 0, 1], [9, 0, 4, 0]], [[7, 7, 0, 0], [0, 0, HALF, HALF], [0, 0, 0, 0]]])
    _, clip = loaded(document("rotation", [0, 1], keys.reshape(-1, 4), "CUBICSPLINE"), tmp_path)
    for time in np.linspace(0, 1, 50):
        assert np.linalg.norm(reference.sample_track(clip.tracks[0], time)) == pytest.approx(1.0, abs=1e-12)


def test_the_shorter_arc_is_taken(tmp_path: Path) -> None:
    keys = [[0, 0, 0, 1], [0, 0, -HALF, -HALF]]
    _, clip = loaded(document("rotation", [0, 1], keys), tmp_path)
    middle = reference.sample_track(clip.tracks[0], 0.5)
    np.testing.assert_allclose(middle, [0, 0, np.sin(np.pi / 8), np.cos(np.pi / 8)], atol=1e-7)


def test_channels_are_bound_by_index_not_by_name(tmp_path: Path) -> None:
    builder = document("translation", [0], [[1, 0, 0]], name="Cube")
    builder.json["nodes"] += [{"name": "Cube"}, {}, {}]
    builder.json["animations"][0]["channels"][0]["target"]["node"] = 1
    character, _ = loaded(builder, tmp_path)
    assert character.nodes.names == ["Cube", "Cube_2", "node_2", "node_3"]
    np.testing.assert_array_equal(reference.pose(character, 0).translation[:, 0], [0, 1, 0, 0])


def test_clip_names_are_unique(tmp_path: Path) -> None:
    builder = document("translation", [0], [[1, 0, 0]])
    builder.json["animations"] = [{"name": name} for name in ("walk", "walk", "")]
    assert sk.load(builder.write(tmp_path)).clip_names == ("walk", "walk_2", "clip_2")


@pytest.mark.parametrize(("kind", "largest"), [("i1", 127), ("u1", 255), ("i2", 32767), ("u2", 65535)])
def test_quantised_rotations_are_normalised(tmp_path: Path, kind: str, largest: int) -> None:
    builder = document("rotation", [0, 1], np.zeros((2, 4)))
    keys = np.rint(np.array([[0, 0, HALF, HALF], [0.5, 0.5, 0.5, 0.5]]) * largest)
    builder.json["animations"][0]["samplers"][0]["output"] = builder.accessor(keys, kind, normalized=True)
    _, clip = loaded(builder, tmp_path)
    np.testing.assert_allclose(np.linalg.norm(clip.tracks[0].values, axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(clip.tracks[0].values[1], 0.5, atol=1e-12)


def pointer(builder: GltfBuilder, text: str) -> GltfBuilder:
    builder.json["animations"][0]["channels"][0]["target"] = {
        "path": "pointer",
        "extensions": {"KHR_animation_pointer": {"pointer": text}},
    }
    return builder


def test_a_pointer_to_a_node_is_followed(tmp_path: Path) -> None:
    builder = pointer(document("translation", [0], [[1, 2, 3]]), "/nodes/0/translation")
    character, _ = loaded(builder, tmp_path)
    np.testing.assert_array_equal(reference.pose(character, 0).translation[0], [1, 2, 3])


def test_a_pointer_to_a_mesh_moves_nodes_without_weights_of_their_own(tmp_path: Path) -> None:
    builder = pointer(morph_document([0], [0.5], targets=1), "/meshes/0/weights")
    builder.json["nodes"] = [{"mesh": 0}, {"mesh": 0, "weights": [0.25]}]
    character, _ = loaded(builder, tmp_path)
    assert [float(weights[0]) for weights in reference.pose(character, 0).weights] == [0.5, 0.25]


def test_channels_that_share_a_sampler_are_checked_once(tmp_path: Path) -> None:
    builder = document("rotation", [1, 1, 2], [[0, 0, 0, 0], [0, 0, 0, 2], [0, 0, 0, 1]])
    builder.json["nodes"] *= 3
    channels = [{"sampler": 0, "target": {"node": node, "path": "rotation"}} for node in range(3)]
    builder.json["animations"] = [builder.json["animations"][0] | {"channels": channels}] * 2
    character, clip = loaded(builder, tmp_path)
    assert [track.node for track in clip.tracks] == [0, 1, 2]
    assert all(track.values is clip.tracks[0].values for track in character.clips[1].tracks)
    assert len([warning for warning in character.warnings if "starts at" not in warning.message]) == 2


@pytest.mark.parametrize(
    "times",
    [
        [-1e-45, -0.0, 0.0, 0.0, 1e-45],
        [-1e17, 0.25, np.nextafter(np.float32(0.25), 1), 1.0],
        [1e17, 1e17, 1e17],
        [0.0] * 1000,
    ],
)
def test_key_times_increase_whatever_the_file_says(tmp_path: Path, times: list[float]) -> None:
    _, clip = loaded(document("scale", times, np.ones((len(times), 3))), tmp_path)
    assert (np.diff(clip.tracks[0].times) > 0).all()
    assert clip.tracks[0].times[0] == 0.0
    assert clip.duration == clip.tracks[0].times[-1]


@pytest.mark.parametrize(
    "text",
    ["/nodes/" + "9" * 5_000 + "/scale", "/materials/0/x", "", "/nodes/x/scale", "/nodes/0/name", "nodes/0/scale"],
)
def test_a_pointer_elsewhere_is_a_warning(tmp_path: Path, text: str) -> None:
    character, clip = loaded(pointer(document("scale", [0], [[1, 2, 3]]), text), tmp_path)
    assert clip.tracks == []
    assert "the pointer" in said(character)


@pytest.mark.parametrize("path", ["translation", "rotation", "scale"])
def test_an_animated_matrix_is_replaced_with_a_warning(tmp_path: Path, path: str) -> None:
    values = [[0, 0, 0, 1]] if path == "rotation" else [[1, 2, 3]]
    matrix = np.diag([2.0, 2, 2, 1]).ravel().tolist()
    character, clip = loaded(document(path, [0], values, matrix=matrix), tmp_path)
    assert len(clip.tracks) == 1
    assert "has a matrix" in said(character)
