"""The list of differences and the page about them, as files."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path

from .quirks import DIFFERENCES, FOLLOWED, QUIRKS, Quirk

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "playcanvas-differences.md"

LIST_HEAD = """\
# Recorded cases of PlayCanvas's engine, and the quirks of it that skelter, under rules="playcanvas", does not share.
# No quirks: the case is equal in every frame. `job` is a digest of the job, so that no other is taken for it.
# scripts/check_playcanvas.py checks it, and writes it with --write-list. The quirks are in quirks.py.

[cases]
"""

PAGE_HEAD = """\
# Differences from PlayCanvas

<!-- Written by scripts/check_playcanvas.py --write-list. -->

skelter reads the state graphs of PlayCanvas as they are and keeps the order of its frame. Where the engine (2.23.3)
breaks, or does what its documents do not say, skelter does something sensible. With
`compile(graph, rig, rules="playcanvas")` it follows the engine where that does the same thing every time and nothing
breaks; the last column says where. The numbers are those of the ranked list of faults that measuring the engine gave,
or of the section that describes the behaviour.

How we know: `scripts/check_playcanvas.py FOLDER` plays recorded jobs in skelter and compares every frame. An
independent model of the engine gives what was recorded within 1e-9. Each habit in this table can be switched off in it;
with all of them off it gives what skelter gives under its own rules. A recording that differs is explained only if the
model gives it with some of these habits, none of which can be left out.

| no. | name | PlayCanvas | skelter | `rules="playcanvas"` |
|---|---|---|---|---|
"""

CASES_HEAD = """
## Recorded cases

{equal} of {all} recorded cases are equal in every frame under `rules="playcanvas"`, in both engines: states,
cross-fades, parameters, progress within 1e-6, joints within 1e-5 where one clip plays and 3e-4 where clips blend. The
others differ because of these habits.

| case | because of |
|---|---|
"""


Cases = Mapping[str, tuple[str, tuple[str, ...]]]
"""Digest of the job and quirks, per name of a case."""


def read_cases(path: Path = DIFFERENCES) -> Cases:
    """Return the list."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))["cases"]
    return {name: (entry["job"], tuple(entry["quirks"])) for name, entry in table.items()}


def list_text(cases: Cases) -> str:
    """Return the list as a file."""
    lines = [
        f"{json.dumps(name)} = {{ job = {json.dumps(job)}, quirks = {json.dumps(list(quirks))} }}"
        for name, (job, quirks) in sorted(cases.items())
    ]
    return LIST_HEAD + "".join(f"{line}\n" for line in lines)


def page_text(cases: Cases) -> str:
    """Return the page about the differences."""
    different = {name: quirks for name, (_, quirks) in cases.items() if quirks}
    counts = {"equal": len(cases) - len(different), "all": len(cases)}
    rows = "".join(f"| {name} | {', '.join(quirks)} |\n" for name, quirks in sorted(different.items()))
    return PAGE_HEAD + "".join(map(_row, sorted(QUIRKS, key=_place))) + CASES_HEAD.format(**counts) + rows


def _row(quirk: Quirk) -> str:
    follows = "as PlayCanvas" if quirk.name in FOLLOWED else "as skelter"
    return f"| {quirk.number} | `{quirk.name}` | {quirk.engine} | {quirk.skelter} | {follows} |\n"


def _place(quirk: Quirk) -> tuple[int, float]:
    """Order by number; sections come after the ranked faults."""
    return int(quirk.number.startswith("§")), float(quirk.number.lstrip("§"))
