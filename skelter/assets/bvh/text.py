"""The text of a BVH file: where its lines begin, and errors and warnings that name the line."""

from __future__ import annotations

from pathlib import Path

from skelter.assets.character import AssetWarning
from skelter.assets.files import read_file
from skelter.core.errors import AssetError

VALUE_MAX = 1e12
"""Largest length or angle that is believed."""


class BvhText:
    """The bytes of a file with one kind of line end, and what was odd about them.

    Attributes:
        path: The file.
        data: Its bytes; lines end with a line feed.
        warnings: What was odd so far.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.data = read_file(path).removeprefix(b"\xef\xbb\xbf")
        if b"\r" in self.data:
            self.data = self.data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        self.warnings: list[AssetWarning] = []

    def line(self, offset: int) -> int:
        """Return the number of the line that holds the byte at ``offset``, from 1."""
        return self.data.count(b"\n", 0, offset) + 1

    def warn(self, line: int, message: str) -> None:
        """Record an oddity that was mended or ignored."""
        self.warnings.append(AssetWarning(f"line {line}", message))

    def error(self, line: int, message: str) -> AssetError:
        """Return the error for a line, to be raised."""
        return AssetError(f"{self.path}: line {line}: {message}")


def shown(token: bytes) -> str:
    """Return a token as it may stand in a message: readable and not long."""
    text = token.decode("utf-8", "backslashreplace")
    return repr(text if len(text) <= 40 else text[:40] + "...")
