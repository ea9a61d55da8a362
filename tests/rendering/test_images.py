"""Pictures of materials."""

from __future__ import annotations

import numpy as np
import pytest

from skelter.core.errors import SkelterWarning
from skelter.core.material import Image
from skelter.rendering import images
from skelter.rendering.images import NEUTRAL, decode_mips
from tests.rendering.conftest import RED, png


@pytest.mark.parametrize(
    "data", [b"", b"no picture", png([[RED] * 40] * 40).data[:60], b"GIF89a" + bytes(20), b"\x89PNG\r\n\x1a\n"]
)
def test_a_broken_picture_becomes_grey_with_a_warning(data):
    with pytest.warns(SkelterWarning, match="'skin' cannot be read"):
        levels = decode_mips(Image("skin", "image/png", data))
    assert [level.tolist() for level in levels] == [[[list(NEUTRAL)]]]


def test_a_huge_picture_is_not_decoded(monkeypatch):
    monkeypatch.setattr(images, "PIXEL_LIMIT", 99)
    with pytest.warns(SkelterWarning, match="10x10 pixels"):
        decode_mips(png([[RED] * 10] * 10))


def test_levels_halve_down_to_one_pixel():
    sizes = [level.shape[:2] for level in decode_mips(png([[RED] * 6] * 20))]
    assert sizes == [(20, 6), (10, 3), (5, 1), (2, 1), (1, 1)]


def test_a_large_picture_is_made_smaller():
    levels = decode_mips(png(np.full((4, 4096, 3), RED, np.uint8)))
    assert levels[0].shape == (2, 2048, 4)
    assert (levels[0] == (*RED, 255)).all()


def test_grey_and_palette_pictures_become_rgba():
    level = decode_mips(png(np.full((2, 2), 77, np.uint8)))[0]
    assert level.tolist() == [[[77, 77, 77, 255]] * 2] * 2
