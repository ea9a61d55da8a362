"""The corpus check must see what is wrong: each test here breaks one thing."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import skelter as sk
from skelter.engines import reference
from skelter.testing.rigs import random_character

SCRIPT = Path(__file__).parents[2] / "scripts" / "check_corpus.py"
SPEC = importlib.util.spec_from_file_location("check_corpus", SCRIPT)
assert SPEC is not None
assert SPEC.loader is not None
check_corpus: Any = importlib.util.module_from_spec(SPEC)
sys.modules["check_corpus"] = check_corpus  # dataclasses look their module up
SPEC.loader.exec_module(check_corpus)

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="changes made here reach only forked processes")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder of one good and one hostile file, of which all holds."""
    character = random_character(8, 1, 1, vertex_count=30, target_count=2)
    sk.export_glb(character, tmp_path / "good.glb")
    (tmp_path / "khronos_empty_file.glb").write_bytes(b"")
    entries = [
        {"file": "good.glb", "kind": "real", "nodes": 8, "joints": [8], "reference": {"numpy": "good.json"}},
        {"file": "khronos_empty_file.glb", "kind": "bad", "verdict": "reject"},
    ]
    (tmp_path / "manifest.json").write_text(json.dumps({"files": entries}))
    poses = {"rest": sampled(character, None, 0.0), "clips": [{"index": 0, "samples": [sampled(character, 0, 0.3)]}]}
    (tmp_path / "good.json").write_text(json.dumps(poses))
    return tmp_path


def sampled(character: sk.Character, clip: int | None, time: float) -> dict[str, Any]:
    pose = reference.pose(character, clip, time)
    positions = reference.positions(character, pose, 0, 0)
    prim = {"node": 0, "primitive": 0, "idx": list(range(30)), "pos": positions.reshape(-1).tolist()}
    nodes = {index: matrix.T.reshape(-1).tolist() for index, matrix in enumerate(pose.model_from_node)}
    return {"t": time, "nodes": nodes, "prims": [prim | {"weights": pose.weights[0].tolist()}]}


def outcome(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> tuple[int, str]:
    monkeypatch.setattr(sys, "argv", ["check_corpus", str(folder)])
    return check_corpus.main(), capsys.readouterr().out


def spoil(folder: Path, change: Any) -> None:
    path = folder / "good.json"
    poses = json.loads(path.read_text())
    change(poses["clips"][0]["samples"][0])
    path.write_text(json.dumps(poses))


def test_a_folder_of_which_all_holds_passes(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    status, text = outcome(folder, capsys, monkeypatch)
    assert status == 0, text
    assert text.splitlines()[-1].startswith("all good: 2 of 2 files; worst reference error")


@pytest.mark.parametrize(
    "change",
    [
        lambda sample: sample["nodes"]["7"].__setitem__(12, sample["nodes"]["7"][12] + 1e-3),
        lambda sample: sample["nodes"]["7"].__setitem__(0, sample["nodes"]["7"][0] + 1e-3),
        lambda sample: sample["prims"][0]["pos"].__setitem__(5, float("nan")),
        lambda sample: sample["prims"][0]["weights"].__setitem__(1, 0.123),
    ],
    ids=["origin", "axis", "nan", "weight"],
)
def test_a_pose_that_differs_from_its_reference_fails(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, change: Any
) -> None:
    spoil(folder, change)
    status, text = outcome(folder, capsys, monkeypatch)
    assert status == 1
    assert "differs from good.json" in text


def test_a_hostile_file_that_loads_fails(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "khronos_empty_file.glb").write_bytes((folder / "good.glb").read_bytes())
    status, text = outcome(folder, capsys, monkeypatch)
    assert status == 1
    assert "it was loaded, but must be refused" in text


def test_a_file_that_kills_its_process_fails(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sk, "load", lambda path: os._exit(9))
    status, text = outcome(folder, capsys, monkeypatch)
    assert status == 1
    assert "the process died (exit code 9)" in text


def test_a_file_that_takes_much_memory_fails(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    load = sk.load
    monkeypatch.setattr(sk, "load", lambda path: (np.ones(1 << 26), load(path))[1])
    monkeypatch.setattr(check_corpus, "MEGABYTES_MAX", 400.0)
    status, text = outcome(folder, capsys, monkeypatch)
    assert status == 1
    assert "loading takes 5" in text


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits memory so")
def test_a_file_that_asks_for_all_memory_fails(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sk, "load", lambda path: np.zeros(1 << 33))
    status, text = outcome(folder, capsys, monkeypatch)
    assert status == 1
    assert "Unable to allocate 64.0 GiB" in text


@pytest.mark.parametrize("name", ["to_model", "sample_morphs", "skin_vertices"])
def test_an_engine_that_is_off_fails(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    true = getattr(sk, name)

    def off(*arguments: Any, **options: Any) -> Any:
        result = true(*arguments, **options)
        (result[0] if isinstance(result, tuple) else result)[-1, -1] += 1e-3
        return result

    monkeypatch.setattr(sk, name, off)
    status, text = outcome(folder, capsys, monkeypatch)
    assert status == 1
    assert "clip 'clip_0'" in text


def test_the_shell_sees_a_joint_that_is_only_turned() -> None:
    truth = np.tile(np.eye(3, 4), (1, 1, 1, 1)) * 100.0
    turned = truth.copy()
    turned[0, 0, :3, :3] = 100.0 * np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]])
    assert check_corpus.shell_error(turned, truth, 0.03) == pytest.approx(0.03 * 2**0.5)
