"""The command ``skelter bench``."""

from __future__ import annotations

from dataclasses import asdict, astuple
from pathlib import Path
from typing import Annotated

import typer

from skelter.cli.result import show, table
from skelter.cli.source import JsonOption
from skelter.cli.step import step

HEADER = (
    "case",
    "characters",
    "joints",
    "threads",
    "us a character",
    "fastest",
    "slowest",
    "memcpy GB/s",
    "FMA GFLOP/s",
)


def bench(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAMES]", help="Cases; by default all but frame1m.")
    ] = None,
    threads: Annotated[
        list[int] | None, typer.Option(help="Threads to measure with; may be given more than once.")
    ] = None,
    csv: Annotated[Path | None, typer.Option(help="Append the rows to this file.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure the engines on this machine."""
    from skelter.bench.run import append_csv
    from skelter.bench.run import bench as run

    with step("measuring, which takes a moment") as report:
        rows = run(names or (), threads=threads or (), progress=report)
    if csv is not None:
        append_csv(rows, csv)
    show([asdict(row) for row in rows], table(HEADER, map(astuple, rows)), as_json)
