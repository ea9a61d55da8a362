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
    return sk.bake(random_character(20, 2, 1, target_count=2, event_count=3), cache=False)


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
        ("clips", "keyed", 3, 1 << 4),
        ("clips", "keyed", 0, 1 << 16),
        ("clips", "additive", 0, 2),
        ("clips", "event_start", 1, 1 << 20),
        ("clips", "event_start", 1, -1),
        ("clips", "event_start", 2, 5),
        ("clips", "event_start", 0, 1),
        ("clips", "event_time", 2, 1.5),
        ("clips", "event_time", 0, -0.1),
        ("clips", "event_time", 0, np.nan),
        ("clips", "event_time", 3, 1.0),
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


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("keyed", np.zeros((2, 1, 3), np.uint32), r"clips.keyed has shape \(2, 1, 3\), not \(2, 2, 3\)"),
        ("additive", np.zeros(3, np.uint8), "clips.additive has 3 entries, not 2"),
        ("event_start", np.array([0, 6], np.int32), "clips.event_start has 2 entries, not 3"),
        ("event_time", np.zeros(5), "clips.event_start is no table of starts"),
        ("event_names", ("one",), "clips.event_names has 1 entries, not 6"),
        ("event_payloads", (), "clips.event_payloads has 0 entries, not 6"),
    ],
)
def test_a_part_of_another_size_is_refused(rig: sk.Rig, tmp_path: Path, name: str, value: Any, message: str) -> None:
    clips = dataclasses.replace(rig.clips, **{name: value})
    sk.save_rig(dataclasses.replace(rig, clips=clips), tmp_path / "other.rig")
    with pytest.raises(AssetError, match=message):
        sk.load_rig(tmp_path / "other.rig")


def test_a_good_rig_passes(rig: sk.Rig, tmp_path: Path) -> None:
    sk.save_rig(rig, tmp_path / "good.rig")
    assert sk.load_rig(tmp_path / "good.rig").content_hash == rig.content_hash
