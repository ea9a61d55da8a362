"""Masks: rules that give joints a weight."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skelter.core.errors import near_names
from skelter.graph.graph import Layer
from skelter.graph.problems import Problem, found, item_of, key_of, quoted

RULE_KEYS = ("value", "children")


def mask_problems(layer: Layer) -> Iterator[Problem]:
    """Yield the rules of a layer's mask that are no rules."""
    for name, rule in (layer.mask or {}).items():
        path = item_of(key_of(layer.place, "mask"), name)
        if isinstance(rule, dict):
            yield from _weight_problems(rule.get("value", True), key_of(path, "value"), "true, false or a weight")
            for key in rule:
                if key not in RULE_KEYS:
                    message = f"a rule has the keys value and children, not {quoted(str(key))}"
                    yield Problem(key_of(path, str(key)), message + near_names(str(key), RULE_KEYS))
            if not isinstance(rule.get("children", False), bool):
                yield Problem(key_of(path, "children"), f"expected true or false, got {found(rule['children'])}")
        else:
            yield from _weight_problems(rule, path, 'true, false, a weight or an object such as {"children": true}')


def _weight_problems(value: Any, path: str, wanted: str) -> Iterator[Problem]:
    if not isinstance(value, bool | int | float):
        yield Problem(path, f"expected {wanted}, got {found(value)}")
    elif not 0 <= value <= 1:
        yield Problem(path, f"{value:g} is outside [0, 1]; give a weight in it")
