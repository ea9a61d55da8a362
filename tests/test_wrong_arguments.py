"""The mistakes that are most likely in Python get an ArgumentError that names the argument and the fix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import skelter as sk
from skelter.core.errors import ArgumentError
from skelter.rendering.adapter import adapter_info
from skelter.testing.rigs import random_character


@pytest.fixture(scope="module")
def rig() -> sk.Rig:
    return sk.bake(random_character(5, 1, 1), cache=False)


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        (sk.sample, (0, 0.0)),
        (sk.sample_morphs, (0, 0.0)),
        (sk.to_model, (np.zeros((1, 1, 10, 16)),)),
        (sk.skinning_matrices, (np.zeros((1, 1, 10, 16)),)),
        (sk.skin_vertices, (np.zeros((1, 5, 3, 4)),)),
    ],
)
@pytest.mark.parametrize("wrong", [random_character(5), np.zeros(3), None])
def test_something_else_than_a_rig(call: Any, arguments: tuple[Any, ...], wrong: Any) -> None:
    with pytest.raises(ArgumentError, match=f"expected a baked Rig, got {type(wrong).__name__}; make one with sk.bake"):
        call(wrong, *arguments)


@pytest.mark.parametrize("wrong", [None, 5, b"abc"])
def test_something_else_than_a_path(wrong: Any) -> None:
    with pytest.raises(ArgumentError, match="path: expected the path of a file"):
        sk.load(wrong)
    with pytest.raises(ArgumentError, match="character: expected a Character or the path of a file"):
        sk.bake(wrong)


def test_a_rig_is_not_baked_again(rig: sk.Rig) -> None:
    with pytest.raises(ArgumentError, match="got Rig"):
        sk.bake(rig)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [None, 5])
def test_something_else_than_a_batch(wrong: Any) -> None:
    if adapter_info() is None:
        pytest.skip("no graphics adapter")
    with pytest.raises(ArgumentError, match="batches: expected a Batch or a list of them"):
        sk.render(wrong, width=8, height=8)


def test_a_scale_is_for_bvh_alone(tmp_path: Any) -> None:
    with pytest.raises(ArgumentError, match="glTF is in metres"):
        sk.load(tmp_path / "x.glb", scale=0.01)
