"""Bind the paths of a graph to the clips of a rig."""

from __future__ import annotations

from collections.abc import Mapping

from skelter.core.errors import ArgumentError, GraphError, unknown_name
from skelter.graph.graph import StateGraph
from skelter.rig.rig import Rig


def bind_clips(graph: StateGraph, rig: Rig, clips: Mapping[str, str | None]) -> dict[str, str | None]:
    """Return a clip, or None for an empty one, for each path of a graph; those that ``clips`` names come first.

    A path that is not named takes the clip of its own name, of the name after its last dot, or one that differs in
    upper and lower case only.

    Raises:
        ArgumentError: ``clips`` names a path that the graph lacks, or a clip that the rig lacks.
        GraphError: Paths have no clip, or a clip does not fit its layer; all of them are listed.
    """
    paths = graph.clip_paths()
    given = {_full_path(path, paths): clip for path, clip in clips.items()}
    for path, clip in given.items():
        if clip is not None and clip not in rig.clip_names:
            raise ArgumentError(f"clips[{path!r}]: {unknown_name('clip', clip, rig.clip_names)}")
    bound = {path: given[path] if path in given else _namesake(path, rig) for path in [*given, *paths]}
    missing = [path for path in paths if bound[path] is None and path not in given]
    problems = [f"{path}: there is no clip of this name" for path in missing]
    problems += _misplaced(graph, rig, bound)
    if problems:
        lines = "\n".join(f"  {problem}" for problem in problems)
        raise GraphError(
            f"{graph.name}: {len(problems)} of {len(paths)} paths cannot be played on {rig.name}:\n{lines}\n"
            f"Name a clip for each, as in clips={{{problems[0].split(':')[0]!r}: ...}}, or None for nothing."
            f" The clips are: {', '.join(rig.clip_names) or '(none)'}"
        )
    return bound


def _full_path(path: str, paths: tuple[str, ...]) -> str:
    """Return a path as the graph spells it: the layer may be named where it need not be."""
    if path in paths:
        return path
    short = path.partition(":")[2]
    if short in paths:
        return short
    raise ArgumentError(f"clips: {unknown_name('path', path, paths)}")


def _namesake(path: str, rig: Rig) -> str | None:
    own = path.rpartition(":")[2]
    for name in (own, own.rpartition(".")[2]):
        if name in rig.clip_names:
            return name
        near = [clip for clip in rig.clip_names if clip.lower() == name.lower()]
        if len(near) == 1:
            return near[0]
    return None


def _misplaced(graph: StateGraph, rig: Rig, bound: Mapping[str, str | None]) -> list[str]:
    """Return a problem for each additive clip in a layer that overwrites: it holds differences, no pose."""
    problems = []
    for layer in graph.layers:
        for path in (path for state in layer.states for path in state.clip_paths()):
            full = path if path in bound else f"{layer.name}:{path}"
            clip = bound[full]
            if clip is not None and layer.blend != "ADDITIVE" and rig.clips.additive[rig.clip_index(clip)]:
                problems.append(f"{full}: clip {clip!r} is additive; give layer {layer.name!r} the blend type ADDITIVE")
    return problems
