"""The command ``skelter lint``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from skelter.cli.result import show
from skelter.cli.scene_moment import is_scene
from skelter.cli.source import JsonOption, open_character
from skelter.cli.step import step
from skelter.core.errors import ArgumentError

if TYPE_CHECKING:
    from skelter.graph.controller import Controller
    from skelter.graph.graph import StateGraph
    from skelter.graph.lint.finding import Finding
    from skelter.graph.problems import Problem


def lint(
    file: Annotated[
        str,
        typer.Argument(
            metavar="GRAPH",
            help="A graph file (.json), the word locomotion for the built-in graph, or a scene file (.toml).",
        ),
    ],
    character: Annotated[
        str | None, typer.Option(metavar="FILE", help="Look at the lengths of its clips, too, bound by their names.")
    ] = None,
    clip: Annotated[
        list[str] | None,
        typer.Option(metavar="PATH=CLIP", help="With --character: clip of a path, or PATH= for none; may be repeated."),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Findings count as mistakes: exit with code 2.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Check a state graph, or those of a scene: what keeps it from running, and what its author hardly meant."""
    problems: Sequence[Problem] = ()
    if is_scene(file):
        if character is not None or clip:
            raise ArgumentError("--character and --clip: not with a scene, which names its characters and clips itself")
        findings = _scene_findings(file)
    elif clip and character is None:
        raise ArgumentError("--clip: it names clips of a character; name that, too, with --character FILE")
    else:
        problems, found = _graph_findings(file, character, clip or ())
        findings = {file: found}
    result = {"problems": [asdict(problem) for problem in problems], "findings": _as_dicts(findings, is_scene(file))}
    show(result, "\n".join(_text(name, problems, found) for name, found in findings.items()), as_json)
    if problems or (strict and any(findings.values())):
        raise typer.Exit(2)


def _scene_findings(file: str) -> dict[str, Sequence[Finding]]:
    """Return what looks wrong in the graph of each crowd of a scene, by name."""
    from skelter.graph.lint import lint as find
    from skelter.scene.load import load_scene
    from skelter.scene.play import ScenePlayer

    scene = load_scene(file)
    with step(f"compiling {file}"):
        controllers = {name: crowd.controller for name, crowd in ScenePlayer(scene, record=False).crowds.items()}
    return {name: find(entry.graph, durations=_durations(entry)) for name, entry in controllers.items()}


def _graph_findings(
    name: str, character: str | None, clips: Sequence[str]
) -> tuple[Sequence[Problem], Sequence[Finding]]:
    """Return what keeps a graph from running, or else what looks wrong in it."""
    from skelter.graph.lint import lint as find

    graph, problems = _checked(name)
    if problems:
        return problems, ()
    if character is None:
        return (), find(graph)
    controller = _compiled(graph, character, _bindings(name, clips))
    for remark in controller.remarks:
        typer.echo(f"warning: {remark}", err=True)
    return (), find(graph, durations=_durations(controller))


def _checked(name: str) -> tuple[StateGraph, Sequence[Problem]]:
    """Return the graph that GRAPH stands for and what keeps it from running."""
    from skelter.graph.check import reading_problems
    from skelter.graph.files.decode import as_path, decode, read_file
    from skelter.graph.files.parse import parse_graph
    from skelter.scene.locomotion import LOCOMOTION, locomotion

    if name == LOCOMOTION:
        return locomotion(), ()
    reading = parse_graph(decode(read_file(as_path(name)), name), name)
    return reading.graph, reading_problems(reading)


def _bindings(graph: str, clips: Sequence[str]) -> dict[str, str | None]:
    from skelter.scene.locomotion import LOCOMOTION, LOCOMOTION_CLIPS

    bindings = dict(LOCOMOTION_CLIPS) if graph == LOCOMOTION else {}
    for text in clips:
        path, sign, clip = text.partition("=")
        if not sign:
            raise ArgumentError(f"--clip {text}: expected PATH=CLIP, such as Move.Walk=walk")
        bindings[path] = clip or None
    return bindings


def _compiled(graph: StateGraph, character: str, clips: Mapping[str, str | None]) -> Controller:
    from skelter.baking.bake import bake
    from skelter.graph.compile import compile as compile_graph

    source = open_character(character)
    with step(f"baking {source.name}") as report:
        rig = bake(source, progress=report)
    return compile_graph(graph, rig, clips)


def _durations(controller: Controller) -> dict[str, float]:
    """Return the length of the clip of each path [s]."""
    clips = controller.rig.clips
    index = controller.rig.clip_index
    return {path: float(clips.duration[index(clip)]) for path, clip in controller.clips.items() if clip is not None}


def _as_dicts(findings: Mapping[str, Sequence[Finding]], by_crowd: bool) -> list[dict[str, str]]:
    """Return findings for programs; those of a scene say to which crowd they belong."""
    return [
        ({"crowd": name} if by_crowd else {}) | asdict(finding) for name, found in findings.items() for finding in found
    ]


def _text(name: str, problems: Sequence[Problem], findings: Sequence[Finding]) -> str:
    entries, kind = (problems, "problem") if problems else (findings, "finding")
    count = f"{len(entries) or 'no'} {kind}{'' if len(entries) == 1 else 's'}"
    return "\n".join([f"{name}: {count}", *map(str, entries)])
