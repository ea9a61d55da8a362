"""Materials and images that are odd or broken."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import skelter as sk
from skelter.core.errors import AssetError
from tests.support.gltf_builder import GltfBuilder

TRANSFORM = "KHR_texture_transform"


def load(folder: Path, material: dict[str, Any], **document: Any) -> sk.Character:
    builder = GltfBuilder()
    builder.triangle(TEXCOORD_0=builder.accessor(np.zeros((3, 2))), TEXCOORD_1=builder.accessor(np.ones((3, 2))))
    builder.json["meshes"][0]["primitives"][0]["material"] = 0
    builder.json |= {"materials": [material], "textures": [{"source": 0}], "images": [{"bufferView": 0}]} | document
    return sk.load(builder.write(folder))


def textured(index: int = 0, **info: Any) -> dict[str, Any]:
    return {"pbrMetallicRoughness": {"baseColorTexture": {"index": index} | info}}


def said(character: sk.Character) -> str:
    return "; ".join(map(str, character.warnings))


@pytest.mark.parametrize(
    ("material", "document", "message"),
    [
        (textured(index=1), {}, r"materials\[0\]\.baseColorTexture: there is no texture 1"),
        (textured(index=-1), {}, "no texture -1"),
        (textured(), {"textures": [{"source": 1}]}, "no image 1"),
        ({"pbrMetallicRoughness": {"baseColorFactor": [1, 1, 1]}}, {}, "4 finite numbers are needed"),
        ({"emissiveFactor": [1] * 100_000}, {}, "3 finite numbers are needed"),
        ({"pbrMetallicRoughness": {"baseColorFactor": ["1"] * 4}}, {}, "does not follow glTF"),
        ({"pbrMetallicRoughness": {"roughnessFactor": 1e38}}, {}, r"`\$\.materials\[0\]\.pbr.*roughnessFactor`"),
        ({"alphaCutoff": -(10**30)}, {}, "does not follow glTF"),
        ({}, {"images": [{}] * 1_025}, "the file has 1025 images; skelter reads up to 1024"),
    ],
)
def test_what_is_not_there_is_refused(
    tmp_path: Path, material: dict[str, Any], document: dict[str, Any], message: str
) -> None:
    with pytest.raises(AssetError, match=message) as error:
        load(tmp_path, material, **document)
    assert len(str(error.value)) < 1_000


@pytest.mark.parametrize(
    "transform",
    [
        [],
        "x",
        None,
        {"offset": 1},
        {"offset": [1]},
        {"offset": ["nan", 0]},
        {"scale": [1, 2, 3]},
        {"rotation": "inf"},
        {"rotation": 1e38},
        {"rotation": None},
        {"texCoord": "1"},
        {"texCoord": 1.5},
    ],
)
def test_a_malformed_transform_is_refused(tmp_path: Path, transform: Any) -> None:
    if transform is None:
        assert load(tmp_path, textured(extensions={TRANSFORM: None})).materials[0].uv_scale == (1.0, 1.0)
        return
    with pytest.raises(AssetError, match=r"baseColorTexture\.extensions\.KHR_texture_transform: .* malformed"):
        load(tmp_path, textured(extensions={TRANSFORM: transform}))


@pytest.mark.parametrize("texture", [{}, {"extensions": {"KHR_texture_basisu": {"source": 0}}}])
def test_a_texture_that_is_not_read_leaves_the_factor(tmp_path: Path, texture: dict[str, Any]) -> None:
    character = load(tmp_path, textured(), textures=[texture])
    assert character.materials[0].base_color_image == -1
    assert "the base colour factor is used alone" in said(character)


@pytest.mark.parametrize(
    "image",
    [
        {"uri": "gone.png"},
        {"uri": "../x.png"},
        {"uri": "http://example.com/x.png"},
        {"uri": "data:image/png;base64,????"},
        {"bufferView": 99},
        {"bufferView": -1},
    ],
)
def test_a_picture_that_cannot_be_read_is_a_warning(tmp_path: Path, image: dict[str, Any]) -> None:
    character = load(tmp_path, textured(), images=[image])
    assert character.images[0].data == b""
    assert "images[0]: the image cannot be read and is left out" in said(character)


def test_an_unknown_alpha_mode_is_opaque(tmp_path: Path) -> None:
    character = load(tmp_path, {"alphaMode": "GLASS"})
    assert character.materials[0].alpha_mode == "OPAQUE"
    assert "'GLASS' is unknown" in said(character)


@pytest.mark.parametrize(
    ("info", "expected"),
    [
        ({}, 0.0),
        ({"texCoord": 1}, 1.0),
        ({"texCoord": 1, "extensions": {TRANSFORM: {"texCoord": 0}}}, 0.0),
        ({"extensions": {TRANSFORM: {"texCoord": 1}}}, 1.0),
        ({"texCoord": -7}, 0.0),
        ({"texCoord": 10**300}, None),
    ],
)
def test_the_set_of_texture_coordinates(tmp_path: Path, info: dict[str, Any], expected: float | None) -> None:
    uvs = load(tmp_path, textured(**info)).meshes[0].primitives[0].uvs
    assert uvs is None if expected is None else uvs is not None and (uvs == expected).all()


@pytest.mark.parametrize("uri", ["x.png", "./%78.png", "data:image/png;base64,iVBORw=="])
def test_pictures_are_kept_as_they_are_encoded(tmp_path: Path, uri: str) -> None:
    (tmp_path / "x.png").write_bytes(b"\x89PNG")
    character = load(tmp_path, textured(), images=[{"uri": uri, "name": "skin", "mimeType": "image/png"}])
    image = character.images[0]
    assert (image.name, image.mime_type, image.data) == ("skin", "image/png", b"\x89PNG")
    assert character.materials[0].base_color_image == 0


def test_webp_wins_over_its_fallback(tmp_path: Path) -> None:
    texture = {"source": 0, "extensions": {"EXT_texture_webp": {"source": 1}}}
    images = [{"bufferView": 0}, {"bufferView": 1}]
    assert load(tmp_path, textured(), textures=[texture], images=images).materials[0].base_color_image == 1
