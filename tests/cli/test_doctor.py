from __future__ import annotations

import json
import platform
from pathlib import Path

import pytest

from tests.cli.conftest import Run


def test_no_adapter_says_what_to_install(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skelter.rendering.adapter.require_adapter", _no_adapter)
    outcome = run("doctor")
    assert outcome.code == 0
    assert "nothing can be drawn: " in outcome.out
    assert json.loads(run("doctor", "--json").out)["adapter"] is None


def test_cache_that_cannot_be_written(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("SKELTER_CACHE", str(tmp_path / "file" / "folder"))
    findings = json.loads(run("doctor", "--json").out)
    assert findings["caches"]["rigs"]["writable"] is False


def test_json(run: Run) -> None:
    findings = json.loads(run("doctor", "--json").out)
    assert findings["python"] == platform.python_version()
    assert findings["packages"]["numba"]
    assert findings["cpu"]["cores"] >= 1
    assert set(findings["extras"]) == {"gpu", "draco", "video"}


def _no_adapter() -> None:
    from skelter.core.errors import MissingExtraError

    raise MissingExtraError("none")
