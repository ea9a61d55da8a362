"""Frames: what can be seen after a step, recorded or computed."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Json = dict[str, Any]


@dataclass(eq=False)
class ClipView:
    """A running clip."""

    name: str
    track: str
    time: float
    speed: float
    weight: float


@dataclass(eq=False)
class LayerView:
    """A layer after a step; a progress that has no value is None."""

    active: str
    previous: str | None
    transitioning: bool
    transition_progress: float | None
    progress: float | None
    clips: list[ClipView] | None = None


@dataclass(eq=False)
class BoneView:
    """Local transform of a bone."""

    t: list[float]
    r: list[float]
    s: list[float]


@dataclass(eq=False)
class Frame:
    """All of it after a step."""

    layers: dict[str, LayerView]
    parameters: dict[str, Any]
    bones: dict[str, BoneView]


@dataclass(eq=False)
class Recording:
    """A job and what the engine gave.

    Attributes:
        name: Name of the case.
        job: The job.
        frames: Frames after every step.
        dense: Frames of the job with dense rotation curves, or None.
        error: What the engine threw, or None.
    """

    name: str
    job: Json
    frames: list[Frame]
    dense: list[Frame] | None
    error: str | None = None


def find_recordings(folder: Path) -> list[Path]:
    """Return the files of a folder that are jobs, or hold one."""
    return sorted(folder.glob("*.job.json")) + sorted((folder / "fuzz").glob("*.json.gz"))


def read_recording(path: Path) -> Recording:
    """Read the recording of a job file or fuzz file."""
    if path.suffix == ".gz":
        with gzip.open(path, "rt", encoding="utf-8") as file:
            both = json.load(file)
        name = f"fuzz/{path.name.split('.')[0]}"
        return _recording(name, both["job"], both["result"], both.get("dense_result"))
    name = path.name.removesuffix(".job.json")
    dense = path.with_name(f"{name}.dense.result.json")
    return _recording(
        name,
        _load(path),
        _load(path.with_name(f"{name}.result.json")),
        _load(dense) if dense.exists() else None,
    )


def _load(path: Path) -> Json:
    value: Json = json.loads(path.read_text(encoding="utf-8"))
    return value


def _recording(name: str, job: Json, result: Json, dense: Json | None) -> Recording:
    error = result.get("error") or next((step["error"] for step in result["steps"] if "error" in step), None)
    return Recording(name, job, _frames(result), _frames(dense) if dense else None, error)


def _frames(result: Json) -> list[Frame]:
    """Read the steps up to the first one that threw."""
    frames: list[Frame] = []
    for step in result["steps"]:
        if "error" in step:
            break
        layers = {name: _layer(layer) for name, layer in step["layers"].items()}
        frames.append(
            Frame(layers, step["parameters"], {name: _bone(bone) for name, bone in step.get("bones", {}).items()})
        )
    return frames


def _bone(raw: Json) -> BoneView:
    return BoneView(*([_number(value) for value in raw[key]] for key in "trs"))


def _layer(raw: Json) -> LayerView:
    clips = [
        ClipView(clip["name"], clip["track"], *(_number(clip[key]) for key in ("time", "speed", "weight")))
        for clip in raw.get("clips", ())
    ]
    return LayerView(
        raw["activeState"],
        raw["previousState"],
        raw["transitioning"],
        _finite(raw["transitionProgress"]),
        _finite(raw["activeStateProgress"]),
        clips if "clips" in raw else None,
    )


def _number(raw: Any) -> float:
    return float(raw) if raw is not None else float("nan")


def _finite(raw: Any) -> float | None:
    """Return a number, or None for null, NaN and infinities."""
    return raw if isinstance(raw, (int, float)) else None
