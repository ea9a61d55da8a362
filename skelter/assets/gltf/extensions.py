"""Which glTF extensions skelter reads, which it may ignore, and which it must refuse."""

from __future__ import annotations

from skelter.assets.gltf.document import Document

READ = {
    "KHR_mesh_quantization",
    "EXT_meshopt_compression",
    "KHR_meshopt_compression",
    "KHR_draco_mesh_compression",
    "KHR_animation_pointer",
    "KHR_texture_transform",
    "KHR_materials_unlit",
    "EXT_texture_webp",
}
"""Extensions whose data is used."""

HARMLESS = {
    "EXT_lights_image_based",
    "EXT_lights_ies",
    "FB_ngon_encoding",
    "KHR_interactivity",
    "KHR_lights_punctual",
    "KHR_materials_anisotropy",
    "KHR_materials_clearcoat",
    "KHR_materials_dispersion",
    "KHR_materials_emissive_strength",
    "KHR_materials_ior",
    "KHR_materials_iridescence",
    "KHR_materials_pbrSpecularGlossiness",
    "KHR_materials_sheen",
    "KHR_materials_specular",
    "KHR_materials_transmission",
    "KHR_materials_variants",
    "KHR_materials_volume",
    "KHR_node_hoverability",
    "KHR_node_selectability",
    "KHR_texture_basisu",
    "KHR_xmp",
    "KHR_xmp_json_ld",
    "VRM",
    "VRMC_materials_hdr_emissiveMultiplier",
    "VRMC_materials_mtoon",
    "VRMC_node_constraint",
    "VRMC_springBone",
    "VRMC_vrm",
    "VRMC_vrm_animation",
}
"""Extensions that change neither a pose nor a vertex. They are ignored; what they would add is not shown."""


def check_extensions(document: Document) -> None:
    """Refuse required extensions that skelter does not know; warn about used ones.

    Raises:
        AssetError: The file requires an extension that is neither read nor harmless.
    """
    gltf = document.gltf
    known = READ | HARMLESS
    unknown = [name for name in gltf.extensions_required if name not in known]
    if unknown:
        raise document.error(
            "extensionsRequired", f"the file cannot be read without {', '.join(unknown)}, which skelter does not know"
        )
    if "VRM" in gltf.extensions_used:
        document.warn("extensions.VRM", "a VRM 0 character faces -Z, not +Z; it is not turned")
    for name in gltf.extensions_used:
        if name not in known:
            document.warn("extensionsUsed", f"the extension {name} is unknown; what it adds is ignored")
