"""A scene as something that can be drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from skelter.cli.step import step
from skelter.core.errors import ArgumentError

if TYPE_CHECKING:
    from skelter.rendering.scene import Batch
    from skelter.scene.play import ScenePlayer

SCENE_SUFFIX = ".toml"


@dataclass(frozen=True, slots=True)
class SceneMoment:
    """A scene that is played on for each picture.

    Attributes:
        player: The scene.
        start: Time of the first picture [s].
    """

    player: ScenePlayer
    start: float

    def __call__(self, seconds: float) -> list[Batch]:
        """Return what is drawn ``seconds`` after the start; times are asked for in ascending order."""
        self.player.play_to(self.start + seconds)
        return self.player.batches()


def is_scene(file: str) -> bool:
    """Say whether the name of a file is one of a scene."""
    return file.lower().endswith(SCENE_SUFFIX)


def scene_moment(file: str, at: float | None, video: float | None) -> SceneMoment:
    """Load a scene and play it to where drawing begins.

    Args:
        file: A scene file.
        at: Where drawing begins [s]; None for the end of the scene, or the start of a film.
        video: Length of the film [s], None for a picture.

    Raises:
        ArgumentError: The scene does not last so long.
    """
    from skelter.scene.load import load_scene
    from skelter.scene.play import ScenePlayer

    scene = load_scene(file)
    start = (scene.duration if video is None else 0.0) if at is None else at
    if not 0.0 <= start <= scene.duration:
        raise ArgumentError(
            f"--at: expected a time from 0 to {scene.duration:g} s, where the scene ends, got {start:g}"
        )
    if video is not None and start + video > scene.duration + 0.5 / scene.rate:
        raise ArgumentError(
            f"--video: expected at most {scene.duration - start:g} s, what the scene lasts from {start:g} s on, got"
            f" {video:g}"
        )
    with step(f"playing {file}"):
        player = ScenePlayer(scene, record=False)
        player.play_to(start)
    return SceneMoment(player, start)
