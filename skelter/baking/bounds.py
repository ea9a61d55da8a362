"""Boxes around the vertices of a posed character, from boxes around the vertices of each palette entry."""

from __future__ import annotations

import numpy as np

from skelter.baking.clips import BakedClip
from skelter.baking.play import play
from skelter.baking.skeleton import Skeleton
from skelter.rig.rig import Palette, RigMesh

SUBSTEPS = 4
"""Between two frames a pose is looked at this often: normalised quaternions bulge out of their chord."""
VERTEX_CHUNK = 1 << 16
CHUNK_FLOATS = 1 << 22
"""Poses are looked at in chunks of about this many floats."""


def entry_boxes(mesh: RigMesh, palette: Palette, morph_reach: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a box in bind space around the visible vertices of each palette entry.

    A skinned vertex is a convex combination of what each of its joints would make of it, so the boxes of all entries,
    moved by their matrices, enclose the character.

    Args:
        mesh: The mesh.
        palette: Its palette.
        morph_reach: float32 ``[morph]``: largest absolute weight.

    Returns:
        ``(centre [palette, 3], half extent [palette, 3])``, float64; extent -1 for an entry without visible vertices.
    """
    grow = np.zeros_like(mesh.positions)
    morph = np.repeat(np.arange(len(mesh.morph_names)), np.diff(mesh.morph_start))
    np.add.at(grow, mesh.morph_vert, np.abs(mesh.morph_position) * morph_reach[morph][:, None])
    vert, influence = np.nonzero((mesh.weights > 0) & _visible(mesh)[:, None])
    entry = mesh.joints[vert, influence]
    low = np.full((len(palette.joint), 3), np.inf)
    high = np.full((len(palette.joint), 3), -np.inf)
    np.minimum.at(low, entry, (mesh.positions - grow)[vert])
    np.maximum.at(high, entry, (mesh.positions + grow)[vert])
    unused = np.isinf(low)
    low[unused], high[unused] = 1.0, -1.0
    return (low + high) / 2, (high - low) / 2


def posed_size(model: np.ndarray, mesh: RigMesh, palette: Palette) -> float:
    """Return the largest side of the box around the visible vertices of one pose, 0 if there are none.

    Args:
        model: float ``[joint, 3, 4]``.
        mesh: The mesh; morph targets do not count.
        palette: Its palette.
    """
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    linear, origin = model[palette.joint, :, :3], model[palette.joint, :, 3]
    bind, visible = palette.joint_from_bind, _visible(mesh)
    axes = linear @ bind[:, :, :3]
    origins = np.einsum("pij,pj->pi", linear, bind[:, :, 3]) + origin
    for start in range(0, len(mesh.positions), VERTEX_CHUNK):
        part = np.flatnonzero(visible[start : start + VERTEX_CHUNK]) + start
        points = np.zeros((len(part), 3))
        for influence in range(mesh.joints.shape[1]):
            entry, weight = mesh.joints[part, influence], mesh.weights[part, influence, None]
            points += weight * (np.einsum("vij,vj->vi", axes[entry], mesh.positions[part]) + origins[entry])
        low = np.minimum(low, points.min(axis=0, initial=np.inf))
        high = np.maximum(high, points.max(axis=0, initial=-np.inf))
    return float((high - low).max()) if (low <= high).all() else 0.0


def _visible(mesh: RigMesh) -> np.ndarray:
    """Return which vertices are drawn, bool ``[vert]``."""
    visible = np.zeros(len(mesh.positions), bool)
    for draw in mesh.draws:
        visible[draw.vert_start : draw.vert_start + draw.vert_count] = draw.visible and draw.tri_count > 0
    return visible


def pose_bounds(model: np.ndarray, palette: Palette, boxes: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Return the box around a set of poses, float32 ``[2, 3]``; around the joints if no vertex is visible.

    Args:
        model: float ``[pose, joint, 3, 4]``.
        palette: The palette.
        boxes: As `entry_boxes` returns them.
    """
    middle, reach = _moved_boxes(model, palette, boxes)
    return np.array([(middle - reach).min(axis=(0, 1)), (middle + reach).max(axis=(0, 1))], np.float32)


def clip_bounds(
    clip: BakedClip, skeleton: Skeleton, palette: Palette, boxes: tuple[np.ndarray, np.ndarray]
) -> np.ndarray:
    """Return the box around a clip, float32 ``[2, 3]``: around its frames and what lies between them."""
    count = clip.frames.frame_count
    times = np.minimum(np.arange(count * SUBSTEPS) / (SUBSTEPS * max(count - 1, 1)), 1.0) * clip.duration
    parts = []
    matrix_count = SUBSTEPS * max(len(skeleton.parent), len(palette.joint))
    step = SUBSTEPS * max(CHUNK_FLOATS // (12 * matrix_count), 1)
    for start in range(0, len(times), step):
        model, _ = play(clip.frames, clip.duration, skeleton.parent, times[start : start + step], clip.packed)
        middle, reach = _moved_boxes(model.reshape(len(model), -1, 3, 4), palette, boxes)
        reach = reach + _bulge(middle) + _bulge(reach)
        parts.append([(middle - reach).min(axis=(0, 1)), (middle + reach).max(axis=(0, 1))])
    return np.array([np.min(parts, axis=0)[0], np.max(parts, axis=0)[1]], np.float32)


def _moved_boxes(
    model: np.ndarray, palette: Palette, boxes: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Return centre and half extent of each box in each pose, ``[pose, box, 3]``; of joints if none has vertices."""
    used = boxes[1][:, 0] >= 0
    if not used.any():
        return model[..., 3], np.zeros_like(model[..., 3])
    centre, extent = boxes[0][used], boxes[1][used]
    bind = palette.joint_from_bind[used]
    joints = model[:, palette.joint[used]]
    linear = joints[..., :3] @ bind[..., :3]
    middle = np.einsum("fpij,pj->fpi", linear, centre) + np.einsum("fpij,pj->fpi", joints[..., :3], bind[..., 3])
    return middle + joints[..., 3], np.einsum("fpij,pj->fpi", np.abs(linear), extent)


def _bulge(path: np.ndarray) -> np.ndarray:
    """Return how far paths may lie beyond the points that were looked at between them.

    A parabola through three points at equal distances exceeds them by at most an eighth of their second difference; a
    quarter leaves room for what is no parabola. Steps lie between frames and are left out.

    Args:
        path: ``[frame * SUBSTEPS, ...]``.
    """
    steps = path.reshape(-1, SUBSTEPS, *path.shape[1:])
    bend: np.ndarray = np.abs(steps[:, 2:] - 2 * steps[:, 1:-1] + steps[:, :-2]).max(axis=(0, 1)) / 4
    return bend
