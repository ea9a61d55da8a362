from __future__ import annotations

import struct

import pytest

from skelter.assets.gltf.container import split_container
from skelter.core.errors import AssetError
from tests.support.gltf_builder import chunk, glb

TEXT = b'{"asset": {"version": "2.0"}}   '


def split(data: bytes) -> tuple[bytes, bytes | None, list[str]]:
    said: list[str] = []
    text, binary = split_container(data, "x.glb", lambda where, message: said.append(f"{where}: {message}"))
    return text, None if binary is None else bytes(binary), said


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "empty"),
        (b"glTF", "cut short"),
        (glb(TEXT, version=1), "version 1"),
        (glb(TEXT, b"1234")[:-1], "shorter than its declared length"),
        (glb(TEXT, length=40) + b"x", "claims 32 bytes, 20 are left"),
        (struct.pack("<4sII", b"glTF", 2, 24) + chunk(b"BIN\0", b"1234"), "first chunk"),
        (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
        (b"\xff\xd8\xff\xe0", "a JPEG picture"),
        (b"PK\3\4", "a ZIP archive"),
        (b"solid thing", "starts with b'solid th'"),
        (b"[1, 2]", "no glTF"),
    ],
)
def test_what_is_no_gltf_is_refused_by_name(data: bytes, message: str) -> None:
    with pytest.raises(AssetError, match=message) as error:
        split(data)
    assert str(error.value).startswith("x.glb: ")


@pytest.mark.parametrize("length", range(0, 60))
def test_a_glb_cut_anywhere_is_refused(length: int) -> None:
    whole = glb(TEXT, b"12345678")
    with pytest.raises(AssetError):
        split(whole[:length])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (glb(TEXT) + b"tail", "its header says"),
        (b"\xef\xbb\xbf" + TEXT, "byte order mark"),
        (struct.pack("<4sII", b"glTF", 2, 12 + 8 + 29) + chunk(b"JSON", TEXT[:29]), "not a multiple of 4"),
        (
            struct.pack("<4sII", b"glTF", 2, 12 + 40 + 12 + 12)
            + chunk(b"JSON", TEXT)
            + chunk(b"BIN\0", b"1234")
            + chunk(b"BIN\0", b"5678"),
            "second BIN chunk",
        ),
        (
            struct.pack("<4sII", b"glTF", 2, 12 + 40 + 12 + 12)
            + chunk(b"JSON", TEXT)
            + chunk(b"WHAT", b"1234")
            + chunk(b"BIN\0", b"5678"),
            "must be the second one",
        ),
    ],
)
def test_oddities_are_mended_with_a_warning(data: bytes, message: str) -> None:
    text, _, said = split(data)
    assert text.strip() == TEXT.strip()
    assert any(message in line for line in said)


def test_text_and_binary_are_told_apart() -> None:
    assert split(glb(TEXT, b"12345678")) == (TEXT, b"12345678", [])
    assert split(TEXT) == (TEXT, None, [])
