"""The columns that animation adds to a world: what a character is made of besides a transform."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from skelter.ecs.world import World
from skelter.graph.advance import output_rows
from skelter.graph.controller import Controller
from skelter.graph.tables import MACHINE, SLOT, SLOT_COUNT, VERDICT
from skelter.pose.ordered import new_memory
from skelter.rig.rig import Rig

ROOT_MOTION = np.dtype([("translation", np.float64, 3), ("rotation", np.float64, 4)])
"""How a character moves in a step, in its own space: by how much [m], and how it turns, a unit quaternion xyzw."""
STILL = np.array(([0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]), ROOT_MOTION)


class ColumnKind(NamedTuple):
    """A kind of column.

    Attributes:
        dtype: Dtype of an element.
        shape: Shape of a row; None is for the controller to say.
        stage: Stage of the frame that writes it.
        axes: What the axes of a row are.
    """

    dtype: Any
    shape: tuple[int | None, ...]
    stage: str
    axes: tuple[str, ...] = ()


STATE_COLUMNS = {
    "parameters": ColumnKind(np.float64, (None,), "inputs", ("parameter",)),
    "trigger_marks": ColumnKind(np.uint8, (None,), "inputs", ("parameter",)),
    "speed": ColumnKind(np.float64, (), "inputs"),
    "layer_state": ColumnKind(MACHINE, (None,), "graph", ("layer",)),
    "state_times": ColumnKind(SLOT, (None, SLOT_COUNT), "graph", ("layer", "slot")),
    "phases": ColumnKind(np.float64, (None, SLOT_COUNT, None), "graph", ("layer", "slot", "group")),
    "held_weights": ColumnKind(np.float64, (None, SLOT_COUNT, None), "graph", ("layer", "slot", "child")),
}
"""Columns of a `skelter.graph.tables.MachineState`, in its order."""

OUTPUT_COLUMNS = {
    "layer_start": ColumnKind(np.int32, (None,), "playback"),
    "clip": ColumnKind(np.int32, (None,), "playback", ("entry",)),
    "time": ColumnKind(np.float64, (None,), "playback", ("entry",)),
    "weight": ColumnKind(np.float64, (None,), "playback", ("entry",)),
    "layer_weight": ColumnKind(np.float64, (None,), "playback", ("layer",)),
    "verdict": ColumnKind(VERDICT, (None,), "graph", ("transition",)),
}
"""Columns of a `skelter.graph.advance.StepOutput`, which are called ``playback.`` and this."""

MEMORY_COLUMNS = {
    "pose": ColumnKind(np.float32, (None, None), "pose", ("layer",)),
    "bound": ColumnKind(np.uint32, (None, None, 3), "pose", ("layer", "block")),
}
"""Columns of a `skelter.pose.ordered.LayerMemory`, which are called ``memory.`` and this."""

CHARACTER_COLUMNS = {
    "root_motion": ColumnKind(ROOT_MOTION, (), "transform"),
    "interval": ColumnKind(np.int32, (), "inputs"),
    "turn": ColumnKind(np.int32, (), "inputs"),
    "pending": ColumnKind(np.float64, (), "graph"),
}
"""Columns of every character: motion of the step; it advances in one of so many steps, in which one, and the time [s]
that it has not advanced by yet."""


def character_rows(rig: Rig) -> dict[str, Any]:
    """Return what a new character has in the columns that do not depend on its graph."""
    rows: dict[str, Any] = dict.fromkeys(("transform", "parent", "world_matrix", "visible"), ...)
    boxes = np.concatenate([rig.bounds[None], rig.clips.bounds])
    rows["bounds"] = np.stack([boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)])
    return rows | {
        "root_motion": STILL,
        "interval": np.int32(1),
        "turn": np.int32(0),
        "pending": np.float64(0.0),
    }


def graph_rows(controller: Controller, record: bool, prefix: str = "") -> dict[str, np.ndarray]:
    """Return what a new character has in the columns of a graph, their names with a prefix."""
    rows = dict(zip(STATE_COLUMNS, (array[0] for array in controller.new_state(1)), strict=True))
    rows |= {f"playback.{name}": row for name, row in output_rows(controller, record).items()}
    if controller.rules == "playcanvas":
        memory = new_memory(controller.rig, 1, controller.layer_count)
        rows |= {"memory.pose": memory.pose[0], "memory.bound": memory.bound[0]}
    return {prefix + name: np.asarray(row) for name, row in rows.items()}


def declare_columns(world: World, prefix: str = "") -> None:
    """Declare the columns of animation in a world, those of a graph with a prefix."""
    for name, kind in CHARACTER_COLUMNS.items():
        world.declare(name, kind.dtype, kind.shape, default=_default(name), stage=kind.stage, axes=kind.axes)
    groups: Mapping[str, dict[str, ColumnKind]] = {
        "": STATE_COLUMNS,
        "playback.": OUTPUT_COLUMNS,
        "memory.": MEMORY_COLUMNS,
    }
    for group, kinds in groups.items():
        for name, kind in kinds.items():
            default = 1.0 if name == "speed" else 0
            world.declare(
                prefix + group + name, kind.dtype, kind.shape, default=default, stage=kind.stage, axes=kind.axes
            )


def _default(name: str) -> Any:
    return STILL if name == "root_motion" else 1 if name == "interval" else 0
