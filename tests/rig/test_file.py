"""Rig files: what is written is read back, and what is damaged is refused."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import skelter as sk
from skelter.assets.character import Additive, ClipEvent
from skelter.core.errors import ArgumentError, AssetError, OutputError
from skelter.core.material import Image, Material
from skelter.rig.file import MAGIC, PREFIX, load_rig, save_rig
from skelter.rig.rig import Rig
from skelter.testing.rigs import random_character
from tests.build import walker


@pytest.fixture(scope="module")
def rig() -> Rig:
    character = random_character(5, 2, seed=1, vertex_count=30, target_count=2)
    character.materials = [Material("skin", base_color=(0.1, 0.2, 0.3, 1.0), base_color_image=0, alpha_mode="MASK")]
    character.clips[0].additive = Additive("clip", "clip_1", 0.5)
    character.clips[1].events = [ClipEvent(0.5, "b", {"a": [1, 2.5, None, "x"]}), ClipEvent(0.25, "a")]
    character.images = [Image("skin", "image/png", b"\x89PNG\0\xff"), Image("", "image/jpeg", b"")]
    return sk.bake(character, cache=False)


@pytest.fixture
def path(rig: Rig, tmp_path: Path) -> Path:
    save_rig(rig, tmp_path / "a.rig")
    return tmp_path / "a.rig"


def assert_equal(left: object, right: object) -> None:
    """Compare two nests of dataclasses, tuples, arrays and plain values, types included."""
    assert type(left) is type(right)
    if dataclasses.is_dataclass(left):
        for field in dataclasses.fields(left):
            assert_equal(getattr(left, field.name), getattr(right, field.name))
    elif isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        assert (left.dtype, left.shape) == (right.dtype, right.shape)
        assert np.array_equal(left, right)
    elif isinstance(left, tuple) and isinstance(right, tuple):
        assert len(left) == len(right)
        for a, b in zip(left, right, strict=True):
            assert_equal(a, b)
    else:
        assert left == right


class TestInvalidInput:
    def test_no_such_file(self, tmp_path: Path) -> None:
        with pytest.raises(AssetError, match=r"none\.rig: there is no such file; `skelter bake"):
            load_rig(tmp_path / "none.rig")

    def test_a_folder(self, tmp_path: Path) -> None:
        with pytest.raises(AssetError, match="cannot be read"):
            load_rig(tmp_path)

    @pytest.mark.parametrize("content", [b"", b"SKEL", MAGIC, b"glTF" + bytes(100), b"SKELRIG0" + bytes(100)])
    def test_another_kind_of_file(self, tmp_path: Path, content: bytes) -> None:
        (tmp_path / "other.rig").write_bytes(content)
        with pytest.raises(AssetError, match=r"other\.rig: (this is no skelter rig|the file cannot be read)"):
            load_rig(tmp_path / "other.rig")

    def test_cut_short_anywhere(self, path: Path) -> None:
        data = path.read_bytes()
        for length in [*range(0, PREFIX.size + 2, 3), *np.linspace(PREFIX.size, len(data) - 1, 40).astype(int)]:
            path.write_bytes(data[:length])
            with pytest.raises(AssetError):
                load_rig(path)

    def test_longer_than_it_was(self, path: Path) -> None:
        path.write_bytes(path.read_bytes() + b"\0")
        with pytest.raises(AssetError, match="checksum is wrong"):
            load_rig(path)

    @settings(deadline=None, max_examples=50)
    @given(st.data())
    def test_any_flipped_bit(self, tmp_path_factory: pytest.TempPathFactory, rig: Rig, data: st.DataObject) -> None:
        path = tmp_path_factory.mktemp("flip") / "a.rig"
        save_rig(rig, path)
        content = bytearray(path.read_bytes())
        content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
        path.write_bytes(content)
        with pytest.raises(AssetError):
            load_rig(path)

    @pytest.mark.parametrize(
        "change",
        [
            lambda header: header.pop("name"),
            lambda header: header.pop("event_names"),
            lambda header: header["event_names"].append("more"),
            lambda header: header["arrays"].pop("clips.keyed"),
            lambda header: header["arrays"].pop("rest"),
            lambda header: header["arrays"].pop("clips.data"),
            lambda header: header["arrays"].pop("image.0"),
            lambda header: header["arrays"].update({"clips.more": header["arrays"]["rest"]}),
            lambda header: header["arrays"]["rest"].update(dtype="|O"),
            lambda header: header["arrays"]["rest"].update(shape=[1 << 40]),
            lambda header: header["arrays"]["rest"].update(shape=[-1]),
            lambda header: header["arrays"]["rest"].update(offset=1 << 50),
            lambda header: header["arrays"]["rest"].update(offset=-64),
        ],
    )
    def test_a_header_of_another_version_under_a_good_checksum(
        self, path: Path, change: Callable[[dict[str, object]], object]
    ) -> None:
        rewrite_header(path, change)
        with pytest.raises(AssetError, match=r"a\.rig: .*bake the character again"):
            load_rig(path)

    def test_a_folder_that_is_not_there(self, rig: Rig, tmp_path: Path) -> None:
        with pytest.raises(OutputError, match="nowhere does not exist"):
            save_rig(rig, tmp_path / "nowhere" / "a.rig")

    def test_a_name_that_is_too_long(self, rig: Rig, tmp_path: Path) -> None:
        with pytest.raises(OutputError, match="cannot write"):
            save_rig(rig, tmp_path / ("a" * 300))
        assert list(tmp_path.iterdir()) == []


class TestRoundTrip:
    def test_every_field(self, rig: Rig, path: Path) -> None:
        assert_equal(load_rig(path), rig)

    def test_payloads(self, path: Path) -> None:
        assert load_rig(path).clips.event_payloads == (None, {"a": [1, 2.5, None, "x"]})

    def test_an_empty_rig(self, tmp_path: Path) -> None:
        rig = sk.bake(walker(), cache=False)
        save_rig(rig, tmp_path / "a.rig")
        assert_equal(load_rig(tmp_path / "a.rig"), rig)

    def test_arrays_are_aligned_and_read_only(self, path: Path) -> None:
        for array in load_rig(path).arrays():
            assert array.flags.aligned
            assert array.flags.c_contiguous
            assert not array.flags.writeable

    def test_same_rig_same_bytes(self, rig: Rig, path: Path) -> None:
        before = path.read_bytes()
        save_rig(load_rig(path), path)
        assert path.read_bytes() == before

    def test_nothing_else_is_left_in_the_folder(self, path: Path) -> None:
        assert list(path.parent.iterdir()) == [path]

    def test_a_rig_that_was_read_is_sampled_as_the_one_that_was_written(self, rig: Rig, path: Path) -> None:
        assert np.array_equal(sk.sample(load_rig(path), 1, [0.2, 0.7]), sk.sample(rig, 1, [0.2, 0.7]))


class TestNames:
    def test_unknown_names(self, rig: Rig) -> None:
        with pytest.raises(
            ArgumentError, match=r"no joint 'joint_7'; did you mean .* The joints are: joint_0, joint_1"
        ):
            rig.joint_index("joint_7")
        with pytest.raises(ArgumentError, match=r"no clip 'run'\. The clips are: clip_0, clip_1"):
            rig.clip_index("run")

    def test_known_names(self, rig: Rig) -> None:
        assert rig.joint_names[rig.joint_index("joint_3")] == "joint_3"
        assert (rig.clip_index("clip_1"), rig.joint_count) == (1, 5)


def rewrite_header(path: Path, change: Callable[[dict[str, object]], object]) -> None:
    """Change the header of a rig file and put a good checksum before it."""
    data = path.read_bytes()
    magic, length, _ = PREFIX.unpack(data[: PREFIX.size])
    header = msgspec.json.decode(data[PREFIX.size : PREFIX.size + length])
    change(header)
    encoded = msgspec.json.encode(header)
    encoded += b" " * (-(PREFIX.size + len(encoded)) % 64)
    rest = encoded + data[PREFIX.size + length :]
    path.write_bytes(PREFIX.pack(magic, len(encoded), hashlib.blake2b(rest, digest_size=16).digest()) + rest)
