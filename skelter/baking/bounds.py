"""Boxes around the vertices of a posed character, from boxes around the vertices of each palette entry."""

from __future__ import annotations

import numpy as np

from skelter.baking.clips import BakedClip
from skelter.baking.measure import play
from skelter.baking.skeleton import Skeleton
from skelter.rig.rig import Palette, RigMesh

FRAME_CHUNK = 256


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
    visible = np.zeros(len(mesh.positions), bool)
    for draw in mesh.draws:
        visible[draw.vert_start : draw.vert_start + draw.vert_count] = draw.visible and draw.tri_count > 0
    vert, influence = np.nonzero((mesh.weights > 0) & visible[:, None])
    entry = mesh.joints[vert, influence]
    low = np.full((len(palette.joint), 3), np.inf)
    high = np.full((len(palette.joint), 3), -np.inf)
    np.minimum.at(low, entry, (mesh.positions - grow)[vert])
    np.maximum.at(high, entry, (mesh.positions + grow)[vert])
    used = np.isfinite(low[:, :1])
    return np.where(used, (low + high) / 2, 0.0), np.where(used, (high - low) / 2, -1.0)


def pose_bounds(model: np.ndarray, palette: Palette, boxes: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Return the box around a set of poses, float32 ``[2, 3]``; around the joints if no vertex is visible.

    Args:
        model: float ``[pose, joint, 3, 4]``.
        palette: The palette.
        boxes: As `entry_boxes` returns them.
    """
    used = boxes[1][:, 0] >= 0
    if not used.any():
        points = model[..., 3]
        return np.array([points.min(axis=(0, 1)), points.max(axis=(0, 1))], np.float32)
    centre, extent = boxes[0][used], boxes[1][used]
    bind = palette.joint_from_bind[used]
    joints = model[:, palette.joint[used]]
    linear = joints[..., :3] @ bind[..., :3]
    middle = np.einsum("fpij,pj->fpi", linear, centre) + np.einsum("fpij,pj->fpi", joints[..., :3], bind[..., 3])
    middle += joints[..., 3]
    reach = np.einsum("fpij,pj->fpi", np.abs(linear), extent)
    return np.array([(middle - reach).min(axis=(0, 1)), (middle + reach).max(axis=(0, 1))], np.float32)


def clip_bounds(
    clip: BakedClip, skeleton: Skeleton, palette: Palette, boxes: tuple[np.ndarray, np.ndarray]
) -> np.ndarray:
    """Return the box around all frames of a clip, float32 ``[2, 3]``."""
    times = np.linspace(0.0, clip.duration, clip.frames.frame_count)
    parts = []
    for start in range(0, len(times), FRAME_CHUNK):
        model, _ = play(clip.frames, clip.duration, skeleton.parent, times[start : start + FRAME_CHUNK])
        parts.append(pose_bounds(model.reshape(len(model), -1, 3, 4), palette, boxes))
    return np.array([np.min(parts, axis=0)[0], np.max(parts, axis=0)[1]], np.float32)
