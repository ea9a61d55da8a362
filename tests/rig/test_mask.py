"""Masks: which joints a key means, which rule counts for a joint."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import skelter as sk
from skelter.core.errors import ArgumentError
from skelter.rig.mask import joint_mask, pack_mask
from skelter.rig.rig import Rig
from tests.build import walker

NAMES = ["Hips", "Spine", "Head", "LeftArm", "LeftHand", "RightArm", "RightHand", "a.b:c"]
PARENT = [-1, 0, 1, 1, 3, 1, 5, 0]


@pytest.fixture(scope="module")
def rig() -> Rig:
    character = walker(joint_count=len(NAMES), names=NAMES)
    character.nodes.parent[:] = PARENT
    return sk.bake(character, cache=False)


def weights(rig: Rig, rules: dict[str, Any]) -> dict[str, float]:
    """The joints that have a weight."""
    mask, unknown = joint_mask(rig, rules)
    assert unknown == ()
    assert mask.dtype == np.float32
    return {name: float(weight) for name, weight in zip(rig.joint_names, mask, strict=True) if weight}


def below(weight: object = True) -> dict[str, object]:
    return {"value": weight, "children": True}


class TestInvalidInput:
    @pytest.mark.parametrize("value", [None, "yes", 1.5, -0.1, float("nan"), [1], {"value": 2}, {"value": None}])
    def test_what_is_no_weight(self, rig: Rig, value: object) -> None:
        with pytest.raises(ArgumentError, match=r"^mask: 'Hips': expected true, false or a weight from 0 to 1"):
            joint_mask(rig, {"Spine": True, "Hips": value})

    @pytest.mark.parametrize("value", [{"weight": 1}, {"children": 1}, {"value": True, "children": None}])
    def test_keys_of_a_value(self, rig: Rig, value: object) -> None:
        with pytest.raises(ArgumentError, match=r"^mask: 'Hips': expected keys 'value' and 'children'"):
            joint_mask(rig, {"Hips": value})


class TestDegenerate:
    def test_no_rules_are_no_joints(self, rig: Rig) -> None:
        assert weights(rig, {}) == {}

    @pytest.mark.parametrize("key", ["", "/", "Tail", "Hips/Head", "Hips/Spine/Tail", "*Foot*", "X/Y/Hips/Spine"])
    def test_keys_that_match_nothing_are_named(self, rig: Rig, key: str) -> None:
        mask, unknown = joint_mask(rig, {key: True, "Head": True})
        assert unknown == (key,)
        assert mask.sum() == 1.0


class TestKeys:
    @pytest.mark.parametrize("key", ["Spine", "Hips/Spine", "Armature/Hips/Spine", "Anything/Hips/Spine"])
    def test_names_and_paths(self, rig: Rig, key: str) -> None:
        assert weights(rig, {key: True}) == {"Spine": 1.0}

    @pytest.mark.parametrize("key", ["Hips", "RootNode/Hips"])
    def test_the_root(self, rig: Rig, key: str) -> None:
        assert weights(rig, {key: True}) == {"Hips": 1.0}

    @pytest.mark.parametrize(
        ("key", "names"),
        [
            ("*Hand", {"LeftHand", "RightHand"}),
            ("?????Arm", {"RightArm"}),
            ("Hips/*", {"Spine", "a.b:c"}),
            ("Root/Hips/*", {"Spine", "a.b:c"}),
            ("Hips/Spine/*/*Hand", {"LeftHand", "RightHand"}),
            ("Hips/**Hand", {"LeftHand", "RightHand"}),
            ("**/Spine/**", {"Head", "LeftArm", "LeftHand", "RightArm", "RightHand"}),
            ("*.?:c", {"a.b:c"}),
            ("*", set(NAMES)),
        ],
    )
    def test_globs(self, rig: Rig, key: str, names: set[str]) -> None:
        assert set(weights(rig, {key: True})) == names


class TestValues:
    @pytest.mark.parametrize(
        ("value", "want"),
        [
            (True, {"Spine": 1.0}),
            (1, {"Spine": 1.0}),
            (0.25, {"Spine": 0.25}),
            ({}, {"Spine": 1.0}),
            ({"value": 0.5}, {"Spine": 0.5}),
            ({"value": True, "children": False}, {"Spine": 1.0}),
            (False, {}),
            ({"value": False}, {}),
            (0, {}),
        ],
    )
    def test_of_one_joint(self, rig: Rig, value: object, want: dict[str, float]) -> None:
        assert weights(rig, {"Spine": value}) == want

    @pytest.mark.parametrize("value", [{"children": True}, below(), below(False)])
    def test_children_count_at_the_joint_itself_too(self, rig: Rig, value: object) -> None:
        assert weights(rig, {"LeftArm": value}) == {"LeftArm": 1.0, "LeftHand": 1.0}

    def test_the_nearest_rule_counts(self, rig: Rig) -> None:
        rules = {"Spine": below(0.5), "LeftHand": 1.0, "RightArm": below(0), "Head": False}
        assert weights(rig, rules) == {"Spine": 0.5, "Head": 0.5, "LeftArm": 0.5, "LeftHand": 1.0}

    def test_a_rule_without_children_lets_the_one_above_through(self, rig: Rig) -> None:
        assert weights(rig, {"Spine": below(0.5), "RightArm": 0}) == {
            "Spine": 0.5,
            "Head": 0.5,
            "LeftArm": 0.5,
            "LeftHand": 0.5,
            "RightHand": 0.5,
        }

    def test_later_keys_win(self, rig: Rig) -> None:
        assert weights(rig, {"Head": 0.2, "H*": 0.7}) == {"Hips": pytest.approx(0.7), "Head": pytest.approx(0.7)}
        assert weights(rig, {"H*": 0.5, "Head": 1.0}) == {"Hips": 0.5, "Head": 1.0}
        assert weights(rig, {"Head": 0.5, "Hips/Spine/Head": False}) == {"Head": 0.5}


class TestPackMask:
    @pytest.mark.parametrize("count", [0, 1, 16, 17])
    def test_spare_lanes_are_zero(self, count: int) -> None:
        lanes = pack_mask(np.full(count, 0.5))
        assert lanes.shape == (-(-count // 16), 16)
        assert lanes.dtype == np.float32
        assert lanes.ravel().tolist() == [0.5] * count + [0.0] * (lanes.size - count)
