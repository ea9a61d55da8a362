"""The source curves of a clip, ready to be evaluated at many times."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from skelter.assets.character import Character, Clip, Track
from skelter.baking.skeleton import Skeleton
from skelter.core.affine import normalized
from skelter.core.arrays import CHANNEL_COUNT
from skelter.core.errors import BakeError

if TYPE_CHECKING:
    from skelter.baking.curves_kernels import CurveArrays

KEY_FLOATS_MAX = 1 << 26
"""Most key times and values of one clip."""
OFFSETS = {"rotation": 0, "translation": 4, "scale": 7}
INTERPOLATIONS = {"LINEAR": 0, "STEP": 1, "CUBICSPLINE": 2}


@dataclass(frozen=True, slots=True)
class ClipCurves:
    """All tracks of a clip against the joints and morph weights of a rig.

    Attributes:
        arrays: The tracks that do not keep one value, packed.
        rest: float64 ``[joint * 10 + morph]``: the value of every other column.
        joint_count: Number of joints.
        held_columns: bool ``[joint * 10 + morph]``: columns with a STEP track that does not keep one value.
        key_times: float64 ``[key]`` [s], unique, sorted: where a curve may bend.
        step_times: float64 ``[key]`` [s], unique, sorted: where a curve may jump.
        keyed_columns: bool ``[joint * 10 + morph]``: columns with a track, also one that keeps one value.
    """

    arrays: CurveArrays
    rest: np.ndarray
    joint_count: int
    held_columns: np.ndarray
    key_times: np.ndarray
    step_times: np.ndarray
    keyed_columns: np.ndarray

    def sample(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Evaluate the clip.

        Args:
            times: float64 ``[time]`` [s], increasing.

        Returns:
            ``(local [time, joint, 10], morphs [time, morph])``, float64, channels ``qx qy qz qw tx ty tz sx sy sz``.
        """
        from skelter.baking.curves_kernels import sample_curves_kernel

        values = np.tile(self.rest, (len(times), 1))
        sample_curves_kernel(self.arrays, times, values)
        columns = self.joint_count * CHANNEL_COUNT
        return values[:, :columns].reshape(len(times), self.joint_count, CHANNEL_COUNT), values[:, columns:]


def rest_columns(character: Character, skeleton: Skeleton, morph_rest: np.ndarray) -> np.ndarray:
    """Return the rest value of every column: 10 per joint, then one per morph weight. float64."""
    nodes = character.nodes
    channels = np.concatenate(
        [nodes.rotation[skeleton.node], nodes.translation[skeleton.node], nodes.scale[skeleton.node]], axis=1
    )
    return np.concatenate([channels.ravel(), morph_rest.astype(np.float64)])


def pack_curves(clip: Clip, skeleton: Skeleton, morph_first: dict[int, int], rest: np.ndarray) -> ClipCurves:
    """Pack the tracks of a clip.

    Args:
        clip: The clip.
        skeleton: Joints of the rig.
        morph_first: First morph weight of each node that has any.
        rest: As `rest_columns` returns it.

    Raises:
        BakeError: There are more key times and values than `KEY_FLOATS_MAX`.
    """
    from skelter.baking.curves_kernels import CurveArrays

    tracks = [track for track in clip.tracks if track.path != "weights" or track.node in morph_first]
    size = sum(track.times.size + track.values.size for track in tracks)
    if size > KEY_FLOATS_MAX:
        raise BakeError(f"clip {clip.name!r} has {size} key times and values; up to {KEY_FLOATS_MAX} can be baked")
    places = [_place(track, skeleton, morph_first) for track in tracks]
    keyed, held = np.zeros(len(rest), bool), np.zeros(len(rest), bool)
    for place in places:
        keyed[place] = True
    still = [_is_still(track) for track in tracks]
    rest = rest.copy()
    for track, place in compress(zip(tracks, places, strict=True), still):
        rest[place] = normalized(track.values[0]) if track.path == "rotation" else track.values[0]
    moves = [not is_still for is_still in still]
    tracks, places = list(compress(tracks, moves)), list(compress(places, moves))
    for track, place in zip(tracks, places, strict=True):
        held[place] = track.interpolation == "STEP" and bool(np.ptp(track.values, axis=0).any())
    arrays = CurveArrays(
        column=np.array([place.start for place in places], np.int32),
        width=np.array([place.stop - place.start for place in places], np.int32),
        rotation=np.array([track.path == "rotation" for track in tracks], np.uint8),
        interpolation=np.array([INTERPOLATIONS[track.interpolation] for track in tracks], np.int32),
        key_start=np.cumsum([0, *(len(track.times) for track in tracks)]).astype(np.int64),
        times=_joined([track.times for track in tracks]),
        value_start=np.cumsum([0, *(track.values.size for track in tracks)])[:-1].astype(np.int64),
        values=_joined([track.values.ravel() for track in tracks]),
    )
    joint_count = len(skeleton.node)
    steps = [track.times for track in tracks if track.interpolation == "STEP"]
    return ClipCurves(arrays, rest, joint_count, held, np.unique(arrays.times), np.unique(_joined(steps)), keyed)


def _is_still(track: Track) -> bool:
    """Return whether a track of a joint keeps one value, as most translations and scales do."""
    curved = track.path == "weights" or track.interpolation == "CUBICSPLINE"
    return not curved and not (track.values != track.values[0]).any()


def _place(track: Track, skeleton: Skeleton, morph_first: dict[int, int]) -> slice:
    """Return the columns that a track writes."""
    if track.path == "weights":
        first = len(skeleton.node) * CHANNEL_COUNT + morph_first[track.node]
    else:
        first = int(skeleton.joint[track.node]) * CHANNEL_COUNT + OFFSETS[track.path]
    return slice(first, first + track.values.shape[-1])


def _joined(parts: list[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.zeros(0), *parts])
