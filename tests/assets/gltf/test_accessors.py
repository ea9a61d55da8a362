from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from skelter.assets.gltf.accessors import AccessorReader
from skelter.assets.gltf.document import Document
from skelter.core.errors import AssetError
from tests.support.gltf_builder import COMPONENTS, GltfBuilder

WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}


def reader_of(builder: GltfBuilder, folder: Path) -> AccessorReader:
    return AccessorReader(Document(builder.write(folder)))


def read(builder: GltfBuilder, folder: Path, index: int = 0) -> np.ndarray:
    return reader_of(builder, folder).read(index, "here", tuple(WIDTHS))


def sparse(count: int = 1, **indices: int) -> dict[str, Any]:
    return {"count": count, "indices": {"bufferView": 0, "componentType": 5121} | indices, "values": {"bufferView": 0}}


def one(**changes: Any) -> GltfBuilder:
    """Return a document with one accessor of 4 VEC3, changed."""
    builder = GltfBuilder()
    builder.accessor(np.arange(12).reshape(4, 3))
    builder.json["accessors"][0] |= {name: value for name, value in changes.items() if name != "view"}
    builder.json["bufferViews"][0] |= changes.get("view", {})
    return builder


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"count": 5}, r"accessors\[0\]: 5 elements of stride 12 at offset 0 need 60 bytes; its view has 48"),
        ({"count": -1}, "count is -1"),
        ({"count": 1 << 40}, "need"),
        ({"byteOffset": 1}, "need 49 bytes"),
        ({"byteOffset": -4}, "need"),
        ({"componentType": 5124}, "componentType 5124 is none of"),
        ({"type": "VEC5"}, "'VEC5'"),
        ({"bufferView": 1}, "no bufferView 1"),
        ({"bufferView": -1}, "no bufferView -1"),
        ({"view": {"byteLength": 49}}, "lie outside buffer 0"),
        ({"view": {"byteOffset": -4}}, "lie outside buffer 0"),
        ({"view": {"byteStride": 8}}, "byteStride 8 is less than the 12 bytes"),
        ({"view": {"buffer": 1}}, "no buffer 1"),
        ({"sparse": sparse(count=5)}, "count is 5"),
        ({"sparse": sparse(componentType=5126)}, "5126"),
        ({"sparse": sparse(componentType=5123, byteOffset=6)}, "index 16256 is past"),
    ],
)
def test_what_is_out_of_bounds_is_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(AssetError, match=message):
        read(one(**changes), tmp_path)


def test_another_type_than_needed_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AssetError, match="its type is 'VEC3'; skin needs MAT4"):
        reader_of(one(), tmp_path).read(0, "skin", ("MAT4",))


def test_a_value_that_is_not_finite_is_named(tmp_path: Path) -> None:
    builder = GltfBuilder()
    builder.accessor([[0, 0, 0], [0, np.nan, 0]])
    with pytest.raises(AssetError, match="element 1 is not finite"):
        reader_of(builder, tmp_path).read_float(0, "here", ("VEC3",))


def test_a_signalling_nan_is_a_nan(tmp_path: Path) -> None:
    builder = GltfBuilder()
    builder.accessor(np.array([0x7FA00000], "<u4").view("<f4"))
    assert np.isnan(reader_of(builder, tmp_path).read_float_unchecked(0, "here", ("SCALAR",))).all()


def test_a_claim_without_data_is_refused(tmp_path: Path) -> None:
    builder = GltfBuilder()
    builder.add("accessors", {"componentType": 5126, "count": 4_000_000_000, "type": "MAT4"})
    with pytest.raises(AssetError, match="4000000000 elements without any data"):
        read(builder, tmp_path)


def test_many_accessors_of_one_view_cannot_fill_the_memory(tmp_path: Path) -> None:
    builder = GltfBuilder()
    builder.accessor(np.zeros((1 << 20, 3)))
    for _ in range(100):
        builder.add("accessors", builder.json["accessors"][0])
    reader = reader_of(builder, tmp_path)
    with pytest.raises(AssetError, match="far more data than its size allows"):
        [reader.read_float(index, "here", ("VEC3",)) for index in range(100)]


@pytest.mark.parametrize("kind", COMPONENTS)
@pytest.mark.parametrize("count", [0, 1, 5])
def test_without_a_view_all_is_zero(tmp_path: Path, kind: str, count: int) -> None:
    builder = GltfBuilder()
    builder.add("accessors", {"componentType": COMPONENTS[kind], "count": count, "type": "VEC2"})
    array = read(builder, tmp_path)
    assert array.dtype == np.dtype("<" + kind)
    np.testing.assert_array_equal(array, np.zeros((count, 2)))


@pytest.mark.parametrize("kind", COMPONENTS)
@pytest.mark.parametrize("shape", WIDTHS)
@pytest.mark.parametrize("padding", [0, 4, 40])
def test_every_type_is_read_at_every_stride(tmp_path: Path, kind: str, shape: str, padding: int) -> None:
    dtype = np.dtype("<" + kind)
    rows = {"MAT2": 2, "MAT3": 3, "MAT4": 4}.get(shape, WIDTHS[shape])
    columns = WIDTHS[shape] // rows
    column_bytes = -(-rows * dtype.itemsize // 4) * 4 if shape.startswith("MAT") else rows * dtype.itemsize
    values = np.arange(3 * WIDTHS[shape]).reshape(3, columns, rows).astype(dtype)
    stride = columns * column_bytes + padding
    data = np.full((3, stride), 0xAA, np.uint8)
    for element in range(3):
        for column in range(columns):
            start = column * column_bytes
            data[element, start : start + rows * dtype.itemsize] = values[element, column].view(np.uint8)
    builder = GltfBuilder()
    view = builder.view(b"\xff" * 8 + data.tobytes(), **({"byteStride": stride} if padding else {}))
    entry = {"bufferView": view, "byteOffset": 8, "componentType": COMPONENTS[kind], "count": 3, "type": shape}
    builder.add("accessors", entry)
    np.testing.assert_array_equal(read(builder, tmp_path), values.reshape(3, -1))


@pytest.mark.parametrize(
    ("kind", "stored", "expected"),
    [
        ("i1", [-128, -127, 0, 127], [-1, -1, 0, 1]),
        ("u1", [0, 51, 255, 255], [0, 0.2, 1, 1]),
        ("i2", [-32768, -32767, 0, 32767], [-1, -1, 0, 1]),
        ("u2", [0, 13107, 65535, 65535], [0, 0.2, 1, 1]),
    ],
)
def test_normalised_integers(tmp_path: Path, kind: str, stored: list[int], expected: list[float]) -> None:
    builder = GltfBuilder()
    builder.accessor(stored, kind, normalized=True)
    builder.accessor(stored, kind)
    reader = reader_of(builder, tmp_path)
    np.testing.assert_allclose(reader.read_float(0, "here", ("SCALAR",))[:, 0], expected, atol=1e-15)
    np.testing.assert_array_equal(reader.read_float(1, "here", ("SCALAR",))[:, 0], stored)


@pytest.mark.parametrize("with_view", [True, False])
@pytest.mark.parametrize("kind", ["u1", "u2", "u4"])
def test_sparse_elements_replace_those_of_the_base(tmp_path: Path, with_view: bool, kind: str) -> None:
    builder = GltfBuilder()
    indices = builder.view(np.array([1, 3], "<" + kind).tobytes())
    values = builder.view(np.array([[7, 8, 9], [4, 5, 6]], "<f4").tobytes())
    replaced = {
        "count": 2,
        "indices": {"bufferView": indices, "componentType": COMPONENTS[kind]},
        "values": {"bufferView": values},
    }
    index = builder.accessor(np.ones((5, 3)), sparse=replaced)
    if not with_view:
        del builder.json["accessors"][index]["bufferView"]
    expected = np.full((5, 3), 1.0 if with_view else 0.0)
    expected[[1, 3]] = [[7, 8, 9], [4, 5, 6]]
    np.testing.assert_array_equal(read(builder, tmp_path, index), expected)
