"""Small characters for tests, written by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skelter.assets.character import Character, Clip, Interpolation, Mesh, MeshInstance, Nodes, Path, Primitive, Track

X, Y, Z = np.eye(3)


def make_nodes(parent: list[int], **values: ArrayLike) -> Nodes:
    """Nodes 10 cm above each other, or with the given translation, rotation, scale and names."""
    count = len(parent)
    given: dict[str, Any] = {
        "translation": [[0.0, 0.1, 0.0]] * count,
        "rotation": [[0.0, 0.0, 0.0, 1.0]] * count,
        "scale": [[1.0, 1.0, 1.0]] * count,
    }
    names = values.pop("names", [f"node_{index}" for index in range(count)])
    arrays = {name: np.array(value, np.float64) for name, value in (given | values).items()}
    return Nodes(names=list(names), parent=np.array(parent, np.int32), **arrays)  # type: ignore[call-overload]


def turn(axis: ArrayLike, angle: ArrayLike) -> np.ndarray:
    """Quaternions xyzw that turn about a unit axis by angles [rad]."""
    half = np.asarray(angle, np.float64)[..., None] / 2
    return np.concatenate([np.sin(half) * np.asarray(axis), np.cos(half)], axis=-1)


def make_track(
    node: int, path: Path, times: ArrayLike, values: ArrayLike, interpolation: Interpolation = "LINEAR"
) -> Track:
    return Track(node, path, interpolation, np.array(times, np.float64), np.array(values, np.float64))


def make_clip(name: str, *tracks: Track) -> Clip:
    return Clip(name, list(tracks), max((float(track.times[-1]) for track in tracks), default=0.0))


def make_primitive(positions: ArrayLike, **values: Any) -> Primitive:
    points = np.array(positions, np.float32).reshape(-1, 3)
    triangles = np.arange(len(points) // 3 * 3, dtype=np.uint32).reshape(-1, 3)
    return Primitive(points, triangles, **values)


def rigid(nodes: Nodes, node: int, positions: ArrayLike, *clips: Clip) -> Character:
    """A character with one rigid mesh."""
    mesh = Mesh("rigid", [make_primitive(positions)])
    return Character("rigid", nodes, list(clips), [mesh], instances=[MeshInstance(node, 0)])


def walker(*clips: Clip, joint_count: int = 3, **values: ArrayLike) -> Character:
    """A chain of joints without a mesh."""
    return Character("walker", make_nodes([index - 1 for index in range(joint_count)], **values), list(clips))
