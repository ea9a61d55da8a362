"""Draco: hostile headers, integer types, and real characters against their uncompressed twins."""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skelter.assets.gltf.draco import COUNT_MIN, DracoMesh, decode_draco
from skelter.core.errors import AssetError, MissingExtraError

DracoPy = pytest.importorskip("DracoPy", reason="the draco extra is not installed")

HEADER = b"DRACO\x02\x02\x01"
POSITION_TOL_M = 3e-4
"""Half a step of 11-bit positions on a character of 1.5 m, in three directions, and some rounding."""
HALF_STEP_M = 1.2e-3
"""Half a step of the 10-bit positions of kenney_draco_male, 2.4 m high; its bounds are that much wider."""


def packed_mesh(**options: Any) -> bytes:
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], np.float32)
    faces = np.array([[0, 1, 2], [2, 1, 3]], np.uint32)
    return bytes(DracoPy.encode(points, faces, **options))


def varint(value: int) -> bytes:
    head = b""
    while value >= 0x80:
        head += bytes([value & 0x7F | 0x80])
        value >>= 7
    return head + bytes([value])


class TestInvalidInput:
    @pytest.mark.parametrize(
        ("data", "message"),
        [
            (b"", "it must start with"),
            (b"RACOD" + bytes(50), "it must start with"),
            (b"DRACO", "it ends early, after 5 bytes"),
            (b"DRACO\x01\x01\x01" + bytes(50), r"its version is 1\.1"),
            (b"DRACO\x02\x02\x00" + bytes(50), "its type is 0, not a mesh"),
            (HEADER + b"\x07" + bytes(50), "its encoding method is 7"),
            (HEADER + b"\x01\x00\x00\x00" + b"\xff" * 9, "a number of its header has more than 32 bits"),
            (HEADER + b"\x00\x00\x80" + b"\x05\x00\x09", "it ends early"),
        ],
    )
    def test_header(self, data: bytes, message: str) -> None:
        with pytest.raises(AssetError, match=f"^mesh 0: Draco data is broken: {message}"):
            decode_draco(data, "mesh 0")

    @pytest.mark.parametrize("method", [b"\x00\x00\x00", b"\x01\x00\x00\x02"])
    @pytest.mark.parametrize("metadata", [False, True])
    def test_count_that_the_data_cannot_hold_takes_no_memory(self, method: bytes, metadata: bool) -> None:
        if metadata:  # one entry for attribute 9 with a subtree, an empty tree for the mesh
            method = method[:2] + b"\x80" + varint(1) + b"\x09\x01\x01k\x01v\x01\x03sub\x00\x00" + b"\0\0" + method[3:]
        data = HEADER + method + varint(1) + varint(COUNT_MIN + 1) + bytes(100)
        with pytest.raises(AssetError, match=f"claim {COUNT_MIN + 1} faces or vertices"):
            decode_draco(data, "mesh 0")

    def test_truncated(self) -> None:
        data = packed_mesh()
        for length in range(len(data)):
            with pytest.raises(AssetError, match="Draco data is broken"):
                decode_draco(data[:length], "mesh 0")

    def test_triangle_outside_the_vertices(self) -> None:
        data = packed_mesh(preserve_order=True)
        corners = data.index(bytes([0, 1, 2, 2, 1, 3]))
        with pytest.raises(AssetError, match="Draco data is broken"):
            decode_draco(data[:corners] + b"\x09" + data[corners + 1 :], "mesh 0")

    def test_without_the_extra(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "DracoPy", None)
        with pytest.raises(MissingExtraError, match=r"^mesh 0: .* pip install skelter\[draco\]"):
            decode_draco(packed_mesh(), "mesh 0")


class TestDegenerate:
    def test_mesh_without_faces(self) -> None:
        data = packed_mesh(preserve_order=True)
        corners = bytes([2, 4, 1, 0, 1, 2, 2, 1, 3])  # faces, vertices, plain bytes, corners
        mesh = decode_draco(data.replace(corners, bytes([0, 4, 1])), "mesh 0")
        assert mesh.triangles.shape == (0, 3)
        assert [array.shape for array in mesh.attributes.values()] == [(4, 3)]


class TestKnownValues:
    @pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32, np.float32])
    @pytest.mark.parametrize("key", [5, "named"])
    def test_generic_attribute_keeps_its_type(self, dtype: type, key: int | str) -> None:
        values = np.arange(16, dtype=dtype).reshape(4, 4)
        mesh = decode_draco(packed_mesh(generic_attributes={key: values}, preserve_order=True), "mesh 0")
        same = [array for array in mesh.attributes.values() if array.shape == (4, 4)]
        assert same[0].dtype == dtype
        np.testing.assert_array_equal(same[0], values)
        assert isinstance(key, str) or mesh.attributes[key] is same[0]

    @pytest.mark.parametrize(("stored", "code", "dtype"), [(np.uint8, 1, np.int8), (np.uint16, 3, np.int16)])
    def test_signed_integers(self, stored: type, code: int, dtype: type) -> None:
        values = np.arange(-8, 8, dtype=dtype).reshape(4, 4)
        data = packed_mesh(generic_attributes={5: values.view(stored)}, preserve_order=True)
        unsigned = bytes([4, code + 1, 4, 0, 5])  # generic, data type, components, not normalised, unique id
        mesh = decode_draco(data.replace(unsigned, bytes([4, code, 4, 0, 5])), "mesh 0")
        assert mesh.attributes[5].dtype == dtype
        np.testing.assert_array_equal(mesh.attributes[5], values)

    def test_triangles(self) -> None:
        mesh = decode_draco(packed_mesh(preserve_order=True), "mesh 0")
        assert mesh.triangles.dtype == np.uint32
        np.testing.assert_array_equal(mesh.triangles, [[0, 1, 2], [2, 1, 3]])


class TestCorpus:
    def test_cesium_man_is_like_the_uncompressed_one(self, corpus: Path) -> None:
        mesh, ids, _ = read_draco(corpus / "derived" / "CesiumMan_draco.glb")
        twin = read_plain(corpus / "khronos" / "CesiumMan.gltf")
        positions = mesh.attributes[ids["POSITION"]]
        assert mesh.triangles.shape == (len(twin["indices"]) // 3, 3)
        distance, nearest = nearest_vertices(positions, twin["POSITION"])
        assert distance.max() < POSITION_TOL_M
        joints, weights = mesh.attributes[ids["JOINTS_0"]], mesh.attributes[ids["WEIGHTS_0"]]
        assert joints.dtype == np.uint16
        assert weights.dtype == np.float32
        for name, array in (("JOINTS_0", joints), ("WEIGHTS_0", weights)):
            same = np.abs(array - twin[name][nearest].astype(float)).max(axis=1) < 1e-3
            assert same.mean() > 0.95  # seams: vertices of one place and several weights
        area = mesh_area(positions, mesh.triangles)
        assert area == pytest.approx(mesh_area(twin["POSITION"], twin["indices"].reshape(-1, 3)), rel=1e-3)

    def test_kenney_male_fits_its_accessors(self, corpus: Path) -> None:
        mesh, ids, accessors = read_draco(corpus / "characters" / "kenney_draco_male.gltf")
        for name, accessor in accessors.items():
            assert len(mesh.attributes[ids[name]]) == accessor["count"]
        positions = mesh.attributes[ids["POSITION"]]
        np.testing.assert_allclose(positions.min(axis=0), accessors["POSITION"]["min"], atol=HALF_STEP_M)
        np.testing.assert_allclose(positions.max(axis=0), accessors["POSITION"]["max"], atol=HALF_STEP_M)
        assert mesh.attributes[ids["JOINTS_0"]].dtype == np.uint8
        colors = mesh.attributes[ids["COLOR_0"]]
        assert colors.dtype == np.uint16
        assert colors[0].tolist() == [65535] * 4
        np.testing.assert_allclose(mesh.attributes[ids["WEIGHTS_0"]].sum(axis=1), 1.0, atol=2e-3)


class TestHostileData:
    @settings(max_examples=200, deadline=None)
    @given(changes=st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), min_size=1, max_size=5))
    def test_changed_bytes_decode_or_fail_clearly(self, changes: list[tuple[int, int]]) -> None:
        data = bytearray(packed_mesh(generic_attributes={5: np.ones((4, 4), np.uint16)}))
        for place, value in changes:
            data[place % len(data)] = value
        try:
            mesh = decode_draco(bytes(data), "mesh 0")
        except AssetError:
            return
        assert mesh.triangles.shape[1] == 3


def read_draco(path: Path) -> tuple[DracoMesh, dict[str, int], dict[str, Any]]:
    """Return the first mesh, the unique ids and the accessors by attribute name."""
    gltf, buffer = read_container(path)
    primitive = gltf["meshes"][0]["primitives"][0]
    packed = primitive["extensions"]["KHR_draco_mesh_compression"]
    accessors = {name: gltf["accessors"][index] for name, index in primitive["attributes"].items()}
    data = view_bytes(gltf["bufferViews"][packed["bufferView"]], buffer)
    return decode_draco(data, path.name), packed["attributes"], accessors


def read_plain(path: Path) -> dict[str, np.ndarray]:
    gltf, buffer = read_container(path)
    primitive = gltf["meshes"][0]["primitives"][0]
    arrays = {}
    for name, index in {**primitive["attributes"], "indices": primitive["indices"]}.items():
        accessor = gltf["accessors"][index]
        view = gltf["bufferViews"][accessor["bufferView"]]
        dtype = np.dtype({5121: "u1", 5123: "<u2", 5126: "<f4"}[accessor["componentType"]])
        width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}[accessor["type"]]
        stride = view.get("byteStride", dtype.itemsize * width)
        data = view_bytes(view, buffer)[accessor.get("byteOffset", 0) :]
        arrays[name] = np.ndarray((accessor["count"], width), dtype, data, strides=(stride, dtype.itemsize))
    return arrays


def read_container(path: Path) -> tuple[dict[str, Any], bytes]:
    data = path.read_bytes()
    if data[:4] == b"glTF":
        json_bytes = int.from_bytes(data[12:16], "little")
        return json.loads(data[20 : 20 + json_bytes]), data[28 + json_bytes :]
    gltf = json.loads(data)
    return gltf, base64.b64decode(gltf["buffers"][0]["uri"].partition(",")[2])


def view_bytes(view: dict[str, Any], buffer: bytes) -> bytes:
    return buffer[view.get("byteOffset", 0) :][: view["byteLength"]]


def nearest_vertices(points: np.ndarray, others: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    nearest = np.empty(len(points), np.intp)
    for start in range(0, len(points), 500):
        offsets = points[start : start + 500, None] - others[None]
        nearest[start : start + 500] = np.square(offsets).sum(axis=2).argmin(axis=1)
    return np.linalg.norm(points - others[nearest], axis=1), nearest


def mesh_area(positions: np.ndarray, triangles: np.ndarray) -> float:
    a, b, c = np.moveaxis(positions.astype(float)[triangles], 1, 0)
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2)
