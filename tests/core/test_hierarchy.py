from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from skelter.core.hierarchy import model_matrices, parents_first


def test_nothing() -> None:
    assert parents_first(np.zeros(0, np.int32)) == []


def test_limbs_stay_together_in_the_order_of_the_file() -> None:
    assert parents_first(np.array([2, 0, -1, 2, 0, -1])) == [2, 0, 1, 4, 3, 5]


def test_a_product_runs_from_the_root() -> None:
    local = np.tile(np.eye(4), (3, 1, 1))
    local[:, 0, 3] = [1, 10, 100]
    np.testing.assert_array_equal(model_matrices(local, np.array([1, 2, -1]))[:, 0, 3], [111, 110, 100])


@given(st.lists(st.integers(0, 1000), max_size=60), st.randoms())
def test_parents_come_first_and_nobody_is_lost(numbers: list[int], chance: object) -> None:
    sorted_parent = np.array([number % (index + 1) - 1 for index, number in enumerate(numbers)], np.int32)
    names = np.arange(len(numbers))
    chance.shuffle(names)  # type: ignore[attr-defined]
    parent = np.full(len(numbers), -1, np.int32)
    parent[names] = np.where(sorted_parent >= 0, names[sorted_parent] if len(names) else 0, -1)
    order = parents_first(parent)
    place = np.argsort(order)
    assert sorted(order) == list(range(len(numbers)))
    assert all(place[above] < place[node] for node, above in enumerate(parent) if above >= 0)
