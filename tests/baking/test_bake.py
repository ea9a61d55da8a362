"""Arguments of bake, and what any rig has."""

from __future__ import annotations

import math

import numpy as np
import pytest

import skelter as sk
from skelter.assets.character import Character
from skelter.core.errors import ArgumentError, BakeError
from skelter.testing.rigs import random_character
from tests.build import make_clip, make_nodes, make_track, turn, walker


@pytest.fixture(scope="module")
def character() -> Character:
    return random_character(5, 3, seed=3, vertex_count=30)


class TestInvalidInput:
    def test_a_file_that_is_not_there(self) -> None:
        with pytest.raises(sk.SkelterError, match=r"nowhere\.glb"):
            sk.bake("nowhere.glb")

    def test_a_clip_name_that_is_not_there_in_rate_lists_the_names(self, character: Character) -> None:
        with pytest.raises(ArgumentError, match=r"^rate: no clip 'clip_9'.*clip_0, clip_1, clip_2"):
            sk.bake(character, rate={"clip_9": 30.0})

    @pytest.mark.parametrize("rate", [-1.0, 0.0, 0.5, 1e9, math.nan, math.inf, -math.inf, 10**400, "often", None])
    def test_an_absurd_rate(self, character: Character, rate: float) -> None:
        with pytest.raises(ArgumentError, match=r"^rate: "):
            sk.bake(character, rate={"clip_0": rate})
        if rate is not None:
            with pytest.raises(ArgumentError, match=r"^rate: "):
                sk.bake(character, rate=rate)

    def test_an_absurd_rate_is_refused_even_without_clips(self) -> None:
        with pytest.raises(ArgumentError, match="rate: -3 Hz is not between 1 and 1000 Hz"):
            sk.bake(walker(), rate=-3.0)

    @pytest.mark.parametrize("tolerance", [0.0, -0.1, math.nan, math.inf, "tight", 10**400])
    def test_an_absurd_tolerance(self, character: Character, tolerance: float) -> None:
        with pytest.raises(ArgumentError, match=r"^tolerance_mm: .* is no length"):
            sk.bake(character, tolerance_mm=tolerance)

    def test_no_nodes(self) -> None:
        with pytest.raises(BakeError, match="empty: there is nothing to bake"):
            sk.bake(
                Character(
                    "empty",
                    make_nodes([], translation=np.zeros((0, 3)), rotation=np.zeros((0, 4)), scale=np.zeros((0, 3))),
                )
            )

    @pytest.mark.parametrize("duration", [1e9, math.inf, math.nan, -1.0])
    def test_a_clip_that_is_too_long(self, duration: float) -> None:
        clip = make_clip("age", make_track(0, "rotation", [0.0, 1.0], turn([1, 0, 0], [0.0, 1.0])))
        clip.duration = duration
        with pytest.raises(sk.SkelterError, match="clip 'age' lasts"):
            sk.bake(walker(clip), cache=False)


class TestDegenerate:
    def test_no_clips(self) -> None:
        rig = sk.bake(walker(), cache=False)
        assert (rig.clip_names, rig.report.clips, rig.clips.bounds.shape) == ((), (), (0, 2, 3))
        assert sk.sample(rig, [], []).shape == (0, 1, 10, 16)

    def test_a_clip_without_tracks(self) -> None:
        rig = sk.bake(walker(make_clip("still")), cache=False)
        assert np.array_equal(sk.sample(rig, "still", 0.3)[0], rig.rest)

    def test_no_mesh(self) -> None:
        rig = sk.bake(walker(), cache=False)
        matrices = sk.skinning_matrices(rig, rig.rest[None])
        positions, normals = sk.skin_vertices(rig, matrices)
        assert (matrices.shape, positions.shape, normals.shape) == ((1, 0, 3, 4), (1, 0, 3), (1, 0, 3))
        np.testing.assert_allclose(rig.bounds, [[0, 0.1, 0], [0, 0.3, 0]], atol=1e-7)

    def test_a_single_node_without_size(self) -> None:
        clip = make_clip("slide", make_track(0, "translation", [0.0, 1.0], [[0, 0, 0], [1, 0, 0]]))
        report = sk.bake(walker(clip, joint_count=1), cache=False).report
        assert (report.size, report.clips[0].within_tolerance) == (1.0, True)


class TestKnownValues:
    def test_all_arrays_are_read_only(self, character: Character) -> None:
        rig = sk.bake(character, cache=False)
        assert not any(array.flags.writeable for array in rig.arrays())

    def test_a_character_is_not_changed(self, character: Character) -> None:
        before = random_character(5, 3, seed=3, vertex_count=30)
        sk.bake(character, cache=False)
        assert all(
            np.array_equal(left.values, right.values) and left.values.flags.writeable
            for clip, twin in zip(character.clips, before.clips, strict=True)
            for left, right in zip(clip.tracks, twin.tracks, strict=True)
        )
        assert character.nodes.translation.flags.writeable

    def test_progress(self, character: Character) -> None:
        seen: list[tuple[str, float]] = []
        sk.bake(character, cache=False, progress=lambda text, fraction: seen.append((text, fraction)))
        assert [text for text, _ in seen] == ["baking clip_0", "baking clip_1", "baking clip_2"]
        assert seen[-1][1] == 1.0

    def test_one_rate_for_one_clip(self, character: Character) -> None:
        rig = sk.bake(character, rate={"clip_1": 7.0}, cache=False)
        assert [clip.rate == 7.0 for clip in rig.report.clips] == [False, True, False]
        assert [clip.frame_count for clip in rig.report.clips][1] == 8

    def test_bytes_are_those_of_all_arrays(self, character: Character) -> None:
        rig = sk.bake(character, cache=False)
        assert rig.report.bytes == sum(array.nbytes for array in rig.arrays())
        tables = (rig.clips.data, rig.clips.base, rig.clips.row_offset, rig.clips.row_hold)
        assert sum(array.nbytes for array in tables) == sum(clip.bytes for clip in rig.report.clips)
