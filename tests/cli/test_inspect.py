from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

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


@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_oddities_are_listed(run: Run, corpus: Path, flags: tuple[str, ...]) -> None:
    outcome = run("inspect", corpus / "characters" / "mesh2motion_male.glb", *flags)
    assert outcome.code == 0
    assert "Backflip" in outcome.out
    assert outcome.err == ""
