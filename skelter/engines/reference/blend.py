"""Layers into a pose from source curves, joint by joint in float64."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from skelter.assets.character import Additive, Character, Clip
from skelter.core.affine import compose, multiply, normalized, slerp
from skelter.core.hierarchy import model_matrices
from skelter.engines.reference.pose import ReferencePose, pose

Properties = tuple[np.ndarray, np.ndarray, np.ndarray, tuple[np.ndarray, ...]]
"""Translation, rotation, scale, each ``[node, n]``, and morph weights per mesh instance."""

IDENTITY = np.array([0.0, 0.0, 0.0, 1.0])
SCALE_MIN = 1e-18
"""A reference scale below this is 0: nothing is a multiple of it."""


@dataclass(frozen=True, slots=True)
class LayerContributions:
    """What plays in one layer of one character.

    Attributes:
        entries: ``(name of a clip or None, clip time [s], weight)``; the weights sum to 1.
        weight: Weight of the layer; clamped to [0, 1].
        additive: True adds deltas, False overwrites.
        mask: Weight in [0, 1] per node, float64 ``[node]``; None for 1 everywhere.
    """

    entries: Sequence[tuple[str | None, float, float]]
    weight: float = 1.0
    additive: bool = False
    mask: np.ndarray | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """One entry of a layer, evaluated: poses in an overwriting layer, deltas in an additive one.

    Attributes:
        weight: Its weight.
        values: Its values.
        keyed: What it keys: pairs of a node and a path.
    """

    weight: float
    values: Properties
    keyed: frozenset[tuple[int, str]]


def blend_contributions(character: Character, layers: Sequence[LayerContributions]) -> ReferencePose:
    """Pose a character by what its layers play, as `skelter.engines.cpu.pipeline.blend_layers` defines it.

    Args:
        character: The character.
        layers: The layers, the lowest first.

    Raises:
        ArgumentError: There is no such clip.
    """
    rest = properties(pose(character, None))
    result = copied(rest)
    for layer in layers:
        strength = min(max(layer.weight, 0.0), 1.0)
        parts = parts_of(character, layer, rest)
        mask = np.ones(len(character.nodes)) if layer.mask is None else layer.mask
        for node in range(len(character.nodes)):
            blend_node(result, parts, node, strength * float(mask[node]), layer.additive)
        blend_morphs(character, result, parts, strength, layer.additive)
    return posed(character, result)


def posed(character: Character, values: Properties) -> ReferencePose:
    """Return properties with the model matrices that they make."""
    translation, rotation, scale, weights = values
    model = model_matrices(compose(translation, rotation, scale), character.nodes.parent)
    return ReferencePose(translation, rotation, scale, model, weights)


def parts_of(character: Character, layer: LayerContributions, rest: Properties) -> list[Part]:
    """Evaluate the entries of a layer that play a clip, heaviest first; then by clip and time."""
    playing = [(-weight, _index(character, name), time) for name, time, weight in layer.entries if name is not None]
    return [evaluated(character, layer, rest, index, time, -weight) for weight, index, time in sorted(playing)]


def evaluated(
    character: Character, layer: LayerContributions, rest: Properties, index: int, time: float, weight: float
) -> Part:
    """Evaluate a clip for a layer: a pose, or a delta if the layer is additive."""
    clip = character.clips[index]
    values = properties(pose(character, index, time))
    if layer.additive or clip.additive is not None:
        values = _deltas(values, _reference(character, clip, rest))
    if not layer.additive and clip.additive is not None:
        values = _added(rest, values)
    return Part(weight, values, frozenset((track.node, track.path) for track in clip.tracks))


def _index(character: Character, name: str) -> int:
    character.clip(name)  # an error if there is none
    return character.clip_names.index(name)


def _reference(character: Character, clip: Clip, rest: Properties) -> Properties:
    """Return what the deltas of a clip are taken against."""
    additive = clip.additive or Additive("rest")
    if additive.reference == "rest":
        return rest
    if additive.reference == "first_frame":
        return properties(pose(character, clip.name, 0.0))
    return properties(pose(character, additive.clip, additive.time))


def _deltas(values: Properties, reference: Properties) -> Properties:
    """Return ``t - t_ref``, ``conj(q_ref) * q``, ``s / s_ref`` (1 where ``s_ref`` is 0) and ``w - w_ref``."""
    translation, rotation, scale, weights = values
    flat = np.abs(reference[2]) < SCALE_MIN
    return (
        translation - reference[0],
        multiply(conjugate(reference[1]), rotation),
        np.where(flat, 1.0, scale / np.where(flat, 1.0, reference[2])),
        tuple(weight - other for weight, other in zip(weights, reference[3], strict=True)),
    )


def _added(rest: Properties, deltas: Properties) -> Properties:
    """Return the rest pose changed by deltas."""
    weights = tuple(weight + delta for weight, delta in zip(rest[3], deltas[3], strict=True))
    return rest[0] + deltas[0], multiply(rest[1], deltas[1]), rest[2] * deltas[2], weights


def blend_node(result: Properties, parts: list[Part], node: int, strength: float, additive: bool) -> None:
    """Apply one layer to one node: ``P = lerp(P, mean, a)``, or ``P`` changed by ``a`` times the mean delta."""
    translation, rotation, scale, _ = result
    amount, mean = _mean(parts, node, "translation", strength)
    before = translation[node].copy()
    translation[node] = before + amount * mean if additive else (1.0 - amount) * before + amount * mean
    amount, mean = _mean(parts, node, "scale", strength)
    before = scale[node].copy()
    scale[node] = before * (1.0 + amount * (mean - 1.0)) if additive else (1.0 - amount) * before + amount * mean
    amount, mean = _mean(parts, node, "rotation", strength)
    before = rotation[node].copy()
    if additive:
        rotation[node] = multiply(before, slerp(IDENTITY, normalized(mean), np.asarray(amount)))
    elif amount > 0.0:
        nearer = normalized(mean) if mean @ before >= 0.0 else -normalized(mean)
        rotation[node] = normalized((1.0 - amount) * before + amount * nearer)


def _mean(parts: list[Part], node: int, path: str, strength: float) -> tuple[float, np.ndarray]:
    """Return how far a property moves, and the weighted mean of the parts that key it.

    Quaternions are summed with their signs aligned to the first part, the heaviest; the mean is not normalised.
    """
    column = ("translation", "rotation", "scale").index(path)
    keying = [part for part in parts if (node, path) in part.keyed]
    coverage = sum(part.weight for part in keying)
    total = np.zeros(4 if path == "rotation" else 3)
    for part in keying:
        value = part.values[column][node]
        opposite = path == "rotation" and value @ keying[0].values[column][node] < 0.0
        total += part.weight * (-value if opposite else value)
    return strength * coverage, total / coverage if coverage > 0.0 else total


def blend_morphs(character: Character, result: Properties, parts: list[Part], strength: float, additive: bool) -> None:
    """Apply one layer to the morph weights; a clip that has any of them keys them all."""
    keying = [part for part in parts if any(path == "weights" for _, path in part.keyed)]
    amount = strength * sum(part.weight for part in keying)
    for index in range(len(character.instances)):
        weights = result[3][index]
        weights *= 1.0 if additive else 1.0 - amount
        for part in keying:
            weights += strength * part.weight * part.values[3][index]


def properties(evaluated: ReferencePose) -> Properties:
    """Return the parts of a pose that blend."""
    return evaluated.translation, evaluated.rotation, evaluated.scale, evaluated.weights


def copied(values: Properties) -> Properties:
    """Return properties that share nothing with these."""
    translation, rotation, scale, weights = values
    return translation.copy(), rotation.copy(), scale.copy(), tuple(weight.copy() for weight in weights)


def conjugate(rotation: np.ndarray) -> np.ndarray:
    """Return the opposite rotations of unit quaternions xyzw, ``[..., 4]``."""
    return rotation * np.array([-1.0, -1.0, -1.0, 1.0])
