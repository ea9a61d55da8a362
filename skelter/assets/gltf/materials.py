"""Materials, textures and images, as far as a picture needs them."""

from __future__ import annotations

from typing import Any

import msgspec

from skelter.assets.gltf import schema
from skelter.assets.gltf.accessors import AccessorReader
from skelter.assets.gltf.document import Document
from skelter.core.checks import NUMBER_MAX
from skelter.core.errors import AssetError
from skelter.core.material import AlphaMode, Image, Material

ALPHA_MODES: dict[str, AlphaMode] = {"OPAQUE": "OPAQUE", "MASK": "MASK", "BLEND": "BLEND"}
TRANSFORM = "KHR_texture_transform"
IMAGE_COUNT_MAX = 1_024
"""Most images of a file. Each may be a file of its own, to be looked for."""


def read_materials(document: Document) -> tuple[list[Material], list[int]]:
    """Read all materials.

    Returns:
        ``(materials, uv_sets)``: the materials, and which set of texture coordinates each uses for its base colour.

    Raises:
        AssetError: A texture or image does not exist.
    """
    pairs = [
        _read_material(document, material, f"materials[{index}]")
        for index, material in enumerate(document.gltf.materials)
    ]
    return [material for material, _ in pairs], [uv_set for _, uv_set in pairs]


def read_images(document: Document, accessors: AccessorReader) -> list[Image]:
    """Read the encoded bytes of all images. A missing or broken one is empty, with a warning.

    Raises:
        AssetError: There are more images than `IMAGE_COUNT_MAX`, or they are far larger than the file.
    """
    images = document.gltf.images
    if len(images) > IMAGE_COUNT_MAX:
        raise document.error("images", f"the file has {len(images)} images; skelter reads up to {IMAGE_COUNT_MAX}")
    return [_read_image(document, accessors, image, f"images[{index}]") for index, image in enumerate(images)]


def _read_image(document: Document, accessors: AccessorReader, image: schema.Image, where: str) -> Image:
    data: bytes | memoryview = b""
    try:
        if image.uri is not None:
            data = document.read_uri(image.uri, where)
        elif image.buffer_view is not None:
            data = accessors.view(image.buffer_view)
    except AssetError as error:
        document.warn(where, f"the image cannot be read and is left out: {error}")
    document.spend(len(data), where)
    return Image(image.name, image.mime_type, bytes(data))


def _read_material(document: Document, material: schema.Material, where: str) -> tuple[Material, int]:
    shading = material.pbr_metallic_roughness
    texture = shading.base_color_texture
    if material.alpha_mode not in ALPHA_MODES:
        document.warn(f"{where}.alphaMode", f"{material.alpha_mode!r} is unknown; OPAQUE is used")
    red, green, blue, alpha = _channels(document, shading.base_color_factor, 4, f"{where}.baseColorFactor")
    glow_red, glow_green, glow_blue = _channels(document, material.emissive_factor, 3, f"{where}.emissiveFactor")
    result = Material(
        name=material.name,
        base_color=(red, green, blue, alpha),
        alpha_mode=ALPHA_MODES.get(material.alpha_mode, "OPAQUE"),
        alpha_cutoff=material.alpha_cutoff,
        double_sided=material.double_sided,
        # These factors multiply textures that are not read: alone, they would make all of it glow or shine.
        emissive=(glow_red, glow_green, glow_blue) if material.emissive_texture is None else (0.0, 0.0, 0.0),
        roughness=shading.roughness_factor,
        metallic=shading.metallic_factor if shading.metallic_roughness_texture is None else 0.0,
        unlit="KHR_materials_unlit" in material.extensions,
    )
    if texture is None:
        return result, 0
    result.base_color_image = _image_of(document, texture, f"{where}.baseColorTexture")
    return result, _read_transform(document, texture, result, f"{where}.baseColorTexture.extensions.{TRANSFORM}")


def _channels(document: Document, values: tuple[float, ...], count: int, where: str) -> tuple[float, ...]:
    if len(values) != count or not all(abs(value) <= NUMBER_MAX for value in values):
        raise document.error(where, f"{count} finite numbers are needed, not {list(values)}")
    return values


def _image_of(document: Document, info: schema.TextureInfo, where: str) -> int:
    gltf = document.gltf
    texture = gltf.textures[document.check_index(info.index, len(gltf.textures), where, "texture")]
    webp = texture.extensions.get("EXT_texture_webp")
    source = webp.get("source") if isinstance(webp, dict) else texture.source
    if not isinstance(source, int):
        document.warn(where, "the texture has no image that skelter reads; the base colour factor is used alone")
        return -1
    return document.check_index(source, len(gltf.images), where, "image")


def _read_transform(document: Document, info: schema.TextureInfo, out: Material, where: str) -> int:
    """Read ``KHR_texture_transform`` into ``out``; return the set of texture coordinates."""
    transform: Any = info.extensions.get(TRANSFORM)
    if transform is None:
        return max(info.tex_coord, 0)
    try:
        given = msgspec.convert(transform, schema.TextureTransform)
    except msgspec.ValidationError as error:
        raise document.error(where, f"the transform is malformed: {error}") from None
    out.uv_offset, out.uv_scale, out.uv_rotation = given.offset, given.scale, given.rotation
    return max(info.tex_coord if given.tex_coord is None else given.tex_coord, 0)
