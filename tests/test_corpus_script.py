"""scripts/check_corpus.py as a program: exit status and last line. What it sees is tested in tests/scripts."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import skelter as sk
from skelter.testing.rigs import random_character

SCRIPT = Path(__file__).parents[1] / "scripts" / "check_corpus.py"


def run(*arguments: object) -> tuple[int, list[str]]:
    command = [sys.executable, str(SCRIPT), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a good file, a bad one, and a good file whose reference is wrong on purpose."""
    sk.export_glb(random_character(3, 1, vertex_count=30), tmp_path / "good.glb")
    (tmp_path / "wrong.glb").write_bytes((tmp_path / "good.glb").read_bytes())
    (tmp_path / "bad.glb").write_bytes((tmp_path / "good.glb").read_bytes()[:1000])
    nodes = {"0": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 5, 5, 1]}
    (tmp_path / "wrong.json").write_text(json.dumps({"rest": {"nodes": nodes, "prims": []}, "clips": []}))
    files = [
        {"file": "good.glb", "kind": "real", "nodes": 3},
        {"file": "bad.glb", "kind": "bad", "verdict": "reject"},
        {"file": "wrong.glb", "kind": "real", "reference": {"numpy": "wrong.json"}},
    ]
    (tmp_path / "manifest.json").write_text(json.dumps({"files": files}))
    return tmp_path


def test_one_wrong_reference_fails_the_run(folder: Path) -> None:
    code, lines = run(folder)
    assert code == 1
    assert lines[-1].startswith("FAILED: 2 of 3 files; worst reference error")
    assert [line.split()[0] for line in lines if line.startswith(("ok", "FAIL "))] == ["ok", "ok", "FAIL"]


def test_without_it_all_is_good(folder: Path) -> None:
    code, lines = run(folder, "--only", "[gb]*.glb")
    assert (code, lines[-1].split(";")[0]) == (0, "all good: 2 of 2 files")


def test_real_files(corpus: Path) -> None:
    code, lines = run(corpus, "--only", "crafted/s*")
    assert code == 0, lines
    assert lines[-1].startswith("all good: ")
