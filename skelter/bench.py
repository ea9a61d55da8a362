"""Measure the engines on fixed scenes: the same random characters, clips and times in every run."""

from __future__ import annotations

import atexit
import csv
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from functools import cache
from os import PathLike
from pathlib import Path

import numpy as np

from skelter import __version__
from skelter.assets.load import load
from skelter.assets.mannequin import mannequin
from skelter.baking.bake import bake
from skelter.core.errors import ArgumentError, OutputError, unknown_name
from skelter.core.playback import PlaybackList
from skelter.crowd.crowd import Crowd
from skelter.doctor import cpu_name
from skelter.engines.cpu.pipeline import animate, skinning_matrices
from skelter.export.gltf import export_glb
from skelter.graph.compile import compile as compile_graph
from skelter.graph.graph import ANY, START, Condition, Layer, Parameter, State, StateGraph, Transition
from skelter.measure import Work, measure
from skelter.pose.sample import sample
from skelter.rig.rig import Rig
from skelter.scene.locomotion import LOCOMOTION_CLIPS, locomotion
from skelter.skin.vertices import skin_vertices
from skelter.testing.rigs import clock_rig, random_character
from skelter.transform.to_model import to_model

JOINT_COUNT = 67
STATE_COUNT = 10


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement.

    Attributes:
        name: Name of the case.
        characters: Characters a call.
        joints: Joints a character.
        threads: Threads that computed.
        us_per_character: Median time a character [us].
        us_min, us_max: Fastest and slowest call, a character [us].
    """

    name: str
    characters: int
    joints: int
    threads: int
    us_per_character: float
    us_min: float
    us_max: float


@dataclass(frozen=True, slots=True)
class Case:
    """Something to measure.

    Attributes:
        about: What a call does.
        counts: Characters a call; one row is measured for each.
        prepare: Makes the call for a number of characters, and says how many joints a character has.
    """

    about: str
    counts: tuple[int, ...]
    prepare: Callable[[int], tuple[Work, int]]


def bench(names: Sequence[str] = (), *, progress: Callable[[str, float], None] | None = None) -> list[Row]:
    """Measure cases, one after the other, on one thread.

    Args:
        names: Names in `CASES`; all of them if there are none.
        progress: Called with what is measured and the fraction that is done.

    Raises:
        ArgumentError: There is no case of a name.
    """
    for name in names:
        if name not in CASES:
            raise ArgumentError(unknown_name("case", name, CASES))
    todo = [(name, count) for name in names or CASES for count in CASES[name].counts]
    rows = []
    for index, (name, count) in enumerate(todo):
        if progress is not None:
            progress(f"measuring {name}, {count} characters", index / len(todo))
        rows.append(_row(name, count))
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


def _row(name: str, count: int) -> Row:
    work, joint_count = CASES[name].prepare(count)
    median, fastest, slowest = (round(seconds / count * 1e6, 4) for seconds in measure(work))
    return Row(name, count, joint_count, 1, median, fastest, slowest)


@cache
def _random_rig() -> Rig:
    return bake(random_character(JOINT_COUNT, clip_count=3, seed=1), cache=False)


@cache
def _mannequin_rig() -> Rig:
    return bake(mannequin(), cache=False)


def _playback(rig: Rig, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a clip and a time per character; additive clips are no poses and do not play alone."""
    random = np.random.default_rng(0)
    alone = np.flatnonzero(rig.clips.additive == 0)
    clips = alone[random.integers(0, len(alone), count)].astype(np.int32)
    return clips, random.random(count) * rig.clips.duration[clips]


def _sample(count: int) -> tuple[Work, int]:
    rig = _random_rig()
    clips, times = _playback(rig, count)
    return lambda: sample(rig, clips, times), rig.joint_count


def _pose(count: int) -> tuple[Work, int]:
    rig = _random_rig()
    clips, times = _playback(rig, count)
    return lambda: to_model(rig, sample(rig, clips, times)), rig.joint_count


def _palette(count: int) -> tuple[Work, int]:
    rig = _random_rig()
    clips, times = _playback(rig, count)
    return lambda: skinning_matrices(rig, sample(rig, clips, times)), rig.joint_count


def _skin(count: int) -> tuple[Work, int]:
    rig = _mannequin_rig()
    matrices = skinning_matrices(rig, sample(rig, *_playback(rig, count)))
    return lambda: skin_vertices(rig, matrices), rig.joint_count


def _blend(count: int) -> tuple[Work, int]:
    rig, random = _random_rig(), np.random.default_rng(0)
    weight = random.random((count, 3)) + 0.1
    playback = PlaybackList(
        layer_start=np.tile(np.array([0, 3], np.int32), (count, 1)),
        clip=np.tile(np.arange(3, dtype=np.int32), (count, 1)),
        time=random.random((count, 3)) * rig.clips.duration[:3],
        weight=weight / weight.sum(axis=1, keepdims=True),
        layer_weight=np.ones((count, 1)),
    )
    additive = np.zeros(1, np.uint8)
    return lambda: animate(rig, playback, additive=additive), rig.joint_count


def _graph(count: int) -> tuple[Work, int]:
    rig = clock_rig({f"S{number}": 1.0 + 0.1 * number for number in range(STATE_COUNT)})
    crowd = Crowd(compile_graph(_ring_graph(), rig), count, record=False)
    random = np.random.default_rng(0)
    crowd.set("go", random.random(count))
    crowd.set("skip", random.random(count) + 0.1)
    return lambda: crowd.step(1 / 60), rig.joint_count


def _ring_graph() -> StateGraph:
    """Return two layers of ten states in a ring, with ways taken at the end of a state, by chance, or never."""
    names = [f"S{number}" for number in range(STATE_COUNT)]
    ways = [Transition(START, names[0]), Transition(ANY, names[-1], 0.1, conditions=[Condition("stop")])]
    for number, name in enumerate(names):
        onward = Condition("go", "GREATER_THAN", 0.5 + 0.04 * number)
        ways.append(Transition(name, names[(number + 1) % STATE_COUNT], 0.2, conditions=[onward], exit_time=0.8))
        aside = Condition("skip", "LESS_THAN", 0.02 * number)
        ways.append(Transition(name, names[(number + 3) % STATE_COUNT], 0.2, conditions=[aside]))
    parameters = [Parameter("go"), Parameter("skip"), Parameter("stop", "TRIGGER", False)]
    return StateGraph([Layer(name, [State(state) for state in names], ways) for name in ("Low", "High")], parameters)


def _crowd(count: int) -> tuple[Work, int]:
    rig = _mannequin_rig()
    crowd = Crowd(compile_graph(locomotion(), rig, LOCOMOTION_CLIPS), count, record=False)
    random = np.random.default_rng(0)
    crowd.set("speed", random.random(count) * 3.2)
    crowd.trigger("wave", where=random.random(count) < 0.1)
    crowd.set("look", random.random(count) < 0.2)

    def frame() -> None:
        crowd.step(1 / 60)
        _ = crowd.skinning_matrices

    return frame, rig.joint_count


def _load(count: int) -> tuple[Work, int]:
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = Path(folder) / "mannequin.glb"
    character = mannequin()
    export_glb(character, path)
    return lambda: [load(path) for _ in range(count)], len(character.nodes)


def _bake(count: int) -> tuple[Work, int]:
    character = mannequin()
    return lambda: [bake(character, cache=False) for _ in range(count)], len(character.nodes)


CASES: dict[str, Case] = {
    "sample1": Case("sample one clip", (1, 100, 1000), _sample),
    "pose1": Case("sample one clip, hierarchy", (1, 100, 1000), _pose),
    "palette1": Case("sample one clip, hierarchy, skinning matrices", (1, 100, 1000), _palette),
    "blend3": Case("blend three clips, hierarchy, skinning matrices", (1, 100, 1000), _blend),
    "graph": Case("advance a graph of 2 layers with 10 states each", (1, 1000, 10_000), _graph),
    "crowd": Case("advance the mannequin's graph of 3 layers, skinning matrices", (1, 1000), _crowd),
    "skin": Case("skin the vertices and normals of the mannequin", (1, 100), _skin),
    "load": Case("load the mannequin from a GLB file", (1,), _load),
    "bake": Case("bake the mannequin, not from the cache", (1,), _bake),
}
"""What can be measured, by name."""
