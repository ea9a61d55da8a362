"""The reference engine, against closed forms; and held to what every engine must do."""

from __future__ import annotations

import numpy as np
import pytest

from skelter.assets.character import Character, Mesh, MeshInstance, Skin, Track
from skelter.core.errors import ArgumentError
from skelter.core.playback import PlaybackList
from skelter.engines import reference
from skelter.rig.rig import Rig
from skelter.testing.engines import EngineTests, reference_blend
from tests.build import X, Y, Z, make_clip, make_nodes, make_primitive, make_track, turn, walker


class ReferenceEngine:
    def pose(self, character: Character, rig: Rig, clip: str | int, times: np.ndarray, *, loop: bool) -> np.ndarray:
        reference.pose(character, clip)  # an unknown clip is an error even without times
        index = clip if isinstance(clip, int) else character.clip_names.index(clip)
        duration = character.clips[index].duration
        inside = times % duration if loop and duration > 0 else times
        poses = [reference.pose(character, clip, time).model_from_node[rig.node, :3] for time in inside.tolist()]
        return np.array(poses).reshape(len(times), rig.joint_count, 3, 4)

    def blend(
        self, character: Character, rig: Rig, playback: PlaybackList, *, additive: np.ndarray, mask: np.ndarray
    ) -> np.ndarray:
        return reference_blend(character, rig, playback, additive=additive, mask=mask)


class TestReferenceEngine(EngineTests):
    engine = ReferenceEngine()


def value(track: Track, time: float) -> list[float]:
    return reference.sample_track(track, time).tolist()


class TestCurves:
    def test_ends_hold(self) -> None:
        track = make_track(0, "translation", [1.0, 2.0], [[1, 0, 0], [2, 0, 0]])
        assert [value(track, time)[0] for time in (-5.0, 0.0, 1.0, 2.0, 9.0)] == [1, 1, 1, 2, 2]

    @pytest.mark.parametrize("interpolation", ["LINEAR", "STEP"])
    def test_single_key(self, interpolation: str) -> None:
        track = make_track(0, "scale", [1.0], [[1, 2, 3]], interpolation)  # type: ignore[arg-type]
        assert [value(track, time) for time in (0.0, 1.0, 2.0)] == [[1, 2, 3]] * 3

    def test_linear(self) -> None:
        track = make_track(0, "translation", [0.0, 2.0], [[0, 0, 0], [4, 2, 0]])
        assert value(track, 0.5) == [1.0, 0.5, 0.0]

    def test_step_changes_at_its_key(self) -> None:
        track = make_track(0, "translation", [0.0, 1.0, 2.0], [[0, 0, 0], [1, 0, 0], [2, 0, 0]], "STEP")
        assert [value(track, time)[0] for time in (0.999, 1.0, 1.999, 2.0)] == [0, 1, 1, 2]

    @pytest.mark.parametrize("sign", [1.0, -1.0])
    def test_slerp_takes_the_shorter_way_at_constant_speed(self, sign: float) -> None:
        keys = turn(Z, np.array([0.2, 1.4])) * np.array([[1.0], [sign]])
        track = make_track(0, "rotation", [0.0, 1.0], keys)
        for u in (0.0, 0.25, 0.5, 0.9):
            np.testing.assert_allclose(value(track, u), turn(Z, 0.2 + 1.2 * u), atol=1e-12)

    def test_cubic_spline_reproduces_a_cubic(self) -> None:
        """p(t) = t^3 - 2 t + 1 and its slope at the keys 1 and 3, in units per second."""
        times = np.array([1.0, 3.0])
        slope, point = 3 * times**2 - 2, times**3 - 2 * times + 1
        values = np.stack([slope, point, slope], axis=1)[..., None] * X
        track = make_track(0, "translation", times, values, "CUBICSPLINE")
        for time in (1.0, 1.3, 2.0, 2.9, 3.0):
            np.testing.assert_allclose(value(track, time), (time**3 - 2 * time + 1) * X, atol=1e-12)

    def test_cubic_rotations_are_normalised(self) -> None:
        values = np.zeros((2, 3, 4))
        values[:, 1] = turn(X, np.array([0.0, 2.0]))
        track = make_track(0, "rotation", [0.0, 1.0], values, "CUBICSPLINE")
        assert np.linalg.norm(value(track, 0.5)) == pytest.approx(1.0)


class TestPose:
    def test_unknown_clip(self) -> None:
        with pytest.raises(ArgumentError, match=r"walker: no clip 'run'.*walk"):
            reference.pose(walker(make_clip("walk")), "run")

    def test_children_before_parents(self) -> None:
        """A quarter turn about z takes x to y and y to -x."""
        nodes = make_nodes([1, 2, -1], translation=[X, Y, Z], rotation=[turn(Z, np.pi / 2)] * 3)
        model = reference.pose(Character("file", nodes), None).model_from_node
        np.testing.assert_allclose(model[:, :3, 3], [[-2, 0, 1], [-1, 0, 1], [0, 0, 1]], atol=1e-12)

    def test_weights_of_the_clip_or_the_default_ones(self) -> None:
        character = walker(make_clip("w", make_track(0, "weights", [0.0, 1.0], [[0.0], [1.0]])), joint_count=2)
        character.meshes = [Mesh("m", [make_primitive(np.eye(3))], ["t"])]
        character.instances = [MeshInstance(0, 0, weights=np.array([0.3])), MeshInstance(1, 0, weights=np.array([0.6]))]
        assert [weights.tolist() for weights in reference.pose(character, 0, 0.5).weights] == [[0.5], [0.6]]


class TestSkin:
    def test_two_joints_share_a_vertex(self) -> None:
        """One joint stays, the other moves by 1 m along x: the vertex moves by its share."""
        nodes = make_nodes([-1, -1], translation=[[0, 0, 0], X])
        primitive = make_primitive(
            [Y] * 3, joints=np.array([[0, 1]] * 3), weights=np.array([[1, 0], [0.5, 0.5], [0.25, 0.75]], np.float32)
        )
        skin = Skin("s", np.arange(2), np.tile(np.eye(4), (2, 1, 1)))
        character = Character(
            "c", nodes, meshes=[Mesh("m", [primitive])], skins=[skin], instances=[MeshInstance(0, 0, 0)]
        )
        points = reference.positions(character, reference.pose(character, None), 0, 0)
        np.testing.assert_allclose(points, Y + np.outer([0, 0.5, 0.75], X), atol=1e-7)

    def test_no_normals(self) -> None:
        character = walker(joint_count=1)
        character.meshes, character.instances = [Mesh("m", [make_primitive(np.eye(3))])], [MeshInstance(0, 0)]
        assert reference.normals(character, reference.pose(character, None), 0, 0) is None
