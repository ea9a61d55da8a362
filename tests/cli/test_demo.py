from __future__ import annotations

import json
from pathlib import Path

import pytest

import skelter as sk
from skelter.testing.rigs import random_character
from tests.cli.conftest import Run

SMALL = ("--width", "160", "--height", "90")
STAGES = ["adapter", "character", "kernels", "bake", "graph", "pose", "picture"]

pytestmark = pytest.mark.usefixtures("adapter")


def test_a_file_where_demo_wants_a_folder(run: Run) -> None:
    Path("out").write_text("mine")
    outcome = run("demo", "--count", "1")
    assert outcome.code == 2
    assert "cannot make the folder out" in outcome.err


@pytest.mark.parametrize("count", ["0", "-3", "1000000"])
def test_absurd_counts(run: Run, count: str) -> None:
    outcome = run("demo", "--count", count)
    assert (outcome.code, outcome.out) == (2, "")
    assert "count: expected 1 to 100000 characters" in outcome.err


def test_demo(run: Run) -> None:
    outcome = run("demo", "--count", "6", *SMALL, "--json")
    assert outcome.code == 0
    rows = json.loads(outcome.out)
    assert [row["stage"] for row in rows] == [*STAGES, "total"]
    assert "180 steps" in rows[4]["remark"]
    assert Path("out/demo.png").is_file()


def test_film(run: Run) -> None:
    pytest.importorskip("av")
    outcome = run("demo", "--count", "2", "--video", "0.2", *SMALL, "--json")
    assert [row["stage"] for row in json.loads(outcome.out)] == [*STAGES, "film", "total"]
    assert Path("out/demo.mp4").stat().st_size > 1000


def test_demo_replaces_its_own_picture(run: Run) -> None:
    for _ in range(2):
        assert "total" in run("demo", "--count", "1", *SMALL).out


def test_a_character_of_ones_own_plays_its_clips(run: Run) -> None:
    sk.export_glb(random_character(5, 2), "mine.glb")
    outcome = run("demo", "--character", "mine.glb", "--count", "2", *SMALL, "--json")
    assert outcome.code == 0
    rows = json.loads(outcome.out)
    assert [row["stage"] for row in rows] == [*("clips" if name == "graph" else name for name in STAGES), "total"]
    assert "the locomotion graph needs clips that this character does not have" in rows[4]["remark"]


def test_a_mannequin_from_a_file_plays_the_graph(run: Run) -> None:
    sk.export_glb(sk.mannequin(lod=2), "mannequin.glb")
    outcome = run("demo", "--character", "mannequin.glb", "--count", "2", *SMALL, "--json")
    assert "180 steps" in json.loads(outcome.out)[4]["remark"]
