"""Read files of characters: one place for the errors that a path can give."""

from __future__ import annotations

from pathlib import Path

from skelter.core.errors import AssetError

FILE_BYTES_MAX = 2 << 30
"""Files larger than this are refused before they are read [bytes]."""


def read_file(path: Path) -> bytes:
    """Read a whole file.

    Args:
        path: File to read.

    Raises:
        AssetError: There is no such file, it is a folder, it cannot be read, or it is larger than `FILE_BYTES_MAX`.
    """
    try:
        size = path.stat().st_size
        if path.is_dir():
            raise AssetError(f"{path}: this is a folder; name a .glb, .gltf, .vrm or .bvh file in it")
        if size > FILE_BYTES_MAX:
            raise AssetError(f"{path}: the file has {size} bytes; skelter reads files up to {FILE_BYTES_MAX} bytes")
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
