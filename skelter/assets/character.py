"""Character: what a file holds, raw and editable, before it is baked.

A `Character` keeps the *nodes* of its file in the file's order (a parent may come after its child), curves with their
own key times, meshes, skins, morph targets and materials. Nothing here is packed; `skelter.baking` makes a `Rig` of it.
Space is glTF's: right-handed, +Y up, characters face +Z, metres, seconds, quaternions xyzw.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from skelter.core.arrays import (
    KeyTimes,
    KeyValues,
    Matrices,
    MorphDeltas,
    NodeParents,
    Rotations,
    Scales,
    Translations,
    Triangles,
    VertexColors,
    VertexCoords,
    VertexJoints,
    VertexVectors,
    VertexWeights,
)
from skelter.core.errors import ArgumentError, unknown_name
from skelter.core.material import Image, Material

Path = Literal["translation", "rotation", "scale", "weights"]
Interpolation = Literal["LINEAR", "STEP", "CUBICSPLINE"]
AdditiveReference = Literal["rest", "first_frame", "clip"]


@dataclass(slots=True)
class Nodes:
    """The transform hierarchy, one row per node, in the order of the file.

    Attributes:
        names: Unique names. A name that the file uses twice gets a suffix, an empty one becomes ``node_<index>``.
        parent: int32 ``[node]``, -1 for a root. Not sorted.
        translation: Rest translation [m], float64 ``[node, 3]``.
        rotation: Rest rotation, unit quaternion xyzw, float64 ``[node, 4]``.
        scale: Rest scale [1], float64 ``[node, 3]``.
    """

    names: list[str]
    parent: NodeParents
    translation: Translations
    rotation: Rotations
    scale: Scales

    def __len__(self) -> int:
        return len(self.names)


@dataclass(slots=True)
class Track:
    """One animated property of one node.

    Attributes:
        node: Index of the node that moves.
        path: ``translation`` [m], ``rotation`` (quaternion xyzw), ``scale`` [1] or ``weights`` (of morph targets) [1].
        interpolation: ``LINEAR`` (slerp for rotations), ``STEP`` or ``CUBICSPLINE``.
        times: Key times [s], clip time, float64 ``[key]``, strictly increasing.
        values: float64 ``[key, value]``; CUBICSPLINE ``[key, 3, value]`` (in-tangent, value, out-tangent; per second).
    """

    node: int
    path: Path
    interpolation: Interpolation
    times: KeyTimes
    values: KeyValues


@dataclass(frozen=True, slots=True)
class ClipEvent:
    """A moment of a clip that fires when it is played across, such as a footstep.

    Attributes:
        time: Clip time [s], from 0 to the duration of the clip.
        name: What happens. Not empty; need not be unique.
        payload: Any value that JSON can hold.
    """

    time: float
    name: str
    payload: Any = None


@dataclass(frozen=True, slots=True)
class Additive:
    """What the deltas of an additive clip are taken against.

    Per property: ``t - t_ref``, ``conj(q_ref) * q``, ``s / s_ref``, and ``w - w_ref`` for morph weights.

    Attributes:
        reference: ``rest`` (the rest pose), ``first_frame`` (the clip itself at time 0) or ``clip`` (another clip).
        clip: Name of the reference clip; properties without a track in it have their rest value. Only for ``clip``.
        time: Time in the reference clip [s]. Only for ``clip``.
    """

    reference: AdditiveReference = "rest"
    clip: str = ""
    time: float = 0.0


@dataclass(slots=True)
class Clip:
    """A named set of tracks on one timeline.

    Clip time 0 is the first key of the clip in the file, so that a loop has no pause at its start.

    Attributes:
        name: Unique name within the character.
        tracks: The tracks. A node without a track keeps its rest value.
        duration: Time of the last key [s].
        start: File time of clip time 0 [s]. ``file time = start + clip time``.
        events: Moments that fire when the clip is played across them, in any order.
        additive: What the clip is baked against, as deltas; None for a clip of poses. Tracks hold poses either way.
    """

    name: str
    tracks: list[Track]
    duration: float
    start: float = 0.0
    events: list[ClipEvent] = field(default_factory=list)
    additive: Additive | None = None


@dataclass(slots=True)
class Primitive:
    """A set of triangles with one material.

    Attributes:
        positions: Bind-space positions [m], float32 ``[vert, 3]``.
        triangles: uint32 ``[tri, 3]``; empty for points and lines.
        normals: Unit normals, float32 ``[vert, 3]``, or None.
        uvs: Texture coordinates of the base colour texture, float32 ``[vert, 2]``, or None.
        colors: Linear RGBA, float32 ``[vert, 4]``, or None.
        joints: Indices into ``Skin.joints``, int32 ``[vert, influence]``; influence is 0 without a skin.
        weights: float32 ``[vert, influence]``, each row sums to 1.
        morph_positions: float32 ``[target, vert, 3]`` deltas [m].
        morph_normals: float32 ``[target, vert, 3]`` deltas, or None.
        material: Index into ``Character.materials``, -1 for the default material.
    """

    positions: VertexVectors
    triangles: Triangles
    normals: VertexVectors | None = None
    uvs: VertexCoords | None = None
    colors: VertexColors | None = None
    joints: VertexJoints = field(default_factory=lambda: np.zeros((0, 0), np.int32))
    weights: VertexWeights = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    morph_positions: MorphDeltas = field(default_factory=lambda: np.zeros((0, 0, 3), np.float32))
    morph_normals: MorphDeltas | None = None
    material: int = -1


@dataclass(slots=True)
class Mesh:
    """A list of primitives that share morph targets.

    Attributes:
        name: Name in the file, may be empty.
        primitives: The primitives.
        target_names: Names of the morph targets; ``target_<index>`` where the file has none.
    """

    name: str
    primitives: list[Primitive]
    target_names: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Skin:
    """The joints that a mesh is bound to.

    Attributes:
        name: Name in the file, may be empty.
        joints: Node index of each joint, int32 ``[joint]``.
        joint_from_bind: Inverse bind matrices, float64 ``[joint, 4, 4]``, row-major, column vectors.
    """

    name: str
    joints: NodeParents
    joint_from_bind: Matrices


@dataclass(slots=True)
class MeshInstance:
    """A mesh at a node.

    Attributes:
        node: Node that holds the mesh. Its transform is used only when there is no skin.
        mesh: Index into ``Character.meshes``.
        skin: Index into ``Character.skins``, -1 for a rigid mesh.
        weights: Default morph weights, float64 ``[target]``.
        visible: False when the node is not in the file's default scene.
    """

    node: int
    mesh: int
    skin: int = -1
    weights: np.ndarray = field(default_factory=lambda: np.zeros(0))
    visible: bool = True


@dataclass(frozen=True, slots=True)
class AssetWarning:
    """An oddity of the file that was mended or ignored.

    Attributes:
        where: Place in the file, as a JSON path such as ``animations[2].channels[0]``.
        message: What was found and what was done.
    """

    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"


@dataclass(slots=True)
class Character:
    """Everything that was read from a character file.

    Attributes:
        name: File name without its suffix.
        nodes: The hierarchy.
        clips: Animations, in the order of the file.
        meshes, skins, instances, materials, images: What there is to draw.
        warnings: Oddities, each with its place in the file.
        source: Path of the file, or a word for a character made in code.
        generator: What wrote the file, as it says itself.
    """

    name: str
    nodes: Nodes
    clips: list[Clip] = field(default_factory=list)
    meshes: list[Mesh] = field(default_factory=list)
    skins: list[Skin] = field(default_factory=list)
    instances: list[MeshInstance] = field(default_factory=list)
    materials: list[Material] = field(default_factory=list)
    images: list[Image] = field(default_factory=list)
    warnings: list[AssetWarning] = field(default_factory=list)
    source: str = ""
    generator: str = ""

    @property
    def clip_names(self) -> tuple[str, ...]:
        """Names of the clips, unique, in order."""
        return tuple(clip.name for clip in self.clips)

    def clip(self, name: str) -> Clip:
        """Return the clip called ``name``; raise ArgumentError that offers near names if there is none."""
        for clip in self.clips:
            if clip.name == name:
                return clip
        raise ArgumentError(unknown_name("clip", name, self.clip_names))
