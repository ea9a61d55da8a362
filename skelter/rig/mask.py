"""Masks: a weight per joint, written as rules for paths, names and globs.

    mask, unknown = joint_mask(rig, {"Hips/Spine": {"children": True}, "*Hand*": 0.5})

The words are PlayCanvas's; weights between 0 and 1, numbers that take joints out, names and globs are skelter's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from skelter.core.arrays import LANE_COUNT, block_count
from skelter.core.errors import ArgumentError
from skelter.rig.rig import Rig, check_is_rig

GLOB_CHARACTERS = "*?"


@dataclass(frozen=True, slots=True)
class _Rule:
    """A weight for a joint, and whether the joints below have it too."""

    weight: float
    children: bool


def joint_mask(rig: Rig, rules: Mapping[str, Any]) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return the weight of each joint by rules.

    A joint has the weight of the nearest rule on its way to the root: one for the joint itself, or one with children
    for an ancestor; without any it has weight 0. Of rules for the same joint the last one counts.

    A key is a joint's name, or its path (``Root/Hips/Spine``; the first element may be any name of what the root hangs
    under), or a glob over names or, with a slash, paths: ``*`` and ``?`` stop at slashes, ``**`` does not. A value is
    True (1), a weight in [0, 1], or ``{"value": True or weight, "children": bool}``; ``children`` is False by default.
    As in PlayCanvas, False is no rule at all, and 1 if it comes with children; the number 0 takes joints out.

    Args:
        rig: A baked character.
        rules: The rules; none give 0 everywhere.

    Returns:
        Weights, float32 ``[joint]``, and the keys that match no joint.

    Raises:
        ArgumentError: A value is none of these; the message names its key.
    """
    check_is_rig(rig)
    return joint_weights(rules, rig.joint_names, rig.parent.tolist())


def joint_weights(
    rules: Mapping[str, Any], names: Sequence[str], parent: Sequence[int]
) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return the weight of each joint by rules, as `joint_mask` does, for any hierarchy.

    Args:
        rules: The rules.
        names: Name of each joint.
        parent: Index of the parent of each, -1 for a root; parents come first.
    """
    paths = _joint_paths(names, parent)
    of_joint: dict[int, _Rule] = {}
    unknown = []
    for key, value in rules.items():
        rule = _rule(key, value)
        joints = _matches(key, names, paths)
        if not joints:
            unknown.append(key)
        if rule is not None:
            of_joint.update(dict.fromkeys(joints, rule))
    return _spread(of_joint, parent), tuple(unknown)


def pack_mask(weights: np.ndarray) -> np.ndarray:
    """Return weights per joint in lanes, float32 ``[block, 16]``; spare lanes hold 0.

    Args:
        weights: ``[joint]``.
    """
    lanes = np.zeros(block_count(len(weights)) * LANE_COUNT, np.float32)
    lanes[: len(weights)] = weights
    return lanes.reshape(-1, LANE_COUNT)


def _joint_paths(names: Sequence[str], parent: Sequence[int]) -> list[str]:
    """Return the names from the root to each joint, joined with slashes."""
    paths: list[str] = []
    for name, above in zip(names, parent, strict=True):
        paths.append(f"{paths[above]}/{name}" if above >= 0 else name)
    return paths


def _rule(key: str, value: object) -> _Rule | None:
    """Return what a value means, or None for False, which is as if the key were not there."""
    fields: Mapping[str, Any] = value if isinstance(value, Mapping) else {"value": value}
    weight, children = fields.get("value", True), fields.get("children", False)
    if set(fields) - {"value", "children"} or not isinstance(children, bool):
        raise ArgumentError(f"mask: {key!r}: expected keys 'value' and 'children' (true or false), got {value!r}")
    if isinstance(weight, bool):
        return _Rule(1.0, children) if weight or children else None
    if not isinstance(weight, int | float) or not 0.0 <= weight <= 1.0:
        raise ArgumentError(f"mask: {key!r}: expected true, false or a weight from 0 to 1, got {weight!r}")
    return _Rule(float(weight), children)


def _matches(key: str, names: Sequence[str], paths: list[str]) -> list[int]:
    """Return the joints that a key means: a name, else a path, else a path below any first element, else a glob."""
    below = key.partition("/")[2]
    for have, want in ((names, key), (paths, key), (paths, below)):
        if want in have:
            return [list(have).index(want)]
    if not any(character in key for character in GLOB_CHARACTERS):
        return []
    joints = _glob(key, paths if "/" in key else names)
    return joints or (_glob(below, paths) if below else [])


def _glob(pattern: str, texts: Sequence[str]) -> list[int]:
    parts = re.split(r"(\*\*|\*|\?)", pattern)
    meaning = {"**": ".*", "*": "[^/]*", "?": "[^/]"}
    expression = re.compile("".join(meaning.get(part, re.escape(part)) for part in parts), re.DOTALL)
    return [joint for joint, text in enumerate(texts) if expression.fullmatch(text)]


def _spread(of_joint: Mapping[int, _Rule], parent: Sequence[int]) -> np.ndarray:
    """Return the weight of each joint, parents first: its own rule, or what its parent hands down."""
    weights = np.zeros(len(parent), np.float32)
    handed_down = np.zeros(len(parent), np.float32)
    for joint, above in enumerate(parent):
        inherited = handed_down[above] if above >= 0 else np.float32(0.0)
        rule = of_joint.get(joint)
        weights[joint] = inherited if rule is None else rule.weight
        handed_down[joint] = rule.weight if rule is not None and rule.children else inherited
    return weights
