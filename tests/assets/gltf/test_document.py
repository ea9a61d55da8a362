from __future__ import annotations

import base64
import json
import os
from pathlib import Path

import numpy as np
import pytest

import skelter as sk
from skelter.assets.gltf.document import Document
from skelter.core.errors import AssetError
from tests.support.gltf_builder import GltfBuilder, glb


def triangle_with(uri: str) -> GltfBuilder:
    builder = GltfBuilder()
    builder.triangle()
    builder.json["buffers"] = [{"byteLength": 36, "uri": uri}]
    return builder


def load_text(folder: Path, text: str) -> sk.Character:
    (folder / "x.gltf").write_text(text)
    return sk.load(folder / "x.gltf")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"asset": {"version": "2.0"}', "JSON is broken"),
        ('{"asset": {"version": "2.0"}, "nodes": {}}', r"Expected `array`, got `object` - at `\$.nodes`"),
        ('{"asset": {"version": "2.0"}, "nodes": [{"mesh": "a"}]}', r"\$.nodes\[0\].mesh"),
        ('{"asset": {"version": "2.0"}, "nodes": [{"children": [1000]}]}', "no node 1000"),
        ('{"asset": {"version": "2.0"}, "nodes": [{"scale": [NaN, 1, 1]}]}', "JSON is broken"),
        ('{"asset": {"version": "1.0"}}', "'1.0'; skelter reads glTF 2.x"),
        ("{}", "asset.version is ''"),
        ('{"asset": {"version": "2.0", "minVersion": "2.9"}}', "asset.minVersion is '2.9'"),
        ('{"asset": {"version": "2.0"}, "extras": ' + "[" * 100_000, "nested too deeply"),
        ('{"asset": {"version": "2.0"}, "extras": [' + "{}," * 600_000 + "{}]}", "500000 objects"),
        ('{"asset": {"version": "2.0"}, "extras": [' + "1," * 2_100_000 + "1]}", "2000000 values"),
        ('{"asset": {"version": "2.0"}, "extensionsRequired": ["ACME_magic"]}', "without ACME_magic"),
    ],
)
def test_broken_json_is_refused_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(AssetError, match=message) as error:
        load_text(tmp_path, text)
    assert "x.gltf" in str(error.value)


@pytest.mark.parametrize(
    "uri",
    [
        "../secret.bin",
        "%2e%2e/secret.bin",
        "folder/../../secret.bin",
        "/etc/passwd",
        "file:///etc/passwd",
        "http://example.com/a.bin",
        "//example.com/a.bin",
        "link.bin",
        "folder",
        "pipe",
        "",
        "a\0b",
        "..",
        ".",
        "%2E%2E%2Fsecret.bin",
        "..%2fsecret.bin",
        "folder/%2e%2e/%2e%2e/secret.bin",
        "/" * 50 + "etc/passwd",
        "\\etc\\passwd",
        "..\\secret.bin",
        "C:\\secret.bin",
        "c:secret.bin",
        "FILE:///etc/passwd",
        "javascript:alert(1)",
        "//[",
        "loop",
        "x" * 5_000,
        "x/" * 5_000,
        "?",
        "#",
    ],
)
def test_a_uri_that_leaves_the_folder_is_refused(tmp_path: Path, uri: str) -> None:
    (tmp_path / "secret.bin").write_bytes(b"s3cret" * 10)
    folder = tmp_path / "inside"
    (folder / "folder").mkdir(parents=True)
    (folder / "link.bin").symlink_to(tmp_path / "secret.bin")
    (folder / "loop").symlink_to(folder / "loop")
    os.mkfifo(folder / "pipe")
    with pytest.raises(AssetError, match=r"buffers\[0\]") as error:
        sk.load(triangle_with(uri).write(folder, "x.gltf"))
    assert "s3cret" not in str(error.value)


@pytest.mark.parametrize(
    ("uri", "message"),
    [
        ("data:;base64,AAAA!AAA", "base64 data is broken"),
        ("data:;base64,AAA", "base64 data is broken"),
        ("data:;base64", "no comma"),
        ("data:;base64,AAAA", "byteLength is 36, but there are 3 bytes"),
        ("gone.bin", "there is no such file"),
    ],
)
def test_a_broken_buffer_is_refused(tmp_path: Path, uri: str, message: str) -> None:
    with pytest.raises(AssetError, match=message):
        sk.load(triangle_with(uri).write(tmp_path, "x.gltf"))


def test_a_buffer_without_data_is_refused(tmp_path: Path) -> None:
    builder = GltfBuilder()
    builder.triangle()
    path = tmp_path / "x.glb"
    path.write_bytes(glb(json.dumps(builder._document()).encode()))
    with pytest.raises(AssetError, match="no BIN chunk"):
        sk.load(path)


def test_an_unknown_extension_that_is_only_used_is_a_warning(tmp_path: Path) -> None:
    character = load_text(tmp_path, '{"asset": {"version": "2.0"}, "extensionsUsed": ["ACME_magic", "KHR_xmp"]}')
    assert [str(warning) for warning in character.warnings] == [
        "extensionsUsed: the extension ACME_magic is unknown; what it adds is ignored"
    ]


@pytest.mark.parametrize("name", ["plain.bin", "with space.bin", "ümlaut/täglich.bin"])
def test_external_buffers_are_found_by_their_encoded_name(tmp_path: Path, name: str) -> None:
    from urllib.parse import quote

    data = np.arange(9, dtype="<f4").tobytes()
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_bytes(data)
    character = sk.load(triangle_with(quote(name)).write(tmp_path, "x.gltf"))
    np.testing.assert_array_equal(character.meshes[0].primitives[0].positions.ravel(), np.arange(9))


def test_a_data_uri_may_be_percent_encoded(tmp_path: Path) -> None:
    text = base64.b64encode(np.full(9, -1.5, "<f4").tobytes()).decode().replace("/", "%2F").replace("+", "%2B")
    character = sk.load(triangle_with(f"data:application/octet-stream;base64,{text}").write(tmp_path, "x.gltf"))
    assert (character.meshes[0].primitives[0].positions == -1.5).all()


def test_a_data_uri_may_be_plain_text(tmp_path: Path) -> None:
    data = np.array([1.5, -2.25, 1e10, 0, 1, 2, 3, 4, 5], "<f4").tobytes()
    text = "".join(f"%{byte:02x}" for byte in data)
    character = sk.load(triangle_with(f"data:application/octet-stream,{text}").write(tmp_path, "x.gltf"))
    assert character.meshes[0].primitives[0].positions.tobytes() == data


def test_a_file_of_many_buffers_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "x.bin").write_bytes(np.full(9, 2.5, "<f4").tobytes())
    builder = triangle_with("x.bin")
    builder.json["buffers"] = [{"byteLength": 36, "uri": name} for name in ("x.bin", "./x.bin", "%78.bin")]
    path = builder.write(tmp_path, "x.gltf")
    document = Document(path)
    views = [document.buffer(index) for index in range(3)]
    (tmp_path / "x.bin").unlink()
    assert all(view.obj is views[0].obj for view in views)


def test_external_data_may_be_larger_than_the_file_that_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("skelter.assets.gltf.document.DECODED_BYTES_MIN", 0)
    (tmp_path / "x.bin").write_bytes(bytes(12_000_000))
    builder = triangle_with("x.bin")
    builder.json["buffers"][0]["byteLength"] = builder.json["bufferViews"][0]["byteLength"] = 12_000_000
    builder.json["accessors"][0]["count"] = 1_000_000
    assert len(sk.load(builder.write(tmp_path, "x.gltf")).meshes[0].primitives[0].positions) == 1_000_000


def test_messages_that_quote_the_file_are_cut(tmp_path: Path) -> None:
    names = [f"ACME_{'x' * 100}_{index}" for index in range(1000)]
    text = {"asset": {"version": "2.0"}, "extensionsUsed": names[:1] * 2, "extensionsRequired": names}
    with pytest.raises(AssetError, match="cannot be read without ACME_x") as error:
        load_text(tmp_path, json.dumps(text))
    assert len(str(error.value)) < 1000


def test_many_warnings_are_counted_not_kept(tmp_path: Path) -> None:
    nodes = [{"skin": 0}] * 3000
    character = load_text(tmp_path, json.dumps({"asset": {"version": "2.0"}, "nodes": nodes}))
    assert len(character.warnings) == 1001
    assert "more than 1000 warnings" in str(character.warnings[-1])
