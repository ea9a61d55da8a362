"""Pose of a character from its source curves: local transforms, then model matrices parents first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skelter.assets.character import Character, Clip
from skelter.core.affine import compose
from skelter.core.arrays import Matrices, Rotations, Scales, Translations
from skelter.core.errors import ArgumentError, unknown_name
from skelter.core.hierarchy import model_matrices
from skelter.engines.reference.curves import sample_track


@dataclass(frozen=True, slots=True)
class ReferencePose:
    """A pose in float64, one row per node of the character.

    Attributes:
        translation: ``[node, 3]`` [m], relative to the parent.
        rotation: ``[node, 4]``, unit quaternions xyzw, relative to the parent.
        scale: ``[node, 3]``.
        model_from_node: ``[node, 4, 4]`` [m].
        weights: Morph weights per mesh instance, each float64 ``[target]``.
    """

    translation: Translations
    rotation: Rotations
    scale: Scales
    model_from_node: Matrices
    weights: tuple[np.ndarray, ...]


def pose(character: Character, clip: str | int | None, time: float = 0.0) -> ReferencePose:
    """Evaluate a clip of a character.

    Args:
        character: The character.
        clip: Name or index of a clip, or None for the rest pose.
        time: Clip time [s]; outside the clip the first or last value of each curve holds.

    Raises:
        ArgumentError: There is no such clip.
    """
    nodes = character.nodes
    translation, rotation, scale = nodes.translation.copy(), nodes.rotation.copy(), nodes.scale.copy()
    weights = {instance.node: instance.weights for instance in character.instances}
    for track in _clip(character, clip).tracks if clip is not None else ():
        value = sample_track(track, time)
        if track.path == "translation":
            translation[track.node] = value
        elif track.path == "rotation":
            rotation[track.node] = value
        elif track.path == "scale":
            scale[track.node] = value
        else:
            weights[track.node] = value
    return ReferencePose(
        translation,
        rotation,
        scale,
        model_matrices(compose(translation, rotation, scale), nodes.parent),
        tuple(weights[instance.node] for instance in character.instances),
    )


def _clip(character: Character, clip: str | int) -> Clip:
    if isinstance(clip, str):
        for candidate in character.clips:
            if candidate.name == clip:
                return candidate
    elif 0 <= clip < len(character.clips):
        return character.clips[clip]
    raise ArgumentError(f"{character.name}: {unknown_name('clip', clip, character.clip_names)}")
