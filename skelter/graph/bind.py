"""Bind the paths of a graph to the clips of a rig."""

from __future__ import annotations

from collections.abc import Container, Mapping

from skelter.core.errors import ArgumentError, GraphError, listed_names, near_names, unknown_name
from skelter.graph.graph import Layer, StateGraph
from skelter.rig.rig import Rig


def bind_clips(graph: StateGraph, rig: Rig, clips: Mapping[str, str | None]) -> dict[str, str | None]:
    """Return a clip, or None for an empty one, for each path of a graph; those that ``clips`` names come first.

    A path that is not named takes the clip of its own name, of that without its layer, or of the name after its last
    dot; for each, one that differs in upper and lower case only will do.

    Args:
        graph: A valid graph.
        rig: The rig.
        clips: Clip per path, as in `skelter.graph.compile.compile`.

    Raises:
        ArgumentError: ``clips`` names a path that the graph lacks, or a clip that the rig lacks.
        GraphError: Paths have no clip, or a clip does not fit its layer; all of them are listed.
    """
    paths = graph.clip_paths()
    given = _given_clips(graph, rig, clips)
    bound = {path: given[path] if path in given else _namesake(path, rig) for path in [*given, *paths]}
    missing = [path for path in paths if bound[path] is None and path not in given]
    problems = [f"{path}: there is no clip of this name{_near_clips(path, rig)}" for path in missing]
    problems += _misplaced(graph, rig, bound)
    if problems:
        lines = [f"{graph.name}: {len(problems)} of {len(paths)} paths cannot be played on {rig.name}:"]
        lines += [f"  {problem}" for problem in problems]
        if missing:
            lines.append(
                f"Name a clip for each, as in clips={{{missing[0]!r}: ...}}, or None for nothing; a scene does it in"
                f" [crowd.clips], a command with --clip {missing[0]}=CLIP."
                f" The clips are: {listed_names(rig.clip_names) or '(none)'}"
            )
        raise GraphError("\n".join(lines))
    return bound


def full_path(layer: Layer, path: str, paths: Container[str]) -> str:
    """Return the path of a layer's own path among those of its graph: with the layer's name if others have it, too."""
    return path if path in paths else f"{layer.name}:{path}"


def additive_remarks(graph: StateGraph, rig: Rig, bound: Mapping[str, str | None]) -> list[str]:
    """Return a remark for each clip in an ADDITIVE layer that holds poses: its difference from the rest pose is added.

    Args:
        graph: A valid graph.
        rig: The rig.
        bound: Clip per path, as `bind_clips` returns it.
    """
    layers = [layer for layer in graph.layers if layer.blend == "ADDITIVE"]
    own = [(layer, path) for layer in layers for state in layer.states for path in state.clip_paths()]
    clips = dict.fromkeys((layer.name, bound[full_path(layer, path, bound)]) for layer, path in own)
    return [
        f"layer {layer!r} is ADDITIVE, but clip {clip!r} is no additive clip: it is taken against the rest pose; "
        "bake it with Clip.additive = Additive('first_frame')"
        for layer, clip in clips
        if clip is not None and not rig.clips.additive[rig.clip_index(clip)]
    ]


def _given_clips(graph: StateGraph, rig: Rig, clips: Mapping[str, str | None]) -> dict[str, str | None]:
    """Return the clips that a user names, by paths as the graph spells them."""
    if not isinstance(clips, Mapping):
        raise ArgumentError(f"clips: expected a clip per path, such as {{'State': 'clip'}}, got {type(clips).__name__}")
    spelled = path_spellings(graph)
    given: dict[str, str | None] = {}
    for path, clip in clips.items():
        if path not in spelled:
            raise ArgumentError(f"clips: {unknown_name('path', path, graph.clip_paths())}")
        if spelled[path] in given:
            raise ArgumentError(f"clips[{path!r}]: the path is named twice, with its layer and without")
        if clip is not None and clip not in rig.clip_names:
            raise ArgumentError(f"clips[{path!r}]: {unknown_name('clip', clip, rig.clip_names)}")
        given[spelled[path]] = clip
    return given


def path_spellings(graph: StateGraph) -> dict[str, str]:
    """Return the paths of a graph by every spelling of them: the layer may be named where it need not be."""
    paths = dict.fromkeys(graph.clip_paths())
    own = [(layer, path) for layer in graph.layers for state in layer.states for path in state.clip_paths()]
    spelled = {f"{layer.name}:{path}": full_path(layer, path, paths) for layer, path in own}
    return spelled | {path: path for path in paths}


def _namesake(path: str, rig: Rig) -> str | None:
    own = path.rpartition(":")[2]
    for name in (path, own, own.rpartition(".")[2]):
        if name in rig.clip_names:
            return name
        near = [clip for clip in rig.clip_names if clip.lower() == name.lower()]
        if len(near) == 1:
            return near[0]
    return None


def _near_clips(path: str, rig: Rig) -> str:
    """Return a hint at clips that are called like a path without its layer, or like its last part."""
    own = path.rpartition(":")[2]
    return near_names(own, rig.clip_names) or near_names(own.rpartition(".")[2], rig.clip_names)


def _misplaced(graph: StateGraph, rig: Rig, bound: Mapping[str, str | None]) -> list[str]:
    """Return a problem for each additive clip in a layer that overwrites: it holds differences, no pose."""
    problems = []
    for layer in graph.layers:
        for path in (path for state in layer.states for path in state.clip_paths()):
            full = full_path(layer, path, bound)
            clip = bound[full]
            if clip is not None and layer.blend != "ADDITIVE" and rig.clips.additive[rig.clip_index(clip)]:
                problems.append(f"{full}: clip {clip!r} is additive; give layer {layer.name!r} the blend type ADDITIVE")
    return problems
