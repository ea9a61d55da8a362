"""What is in a character, in numbers."""

from __future__ import annotations

from typing import Any

from skelter.assets.character import Character, Clip, Mesh


def summarize(character: Character) -> dict[str, Any]:
    """Count what a character holds.

    Returns:
        ``name``, ``generator``, ``nodes``, ``joints`` (nodes that any skin uses), and lists of dicts ``meshes``,
        ``skins``, ``clips`` and ``materials``; ``warnings`` are texts.
    """
    joints = {int(node) for skin in character.skins for node in skin.joints}
    return {
        "name": character.name,
        "generator": character.generator,
        "nodes": len(character.nodes),
        "joints": len(joints),
        "meshes": [_mesh(mesh) for mesh in character.meshes],
        "skins": [{"name": skin.name, "joints": len(skin.joints)} for skin in character.skins],
        "clips": [_clip(clip) for clip in character.clips],
        "materials": [
            {
                "name": material.name,
                "alpha": material.alpha_mode,
                "texture": material.base_color_image >= 0,
                "double_sided": material.double_sided,
            }
            for material in character.materials
        ],
        "warnings": [str(warning) for warning in character.warnings],
    }


def _mesh(mesh: Mesh) -> dict[str, Any]:
    return {
        "name": mesh.name,
        "primitives": len(mesh.primitives),
        "vertices": sum(len(primitive.positions) for primitive in mesh.primitives),
        "triangles": sum(len(primitive.triangles) for primitive in mesh.primitives),
        "influences": max((primitive.joints.shape[1] for primitive in mesh.primitives), default=0),
        "morphs": len(mesh.target_names),
    }


def _clip(clip: Clip) -> dict[str, Any]:
    return {
        "name": clip.name,
        "duration": round(clip.duration, 6),
        "start": round(clip.start, 6),
        "tracks": len(clip.tracks),
        "keys": sum(len(track.times) for track in clip.tracks),
        "interpolation": " ".join(sorted({track.interpolation for track in clip.tracks})),
    }
