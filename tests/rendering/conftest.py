"""Rigs made by hand for the pictures of the tests: no file is read and nothing is baked."""

from __future__ import annotations

import dataclasses
import io

import numpy as np
import pytest

from skelter.core.material import Image, Material
from skelter.rendering.adapter import adapter_info
from skelter.rendering.scene import Batch
from skelter.rig.packed import no_packed_clips
from skelter.rig.report import BakeReport
from skelter.rig.rig import ClipBank, Draw, Palette, Rig, RigMesh

RED, GREEN, BLUE, YELLOW = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0)


def _no_clips() -> ClipBank:
    empty = np.zeros(0, np.int32)
    arrays = {field.name: empty for field in dataclasses.fields(ClipBank) if field.name not in ("names", "packed")}
    return ClipBank(names=(), packed=no_packed_clips(0), **arrays)


def make_rig(mesh: RigMesh, materials: tuple[Material, ...], images: tuple[Image, ...] = (), entries: int = 1) -> Rig:
    """Return a rig without clips whose joints are the palette entries."""
    inverse_bind = np.tile(np.eye(3, 4, dtype=np.float32), (entries, 1, 1))
    return Rig(
        name="test",
        content_hash="0" * 32,
        joint_names=tuple(f"joint_{index}" for index in range(entries)),
        parent=np.arange(-1, entries - 1, dtype=np.int32),
        node=np.arange(entries, dtype=np.int32),
        rest=np.zeros((1, 10, 16), np.float32),
        clips=_no_clips(),
        palette=Palette(np.arange(entries, dtype=np.int32), inverse_bind),
        mesh=mesh,
        materials=materials,
        images=images,
        bounds=np.stack([mesh.positions.min(axis=0), mesh.positions.max(axis=0)]),
        report=BakeReport((), 0.1, 2.0, 0, 0.0),
    )


def make_mesh(positions: object, normals: object, triangles: object, **changes: object) -> RigMesh:
    """Return a mesh that follows palette entry 0, drawn with material 0."""
    points = np.asarray(positions, np.float32)
    count, corners = len(points), np.asarray(triangles, np.uint32).reshape(-1, 3)
    mesh = RigMesh(
        positions=points,
        normals=np.asarray(normals, np.float32),
        uvs=np.zeros((count, 2), np.float32),
        colors=np.ones((count, 4), np.float32),
        joints=np.zeros((count, 1), np.int32),
        weights=np.ones((count, 1), np.float32),
        triangles=corners,
        draws=(Draw("mesh", 0, len(corners), 0, count, 0, True, 0, 0),),
        morph_names=(),
        morph_rest=np.zeros(0, np.float32),
        morph_start=np.zeros(1, np.int32),
        morph_vert=np.zeros(0, np.int32),
        morph_position=np.zeros((0, 3), np.float32),
        morph_normal=np.zeros((0, 3), np.float32),
    )
    return dataclasses.replace(mesh, **changes)


def make_card(**changes: object) -> RigMesh:
    """Return a square from (-1, 0) to (1, 2) that faces +Z, with texture coordinates whose v points down."""
    positions = [(-1, 0, 0), (1, 0, 0), (1, 2, 0), (-1, 2, 0)]
    uvs = np.array([(0, 1), (1, 1), (1, 0), (0, 0)], np.float32)
    return make_mesh(positions, [(0, 0, 1)] * 4, [(0, 1, 2), (0, 2, 3)], **{"uvs": uvs, **changes})


def make_capsule(rings: int = 12, sides: int = 16) -> RigMesh:
    """Return an upright capsule 1.8 m tall that bends between palette entry 0 (below 0.9 m) and 1 (above)."""
    angle, turn = np.meshgrid(np.linspace(-np.pi / 2, np.pi / 2, rings), np.linspace(0, 2 * np.pi, sides + 1))
    normals = np.stack([np.cos(angle) * np.sin(turn), np.sin(angle), np.cos(angle) * np.cos(turn)], -1).reshape(-1, 3)
    positions = normals * 0.3 + (0, 0.9, 0) + np.sign(normals[:, 1:2]) * (0, 0.6, 0)
    corner = (np.arange(sides)[:, None] * rings + np.arange(rings - 1)).ravel()
    quads = np.stack([corner, corner + rings, corner + rings + 1, corner + 1], -1)
    upper = np.clip((positions[:, 1] - 0.6) / 0.6, 0.0, 1.0)
    heavier = upper > 0.5
    joints = np.where(heavier[:, None], [1, 0], [0, 1]).astype(np.int32)
    weights = np.stack([np.maximum(upper, 1 - upper), np.minimum(upper, 1 - upper)], -1).astype(np.float32)
    uvs = np.stack([turn.ravel() / (2 * np.pi), 1 - positions[:, 1] / 1.8], -1).astype(np.float32)
    triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    return make_mesh(positions, normals, triangles, joints=joints, weights=weights, uvs=uvs)


def png(pixels: object) -> Image:
    """Return an encoded picture of RGB or RGBA rows."""
    from PIL import Image as Pillow

    stream = io.BytesIO()
    Pillow.fromarray(np.asarray(pixels, np.uint8)).save(stream, format="PNG")
    return Image("picture", "image/png", stream.getvalue())


def stand(rig: Rig, *places: tuple[float, float, float], **changes: object) -> Batch:
    """Return a batch with identity skinning matrices, one character per place."""
    count = len(places)
    matrices = np.tile(np.eye(3, 4, dtype=np.float32), (count, len(rig.palette.joint), 1, 1))
    world = np.tile(np.eye(3, 4, dtype=np.float32), (count, 1, 1))
    world[:, :, 3] = np.reshape(places, (-1, 3))
    return dataclasses.replace(Batch(rig, matrices, world), **changes)


@pytest.fixture(scope="session")
def adapter() -> None:
    """Skip the test on a machine that cannot draw."""
    if adapter_info() is None:
        pytest.skip("no graphics adapter, not even a software one")


@pytest.fixture
def capsule() -> Rig:
    """A red capsule with two palette entries."""
    return make_rig(make_capsule(), (Material("accent", base_color=(0.8, 0.05, 0.05, 1.0), roughness=0.6),), entries=2)
