"""Random characters for tests and benchmarks: a tree of joints, a skinned cloud of triangles, smooth clips."""

from __future__ import annotations

import numpy as np

from skelter.assets.character import Character, Clip, ClipEvent, Mesh, MeshInstance, Nodes, Primitive, Skin, Track
from skelter.core.affine import compose, normalized
from skelter.core.hierarchy import model_matrices

BONE_M = 0.1
KEY_RATE = 30.0


def random_character(
    joint_count: int = 24,
    clip_count: int = 2,
    seed: int = 0,
    *,
    vertex_count: int = 300,
    duration: float = 1.0,
    influence_count: int = 4,
    target_count: int = 0,
    keyed_fraction: float = 1.0,
    event_count: int = 0,
) -> Character:
    """Make a character that looks like nothing but exercises everything.

    Args:
        joint_count: Number of joints.
        clip_count: Number of looping clips in which joints turn and the root travels.
        seed: Same seed, same character.
        vertex_count: Number of vertices, three per triangle.
        duration: Of each clip [s].
        influence_count: Joints per vertex.
        target_count: Number of morph targets.
        keyed_fraction: Part of the joints that turns in a clip, other ones in each clip.
        event_count: Number of events of each clip, at random times, unsorted.
    """
    random = np.random.default_rng(seed)
    nodes = _nodes(joint_count, random)
    primitive = _primitive(nodes, random, vertex_count, influence_count, target_count)
    targets = [f"target_{index}" for index in range(target_count)]
    clips = [_clip(f"clip_{index}", joint_count, target_count, duration, random) for index in range(clip_count)]
    for clip in clips:
        _thin_out(clip, keyed_fraction, joint_count, random)
        clip.events = _events(duration, event_count, random)
    return Character(
        name=f"random_{joint_count}",
        nodes=nodes,
        clips=clips,
        meshes=[Mesh("cloud", [primitive], targets)],
        skins=[Skin("skin", np.arange(joint_count, dtype=np.int32), np.linalg.inv(_model(nodes)))],
        instances=[MeshInstance(0, 0, 0, np.zeros(target_count))],
        source="random",
    )


def _nodes(joint_count: int, random: np.random.Generator) -> Nodes:
    reach = np.minimum(np.arange(joint_count), 4)
    parent = np.arange(joint_count) - 1 - (random.random(joint_count) * reach).astype(int)
    direction = random.normal(loc=(0.0, 1.0, 0.0), size=(joint_count, 3))
    return Nodes(
        names=[f"joint_{index}" for index in range(joint_count)],
        parent=np.maximum(parent, -1).astype(np.int32),
        translation=BONE_M * direction / np.linalg.norm(direction, axis=1, keepdims=True),
        rotation=normalized(random.normal(loc=(0.0, 0.0, 0.0, 1.0), scale=0.2, size=(joint_count, 4))),
        scale=np.ones((joint_count, 3)),
    )


def _model(nodes: Nodes) -> np.ndarray:
    return model_matrices(compose(nodes.translation, nodes.rotation, nodes.scale), nodes.parent)


def _primitive(
    nodes: Nodes, random: np.random.Generator, vertex_count: int, influence_count: int, target_count: int
) -> Primitive:
    first = random.integers(0, len(nodes), vertex_count)
    joints = (first[:, None] + np.arange(influence_count)) % len(nodes)
    weights = random.random((vertex_count, influence_count))
    origins = _model(nodes)[first, :3, 3]
    normals = random.normal(size=(vertex_count, 3))
    return Primitive(
        positions=(origins + 0.03 * random.normal(size=(vertex_count, 3))).astype(np.float32),
        triangles=np.arange(vertex_count // 3 * 3, dtype=np.uint32).reshape(-1, 3),
        normals=(normals / np.linalg.norm(normals, axis=1, keepdims=True)).astype(np.float32),
        joints=joints.astype(np.int32),
        weights=(weights / weights.sum(axis=1, keepdims=True)).astype(np.float32),
        morph_positions=(0.02 * random.normal(size=(target_count, vertex_count, 3))).astype(np.float32),
    )


def _clip(name: str, joint_count: int, target_count: int, duration: float, random: np.random.Generator) -> Clip:
    times = np.linspace(0.0, duration, max(round(duration * KEY_RATE), 1) + 1)
    phase = 2 * np.pi * times / duration
    tracks = [_rotation_track(joint, times, phase, random) for joint in range(joint_count)]
    travel = 0.1 * np.stack([np.sin(phase), np.cos(2 * phase), np.zeros_like(phase)], axis=1)
    tracks.append(Track(0, "translation", "LINEAR", times, travel))
    if target_count:
        values = 0.5 + 0.5 * np.sin(phase[:, None] + random.uniform(0, 6, target_count))
        tracks.append(Track(0, "weights", "LINEAR", times, values))
    return Clip(name, tracks, duration)


def _thin_out(clip: Clip, keyed_fraction: float, joint_count: int, random: np.random.Generator) -> None:
    """Drop the rotations of all joints but a part of them."""
    kept = set(random.permutation(joint_count)[: round(keyed_fraction * joint_count)].tolist())
    clip.tracks = [track for track in clip.tracks if track.path != "rotation" or track.node in kept]


def _events(duration: float, count: int, random: np.random.Generator) -> list[ClipEvent]:
    times = random.uniform(0.0, duration, count).tolist()
    return [ClipEvent(time, f"event_{index}", {"index": index}) for index, time in enumerate(times)]


def _rotation_track(joint: int, times: np.ndarray, phase: np.ndarray, random: np.random.Generator) -> Track:
    swing = random.uniform(-0.3, 0.3, 3)
    angles = np.sin(phase[:, None] + random.uniform(0, 6, 3)) * swing
    return Track(joint, "rotation", "LINEAR", times, normalized(np.append(angles, np.ones((len(times), 1)), axis=1)))
