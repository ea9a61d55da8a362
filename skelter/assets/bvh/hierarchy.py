"""The HIERARCHY part of a BVH file: joints, their offsets, and the channels that move them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from skelter.assets.bvh.text import VALUE_MAX, BvhText, shown

JOINT_COUNT_MAX = 65_536
NAME_LENGTH_MAX = 1_000

_TOKEN = re.compile(rb"[{}]|[^\s{}]+")
_CHANNELS_MAX = 6


class Channel(NamedTuple):
    """One column of the motion: an angle about, or a position along, an axis (0 is x)."""

    kind: Literal["position", "rotation"]
    axis: int


CHANNELS = {
    f"{letter}{kind}".encode(): Channel(kind, axis)
    for kind in ("position", "rotation")
    for axis, letter in enumerate("xyz")
}
"""Channels by name in lower case."""


@dataclass(slots=True)
class Joint:
    """A joint, or the end of one.

    Attributes:
        name: Name in the file, may be empty; that of an End Site is ``<parent>_end``.
        parent: Index of the parent, -1 for a root. Parents come first.
        line: Line where it begins.
        is_end: True for an End Site.
        offset: Place in the parent, in the unit of the file.
        channels: What its columns of the motion are, in the order of the file.
    """

    name: str
    parent: int
    line: int
    is_end: bool = False
    offset: tuple[float, ...] | None = None
    channels: list[Channel] = field(default_factory=list)


def read_hierarchy(text: BvhText) -> tuple[list[Joint], int | None]:
    """Read the joints in the order of the file.

    Returns:
        ``(joints, offset)``: where the text after the word MOTION begins, None without one.

    Raises:
        AssetError: This is no hierarchy.
    """
    return _HierarchyReader(text).read()


class _HierarchyReader:
    """Reads statement by statement; open braces are a list, not a recursion."""

    def __init__(self, text: BvhText) -> None:
        self._text = text
        self._tokens = _TOKEN.finditer(text.data)
        self._start = self._end = 0  # of the last token
        self._line = 1
        self._joints: list[Joint] = []
        self._open: list[int] = []
        self._statements = {
            b"ROOT": self._root,
            b"JOINT": self._joint,
            b"END": self._end_site,
            b"OFFSET": self._offset,
            b"CHANNELS": self._channels,
            b"}": self._close,
        }

    def read(self) -> tuple[list[Joint], int | None]:
        first = self._next()
        if first.upper() != b"HIERARCHY":
            raise self._error(f"a BVH file begins with HIERARCHY, this one with {shown(first)}")
        while (word := (token := self._next()).upper()) not in (b"MOTION", b""):
            if word not in self._statements:
                raise self._error(f"{shown(token)} is none of ROOT, JOINT, End Site, OFFSET, CHANNELS, '}}' and MOTION")
            self._statements[word]()
        if self._open:
            raise self._error(f"joint {self._joints[self._open[-1]].name!r} is not closed with '}}'")
        if not self._joints:
            raise self._error("there is no ROOT in the hierarchy")
        return self._joints, self._end if token else None

    def _next(self) -> bytes:
        """Return the next token, empty at the end of the file."""
        match = next(self._tokens, None)
        before = self._start
        self._start = match.start() if match else len(self._text.data)
        self._line += self._text.data.count(b"\n", before, self._start)
        if match is None:
            return b""
        self._end = match.end()
        return match.group()

    def _error(self, message: str) -> Exception:
        return self._text.error(self._line, message)

    def _root(self) -> None:
        if self._open:
            raise self._error("ROOT stands inside of a joint; use JOINT there")
        self._add(self._name())

    def _joint(self) -> None:
        self._refuse_at_end_site(self._current("JOINT"))
        self._add(self._name())

    def _end_site(self) -> None:
        joint = self._current("End Site")
        self._refuse_at_end_site(joint)
        self._name()  # always "Site"
        self._add(f"{joint.name}_end", is_end=True)

    def _refuse_at_end_site(self, joint: Joint) -> None:
        if joint.is_end:
            raise self._error("nothing can hang on an End Site; make it a JOINT")

    def _name(self) -> str:
        """Return the words up to the brace that opens the joint."""
        words = []
        while (token := self._next()) != b"{":
            if token.upper() in (b"", b"}", b"OFFSET", b"CHANNELS"):
                raise self._error("a joint has no '{'")
            words.append(token)
        name = b" ".join(words).decode("utf-8", "replace")
        if len(name) > NAME_LENGTH_MAX:
            raise self._error(f"a joint's name has {len(name)} characters; {NAME_LENGTH_MAX} are allowed")
        return name

    def _add(self, name: str, *, is_end: bool = False) -> None:
        if len(self._joints) == JOINT_COUNT_MAX:
            raise self._error(f"there are more than {JOINT_COUNT_MAX} joints; refused")
        parent = self._open[-1] if self._open else -1
        self._open.append(len(self._joints))
        self._joints.append(Joint(name, parent, self._line, is_end))

    def _close(self) -> None:
        if not self._open:
            raise self._error("there is a '}' too many")
        self._open.pop()

    def _current(self, statement: str) -> Joint:
        if not self._open:
            raise self._error(f"{statement} stands outside of a joint")
        return self._joints[self._open[-1]]

    def _offset(self) -> None:
        joint = self._current("OFFSET")
        joint.offset = (self._number(), self._number(), self._number())

    def _number(self) -> float:
        token = self._next()
        try:
            value = float(token)
        except ValueError:
            raise self._error(f"{shown(token)} is no number; OFFSET needs three") from None
        if not abs(value) <= VALUE_MAX:
            raise self._error(f"OFFSET {value} is not a finite length")
        return value

    def _channels(self) -> None:
        joint = self._current("CHANNELS")
        if joint.channels:
            raise self._error(f"joint {joint.name!r} has CHANNELS twice")
        token = self._next()
        if not token.isdigit() or len(token) > 1 or int(token) > _CHANNELS_MAX:
            raise self._error(f"CHANNELS needs a number from 0 to {_CHANNELS_MAX}, not {shown(token)}")
        for index in range(int(token)):
            joint.channels.append(self._channel(index, int(token)))

    def _channel(self, index: int, count: int) -> Channel:
        token = self._next()
        channel = CHANNELS.get(token.lower())
        if channel is None:
            raise self._error(
                f"channel {index + 1} of {count} is {shown(token)}; it must be one of Xposition, Yposition, Zposition, "
                "Xrotation, Yrotation, Zrotation"
            )
        return channel
