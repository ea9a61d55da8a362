"""Layers into a pose by PlayCanvas's rules: entries mixed one after the other, layers that remember their last pose."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from skelter.assets.character import Character
from skelter.core.affine import normalized
from skelter.engines.reference.blend import (
    LayerContributions,
    Part,
    blend_morphs,
    blend_node,
    copied,
    evaluated,
    parts_of,
    posed,
    properties,
)
from skelter.engines.reference.pose import ReferencePose, pose

JOINT_PATHS = ("translation", "rotation", "scale")


class OrderedBlend:
    """Poses of one character, as `skelter.pose.ordered.blend_in_order` defines them; it remembers what layers showed.

    In each layer and for each property of a node the first entry that keys it counts in full, and the following ones
    are mixed in by their weights, ``v = lerp(v, v_i, w_i)`` (nlerp for rotations). What no entry keys keeps its last
    value, and what was never keyed does not belong to the layer.
    """

    def __init__(self, character: Character) -> None:
        self._character = character
        self._rest = properties(pose(character, None))
        self._memory: list[Part] = []

    def blend(self, layers: Sequence[LayerContributions]) -> ReferencePose:
        """Pose the character by what its layers play now.

        Args:
            layers: The layers, the lowest first; always as many.

        Raises:
            ArgumentError: There is no such clip.
        """
        if not self._memory:
            self._memory = [Part(1.0, copied(self._rest), frozenset()) for _ in layers]
        result = copied(self._rest)
        for number, layer in enumerate(layers):
            shown = self._remember(number, layer)
            strength = min(max(layer.weight, 0.0), 1.0)
            mask = np.ones(len(self._character.nodes)) if layer.mask is None else layer.mask
            for node in range(len(self._character.nodes)):
                blend_node(result, [shown], node, strength * float(mask[node]), layer.additive)
            parts = parts_of(self._character, layer, self._rest)
            blend_morphs(self._character, result, parts, strength, layer.additive)
        return posed(self._character, result)

    def _remember(self, number: int, layer: LayerContributions) -> Part:
        """Mix the entries of a layer into what it showed last, and return that."""
        memory = self._memory[number]
        keyed: set[tuple[int, str]] = set()
        for name, time, weight in layer.entries:
            if name is None:
                continue
            index = self._character.clip_names.index(self._character.clip(name).name)
            part = evaluated(self._character, layer, self._rest, index, time, min(weight, 1.0))
            for node, path in part.keyed:
                if path in JOINT_PATHS:
                    _mix(memory, part, node, path, (node, path) in keyed)
            keyed |= part.keyed
        self._memory[number] = Part(1.0, memory.values, memory.keyed | keyed)
        return self._memory[number]


def _mix(memory: Part, part: Part, node: int, path: str, seen: bool) -> None:
    """Write a property, or move it by the weight of the part if an entry before has keyed it."""
    values, value = _column(memory, path), _column(part, path)[node]
    if not seen:
        values[node] = value
        return
    if path == "rotation" and value @ values[node] < 0.0:
        value = -value
    mixed = (1.0 - part.weight) * values[node] + part.weight * value
    values[node] = normalized(mixed) if path == "rotation" else mixed


def _column(part: Part, path: str) -> np.ndarray:
    """Return the values of a property, ``[node, n]``."""
    translation, rotation, scale, _ = part.values
    return {"translation": translation, "rotation": rotation, "scale": scale}[path]
