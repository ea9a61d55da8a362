"""Meshopt: streams of the reference encoder, the examples of the specification, and hostile data."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skelter.assets.gltf.meshopt import decode_meshopt
from skelter.core.errors import AssetError

STREAMS = json.loads((Path(__file__).parents[2] / "golden" / "meshopt" / "streams.json").read_text())
FILTERED_DTYPE = {"OCTAHEDRAL": "i", "QUATERNION": "i", "COLOR": "u"}
FILTER_TOL_UNITS = 1
"""The specification defines filters to one unit in the last place."""


def decode_stream(stream: dict[str, Any], data: bytes | None = None) -> np.ndarray:
    data = base64.b64decode(stream["data"]) if data is None else data
    return decode_meshopt(data, stream["count"], stream["stride"], stream["mode"], stream["filter"], where="view 3")


def stream_named(text: str) -> dict[str, Any]:
    return next(stream for stream in STREAMS if stream["name"].startswith(text))


class TestInvalidInput:
    @pytest.mark.parametrize(
        ("count", "stride", "mode", "kind", "message"),
        [
            (-1, 4, "ATTRIBUTES", "NONE", "count is -1"),
            (1, 4, "STRIPS", "NONE", "mode is 'STRIPS'"),
            (1, 6, "ATTRIBUTES", "NONE", "byteStride is 6"),
            (1, 260, "ATTRIBUTES", "NONE", "byteStride is 260"),
            (1, 4, "ATTRIBUTES", "SMOOTH", "filter is 'SMOOTH'"),
            (1, 12, "ATTRIBUTES", "OCTAHEDRAL", "byteStride is 12"),
            (1, 4, "ATTRIBUTES", "QUATERNION", "byteStride is 4"),
            (3, 4, "TRIANGLES", "COLOR", "filter is 'COLOR'"),
            (3, 8, "INDICES", "NONE", "byteStride is 8"),
            (4, 4, "TRIANGLES", "NONE", "count is 4"),
        ],
    )
    def test_arguments(self, count: int, stride: int, mode: str, kind: str, message: str) -> None:
        with pytest.raises(AssetError, match=f"^view 3: {message}"):
            decode_meshopt(b"\xa0" + bytes(40), count, stride, mode, kind, where="view 3")

    @pytest.mark.parametrize("mode", ["ATTRIBUTES", "TRIANGLES", "INDICES"])
    def test_no_data_or_wrong_header(self, mode: str) -> None:
        with pytest.raises(AssetError, match="there is none"):
            decode_meshopt(b"", 0, 4, mode, "NONE", where="view 3")
        with pytest.raises(AssetError, match="it is 0xa2"):
            decode_meshopt(b"\xa2" + bytes(99), 3, 4, mode, "NONE", where="view 3")

    @pytest.mark.parametrize(
        ("mode", "header"), [("ATTRIBUTES", 0xA0), ("ATTRIBUTES", 0xA1), ("TRIANGLES", 0xE1), ("INDICES", 0xD1)]
    )
    def test_count_that_the_data_cannot_hold_takes_no_memory(self, mode: str, header: int) -> None:
        with pytest.raises(AssetError, match=r"need \d+ bytes at least"):
            decode_meshopt(bytes([header]) + bytes(99), 3 << 40, 4, mode, "NONE", where="view 3")

    @pytest.mark.parametrize("stream", STREAMS, ids=lambda stream: f"{stream['mode']} {stream['name']}")
    def test_truncated_or_padded_stream(self, stream: dict[str, Any]) -> None:
        data = base64.b64decode(stream["data"])
        tail = {"ATTRIBUTES": 24, "TRIANGLES": 16, "INDICES": 4}[stream["mode"]]
        for broken in (data[:-1], data[: len(data) // 2], data[:-tail] + b"\0" + data[-tail:]):
            if stream["count"]:
                with pytest.raises(AssetError, match=r"^view 3: meshopt data is broken"):
                    decode_stream(stream, broken)

    @pytest.mark.parametrize("mode", [0x03, 0x10, 0x21, 0xF3])
    def test_unknown_channel_mode(self, mode: int) -> None:
        data = b"\xa1\x02" + bytes(19) + bytes([1, 2, 3, 4]) + bytes([mode])
        with pytest.raises(AssetError, match=f"channel modes are .{mode}."):
            decode_meshopt(data, 1, 4, "ATTRIBUTES", "NONE", where="view 3")

    @pytest.mark.parametrize("code", [0x00, 0x0F, 0x1D, 0xF1])
    def test_triangle_that_refers_to_nothing(self, code: int) -> None:
        data = bytes([0xE1, code]) + bytes([0x00, 0x10] + [0] * 14)
        with pytest.raises(AssetError, match="before the first one"):
            decode_meshopt(data, 3, 4, "TRIANGLES", "NONE", where="view 3")

    def test_index_of_more_than_five_bytes(self) -> None:
        with pytest.raises(AssetError, match="ends early"):
            decode_meshopt(b"\xd1" + b"\x80" * 6 + bytes(4), 1, 4, "INDICES", "NONE", where="view 3")


class TestKnownValues:
    @pytest.mark.parametrize("stream", STREAMS, ids=lambda stream: f"{stream['mode']} {stream['name']}")
    def test_stream_of_the_reference_encoder(self, stream: dict[str, Any]) -> None:
        expected = np.frombuffer(base64.b64decode(stream["decoded"]), np.uint8)
        decoded = decode_stream(stream)
        assert decoded.dtype == np.uint8
        assert decoded.shape == (stream["count"] * stream["stride"],)
        if stream["filter"] in FILTERED_DTYPE:
            dtype = f"<{FILTERED_DTYPE[stream['filter']]}{stream['stride'] // 4}"
            difference = decoded.view(dtype).astype(int) - expected.view(dtype).astype(int)
            assert np.abs(difference).max() <= FILTER_TOL_UNITS
        else:
            np.testing.assert_array_equal(decoded, expected)

    def test_group_of_the_specification(self) -> None:
        group = bytes.fromhex("17 5f f0 bc 77 a9 21 00 34 b5")
        zeros = bytes(3)  # the other three bytes of the element: header bits 0
        data = b"\xa0" + b"\x02" + group + zeros + bytes(32)
        decoded = decode_meshopt(data, 16, 4, "ATTRIBUTES", "NONE", where="view 3").reshape(16, 4)
        deltas = [-1, -4, -3, 26, -91, 0, -6, 6, -4, -4, 5, -5, 1, -1, 0, 0]
        np.testing.assert_array_equal(decoded[:, 0], np.cumsum(deltas) & 0xFF)
        assert not decoded[:, 1:].any()

    def test_varints_start_with_the_low_bits(self) -> None:
        # The third is an example of the specification too, which gives 0x1fd005: the order of its bytes is wrong there.
        values = [0x7F, 0x201, 0x1507F]
        data = b"\xd1" + bytes.fromhex("7f 8104 ffa005") + bytes(4)
        decoded = decode_meshopt(data, 3, 4, "INDICES", "NONE", where="view 3").view("<i4")
        deltas = [~(values[0] >> 2), values[1] >> 2, ~(values[2] >> 2)]  # all from baseline 1; bit 1 is the sign
        np.testing.assert_array_equal(decoded, np.cumsum(deltas))

    def test_indices_wrap_to_two_bytes(self) -> None:
        data = b"\xd1\x02" + bytes(4)
        assert decode_meshopt(data, 1, 2, "INDICES", "NONE", where="view 3").view("<u2").tolist() == [0xFFFF]

    def test_elements_that_no_filter_allows_decode_to_something_in_range(self) -> None:
        baseline = bytes(8)
        data = b"\xa1\xaa\xaa" + bytes(14) + baseline + bytes(2)
        for kind in ("OCTAHEDRAL", "QUATERNION", "COLOR", "EXPONENTIAL"):
            decoded = decode_meshopt(data, 1, 8, "ATTRIBUTES", kind, where="view 3")
            assert decoded.shape == (8,)


class TestCorpus:
    @pytest.mark.parametrize(
        "name",
        [
            "derived/Fox_meshopt_high.glb",
            "derived/RobotExpressive_gltfpack_cc_kn.glb",
            "derived/snake_gltfpack_khr_cz.glb",
            "khronos/MeshoptCubeTest/MeshoptCubeTest.gltf",
        ],
    )
    def test_every_view_decodes(self, corpus: Path, name: str) -> None:
        gltf, buffers = read_container(corpus / name)
        decoded_count = 0
        for view in gltf["bufferViews"]:
            for packed in view.get("extensions", {}).values():
                start = packed.get("byteOffset", 0)
                data = buffers[packed["buffer"]][start : start + packed["byteLength"]]
                decoded = decode_meshopt(
                    data,
                    packed["count"],
                    packed["byteStride"],
                    packed["mode"],
                    packed.get("filter", "NONE"),
                    where=name,
                )
                assert len(decoded) == view["byteLength"]
                fallback = buffers.get(view["buffer"])
                if fallback is not None:
                    expected = fallback[view.get("byteOffset", 0) :][: view["byteLength"]]
                    same_bytes = decoded.tobytes() == expected
                    assert same_bytes or packed["mode"] == "TRIANGLES" or "filter" in packed
                decoded_count += 1
        assert decoded_count > 0


def read_container(path: Path) -> tuple[dict[str, Any], dict[int, bytes]]:
    """Return the JSON and those buffers that have data."""
    data = path.read_bytes()
    if data[:4] != b"glTF":
        gltf = json.loads(data)
        files = {index: buffer.get("uri") for index, buffer in enumerate(gltf["buffers"])}
        return gltf, {index: (path.parent / uri).read_bytes() for index, uri in files.items() if uri}
    json_bytes = int.from_bytes(data[12:16], "little")
    return json.loads(data[20 : 20 + json_bytes]), {0: data[28 + json_bytes :]}


class TestHostileData:
    @settings(max_examples=300, deadline=None)
    @given(stream=st.sampled_from(STREAMS), changes=st.data())
    def test_changed_bytes_decode_or_fail_clearly(self, stream: dict[str, Any], changes: st.DataObject) -> None:
        data = bytearray(base64.b64decode(stream["data"]))
        for _ in range(changes.draw(st.integers(1, 6))):
            data[changes.draw(st.integers(1, len(data) - 1))] = changes.draw(st.integers(0, 255))
        decode_or_refuse(stream, bytes(data))

    @settings(max_examples=200, deadline=None)
    @given(stream=st.sampled_from(STREAMS), noise=st.binary(max_size=400))
    def test_noise_after_the_header(self, stream: dict[str, Any], noise: bytes) -> None:
        decode_or_refuse(stream, base64.b64decode(stream["data"])[:1] + noise)


def decode_or_refuse(stream: dict[str, Any], data: bytes) -> None:
    try:
        decoded = decode_stream(stream, data)
    except AssetError:
        return
    assert decoded.shape == (stream["count"] * stream["stride"],)
