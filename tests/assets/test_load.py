"""Which reader gets a file, and what a path can be."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import skelter as sk
from skelter.assets import files
from skelter.core.errors import AssetError
from tests.support.gltf_builder import GltfBuilder

BVH = "HIERARCHY\nROOT hip\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n}\nMOTION\nFrames: 0\n"


def test_a_missing_file_names_its_neighbours(tmp_path: Path) -> None:
    (tmp_path / "walker.glb").write_bytes(b"")
    with pytest.raises(AssetError, match=r"wlaker\.glb: there is no such file; did you mean walker\.glb\?"):
        sk.load(tmp_path / "wlaker.glb")


@pytest.mark.parametrize("name", ["gone.glb", "gone.bvh", "gone/gone.glb", "file/gone.glb", "a\0b.glb", "x" * 5_000])
def test_a_path_that_leads_nowhere_is_an_error(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(AssetError, match=r"there is no such file|cannot be read"):
        sk.load(tmp_path / name)


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AssetError, match=r"this is a folder; name a \.glb"):
        sk.load(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
@pytest.mark.parametrize("name", ["pipe.glb", "pipe.bvh"])
def test_a_pipe_is_refused_before_it_is_opened(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises(AssetError, match="this is a pipe or a device"):
        sk.load(tmp_path / name)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no endless device here")
def test_a_device_is_refused() -> None:
    with pytest.raises(AssetError, match="this is a pipe or a device"):
        sk.load("/dev/zero")


def test_a_file_that_is_too_large_is_refused_before_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "FILE_BYTES_MAX", 10)
    (tmp_path / "x.glb").write_bytes(bytes(11))
    with pytest.raises(AssetError, match="the file has 11 bytes; skelter reads files up to 10 bytes"):
        sk.load(tmp_path / "x.glb")


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() == 0, reason="this user may read everything")
def test_a_file_that_may_not_be_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "x.glb").touch(mode=0)
    with pytest.raises(AssetError, match="the file cannot be read: Permission denied"):
        sk.load(tmp_path / "x.glb")


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.glb").touch()
    with pytest.raises(AssetError, match="the file is empty"):
        sk.load(tmp_path / "x.glb")


@pytest.mark.parametrize("name", ["x.glb", "x.GLB", "x.vrm", "x.vrma", "x.gltf", "x"])
def test_gltf_is_told_by_its_content(tmp_path: Path, name: str) -> None:
    builder = GltfBuilder()
    builder.json["nodes"] = [{"name": "hip"}]
    for data in (builder.glb(), b'{"asset": {"version": "2.0"}, "nodes": [{"name": "hip"}]}'):
        (tmp_path / name).write_bytes(data)
        character = sk.load(str(tmp_path / name))
        assert (character.name, character.nodes.names) == ("x", ["hip"])


@pytest.mark.parametrize("name", ["x.bvh", "x.BVH"])
def test_bvh_is_told_by_its_name(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(BVH)
    assert sk.load(tmp_path / name).nodes.names[0] == "hip"
