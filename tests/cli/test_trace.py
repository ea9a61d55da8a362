from __future__ import annotations

import json
from pathlib import Path

import pytest

from skelter.cli.trace import chosen_chars
from skelter.core.errors import ArgumentError
from tests.cli.conftest import Run

SCENE = """
duration = 1.0
[[crowd]]
name = "walkers"
count = 30
[[crowd.input]]
at = 0.2
parameter = "jump"
trigger = true
chars = [2]
"""


@pytest.fixture
def scene(run: Run) -> str:
    """Write a scene where the command runs."""
    Path("scene.toml").write_text(SCENE)
    return "scene.toml"


@pytest.mark.parametrize("text", ["", "a", "1,", "-", "1-", "-3", "3-1", "30", "0-30", "1.5", "٣x", "0-99999999999999"])
def test_wrong_characters(text: str) -> None:
    with pytest.raises(ArgumentError, match="--chars "):
        chosen_chars(text, 30)


def test_characters() -> None:
    assert list(chosen_chars("0,3,5-7", 30)) == [0, 3, 5, 6, 7]
    assert list(chosen_chars(" 2 , 29", 30)) == [2, 29]
    assert list(chosen_chars("all", 3)) == [0, 1, 2]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            ('"jump"', '"jmp"'),
            "scene.toml: crowd[0].input[0].parameter: no parameter 'jmp'; did you mean 'jump'",
        ),
        (("count = 30", "count = 30\nclips = { Jump = 'jmp' }"), "scene.toml: crowd[0].clips['Jump']: no clip 'jmp'"),
        (("[[crowd]]", "[[crowd]"), "error: scene.toml: it is not TOML: "),
    ],
)
def test_wrong_scenes(run: Run, scene: str, change: tuple[str, str], words: str) -> None:
    Path(scene).write_text(SCENE.replace(*change))
    outcome = run("trace", scene)
    assert (outcome.code, outcome.out) == (2, "")
    assert words in outcome.err
    assert len([line for line in outcome.err.splitlines() if line.startswith("error")]) == 1


def test_wrong_files(run: Run, scene: str) -> None:
    assert "a trace is written as .jsonl, .html, .svg, .txt;" in run("trace", scene, "--out", "x.png").err
    Path("x.svg").write_text("mine")
    assert "--force" in run("trace", scene, "--out", "x.svg").err
    assert Path("x.svg").read_text() == "mine"
    assert run("trace", "nothing.toml").code == 2
    assert "no crowd 'x'" in run("trace", scene, "--crowd", "x").err


def test_table(run: Run, scene: str) -> None:
    outcome = run("trace", scene, "--chars", "2")
    assert outcome.code == 0
    header, *lines = outcome.out.splitlines()
    assert header.split() == ["crowd", "char", "layer", "from", "s", "to", "s", "state", "through"]
    assert lines[1].split() == [
        "walkers",
        "2",
        "Base",
        "0.200",
        "1.000",
        "Jump",
        "ANY",
        "->",
        "Jump",
        "if",
        "jump",
        "==",
        "true",
    ]
    assert lines[-1] == "1 of 30 characters; choose with --chars"


def test_a_large_crowd_is_not_shown_whole_unless_it_is_asked_for(run: Run, scene: str) -> None:
    assert "24 of 30 characters" in run("trace", scene).out
    assert "of 30 characters" not in run("trace", scene, "--chars", "all").out


def test_json_lines(run: Run, scene: str) -> None:
    lines = [json.loads(line) for line in run("trace", scene, "--chars", "2", "--json").out.splitlines()]
    jump = next(line for line in lines if line.get("state") == "Jump")
    assert (jump["kind"], jump["crowd"], jump["char"], jump["start"], jump["fade"]) == ("stay", "walkers", 2, 0.2, 0.15)


def test_the_table_goes_into_a_file(run: Run, scene: str) -> None:
    assert run("trace", scene, "--out", "t.txt").code == 0
    assert Path("t.txt").read_text() == run("trace", scene).out
    assert "--force" in run("trace", scene, "--out", "t.txt").err


@pytest.mark.parametrize(("name", "begin"), [("t.svg", "<svg "), ("t.html", "<!DOCTYPE html>"), ("t.jsonl", '{"kind"')])
def test_files(run: Run, scene: str, name: str, begin: str) -> None:
    outcome = run("trace", scene, "--out", name, "--json")
    assert json.loads(outcome.out)["path"] == name
    assert Path(name).read_text().startswith(begin)
    assert run("trace", scene, "--out", name, "--force", "--crowd", "walkers").code == 0
