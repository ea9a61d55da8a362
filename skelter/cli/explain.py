"""The command ``skelter explain``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from skelter.cli.result import show
from skelter.cli.source import JsonOption, SceneArgument
from skelter.cli.step import step


def explain(
    scene: SceneArgument,
    char: Annotated[int, typer.Option(help="Index of the character, from 0.")],
    at: Annotated[float, typer.Option(help="Time in the scene [s].")],
    to: Annotated[str | None, typer.Option(help="Only transitions that lead to this state.")] = None,
    crowd: Annotated[str | None, typer.Option(help="Crowd of the character. By default the first one.")] = None,
    layer: Annotated[str | None, typer.Option(help="Only this layer.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Say what a character is doing at a time, and why it goes on or stays."""
    from skelter.scene.explain import explain_scene

    with step(f"playing {scene}"):
        explanation = explain_scene(scene, char, at, target=to, crowd=crowd, layer=layer)
    result: dict[str, Any] = {
        "char": explanation.char,
        "time": explanation.time,
        "status": list(explanation.status),
        "transitions": [
            {
                "layer": entry.layer,
                "index": entry.index,
                "source": entry.source,
                "target": entry.target,
                "verdict": entry.verdict.name,
                "text": entry.text,
            }
            for entry in explanation.verdicts
        ],
    }
    show(result, str(explanation), as_json)
