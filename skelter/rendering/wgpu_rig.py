"""A rig on the graphics device: uploaded once, drawn any number of times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import wgpu

from skelter.core.arrays import Picture
from skelter.core.errors import ArgumentError
from skelter.core.material import AlphaMode
from skelter.rendering.images import decode_mips
from skelter.rendering.packing import CHARACTER, RIG, pack_influences, pack_material, pack_morphs, pack_vertices
from skelter.rendering.scene import Batch
from skelter.rendering.wgpu_device import STORAGE_BYTES, storage_buffer, uniform_buffer
from skelter.rendering.wgpu_pipelines import Layouts
from skelter.rig.rig import Draw, Rig

WHITE = np.full((1, 1, 4), 255, np.uint8)


@dataclass(frozen=True, slots=True)
class Run:
    """Triangles that are drawn with one material.

    Attributes:
        alpha_mode: Decides the pipeline.
        double_sided: Decides the pipeline.
        material: Bind group of the material.
        first_index, index_count: Range in the index buffer.
    """

    alpha_mode: AlphaMode
    double_sided: bool
    material: Any
    first_index: int
    index_count: int


@dataclass(frozen=True, slots=True)
class UploadedRig:
    """Buffers of a rig.

    Attributes:
        rig: What was uploaded; kept so that its identity stays taken.
        indices: Index buffer, uint32.
        buffers: Rig record, vertices, influences, start of deltas, deltas: bindings 0 to 4 of group 1.
        runs: What to draw.
    """

    rig: Rig
    indices: Any
    buffers: tuple[Any, ...]
    runs: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class CharacterRange:
    """Characters of a batch whose matrices fit in one storage buffer.

    Attributes:
        uploaded: Their rig.
        char_count: How many there are.
        mirrored: Some matrix turns triangles inside out, so that back faces must not be culled.
        bind_group: Group 1.
    """

    uploaded: UploadedRig
    char_count: int
    mirrored: bool
    bind_group: Any


def upload_rig(device: Any, layouts: Layouts, rig: Rig, tint_all: bool) -> UploadedRig:
    """Put the meshes, materials and pictures of a rig on the device."""
    mesh = rig.mesh
    record = np.zeros((), RIG)
    record["influence_count"] = mesh.joints.shape[1]
    record["palette_count"], record["morph_count"] = len(rig.palette.joint), len(mesh.morph_names)
    arrays = [pack_vertices(mesh), pack_influences(mesh), *pack_morphs(mesh)]
    largest = max(array.nbytes for array in (*arrays, mesh.triangles))
    if largest > STORAGE_BYTES:
        raise ArgumentError(f"{rig.name}: a mesh array has {largest} bytes; {STORAGE_BYTES} can be drawn at most")
    buffers = (uniform_buffer(device, record), *(storage_buffer(device, array) for array in arrays))
    indices = storage_buffer(device, mesh.triangles.ravel(), wgpu.BufferUsage.INDEX)
    return UploadedRig(rig, indices, buffers, _upload_runs(device, layouts, rig, tint_all))


def _upload_runs(device: Any, layouts: Layouts, rig: Rig, tint_all: bool) -> tuple[Run, ...]:
    visible = [draw for draw in rig.mesh.draws if draw.visible and draw.tri_count]
    sampler = device.create_sampler(
        address_mode_u="repeat",
        address_mode_v="repeat",
        mag_filter="linear",
        min_filter="linear",
        mipmap_filter="linear",
        max_anisotropy=4,
    )
    textures: dict[int, Any] = {-1: _upload_texture(device, [WHITE])}
    groups: dict[int, Any] = {}
    for index in {draw.material for draw in visible}:
        material = rig.materials[index]
        image = material.base_color_image
        if image not in textures:
            textures[image] = _upload_texture(device, decode_mips(rig.images[image]))
        record = uniform_buffer(device, pack_material(material, tint_all))
        entries = [{"buffer": record}, textures[image].create_view(), sampler]
        groups[index] = bind(device, layouts.material, entries)
    return tuple(_run(rig, draw, groups[draw.material]) for draw in visible)


def _run(rig: Rig, draw: Draw, group: Any) -> Run:
    material = rig.materials[draw.material]
    return Run(material.alpha_mode, material.double_sided, group, draw.tri_start * 3, draw.tri_count * 3)


def _upload_texture(device: Any, levels: list[Picture]) -> Any:
    height, width = levels[0].shape[:2]
    texture = device.create_texture(
        size=(width, height, 1),
        mip_level_count=len(levels),
        format="rgba8unorm-srgb",
        usage=wgpu.TextureUsage.TEXTURE_BINDING | wgpu.TextureUsage.COPY_DST,
    )
    for level, picture in enumerate(levels):
        rows, columns = picture.shape[:2]
        device.queue.write_texture(
            {"texture": texture, "mip_level": level},
            np.ascontiguousarray(picture),
            {"bytes_per_row": columns * 4, "rows_per_image": rows},
            (columns, rows, 1),
        )
    return texture


def upload_characters(device: Any, layouts: Layouts, uploaded: UploadedRig, batch: Batch) -> list[CharacterRange]:
    """Put the matrices, places, tints and morph weights of a batch on the device, in ranges that fit in a buffer."""
    matrices, weights = batch.skinning_matrices, batch.morphs()
    characters = np.zeros(batch.char_count, CHARACTER)
    characters["world_from_model"] = batch.placements()
    if batch.tint is not None:
        characters["tint"], characters["tinted"] = batch.tint, 1.0
    char_bytes = max(matrices[:1].nbytes, weights[:1].nbytes, CHARACTER.itemsize)
    step = max(STORAGE_BYTES // char_bytes, 1)
    ranges = []
    for start in range(0, batch.char_count, step):
        arrays = (array[start : start + step] for array in (matrices, characters, weights))
        buffers = (*uploaded.buffers, *(storage_buffer(device, array) for array in arrays))
        group = bind(device, layouts.characters, [{"buffer": buffer} for buffer in buffers])
        count = min(step, batch.char_count - start)
        ranges.append(CharacterRange(uploaded, count, _is_mirrored(batch, slice(start, start + step)), group))
    return ranges


def _is_mirrored(batch: Batch, chars: slice) -> bool:
    """Return whether the determinant of world_from_bind is negative for any palette entry of these characters."""
    sign = np.sign(np.linalg.det(batch.skinning_matrices[chars, :, :, :3]))
    return bool((sign * np.sign(np.linalg.det(batch.placements()[chars, None, :, :3])) < 0.0).any())


def bind(device: Any, layout: Any, resources: list[Any]) -> Any:
    """Return a bind group with resources at bindings 0, 1, 2 and so on."""
    entries = [{"binding": index, "resource": resource} for index, resource in enumerate(resources)]
    return device.create_bind_group(layout=layout, entries=entries)
