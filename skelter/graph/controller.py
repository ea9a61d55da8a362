"""Controller: a state graph compiled for a rig."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from skelter.core.errors import ArgumentError, unknown_name
from skelter.graph.graph import StateGraph
from skelter.graph.tables import MACHINE, PARAMETER_TYPES, SLOT, SLOT_COUNT, GraphTables, MachineState
from skelter.rig.rig import Rig

Rules = Literal["skelter", "playcanvas"]


@dataclass(frozen=True, slots=True, eq=False, repr=False, weakref_slot=True)
class Controller:
    """A graph bound to the clips of a rig: flat tables of fixed sizes, shared by all characters that it drives.

    Attributes:
        graph: The graph that it was made of; a copy, so that later edits of the original change nothing.
        rig: The rig whose clips it plays.
        clips: Clip per path, None for an empty one.
        layer_names: Names of the layers.
        state_names: Names of all states, layer by layer, each layer begins with START.
        parameter_names: Names of the parameters.
        parameter_type: int32 ``[parameter]``: index into `PARAMETER_TYPES`.
        parameter_value: float64 ``[parameter]``: values at the start.
        tables: What the kernels read.
        additive: uint8 ``[layer]``: 1 for ADDITIVE.
        mask: float32 ``[layer, block, 16]``: weight per joint.
        group_count: Most groups that a state has.
        leaf_count: Most leaves that a state has.
        tree_count: Most trees that a state has.
        child_count: Most children, over all trees of a state.
        held_count: Children whose last weights are kept: 0 if no tree falls back to them.
        entry_count: Length of a row of the playback list.
        rules: Whose rules hold where the two differ: ``skelter`` or ``playcanvas``.
        remarks: What a person should know, such as mask rules that match no joint, or poses in an ADDITIVE layer.
    """

    graph: StateGraph
    rig: Rig
    clips: Mapping[str, str | None]
    layer_names: tuple[str, ...]
    state_names: tuple[str, ...]
    parameter_names: tuple[str, ...]
    parameter_type: np.ndarray
    parameter_value: np.ndarray
    tables: GraphTables
    additive: np.ndarray
    mask: np.ndarray
    group_count: int
    leaf_count: int
    tree_count: int
    child_count: int
    held_count: int
    entry_count: int
    rules: Rules
    remarks: tuple[str, ...]

    def __repr__(self) -> str:
        return (
            f"<Controller of {self.graph.name!r} for {self.rig.name!r}: {self.layer_count} layers, "
            f"{len(self.state_names) - self.layer_count} states, {len(self.parameter_names)} parameters>"
        )

    @property
    def layer_count(self) -> int:
        """Number of layers."""
        return len(self.layer_names)

    def layer_index(self, name: str | int) -> int:
        """Return the index of a layer, given by name or index; raise ArgumentError if there is none."""
        return _index("layer", name, self.layer_names)

    def parameter_index(self, name: str) -> int:
        """Return the index of a parameter; raise ArgumentError with near names if there is none."""
        return _index("parameter", name, self.parameter_names)

    def state_index(self, layer: int, name: str) -> int:
        """Return the index of a state among all states; raise ArgumentError with near names if there is none."""
        start, stop = int(self.tables.layers["state_start"][layer]), int(self.tables.layers["state_stop"][layer])
        return start + _index("state", name, self.state_names[start:stop])

    def parameter_kind(self, index: int) -> str:
        """Return the type of a parameter: ``FLOAT``, ``INTEGER``, ``BOOLEAN`` or ``TRIGGER``."""
        return PARAMETER_TYPES[int(self.parameter_type[index])]

    def new_state(self, count: int) -> MachineState:
        """Return the state of ``count`` characters at the start: START active, parameters at their first values."""
        layers = self.tables.layers
        machines = np.zeros((count, self.layer_count), MACHINE)
        machines["active"] = layers["state_start"]
        machines["previous"] = -1
        machines["weight"] = layers["weight"]
        machines["weight_time"] = -1.0
        machines["playing"] = 1
        slots = np.zeros((count, self.layer_count, SLOT_COUNT), SLOT)
        slots["state"] = layers["state_start"][:, None]
        shape = (count, self.layer_count, SLOT_COUNT)
        return MachineState(
            values=np.tile(self.parameter_value, (count, 1)),
            single=np.zeros((count, len(self.parameter_names)), np.uint8),
            speed=np.ones(count),
            machines=machines,
            slots=slots,
            positions=np.zeros((*shape, self.group_count)),
            held=np.full((*shape, self.held_count), -1.0),
        )


def _index(kind: str, name: str | int, names: tuple[str, ...]) -> int:
    if isinstance(name, int | np.integer) and not isinstance(name, bool) and 0 <= name < len(names):
        return int(name)
    if isinstance(name, str) and name in names:
        return names.index(name)
    raise ArgumentError(unknown_name(kind, name, names))
