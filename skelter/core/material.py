"""Materials and images: the part of a character that is the same before and after baking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

AlphaMode = Literal["OPAQUE", "MASK", "BLEND"]


@dataclass(slots=True)
class Image:
    """An encoded picture (PNG or JPEG bytes). It is decoded only when something is drawn."""

    name: str
    mime_type: str
    data: bytes


@dataclass(slots=True)
class Material:
    """As much of a material as a picture needs.

    Attributes:
        name: Name in the file, may be empty.
        base_color: Linear RGBA factor.
        base_color_image: Index into ``Character.images``, -1 for none.
        uv_offset, uv_scale, uv_rotation: ``KHR_texture_transform`` of the base colour texture.
        alpha_mode: ``OPAQUE``, ``MASK`` or ``BLEND``.
        alpha_cutoff: Threshold of ``MASK``.
        double_sided: Back faces are drawn.
        emissive: Linear RGB added to the lit colour.
        roughness, metallic: Factors of the metallic-roughness model.
        unlit: ``KHR_materials_unlit``.
    """

    name: str = ""
    base_color: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    base_color_image: int = -1
    uv_offset: tuple[float, float] = (0.0, 0.0)
    uv_scale: tuple[float, float] = (1.0, 1.0)
    uv_rotation: float = 0.0
    alpha_mode: AlphaMode = "OPAQUE"
    alpha_cutoff: float = 0.5
    double_sided: bool = False
    emissive: tuple[float, float, float] = (0.0, 0.0, 0.0)
    roughness: float = 1.0
    metallic: float = 1.0
    unlit: bool = False
