"""Explain what a character of a scene does at a time, and why."""

from __future__ import annotations

import math
from os import PathLike

from skelter.core.errors import ArgumentError
from skelter.crowd.explanation import Explanation
from skelter.scene.inputs import TOLERANCE_S
from skelter.scene.load import load_scene
from skelter.scene.play import ScenePlayer
from skelter.scene.scene import Scene


def explain_scene(
    scene: Scene | str | PathLike[str],
    char: int,
    at: float,
    *,
    target: str | None = None,
    crowd: str | None = None,
    layer: str | None = None,
) -> Explanation:
    """Play a scene up to a time, and explain the step that ends there, or in which it lies.

    Args:
        scene: A scene, or a scene file.
        char: Index of the character.
        at: Time [s].
        target: Only transitions that lead to this state, whatever the character is doing.
        crowd: Name of its crowd; None for the first one.
        layer: Name of a layer; None for all.

    Raises:
        ArgumentError: There is no such character, crowd, layer or state, or the scene does not last so long.
    """
    if not isinstance(scene, Scene):
        scene = load_scene(scene)
    if not 0.0 <= at <= scene.duration:
        raise ArgumentError(f"at: expected a time from 0 to {scene.duration:g} s, where the scene ends, got {at:g}")
    player = ScenePlayer(scene, record=True)
    subject = player.crowd(crowd)
    if not 0 <= char < len(subject):
        raise ArgumentError(f"char: there is no character {char}; there are {len(subject)}, from 0")
    for _ in range(max(1, math.ceil((at - TOLERANCE_S) * scene.rate))):
        player.step()
    return subject.explain(char, target, layer=layer)
