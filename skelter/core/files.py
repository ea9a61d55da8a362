"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from skelter.core.errors import OutputError


@contextmanager
def replacing(path: Path, *, force: bool = True) -> Iterator[Path]:
    """Give a temporary name beside ``path``, and move that file to ``path`` if all went well.

    Args:
        path: File to write in the end.
        force: False refuses to replace a file that exists.

    Raises:
        OutputError: The folder is missing or read-only, the file is a folder or exists, or there is no space.
    """
    if os.path.isdir(path):  # os.path: unlike Path, it takes a folder that may not be entered as one without files
        raise OutputError(f"{path} is a folder: give the name of a file")
    if not os.path.isdir(path.parent):
        raise OutputError(f"cannot write {path}: the folder {path.parent} does not exist")
    if os.path.exists(path) and not force:
        raise OutputError(f"{path} exists already: choose another name, or replace it with --force (force=True)")
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        yield temporary
        temporary.replace(path)
    except OSError as error:
        raise OutputError(f"cannot write {path}: {_reason(error, path)}") from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def _reason(error: OSError, path: Path) -> str:
    if error.errno in (errno.EACCES, errno.EROFS, errno.EPERM):
        return f"the folder {path.parent} is read-only"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"no space is left on the disk of {path.parent}"
    return error.strerror or str(error)
