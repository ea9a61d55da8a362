from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run
from tests.cli.test_trace import SCENE


def test_wrong_arguments(run: Run) -> None:
    Path("scene.toml").write_text(SCENE)
    for options, words in (
        (("--char", "30", "--at", "1"), "char: there is no character 30; there are 30, from 0"),
        (("--char", "0", "--at", "5"), "at: expected a time from 0 to 1 s"),
        (("--char", "0", "--at", "1", "--to", "Jmp"), "no state 'Jmp'; did you mean 'Jump'"),
        (("--char", "0", "--at", "1", "--layer", "base"), "no layer 'base'; did you mean 'Base'"),
        (("--char", "0", "--at", "1", "--crowd", "walker"), "no crowd 'walker'; did you mean 'walkers'"),
    ):
        outcome = run("explain", "scene.toml", *options)
        assert (outcome.code, outcome.out) == (2, "")
        assert words in outcome.err


def test_why_it_did_not_jump(run: Run) -> None:
    Path("scene.toml").write_text(SCENE)
    outcome = run("explain", "scene.toml", "--char", "1", "--at", "0.5", "--to", "Jump", "--layer", "Base")
    assert outcome.code == 0
    head, status, why = outcome.out.splitlines()
    assert head == "character 1 at 0.5 s"
    assert status.endswith(" plays into Move")
    assert why.endswith("ANY -> Jump: condition jump == true does not hold: it is false")


def test_json(run: Run) -> None:
    Path("scene.toml").write_text(SCENE)
    result = json.loads(run("explain", "scene.toml", "--char", "2", "--at", "0.21", "--json").out)
    assert list(result) == ["char", "time", "status", "transitions"]
    taken = [way for way in result["transitions"] if way["verdict"] == "TAKEN"]
    assert [(way["layer"], way["source"], way["target"]) for way in taken] == [("Base", "ANY", "Jump")]
