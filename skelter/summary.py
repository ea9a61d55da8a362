"""What is in a character, in numbers."""

from __future__ import annotations

from typing import Any

from skelter.assets.character import Character, Clip, Mesh
from skelter.baking.skeleton import build_skeleton
from skelter.core.errors import BakeError


def summarize(character: Character) -> dict[str, Any]:
    """Count what a character holds.

    Returns:
        ``name``, ``generator``, ``nodes``, ``joints`` (nodes that any skin uses), and lists of dicts ``meshes``,
        ``skins``, ``clips``, ``materials`` and ``hierarchy`` (the joints of its rig, whose names masks use, parents
        first; ``parent`` is a name, or None for a root); ``warnings`` are texts.
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
        "hierarchy": _hierarchy(character),
        "warnings": [str(warning) for warning in character.warnings],
    }


def _hierarchy(character: Character) -> list[dict[str, Any]]:
    try:
        skeleton = build_skeleton(character)
    except BakeError:  # it has no nodes, or more than a rig can have: no rig, no joints
        return []
    names = [character.nodes.names[node] for node in skeleton.node]
    return [
        {"name": name, "parent": names[above] if above >= 0 else None}
        for name, above in zip(names, skeleton.parent.tolist(), strict=True)
    ]


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
        "events": len(clip.events),
        "additive": clip.additive is not None,
        "interpolation": " ".join(sorted({track.interpolation for track in clip.tracks})),
    }
