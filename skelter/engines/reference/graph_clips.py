"""GraphClip: what a state machine must know of a clip; and which clip each path of a graph plays."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from skelter.core.errors import ArgumentError, GraphError
from skelter.graph.graph import Layer, StateGraph


@dataclass(frozen=True, slots=True)
class GraphClip:
    """A clip without its keys.

    Attributes:
        name: Name of the clip.
        duration: Length [s].
        events: Time in the clip [s], name and payload of each event.
    """

    name: str
    duration: float
    events: tuple[tuple[float, str, object], ...] = ()

    def __post_init__(self) -> None:
        if not (math.isfinite(self.duration) and self.duration >= 0.0):
            raise ArgumentError(f"clip {self.name!r}: duration is {self.duration}; it must be finite and not negative")


Bound = dict[tuple[str, str], GraphClip | None]
"""The clip of each (layer, path); None plays nothing."""


def bound_clips(graph: StateGraph, clips: Mapping[str, GraphClip | None]) -> Bound:
    """Return the clip of every path of a graph.

    Args:
        graph: The graph.
        clips: A clip or None per path; the layer may be named where it need not be: ``Layer:State``.

    Raises:
        GraphError: Paths have no clip, or clips are given for paths that the graph lacks; all are listed.
    """
    spelled = set(graph.clip_paths())
    bound: Bound = {}
    used: set[str] = set()
    missing: list[str] = []
    for layer, path in _paths(graph):
        full = f"{layer.name}:{path}"
        given = full if full in clips or path not in spelled else path
        if given in clips:
            bound[layer.name, path] = clips[given]
            used.add(given)
        else:
            missing.append(given)
    problems = [f"{path}: no clip is given" for path in missing]
    problems += [f"{path}: the graph has no such path" for path in clips if path not in used]
    if problems:
        raise GraphError(f"{graph.name}: clips do not fit:\n" + "\n".join(f"  {problem}" for problem in problems))
    return bound


def binding_order(layer: Layer, clips: Mapping[str, GraphClip | None]) -> list[str]:
    """Return the paths of a layer in the order in which they are bound.

    Args:
        layer: The layer.
        clips: A clip or None per path, as in `bound_clips`.
    """
    places = {name: place for place, name in enumerate(clips)}
    paths = [path for state in layer.states for path in state.clip_paths()]
    return sorted(paths, key=lambda path: places.get(f"{layer.name}:{path}", places.get(path, len(places))))


def _paths(graph: StateGraph) -> list[tuple[Layer, str]]:
    return [(layer, path) for layer in graph.layers for state in layer.states for path in state.clip_paths()]
