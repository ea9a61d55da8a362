"""Which quirks of the engine a difference comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from .comparison import Difference, Expected, Tally, component_slack, first_difference
from .frames import Frame, Recording
from .job import Job, read_job
from .model import run_model
from .moments import Moments
from .quirks import ALL, FOLLOWED, NAMES

WITNESS_TOL = 1e-9
"""How exactly the model must give what the engine gave, everything included."""
SAME_TOL = 1e-6
"""How exactly the model must give what skelter gives."""


@dataclass(eq=False)
class Witness:
    """A recording, and the model that explains it.

    Attributes:
        recording: What the engine gave.
        job: The job.
        moments: Finds clips that rounding puts to either side of a jump.
        expected: The recorded frames with their tolerances.
    """

    recording: Recording
    job: Job
    moments: Moments
    expected: list[Expected]

    @classmethod
    def of(cls, recording: Recording) -> Witness:
        """Make the witness of a recording."""
        job = read_job(recording.job, recording.name)
        slack = {} if recording.dense else component_slack(job)
        poses = recording.dense or recording.frames
        if recording.error is None and len(poses) != job.step_count // job.every:
            raise ValueError(f"{len(poses)} frames are recorded of {job.step_count} steps")
        frames = zip(recording.frames, poses, strict=True)
        expected = [Expected(frame, pose.bones, slack) for frame, pose in frames]
        return cls(recording, job, Moments(job), expected)

    def doubt(self) -> Difference | None:
        """Return where the model with all quirks gives something else than the engine; None if it is a good witness."""
        exact = [Expected(frame, frame.bones, tolerance=WITNESS_TOL) for frame in self.recording.frames]
        return first_difference(exact, self._recorded(run_model(self.job, ALL, slerped=False)), Tally())

    def throws(self) -> bool:
        """Return whether the model stops where the engine threw; endless recursion is beyond it."""
        assert self.recording.error is not None
        count = sum(1 for _ in run_model(self.job, ALL, slerped=False))
        return count // self.job.every == len(self.recording.frames) or "RangeError" in self.recording.error

    def difference(self, frames: Iterable[Frame], tally: Tally) -> Difference | None:
        """Return where frames part from the recording.

        Args:
            frames: A frame per step.
            tally: Filled with what was seen.
        """
        return first_difference(self.expected, self._recorded(frames), tally, self.moments)

    def _recorded(self, frames: Iterable[Frame]) -> Iterator[Frame]:
        """Yield the frames of the steps that are recorded."""
        return islice(frames, self.job.every - 1, None, self.job.every)

    def disagreement(self, quirks: frozenset[str]) -> Difference | None:
        """Return where the model with some quirks parts from the recording."""
        slerped = self.recording.dense is not None
        return self.difference(run_model(self.job, quirks, slerped), Tally())

    def disagreement_with(self, frames: Sequence[Frame], quirks: frozenset[str]) -> Difference | None:
        """Return where the model with the quirks that skelter follows parts from skelter."""
        plain = run_model(self.job, quirks, slerped=True)
        exact = [Expected(frame, frame.bones, tolerance=SAME_TOL) for frame in plain]
        return first_difference(exact, frames, Tally(), self.moments)

    def disagreement_of_all(self) -> Difference | None:
        """Return where the model with all quirks parts from the recording."""
        return self.disagreement(ALL)

    def quirks(self) -> tuple[str, ...] | None:
        """Return which quirks, beyond those that skelter follows, make of the model what was recorded.

        None of them can be left out. None if all of them do not do it.
        """
        if self.disagreement(ALL) is not None:
            return None
        needed = [name for name in NAMES if name not in FOLLOWED]
        while True:
            reduced = _without(needed, needed, lambda names: self.disagreement(FOLLOWED | set(names)) is None)
            if reduced == needed:
                return tuple(needed)
            needed = reduced


def _without(names: list[str], block: list[str], holds: Callable[[list[str]], bool]) -> list[str]:
    """Drop what can be dropped of a block of names: all at once, or else of its halves, one after the other."""
    rest = [name for name in names if name not in block]
    if holds(rest):
        return rest
    if len(block) > 1:
        middle = len(block) // 2
        names = _without(names, block[:middle], holds)
        names = _without(names, block[middle:], holds)
    return names
