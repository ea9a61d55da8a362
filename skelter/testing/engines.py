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
from skelter.engines import reference
from skelter.rig.rig import Rig
from skelter.testing.rigs import random_character

ROUNDING = 1e-6
"""What float32 may add to an error, as a fraction of the character's size."""
LOOP_TOL = 1e-5
"""Largest difference of a pose one loop later, as a fraction of the character's size: times are rounded."""


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
        report = rig.report.clips[clip]
        allowed = (report.max_mm / 2000.0 + ROUNDING + LOOP_TOL) * rig.report.size
        error = float(np.linalg.norm(have[..., 3] - want[..., 3], axis=-1).max())
        assert error <= allowed, f"joints are {error:.3g} m away from the reference, {allowed:.3g} m are allowed"
        # The report measures at a shell of 3 cm around a joint on a character of 2 m.
        turned = float(np.linalg.norm(have[..., :3] - want[..., :3], axis=-2).max()) * 0.015 * rig.report.size
        assert turned <= 2 * allowed, (
            f"axes are {turned:.3g} m away from the reference, {2 * allowed:.3g} m are allowed"
        )
