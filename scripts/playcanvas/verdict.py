"""What became of a recording: equal, explained, or wrong."""

from __future__ import annotations

import hashlib
import json
import math
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from skelter.graph.check import check_graph
from skelter.graph.controller import Rules

from .baking import FLOAT32_TOL, BakeErrors
from .comparison import Expected, Tally, first_difference
from .cpu import CpuDriver
from .differences import read_cases
from .explanation import Witness
from .frames import Frame, Json, Recording, read_recording
from .quirks import DIFFERENCES, FOLLOWED, NONE
from .reference import ReferenceDriver
from .setup import Setup, set_up

WEIGHT_SUM_TOL = 1e-9
Listed = Mapping[str, tuple[str, ...]]
"""Quirks, in order, per digest of a job; none for a job that is equal."""


@dataclass(eq=False)
class Verdict:
    """What was found about a recording.

    Attributes:
        name: Name of the case.
        problems: What is wrong; nothing if all holds.
        quirks: Quirks of the engine that a difference comes from.
        difference: The first difference.
        job: Digest of the job.
        listed: Whether the list of differences knows the job.
        equal_by_own_rules: Whether skelter's own rules give what was recorded, too.
        reference: What was compared of the reference engine.
        cpu: What was compared of the cpu engine.
    """

    name: str
    problems: list[str] = field(default_factory=list)
    quirks: tuple[str, ...] = ()
    difference: str = ""
    job: str = ""
    listed: bool = False
    equal_by_own_rules: bool = False
    reference: Tally = field(default_factory=Tally)
    cpu: Tally = field(default_factory=Tally)

    @property
    def kind(self) -> str:
        """``equal``, ``explained`` or ``FAIL``."""
        return "FAIL" if self.problems else "explained" if self.quirks else "equal"


def digest(job: Json) -> str:
    """Return what a job is known by, so that another one of the same name is not taken for it."""
    text = json.dumps(job, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def read_list(path: Path = DIFFERENCES) -> Listed:
    """Read the list of differences."""
    return {job: tuple(sorted(quirks)) for job, quirks in read_cases(path).values()}


def judge(path: Path, listed: Listed) -> Verdict:
    """Hold skelter to a recording."""
    recording = read_recording(path)
    verdict = Verdict(recording.name, job=digest(recording.job))
    try:
        _judge(recording, verdict)
    except Exception:
        verdict.problems.append(traceback.format_exc())
    known = listed.get(verdict.job)
    verdict.listed = known is not None
    if known is not None and known != tuple(sorted(verdict.quirks)) and not verdict.problems:
        verdict.problems.append(f"the list says {_names(known)}, but it is {_names(verdict.quirks)}")
    return verdict


def _names(quirks: Sequence[str]) -> str:
    return " + ".join(sorted(quirks)) or "equal"


def _judge(recording: Recording, verdict: Verdict) -> None:
    witness = Witness.of(recording)
    setup = set_up(witness.job)
    if recording.error is not None:
        _note_crash(recording.error, witness, verdict)
        if check_graph(setup.graph):
            return  # skelter refuses what the engine cannot play either
    frames = _run(setup, witness, "playcanvas", verdict)
    difference = witness.difference(frames, verdict.reference)
    if difference is not None:
        verdict.difference = str(difference)
        _explain(witness, frames, verdict)
    frames = _run(setup, witness, "skelter", verdict)
    apart = None if witness.job.has_nested_trees else witness.disagreement_with(frames, NONE)
    if apart is not None:
        verdict.problems.append(f"by skelter's own rules: it parts from the model without quirks, {apart}")
    verdict.equal_by_own_rules = witness.difference(frames, Tally()) is None and recording.error is None


def _note_crash(error: str, witness: Witness, verdict: Verdict) -> None:
    verdict.difference = f"step {len(witness.recording.frames)}: {error}"
    verdict.quirks = ("nested-trees-crash" if witness.job.has_nested_trees else "throws",)
    if not witness.throws():
        verdict.problems.append(f"{verdict.difference}; the model of the engine does not throw")


def _run(setup: Setup, witness: Witness, rules: Rules, verdict: Verdict) -> list[Frame]:
    """Run both engines; return the frames of the reference engine."""
    frames = list(ReferenceDriver(setup, rules).run())
    verdict.problems += [f"rules of {rules}: {problem}" for problem in _unsound(frames)]
    errors = BakeErrors(setup, holds=rules == "playcanvas")
    actual = list(CpuDriver(setup, rules).run())
    expected = [Expected(frame, frame.bones, errors.of(frame), FLOAT32_TOL) for frame in frames]
    difference = first_difference(expected, actual, verdict.cpu, witness.moments)
    if difference is not None:
        verdict.problems.append(f"rules of {rules}: the cpu engine parts from the reference engine, {difference}")
    return frames


def _unsound(frames: Sequence[Frame]) -> list[str]:
    """Return what no frame may have: numbers that are not finite, weights that do not sum to 1."""
    for step, frame in enumerate(frames):
        for name, layer in frame.layers.items():
            total = math.fsum(clip.weight for clip in layer.clips or ())
            if not abs(total - 1.0) <= WEIGHT_SUM_TOL:
                return [f"step {step}: weights of layer {name} sum to {total}"]
        for name, bone in frame.bones.items():
            if not all(map(math.isfinite, (*bone.t, *bone.r, *bone.s))):
                return [f"step {step}: {name} is not finite"]
    return []


def _explain(witness: Witness, frames: Sequence[Frame], verdict: Verdict) -> None:
    doubt = witness.doubt()
    apart = witness.disagreement_with(frames, FOLLOWED)
    quirks = None if doubt or apart else witness.quirks()
    if doubt is not None:
        why = f"the model gives something else than the engine, {doubt}"
    elif apart is not None:
        why = f"the model with the quirks that skelter follows parts from skelter, {apart}"
    elif quirks is None:
        why = f"the model with all quirks parts from the dense recording, {witness.disagreement_of_all()}"
    else:
        verdict.quirks += quirks
        return
    verdict.problems.append(f"{verdict.difference}; not explained: {why}")
