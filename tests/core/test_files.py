"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from skelter.core.errors import OutputError
from skelter.core.files import replacing


def write_half(target: Path, error: Exception) -> None:
    with replacing(target) as temporary:
        temporary.write_text("half")
        raise error


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="is a folder"), replacing(tmp_path):
        pytest.fail("must not get here")


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    target = tmp_path / "gone" / "x.glb"
    with pytest.raises(OutputError, match=r"the folder .*gone does not exist"), replacing(target):
        pytest.fail("must not get here")


def test_a_file_is_kept_unless_it_may_be_replaced(tmp_path: Path) -> None:
    target = tmp_path / "x.glb"
    target.write_text("old")
    with pytest.raises(OutputError, match="--force"), replacing(target, force=False):
        pytest.fail("must not get here")
    assert target.read_text() == "old"


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (errno.EACCES, "is read-only"),
        (errno.EROFS, "is read-only"),
        (errno.ENOSPC, "no space is left"),
        (errno.EIO, os.strerror(errno.EIO)),
    ],
)
def test_a_failed_write_says_why_and_leaves_nothing(tmp_path: Path, number: int, reason: str) -> None:
    target = tmp_path / "x.glb"
    target.write_text("old")
    with pytest.raises(OutputError, match=rf"cannot write .*x\.glb: .*{reason}"):
        write_half(target, OSError(number, os.strerror(number)))
    assert [entry.name for entry in tmp_path.iterdir()] == ["x.glb"]
    assert target.read_text() == "old"


def test_another_exception_passes_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        write_half(tmp_path / "x.glb", ZeroDivisionError())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("force", [True, False])
def test_what_was_written_takes_the_name(tmp_path: Path, force: bool) -> None:
    target = tmp_path / "x.glb"
    if force:
        target.write_text("old")
    with replacing(target, force=force) as temporary:
        assert temporary.parent == tmp_path
        temporary.write_text("new")
        assert not target.exists() or target.read_text() == "old"
    assert target.read_text() == "new"
    assert len(list(tmp_path.iterdir())) == 1
