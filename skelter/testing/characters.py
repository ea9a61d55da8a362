"""Compare characters: what a file holds after a round trip."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from skelter.assets.character import Additive, Character, Clip, ClipEvent, Mesh, MeshInstance, Primitive, Track
from skelter.core.affine import normalized
from skelter.core.material import Material

Item = TypeVar("Item")
TOLERANCE = 2e-7
"""What rounding to float32 may change, relative to values above 1 and absolute below."""


def assert_characters_equal(first: Character, second: Character, tolerance: float = TOLERANCE) -> None:
    """Assert that two characters move and look alike.

    Numbers ``a`` and ``b`` are equal when ``|a - b| <= tolerance * max(1, |a|, |b|)``. What glTF cannot tell apart is
    equal: the order and split of influences of one joint, the length of a normal, a spline of one key and a held value.
    What glTF cannot hold does not count: clips without tracks, primitives without vertices, the time at which a clip
    starts in its file. Warnings, source, generator and images that no material uses do not count either.

    Args:
        first: A character.
        second: Another one.
        tolerance: Largest difference of a number.

    Raises:
        AssertionError: They differ; the message names the place and both values.
    """
    _Comparison(tolerance).characters(first, second)


class _Comparison:
    """Walks over two characters side by side and stops at the first difference."""

    def __init__(self, tolerance: float) -> None:
        self._tolerance = tolerance

    def characters(self, first: Character, second: Character) -> None:
        self._nodes(first, second)
        self._skins(first, second)
        clips = _pairs([c for c in first.clips if c.tracks], [c for c in second.clips if c.tracks], "clips")
        for where, a, b in clips:
            self._clip(a, b, where)
        meshes = _pairs([m for m in first.meshes if _filled(m)], [m for m in second.meshes if _filled(m)], "meshes")
        for where, mesh, other in meshes:
            self._mesh(mesh, other, where)
        for where, one, two in _pairs(_shown(first), _shown(second), "instances"):
            self._instance(first, one, second, two, where)
        for where, material, twin in _pairs(first.materials, second.materials, "materials"):
            self._material(material, twin, where)
            self._same(_picture(first, material), _picture(second, twin), f"{where}.base_color_image")

    def _same(self, a: object, b: object, where: str) -> None:
        if a != b:
            raise AssertionError(f"{where}: {a!r:.200} and {b!r:.200}")

    def _close(self, a: np.ndarray, b: np.ndarray, where: str) -> None:
        self._same(a.shape, b.shape, f"{where}.shape")
        a, b = a.astype(np.float64), b.astype(np.float64)
        close = np.abs(a - b) <= self._tolerance * np.maximum(1.0, np.maximum(np.abs(a), np.abs(b)))
        if not close.all():  # so that a NaN is a difference
            place = tuple(int(index) for index in np.argwhere(~close)[0])
            raise AssertionError(f"{where}{list(place)}: {a[place]} and {b[place]}, tolerance {self._tolerance:g}")

    def _indices(self, a: np.ndarray, b: np.ndarray, where: str) -> None:
        self._same(a.shape, b.shape, f"{where}.shape")
        if not np.array_equal(a, b):
            place = tuple(int(index) for index in np.argwhere(a != b)[0])
            raise AssertionError(f"{where}{list(place)}: {a[place]} and {b[place]}")

    def _optional(self, a: np.ndarray | None, b: np.ndarray | None, where: str) -> None:
        self._same(a is None, b is None, f"{where} is None")
        if a is not None and b is not None:
            self._close(a, b, where)

    def _nodes(self, first: Character, second: Character) -> None:
        self._same(first.nodes.names, second.nodes.names, "nodes.names")
        self._indices(first.nodes.parent, second.nodes.parent, "nodes.parent")
        for name in ("translation", "rotation", "scale"):
            self._close(getattr(first.nodes, name), getattr(second.nodes, name), f"nodes.{name}")

    def _skins(self, first: Character, second: Character) -> None:
        for where, a, b in _pairs(first.skins, second.skins, "skins"):
            self._same(a.name, b.name, f"{where}.name")
            self._indices(a.joints, b.joints, f"{where}.joints")
            self._close(a.joint_from_bind, b.joint_from_bind, f"{where}.joint_from_bind")

    def _clip(self, a: Clip, b: Clip, where: str) -> None:
        self._same(a.name, b.name, f"{where}.name")
        self._close(np.array(a.duration), np.array(b.duration), f"{where}.duration")
        tracks, others = ({(t.node, t.path): t for t in clip.tracks} for clip in (a, b))
        self._same(sorted(tracks), sorted(others), f"{where}.tracks")
        for key, track in tracks.items():
            self._track(_held(track), _held(others[key]), f"{where}.tracks[node {key[0]}, {key[1]}]")
        for place, event, twin in _pairs(_in_order(a), _in_order(b), f"{where}.events"):
            self._same((event.name, event.payload), (twin.name, twin.payload), place)
            self._close(np.array(event.time), np.array(twin.time), f"{place}.time")
        self._additive(a.additive, b.additive, f"{where}.additive")

    def _additive(self, a: Additive | None, b: Additive | None, where: str) -> None:
        self._same(a and a.reference, b and b.reference, f"{where}.reference")
        if a is not None and b is not None and a.reference == "clip":
            self._same(a.clip, b.clip, f"{where}.clip")
            self._close(np.array(a.time), np.array(b.time), f"{where}.time")

    def _track(self, a: Track, b: Track, where: str) -> None:
        self._same(a.interpolation, b.interpolation, f"{where}.interpolation")
        self._close(a.times, b.times, f"{where}.times")
        self._close(a.values, b.values, f"{where}.values")

    def _mesh(self, a: Mesh, b: Mesh, where: str) -> None:
        self._same(a.name, b.name, f"{where}.name")
        self._same(a.target_names, b.target_names, f"{where}.target_names")
        for place, one, two in _pairs(_filled(a), _filled(b), f"{where}.primitives"):
            self._primitive(one, two, place)

    def _primitive(self, a: Primitive, b: Primitive, where: str) -> None:
        self._same(a.material, b.material, f"{where}.material")
        self._indices(a.triangles, b.triangles, f"{where}.triangles")
        if len(a.morph_positions) or len(b.morph_positions):  # without targets, its other axes mean nothing
            self._close(a.morph_positions, b.morph_positions, f"{where}.morph_positions")
        for name in ("positions", "uvs", "colors", "morph_normals"):
            self._optional(getattr(a, name), getattr(b, name), f"{where}.{name}")
        self._optional(_directions(a, a), _directions(b, a), f"{where}.normals")
        (places, weights), (others, twins) = _influences(a), _influences(b)
        self._indices(places, others, f"{where}.joints")
        self._close(weights, twins, f"{where}.weights")

    def _instance(self, first: Character, a: MeshInstance, second: Character, b: MeshInstance, where: str) -> None:
        self._same((a.node, a.skin, a.visible), (b.node, b.skin, b.visible), f"{where} (node, skin, visible)")
        self._same(first.meshes[a.mesh].name, second.meshes[b.mesh].name, f"{where}.mesh")
        self._close(a.weights, b.weights, f"{where}.weights")

    def _material(self, a: Material, b: Material, where: str) -> None:
        for name in ("name", "alpha_mode", "double_sided", "unlit"):
            self._same(getattr(a, name), getattr(b, name), f"{where}.{name}")
        names = ["base_color", "uv_offset", "uv_scale", "uv_rotation", "emissive", "roughness", "metallic"]
        for name in [*names, "alpha_cutoff"] if a.alpha_mode == "MASK" else names:
            self._close(np.array(getattr(a, name)), np.array(getattr(b, name)), f"{where}.{name}")


def _pairs(first: Sequence[Item], second: Sequence[Item], name: str) -> list[tuple[str, Item, Item]]:
    """Return the items of two lists side by side, each pair with its place."""
    if len(first) != len(second):
        raise AssertionError(f"{name}: there are {len(first)} and {len(second)}")
    return [(f"{name}[{index}]", a, b) for index, (a, b) in enumerate(zip(first, second, strict=True))]


def _in_order(clip: Clip) -> list[ClipEvent]:
    return sorted(clip.events, key=lambda event: event.time)


def _filled(mesh: Mesh) -> list[Primitive]:
    return [primitive for primitive in mesh.primitives if len(primitive.positions)]


def _shown(character: Character) -> list[MeshInstance]:
    instances = [instance for instance in character.instances if _filled(character.meshes[instance.mesh])]
    return sorted(instances, key=lambda instance: instance.node)


def _held(track: Track) -> Track:
    """Return a track of one key as LINEAR: with one key, all interpolations hold its value."""
    if len(track.times) > 1:
        return track
    value = track.values[:, 1] if track.interpolation == "CUBICSPLINE" else track.values
    if track.path == "rotation":
        value = normalized(value)
    return Track(track.node, track.path, "LINEAR", track.times, value)


def _directions(primitive: Primitive, guide: Primitive) -> np.ndarray | None:
    """Return unit normals, and zeros where ``guide`` has none."""
    if primitive.normals is None or guide.normals is None:
        return primitive.normals
    length = np.linalg.norm(primitive.normals.astype(np.float64), axis=1, keepdims=True)
    unit = primitive.normals / np.where(length > 0, length, 1.0)
    unit[~guide.normals.any(axis=1)] = 0.0
    return unit


def _influences(primitive: Primitive) -> tuple[np.ndarray, np.ndarray]:
    """Return ``(vertex, joint)`` pairs in order, ``[pair, 2]``, and the sum of their weights; zeros are left out."""
    vertex, influence = np.nonzero(primitive.weights > 0)
    pairs = np.stack([vertex, primitive.joints[vertex, influence]], axis=1)
    unique, inverse = np.unique(pairs, axis=0, return_inverse=True)
    weights = primitive.weights[vertex, influence].astype(np.float64)
    return unique, np.bincount(inverse.reshape(-1), weights, minlength=len(unique))


def _picture(character: Character, material: Material) -> bytes:
    index = material.base_color_image
    return character.images[index].data if 0 <= index < len(character.images) else b""
