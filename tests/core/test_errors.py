"""The exception tree and the texts that it shares."""

from __future__ import annotations

import pytest

from skelter.core import errors
from skelter.core.errors import SkelterError, near_names, unknown_name


@pytest.mark.parametrize("name", ["AssetError", "BakeError", "ArgumentError", "OutputError", "MissingExtraError"])
def test_every_error_is_a_skelter_error(name: str) -> None:
    assert issubclass(getattr(errors, name), SkelterError)


def test_a_wrong_argument_is_a_value_error() -> None:
    assert issubclass(errors.ArgumentError, ValueError)


def test_a_warning_is_no_error() -> None:
    assert issubclass(errors.SkelterWarning, UserWarning)


@pytest.mark.parametrize(
    ("name", "names", "text"),
    [
        ("walk", [], "no clip 'walk': there are no clips at all"),
        ("wlak", ["walk", "run"], "no clip 'wlak'; did you mean 'walk'? The clips are: walk, run"),
        (7, ["walk"], "no clip '7'. The clips are: walk"),
    ],
)
def test_an_unknown_name_lists_what_there_is(name: object, names: list[str], text: str) -> None:
    assert unknown_name("clip", name, names) == text


def test_long_lists_are_cut() -> None:
    text = unknown_name("joint", "x", [f"joint_{index}" for index in range(5_000)])
    assert text.endswith("joint_19, ... (5000 in all)")


def test_near_names_take_upper_and_lower_case_as_one() -> None:
    assert near_names("chesst", ["Hips", "Chest", "Head"]) == "; did you mean 'Chest'?"
    assert near_names("tail", ["Hips", "Chest"]) == ""
