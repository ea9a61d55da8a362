"""The command ``skelter bake``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from skelter.cli.result import show, table
from skelter.cli.source import FileArgument, ForceOption, JsonOption, check_output, open_character
from skelter.cli.step import step

if TYPE_CHECKING:
    from skelter.rig.report import BakeReport, ClipReport

HEADER = ("clip", "s", "Hz", "frames", "max mm", "p99 mm", "rms mm", "worst joint", "at s", "bytes", "remark")


def bake(
    file: FileArgument,
    rate: Annotated[
        float | None, typer.Option(help="Sample rate of all clips [Hz]. By default each clip chooses its own.")
    ] = None,
    tolerance_mm: Annotated[
        float, typer.Option("--tolerance-mm", "--tolerance", help="Error that is allowed [mm on a 2 m character].")
    ] = 0.1,
    cache: Annotated[bool, typer.Option(help="Keep baked characters on disk for the next time.")] = True,
    out: Annotated[Path | None, typer.Option(help="Write the baked character to this file (.rig).")] = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Bake a character and report the error, the bytes and the time."""
    from skelter.baking.bake import bake as bake_character
    from skelter.rig.file import save_rig

    if out is not None:
        check_output(out, force)
    character = open_character(file)
    with step(f"baking {character.name}") as report:
        rig = bake_character(character, rate=rate, tolerance_mm=tolerance_mm, cache=cache, progress=report)
    if out is not None:
        save_rig(rig, out)
    show(asdict(rig.report), _text(rig.report), as_json)


def _text(report: BakeReport) -> str:
    lines = [table(HEADER, (_row(clip) for clip in report.clips))] if report.clips else ["no clips"]
    lines += [f"warning: {text}" for text in report.warnings]
    lines.append(f"{report.bytes:,} bytes, baked in {report.seconds:.2f} s, tolerance {report.tolerance_mm:g} mm")
    return "\n".join(lines)


def _row(clip: ClipReport) -> tuple[object, ...]:
    remarks = (
        f"same as {clip.same_as}" if clip.same_as else "",
        "stepped" if clip.stepped else "",
        "" if clip.within_tolerance else "over the tolerance",
    )
    errors = (round(clip.max_mm, 4), round(clip.p99_mm, 4), round(clip.rms_mm, 4))
    place = (clip.worst_joint, round(clip.worst_time, 3), clip.bytes)
    remark = ", ".join(filter(None, remarks))
    return (clip.name, round(clip.duration, 3), clip.rate, clip.frame_count, *errors, *place, remark)
