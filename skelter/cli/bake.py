"""The command ``skelter bake``."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from skelter.cli.result import show, table
from skelter.cli.source import FileArgument, ForceOption, JsonOption, open_character
from skelter.cli.step import step
from skelter.core.files import check_target

if TYPE_CHECKING:
    from skelter.baking.bake import Form
    from skelter.rig.report import BakeReport, ClipReport

HEADER = ("clip", "s", "Hz", "frames", "max mm", "p99 mm", "rms mm", "worst joint", "at s", "form", "bytes", "remark")


def bake(
    file: FileArgument,
    rate: Annotated[
        float | None, typer.Option(help="Sample rate of all clips [Hz]. By default each clip chooses its own.")
    ] = None,
    tolerance_mm: Annotated[
        float,
        typer.Option(
            "--tolerance-mm", "--tolerance", help="Error that 99 % of all samples hold [mm on a 2 m character]."
        ),
    ] = 0.1,
    form: Annotated[
        str, typer.Option(help="How clips are stored: float32, or packed in a small part of the bytes.")
    ] = ("float32"),
    cache: Annotated[bool, typer.Option(help="Keep baked characters on disk for the next time.")] = True,
    out: Annotated[Path | None, typer.Option(help="Write the baked character to this file (.rig).")] = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Bake a character and report the error, the bytes and the time."""
    from skelter.baking.bake import bake as bake_character
    from skelter.rig.file import save_rig

    if out is not None:
        check_target(out, force=force)
    character = open_character(file)
    begin = time.perf_counter()
    with step(f"baking {character.name}") as report:
        rig = bake_character(
            character, rate=rate, tolerance_mm=tolerance_mm, form=cast("Form", form), cache=cache, progress=report
        )
    if out is not None:
        save_rig(rig, out)
    seconds = time.perf_counter() - begin
    show(asdict(rig.report) | {"seconds_now": seconds}, _text(rig.report, seconds), as_json)


def _text(report: BakeReport, seconds: float) -> str:
    lines = [table(HEADER, (_row(clip) for clip in report.clips))] if report.clips else ["no clips"]
    lines += [f"warning: {text}" for text in report.warnings]
    took = f"baked in {report.seconds:.2f} s (now {seconds:.2f} s)"
    lines.append(f"{report.bytes:,} bytes, {took}, tolerance {report.tolerance_mm:g} mm for 99 % of all samples")
    return "\n".join(lines)


def _row(clip: ClipReport) -> tuple[object, ...]:
    remarks = (
        f"same as {clip.same_as}" if clip.same_as else "",
        "stepped" if clip.stepped else "",
        "" if clip.within_tolerance else "over the tolerance",
    )
    errors = (round(clip.max_mm, 4), round(clip.p99_mm, 4), round(clip.rms_mm, 4))
    place = (clip.worst_joint, round(clip.worst_time, 3), clip.form, clip.bytes)
    remark = ", ".join(filter(None, remarks))
    return (clip.name, round(clip.duration, 3), clip.rate, clip.frame_count, *errors, *place, remark)
