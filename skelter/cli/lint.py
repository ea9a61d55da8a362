"""The command ``skelter lint``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from skelter.cli.result import show
from skelter.cli.source import JsonOption, open_character
from skelter.cli.step import step

if TYPE_CHECKING:
    from skelter.graph.graph import StateGraph
    from skelter.graph.lint.finding import Finding
    from skelter.graph.problems import Problem


def lint(
    graph: Annotated[
        str, typer.Argument(metavar="GRAPH", help="A graph file (.json), or the word locomotion for the built-in one.")
    ],
    character: Annotated[
        str | None, typer.Option(metavar="FILE", help="Look at the lengths of its clips, too, bound by their names.")
    ] = None,
    clip: Annotated[
        list[str] | None, typer.Option(metavar="PATH=CLIP", help="Clip of a path, or PATH= for none; may be repeated.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Findings count as mistakes: exit with code 2.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Check a state graph: what keeps it from running, and what its author hardly meant."""
    from skelter.graph.lint import lint as find

    checked, problems = _checked(graph)
    findings: tuple[Finding, ...] = ()
    if not problems:
        durations = {} if character is None else _durations(checked, character, _bindings(graph, clip or ()))
        findings = find(checked, durations=durations)
    result = {"problems": [asdict(problem) for problem in problems], "findings": [asdict(entry) for entry in findings]}
    show(result, _text(graph, problems, findings), as_json)
    if problems or (strict and findings):
        raise typer.Exit(2)


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
    from skelter.core.errors import ArgumentError
    from skelter.scene.locomotion import LOCOMOTION, LOCOMOTION_CLIPS

    bindings = dict(LOCOMOTION_CLIPS) if graph == LOCOMOTION else {}
    for text in clips:
        path, sign, clip = text.partition("=")
        if not sign:
            raise ArgumentError(f"--clip {text}: expected PATH=CLIP, such as Move.Walk=walk")
        bindings[path] = clip or None
    return bindings


def _durations(graph: StateGraph, character: str, clips: Mapping[str, str | None]) -> dict[str, float]:
    """Return the length of the clip of each path [s]."""
    from skelter.baking.bake import bake
    from skelter.graph.bind import bind_clips

    source = open_character(character)
    with step(f"baking {source.name}") as report:
        rig = bake(source, progress=report)
    bound = bind_clips(graph, rig, clips)
    lengths = dict(zip(rig.clip_names, rig.clips.duration.tolist(), strict=True))
    return {path: lengths[clip] for path, clip in bound.items() if clip is not None}


def _text(name: str, problems: Sequence[Problem], findings: Sequence[Finding]) -> str:
    entries, kind = (problems, "problem") if problems else (findings, "finding")
    count = f"{len(entries) or 'no'} {kind}{'' if len(entries) == 1 else 's'}"
    return "\n".join([f"{name}: {count}", *map(str, entries)])
