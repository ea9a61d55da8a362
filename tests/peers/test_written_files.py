"""What the Khronos validator and three.js say about files that skelter writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

import skelter as sk
from skelter.assets.character import Character, Clip, Mesh, MeshInstance, Nodes, Primitive, Track
from skelter.core.material import Image, Material
from skelter.engines import reference
from skelter.testing.rigs import random_character

from .conftest import Peers

POSE_TOLERANCE = 1e-5
"""Largest difference from three.js, as a fraction of the model's size."""
FRACTIONS = (0.0, 0.3, 0.77, 1.0)
PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489"
    "0000000d4944415478da63f8dfe0f01f00070002bff489d5f20000000049454e44ae426082"
)
"""A PNG of one pixel."""


INHERENT_WARNINGS = {
    "NODE_SKINNED_MESH_NON_ROOT",
    "NODE_SKINNED_MESH_LOCAL_TRANSFORMS",
    "ANIMATION_CHANNEL_TARGET_NODE_SKIN",
    "IMAGE_FEATURES_UNSUPPORTED",
}
"""What the validator says about the hierarchy or the pictures of the source file, which the writer keeps."""


def everything() -> Character:
    """Return a small character with one of each thing that the writer knows."""
    character = random_character(9, 1, 4, influence_count=6, target_count=2)
    nodes = character.nodes
    nodes.names[3], nodes.scale[2] = "", [1.0, -2.0, 0.5]
    character.nodes = Nodes(
        [*nodes.names, "body", "prop", "hidden"],
        np.append(nodes.parent, [-1, 4, -1]).astype(np.int32),
        np.append(nodes.translation, np.zeros((3, 3)), axis=0),
        np.append(nodes.rotation, [[0.0, 0.0, 0.0, 1.0], [0.0, 0.6, 0.0, 0.8], [0.0, 0.0, 0.0, 1.0]], axis=0),
        np.append(nodes.scale, np.ones((3, 3)), axis=0),
    )
    body = character.meshes[0].primitives[0]
    count = len(body.positions)
    body.uvs, body.colors, body.material = np.zeros((count, 2), np.float32), np.full((count, 4), 0.5, np.float32), 0
    body.morph_normals = np.full((2, count, 3), 0.1, np.float32)
    points = Primitive(np.eye(3, dtype=np.float32), np.zeros((0, 3), np.uint32), material=1)
    no_normals = Primitive(np.eye(3, dtype=np.float32), np.array([[0, 1, 2]], np.uint32), np.zeros((3, 3), np.float32))
    character.meshes.append(Mesh("", [points, no_normals]))
    character.instances = [
        MeshInstance(9, 0, 0, np.array([0.25, 0.0])),
        MeshInstance(10, 1),
        MeshInstance(11, 1, visible=False),
    ]
    character.clips[0].tracks[-1].node = 9
    character.images = [Image("broken", "", b""), Image("picture", "", PICTURE)]
    character.materials = [
        Material("cut", base_color_image=1, alpha_mode="MASK", alpha_cutoff=0.25, uv_scale=(2.0, 1.0), unlit=True),
        Material("glow", (2.0, 0.5, 0.0, 1.0), base_color_image=0, emissive=(0.5, 3.0, 0.0), double_sided=True),
    ]
    character.clips += [Clip("nothing", [], 0.0), Clip("all", odd_tracks(), 2.0, start=7.0)]
    return character


def odd_tracks() -> list[Track]:
    two, one = np.array([0.5, 2.0]), np.array([1.0])
    turns = np.zeros((2, 3, 4))
    turns[0, 1, 3], turns[1, 1, 0], turns[0, 2, 0] = 1.0, 1.0, 0.3
    return [
        Track(1, "rotation", "CUBICSPLINE", two, turns),
        Track(1, "translation", "CUBICSPLINE", one, np.ones((1, 3, 3))),
        Track(2, "translation", "CUBICSPLINE", two, np.arange(18.0).reshape(2, 3, 3) / 50),
        Track(3, "scale", "STEP", two, np.array([[1.0, 1, 1], [2, 0, 1]])),
        Track(9, "weights", "CUBICSPLINE", two, np.arange(12.0).reshape(2, 3, 2) / 12),
        Track(4, "translation", "LINEAR", one, np.zeros((1, 3))),
    ]


def made() -> list[Character]:
    characters = [sk.mannequin(), sk.mannequin(lod=2), everything()]
    characters += [random_character(5, 2, 1, influence_count=12, target_count=3), random_character(300, 1, 2)]
    return characters


def written(characters: list[Character], folder: Path) -> list[Path]:
    return [sk.export_glb(character, folder / f"{index}.glb") for index, character in enumerate(characters)]


def corpus_characters(corpus: Path) -> list[Character]:
    entries = json.loads((corpus / "manifest.json").read_text())["files"]
    return [sk.load(corpus / entry["file"]) for entry in entries if entry["kind"] != "bad"]


def worst_difference(character: Character, poses: dict[str, Any]) -> float:
    """Return the largest difference between the reference engine on a character and three.js on its file."""
    rest = poses["rest"]
    points = [np.ptp(np.array(part["positions"]), axis=0).max() for part in rest["primitives"] if part["positions"]]
    size = max([1e-3, *points, *(np.abs(matrix[12:15]).max() for matrix in rest["nodes"])])
    clips = [index for index, clip in enumerate(character.clips) if clip.tracks]  # the others are not in the file
    samples = [(None, 0.0, rest)]
    samples += [(clips[index], s["time"], s) for index, clip in enumerate(poses["clips"]) for s in clip["samples"]]
    return max(sample_difference(character, *sample, size) for sample in samples)


def sample_difference(
    character: Character, clip: int | None, time: float, sample: dict[str, Any], size: float
) -> float:
    pose = reference.pose(character, clip, time)
    # Joints without a common root get one more node, the last one, which is no part of the pose.
    theirs = np.reshape(sample["nodes"], (-1, 4, 4)).transpose(0, 2, 1)[: len(character.nodes)]
    difference = np.abs(theirs - pose.model_from_node)
    axes = np.abs(pose.model_from_node[:, :3, :3]).max(axis=(1, 2), keepdims=True)
    worst = float((difference[:, :3, :3] / np.maximum(axes, 1e-9)).max(initial=0.0))
    worst = max(worst, float(difference[:, :3, 3].max(initial=0.0)) / size)
    for part in sample["primitives"]:
        index = next(i for i, instance in enumerate(character.instances) if instance.node == part["node"])
        mesh = character.meshes[character.instances[index].mesh]
        if mesh.primitives[part["primitive"]].joints.shape[1] <= 4:  # three.js reads the first set only
            ours = reference.positions(character, pose, index, part["primitive"])[part["indices"]]
            worst = max(worst, float(np.abs(ours - np.array(part["positions"])).max(initial=0.0)) / size)
    return worst


def test_the_validator_finds_no_error_in_made_characters(peers: Peers, tmp_path: Path) -> None:
    for report in peers.validate(*written(made(), tmp_path)):
        assert report["errors"] == 0, report


def test_the_validator_has_nothing_to_say_about_what_we_make(peers: Peers, tmp_path: Path) -> None:
    for report in peers.validate(*written([sk.mannequin(), everything()], tmp_path)):
        assert (report["errors"], report["warnings"]) == (0, 0), report


def test_the_validator_finds_no_error_in_the_corpus_written_again(peers: Peers, tmp_path: Path, corpus: Path) -> None:
    for report in peers.validate(*written(corpus_characters(corpus), tmp_path)):
        assert report["errors"] == 0, report
        assert {message["code"] for message in report["messages"]} <= INHERENT_WARNINGS, report


def test_three_agrees_with_made_characters(peers: Peers, tmp_path: Path) -> None:
    characters = made()
    poses = peers.three_poses(FRACTIONS, *written(characters, tmp_path))
    for character, theirs in zip(characters, poses, strict=True):
        assert worst_difference(character, theirs) < POSE_TOLERANCE, character.name


def test_three_agrees_with_the_corpus_written_again(peers: Peers, tmp_path: Path, corpus: Path) -> None:
    characters = corpus_characters(corpus)
    poses = peers.three_poses(FRACTIONS, *written(characters, tmp_path))
    for character, theirs in zip(characters, poses, strict=True):
        assert worst_difference(character, theirs) < POSE_TOLERANCE, character.source
