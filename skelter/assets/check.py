"""Check that a character holds together, before it is written or baked: it may have been made or edited by hand."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, get_args

import msgspec
import numpy as np

from skelter.assets.character import (
    Additive,
    AdditiveReference,
    Character,
    Clip,
    ClipEvent,
    Interpolation,
    Mesh,
    MeshInstance,
    Nodes,
    Path,
    Primitive,
    Skin,
    Track,
)
from skelter.core.checks import NUMBER_MAX, as_array, check_finite
from skelter.core.errors import ArgumentError, unknown_name
from skelter.core.material import AlphaMode, Material

PATHS, INTERPOLATIONS = get_args(Path), get_args(Interpolation)
WIDTHS = {"translation": 3, "rotation": 4, "scale": 3}
MATERIAL_NUMBERS = (
    "base_color",
    "uv_offset",
    "uv_scale",
    "uv_rotation",
    "alpha_cutoff",
    "emissive",
    "roughness",
    "metallic",
)
WEIGHT_SUM_TOLERANCE = 1e-3
UNIT_TOLERANCE = 1e-3


def check_character(character: Character) -> None:
    """Check shapes, indices and numbers of a character.

    What `skelter.load` returns passes; a character that was made or changed in code may not.

    Args:
        character: The character. It is not changed.

    Raises:
        ArgumentError: An array has a wrong shape, an index points nowhere, a number is not finite, key times do not
            increase, weights do not sum to 1, two things claim one place, an event lies outside of its clip, or an
            additive clip refers to none. The message names it.
    """
    _check_nodes(character.nodes)
    for index, material in enumerate(character.materials):
        _check_material(material, len(character.images), f"materials[{index}]")
    for index, mesh in enumerate(character.meshes):
        _check_mesh(mesh, len(character.materials), f"meshes[{index}]")
    for index, skin in enumerate(character.skins):
        _check_skin(skin, len(character.nodes), f"skins[{index}]")
    _check_instances(character)
    _check_names(character.clip_names, "clips")
    for index, clip in enumerate(character.clips):
        _check_clip(character, clip, f"clips[{index}]")


def _check_nodes(nodes: Nodes) -> None:
    count = len(nodes)
    for name, width in WIDTHS.items():
        _numbers(getattr(nodes, name), (count, width), f"nodes.{name}")
    _check_names(nodes.names, "nodes.names")
    off = np.abs(np.linalg.norm(nodes.rotation, axis=1) - 1.0) > UNIT_TOLERANCE
    if off.any():
        name = nodes.names[int(np.argmax(off))]
        raise ArgumentError(f"nodes.rotation: the quaternion of node {name!r} does not have length 1; normalise it")
    parent = _shaped(nodes.parent, np.int64, (count,), "nodes.parent")
    _check_indices(parent, count, "nodes.parent", "node", lowest=-1)
    # Each round doubles how far every node has climbed; after enough rounds all have passed their root.
    above = parent
    for _ in range(count.bit_length()):
        above = np.where(above < 0, -1, above[above])
    if (above >= 0).any():
        raise ArgumentError(f"nodes.parent: node {int(np.argmax(above >= 0))} is below a node that is its own ancestor")


def _check_material(material: Material, image_count: int, where: str) -> None:
    for name in MATERIAL_NUMBERS:
        value = getattr(material, name)
        if not all(abs(number) <= NUMBER_MAX for number in (value if isinstance(value, tuple) else (value,))):
            raise ArgumentError(f"{where}.{name}: {value} is not finite or beyond {NUMBER_MAX:g}")
    if material.alpha_mode not in get_args(AlphaMode):
        raise ArgumentError(f"{where}.alpha_mode: {material.alpha_mode!r} is none of {', '.join(get_args(AlphaMode))}")
    _check_index(material.base_color_image, image_count, f"{where}.base_color_image", "image", lowest=-1)


def _check_names(names: Sequence[str], where: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ArgumentError(f"{where}: {name!r} is there twice; names must be unique")
        seen.add(name)


def _check_mesh(mesh: Mesh, material_count: int, where: str) -> None:
    for index, primitive in enumerate(mesh.primitives):
        place = f"{where}.primitives[{index}]"
        _check_vertices(primitive, place)
        _check_influences(primitive, place)
        _check_targets(primitive, len(mesh.target_names), place)
        _check_index(primitive.material, material_count, f"{place}.material", "material", lowest=-1)


def _check_vertices(primitive: Primitive, where: str) -> None:
    positions = _numbers(primitive.positions, (None, 3), f"{where}.positions")
    for name, width in (("normals", 3), ("uvs", 2), ("colors", 4)):
        if getattr(primitive, name) is not None:
            _numbers(getattr(primitive, name), (len(positions), width), f"{where}.{name}")
    triangles = _shaped(primitive.triangles, np.int64, (None, 3), f"{where}.triangles")
    _check_indices(triangles, len(positions), f"{where}.triangles", "vertex")


def _check_influences(primitive: Primitive, where: str) -> None:
    if primitive.joints.size == 0 and primitive.weights.size == 0:
        return
    joints = _shaped(primitive.joints, np.int64, (len(primitive.positions), None), f"{where}.joints")
    weights = _numbers(primitive.weights, joints.shape, f"{where}.weights")
    if (weights < 0).any():
        raise ArgumentError(f"{where}.weights: the weights of vertex {np.argwhere(weights < 0)[0][0]} are negative")
    off = np.abs(weights.sum(axis=1) - 1.0) > WEIGHT_SUM_TOLERANCE
    if off.any():
        vertex = int(np.argmax(off))
        raise ArgumentError(f"{where}.weights: those of vertex {vertex} sum to {weights[vertex].sum():.6g}, not to 1")


def _check_targets(primitive: Primitive, target_count: int, where: str) -> None:
    for name in ("morph_positions", "morph_normals"):
        deltas = getattr(primitive, name)
        if deltas is not None and len(deltas):
            _numbers(deltas, (target_count, len(primitive.positions), 3), f"{where}.{name}")


def _check_skin(skin: Skin, node_count: int, where: str) -> None:
    joints = _shaped(skin.joints, np.int64, (None,), f"{where}.joints")
    if len(joints) == 0:
        raise ArgumentError(f"{where}.joints: a skin needs at least one joint")
    _check_indices(joints, node_count, f"{where}.joints", "node")
    matrices = _numbers(skin.joint_from_bind, (len(joints), 4, 4), f"{where}.joint_from_bind")
    if (matrices[:, 3] != [0.0, 0.0, 0.0, 1.0]).any():
        raise ArgumentError(f"{where}.joint_from_bind: the last row of every matrix must be 0 0 0 1")


def _check_instances(character: Character) -> None:
    taken: dict[int, int] = {}
    for index, instance in enumerate(character.instances):
        where = f"instances[{index}]"
        _check_index(instance.node, len(character.nodes), f"{where}.node", "node")
        _check_index(instance.mesh, len(character.meshes), f"{where}.mesh", "mesh")
        _check_index(instance.skin, len(character.skins), f"{where}.skin", "skin", lowest=-1)
        mesh = character.meshes[instance.mesh]
        _numbers(instance.weights, (len(mesh.target_names),), f"{where}.weights")
        if instance.node in taken:
            raise ArgumentError(f"{where}.node: node {instance.node} holds instances[{taken[instance.node]}] already")
        taken[instance.node] = index
        if instance.skin >= 0:
            _check_palette(character, instance, where)


def _check_palette(character: Character, instance: MeshInstance, where: str) -> None:
    count = len(character.skins[instance.skin].joints)
    for number, primitive in enumerate(character.meshes[instance.mesh].primitives):
        place = f"meshes[{instance.mesh}].primitives[{number}].joints, which {where} shows"
        _check_indices(primitive.joints, count, place, "joint of its skin")


def _check_clip(character: Character, clip: Clip, where: str) -> None:
    if not 0.0 <= clip.duration <= NUMBER_MAX:
        raise ArgumentError(f"{where}.duration: clip {clip.name!r} lasts {clip.duration} s; it needs 0 s or more")
    targets = {instance.node: len(instance.weights) for instance in character.instances}
    seen: set[tuple[int, Path]] = set()
    for number, track in enumerate(clip.tracks):
        place = f"{where}.tracks[{number}]"
        _check_index(track.node, len(character.nodes), f"{place}.node", "node")
        _check_choice(track.path, PATHS, f"{place}.path")
        _check_choice(track.interpolation, INTERPOLATIONS, f"{place}.interpolation")
        if (track.node, track.path) in seen:
            raise ArgumentError(f"{place}: the {track.path} of node {track.node} has a track already")
        seen.add((track.node, track.path))
        if track.path == "weights" and not targets.get(track.node):
            raise ArgumentError(f"{place}: node {track.node} holds no mesh with morph targets to weight")
        _check_keys(track, WIDTHS.get(track.path) or targets[track.node], place)
    for number, event in enumerate(clip.events):
        _check_event(event, clip.duration, f"{where}.events[{number}]")
    if clip.additive is not None:
        _check_additive(clip.additive, character.clip_names, f"{where}.additive")


def _check_event(event: ClipEvent, duration: float, where: str) -> None:
    if not isinstance(event, ClipEvent):
        raise ArgumentError(f"{where}: expected a ClipEvent, got {type(event).__name__}")
    if not (isinstance(event.name, str) and event.name):
        raise ArgumentError(f"{where}.name: {event.name!r} is no name; an event needs a text that is not empty")
    if not (isinstance(event.time, Real) and 0.0 <= event.time <= duration):
        raise ArgumentError(f"{where}.time: {event.time!r} of event {event.name!r} is not from 0 to {duration} s")
    if not _is_json(event.payload):
        raise ArgumentError(
            f"{where}.payload: that of event {event.name!r} is no JSON value; give it None, numbers, texts, lists,"
            " and dictionaries with texts as keys"
        )


def _is_json(value: Any) -> bool:
    """Return whether JSON gives a value back as it was: a tuple would become a list, NaN would be lost."""
    try:
        return bool(msgspec.json.decode(msgspec.json.encode(value)) == value)
    except (TypeError, ValueError, ArithmeticError, RecursionError, msgspec.MsgspecError):
        return False


def _check_additive(additive: Additive, clip_names: Sequence[str], where: str) -> None:
    if not isinstance(additive, Additive):
        raise ArgumentError(f"{where}: expected an Additive or None, got {type(additive).__name__}")
    _check_choice(additive.reference, get_args(AdditiveReference), f"{where}.reference")
    if additive.reference == "clip" and additive.clip not in clip_names:
        raise ArgumentError(f"{where}.clip: {unknown_name('clip', additive.clip, clip_names)}")
    if not (isinstance(additive.time, Real) and abs(additive.time) <= NUMBER_MAX):
        raise ArgumentError(f"{where}.time: {additive.time!r} is no time in seconds")


def _check_keys(track: Track, width: int, where: str) -> None:
    times = _numbers(track.times, (None,), f"{where}.times")
    if len(times) == 0:
        raise ArgumentError(f"{where}.times: a track needs at least one key")
    if times[0] < 0 or (times[1:] <= times[:-1]).any():
        raise ArgumentError(f"{where}.times: key times must increase, from 0 or later")
    shape = (len(times), 3, width) if track.interpolation == "CUBICSPLINE" else (len(times), width)
    _numbers(track.values, shape, f"{where}.values")


def _shaped(array: np.ndarray, dtype: type[np.generic], shape: Sequence[int | None], where: str) -> np.ndarray:
    if not isinstance(array, np.ndarray):
        raise ArgumentError(f"{where}: expected an array, got {type(array).__name__}")
    return as_array(array, dtype, shape, where)


def _numbers(array: np.ndarray, shape: Sequence[int | None], where: str) -> np.ndarray:
    """Return an array as float64, of a shape, all of it usable."""
    numbers = _shaped(array, np.float64, shape, where)
    if np.abs(numbers).max(initial=0.0) <= NUMBER_MAX:  # False for NaN
        return numbers
    check_finite(numbers, where)
    raise ArgumentError(f"{where}: {np.abs(numbers).max():g} is beyond {NUMBER_MAX:g}")


def _check_indices(indices: np.ndarray, count: int, where: str, kind: str, lowest: int = 0) -> None:
    if indices.size:
        _check_index(int(indices.min()), count, where, kind, lowest)
        _check_index(int(indices.max()), count, where, kind, lowest)


def _check_index(index: int, count: int, where: str, kind: str, lowest: int = 0) -> None:
    if not lowest <= index < count:
        raise ArgumentError(f"{where}: there is no {kind} {index}; there are {count}")


def _check_choice(value: str, choices: Sequence[str], where: str) -> None:
    if value not in choices:
        raise ArgumentError(f"{where}: {value!r} is none of {', '.join(choices)}")
