#!/usr/bin/env python3
"""Hold skelter to recorded results of the real PlayCanvas engine.

    python scripts/check_playcanvas.py FOLDER [--only PATTERN] [--json] [--list FILE] [--write-list]

FOLDER holds jobs `NAME.job.json` with what the engine gave, `NAME.result.json` and `NAME.dense.result.json`, and jobs
with both in `fuzz/NAME.json.gz`. For each, frame by frame, under `rules="playcanvas"`:

* states, cross-fades, parameters and triggers are equal, progress within 1e-6, joints of the reference engine within
  1e-5 where one clip plays and 3e-4 where clips blend;
* or the difference is explained: an independent model of the engine gives what was recorded to 1e-9; with the quirks of
  the engine that these rules follow it gives what skelter gives; and with some more, named, none of which can be left
  out, what was recorded;
* for jobs in the list of differences (`scripts/playcanvas/differences.toml`) these are the quirks that the list names.

And under both rules, skelter's own too:

* the model gives what the reference engine gives; by skelter's own rules, the model without any quirk;
* the cpu engine gives what the reference engine gives, joints within the error of the bake;
* where the engine throws, skelter runs to the end; weights always sum to 1.

Exits 0 only when all of it holds; the last line is the summary.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections import Counter
from dataclasses import asdict
from fnmatch import fnmatch
from pathlib import Path

from playcanvas.differences import PAGE, list_text, page_text
from playcanvas.frames import find_recordings
from playcanvas.quirks import DIFFERENCES
from playcanvas.verdict import Verdict, judge, read_list


def main() -> int:
    """Check a folder and return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="*", metavar="PATTERN", help="check only cases whose name matches")
    parser.add_argument("--json", action="store_true", help="print one JSON object per case instead of a line of text")
    parser.add_argument("--list", type=Path, default=DIFFERENCES, metavar="FILE", help="list of differences")
    parser.add_argument("--write-list", action="store_true", help="write what was found into the list and its page")
    options = parser.parse_args()
    paths = [path for path in find_recordings(options.folder) if fnmatch(case_name(path), options.only)]
    listed = {} if options.write_list else read_list(options.list)
    verdicts = []
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)  # an invalid value must not pass unseen
        for path in paths:
            verdicts.append(judge(path, listed))
            print(json.dumps(as_json(verdicts[-1])) if options.json else line(verdicts[-1]), flush=True)
    if options.write_list:
        write_list(options.list, verdicts)
    print(summary(verdicts))
    return 1 if not verdicts or any(verdict.problems for verdict in verdicts) else 0


def write_list(path: Path, verdicts: list[Verdict]) -> None:
    """Write a list of the cases that have names of their own, and the page about it."""
    named = {verdict.name: (verdict.job, verdict.quirks) for verdict in verdicts if "/" not in verdict.name}
    path.write_text(list_text(named), encoding="utf-8")
    if path == DIFFERENCES:
        PAGE.write_text(page_text(named), encoding="utf-8")


def case_name(path: Path) -> str:
    """Return the name of a case by its file."""
    return path.name.removesuffix(".job.json").removesuffix(".json.gz")


def as_json(verdict: Verdict) -> dict[str, object]:
    """Return a verdict as JSON."""
    return {"kind": verdict.kind, **asdict(verdict)}


def line(verdict: Verdict) -> str:
    """Return a verdict as a line of text."""
    why = f"{verdict.difference}  because of {', '.join(verdict.quirks)}" if verdict.quirks else ""
    return "\n      ".join([f"{verdict.kind:9} {verdict.name}  {why}".rstrip(), *verdict.problems])


def summary(verdicts: list[Verdict]) -> str:
    """Return the last line: counts and the worst figures that passed."""
    if not verdicts:
        return "FAILED: no case matches"
    kinds = Counter(verdict.kind for verdict in verdicts)
    listed = Counter(verdict.kind for verdict in verdicts if verdict.listed)
    references = [verdict.reference for verdict in verdicts if verdict.kind == "equal"]
    own = sum(verdict.equal_by_own_rules for verdict in verdicts)
    counts = f"{kinds['equal']} equal ({own} by skelter's own rules, too), {kinds['explained']} explained"
    counts += f", {kinds['FAIL']} wrong"
    inside = f"; of {listed.total()} in the list {listed['equal']} equal, {listed['explained']} explained"
    worst = (
        f"; worst where equal: progress {max((t.progress for t in references), default=0.0):.1e},"
        f" joints of one clip {max((t.single for t in references), default=0.0):.1e},"
        f" blended {max((t.blended for t in references), default=0.0):.1e}"
    )
    frames = sum(verdict.reference.frames for verdict in verdicts)
    undefined = sum(verdict.reference.undefined for verdict in verdicts)
    state = "FAILED" if kinds["FAIL"] else "all good"
    return (
        f"{state}: {len(verdicts)} cases, {frames} frames equal: {counts}{inside if listed else ''}{worst};"
        f" {undefined} values of the engine have no number"
    )


if __name__ == "__main__":
    sys.exit(main())
