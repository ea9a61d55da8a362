from __future__ import annotations

import json
from pathlib import Path

import pytest

import skelter as sk
from tests.cli.conftest import Run

FORK = """HIERARCHY
ROOT hips
{
OFFSET 0 0 0
CHANNELS 3 Zrotation Xrotation Yrotation
JOINT left
{
OFFSET 1 0 0
CHANNELS 3 Zrotation Xrotation Yrotation
JOINT toe
{
OFFSET 1 0 0
CHANNELS 3 Zrotation Xrotation Yrotation
}
}
JOINT right
{
OFFSET -1 0 0
CHANNELS 3 Zrotation Xrotation Yrotation
}
}
MOTION
Frames: 1
Frame Time: 0.1
0 0 0 0 0 0 0 0 0 0 0 0
"""
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"


def test_missing_file(run: Run) -> None:
    outcome = run("inspect", "nobody.glb")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == "error: nobody.glb: there is no such file\n"


def test_folder(run: Run, tmp_path: Path) -> None:
    outcome = run("inspect", tmp_path)
    assert (outcome.code, outcome.out) == (2, "")
    assert "folder" in outcome.err


def test_picture_with_the_name_of_a_character(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "knight.glb"
    path.write_bytes(PNG)
    outcome = run("inspect", path)
    assert (outcome.code, outcome.out) == (2, "")
    assert "PNG" in outcome.err
    assert len(outcome.err.splitlines()) == 1


def test_text(run: Run) -> None:
    outcome = run("inspect", "mannequin")
    assert outcome.code == 0
    assert "walk" in outcome.out
    assert "warnings: 0" in outcome.out


def test_json(run: Run) -> None:
    summary = json.loads(run("inspect", "mannequin", "--json").out)
    assert summary["joints"] == summary["skins"][0]["joints"]
    assert {"idle", "walk", "run", "jump", "wave"} <= {clip["name"] for clip in summary["clips"]}
    assert summary["warnings"] == []


def test_clips_show_events_and_whether_they_are_additive(run: Run) -> None:
    clips = {clip["name"]: clip for clip in json.loads(run("inspect", "mannequin", "--json").out)["clips"]}
    assert [(clips[name]["events"], clips[name]["additive"]) for name in ("walk", "look_around")] == [
        (2, False),
        (0, True),
    ]
    line = next(line for line in run("inspect", "mannequin").out.splitlines() if "look_around" in line)
    assert line.split()[-3:] == ["0", "yes", "LINEAR"]


def test_joints_hang_below_their_parents(run: Run) -> None:
    Path("fork.bvh").write_text(FORK)
    outcome = run("inspect", "fork.bvh", "--joints")
    assert (outcome.code, outcome.out) == (0, "hips\n  left\n    toe\n  right\n")
    hierarchy = json.loads(run("inspect", "fork.bvh", "--json").out)["hierarchy"]
    assert {joint["name"]: joint["parent"] for joint in hierarchy} == {
        "hips": None,
        "left": "hips",
        "toe": "left",
        "right": "hips",
    }


def test_joints_are_those_of_the_rig(run: Run) -> None:
    rig = sk.bake(sk.mannequin())
    names = [line.strip() for line in run("inspect", "mannequin", "--joints").out.splitlines()]
    assert sorted(names) == sorted(rig.joint_names)


@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_oddities_are_listed(run: Run, corpus: Path, flags: tuple[str, ...]) -> None:
    outcome = run("inspect", corpus / "characters" / "mesh2motion_male.glb", *flags)
    assert outcome.code == 0
    assert "Backflip" in outcome.out
    assert outcome.err == ""
