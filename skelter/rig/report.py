"""What a bake cost: error against the source curves, bytes, seconds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ClipReport:
    """The cost of one clip.

    Errors are distances between a baked and a source joint frame at a shell of 3 cm around the joint, model space,
    scaled to a character of 2 m. The 99th percentile and rms are taken over all sampled times and all joints that move.

    Attributes:
        name: Clip name.
        duration: [s].
        rate: Sample rate that was chosen [Hz].
        frame_count: Number of frames.
        max_mm, p99_mm, rms_mm: Error [mm on a 2 m character].
        worst_joint: Joint of the largest error.
        worst_time: Clip time of the largest error [s].
        max_morph: Largest error of a morph weight [1].
        bytes: Bytes of all that the clip has in the bank for itself: frames, what does not move, tables; 0 if it shares
            them with an identical clip.
        stepped: The clip has STEP curves that change; their steps lie on the nearest following frame.
        within_tolerance: The 99th percentile is within the tolerance.
        same_as: Name of the identical clip whose data is shared, or an empty string.
        form: How the clip is stored: ``"float32"`` or ``"packed"``.
        reason: Why it is not packed although that was asked for, or an empty string.
    """

    name: str
    duration: float
    rate: float
    frame_count: int
    max_mm: float
    p99_mm: float
    rms_mm: float
    worst_joint: str
    worst_time: float
    max_morph: float
    bytes: int
    stepped: bool
    within_tolerance: bool
    same_as: str = ""
    form: str = "float32"
    reason: str = ""


@dataclass(frozen=True, slots=True)
class BakeReport:
    """The cost of a whole bake.

    Attributes:
        clips: One entry per clip.
        tolerance_mm: What was asked for [mm on a 2 m character].
        size: Longest side of the box around the rest pose, in the character's own units; errors are scaled by
            ``2 / size``.
        bytes: Bytes of all arrays of the rig.
        seconds: Time that baking took [s].
        warnings: Remarks of the baker, such as steps that do not lie on frames.
    """

    clips: tuple[ClipReport, ...]
    tolerance_mm: float
    size: float
    bytes: int
    seconds: float
    warnings: tuple[str, ...] = ()
