"""What every engine must do alike: a class of tests to derive from.

    class TestMyEngine(EngineTests):
        engine = MyEngine()

The truth is the reference engine; what is allowed is what the bake report of the rig admits.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from skelter.assets.character import Character, Clip, Track
from skelter.baking.bake import bake
from skelter.core.errors import ArgumentError
from skelter.core.playback import REST, PlaybackList
from skelter.engines import reference
from skelter.rig.rig import Rig
from skelter.testing.rigs import random_character

ROUNDING = 1e-6
"""What float32 may add to an error, as a fraction of the character's size."""
LOOP_TOL = 1e-5
"""Largest difference of a pose one loop later, as a fraction of the character's size: times are rounded."""
LAYER_COUNT = 3
ENTRY_COUNT = 3
"""Entries per layer of the playback lists that are blended."""


class Engine(Protocol):
    """An engine as the tests see it; a thin adapter makes one."""

    def pose(self, character: Character, rig: Rig, clip: str | int, times: np.ndarray, *, loop: bool) -> np.ndarray:
        """Pose one character per time.

        Args:
            character: The character, for engines that evaluate its curves.
            rig: The same character baked, for engines that play clips.
            clip: Name or index of the clip.
            times: float64 ``[char]`` [s].
            loop: True wraps times into the clip, False holds its ends.

        Returns:
            ``model_from_joint`` [m], float ``[char, joint, 3, 4]``, joints in the order of the rig.

        Raises:
            ArgumentError: There is no such clip.
        """

    def blend(
        self, character: Character, rig: Rig, playback: PlaybackList, *, additive: np.ndarray, mask: np.ndarray
    ) -> np.ndarray:
        """Pose characters by what their layers play.

        Args:
            character: The character, for engines that evaluate its curves.
            rig: The same character baked, for engines that play clips.
            playback: What each character plays.
            additive: bool ``[layer]``: which layers add deltas.
            mask: float32 ``[layer, joint]``: weight of each joint, joints in the order of the rig.

        Returns:
            ``model_from_joint`` [m], float ``[char, joint, 3, 4]``.
        """


class EngineTests:
    """Derive from it, name the class ``Test...``, and set ``engine``.

    Attributes:
        engine: The engine under test.
    """

    engine: Engine

    def test_a_clip_that_is_not_there(self) -> None:
        """An unknown name and an index past the end are errors that list the names."""
        character = random_character(3, 2)
        for clip in ("walk", 2):
            message = ""
            try:
                self._pose(character, clip, [0.0])
            except ArgumentError as error:
                message = str(error)
            assert "clip_0, clip_1" in message

    def test_shapes(self) -> None:
        """Any number of characters and joints, also none and 1, 16 and 17: a block is full and one is begun."""
        for joint_count in (1, 16, 17):
            character = random_character(joint_count, 1)
            for count in (0, 1, 3):
                model = self._pose(character, 0, np.linspace(0.0, 1.0, count))
                assert model.shape == (count, joint_count, 3, 4)
                assert model.dtype in (np.float32, np.float64)

    def test_a_clip_of_length_zero(self) -> None:
        """It is one pose at all times."""
        track = Track(1, "translation", "LINEAR", np.zeros(1), np.array([[1.0, 2.0, 3.0]]))
        character = random_character(3, 0)
        character.clips = [Clip("pose", [track], 0.0)]
        for loop in (True, False):
            self._assert_agrees(character, 0, [-1.0, 0.0, 7.0], np.zeros(3), loop=loop)

    def test_joints_without_a_track_keep_the_rest_pose(self) -> None:
        """A clip moves only what it has tracks for, whatever the clip before it moved."""
        character = random_character(9, 2, seed=1)
        character.clips[1].tracks = character.clips[1].tracks[:2]
        self._pose(character, 0, [0.3])
        self._assert_agrees(character, 1, [0.0, 0.3, 0.9], [0.0, 0.3, 0.9], loop=False)

    def test_agrees_with_the_reference(self) -> None:
        """At random times of random characters, within what the bake report admits."""
        for seed in range(4):
            character = random_character(4 + 9 * seed, 2, seed)
            times = np.random.default_rng(seed).uniform(0.0, 1.0, 10)
            for clip in range(2):
                self._assert_agrees(character, clip, times, times, loop=True)

    def test_clamped_times_hold_the_ends(self) -> None:
        """Before 0 the first pose, from the duration on the last one."""
        self._assert_agrees(
            random_character(5, 1), 0, [-9.0, 0.0, 0.4, 1.0, 9.0], [0.0, 0.0, 0.4, 1.0, 1.0], loop=False
        )

    def test_looped_times_wrap(self) -> None:
        """The duration is the first pose again; negative times count from the end."""
        times = [1.0, 1.25, 7.5, -0.25, -3.0]
        self._assert_agrees(random_character(5, 1), 0, times, [0.0, 0.25, 0.5, 0.75, 0.0], loop=True)

    def test_same_input_same_bits(self) -> None:
        """Twice the same, and each character as if it were alone."""
        character, times = random_character(20, 1), np.random.default_rng(0).uniform(-2.0, 2.0, 70)
        rig = bake(character, cache=False)
        first = self.engine.pose(character, rig, 0, times, loop=True)
        assert np.array_equal(first, self.engine.pose(character, rig, 0, times, loop=True))
        alone = [self.engine.pose(character, rig, 0, times[i : i + 1], loop=True)[0] for i in range(0, 70, 23)]
        assert np.array_equal(first[::23], alone)

    def test_an_entry_alone_is_its_clip(self) -> None:
        """A layer of full weight that plays one clip, which keys all joints, shows that clip and nothing below it."""
        character, times = random_character(17, 2), np.linspace(0.0, 1.0, 5)
        rig = bake(character, cache=False)
        playback = _playback(np.array([0, 1])[None].repeat(5, 0), times[:, None].repeat(2, 1), np.ones((5, 2)), 2)
        have = self.engine.blend(character, rig, playback, additive=np.zeros(2, bool), mask=_whole(rig, 2))
        want = self.engine.pose(character, rig, 1, times, loop=False)
        np.testing.assert_allclose(have, want, atol=ROUNDING * 10)

    def test_what_plays_nothing_is_the_rest_pose(self) -> None:
        """Empty entries, layers without weight and masked joints leave the rest pose."""
        character = random_character(17, 2)
        rig = bake(character, cache=False)
        rest = reference.pose(character, None).model_from_node[rig.node, :3]
        for clip, weight, joint in ((REST, 1.0, 1.0), (0, 0.0, 1.0), (0, 1.0, 0.0)):
            playback = _playback(np.array([[clip]]), np.full((1, 1), 0.3), np.full((1, 1), weight), 1)
            for additive in (False, True):
                have = self.engine.blend(
                    character, rig, playback, additive=np.array([additive]), mask=_whole(rig, 1) * np.float32(joint)
                )
                np.testing.assert_allclose(have[0], rest, atol=ROUNDING * 10)

    def test_layers_agree_with_the_reference(self) -> None:
        """Random layers, overwriting and additive, with masks and clips that key a part of the joints.

        The errors of the clips that play together add up.
        """
        for seed in range(4):
            random = np.random.default_rng(seed)
            character = random_character(4 + 9 * seed, 3, seed, keyed_fraction=0.7)
            rig = bake(character, cache=False)
            playback = _random_playback(random, 6, 3)
            additive = random.random(LAYER_COUNT) < 0.4
            mask = random.choice([0.0, 0.4, 1.0], (LAYER_COUNT, rig.joint_count)).astype(np.float32)
            have = self.engine.blend(character, rig, playback, additive=additive, mask=mask)
            want = reference_blend(character, rig, playback, additive=additive, mask=mask)
            _assert_near(have, want, rig, sum(clip.max_mm for clip in rig.report.clips))

    def test_the_order_of_entries_does_not_matter(self) -> None:
        """Entries of a layer in another order give the same pose."""
        random = np.random.default_rng(0)
        character = random_character(20, 3)
        rig = bake(character, cache=False)
        playback = _random_playback(random, 5, 3)
        order = np.concatenate([layer * ENTRY_COUNT + random.permutation(ENTRY_COUNT) for layer in range(LAYER_COUNT)])
        columns = {name: getattr(playback, name)[:, order] for name in ("clip", "time", "weight")}
        turned = PlaybackList(layer_start=playback.layer_start, layer_weight=playback.layer_weight, **columns)
        additive = np.array([False, False, True])
        first, second = (
            self.engine.blend(character, rig, one, additive=additive, mask=_whole(rig, LAYER_COUNT))
            for one in (playback, turned)
        )
        np.testing.assert_allclose(first, second, atol=ROUNDING * 10)

    def test_blends_have_any_number_of_characters_and_joints(self) -> None:
        """Also none and 1, 16 and 17; each character as if it were alone, to the bit."""
        for joint_count in (1, 16, 17):
            character = random_character(joint_count, 3)
            rig = bake(character, cache=False)
            for count in (0, 1, 70):
                playback = _random_playback(np.random.default_rng(count), count, 3)
                options = {"additive": np.array([False, True, False]), "mask": _whole(rig, LAYER_COUNT)}
                model = self.engine.blend(character, rig, playback, **options)
                assert model.shape == (count, joint_count, 3, 4)
                for char in range(0, count, 23):
                    alone = self.engine.blend(character, rig, _rows(playback, char), **options)
                    assert np.array_equal(model[char], alone[0])

    def _pose(self, character: Character, clip: str | int, times: list[float] | np.ndarray) -> np.ndarray:
        return self.engine.pose(character, bake(character, cache=False), clip, np.asarray(times, float), loop=True)

    def _assert_agrees(
        self,
        character: Character,
        clip: int,
        times: list[float] | np.ndarray,
        inside: list[float] | np.ndarray,
        *,
        loop: bool,
    ) -> None:
        """Compare poses at ``times`` with the truth at the times ``inside`` the clip that they stand for."""
        rig = bake(character, cache=False)
        have = self.engine.pose(character, rig, clip, np.asarray(times, float), loop=loop)
        want = np.array([reference.pose(character, clip, float(time)).model_from_node[rig.node, :3] for time in inside])
        _assert_near(have, want, rig, rig.report.clips[clip].max_mm)


def reference_blend(
    character: Character, rig: Rig, playback: PlaybackList, *, additive: np.ndarray, mask: np.ndarray
) -> np.ndarray:
    """Return what `Engine.blend` should, from the curves of the character: float64 ``[char, joint, 3, 4]``."""
    of_node = np.zeros((len(mask), len(character.nodes)))
    of_node[:, rig.node] = mask
    poses = []
    for char in range(len(playback)):
        starts = playback.layer_start[char].tolist()
        entries = [_entry(character, playback, char, place) for place in range(starts[-1])]
        layers = [
            reference.LayerContributions(
                entries[starts[layer] : starts[layer + 1]],
                float(playback.layer_weight[char, layer]),
                bool(additive[layer]),
                of_node[layer],
            )
            for layer in range(playback.layer_count)
        ]
        poses.append(reference.blend_contributions(character, layers).model_from_node[rig.node, :3])
    return np.array(poses).reshape(len(playback), rig.joint_count, 3, 4)


def _entry(character: Character, playback: PlaybackList, char: int, place: int) -> tuple[str | None, float, float]:
    clip = int(playback.clip[char, place])
    name = None if clip == REST else character.clip_names[clip]
    return name, float(playback.time[char, place]), float(playback.weight[char, place])


def _playback(clip: np.ndarray, time: np.ndarray, layer_weight: np.ndarray, layer_count: int) -> PlaybackList:
    """Return a list with one entry per layer."""
    starts = np.arange(layer_count + 1, dtype=np.int32)[None].repeat(len(clip), 0)
    return PlaybackList(starts, clip.astype(np.int32), time, np.ones(clip.shape), layer_weight)


def _random_playback(random: np.random.Generator, count: int, clip_count: int) -> PlaybackList:
    """Return a list of three layers with three entries each; one entry in four plays nothing."""
    shape = (count, LAYER_COUNT * ENTRY_COUNT)
    starts = np.arange(LAYER_COUNT + 1, dtype=np.int32)[None].repeat(count, 0) * np.int32(ENTRY_COUNT)
    return PlaybackList(
        layer_start=starts,
        clip=random.integers(REST, clip_count, shape).astype(np.int32),
        time=random.uniform(0.0, 1.0, shape),
        weight=random.dirichlet(np.ones(ENTRY_COUNT), (count, LAYER_COUNT)).reshape(shape),
        layer_weight=random.choice([0.0, 0.5, 1.0], (count, LAYER_COUNT)),
    )


def _rows(playback: PlaybackList, char: int) -> PlaybackList:
    """Return the list of one character."""
    names = ("layer_start", "clip", "time", "weight", "layer_weight")
    return PlaybackList(**{name: getattr(playback, name)[char : char + 1] for name in names})


def _whole(rig: Rig, layer_count: int) -> np.ndarray:
    return np.ones((layer_count, rig.joint_count), np.float32)


def _assert_near(have: np.ndarray, want: np.ndarray, rig: Rig, error_mm: float) -> None:
    """Assert that model matrices differ by no more than an error of the bake report, and rounding."""
    allowed = (error_mm / 2000.0 + ROUNDING + LOOP_TOL) * rig.report.size
    error = float(np.linalg.norm(have[..., 3] - want[..., 3], axis=-1).max())
    assert error <= allowed, f"joints are {error:.3g} m away from the reference, {allowed:.3g} m are allowed"
    # The report measures at a shell of 3 cm around a joint on a character of 2 m.
    turned = float(np.linalg.norm(have[..., :3] - want[..., :3], axis=-2).max()) * 0.015 * rig.report.size
    assert turned <= 2 * allowed, f"axes are {turned:.3g} m away from the reference, {2 * allowed:.3g} m are allowed"
