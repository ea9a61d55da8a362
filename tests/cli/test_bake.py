from __future__ import annotations

import json
from pathlib import Path

import pytest

from skelter.rig.file import load_rig
from tests.cli.conftest import Run


@pytest.mark.parametrize("rate", ["-5", "0", "nan", "1e9"])
def test_absurd_rate(run: Run, rate: str) -> None:
    outcome = run("bake", "mannequin", "--rate", rate)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("error: rate:")
    assert len(outcome.err.splitlines()) == 1


def test_rate_that_is_no_number(run: Run) -> None:
    assert run("bake", "mannequin", "--rate", "often").code == 2


@pytest.mark.parametrize("tolerance", ["-1", "0", "nan"])
def test_absurd_tolerance(run: Run, tolerance: str) -> None:
    outcome = run("bake", "mannequin", "--tolerance-mm", tolerance)
    assert outcome.code == 2
    assert "tolerance_mm" in outcome.err


def test_existing_output_is_kept(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "kept.rig"
    path.write_text("mine")
    outcome = run("bake", "mannequin", "--out", path)
    assert outcome.code == 2
    assert "--force" in outcome.err
    assert path.read_text() == "mine"


def test_output_in_a_folder_that_is_not_there(run: Run, tmp_path: Path) -> None:
    outcome = run("bake", "mannequin", "--out", tmp_path / "nowhere" / "m.rig")
    assert outcome.code == 2
    assert "nowhere does not exist" in outcome.err


def test_output_in_a_folder_that_nobody_can_write(run: Run) -> None:
    if not Path("/proc/self").is_dir():
        pytest.skip("no /proc, the one folder that even root cannot write")
    outcome = run("bake", "mannequin", "--out", "/proc/m.rig")
    assert outcome.code == 2
    assert "/proc/m.rig" in outcome.err


def test_rig_file(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "m.rig"
    assert run("bake", "mannequin", "--out", path).code == 0
    assert run("bake", "mannequin", "--out", path, "--force").code == 0
    assert "walk" in load_rig(path).clip_names


def test_text(run: Run) -> None:
    outcome = run("bake", "mannequin", "--rate", "24")
    assert outcome.code == 0
    walk = next(line for line in outcome.out.splitlines() if line.startswith("walk"))
    assert " 24 " in walk
    assert "tolerance 0.1 mm" in outcome.out


def test_json(run: Run) -> None:
    report = json.loads(run("bake", "mannequin", "--json").out)
    assert report["tolerance_mm"] == 0.1
    assert all(clip["within_tolerance"] for clip in report["clips"])


def test_packed(run: Run) -> None:
    outcome = run("bake", "mannequin", "--form", "packed", "--json", "--no-cache")
    assert {clip["form"] for clip in json.loads(outcome.out)["clips"]} == {"packed"}
    assert run("bake", "mannequin", "--form", "small").err.startswith("error: form: no form 'small'")
