from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import skelter as sk
from skelter.core.errors import AssetError
from skelter.rig.check_packed import check_packed
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
        ("clips", "row_offset", 0, 320 - 48),
        ("clips", "quat_row_count", 0, 1),
        ("clips", "row_start", 1, 1 << 20),
        ("clips", "frame_count", 0, 1 << 20),
        ("clips", "frame_count", 0, 0),
        ("clips", "data_start", 1, 1 << 40),
        ("clips", "morph_start", 1, 1 << 40),
        ("clips", "quat_row_count", 0, 1 << 20),
        ("clips", "base_index", 0, 2),
        ("clips", "base_index", 0, -2),
        ("clips", "base_index", 0, -1),
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


@pytest.fixture(scope="module")
def small() -> sk.Rig:
    return sk.bake(random_character(40, 2, 1), form="packed", cache=False)


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        ("clip", 0, 1 << 40),
        ("clip", 0, 1 << 10),
        ("clip", 0, -1),
        ("clip", 9, 0),
        ("clip", 9, -2),
        ("clip", 10, -1),
        ("clip", 1, 1 << 40),
        ("clip", 1, -16),
        ("clip", 1, 8),
        ("clip", 2, 0),
        ("clip", 2, 1 << 40),
        ("clip", 3, -1),
        ("clip", 4, 1 << 30),
        ("clip", 6, 1 << 30),
        ("clip", 6, 99),
        ("clip", 7, 5),
        ("clip", 8, 1 << 30),
        ("group", 0, 2),
        ("group", 0, 5),
        ("group", 1, 1 << 20),
        ("group", 1, 3 * 160 - 63),
        ("group", 1, -2),
        ("row", 0, 25),
        ("row", 0, -1),
        ("row", 1, 1 << 16),
    ],
)
def test_a_forged_table_of_packed_clips_is_refused(
    small: sk.Rig, tmp_path: Path, name: str, place: int, value: int
) -> None:
    packed = small.clips.packed._replace(**{name: changed(getattr(small.clips.packed, name), place, value)})
    forged = dataclasses.replace(small, clips=dataclasses.replace(small.clips, packed=packed))
    sk.save_rig(forged, tmp_path / "forged.rig")
    with pytest.raises(AssetError, match=r"its arrays do not fit \(packed\."):
        sk.load_rig(tmp_path / "forged.rig")


@pytest.mark.parametrize("name", ["lines", "words", "still_scale", "row_scale", "group", "row"])
def test_a_cut_array_of_packed_clips_is_refused(small: sk.Rig, tmp_path: Path, name: str) -> None:
    array = getattr(small.clips.packed, name)
    cut = array[:-1] if len(array) else np.zeros((1, 2), np.float32)
    packed = small.clips.packed._replace(**{name: cut})
    sk.save_rig(dataclasses.replace(small, clips=dataclasses.replace(small.clips, packed=packed)), tmp_path / "cut.rig")
    with pytest.raises(AssetError, match=r"its arrays do not fit \(packed\."):
        sk.load_rig(tmp_path / "cut.rig")


def test_a_place_outside_of_the_pose_is_refused(small: sk.Rig) -> None:
    packed = small.clips.packed
    forged = packed._replace(lines=changed(packed.lines, len(packed.lines) - 16, small.rest.size))
    check_packed(packed, small.clips.frame_count, small.clips.base_index, 0, small.rest.size)
    with pytest.raises(ValueError, match=r"packed\.lines points out of range"):
        check_packed(forged, small.clips.frame_count, small.clips.base_index, 0, small.rest.size)


def test_joints_of_a_group_outside_of_the_pose_are_refused() -> None:
    rig = sk.bake(random_character(3, 1, 1), form="packed", cache=False)
    packed = rig.clips.packed
    assert packed.group.tolist() == [[3, -1]]
    place = 16 * (len(packed.still) + 2 * 3 + 1)
    assert packed.lines[place] < 16
    forged = packed._replace(lines=changed(packed.lines, place, rig.rest.size - 3 * 16))
    with pytest.raises(ValueError, match=r"packed\.lines points out of range"):
        check_packed(forged, rig.clips.frame_count, rig.clips.base_index, 0, rig.rest.size)


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
