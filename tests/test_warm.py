"""Compiling ahead: all that a plain crowd needs is there afterwards, and the mark says so."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from skelter import warm


def test_the_mark_is_set_and_spares_the_second_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[list[str]] = []

    class Helper:
        def __init__(self, command: list[str], **_: object) -> None:
            started.append(command)

        def wait(self) -> None:
            """Compile nothing."""

    monkeypatch.setattr(warm, "cache_folder", lambda: str(tmp_path))
    monkeypatch.setattr(subprocess, "Popen", Helper)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    warm.compile_kernels()
    assert (tmp_path / warm.MARK).exists()
    warm.compile_kernels()
    assert len(started) == 1
    assert started[0][0] == sys.executable
    assert "compile_graph_kernels" in started[0][2]


@pytest.mark.parametrize(("folder", "cores"), [(True, 1), (False, 8)])
def test_no_second_process_for_one_core_or_without_a_cache(
    folder: bool, cores: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr(warm, "cache_folder", lambda: str(tmp_path) if folder else "")
    monkeypatch.setattr(subprocess, "Popen", refuse)
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    warm.compile_kernels()
    assert (tmp_path / warm.MARK).exists() == folder
