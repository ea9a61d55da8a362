from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import skelter as sk
from skelter.rig.rig import Rig

Write = Callable[..., Path]

HEAD = """
duration = 2.0
rate = 10.0
[[crowd]]
name = "walkers"
count = 4
"""


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a scene file in a folder of its own: a crowd of four, and what a test adds."""

    def call(text: str = "", head: str = HEAD) -> Path:
        path = tmp_path / "scene.toml"
        path.write_text(head + text, encoding="utf-8")
        return path

    return call


@pytest.fixture(scope="session")
def rig() -> Rig:
    return sk.bake(sk.mannequin(lod=2))
