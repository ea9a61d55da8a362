"""Rig: the packed, immutable form of a character that every engine reads and many characters share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from skelter.core.arrays import (
    JointIndices,
    JointParents,
    RestPose,
    Triangles,
    VertexColors,
    VertexCoords,
    VertexJoints,
    VertexVectors,
    VertexWeights,
)
from skelter.core.errors import ArgumentError, unknown_name
from skelter.core.material import Image, Material
from skelter.rig.packed import PackedClips
from skelter.rig.report import BakeReport


@dataclass(frozen=True, slots=True)
class ClipBank:
    """All clips of a rig at uniform sample rates, animated rows only.

    A *row* is one channel of one block: 16 lanes. Rows that do not change in a clip are kept once in ``base``; the
    others are stored frame after frame, so the two frames of a sample are two contiguous runs of ``row_count * 16``
    floats. Identical clips share their frames.

    The frames of an *additive* clip are deltas against its reference: ``t - t_ref``, ``conj(q_ref) * q`` (w >= 0 in
    frame 0), ``s / s_ref`` and ``w - w_ref``; what it does not key is the identity. Its bounds are those of the poses.

    Attributes:
        names: Clip names, unique.
        duration: float64 ``[clip]`` [s].
        frame_count: int32 ``[clip]``, at least 1. Frame ``f`` lies at ``f * duration / (frame_count - 1)``.
        base: float32 ``[base, block, 10, 16]``: the value of every row that does not change (the others: frame 0).
        base_index: int32 ``[clip]``: base of a clip, -1 for a clip that is packed.
        row_start: int32 ``[clip + 1]``: rows of clip ``c`` are ``row_start[c]:row_start[c + 1]``.
        row_offset: int32 ``[row]``: offset of the row in a pose, in floats. Quaternion rows come in fours and first.
        quat_row_count: int32 ``[clip]``: how many leading rows of the clip are quaternion rows (a multiple of 4).
        row_hold: uint32 ``[row]``: bit set of the lanes that hold their value until the next frame (STEP curves).
        data_start: int64 ``[clip]``: offset of the clip's first frame in ``data``, in floats.
        data: float32 ``[...]``: ``[clip][frame][row][lane]``.
        morph_start: int64 ``[clip]``: offset of the clip's first morph frame in ``morph_data``, -1 if none is animated.
        morph_data: float32 ``[...]``: ``[clip][frame][morph]``.
        morph_hold: uint8 ``[clip, morph]``: 1 where a morph weight holds its value until the next frame.
        bounds: float32 ``[clip, 2, 3]``: box around all vertices over the whole clip, model space [m].
        keyed: uint32 ``[clip, block, 3]``: bit set of the lanes whose translation, rotation, scale has a track.
        additive: uint8 ``[clip]``: 1 where frames are deltas. With morph targets, such a clip has all morph frames.
        event_start: int32 ``[clip + 1]``: events of clip ``c`` are ``event_start[c]:event_start[c + 1]``.
        event_time: float64 ``[event]``: clip time [s], ascending within a clip.
        event_names: Name per event.
        event_payloads: Payload per event, any JSON value. Not to be changed.
        packed: The clips in their small form. They have no rows here, and none of ``data``.
    """

    names: tuple[str, ...]
    duration: np.ndarray
    frame_count: np.ndarray
    base: np.ndarray
    base_index: np.ndarray
    row_start: np.ndarray
    row_offset: np.ndarray
    quat_row_count: np.ndarray
    row_hold: np.ndarray
    data_start: np.ndarray
    data: np.ndarray
    morph_start: np.ndarray
    morph_data: np.ndarray
    morph_hold: np.ndarray
    bounds: np.ndarray
    keyed: np.ndarray
    additive: np.ndarray
    event_start: np.ndarray
    event_time: np.ndarray
    event_names: tuple[str, ...]
    event_payloads: tuple[Any, ...]
    packed: PackedClips


@dataclass(frozen=True, slots=True)
class Palette:
    """The matrices that vertices refer to: one entry per (joint, inverse bind matrix) that any mesh uses.

    Rigid meshes under a joint have an entry with the identity, so that every mesh is drawn the same way.

    Attributes:
        joint: int32 ``[palette]``: joint that moves the entry.
        joint_from_bind: float32 ``[palette, 3, 4]`` [m].
    """

    joint: JointIndices
    joint_from_bind: np.ndarray


@dataclass(frozen=True, slots=True)
class Draw:
    """A range of triangles with one material.

    Attributes:
        name: Name of the mesh.
        tri_start, tri_count: Range in ``RigMesh.triangles``.
        vert_start, vert_count: Range of vertices that the triangles use.
        material: Index into ``Rig.materials``.
        visible: False when the file's default scene does not show it.
        node: Node of the character that holds the mesh.
        primitive: Index of the primitive in its mesh.
    """

    name: str
    tri_start: int
    tri_count: int
    vert_start: int
    vert_count: int
    material: int
    visible: bool
    node: int
    primitive: int


@dataclass(frozen=True, slots=True, weakref_slot=True)
class RigMesh:
    """All vertices of a character in one set of arrays.

    Attributes:
        positions: Bind-space positions [m], float32 ``[vert, 3]``.
        normals: Unit normals, float32 ``[vert, 3]``; made from the triangles where the file has none.
        uvs: float32 ``[vert, 2]``; zeros where the file has none.
        colors: Linear RGBA, float32 ``[vert, 4]``; ones where the file has none.
        joints: Indices into the palette, int32 ``[vert, influence]``, heaviest first.
        weights: float32 ``[vert, influence]``, descending, each row sums to 1; unused influences are 0.
        triangles: uint32 ``[tri, 3]``.
        draws: Ranges, one per primitive of each mesh instance.
        morph_names: ``<mesh>.<target>`` per morph weight.
        morph_rest: float32 ``[morph]``: default weights.
        morph_start: int32 ``[morph + 1]``: deltas of morph ``m`` are ``morph_start[m]:morph_start[m + 1]``.
        morph_vert: int32 ``[delta]``: vertex that a delta moves.
        morph_position: float32 ``[delta, 3]`` [m].
        morph_normal: float32 ``[delta, 3]``.
    """

    positions: VertexVectors
    normals: VertexVectors
    uvs: VertexCoords
    colors: VertexColors
    joints: VertexJoints
    weights: VertexWeights
    triangles: Triangles
    draws: tuple[Draw, ...]
    morph_names: tuple[str, ...]
    morph_rest: np.ndarray
    morph_start: np.ndarray
    morph_vert: np.ndarray
    morph_position: np.ndarray
    morph_normal: np.ndarray


@dataclass(frozen=True, slots=True, repr=False)
class Rig:
    """A baked character.

    Attributes:
        name: Name of the character.
        content_hash: Hash of the inputs and options, 32 hex digits.
        joint_names: Unique names, parents first.
        parent: int32 ``[joint]``, -1 for a root, ``parent[j] < j``.
        node: int32 ``[joint]``: node of the character that a joint comes from.
        rest: Rest pose, float32 ``[block, 10, 16]``.
        clips: The clip bank.
        palette: What skinning matrices are made for.
        mesh: Vertices and triangles.
        materials: Materials; the last one is the default material.
        images: Encoded pictures.
        bounds: float32 ``[2, 3]``: box around the vertices in the rest pose, model space [m].
        report: What baking cost, in error, bytes and seconds.
    """

    name: str
    content_hash: str
    joint_names: tuple[str, ...]
    parent: JointParents
    node: np.ndarray
    rest: RestPose
    clips: ClipBank
    palette: Palette
    mesh: RigMesh
    materials: tuple[Material, ...]
    images: tuple[Image, ...]
    bounds: np.ndarray
    report: BakeReport

    def __repr__(self) -> str:
        size = sum(array.nbytes for array in self.arrays()) / 1e6
        return (
            f"<Rig {self.name!r}: {self.joint_count} joints, {len(self.clip_names)} clips, "
            f"{len(self.mesh.positions)} vertices, {size:.1f} MB>"
        )

    def arrays(self) -> list[np.ndarray]:
        """Return all arrays of the rig, of its clips, palette and mesh."""
        owners = (self, self.clips, self.palette, self.mesh)
        values = (getattr(owner, name) for owner in owners for name in owner.__slots__)
        return [*(value for value in values if isinstance(value, np.ndarray)), *self.clips.packed]

    @property
    def joint_count(self) -> int:
        """Number of joints."""
        return len(self.joint_names)

    @property
    def clip_names(self) -> tuple[str, ...]:
        """Names of the clips."""
        return self.clips.names

    def joint_index(self, name: str) -> int:
        """Return the index of the joint called ``name`` or raise ArgumentError that offers near names."""
        return _index("joint", name, self.joint_names)

    def clip_index(self, name: str) -> int:
        """Return the index of the clip called ``name``; raise ArgumentError with all names if there is none."""
        return _index("clip", name, self.clips.names)


def check_is_rig(value: object) -> None:
    """Raise ArgumentError if an argument that should be a rig is something else, such as a character."""
    if not isinstance(value, Rig):
        raise ArgumentError(f"rig: expected a baked Rig, got {type(value).__name__}; make one with sk.bake(character)")


def _index(kind: str, name: str, names: Sequence[str]) -> int:
    try:
        return names.index(name)
    except ValueError:
        raise ArgumentError(unknown_name(kind, name, names)) from None
