"""Write traces: JSON lines for programs, pictures for people."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from os import PathLike
from pathlib import Path

from skelter.core.errors import ArgumentError
from skelter.core.files import replacing
from skelter.scene.timeline import timeline_html, timeline_svg
from skelter.scene.trace import Trace

SUFFIXES = (".jsonl", ".html", ".svg")


def json_lines(trace: Trace) -> Iterator[str]:
    """Yield a trace as lines of JSON: an object per stay (``"kind": "stay"``), then one per event (``"event"``)."""
    for kind, records in (("stay", trace.stays), ("event", trace.events)):
        for record in records:
            fields = {name: round(v, 9) if isinstance(v, float) else v for name, v in asdict(record).items()}
            yield json.dumps({"kind": kind} | fields)


def save_trace(trace: Trace, path: str | PathLike[str], *, force: bool = True) -> None:
    """Write a trace into a file, whole or not at all.

    Args:
        trace: The trace.
        path: What is written goes by the end of the name: ``.jsonl`` (see `json_lines`), or a timeline as ``.svg`` or
            as ``.html``, one file that needs no other.
        force: False refuses to replace a file that exists.

    Raises:
        ArgumentError: The name ends in something else.
        OutputError: The folder is missing or read-only, there is no space, or the file exists.
    """
    target = Path(path)
    check_trace_suffix(target)
    with replacing(target, force=force) as temporary:
        temporary.write_text(_content(trace, target.suffix.lower()), encoding="utf-8")


def check_trace_suffix(path: Path, suffixes: Sequence[str] = SUFFIXES) -> None:
    """Raise ArgumentError if a name does not end in one of the suffixes, which say in which form a trace is written."""
    if path.suffix.lower() not in suffixes:
        raise ArgumentError(f"{path}: a trace is written as {', '.join(suffixes)}; give the file such a name")


def _content(trace: Trace, suffix: str) -> str:
    if suffix == ".jsonl":
        return "".join(f"{line}\n" for line in json_lines(trace))
    return timeline_svg(trace) if suffix == ".svg" else timeline_html(trace)
