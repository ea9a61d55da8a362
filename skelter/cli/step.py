"""What long work shows while it goes on: a bar on a terminal, a line elsewhere, always on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer

import typer

Report = Callable[[str, float], None]

PATIENCE_S = 1.0
"""Work that is done sooner says nothing where there is no terminal."""


@contextmanager
def step(text: str) -> Iterator[Report]:
    """Show that something goes on, as long as the block runs.

    Args:
        text: What is being done.

    Yields:
        A function that takes what is being done now and the fraction that is done.
    """
    show = _bar if sys.stderr.isatty() else _line
    with show(text) as report:
        yield report


@contextmanager
def _bar(text: str) -> Iterator[Report]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(text, total=None)
        yield lambda now, done: progress.update(task, description=now, completed=done, total=1.0)


@contextmanager
def _line(text: str) -> Iterator[Report]:
    timer = Timer(PATIENCE_S, typer.echo, (f"{text} ...",), {"err": True})
    timer.daemon = True
    timer.start()
    try:
        yield _ignore
    finally:
        timer.cancel()


def _ignore(_now: str, _done: float) -> None:
    """Say nothing: a line for every part would be noise in a log."""
