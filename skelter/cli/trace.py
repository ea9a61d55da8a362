"""The command ``skelter trace``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from skelter.cli.result import show, table
from skelter.cli.source import ForceOption, SceneArgument
from skelter.cli.step import step
from skelter.core.errors import ArgumentError
from skelter.core.files import check_target, replacing

if TYPE_CHECKING:
    from skelter.scene.trace import Trace

HEADER = ("crowd", "char", "layer", "from s", "to s", "state", "through")
CHARS_SHOWN = 24
ALL = "all"
TABLE_SUFFIX = ".txt"


def trace(
    scene: SceneArgument,
    chars: Annotated[
        str | None,
        typer.Option(help=f"Characters of each crowd, such as 0,3,5-9, or the word all; by default {CHARS_SHOWN}."),
    ] = None,
    crowd: Annotated[list[str] | None, typer.Option(help="Only this crowd; may be repeated.")] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Write it to this file: a timeline (.svg, .html), JSON lines (.jsonl) or the table (.txt)."),
    ] = None,
    force: ForceOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, a line for each stay and event.")] = False,
) -> None:
    """Play a scene, and show who was in which state when."""
    from skelter.scene.load import load_scene
    from skelter.scene.trace import trace_scene
    from skelter.scene.trace_file import SUFFIXES, check_trace_suffix, json_lines

    if out is not None:
        check_trace_suffix(out, (*SUFFIXES, TABLE_SUFFIX))
        check_target(out, force=force)
    source = load_scene(scene)
    count = max(entry.count for entry in source.crowds)
    wanted = range(min(count, CHARS_SHOWN)) if chars is None else chosen_chars(chars, count)
    with step(f"playing {scene}") as report:
        result = trace_scene(source, chars=wanted, crowds=crowd or None, progress=report)
    if out is not None:
        _save(result, count, out, force)
        counts = {"path": str(out), "stays": len(result.stays), "events": len(result.events)}
        show(counts, f"wrote {out}, {len(result.stays)} stays, {len(result.events)} events", as_json)
    else:
        typer.echo("\n".join(json_lines(result)) if as_json else _text(result, count))


def chosen_chars(text: str, count: int) -> Sequence[int]:
    """Return the indices that a text such as ``0,3,5-9`` stands for.

    Args:
        text: Numbers and ranges, or the word ``all``.
        count: Number of characters.

    Raises:
        ArgumentError: It is something else, or there are not so many characters.
    """
    if text == ALL:
        return range(count)
    chars: list[int] = []
    for part in text.split(","):
        first, sign, last = part.strip().partition("-")
        if not (first.isdecimal() and (last.isdecimal() or not sign)):
            raise ArgumentError(f"--chars {text}: expected numbers and ranges such as 0,3,5-9, or the word {ALL}")
        begin, end = int(first), int(last or first)
        if not begin <= end < count:
            raise ArgumentError(f"--chars {text}: {part.strip()} is not within 0-{count - 1}, the characters there are")
        chars.extend(range(begin, end + 1))
    return chars


def _save(trace: Trace, count: int, path: Path, force: bool) -> None:
    from skelter.scene.trace_file import save_trace

    if path.suffix.lower() != TABLE_SUFFIX:
        save_trace(trace, path, force=force)
        return
    with replacing(path, force=force) as temporary:
        temporary.write_text(f"{_text(trace, count)}\n", encoding="utf-8")


def _text(trace: Trace, count: int) -> str:
    rows = (
        (stay.crowd, stay.char, stay.layer, f"{stay.start:.3f}", f"{stay.end:.3f}", stay.state, stay.via)
        for stay in trace.stays
    )
    counts = Counter(event.event for event in trace.events)
    events = ", ".join(f"{name} {count}" for name, count in counts.items())
    shown = len({stay.char for stay in trace.stays})
    notes = [f"events: {events}"] if events else []
    notes += [f"{shown} of {count} characters; choose with --chars"] if shown < count else []
    return "\n".join([table(HEADER, rows), "", *notes])
