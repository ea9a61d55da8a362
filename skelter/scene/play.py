"""Play a scene: step its crowds and apply its inputs."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping

import numpy as np

from skelter.assets.load import load
from skelter.assets.mannequin import mannequin
from skelter.baking.bake import bake
from skelter.core.errors import (
    ArgumentError,
    AssetError,
    GraphError,
    SkelterError,
    SkelterWarning,
    listed_names,
    unknown_name,
)
from skelter.crowd.crowd import Crowd
from skelter.graph.compile import compile as compile_graph
from skelter.rendering.scene import Batch, Placements, place_crowd, tints
from skelter.rig.rig import Rig
from skelter.scene.inputs import InputPlayer
from skelter.scene.locomotion import LOCOMOTION, missing_clips
from skelter.scene.scene import MANNEQUIN, Scene, SceneCrowd


class ScenePlayer:
    """A scene that is being played.

    Attributes:
        scene: The scene.
        crowds: The crowds by name, in the order of the scene.
        step_index: Number of steps that were made.
    """

    def __init__(self, scene: Scene, *, record: bool | None = None, rigs: Mapping[str, Rig] | None = None) -> None:
        """Load and bake the characters and compile the graphs.

        Args:
            scene: The scene.
            record: As in `Crowd`.
            rigs: Rigs that are there already, by what the scene calls the character.

        Raises:
            AssetError: A character file is broken, or a clip that the scene names is not in it.
            GraphError: A graph does not fit its character.
        """
        self.scene = scene
        self.step_index = 0
        baked = dict(rigs or {})
        for name in dict.fromkeys(crowd.character for crowd in scene.crowds if crowd.character not in baked):
            baked[name] = bake(mannequin() if name == MANNEQUIN else load(name))
        self.crowds = {
            crowd.name: _crowd(crowd, baked[crowd.character], f"{scene.name}: crowd[{index}]", record)
            for index, crowd in enumerate(scene.crowds)
        }
        self._inputs = [
            InputPlayer(self.crowds[crowd.name], crowd.inputs, (scene.seed, index))
            for index, crowd in enumerate(scene.crowds)
        ]

    @property
    def time(self) -> float:
        """Time since the start [s]: whole steps at the scene's rate, without the rounding of a sum."""
        return self.step_index / self.scene.rate

    def step(self) -> None:
        """Apply the inputs that are due, then advance all crowds by one step; the scene's duration is no limit."""
        for inputs in self._inputs:
            inputs.apply(self.time)
        for crowd in self.crowds.values():
            crowd.step(1.0 / self.scene.rate)
        self.step_index += 1

    def play_to(self, time: float) -> None:
        """Step until a time [s] is no more than half a step away; at least once, so that there are poses."""
        for _ in range(max(1, round(time * self.scene.rate)) - self.step_index):
            self.step()

    def crowd(self, name: str | None = None) -> Crowd:
        """Return a crowd by name, or the first one; raise ArgumentError if there is none."""
        if name is None:
            return next(iter(self.crowds.values()))
        if name not in self.crowds:
            raise ArgumentError(unknown_name("crowd", name, self.crowds))
        return self.crowds[name]

    def batches(self) -> list[Batch]:
        """Return what the renderer draws: the poses of the last step, each crowd at its place."""
        return [
            Batch(
                crowd.rig,
                crowd.skinning_matrices,
                placements(entry, self.scene.seed + index),
                crowd.morphs if crowd.rig.mesh.morph_names else None,
                tints(entry.count, self.scene.seed + index),
            )
            for index, (entry, crowd) in enumerate(zip(self.scene.crowds, self.crowds.values(), strict=True))
        ]


def play_scene(scene: Scene, *, record: bool | None = None) -> Iterator[ScenePlayer]:
    """Play a scene to its end.

    Args:
        scene: The scene.
        record: As in `Crowd`.

    Yields:
        The same player, after each step.
    """
    player = ScenePlayer(scene, record=record)
    for _ in range(scene.step_count):
        player.step()
        yield player


def placements(crowd: SceneCrowd, seed: int = 0) -> Placements:
    """Return where the characters of a crowd stand [m], world_from_model, float32 ``[char, 3, 4]``."""
    if crowd.placement == "scatter":
        world = place_crowd(crowd.count, crowd.spacing, seed)
    else:
        world = np.tile(np.eye(3, 4, dtype=np.float32), (crowd.count, 1, 1))
        world[:, [0, 2], 3] = _grid(crowd.count) * crowd.spacing
    world[:, [0, 2], 3] += np.array(crowd.origin, np.float32)
    return world


def _grid(count: int) -> np.ndarray:
    """Return x and z of places in rows and columns, centred, front row first, ``[char, 2]``."""
    columns = int(np.ceil(np.sqrt(count)))
    rows = -(-count // columns)
    index = np.arange(count)
    return np.stack([index % columns - (columns - 1) / 2, (rows - 1) / 2 - index // columns], axis=1)


def _crowd(entry: SceneCrowd, rig: Rig, place: str, record: bool | None) -> Crowd:
    try:
        controller = compile_graph(entry.graph, rig, entry.clips)
    except (ArgumentError, GraphError) as error:
        raise _unfit(entry, rig, place, error) from error
    for remark in controller.remarks:
        warnings.warn(f"{place}: {remark}", SkelterWarning, stacklevel=2)
    crowd = Crowd(controller, entry.count, timing=entry.timing, record=record)
    for layer, weight in entry.weights.items():
        crowd.layer(layer).set_weight(weight)
    return crowd


def _unfit(entry: SceneCrowd, rig: Rig, place: str, error: SkelterError) -> SkelterError:
    """Return why a crowd's graph cannot be played: in words of what the file says, which need not name a graph."""
    missing = missing_clips(rig, entry.clips) if entry.graph.name == LOCOMOTION else []
    if missing:
        return GraphError(
            f"{place}.graph: {LOCOMOTION!r}, the graph of a crowd that names no other, needs clips that {rig.name} does"
            f' not have: {listed_names(missing)}; name a graph, such as graph = "my-graph.json", or other clips in'
            f" [crowd.clips]. The clips are: {listed_names(rig.clip_names) or '(none)'}"
        )
    return AssetError(f"{place}.{error}") if isinstance(error, ArgumentError) else GraphError(f"{place}: {error}")
