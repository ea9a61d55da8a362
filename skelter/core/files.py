"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from skelter.core.errors import OutputError

NAME_BYTES_MAX = 240
"""Longest file name; the temporary one is 14 bytes longer."""


@contextmanager
def replacing(path: Path, *, force: bool = True) -> Iterator[Path]:
    """Give a temporary name beside ``path``, and move that file to ``path`` if all went well.

    Args:
        path: File to write in the end.
        force: False refuses to replace a file that exists.

    Raises:
        OutputError: The folder is missing or read-only, the file is a folder or exists, or there is no space.
    """
    check_target(path, force=force)
    path = Path(os.path.realpath(path))  # a link stays, and what it points to is replaced
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        yield temporary
        temporary.replace(path)
    except OSError as error:
        raise OutputError(f"cannot write {path}: {_reason(error, path)}") from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def check_target(path: Path, *, force: bool = True) -> None:
    """Check that a file could be written, before any long work.

    Args:
        path: File to write in the end.
        force: False refuses to replace a file that exists.

    Raises:
        OutputError: The folder is missing, or ``path`` is a folder, a device, too long, or exists.
    """
    # os.path: unlike Path, it takes a folder that may not be entered as one without files
    if os.path.isdir(path):
        raise OutputError(f"{path} is a folder: give the name of a file")
    if not os.path.isdir(path.parent):
        raise OutputError(f"cannot write {path}: the folder {path.parent} does not exist")
    if len(os.fsencode(path.name)) > NAME_BYTES_MAX:
        raise OutputError(f"cannot write {path}: the name is longer than {NAME_BYTES_MAX} bytes")
    if os.path.exists(path) and not os.path.isfile(path):
        raise OutputError(f"cannot write {path}: it is a device or a pipe, not a file")
    if os.path.exists(path) and not force:
        raise OutputError(f"{path} exists already: choose another name, or replace it with --force (force=True)")


def make_folder(path: Path) -> None:
    """Make a folder unless it is there.

    Raises:
        OutputError: A file has its name, or its own folder is read-only or missing.
    """
    try:
        path.mkdir(exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot make the folder {path}: {_reason(error, path)}") from error


def _reason(error: OSError, path: Path) -> str:
    if error.errno in (errno.EACCES, errno.EROFS, errno.EPERM):
        return f"the folder {path.parent} is read-only"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"no space is left on the disk of {path.parent}"
    return error.strerror or str(error)
