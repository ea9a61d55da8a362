from __future__ import annotations

import signal
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from skelter import __version__
from skelter.cli.app import main
from skelter.core.errors import SkelterWarning
from tests.cli.conftest import Run

COMMANDS = ("demo", "inspect", "bake", "render", "export", "bench", "doctor")


def test_unknown_command_is_the_users_mistake(run: Run) -> None:
    outcome = run("paint")
    assert outcome.code == 2
    assert "paint" in outcome.err
    assert "Traceback" not in outcome.err


def test_unknown_option_is_the_users_mistake(run: Run) -> None:
    assert run("doctor", "--loudly").code == 2


def test_our_bug_leaves_a_traceback_and_says_how_to_report_it(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise ZeroDivisionError("broken")

    monkeypatch.setattr("skelter.doctor.doctor", broken)
    outcome = run("doctor")
    assert outcome.code == 1
    assert "ZeroDivisionError: broken" in outcome.err
    assert "bug in skelter" in outcome.err
    assert outcome.out == ""


def test_interrupt_is_quiet(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("skelter.doctor.doctor", interrupted)
    outcome = run("doctor")
    assert outcome.code == 128 + signal.SIGINT
    assert "Traceback" not in outcome.err


def test_warnings_are_one_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def warning() -> dict[str, object]:
        warnings.warn("the cache is full", SkelterWarning, stacklevel=1)
        raise KeyboardInterrupt

    monkeypatch.setattr("skelter.doctor.doctor", warning)
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        assert "warning: the cache is full\n" in run("doctor").err


def test_closed_pipe_is_quiet() -> None:
    command = [sys.executable, "-m", "skelter", "inspect", "mannequin"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    _, errors = process.communicate(timeout=60)
    assert errors == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize("arguments", [("inspect", "mannequin"), ("--version",)])
def test_a_full_disk_is_one_line(arguments: tuple[str, ...]) -> None:
    with open("/dev/full", "w") as full:
        answer = subprocess.run(
            [sys.executable, "-m", "skelter", *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert answer.returncode == 2
    assert answer.stderr == "error: the result cannot be written: No space left on device\n"


def test_another_failure_of_the_system_is_our_bug(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise OSError("broken")

    monkeypatch.setattr("skelter.doctor.doctor", broken)
    outcome = run("doctor")
    assert outcome.code == 1
    assert "bug in skelter" in outcome.err


def test_version(run: Run) -> None:
    assert run("--version").out == f"{__version__}\n"


def test_help_lists_every_command(run: Run) -> None:
    outcome = run("--help")
    assert outcome.code == 0
    assert all(command in outcome.out for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command(run: Run, command: str) -> None:
    outcome = run(command, "--help")
    assert outcome.code == 0
    assert "Usage" in outcome.out


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from skelter.cli.app import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "print([name for name in ('numba', 'wgpu', 'numpy', 'rendercanvas') if name in sys.modules])"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.splitlines()[-1] == "[]"


def test_module_runs_as_a_program() -> None:
    answer = subprocess.run([sys.executable, "-m", "skelter", "--version"], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == __version__
    assert main.__doc__
