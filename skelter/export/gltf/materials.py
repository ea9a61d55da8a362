"""Materials, textures and images of a character as glTF JSON."""

from __future__ import annotations

from typing import Any

from skelter.core.material import Image, Material
from skelter.export.gltf.buffer import BufferWriter

WEBP = "EXT_texture_webp"
MAGIC = {b"\x89PNG": "image/png", b"\xff\xd8": "image/jpeg", b"RIFF": "image/webp"}


def image_json(image: Image, buffer: BufferWriter) -> dict[str, Any] | None:
    """Return an embedded image, or None if its bytes are no picture that a GLB may hold."""
    mime_type = next((name for magic, name in MAGIC.items() if image.data.startswith(magic)), None)
    if mime_type is None:
        return None
    entry: dict[str, Any] = {"bufferView": buffer.view(image.data), "mimeType": mime_type}
    if image.name:
        entry["name"] = image.name
    return entry


def texture_json(index: int, image: dict[str, Any]) -> dict[str, Any]:
    """Return the texture of an image; WebP needs an extension."""
    entry: dict[str, Any] = {"sampler": 0}
    if image["mimeType"] == "image/webp":
        return entry | {"extensions": {WEBP: {"source": index}}}
    return entry | {"source": index}


def material_json(material: Material, texture: int) -> dict[str, Any]:
    """Return a material, its factors clipped to what glTF allows.

    Args:
        material: The material.
        texture: Index of its base colour texture in the file, or -1.
    """
    shading: dict[str, Any] = {
        "baseColorFactor": [min(max(value, 0.0), 1.0) for value in material.base_color],
        "metallicFactor": min(max(material.metallic, 0.0), 1.0),
        "roughnessFactor": min(max(material.roughness, 0.0), 1.0),
    }
    if texture >= 0:
        shading["baseColorTexture"] = {"index": texture, **_transform(material)}
    entry: dict[str, Any] = {"pbrMetallicRoughness": shading}
    if material.name:
        entry["name"] = material.name
    if material.alpha_mode != "OPAQUE":
        entry["alphaMode"] = material.alpha_mode
    if material.alpha_mode == "MASK":
        entry["alphaCutoff"] = max(material.alpha_cutoff, 0.0)
    if material.double_sided:
        entry["doubleSided"] = True
    if any(material.emissive):
        entry["emissiveFactor"] = [min(max(value, 0.0), 1.0) for value in material.emissive]
    if material.unlit:
        entry["extensions"] = {"KHR_materials_unlit": {}}
    return entry


def extensions_of(entry: dict[str, Any]) -> list[str]:
    """Return the extensions that a material or a texture uses."""
    base_color = entry.get("pbrMetallicRoughness", {}).get("baseColorTexture", {})
    return [*entry.get("extensions", {}), *base_color.get("extensions", {})]


def _transform(material: Material) -> dict[str, Any]:
    plain = Material()
    transform: dict[str, Any] = {}
    if material.uv_offset != plain.uv_offset:
        transform["offset"] = list(material.uv_offset)
    if material.uv_scale != plain.uv_scale:
        transform["scale"] = list(material.uv_scale)
    if material.uv_rotation != plain.uv_rotation:
        transform["rotation"] = material.uv_rotation
    return {"extensions": {"KHR_texture_transform": transform}} if transform else {}
