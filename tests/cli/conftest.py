from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from skelter.cli.app import main
from skelter.rendering.adapter import adapter_info


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


Run = Callable[..., Outcome]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in an empty folder of its own."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object) -> Outcome:
        capsys.readouterr()
        with pytest.raises(SystemExit) as caught:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        code = caught.value.code
        assert isinstance(code, int)
        return Outcome(code, captured.out, captured.err)

    return call


@pytest.fixture(scope="session")
def adapter() -> None:
    if adapter_info() is None:
        pytest.skip("no graphics adapter")
