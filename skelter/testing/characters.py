"""Compare characters."""

from __future__ import annotations

import numpy as np

from skelter.assets.character import Character, Clip, Primitive

TOLERANCE = 1e-6


def assert_characters_equal(left: Character, right: Character, tolerance: float = TOLERANCE) -> None:
    """Raise AssertionError that names the first place where two characters differ.

    Names of nodes and clips, hierarchy, tracks, meshes, skins, instances, morph targets and materials are compared;
    path, warnings and encoded images are not.

    Args:
        left: One character.
        right: The other one.
        tolerance: Largest difference of two numbers, relative to the larger of them or 1.
    """
    _same("nodes.names", left.nodes.names, right.nodes.names)
    for name in ("parent", "translation", "rotation", "scale"):
        _close(f"nodes.{name}", getattr(left.nodes, name), getattr(right.nodes, name), tolerance)
    _same("clips", [clip.name for clip in left.clips], [clip.name for clip in right.clips])
    for clip, other in zip(left.clips, right.clips, strict=True):
        _compare_clips(clip, other, tolerance)
    _same("meshes", [len(mesh.primitives) for mesh in left.meshes], [len(mesh.primitives) for mesh in right.meshes])
    for index, (mesh, twin) in enumerate(zip(left.meshes, right.meshes, strict=True)):
        _same(f"meshes[{index}].target_names", mesh.target_names, twin.target_names)
        for number, (primitive, peer) in enumerate(zip(mesh.primitives, twin.primitives, strict=True)):
            _compare_primitives(f"meshes[{index}].primitives[{number}]", primitive, peer, tolerance)
    _same("skins", len(left.skins), len(right.skins))
    for index, (skin, double) in enumerate(zip(left.skins, right.skins, strict=True)):
        _close(f"skins[{index}].joints", skin.joints, double.joints, tolerance)
        _close(f"skins[{index}].joint_from_bind", skin.joint_from_bind, double.joint_from_bind, tolerance)
    _compare_instances(left, right, tolerance)
    _same("materials", left.materials, right.materials)


def _compare_clips(left: Clip, right: Clip, tolerance: float) -> None:
    where = f"clip {left.name!r}"
    _close(f"{where} duration", np.array(left.duration), np.array(right.duration), tolerance)
    keys = [(track.node, track.path, track.interpolation) for track in left.tracks]
    _same(f"{where} tracks", keys, [(track.node, track.path, track.interpolation) for track in right.tracks])
    for key, track, other in zip(keys, left.tracks, right.tracks, strict=True):
        _close(f"{where} {key} times", track.times, other.times, tolerance)
        _close(f"{where} {key} values", track.values, other.values, tolerance)


def _compare_primitives(where: str, left: Primitive, right: Primitive, tolerance: float) -> None:
    _same(f"{where}.material", left.material, right.material)
    for name in ("positions", "triangles", "normals", "uvs", "colors", "morph_positions", "morph_normals"):
        _close(f"{where}.{name}", getattr(left, name), getattr(right, name), tolerance)
    _close(f"{where} influences", _dense(left), _dense(right), tolerance)


def _dense(primitive: Primitive) -> np.ndarray:
    """Return the weight of every joint for every vertex: the order of influences does not matter."""
    if primitive.joints.size == 0:
        return np.zeros((0, 0))
    dense = np.zeros((len(primitive.positions), int(primitive.joints.max()) + 1))
    for influence in range(primitive.joints.shape[1]):
        np.add.at(dense, (np.arange(len(dense)), primitive.joints[:, influence]), primitive.weights[:, influence])
    return dense[:, : int(np.flatnonzero(dense.any(axis=0)).max(initial=-1)) + 1]


def _compare_instances(left: Character, right: Character, tolerance: float) -> None:
    places = [(instance.node, instance.mesh, instance.skin, instance.visible) for instance in left.instances]
    others = [(instance.node, instance.mesh, instance.skin, instance.visible) for instance in right.instances]
    _same("instances", places, others)
    for index, (instance, other) in enumerate(zip(left.instances, right.instances, strict=True)):
        _close(f"instances[{index}].weights", instance.weights, other.weights, tolerance)


def _same(where: str, left: object, right: object) -> None:
    if left != right:
        raise AssertionError(f"{where}: {left!r} is not {right!r}")


def _close(where: str, left: np.ndarray | None, right: np.ndarray | None, tolerance: float) -> None:
    if left is None or right is None:
        if left is not right:
            raise AssertionError(f"{where}: one is None")
        return
    if left.shape != right.shape:
        raise AssertionError(f"{where}: shape {left.shape} is not {right.shape}")
    difference = np.abs(left.astype(np.float64) - right.astype(np.float64))
    size = np.maximum(np.maximum(np.abs(left), np.abs(right)), 1.0)
    if (difference > tolerance * size).any():
        raise AssertionError(f"{where}: differs by up to {difference.max():.3g}")
