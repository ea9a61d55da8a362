"""Read files of characters: one place for the errors that a path can give."""

from __future__ import annotations

import stat
from pathlib import Path

from skelter.core.errors import AssetError

FILE_BYTES_MAX = 2 << 30
"""Files larger than this are refused before they are read [bytes]."""


def read_file(path: Path) -> bytes:
    """Read a whole file.

    Args:
        path: File to read.

    Raises:
        AssetError: There is no such file, it is a folder or a device, it cannot be read, or it is larger than
            `FILE_BYTES_MAX`.
    """
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise AssetError(f"{path}: this is a folder; name a .glb, .gltf, .vrm or .bvh file in it")
        if not stat.S_ISREG(status.st_mode):  # a pipe may never end
            raise AssetError(f"{path}: this is a pipe or a device, not a file; save its content to a file first")
        if status.st_size > FILE_BYTES_MAX:
            raise AssetError(
                f"{path}: the file has {status.st_size} bytes; skelter reads files up to {FILE_BYTES_MAX} bytes"
            )
        return path.read_bytes()
    except FileNotFoundError:
        raise AssetError(f"{path}: there is no such file{_neighbours(path)}") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise AssetError(f"{path}: the file cannot be read: {reason}") from None


def _neighbours(path: Path) -> str:
    """Return a hint that names files of the folder that look like the one asked for."""
    import difflib

    try:
        names = [entry.name for entry in path.parent.iterdir()]
    except (OSError, ValueError):
        return ""
    near = difflib.get_close_matches(path.name, names, n=3)
    return f"; did you mean {' or '.join(near)}?" if near else ""
