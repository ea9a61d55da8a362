from __future__ import annotations

import subprocess
import sys

import pytest

import skelter

HEAVY = ("numpy", "numba", "wgpu", "rendercanvas", "typer", "rich", "PIL", "av", "DracoPy")


def test_import_loads_nothing_heavy() -> None:
    code = f"import sys, skelter; print([name for name in {HEAVY!r} if name in sys.modules])"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


def test_unknown_name() -> None:
    with pytest.raises(AttributeError, match="dance"):
        _ = skelter.dance


@pytest.mark.parametrize("name", skelter.__all__)
def test_public_names_are_there(name: str) -> None:
    assert name in dir(skelter)
    assert getattr(skelter, name) is not None
