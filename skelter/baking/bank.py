"""Baked clips one behind the other: the clip bank."""

from __future__ import annotations

import copy

import numpy as np

from skelter.baking.clips import BakedClip
from skelter.rig.packed import CLIP_COLUMNS, PackedClips, no_packed_clips
from skelter.rig.report import ClipReport
from skelter.rig.rig import ClipBank


def build_bank(clips: list[BakedClip], rest: np.ndarray, morph_count: int, bounds: np.ndarray) -> ClipBank:
    """Concatenate clips.

    Args:
        clips: The clips.
        rest: Rest pose, float32 ``[block, 10, 16]``.
        morph_count: Number of morph weights.
        bounds: float32 ``[clip, 2, 3]``.
    """
    none = np.zeros(0, np.float32)
    stored = [clip.stored for clip in clips]
    floats = [frames if clip.packed is None else None for clip, frames in zip(clips, stored, strict=True)]
    runs = [none if frames is None else frames.data.reshape(-1) for frames in floats]
    data_start, data = _shared_runs(clips, [none, *runs])
    morph_start, morph_data = _shared_runs(clips, [none, *(frames.morphs.reshape(-1) for frames in stored)])
    morph_start[[frames.morphs.size == 0 for frames in stored]] = -1
    base_index, bases = _bases(clips)
    rows = [frames for frames in floats if frames is not None]
    row_counts = [0 if frames is None else len(frames.row_offset) for frames in floats]
    events = [event for clip in clips for event in clip.events]
    return ClipBank(
        names=tuple(clip.name for clip in clips),
        duration=np.array([clip.duration for clip in clips], np.float64),
        frame_count=np.array([frames.frame_count for frames in stored], np.int32),
        base=np.array(bases, np.float32).reshape(len(bases), *rest.shape),
        base_index=base_index,
        row_start=np.cumsum([0, *row_counts]).astype(np.int32),
        row_offset=np.concatenate([np.zeros(0, np.int32), *(frames.row_offset for frames in rows)]),
        quat_row_count=np.array([0 if frames is None else frames.quat_row_count for frames in floats], np.int32),
        row_hold=np.concatenate([np.zeros(0, np.uint32), *(frames.row_hold for frames in rows)]),
        data_start=data_start,
        data=data,
        morph_start=morph_start,
        morph_data=morph_data,
        morph_hold=np.array([frames.morph_hold for frames in stored], np.uint8).reshape(len(clips), morph_count),
        bounds=bounds,
        keyed=np.array([frames.keyed for frames in stored], np.uint32).reshape(len(clips), len(rest), 3),
        additive=np.array([clip.deltas is not None for clip in clips], np.uint8),
        event_start=np.cumsum([0, *(len(clip.events) for clip in clips)]).astype(np.int32),
        event_time=np.array([event.time for event in events], np.float64),
        event_names=tuple(event.name for event in events),
        event_payloads=tuple(copy.deepcopy(event.payload) for event in events),
        packed=_packed_clips(clips, len(bases) - 1),
    )


def _bases(clips: list[BakedClip]) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return the base of each clip, -1 for a packed one, and the bases; identical clips share theirs."""
    index: list[int] = []
    bases: list[np.ndarray] = []
    for clip in clips:
        if clip.packed is not None:
            index.append(-1)
        elif clip.same_as >= 0:
            index.append(index[clip.same_as])
        else:
            index.append(len(bases))
            bases.append(clip.stored.base)
    bases += [clip.packed.ground for clip in clips if clip.packed is not None and clip.deltas is not None][:1]
    return np.array(index, np.int32), bases


def _packed_clips(clips: list[BakedClip], identity: int) -> PackedClips:
    """Return the packed clips of a bank; identical clips share what they have.

    Args:
        clips: The clips.
        identity: The base that is the identity, which packed deltas differ from.
    """
    parts = [no_packed_clips(0)]
    table = no_packed_clips(len(clips)).clip
    ends = np.zeros(len(CLIP_COLUMNS), np.int64)
    for index, clip in enumerate(clips):
        if clip.packed is None:
            continue
        if clip.same_as >= 0:
            table[index] = table[clip.same_as]
            continue
        arrays = clip.packed.arrays
        table[index] = arrays.clip[0] + ends
        table[index, -1] = -1 if clip.deltas is None else identity
        sizes = (len(array) for array in (arrays.still, arrays.group, arrays.row))
        ends += (len(arrays.lines), len(arrays.words), 0, *np.repeat(list(sizes), 2), 0)
        parts.append(arrays)
    joined = {name: np.concatenate([getattr(part, name) for part in parts]) for name in PackedClips._fields}
    return PackedClips(**joined | {"clip": table})


def _shared_runs(clips: list[BakedClip], runs: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Concatenate an empty run and one of each clip; a clip that equals an earlier one points to its run."""
    starts: list[int] = []
    end = 0
    kept = [runs[0]]
    for clip, run in zip(clips, runs[1:], strict=True):
        if clip.same_as >= 0:
            starts.append(starts[clip.same_as])
            continue
        starts.append(end)
        kept.append(run)
        end += len(run)
    return np.array(starts, np.int64), np.concatenate(kept)


def clip_reports(clips: list[BakedClip], joint_names: tuple[str, ...], tolerance_mm: float) -> tuple[ClipReport, ...]:
    """Return one report per clip."""
    return tuple(
        ClipReport(
            name=clip.name,
            duration=clip.duration,
            rate=clip.rate,
            frame_count=clip.frames.frame_count,
            max_mm=clip.error.max_mm,
            p99_mm=clip.error.p99_mm,
            rms_mm=clip.error.rms_mm,
            worst_joint=joint_names[clip.error.worst_joint],
            worst_time=clip.error.worst_time,
            max_morph=clip.error.max_morph,
            bytes=0 if clip.same_as >= 0 else clip.size,
            stepped=clip.stepped,
            within_tolerance=clip.error.p99_mm <= tolerance_mm,
            same_as=clips[clip.same_as].name if clip.same_as >= 0 else "",
            form="float32" if clip.packed is None else "packed",
            reason=clip.reason,
        )
        for clip in clips
    )


def clip_remarks(clips: list[BakedClip], tolerance_mm: float) -> tuple[str, ...]:
    """Return a sentence for each clip that a person should know something about."""
    remarks = []
    for clip in clips:
        if clip.error.p99_mm > tolerance_mm:
            reason = (
                "its STEP curves jump between frames; steps lie on the following frame"
                if clip.stepped
                else ("it moves faster than the rate can follow")
            )
            remarks.append(
                f"clip {clip.name!r}: 99 % of the error is below {clip.error.p99_mm:.3g} mm, not {tolerance_mm:g} mm,"
                f" at {clip.rate:g} Hz: {reason}"
            )
        elif clip.stepped:
            remarks.append(f"clip {clip.name!r}: STEP curves are kept; their steps lie on frames at {clip.rate:g} Hz")
        if clip.reason:
            remarks.append(f"clip {clip.name!r} is stored as float32: {clip.reason}")
    return tuple(remarks)
