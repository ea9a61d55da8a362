"""The glTF writer."""

from skelter.export.gltf.export import export_glb, glb_bytes

__all__ = ["export_glb", "glb_bytes"]
