"""Fixtures shared by all tests. Kernels are compiled into the user's cache; baked rigs go to a folder of the run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(autouse=True, scope="session")
def _own_bake_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    os.environ["SKELTER_CACHE"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def corpus() -> Path:
    folder = os.environ.get("SKELTER_CORPUS")
    if not folder:
        pytest.skip("SKELTER_CORPUS is not set: it names the folder of real and hostile character files")
    path = Path(folder)
    if not (path / "manifest.json").is_file():
        pytest.skip(f"SKELTER_CORPUS names {path}, which has no manifest.json")
    return path
