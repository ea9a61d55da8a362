"""The blend job against recorded results of ozz-animation, which are read from beside the corpus."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import skelter as sk
from skelter.core.arrays import LocalPose, pack_pose, unpack_pose
from skelter.pose.blend import BlendLayer, blend
from skelter.rig.rig import Rig
from skelter.testing.rigs import random_character

TOL = 1e-5
SCALE_TOL = 3e-4
"""ozz divides scales by a 12-bit reciprocal when it takes a delta away."""
CASE_COUNT = 17


@pytest.fixture(scope="module")
def folder(corpus: Path) -> Path:
    path = corpus.parent / "ozz"
    if not (path / "reference_cases.json").is_file():
        pytest.skip(f"there are no recorded results of ozz in {path}")
    return path


@pytest.fixture(scope="module")
def recorded(folder: Path) -> dict[str, Any]:
    names = ("reference_cases", "layer_poses", "pab_skeleton")
    return {name: json.loads((folder / f"{name}.json").read_text()) for name in names}


@pytest.fixture(scope="module")
def rig(recorded: dict[str, Any]) -> Rig:
    """A rig with the rest pose of the recorded skeleton; nothing else of it is looked at."""
    skeleton = recorded["pab_skeleton"]
    any_rig = sk.bake(random_character(skeleton["num_joints"], 0, vertex_count=3), cache=False)
    rest = packed(skeleton["rest_rotations"], skeleton["rest_translations"], skeleton["rest_scales"])
    return dataclasses.replace(any_rig, rest=rest[0])


def packed(rotation: list[float], translation: list[float], scale: list[float]) -> LocalPose:
    columns = ((rotation, 4), (translation, 3), (scale, 3))
    return pack_pose(*(np.array(values, np.float64).reshape(1, -1, width) for values, width in columns))


def layers(recorded: dict[str, Any], listed: list[dict[str, Any]]) -> list[BlendLayer]:
    upper = np.array(recorded["reference_cases"]["upper_mask"], np.float32)
    masks = {"none": None, "upper": upper, "lower": 1.0 - upper, "half_upper": 0.5 * upper}
    result = []
    for layer in listed:
        pose = recorded["layer_poses"][f"{layer['clip']}@{layer['ratio']:.9g}"]
        result.append(BlendLayer(packed(pose["r"], pose["t"], pose["s"]), layer["weight"], masks[layer["mask"]]))
    return result


@pytest.mark.parametrize("index", range(CASE_COUNT))
@pytest.mark.parametrize("step", [1, -1])
def test_recorded_blends(recorded: dict[str, Any], rig: Rig, index: int, step: int) -> None:
    """In ozz's order of the layers and in the opposite one."""
    case = recorded["reference_cases"]["cases"][index]
    poses, deltas = layers(recorded, case["layers"]), layers(recorded, case["additive"])
    have = unpack_pose(blend(rig, poses[::step], additive=deltas, threshold=case["threshold"]), rig.joint_count)
    rotation, translation, scale = (values[0] for values in have)
    want = np.array(case["rotations"]).reshape(-1, 4)
    sign = np.where((rotation * want).sum(axis=1) < 0, -1.0, 1.0)[:, None]
    np.testing.assert_allclose(rotation * sign, want, atol=TOL)
    np.testing.assert_allclose(translation.ravel(), case["translations"], atol=TOL)
    np.testing.assert_allclose(scale.ravel(), case["scales"], atol=SCALE_TOL)


def test_all_cases_are_looked_at(recorded: dict[str, Any]) -> None:
    assert len(recorded["reference_cases"]["cases"]) == CASE_COUNT
