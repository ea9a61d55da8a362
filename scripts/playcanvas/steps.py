"""The steps of a job, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .job import Json


def run_steps(steps: list[Json], inputs: Callable[[Json], None], step: Callable[[float], None]) -> Iterator[None]:
    """Walk through the steps of a job; yields after each update."""
    for raw in steps:
        for repeat in range(raw.get("repeat", 1)):
            if repeat == 0:
                inputs(raw)
            if raw.get("dt") is not None:
                step(raw["dt"])
            yield
