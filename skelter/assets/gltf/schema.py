"""The parts of the glTF 2.0 JSON that skelter reads, as typed structs.

`msgspec` checks the types while it parses and names the place of a wrong one. Ranges and references are checked where
they are used. Source: the glTF 2.0 specification, section 5 (properties reference).
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from skelter.core.checks import NUMBER_MAX

Extensions = dict[str, Any]
Number = Annotated[float, msgspec.Meta(ge=-NUMBER_MAX, le=NUMBER_MAX)]


class Schema(msgspec.Struct, gc=False):
    """Base of all structs of this file: never part of a reference cycle, so not tracked for one."""


class Asset(Schema, rename="camel"):
    """``asset``: version and origin."""

    version: str = ""
    min_version: str = ""
    generator: str = ""


class Buffer(Schema, rename="camel"):
    """``buffers[]``: raw bytes."""

    byte_length: int
    uri: str | None = None
    extensions: Extensions = {}


class BufferView(Schema, rename="camel"):
    """``bufferViews[]``: a range of a buffer."""

    buffer: int
    byte_length: int
    byte_offset: int = 0
    byte_stride: int | None = None
    extensions: Extensions = {}


class SparseIndices(Schema, rename="camel"):
    """``accessors[].sparse.indices``."""

    buffer_view: int
    component_type: int
    byte_offset: int = 0


class SparseValues(Schema, rename="camel"):
    """``accessors[].sparse.values``."""

    buffer_view: int
    byte_offset: int = 0


class Sparse(Schema):
    """``accessors[].sparse``: elements that replace those of the base."""

    count: int
    indices: SparseIndices
    values: SparseValues


class Accessor(Schema, rename="camel"):
    """``accessors[]``: a typed view of a buffer view."""

    component_type: int
    count: int
    type: str
    buffer_view: int | None = None
    byte_offset: int = 0
    normalized: bool = False
    sparse: Sparse | None = None


class Node(Schema):
    """``nodes[]``: a transform, with what hangs on it."""

    name: str = ""
    children: list[int] = []
    matrix: list[float] | None = None
    translation: list[float] | None = None
    rotation: list[float] | None = None
    scale: list[float] | None = None
    mesh: int | None = None
    skin: int | None = None
    weights: list[float] | None = None


class Scene(Schema):
    """``scenes[]``: roots of what is shown."""

    nodes: list[int] = []


class Skin(Schema, rename="camel"):
    """``skins[]``: joints and their inverse bind matrices."""

    joints: list[int] = []
    inverse_bind_matrices: int | None = None
    skeleton: int | None = None
    name: str = ""


class Primitive(Schema):
    """``meshes[].primitives[]``: attributes, indices, targets."""

    attributes: dict[str, int] = {}
    indices: int | None = None
    material: int | None = None
    mode: int = 4
    targets: list[dict[str, int]] = []
    extensions: Extensions = {}


class Mesh(Schema):
    """``meshes[]``: primitives that share morph targets."""

    primitives: list[Primitive] = []
    weights: list[float] = []
    name: str = ""
    extras: Any = None


class ChannelTarget(Schema):
    """``animations[].channels[].target``."""

    path: str = ""
    node: int | None = None
    extensions: Extensions = {}


class Channel(Schema):
    """``animations[].channels[]``: connects a sampler to a target."""

    sampler: int
    target: ChannelTarget


class Sampler(Schema):
    """``animations[].samplers[]``: key times and values."""

    input: int
    output: int
    interpolation: str = "LINEAR"


class Animation(Schema):
    """``animations[]``: one clip."""

    channels: list[Channel] = []
    samplers: list[Sampler] = []
    name: str = ""
    extras: Any = None


class TextureInfo(Schema, rename="camel"):
    """Reference of a material to a texture."""

    index: int
    tex_coord: int = 0
    extensions: Extensions = {}


class TextureTransform(Schema, rename="camel"):
    """``extensions.KHR_texture_transform`` of a reference to a texture."""

    offset: tuple[Number, Number] = (0.0, 0.0)
    scale: tuple[Number, Number] = (1.0, 1.0)
    rotation: Number = 0.0
    tex_coord: int | None = None


class MetallicRoughness(Schema, rename="camel"):
    """``materials[].pbrMetallicRoughness``."""

    base_color_factor: tuple[float, ...] = (1.0, 1.0, 1.0, 1.0)
    base_color_texture: TextureInfo | None = None
    metallic_factor: Number = 1.0
    roughness_factor: Number = 1.0
    metallic_roughness_texture: TextureInfo | None = None


class Material(Schema, rename="camel"):
    """``materials[]``: as far as a picture needs it."""

    name: str = ""
    pbr_metallic_roughness: MetallicRoughness = msgspec.field(default_factory=MetallicRoughness)
    emissive_factor: tuple[float, ...] = (0.0, 0.0, 0.0)
    emissive_texture: TextureInfo | None = None
    alpha_mode: str = "OPAQUE"
    alpha_cutoff: Number = 0.5
    double_sided: bool = False
    extensions: Extensions = {}


class Texture(Schema):
    """``textures[]``: an image and how it is sampled."""

    source: int | None = None
    extensions: Extensions = {}


class Image(Schema, rename="camel"):
    """``images[]``: an encoded picture."""

    uri: str | None = None
    buffer_view: int | None = None
    mime_type: str = ""
    name: str = ""


class Gltf(Schema, rename="camel"):
    """The whole document."""

    asset: Asset = msgspec.field(default_factory=Asset)
    extensions_used: list[str] = []
    extensions_required: list[str] = []
    buffers: list[Buffer] = []
    buffer_views: list[BufferView] = []
    accessors: list[Accessor] = []
    nodes: list[Node] = []
    scenes: list[Scene] = []
    scene: int | None = None
    skins: list[Skin] = []
    meshes: list[Mesh] = []
    animations: list[Animation] = []
    materials: list[Material] = []
    textures: list[Texture] = []
    images: list[Image] = []
