from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run


def test_unknown_profile(run: Run) -> None:
    outcome = run("export", "mannequin", "--to", "fbx")
    assert outcome.code == 2
    assert "glb" in outcome.err


def test_existing_file_is_kept(run: Run) -> None:
    Path("mannequin.glb").write_text("mine")
    outcome = run("export", "mannequin", "--to", "glb")
    assert (outcome.code, outcome.out) == (2, "")
    assert Path("mannequin.glb").read_text() == "mine"


def test_what_is_written_can_be_read(run: Run) -> None:
    written = json.loads(run("export", "mannequin", "--to", "glb", "--json").out)
    assert written["bytes"] == Path(written["path"]).stat().st_size
    built_in = json.loads(run("inspect", "mannequin", "--json").out)
    read = json.loads(run("inspect", "mannequin.glb", "--json").out)
    assert read["clips"] == built_in["clips"]
    assert read["meshes"] == built_in["meshes"]
