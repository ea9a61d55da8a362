from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from skelter.bench.cases import CASES
from tests.cli.conftest import Run


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skelter.measure.MEASURE_S", 0.0)


def test_unknown_case_lists_the_cases(run: Run) -> None:
    outcome = run("bench", "smaple1")
    assert (outcome.code, outcome.out) == (2, "")
    assert "sample1" in outcome.err
    assert "pose1_random" in outcome.err


def test_csv_that_cannot_be_written(run: Run) -> None:
    outcome = run("bench", "sample1", "--csv", "nowhere/rows.csv")
    assert outcome.code == 2
    assert "nowhere" in outcome.err


def test_csv_grows(run: Run) -> None:
    for _ in range(2):
        assert run("bench", "palette", "--csv", "rows.csv").code == 0
    with Path("rows.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["characters"] for row in rows] == ["1", "100", "1000"] * 2
    assert all(row["cpu"] and row["version"] and row["date"] for row in rows)
    assert all(float(row["memcpy_gb_s"]) > 0.1 and float(row["fma_gflop_s"]) > 0.1 for row in rows)


def test_json(run: Run) -> None:
    names = ["pose3", "pose1", "pose2_additive", "pose1_random", "skin5k", "frame", "load"]
    rows = json.loads(run("bench", *names, "--threads", "1", "--json").out)
    assert {row["name"] for row in rows} == set(names)
    assert all(0 < row["min"] <= row["us_per_character"] <= row["max"] for row in rows)
    assert {row["threads"] for row in rows} == {1}
    assert [row["joints"] for row in rows if row["name"] == "pose3"] == [24, 67, 128, 200]


def test_threads(run: Run) -> None:
    rows = json.loads(run("bench", "skin5k", "--threads", "1", "--threads", "2", "--json").out)
    assert [(row["characters"], row["threads"]) for row in rows] == [(1, 1), (1, 2), (10, 1), (10, 2)]
    assert run("bench", "skin5k", "--threads", "0").code == 2


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if name not in {"bake", "load"}])
def test_every_case_does_something(name: str) -> None:
    case = CASES[name]
    for joints in case.joints:
        work, _ = case.prepare(3, joints)
        work()
        work()


def test_heavy_cases_are_left_out_unless_named() -> None:
    assert [name for name, case in CASES.items() if case.heavy] == ["frame1m"]
