"""The peers run in Node; without it, or without their packages, their tests are skipped with a reason."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent


class Peers:
    """Programs that nobody here wrote, which read what skelter writes."""

    def validate(self, *files: Path) -> list[dict[str, Any]]:
        """Return the Khronos validator's report on each file: errors, warnings, messages."""
        lines = self._run("validate.mjs", *map(str, files)).splitlines()
        return [json.loads(line) for line in lines]

    def three_poses(self, fractions: Sequence[float], *files: Path) -> Iterator[dict[str, Any]]:
        """Return how three.js poses each file at rest and at fractions of each clip."""
        self._run("three_poses.mjs", ",".join(map(str, fractions)), *map(str, files))
        for file in files:
            yield json.loads(Path(f"{file}.json").read_text())

    def _run(self, script: str, *arguments: str) -> str:
        done = subprocess.run(["node", str(FOLDER / script), *arguments], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture(scope="session")
def peers() -> Peers:
    if shutil.which("node") is None:
        pytest.skip("node is not installed: the Khronos validator and three.js run in it")
    if not (FOLDER / "node_modules").is_dir():
        pytest.skip("the peers are not installed: npm ci --prefix tests/peers")
    return Peers()
