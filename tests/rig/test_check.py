from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import skelter as sk
from skelter.core.errors import AssetError
from skelter.testing.rigs import random_character


@pytest.fixture(scope="module")
def rig() -> sk.Rig:
    return sk.bake(random_character(20, 2, 1, target_count=2), cache=False)


def changed(array: np.ndarray, place: int, value: Any) -> np.ndarray:
    copy = array.copy()
    copy.reshape(-1)[place] = value
    return copy


@pytest.mark.parametrize(
    ("part", "name", "place", "value"),
    [
        ("", "parent", 5, 60),
        ("", "parent", 5, 5),
        ("palette", "joint", 0, 1 << 30),
        ("palette", "joint", 0, -1),
        ("mesh", "joints", 3, 20),
        ("mesh", "triangles", 0, 1 << 20),
        ("mesh", "morph_vert", 0, -1),
        ("mesh", "morph_start", 1, -5),
        ("clips", "row_offset", 0, 1 << 20),
        ("clips", "row_start", 1, 1 << 20),
        ("clips", "frame_count", 0, 1 << 20),
        ("clips", "frame_count", 0, 0),
        ("clips", "data_start", 1, 1 << 40),
        ("clips", "morph_start", 1, 1 << 40),
        ("clips", "quat_row_count", 0, 1 << 20),
    ],
)
def test_a_forged_index_is_refused(rig: sk.Rig, tmp_path: Path, part: str, name: str, place: int, value: int) -> None:
    owner = getattr(rig, part) if part else rig
    forged = dataclasses.replace(owner, **{name: changed(getattr(owner, name), place, value)})
    sk.save_rig(dataclasses.replace(rig, **{part: forged}) if part else forged, tmp_path / "forged.rig")
    with pytest.raises(AssetError, match="its arrays do not fit"):
        sk.load_rig(tmp_path / "forged.rig")


def test_a_cut_array_is_refused(rig: sk.Rig, tmp_path: Path) -> None:
    mesh = dataclasses.replace(rig.mesh, normals=rig.mesh.normals[:-1])
    sk.save_rig(dataclasses.replace(rig, mesh=mesh), tmp_path / "cut.rig")
    with pytest.raises(AssetError, match=r"mesh.normals has shape \(299, 3\), not \(300, 3\)"):
        sk.load_rig(tmp_path / "cut.rig")


def test_a_good_rig_passes(rig: sk.Rig, tmp_path: Path) -> None:
    sk.save_rig(rig, tmp_path / "good.rig")
    assert sk.load_rig(tmp_path / "good.rig").content_hash == rig.content_hash
