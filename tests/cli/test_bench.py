from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skelter.measure.MEASURE_S", 0.0)


def test_unknown_case_lists_the_cases(run: Run) -> None:
    outcome = run("bench", "smaple1")
    assert (outcome.code, outcome.out) == (2, "")
    assert "sample1" in outcome.err
    assert "palette1" in outcome.err


def test_csv_that_cannot_be_written(run: Run) -> None:
    outcome = run("bench", "sample1", "--csv", "nowhere/rows.csv")
    assert outcome.code == 2
    assert "nowhere" in outcome.err


def test_csv_grows(run: Run) -> None:
    for _ in range(2):
        assert run("bench", "sample1", "--csv", "rows.csv").code == 0
    with Path("rows.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["characters"] for row in rows] == ["1", "100", "1000"] * 2
    assert all(row["cpu"] and row["version"] and row["date"] for row in rows)


def test_json(run: Run) -> None:
    rows = json.loads(run("bench", "palette1", "skin", "load", "bake", "pose1", "--json").out)
    assert {row["name"] for row in rows} == {"palette1", "skin", "load", "bake", "pose1"}
    assert all(0 < row["us_min"] <= row["us_per_character"] <= row["us_max"] for row in rows)
    assert all(row["joints"] == 67 for row in rows if row["name"] == "palette1")
