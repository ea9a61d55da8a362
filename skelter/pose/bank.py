"""The clip bank of a rig as kernels take it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skelter.rig.rig import Rig

if TYPE_CHECKING:
    from skelter.pose.sample_kernels import BankArrays


def bank_arrays(rig: Rig) -> BankArrays:
    """Return the arrays of ``rig.clips`` as a NamedTuple, which is what Numba takes; nothing is copied."""
    from skelter.pose.sample_kernels import BankArrays

    clips = rig.clips
    return BankArrays(
        clips.duration,
        clips.frame_count,
        clips.base.reshape(len(clips.names), rig.rest.size),
        clips.row_start,
        clips.row_offset,
        clips.quat_row_count,
        clips.row_hold,
        clips.data_start,
        clips.data,
        clips.morph_start,
        clips.morph_data,
        clips.morph_hold,
        rig.mesh.morph_rest,
    )
