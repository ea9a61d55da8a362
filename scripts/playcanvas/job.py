"""Read what a recording was made from: `NAME.job.json`, or the ``job`` of a fuzz file."""

from __future__ import annotations

import struct
from bisect import bisect_right
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

PROPERTIES = {
    "translation": "t",
    "position": "t",
    "localPosition": "t",
    "rotation": "r",
    "localRotation": "r",
    "scale": "s",
    "localScale": "s",
}
WIDTHS = {"t": 3, "r": 4, "s": 3}
INTERPOLATIONS = dict.fromkeys((0, "STEP"), "STEP") | dict.fromkeys((1, "LINEAR"), "LINEAR")
INTERPOLATIONS |= dict.fromkeys((2, "CUBIC", "CUBICSPLINE"), "CUBIC")
EMPTY = "__EMPTY__"
EMPTY_DURATION = 1.7976931348623157e308


def float32(value: float) -> float:
    """Round a number to single precision."""
    try:
        rounded: float = struct.unpack("f", struct.pack("f", value))[0]
        return rounded
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


@dataclass(eq=False)
class Curve:
    """Keys of one property of one bone.

    Attributes:
        path: Names from the root to the bone, as the clip spells them.
        property: ``t``, ``r`` or ``s``.
        component: ``graph``, or ``entity``, whose paths are exact and which masks do not concern.
        interpolation: ``STEP``, ``LINEAR`` or ``CUBIC``.
        times: Key times [s].
        keys: Rows of values; CUBIC has rows of in-tangent, value, out-tangent one after another.
    """

    path: tuple[str, ...]
    property: str
    component: str
    interpolation: str
    times: list[float]
    keys: list[list[float]]

    def segment(self, time: float) -> tuple[int, float]:
        """Return the key before a time and how far it is to the next, in [0, 1)."""
        if time < self.times[0] or len(self.times) == 1:
            return 0, 0.0
        if time >= self.times[-1]:
            return len(self.times) - 1, 0.0
        left = bisect_right(self.times, time) - 1
        return left, (time - self.times[left]) * (1.0 / (self.times[left + 1] - self.times[left]))


@dataclass(eq=False)
class Clip:
    """A named set of curves.

    Attributes:
        name: Its name.
        duration: Its length [s].
        curves: Its curves.
    """

    name: str
    duration: float
    curves: list[Curve] = field(default_factory=list)


EMPTY_CLIP = Clip("empty", EMPTY_DURATION)
"""What the engine gives a state that has no clip yet."""


@dataclass(eq=False)
class Bone:
    """A bone with its rest values."""

    name: str
    parent: int
    rest: dict[str, list[float]]


@dataclass(eq=False)
class Assignment:
    """A clip for a path ``State`` or ``State.Leaf``; speed and loop of the state too, if given."""

    layer: str | None
    path: str
    clip: Clip
    speed: float | None = None
    loop: bool | None = None


@dataclass(eq=False)
class Job:
    """A job for the engine.

    Attributes:
        name: Name of the case.
        bones: The hierarchy.
        root: Index of the bone that the component is on.
        clips: Clips by name.
        layers: Layers of the graph in engine form, with those that the job adds before the first step.
        parameters: Parameters by name: type and value.
        assignments: In order.
        component: activate, speed, normalizeWeights, rootBone, enabled.
        steps: What is done.
        raw: The job as it was read.
    """

    name: str
    bones: list[Bone]
    root: int
    clips: dict[str, Clip]
    layers: list[Json]
    parameters: dict[str, Json]
    assignments: list[Assignment]
    component: Json
    steps: list[Json]
    raw: Json

    @property
    def every(self) -> int:
        """How many steps there are to a recorded frame."""
        return int(self.raw.get("output", {}).get("every", 1))

    @property
    def step_count(self) -> int:
        """Number of steps."""
        return sum(step.get("repeat", 1) for step in self.steps)

    @property
    def has_trees(self) -> bool:
        """Whether any state holds a blend tree."""
        return any(state.get("blendTree") for layer in self.layers for state in layer["states"])

    @property
    def has_nested_trees(self) -> bool:
        """Whether any blend tree holds another."""
        return any(
            "children" in child
            for layer in self.layers
            for state in layer["states"]
            for child in (state.get("blendTree") or {}).get("children", ())
        )

    def assignment(self, raw: Json) -> Assignment:
        """Read an assignment; by the component, speed and loop have defaults, which overwrite the state's."""
        overriding = raw.get("via", self.raw.get("assignVia", "layer")) == "component"
        speed, loop = raw.get("speed"), raw.get("loop")
        if overriding:
            speed, loop = (1.0 if speed is None else speed), (True if loop is None else loop)
        clip = EMPTY_CLIP if raw["clip"] == EMPTY else self.clips[raw["clip"]]
        return Assignment(raw.get("layer"), raw["path"], clip, speed, loop)


def read_job(raw: Json, name: str) -> Job:
    """Read a job."""
    bones = _bones(raw["hierarchy"])
    layers, parameters = read_graph(raw.get("stateGraph") or {"layers": [], "parameters": {}})
    layers += [added_layer(layer) for layer in raw.get("addLayers", ())]
    for changed, values in raw.get("layers", {}).items():
        next(layer for layer in layers if layer["name"] == changed).update(values)
    rounded = raw.get("float32") is not False
    clips = {clip["name"]: _clip(clip, clip.get("float32", rounded)) for clip in raw["clips"]}
    root = [bone.name for bone in bones].index(raw["root"]) if raw.get("root") else 0
    job = Job(name, bones, root, clips, layers, parameters, [], raw.get("component", {}), raw["steps"], raw)
    job.assignments = [job.assignment(entry) for entry in _assignments(raw.get("assignments", {}))]
    return job


def added_layer(raw: Json) -> Json:
    """Return the layer that ``addLayer`` makes: it has START and nothing else."""
    return {**raw, "states": [{"name": "START", "speed": 1}], "transitions": []}


def read_graph(raw: Json) -> tuple[list[Json], dict[str, Json]]:
    """Return layers and parameters of a graph of either form, as the engine reads them."""
    raw = deepcopy(raw)
    if isinstance(raw["layers"], list):
        return [_with_defaults(layer) for layer in raw["layers"]], raw["parameters"]
    layers = []
    for _, source in sorted(raw["layers"].items(), key=_key_order(raw["layers"])):
        states = [raw["states"][str(index)] for index in source["states"]]
        ways = [_editor_transition(raw["transitions"][str(index)], raw["states"]) for index in source["transitions"]]
        layer = {key: source[key] for key in ("name", "blendType", "weight") if key in source}
        layers.append(_with_defaults({**layer, "states": states, "transitions": ways}))
    return layers, {parameter["name"]: parameter for parameter in raw["parameters"].values()}


def _key_order(table: Json) -> Any:
    """Order keys as JavaScript does: whole numbers ascending, then the others as they come."""
    place = {key: index for index, key in enumerate(table)}
    return lambda item: (0, int(item[0])) if item[0].isdigit() else (1, place[item[0]])


def _editor_transition(way: Json, states: Json) -> Json:
    way = dict(way)
    for end in ("from", "to"):
        if isinstance(way[end], int):
            way[end] = states[str(way[end])]["name"]
    conditions = way.get("conditions", {})
    ordered = [value for _, value in sorted(conditions.items(), key=_key_order(conditions))]
    way["conditions"] = [condition for condition in ordered if condition.get("parameterName")]
    return way


def _with_defaults(layer: Json) -> Json:
    return {"weight": 1.0, "blendType": "OVERWRITE", "mask": None, **layer}


def _bones(raw: list[Json]) -> list[Bone]:
    names = [bone["name"] for bone in raw]
    bones = []
    for bone in raw:
        parent = bone.get("parent")
        index = -1 if parent is None else parent if isinstance(parent, int) else names.index(parent)
        rest = {
            "t": [float(value) for value in bone.get("t") or (0, 0, 0)],
            "r": [float(value) for value in bone.get("r") or (0, 0, 0, 1)],
            "s": [float(value) for value in bone.get("s") or (1, 1, 1)],
        }
        bones.append(Bone(bone["name"], index, rest))
    return bones


def _clip(raw: Json, rounded: bool) -> Clip:
    return Clip(raw["name"], float(raw["duration"]), [_curve(curve, rounded) for curve in raw.get("curves", ())])


def _curve(raw: Json, rounded: bool) -> Curve:
    path = raw["path"] if isinstance(raw["path"], list) else raw["path"].split("/")
    kind = PROPERTIES[raw["property"] if isinstance(raw["property"], str) else raw["property"][0]]
    name = raw.get("interpolation", "LINEAR")
    interpolation = INTERPOLATIONS[name.upper() if isinstance(name, str) else name]
    cast = float32 if rounded else float
    times = [cast(value) for value in raw["times"]]
    values = [cast(value) for value in raw["values"]]
    width = WIDTHS[kind] * (3 if interpolation == "CUBIC" else 1)
    keys = [values[start : start + width] for start in range(0, len(values), width)]
    return Curve(tuple(path), kind, raw.get("component") or "graph", interpolation, times, keys)


def _assignments(raw: Any) -> list[Json]:
    if isinstance(raw, list):
        return raw
    entries = []
    for key, clip in raw.items():
        layer, _, path = key.rpartition(":")
        entries.append({"layer": layer or None, "path": path, "clip": clip})
    return entries
