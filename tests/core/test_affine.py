"""Affine maths, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skelter.core.affine import (
    compose,
    decompose,
    normalized,
    quaternion_from_matrix,
    rotation_matrix,
    slerp,
)
from tests.build import X, Y, Z, turn

IDENTITY = np.array([0.0, 0.0, 0.0, 1.0])
MATRIX_TOL = 1e-12

numbers = st.floats(-10, 10)
quaternions = (
    st.tuples(numbers, numbers, numbers, numbers)
    .map(np.array)
    .filter(lambda q: np.linalg.norm(q) > 0.1)
    .map(lambda q: q / np.linalg.norm(q))
)


def angle_between(first: np.ndarray, second: np.ndarray) -> float:
    """Angle between two rotations [rad]; a quaternion and its negative are one rotation."""
    cosine = abs(float(first @ second))
    return 2 * float(np.arctan2(np.sqrt(max(1 - cosine**2, 0)), cosine))


class TestDegenerate:
    def test_a_zero_quaternion_is_the_identity(self) -> None:
        np.testing.assert_array_equal(normalized(np.zeros((2, 4))), [IDENTITY, IDENTITY])

    def test_no_quaternions_give_no_matrices(self) -> None:
        assert rotation_matrix(np.zeros((0, 4))).shape == (0, 3, 3)
        assert normalized(np.zeros((0, 4))).shape == (0, 4)

    def test_slerp_between_equal_rotations_stays(self) -> None:
        for end in (IDENTITY, -IDENTITY):
            np.testing.assert_array_equal(slerp(IDENTITY, end, np.array(0.3)), IDENTITY)

    @pytest.mark.parametrize("scale", [(0, 0, 0), (0, 2, 3), (2, 0, 0), (0, 0, 5)])
    def test_a_scale_of_0_keeps_a_rotation_that_gives_the_matrix_back(self, scale: tuple[float, ...]) -> None:
        matrix = compose(np.zeros(3), turn(np.array([1, 2, 3]) / np.sqrt(14), 0.7), np.array(scale, float))
        translation, rotation, found, residual = decompose(matrix)
        np.testing.assert_allclose(compose(translation, rotation, found), matrix, atol=MATRIX_TOL)
        assert residual < MATRIX_TOL
        assert np.linalg.norm(rotation) == pytest.approx(1.0)


class TestKnownValues:
    @pytest.mark.parametrize(("axis", "source", "target"), [(X, Y, Z), (Y, Z, X), (Z, X, Y)])
    def test_quarter_turns_are_right_handed(self, axis: np.ndarray, source: np.ndarray, target: np.ndarray) -> None:
        np.testing.assert_allclose(rotation_matrix(turn(axis, np.pi / 2)) @ source, target, atol=1e-15)

    def test_compose_scales_first_and_moves_last(self) -> None:
        matrix = compose(np.array([1.0, 2, 3]), turn(Z, np.pi / 2), np.array([2.0, 3, 4]))
        np.testing.assert_allclose(matrix @ [1, 0, 0, 1], [1, 4, 3, 1], atol=1e-15)
        np.testing.assert_allclose(matrix @ [0, 1, 0, 1], [-2, 2, 3, 1], atol=1e-15)

    @pytest.mark.parametrize("degrees", [0, 1e-7, 1, 90, 179, 180, 181, 359])
    @pytest.mark.parametrize("axis", [X, Y, Z, np.ones(3) / np.sqrt(3)])
    def test_a_quaternion_comes_back_from_its_matrix(self, axis: np.ndarray, degrees: float) -> None:
        rotation = turn(axis, np.radians(degrees))
        found = quaternion_from_matrix(rotation_matrix(rotation))
        assert found[3] >= 0
        assert angle_between(found, rotation) < 1e-7

    def test_a_mirror_becomes_a_negative_x_scale(self) -> None:
        scale = decompose(np.diag([1.0, -2.0, 3.0, 1.0]))[2]
        np.testing.assert_allclose(scale, [-1, 2, 3])

    def test_shear_is_what_is_left(self) -> None:
        matrix = np.eye(4)
        matrix[0, 1] = 0.5
        assert 0.1 < decompose(matrix)[3] < 0.5

    def test_slerp_has_constant_speed_and_takes_the_shorter_arc(self) -> None:
        fractions = np.linspace(0, 1, 11)
        for sign in (1.0, -1.0):
            found = slerp(turn(Y, 0.2)[None], sign * turn(Y, 2.2)[None], fractions)
            np.testing.assert_allclose(found, turn(Y, 0.2 + 2.0 * fractions), atol=1e-15)


class TestProperties:
    @given(quaternions)
    def test_rotation_matrices_are_orthonormal(self, rotation: np.ndarray) -> None:
        matrix = rotation_matrix(rotation)
        np.testing.assert_allclose(matrix @ matrix.T, np.eye(3), atol=MATRIX_TOL)
        assert np.linalg.det(matrix) == pytest.approx(1.0)

    @given(quaternions, st.tuples(*[st.floats(-1e3, 1e3)] * 3), st.tuples(*[st.floats(0.01, 100)] * 3), st.booleans())
    def test_decompose_inverts_compose(
        self, rotation: np.ndarray, translation: tuple[float, ...], scale: tuple[float, ...], mirrored: bool
    ) -> None:
        sizes = np.array(scale) * ([-1, 1, 1] if mirrored else 1)
        found = decompose(compose(np.array(translation), rotation, sizes))
        np.testing.assert_array_equal(found[0], translation)
        assert angle_between(found[1], rotation) < 1e-6
        np.testing.assert_allclose(found[2], sizes, rtol=1e-9)
        assert found[3] < 1e-9

    @given(quaternions, quaternions, st.floats(0, 1))
    def test_slerp_divides_the_arc(self, start: np.ndarray, end: np.ndarray, fraction: float) -> None:
        middle = slerp(start, end, np.array(fraction))
        assert np.linalg.norm(middle) == pytest.approx(1.0)
        arc = angle_between(start, end)
        assert angle_between(start, middle) == pytest.approx(fraction * arc, abs=1e-5)
        assert angle_between(middle, end) == pytest.approx((1 - fraction) * arc, abs=1e-5)
