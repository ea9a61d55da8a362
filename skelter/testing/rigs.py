"""Characters and rigs for tests and benchmarks: random ones that exercise everything, and one that only keeps time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from skelter.assets.character import Character, Clip, ClipEvent, Mesh, MeshInstance, Nodes, Primitive, Skin, Track
from skelter.core.affine import compose, normalized
from skelter.core.arrays import LANE_COUNT, LocalPose, pack_pose
from skelter.core.hierarchy import model_matrices
from skelter.rig.packed import no_packed_clips
from skelter.rig.report import BakeReport
from skelter.rig.rig import ClipBank, Palette, Rig, RigMesh

BONE_M = 0.1
KEY_RATE = 30.0
X_CHANNEL = 4
"""Channel of a pose that holds the translation along x."""


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


def clock_rig(durations: Mapping[str, float], events: Mapping[str, Sequence[float]] | None = None) -> Rig:
    """Make a rig that tells the time: its one joint goes along x by a metre a second in every clip. Nothing is baked.

    Args:
        durations: Duration per clip [s].
        events: Times of the events of clips [s]; they are called ``clip@time``.
    """
    rest = pack_pose(np.array([[0.0, 0.0, 0.0, 1.0]]), np.zeros((1, 3)), np.ones((1, 3)))
    rig = Rig(
        name="clock",
        content_hash="",
        joint_names=("root",),
        parent=np.full(1, -1, np.int32),
        node=np.zeros(1, np.int32),
        rest=rest,
        clips=_clock_clips(durations, events or {}, rest),
        palette=Palette(np.zeros(1, np.int32), np.eye(3, 4, dtype=np.float32)[None]),
        mesh=_empty_mesh(),
        materials=(),
        images=(),
        bounds=np.zeros((2, 3), np.float32),
        report=BakeReport((), 0.0, 1.0, 0, 0.0),
    )
    for array in rig.arrays():
        array.flags.writeable = False
    return rig


def _clock_clips(durations: Mapping[str, float], events: Mapping[str, Sequence[float]], rest: LocalPose) -> ClipBank:
    """Return clips of two frames that key the one joint and move it along x."""
    count = len(durations)
    frames = np.zeros((count, 2, LANE_COUNT), np.float32)
    frames[:, 1, 0] = list(durations.values())
    times = [sorted(events.get(name, ())) for name in durations]
    names = tuple(f"{name}@{time:g}" for name, marks in zip(durations, times, strict=True) for time in marks)
    return ClipBank(
        names=tuple(durations),
        duration=np.array(list(durations.values()), np.float64),
        frame_count=np.full(count, 2, np.int32),
        base=np.tile(rest, (count, 1, 1, 1)),
        base_index=np.arange(count, dtype=np.int32),
        row_start=np.arange(count + 1, dtype=np.int32),
        row_offset=np.full(count, X_CHANNEL * LANE_COUNT, np.int32),
        quat_row_count=np.zeros(count, np.int32),
        row_hold=np.zeros(count, np.uint32),
        data_start=np.arange(count, dtype=np.int64) * frames[0].size if count else np.zeros(0, np.int64),
        data=frames.reshape(-1),
        morph_start=np.full(count, -1, np.int64),
        morph_data=np.zeros(0, np.float32),
        morph_hold=np.zeros((count, 0), np.uint8),
        bounds=np.zeros((count, 2, 3), np.float32),
        keyed=np.ones((count, 1, 3), np.uint32),
        additive=np.zeros(count, np.uint8),
        event_start=np.cumsum([0, *map(len, times)]).astype(np.int32),
        event_time=np.array([time for marks in times for time in marks], np.float64),
        event_names=names,
        event_payloads=(None,) * len(names),
        packed=no_packed_clips(count),
    )


def _empty_mesh() -> RigMesh:
    vectors = np.zeros((0, 3), np.float32)
    return RigMesh(
        positions=vectors,
        normals=vectors,
        uvs=np.zeros((0, 2), np.float32),
        colors=np.zeros((0, 4), np.float32),
        joints=np.zeros((0, 1), np.int32),
        weights=np.zeros((0, 1), np.float32),
        triangles=np.zeros((0, 3), np.uint32),
        draws=(),
        morph_names=(),
        morph_rest=np.zeros(0, np.float32),
        morph_start=np.zeros(1, np.int32),
        morph_vert=np.zeros(0, np.int32),
        morph_position=vectors,
        morph_normal=vectors,
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
