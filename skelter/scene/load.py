"""Load a scene file."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from skelter.core.errors import ArgumentError, AssetError, GraphError
from skelter.graph.files.read import load_graph
from skelter.graph.graph import StateGraph
from skelter.scene.check import check_crowd, check_times
from skelter.scene.locomotion import LOCOMOTION, LOCOMOTION_CLIPS, locomotion
from skelter.scene.scene import (
    MANNEQUIN,
    Change,
    FadeWeight,
    Input,
    Ramp,
    Scene,
    SceneCrowd,
    SetRandom,
    SetTrigger,
    SetValue,
)
from skelter.scene.schema import CrowdTable, InputTable
from skelter.scene.table import read_scene_table

CHANGES = ("value", "random", "ramp", "trigger", "weight")
NEEDS = {"single_frame": "trigger", "over": "weight", "until": "every", "layer": "weight"}
"""Keys of an input that mean something only beside another one."""


def load_scene(path: str | PathLike[str]) -> Scene:
    """Load a scene file (TOML) and the graphs that it names; characters are loaded when it is played.

    Files that a scene names are looked for in its own folder.

    Raises:
        AssetError: The file is missing or broken, or names parameters, layers or characters that do not exist, or
            an input that never happens; the message says where.
        GraphError: A graph is missing or broken.
    """
    if not isinstance(path, str | PathLike):
        raise ArgumentError(f"path: expected the path of a file, got {type(path).__name__}")
    file = Path(path)
    table = read_scene_table(file)
    crowds: list[SceneCrowd] = []
    for index, entry in enumerate(table.crowd):
        place = f"{file}: crowd[{index}]"
        if entry.name in [crowd.name for crowd in crowds]:
            raise AssetError(f"{place}.name: there is a crowd {entry.name!r} already; give each another name")
        crowds.append(_crowd(entry, file.parent, place))
    scene = Scene(str(file), tuple(crowds), table.duration, table.rate, table.seed)
    check_times(scene)
    return scene


def _crowd(entry: CrowdTable, folder: Path, place: str) -> SceneCrowd:
    crowd = SceneCrowd(
        name=entry.name,
        graph=_graph(entry.graph, folder, place),
        character=entry.character if entry.character == MANNEQUIN else str(_file(entry.character, folder, place)),
        clips=(LOCOMOTION_CLIPS if entry.graph == LOCOMOTION else {}) | _clips(entry.clips, f"{place}.clips"),
        count=entry.count,
        placement=entry.placement,
        spacing=entry.spacing,
        origin=entry.origin,
        timing=entry.timing,
        weights=entry.weights,
        inputs=tuple(_input(table, f"{place}.input[{index}]") for index, table in enumerate(entry.input)),
    )
    check_crowd(crowd, place)
    return crowd


def _graph(name: str, folder: Path, place: str) -> StateGraph:
    if name == LOCOMOTION:
        return locomotion()
    try:
        return load_graph(folder / name)
    except GraphError as error:
        raise GraphError(f"{place}.graph: {error}") from error


def _file(name: str, folder: Path, place: str) -> Path:
    file = folder / name
    if not file.is_file():
        raise AssetError(f"{place}.character: there is no file {file}; {MANNEQUIN!r} is the built-in character")
    return file


def _clips(table: dict[str, Any], place: str, above: str = "") -> dict[str, str | None]:
    """Return clips per path; ``Move.Walk`` without quotes is a table in a table, and means the same."""
    clips: dict[str, str | None] = {}
    for key, value in table.items():
        path = above + key
        if isinstance(value, dict):
            clips |= _clips(value, place, f"{path}.")
        elif isinstance(value, str) or value is False:
            clips[path] = value or None
        else:
            raise AssetError(f"{place}.{path}: expected the name of a clip, or false for none, got {value!r}")
    return clips


def _input(table: InputTable, place: str) -> Input:
    try:
        change = _change(table)
    except ArgumentError as error:
        raise AssetError(f"{place}: {error}") from None
    until = float("inf") if table.until is None else table.until
    if table.fraction is None:
        return Input(change, table.at, table.every, until, _chars(table))
    return Input(change, table.at, table.every, until, _chars(table), table.fraction)


def _chars(table: InputTable) -> tuple[int, ...] | None:
    if table.chars is None or table.chars == "all":
        return None
    return (table.chars,) if isinstance(table.chars, int) else tuple(sorted(set(table.chars)))


def _change(table: InputTable) -> Change:
    """Return what an input does; raise ArgumentError if its keys do not say one thing."""
    given = [name for name in CHANGES if getattr(table, name) is not None]
    if len(given) != 1:
        raise ArgumentError(f"expected exactly one of {', '.join(CHANGES)}, got {' and '.join(given) or 'none'}")
    for name, needed in NEEDS.items():
        if getattr(table, name) is not None and getattr(table, needed) is None:
            raise ArgumentError(f"{name} means nothing without {needed}; leave it out or add {needed}")
    if table.weight is not None:
        return FadeWeight(_named(table, "layer"), table.weight, table.over or 0.0)
    parameter = _named(table, "parameter")
    if table.value is not None:
        return SetValue(parameter, table.value)
    if table.random is not None:
        return SetRandom(parameter, *_bounds(table.random))
    if table.ramp is not None:
        return Ramp(parameter, *_bounds(table.ramp.to), table.ramp.over)
    if not table.trigger:
        raise ArgumentError("trigger can only be true; to take a trigger back, set its value to false")
    return SetTrigger(parameter, bool(table.single_frame))


def _named(table: InputTable, key: str) -> str:
    name: str | None = getattr(table, key)
    other = "parameter" if key == "layer" else "layer"
    if name is None or getattr(table, other) is not None:
        raise ArgumentError(f"expected a {key} and no {other}: a weight belongs to a layer, all else to a parameter")
    return name


def _bounds(value: float | tuple[float, float]) -> tuple[float, float]:
    low, high = value if isinstance(value, tuple) else (value, value)
    if not low <= high:
        raise ArgumentError(f"expected bounds in ascending order, got {low:g} and {high:g}")
    return low, high
