"""Checks of what tests give a scenario: a name that is not there must not make an assertion that always passes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from skelter.core.checks import NUMBER_MAX, single_number
from skelter.core.errors import ArgumentError, unknown_name
from skelter.graph.controller import Controller

SPAN_MAX = 86400.0
"""Longest time that a scenario goes on in one call [s]."""


def time_span(value: Any, name: str) -> float:
    """Return a time to go on [s]; raise ArgumentError if it is negative, too long or no number."""
    return single_number(value, name, low=0.0, high=SPAN_MAX, unit=" s")


def any_number(value: Any, name: str) -> float:
    """Return a number to compare with; raise ArgumentError if it is none or not finite."""
    return single_number(value, name, low=-NUMBER_MAX, high=NUMBER_MAX)


def largest_difference(value: Any) -> float:
    """Return a tolerance; raise ArgumentError if it is negative or no number."""
    return single_number(value, "tolerance", low=0.0, high=NUMBER_MAX)


def whole_number(value: Any, name: str) -> int:
    """Return a count; raise ArgumentError if it is negative or no whole number."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
        raise ArgumentError(f"{name}: expected a whole number from 0, got {value!r}")
    return int(value)


def state_name(controller: Controller, layer: str | int, name: Any) -> str:
    """Return the name of a state; raise ArgumentError with near names if the layer has none."""
    controller.state_index(controller.layer_index(layer), str(name))
    return str(name)


def event_name(controller: Controller, name: Any) -> str:
    """Return the name of an event; raise ArgumentError with near names if no clip of the rig has one."""
    known = dict.fromkeys(controller.rig.clips.event_names)
    if str(name) not in known:
        raise ArgumentError(unknown_name("event", name, known))
    return str(name)


def clip_weights(controller: Controller, expected: Any) -> dict[str, float]:
    """Return a weight per clip.

    Args:
        controller: What the names must be clips of; an empty name stands for no clip.
        expected: The weights.

    Raises:
        ArgumentError: It is no mapping, a name is no clip, or a weight is no number.
    """
    if not isinstance(expected, Mapping):
        raise ArgumentError(f"expected: give a weight per clip, such as {{'walk': 1.0}}, got {expected!r}")
    for name in expected:
        if name and name not in controller.rig.clip_names:
            raise ArgumentError(f"expected: {_no_clip(controller, str(name))}")
    return {name: any_number(weight, f"weight of {name!r}") for name, weight in expected.items()}


def _no_clip(controller: Controller, name: str) -> str:
    """Return the text for a name that is no clip; it may be that of a state or leaf that plays one."""
    for path, clip in controller.clips.items():
        if name in (path, path.rpartition(":")[2], path.rpartition(":")[2].rpartition(".")[2]):
            plays = f"plays the clip {clip!r}" if clip else "plays no clip, for which an empty name stands"
            return f"weights are those of clips, not of states and leaves; {path!r} {plays}"
    return unknown_name("clip", name, controller.rig.clip_names)
