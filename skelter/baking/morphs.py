"""Morph targets of all mesh instances as one sparse table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skelter.assets.character import Character, MeshInstance, Primitive
from skelter.core.errors import BakeError

MORPH_BYTES_MAX = 1 << 29
"""Most bytes of the deltas of a rig."""


@dataclass(frozen=True, slots=True)
class MorphTable:
    """Sparse morph targets; see `skelter.rig.rig.RigMesh` for the arrays.

    Attributes:
        names: One per morph weight.
        rest: float32 ``[morph]``.
        start, vert, position, normal: Deltas, grouped by morph.
        first: Index of the first morph weight of each node that has any.
    """

    names: tuple[str, ...]
    rest: np.ndarray
    start: np.ndarray
    vert: np.ndarray
    position: np.ndarray
    normal: np.ndarray
    first: dict[int, int]


def pack_morphs(
    character: Character, pairs: list[tuple[MeshInstance, int, Primitive]], starts: np.ndarray
) -> MorphTable:
    """Collect the deltas that are not zero.

    Args:
        character: The character.
        pairs: ``(instance, primitive index, primitive)`` in the order of the vertices.
        starts: First vertex of each pair.

    Raises:
        BakeError: The deltas of all instances take more than `MORPH_BYTES_MAX`.
    """
    names: list[str] = []
    rest: list[float] = []
    first: dict[int, int] = {}
    for instance in character.instances:
        mesh = character.meshes[instance.mesh]
        if len(instance.weights):
            first[instance.node] = len(names)
            names.extend(f"{mesh.name or character.nodes.names[instance.node]}.{name}" for name in mesh.target_names)
            rest.extend(instance.weights.tolist())
    parts: list[list[tuple[np.ndarray, np.ndarray, np.ndarray]]] = [[] for _ in names]
    size = 0
    for (instance, _, primitive), vert_start in zip(pairs, starts.tolist(), strict=False):
        for target in range(len(primitive.morph_positions)):
            deltas = _deltas(primitive, target, vert_start)
            parts[first[instance.node] + target].append(deltas)
            size += sum(array.nbytes for array in deltas)
            if size > MORPH_BYTES_MAX:
                raise BakeError(
                    f"{character.name}: the morph targets of all mesh instances are too many: they take more than"
                    f" {MORPH_BYTES_MAX >> 20} MB"
                )
    flat = [part for morph in parts for part in morph]
    sizes = [sum(len(vert) for vert, _, _ in morph) for morph in parts]
    return MorphTable(
        names=tuple(names),
        rest=np.array(rest, np.float32),
        start=np.cumsum([0, *sizes]).astype(np.int32),
        vert=np.concatenate([np.zeros(0, np.int32), *(vert for vert, _, _ in flat)]),
        position=np.concatenate([np.zeros((0, 3), np.float32), *(position for _, position, _ in flat)]),
        normal=np.concatenate([np.zeros((0, 3), np.float32), *(normal for _, _, normal in flat)]),
        first=first,
    )


def _deltas(primitive: Primitive, target: int, vert_start: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    position = primitive.morph_positions[target]
    normal = np.zeros_like(position) if primitive.morph_normals is None else primitive.morph_normals[target]
    moved = np.flatnonzero((position != 0).any(axis=1) | (normal != 0).any(axis=1))
    return (moved + vert_start).astype(np.int32), position[moved], normal[moved]
