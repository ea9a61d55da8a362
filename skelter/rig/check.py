"""Check that a rig holds together: kernels follow its indices without looking."""

from __future__ import annotations

import numpy as np

from skelter.core.arrays import LANE_COUNT
from skelter.rig.check_packed import check_packed
from skelter.rig.rig import ClipBank, Rig, RigMesh


def check_rig(rig: Rig) -> None:
    """Check shapes and indices of a rig that comes from a file.

    Raises:
        ValueError: An array has a wrong length, or an index points nowhere. The message names the array.
    """
    joints, blocks = rig.joint_count, rig.rest.shape[0]
    _length("parent", rig.parent, joints)
    _length("node", rig.node, joints)
    if joints == 0 or blocks * 16 < joints or rig.rest.shape != (blocks, 10, 16):
        raise ValueError(f"rest has shape {rig.rest.shape} for {joints} joints")
    _range("parent", rig.parent, -1, np.arange(joints))
    _range("palette.joint", rig.palette.joint, 0, joints)
    _shape("palette.joint_from_bind", rig.palette.joint_from_bind, (len(rig.palette.joint), 3, 4))
    _check_mesh(rig.mesh, len(rig.palette.joint), len(rig.materials))
    _check_clips(rig.clips, blocks, len(rig.mesh.morph_names))
    _check_keyed(rig.clips.keyed, joints)
    for material in rig.materials:
        _range("material.base_color_image", np.array(material.base_color_image), -1, len(rig.images))


def _check_mesh(mesh: RigMesh, palette_count: int, material_count: int) -> None:
    count, morphs = len(mesh.positions), len(mesh.morph_names)
    for name, width in (("positions", 3), ("normals", 3), ("uvs", 2), ("colors", 4)):
        _shape(f"mesh.{name}", getattr(mesh, name), (count, width))
    _shape("mesh.weights", mesh.weights, (count, *mesh.joints.shape[1:]))
    _length("mesh.joints", mesh.joints, count)
    _range("mesh.joints", mesh.joints, 0, palette_count)
    _range("mesh.triangles", mesh.triangles, 0, count)
    _length("mesh.morph_rest", mesh.morph_rest, morphs)
    _starts("mesh.morph_start", mesh.morph_start, morphs, len(mesh.morph_vert))
    _range("mesh.morph_vert", mesh.morph_vert, 0, count)
    for name in ("morph_position", "morph_normal"):
        _shape(f"mesh.{name}", getattr(mesh, name), (len(mesh.morph_vert), 3))
    for draw in mesh.draws:
        ends = np.array([draw.tri_start + draw.tri_count, draw.vert_start + draw.vert_count])
        _range("mesh.draws", np.array([draw.tri_start, draw.tri_count, draw.vert_start, draw.vert_count]), 0, None)
        _range("mesh.draws", ends, 0, np.array([len(mesh.triangles), count]) + 1)
        _range("mesh.draws material", np.array(draw.material), 0, material_count)


def _check_clips(clips: ClipBank, blocks: int, morphs: int) -> None:
    count = len(clips.names)
    for name in ("duration", "frame_count", "quat_row_count", "data_start", "morph_start"):
        _length(f"clips.{name}", getattr(clips, name), count)
    _shape("clips.base", clips.base, (len(clips.base), blocks, 10, 16))
    _length("clips.base_index", clips.base_index, count)
    _range("clips.base_index", clips.base_index, -1, len(clips.base))
    _shape("clips.bounds", clips.bounds, (count, 2, 3))
    _shape("clips.morph_hold", clips.morph_hold, (count, morphs))
    _starts("clips.row_start", clips.row_start, count, len(clips.row_offset))
    _length("clips.row_hold", clips.row_hold, len(clips.row_offset))
    _range("clips.frame_count", clips.frame_count, 1, None)
    rows = np.diff(clips.row_start).astype(np.int64)
    _range("clips.quat_row_count", clips.quat_row_count, 0, rows + 1)
    if (clips.quat_row_count % 4).any():
        raise ValueError("clips.quat_row_count is no multiple of 4")
    place = np.arange(len(clips.row_offset)) - np.repeat(clips.row_start[:-1], rows)
    leads = (place % 4 == 0) & (place < np.repeat(clips.quat_row_count, rows))  # four rows are written from here
    _range("clips.row_offset", clips.row_offset, 0, blocks * 160 - np.where(leads, 63, 15))
    _range("clips.data_start", clips.data_start, 0, None)
    _range("clips.data", clips.data_start + rows * 16 * clips.frame_count, 0, len(clips.data) + 1)
    _range("clips.morph_start", clips.morph_start, -1, None)
    ends = np.where(clips.morph_start < 0, 0, clips.morph_start + clips.frame_count * morphs)
    _range("clips.morph_data", ends, 0, len(clips.morph_data) + 1)
    _shape("clips.keyed", clips.keyed, (count, blocks, 3))
    _length("clips.additive", clips.additive, count)
    _range("clips.additive", clips.additive, 0, 2)
    _check_events(clips)
    check_packed(clips.packed, clips.frame_count, clips.base_index, len(clips.base), blocks * 160)


def _check_keyed(keyed: np.ndarray, joint_count: int) -> None:
    """Check that no lane without a joint is keyed: masks may have no weight for it."""
    lanes = np.zeros((keyed.shape[1], LANE_COUNT), bool)
    lanes.reshape(-1)[:joint_count] = True
    joints = (lanes * np.left_shift(np.uint32(1), np.arange(LANE_COUNT, dtype=np.uint32))).sum(axis=1, dtype=np.uint32)
    if (keyed & ~joints[:, None]).any():
        raise ValueError("clips.keyed has lanes without a joint")


def _check_events(clips: ClipBank) -> None:
    count = len(clips.event_time)
    _starts("clips.event_start", clips.event_start, len(clips.names), count)
    for name, values in (("event_names", clips.event_names), ("event_payloads", clips.event_payloads)):
        if len(values) != count:
            raise ValueError(f"clips.{name} has {len(values)} entries, not {count}")
    clip = np.repeat(np.arange(len(clips.names)), np.diff(clips.event_start))
    if not ((clips.event_time >= 0) & (clips.event_time <= clips.duration[clip])).all():  # False for NaN
        raise ValueError("clips.event_time lies outside of its clip")
    if ((np.diff(clips.event_time) < 0) & (np.diff(clip) == 0)).any():
        raise ValueError("clips.event_time is not sorted")


def _length(name: str, array: np.ndarray, count: int) -> None:
    if len(array) != count:
        raise ValueError(f"{name} has {len(array)} entries, not {count}")


def _shape(name: str, array: np.ndarray, shape: tuple[int, ...]) -> None:
    if array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}, not {shape}")


def _range(name: str, array: np.ndarray, lowest: int, stop: np.ndarray | int | None) -> None:
    if (array < lowest).any() or (stop is not None and (array >= stop).any()):
        raise ValueError(f"{name} points out of range")


def _starts(name: str, starts: np.ndarray, count: int, total: int) -> None:
    """Check a table of starts: one longer than what it is for, from 0 to ``total``, never falling."""
    _length(name, starts, count + 1)
    if starts[0] != 0 or starts[-1] != total or (np.diff(starts) < 0).any():
        raise ValueError(f"{name} is no table of starts")
