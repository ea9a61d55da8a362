"""Run cases, and keep their rows."""

from __future__ import annotations

import csv
import gc
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path

from skelter import __version__
from skelter.bench.calibrate import Calibration, calibrate
from skelter.bench.cases import CASES
from skelter.core.errors import ArgumentError, OutputError, unknown_name
from skelter.core.workers import default_workers, set_threads
from skelter.doctor import cpu_name
from skelter.measure import measure


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement.

    Attributes:
        name: Name of the case.
        characters: Characters a call, or meshes, or entities.
        joints: Joints a character.
        threads: Threads that computed.
        us_per_character: Median time a character [us].
        min, max: Fastest and slowest call, a character [us].
        memcpy_gb_s: Bytes that one core copies in memory, in the same run [GB/s].
        fma_gflop_s: float32 multiplications and additions of one core, in the same run [GFLOP/s].
    """

    name: str
    characters: int
    joints: int
    threads: int
    us_per_character: float
    min: float
    max: float
    memcpy_gb_s: float
    fma_gflop_s: float


def bench(
    names: Sequence[str] = (),
    *,
    threads: Sequence[int] = (),
    progress: Callable[[str, float], None] | None = None,
) -> list[Row]:
    """Measure cases, one after the other.

    Args:
        names: Names in `CASES`; all of them but the heavy ones if there are none.
        threads: Numbers of threads to measure each case with; by default what the case says: one, and for whole frames
            all cores as well.
        progress: Called with what is measured and the fraction that is done.

    Raises:
        ArgumentError: There is no case of a name.
    """
    for name in names:
        if name not in CASES:
            raise ArgumentError(unknown_name("case", name, CASES))
    before = default_workers().threads
    chosen = names or [name for name, case in CASES.items() if not case.heavy]
    todo = [
        (name, count, joints, number)
        for name in chosen
        for count in CASES[name].counts
        for joints in CASES[name].joints
        for number in threads or dict.fromkeys((1, before) if CASES[name].threaded else (1,))
    ]
    try:
        machine = calibrate()
        rows = []
        for index, (name, count, joints, number) in enumerate(todo):
            if progress is not None:
                progress(f"measuring {name}, {count} characters, threads: {number}", index / len(todo))
            set_threads(number)
            rows.append(_row(name, count, joints, number, machine))
            gc.collect()  # a world and its crowds hold on to each other
    finally:
        set_threads(before)
    return rows


def append_csv(rows: Sequence[Row], path: str | PathLike[str]) -> None:
    """Append rows to a CSV file, each with the date, the version of skelter and the processor.

    Args:
        rows: Measurements.
        path: The file; it gets a header if it is new.

    Raises:
        OutputError: The file cannot be written.
    """
    names = ("date", "version", "cpu", *(field.name for field in fields(Row)))
    place = {"date": datetime.now(UTC).date().isoformat(), "version": __version__, "cpu": cpu_name()}
    target = Path(path)
    try:
        is_new = not target.exists()
        with target.open("a", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, names, lineterminator="\n")
            if is_new:
                writer.writeheader()
            writer.writerows(place | asdict(row) for row in rows)
    except OSError as error:
        raise OutputError(f"cannot write {target}: {error.strerror or error}") from error


def _row(name: str, count: int, joints: int, threads: int, machine: Calibration) -> Row:
    work, joint_count = CASES[name].prepare(count, joints)
    median, fastest, slowest = (round(seconds / count * 1e6, 4) for seconds in measure(work))
    figures = (machine.memcpy_gb_s, machine.fma_gflop_s)
    return Row(name, count, joint_count, threads, median, fastest, slowest, *figures)
