"""Meshes and materials in the memory layout of the shaders (`shaders/skin.wgsl`, `shaders/material.wgsl`)."""

from __future__ import annotations

import math

import numpy as np

from skelter.core.material import Material
from skelter.rig.rig import RigMesh

VERTEX = np.dtype([("position", "<f4", 3), ("u", "<f4"), ("normal", "<f4", 3), ("v", "<f4"), ("color", "<f4", 4)])
INFLUENCE = np.dtype([("entry", "<u4"), ("weight", "<f4")])
DELTA = np.dtype([("position", "<f4", 3), ("morph", "<u4"), ("normal", "<f4", 3), ("spare", "<f4")])
RIG = np.dtype([("influence_count", "<u4"), ("palette_count", "<u4"), ("morph_count", "<u4"), ("spare", "<u4")])
CHARACTER = np.dtype([("world_from_model", "<f4", (3, 4)), ("tint", "<f4", 3), ("tinted", "<f4")])
MATERIAL = np.dtype(
    [
        ("base_color", "<f4", 4),
        ("emissive", "<f4", 3),
        ("alpha_cutoff", "<f4"),
        ("uv_matrix", "<f4", (2, 2)),
        ("uv_offset", "<f4", 2),
        ("roughness", "<f4"),
        ("metallic", "<f4"),
        ("tint_factor", "<f4"),
        ("tint_base", "<f4"),
        ("unlit", "<f4"),
        ("spare", "<f4"),
    ]
)
ACCENT = "accent"


def pack_vertices(mesh: RigMesh) -> np.ndarray:
    """Return one VERTEX record per vertex."""
    packed = np.zeros(len(mesh.positions), VERTEX)
    packed["position"], packed["normal"], packed["color"] = mesh.positions, mesh.normals, mesh.colors
    packed["u"], packed["v"] = mesh.uvs.T
    return packed


def pack_influences(mesh: RigMesh) -> np.ndarray:
    """Return INFLUENCE records ``[vert, influence]``."""
    packed = np.zeros(mesh.joints.shape, INFLUENCE)
    packed["entry"], packed["weight"] = mesh.joints, mesh.weights
    return packed


def pack_morphs(mesh: RigMesh) -> tuple[np.ndarray, np.ndarray]:
    """Turn the deltas of each morph into the deltas of each vertex.

    Returns:
        ``(start uint32 [vert + 1], DELTA [delta])``: vertex v is moved by ``deltas[start[v]:start[v + 1]]``.
    """
    morph = np.repeat(np.arange(len(mesh.morph_names)), np.diff(mesh.morph_start))
    order = np.argsort(mesh.morph_vert, kind="stable")
    packed = np.zeros(len(order), DELTA)
    packed["position"], packed["normal"] = mesh.morph_position[order], mesh.morph_normal[order]
    packed["morph"] = morph[order]
    start = np.zeros(len(mesh.positions) + 1, np.uint32)
    np.cumsum(np.bincount(mesh.morph_vert, minlength=len(mesh.positions)), out=start[1:])
    return start, packed


def pack_material(material: Material, tint_all: bool) -> np.ndarray:
    """Return the MATERIAL record of a material.

    KHR_texture_transform: ``uv' = offset + R(rotation) @ (scale * uv)``, R turning counter-clockwise in the picture,
    whose v axis points down: ``[[cos, sin], [-sin, cos]]``.
    """
    packed = np.zeros((), MATERIAL)
    cos, sin = math.cos(material.uv_rotation), math.sin(material.uv_rotation)
    packed["base_color"], packed["emissive"] = material.base_color, material.emissive
    packed["uv_matrix"] = np.array([[cos, sin], [-sin, cos]]) * material.uv_scale
    packed["uv_offset"] = material.uv_offset
    packed["alpha_cutoff"] = material.alpha_cutoff
    packed["roughness"], packed["metallic"] = material.roughness, material.metallic
    accent = material.name.lower() == ACCENT
    packed["tint_base"], packed["tint_factor"] = accent, tint_all and not accent
    packed["unlit"] = material.unlit
    return packed
