"""The scene that ``skelter demo`` plays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from skelter.core.errors import ArgumentError
from skelter.scene.load import load_scene
from skelter.scene.scene import MANNEQUIN, Scene
from skelter.scene.schema import COUNT_MAX

_FILE = Path(__file__).with_name("data") / "demo.toml"


def demo_scene(count: int, *, seed: int = 0, character: str = MANNEQUIN) -> Scene:
    """Return a crowd on the locomotion graph: going, strafing, jumping, waving, looking around.

    Args:
        count: Number of characters.
        seed: The same seed gives the same scene.
        character: What it calls the character.

    Raises:
        ArgumentError: The count makes no sense.
    """
    if not 1 <= count <= COUNT_MAX:
        raise ArgumentError(f"count: expected 1 to {COUNT_MAX} characters, got {count}")
    scene = load_scene(_FILE)
    crowd = replace(scene.crowds[0], count=count, character=character)
    return replace(scene, name="demo", crowds=(crowd,), seed=seed)
