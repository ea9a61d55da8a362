from __future__ import annotations

import errno
import json
import struct
from pathlib import Path

import numpy as np
import pytest

import skelter as sk
from skelter.assets.character import Additive, Character, Clip, ClipEvent, Mesh, MeshInstance, Nodes, Primitive, Track
from skelter.core.errors import ArgumentError, OutputError
from skelter.core.material import Image, Material
from skelter.export.gltf import export_glb, glb_bytes
from skelter.testing.characters import assert_characters_equal
from skelter.testing.rigs import random_character

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 16


def document(data: bytes) -> dict:
    length = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20 : 20 + length])


def round_trip(character: Character, folder: Path) -> Character:
    return sk.load(export_glb(character, folder / "out.glb"))


def two_meshes(parent: int) -> Character:
    """Return a character whose first mesh is shown and whose second one, at node 1, is hidden."""
    points = Primitive(np.eye(3, dtype=np.float32), np.zeros((0, 3), np.uint32))
    character = Character("two", bare_nodes(2), meshes=[Mesh("points", [points])])
    character.instances = [MeshInstance(0, 0), MeshInstance(1, 0, visible=False)]
    character.nodes.parent[1] = parent
    return character


def bare_nodes(count: int) -> Nodes:
    names = [f"node{index}" for index in range(count)]
    rotation = np.tile([0.0, 0.0, 0.0, 1.0], (count, 1))
    return Nodes(names, np.full(count, -1, np.int32), np.zeros((count, 3)), rotation, np.ones((count, 3)))


# invalid input


def test_an_existing_file_is_kept_unless_forced(tmp_path: Path) -> None:
    target = tmp_path / "out.glb"
    target.write_bytes(b"precious")
    with pytest.raises(OutputError, match="--force"):
        export_glb(random_character(), target)
    assert target.read_bytes() == b"precious"
    export_glb(random_character(), target, force=True)
    assert target.read_bytes()[:4] == b"glTF"


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="does not exist"):
        export_glb(random_character(), tmp_path / "nowhere" / "out.glb")


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="is a folder"):
        export_glb(random_character(), tmp_path)


def test_nothing_is_left_behind_by_a_failure(tmp_path: Path) -> None:
    character = random_character()
    character.meshes[0].primitives[0].positions[7, 1] = np.nan
    with pytest.raises(ArgumentError, match=r"meshes\[0\]\.primitives\[0\]\.positions"):
        export_glb(character, tmp_path / "out.glb")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["translation", "rotation", "scale"])
def test_a_node_that_is_not_finite_is_named(name: str) -> None:
    character = random_character()
    getattr(character.nodes, name)[3, 0] = np.inf
    with pytest.raises(ArgumentError, match=rf"nodes.{name}: the value at \[3, 0\] is inf"):
        glb_bytes(character)


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(path: Path, data: bytes) -> None:
        path.touch()
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", fail)
    with pytest.raises(OutputError, match="no space is left"):
        export_glb(random_character(), tmp_path / "out.glb")
    assert list(tmp_path.iterdir()) == []


# degenerate


def test_a_skeleton_alone(tmp_path: Path) -> None:
    character = Character("bare", bare_nodes(3))
    again = round_trip(character, tmp_path)
    assert_characters_equal(character, again)
    assert "buffers" not in document(glb_bytes(character))


def test_clips_that_move_nothing_and_meshes_without_vertices_are_left_out() -> None:
    empty = Primitive(np.zeros((0, 3), np.float32), np.zeros((0, 3), np.uint32))
    character = Character("empty", bare_nodes(1), [Clip("nothing", [], 0.0)], [Mesh("none", [empty])])
    character.instances.append(MeshInstance(0, 0))
    written = document(glb_bytes(character))
    assert not {"animations", "meshes", "accessors"} & written.keys()
    assert "mesh" not in written["nodes"][0]


def test_points_stay_points(tmp_path: Path) -> None:
    points = Primitive(np.eye(3, dtype=np.float32), np.zeros((0, 3), np.uint32))
    character = Character("points", bare_nodes(1), meshes=[Mesh("points", [points])], instances=[MeshInstance(0, 0)])
    assert document(glb_bytes(character))["meshes"][0]["primitives"][0]["mode"] == 0
    again = round_trip(character, tmp_path)
    assert len(again.meshes[0].primitives[0].positions) == 3


def test_joints_without_a_common_root_get_one(tmp_path: Path) -> None:
    character = random_character(joint_count=4)
    character.nodes.parent[2:] = [-1, 2]
    again = round_trip(character, tmp_path)
    assert again.nodes.names[-1] == "root"
    assert set(np.flatnonzero(again.nodes.parent < 0)) == {4}


def test_a_spline_of_one_key_is_written_as_that_key(tmp_path: Path) -> None:
    values = np.array([[[9.0, 9, 9], [1, 2, 3], [9, 9, 9]]])
    track = Track(0, "translation", "CUBICSPLINE", np.zeros(1), values)
    again = round_trip(Character("one", bare_nodes(1), [Clip("hold", [track], 0.0)]), tmp_path)
    assert again.clips[0].tracks[0].interpolation == "LINEAR"
    np.testing.assert_array_equal(again.clips[0].tracks[0].values, [[1, 2, 3]])


def test_nodes_without_a_name_have_none() -> None:
    nodes = bare_nodes(2)
    nodes.names[1] = ""
    assert document(glb_bytes(Character("quiet", nodes)))["nodes"] == [{"name": "node0"}, {}]


def test_keys_that_float32_cannot_tell_apart_still_increase(tmp_path: Path) -> None:
    times = 1000.0 + np.array([0.0, 1e-7, 2e-7, 6.2e-5, 1.0])
    track = Track(0, "translation", "LINEAR", np.append(0.0, times), np.arange(18.0).reshape(6, 3))
    again = round_trip(Character("dense", bare_nodes(1), [Clip("dense", [track], times[-1])]), tmp_path)
    read = again.clips[0].tracks[0]
    assert not any("time" in warning.message for warning in again.warnings)
    np.testing.assert_allclose(read.times, track.times, atol=3e-4)
    np.testing.assert_array_equal(read.values, track.values)


@pytest.mark.parametrize(("length", "written"), [(1.004, 1.004), (1.5, 1.0), (0.0, 1.0)])
def test_splines_are_scaled_only_where_readers_refuse_them(length: float, written: float, tmp_path: Path) -> None:
    values = np.zeros((2, 3, 4))
    values[:, 1, 1], values[:, 2, 0] = length, length
    track = Track(0, "rotation", "CUBICSPLINE", np.array([0.0, 1.0]), values)
    again = round_trip(Character("spline", bare_nodes(1), [Clip("turn", [track], 1.0)]), tmp_path)
    keys = again.clips[0].tracks[0].values
    np.testing.assert_allclose(np.linalg.norm(keys[:, 1], axis=1), written, rtol=1e-6)
    np.testing.assert_allclose(keys[:, 2, 0], written if length else 0.0, rtol=1e-6)


def test_a_tree_of_hidden_meshes_stays_out_of_the_scene(tmp_path: Path) -> None:
    character = two_meshes(parent=-1)
    assert document(glb_bytes(character))["scenes"] == [{"nodes": [0]}]
    assert_characters_equal(character, round_trip(character, tmp_path))


def test_a_hidden_mesh_under_a_shown_root_is_not_placed() -> None:
    written = document(glb_bytes(two_meshes(parent=0)))
    assert written["scenes"] == [{"nodes": [0]}]
    assert ["mesh" in node for node in written["nodes"]] == [True, False]


def test_a_file_may_hide_everything(tmp_path: Path) -> None:
    character = two_meshes(parent=-1)
    character.instances[0].visible = False
    assert document(glb_bytes(character))["scenes"] == [{}]
    assert_characters_equal(character, round_trip(character, tmp_path))


# known values


def test_the_scene_is_named() -> None:
    assert document(glb_bytes(random_character()))["scene"] == 0


@pytest.mark.parametrize("influence_count", [1, 3, 4, 5, 12])
def test_a_character_reads_back_equal(influence_count: int, tmp_path: Path) -> None:
    character = random_character(9, 2, 5, influence_count=min(influence_count, 9), target_count=3)
    assert_characters_equal(character, round_trip(character, tmp_path))


@pytest.mark.parametrize("joint_count", [300, 3000])
def test_more_than_255_joints(joint_count: int, tmp_path: Path) -> None:
    character = random_character(joint_count, 1, 2, vertex_count=1200)
    assert_characters_equal(character, round_trip(character, tmp_path))


def test_materials_and_images_read_back_equal(tmp_path: Path) -> None:
    character = random_character()
    character.images = [Image("broken", "", b""), Image("skin", "image/png", PNG)]
    character.materials = [
        Material("plain", (0.1, 0.2, 0.3, 0.4), alpha_mode="BLEND", roughness=0.25, metallic=0.5),
        Material("cut", alpha_mode="MASK", alpha_cutoff=0.3, double_sided=True, emissive=(0.5, 0.25, 1.0), unlit=True),
        Material("textured", base_color_image=1, uv_offset=(0.5, 0.25), uv_scale=(2.0, 3.0), uv_rotation=0.5),
    ]
    again = round_trip(character, tmp_path)
    assert [image.data for image in again.images] == [PNG]
    character.materials[2].base_color_image = 0
    assert again.materials == character.materials


def test_webp_needs_its_extension() -> None:
    character = random_character()
    character.images = [Image("picture", "image/webp", b"RIFF\0\0\0\0WEBPVP8L")]
    character.materials = [Material("textured", base_color_image=0)]
    written = document(glb_bytes(character))
    assert written["extensionsRequired"] == ["EXT_texture_webp"]
    assert written["textures"] == [{"sampler": 0, "extensions": {"EXT_texture_webp": {"source": 0}}}]


def test_a_texture_gets_coordinates_and_colors_are_clipped(tmp_path: Path) -> None:
    character = random_character()
    primitive = character.meshes[0].primitives[0]
    primitive.uvs, primitive.colors, primitive.material = None, np.full((300, 4), 2.0, np.float32), 0
    character.images = [Image("picture", "image/png", PNG)]
    character.materials = [Material("textured", base_color_image=0)]
    again = round_trip(character, tmp_path).meshes[0].primitives[0]
    np.testing.assert_array_equal(again.uvs, np.zeros((300, 2)))
    np.testing.assert_array_equal(again.colors, np.ones((300, 4)))


def test_arrays_of_other_dtypes_are_written_as_gltf_wants_them(tmp_path: Path) -> None:
    character = random_character()
    primitive = character.meshes[0].primitives[0]
    primitive.positions = primitive.positions.astype(np.float64)
    primitive.weights = primitive.weights.astype(np.float64)
    primitive.joints = primitive.joints.astype(np.int64)
    assert_characters_equal(character, round_trip(character, tmp_path))


def test_a_repeated_joint_is_written_once(tmp_path: Path) -> None:
    character = random_character(4)
    primitive = character.meshes[0].primitives[0]
    primitive.joints[:] = [2, 1, 2, 2]
    primitive.weights[:] = [0.125, 0.5, 0.25, 0.125]
    again = round_trip(character, tmp_path).meshes[0].primitives[0]
    np.testing.assert_array_equal(again.joints[0], [2, 1, 0, 0])
    np.testing.assert_array_equal(again.weights[0], [0.5, 0.5, 0, 0])


def test_a_clip_is_written_at_clip_time(tmp_path: Path) -> None:
    character = random_character()
    character.clips[0].start = 5.0
    again = round_trip(character, tmp_path)
    assert again.clips[0].start == 0.0
    assert again.clips[0].duration == pytest.approx(1.0)


def test_events_and_additive_references_read_back_equal(tmp_path: Path) -> None:
    character = random_character(4, 4, event_count=3, duration=0.7)
    character.clips[0].additive = Additive("clip", "clip_1", 0.25)
    character.clips[1].additive = Additive("first_frame")
    character.clips[2].additive = Additive()
    character.clips[3].events = [ClipEvent(0.7, "end"), ClipEvent(0.0, "start", [None])]
    again = round_trip(character, tmp_path)
    assert_characters_equal(character, again)
    assert again.warnings == []


def test_a_clip_without_them_has_no_extras() -> None:
    assert "extras" not in document(glb_bytes(random_character(4, 1)))["animations"][0]


def test_equal_arrays_are_stored_once() -> None:
    accessors = document(glb_bytes(random_character(24, 1)))["accessors"]
    assert sum(accessor["type"] == "SCALAR" and "min" in accessor for accessor in accessors) == 1


# properties


@pytest.mark.parametrize("seed", range(4))
def test_the_same_character_gives_the_same_bytes(seed: int) -> None:
    make = lambda: random_character(7, 2, seed, target_count=2)  # noqa: E731
    assert glb_bytes(make()) == glb_bytes(make())


def test_the_corpus_reads_back_equal(corpus: Path, tmp_path: Path) -> None:
    entries = json.loads((corpus / "manifest.json").read_text())["files"]
    for index, file in enumerate(entry["file"] for entry in entries if entry["kind"] != "bad"):
        character = sk.load(corpus / file)
        again = sk.load(export_glb(character, tmp_path / f"{index}.glb"))
        try:
            assert_characters_equal(character, without_common_root(again, len(character.nodes)))
        except AssertionError as error:
            raise AssertionError(file) from error


def without_common_root(character: Character, node_count: int) -> Character:
    """Take the node out again that the writer put above joints without a common root."""
    nodes = character.nodes
    if len(nodes) == node_count + 1:
        parent = np.where(nodes.parent == node_count, -1, nodes.parent)[:-1].astype(np.int32)
        character.nodes = Nodes(nodes.names[:-1], parent, nodes.translation[:-1], nodes.rotation[:-1], nodes.scale[:-1])
    return character
