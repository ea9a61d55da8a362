"""Source curves as the baker evaluates them, all at once, against the reference engine, one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skelter.assets.character import Interpolation, Path, Track
from skelter.baking.curves import pack_curves
from skelter.baking.skeleton import build_skeleton
from skelter.engines import reference
from tests.build import make_clip, make_track, walker

COLUMNS: dict[Path, slice] = {"rotation": slice(0, 4), "translation": slice(4, 7), "scale": slice(7, 10)}


def evaluate(track: Track, times: np.ndarray) -> np.ndarray:
    """Evaluate a track of the only node of a character."""
    character = walker(make_clip("clip", track), joint_count=1)
    rest = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.1, 0.0, 1.0, 1.0, 1.0])
    local, _ = pack_curves(character.clips[0], build_skeleton(character), {}, rest).sample(times)
    others = np.delete(local[:, 0], COLUMNS[track.path], axis=1)
    assert np.array_equal(others, np.broadcast_to(np.delete(rest, COLUMNS[track.path]), others.shape))
    return local[:, 0, COLUMNS[track.path]]


@pytest.mark.parametrize("interpolation", ["LINEAR", "STEP", "CUBICSPLINE"])
@pytest.mark.parametrize("path", ["translation", "rotation", "scale"])
@settings(deadline=None, max_examples=25)
@given(st.integers(0, 1 << 30), st.integers(1, 12))
def test_like_the_reference(path: Path, interpolation: Interpolation, seed: int, key_count: int) -> None:
    """At the keys, just before and after them, between them, and outside; keys of rotations are no unit quaternions."""
    random = np.random.default_rng(seed)
    keys = np.cumsum(random.uniform(1e-3, 1.0, key_count)) - random.choice([0.0, 1e-3])
    width = COLUMNS[path].stop - COLUMNS[path].start
    shape = (key_count, 3, width) if interpolation == "CUBICSPLINE" else (key_count, width)
    track = make_track(0, path, np.maximum(keys, 0.0), random.normal(size=shape), interpolation)
    hairs = np.concatenate([track.times, np.nextafter(track.times, -1.0), np.nextafter(track.times, 99.0)])
    times = np.sort(np.concatenate([hairs, random.uniform(0.0, keys[-1] + 0.5, 20)]))
    want = np.array([reference.sample_track(track, time) for time in times.tolist()])
    np.testing.assert_allclose(evaluate(track, times), want, atol=1e-9)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-6, 1e-3, np.pi - 1e-9, np.pi, 2 * np.pi])
def test_slerp_of_nearly_equal_and_opposite_keys(angle: float) -> None:
    keys = [[0.0, 0.0, 0.0, 1.0], [np.sin(angle / 2), 0.0, 0.0, np.cos(angle / 2)]]
    track = make_track(0, "rotation", [0.0, 1.0], keys)
    times = np.linspace(0.0, 1.0, 9)
    have = evaluate(track, times)
    np.testing.assert_allclose(np.linalg.norm(have, axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(have, [reference.sample_track(track, time) for time in times.tolist()], atol=1e-9)
