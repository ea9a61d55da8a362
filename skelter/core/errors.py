"""The one exception tree of skelter, and the texts that all of it shares."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from itertools import islice

NAMES_SHOWN = 20
"""Names that a message lists at most."""
NAMES_COMPARED = 2000
"""Names that a misspelt one is compared with at most: files may hold more."""
TEXT_COMPARED = 100
"""Letters of a misspelt name that are compared."""


class SkelterError(Exception):
    """Base of every error that skelter raises on purpose: the user's mistake or a bad file, never our bug.

    The message names the file, joint, state or array, the value found and the fix.
    """


class AssetError(SkelterError):
    """A character or scene file is broken, hostile, or uses something that skelter does not read."""


class BakeError(SkelterError):
    """A character cannot be baked with these options."""


class GraphError(SkelterError):
    """A state graph is wrong, or does not fit a rig; the message lists every problem with its path."""


class WorldError(SkelterError):
    """A world cannot do what is asked: a handle is old, a component is missing, a system failed."""


class ArgumentError(SkelterError, ValueError):
    """An argument of a public function has the wrong type, shape or value."""


class OutputError(SkelterError):
    """A result could not be written (no space, read-only folder, output exists)."""


class MissingExtraError(SkelterError):
    """An optional package, driver or program is not installed. The message says how to install it."""


class SkelterWarning(UserWarning):
    """A warning that skelter issues through :mod:`warnings`, for example when a cache cannot be written."""


def unknown_name(kind: str, name: object, names: Iterable[str]) -> str:
    """Return the text for a name that is not there: what was asked, the nearest names, and the first of all.

    Args:
        kind: What the name stands for, in the singular, such as ``"clip"`` or ``"joint"``.
        name: The name that was asked for.
        names: The names that exist.
    """
    known = list(names)
    if not known:
        return f"no {kind} {str(name)!r}: there are no {kind}s at all"
    return f"no {kind} {str(name)!r}{near_names(name, known) or '.'} The {kind}s are: {listed_names(known)}"


def listed_names(names: Sequence[str]) -> str:
    """Return the first names, separated by commas, and how many there are if these are not all."""
    shown = ", ".join(names[:NAMES_SHOWN])
    return f"{shown}, ... ({len(names)} in all)" if len(names) > NAMES_SHOWN else shown


def near_names(name: object, names: Iterable[str]) -> str:
    """Return ``; did you mean 'idle' or 'idler'?`` for a name that is not there, or nothing if none is near.

    Upper and lower case are one.
    """
    spelled = {text.casefold(): text for text in islice(names, NAMES_COMPARED)}
    near = [spelled[text] for text in difflib.get_close_matches(str(name)[:TEXT_COMPARED].casefold(), spelled, n=3)]
    return f"; did you mean {' or '.join(repr(text) for text in near)}?" if near else ""
