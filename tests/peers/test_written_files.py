"""What the Khronos validator and three.js say about files that skelter writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import skelter as sk
from skelter.assets.character import Character
from skelter.engines import reference
from skelter.testing.rigs import random_character

from .conftest import Peers

POSE_TOLERANCE = 1e-5
"""Largest difference from three.js, as a fraction of the model's size."""
FRACTIONS = (0.0, 0.3, 0.77, 1.0)


def made() -> list[Character]:
    characters = [sk.mannequin(), sk.mannequin(lod=2)]
    characters += [random_character(5, 2, 1, influence_count=12, target_count=3), random_character(300, 1, 2)]
    return characters


def written(characters: list[Character], folder: Path) -> list[Path]:
    return [sk.export_glb(character, folder / f"{index}.glb") for index, character in enumerate(characters)]


def corpus_characters(corpus: Path) -> list[Character]:
    entries = json.loads((corpus / "manifest.json").read_text())["files"]
    return [sk.load(corpus / entry["file"]) for entry in entries if entry["kind"] != "bad"]


def worst_difference(character: Character, poses: dict[str, Any]) -> float:
    rest = poses["rest"]
    points = [np.ptp(np.array(part["positions"]), axis=0).max() for part in rest["primitives"] if part["positions"]]
    size = max([1e-3, *points, *(np.abs(matrix[12:15]).max() for matrix in rest["nodes"])])
    samples = [(None, 0.0, rest)]
    samples += [(index, s["time"], s) for index, clip in enumerate(poses["clips"]) for s in clip["samples"]]
    return max(sample_difference(character, *sample, size) for sample in samples)


def sample_difference(
    character: Character, clip: int | None, time: float, sample: dict[str, Any], size: float
) -> float:
    pose = reference.pose(character, clip, time)
    theirs = np.reshape(sample["nodes"], (-1, 4, 4)).transpose(0, 2, 1)
    worst = float(np.abs(theirs - pose.model_from_node)[:, :3, 3].max(initial=0.0)) / size
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


def test_the_validator_has_nothing_to_say_about_the_mannequin(peers: Peers, tmp_path: Path) -> None:
    for report in peers.validate(*written([sk.mannequin()], tmp_path)):
        assert (report["errors"], report["warnings"]) == (0, 0), report


def test_the_validator_finds_no_error_in_the_corpus_written_again(peers: Peers, tmp_path: Path, corpus: Path) -> None:
    for report in peers.validate(*written(corpus_characters(corpus), tmp_path)):
        assert report["errors"] == 0, report


def test_three_agrees_with_made_characters(peers: Peers, tmp_path: Path) -> None:
    for file in written(made(), tmp_path):
        poses = peers.three_poses(file, tmp_path / "poses.json", *FRACTIONS)
        assert worst_difference(sk.load(file), poses) < POSE_TOLERANCE


@pytest.mark.parametrize(
    "name",
    [
        "characters/Knight.glb",
        "characters/WhackAMole.glb",
        "characters/boxman.glb",
        "crafted/cubic_start_at_1_5s.gltf",
        "crafted/shear_nonuniform_parent.gltf",
        "crafted/step_and_single_keys.gltf",
        "khronos/Fox.glb",
        "khronos/RobotExpressive.glb",
        "khronos/morph-stress-test.glb",
    ],
)
def test_three_agrees_with_the_corpus_written_again(peers: Peers, tmp_path: Path, corpus: Path, name: str) -> None:
    file = sk.export_glb(sk.load(corpus / name), tmp_path / "out.glb")
    poses = peers.three_poses(file, tmp_path / "poses.json", *FRACTIONS)
    assert worst_difference(sk.load(file), poses) < POSE_TOLERANCE
