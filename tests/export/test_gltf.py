from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest

import skelter as sk
from skelter.assets.character import Character, Clip, Mesh, MeshInstance, Nodes, Primitive, Track
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


# known values


@pytest.mark.parametrize("influence_count", [1, 3, 4, 5, 12])
def test_a_character_reads_back_equal(influence_count: int, tmp_path: Path) -> None:
    character = random_character(9, 2, 5, influence_count=min(influence_count, 9), target_count=3)
    assert_characters_equal(character, round_trip(character, tmp_path))


def test_more_than_255_joints(tmp_path: Path) -> None:
    character = random_character(300, 1, 2, vertex_count=1200)
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


def test_equal_arrays_are_stored_once() -> None:
    accessors = document(glb_bytes(random_character(24, 1)))["accessors"]
    assert sum(accessor["type"] == "SCALAR" and "min" in accessor for accessor in accessors) == 1


# properties


@pytest.mark.parametrize("seed", range(4))
def test_the_same_character_gives_the_same_bytes(seed: int) -> None:
    make = lambda: random_character(7, 2, seed, target_count=2)  # noqa: E731
    assert glb_bytes(make()) == glb_bytes(make())


def test_the_corpus_reads_back_equal(corpus: Path, tmp_path: Path) -> None:
    for index, file in enumerate(sorted(corpus.glob("crafted/*.g*"))):
        character = sk.load(file)
        character.clips = [clip for clip in character.clips if clip.tracks]
        again = sk.load(export_glb(character, tmp_path / f"{index}.glb"))
        character.images, again.images = [], []
        assert_characters_equal(character, again, tolerance=2e-6)
