"""Events and additive references in the extras of animations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import skelter as sk
from skelter.assets.character import Additive, Character, ClipEvent
from tests.support.gltf_builder import GltfBuilder


def loaded(folder: Path, extras: Any, start: float = 0.0) -> Character:
    """A character whose clip ``wave`` lasts from ``start`` for a second; ``idle`` starts at 2 s."""
    builder = GltfBuilder()
    builder.add("nodes", {"name": "root"})
    builder.clip(0, "translation", [start, start + 1.0], [[0, 0, 0], [1, 0, 0]], name="wave", extras=extras)
    builder.clip(0, "translation", [2.0, 3.0], [[0, 0, 0], [0, 1, 0]], name="idle")
    return sk.load(builder.write(folder))


# invalid input


@pytest.mark.parametrize(
    ("extras", "message"),
    [
        ({"events": {"time": 0.5}}, "extras.events: this is no list of events; ignored"),
        ({"events": [0.5]}, r"events\[0\]: this is no event \(Expected `object`, got `float`\); ignored"),
        ({"events": [{"name": "step"}]}, r"events\[0\]: this is no event .*`time`"),
        ({"events": [{"time": "1", "name": "step"}]}, r"events\[0\]: this is no event .*`\$.time`"),
        ({"events": [{"time": 1e300, "name": "step"}]}, r"events\[0\]: this is no event .*`\$.time`"),
        ({"events": [{"time": 0.5, "name": ""}]}, r"events\[0\]: the event '' at 0.5 s has no name"),
        ({"events": [{"time": 1.1, "name": "step"}]}, r"events\[0\]: the event 'step' at 1.1 s .*outside of the clip"),
        ({"events": [{"time": -0.1, "name": "step"}]}, "is outside of the clip"),
        ({"additive": "rest"}, "extras.additive: this is no additive reference"),
        ({"additive": {}}, "extras.additive: this is no additive reference .*`reference`"),
        ({"additive": {"reference": "bind"}}, "this is no additive reference .*'bind'"),
        ({"additive": {"reference": "clip", "clip": "run"}}, "there is no clip 'run'; the clip is read as a clip of"),
    ],
)
def test_what_cannot_be_used_is_ignored_with_a_warning(tmp_path: Path, extras: Any, message: str) -> None:
    character = loaded(tmp_path, extras)
    assert (character.clips[0].events, character.clips[0].additive) == ([], None)
    warnings = [warning for warning in character.warnings if "animations[0]" in warning.where]
    assert len(warnings) == 1
    with pytest.raises(AssertionError, match=message):
        raise AssertionError(str(warnings[0]))


def test_a_bad_event_does_not_harm_the_others(tmp_path: Path) -> None:
    events = [{"time": 0.5, "name": "good"}, None, {"time": 0.25, "name": "better"}]
    assert [event.name for event in loaded(tmp_path, {"events": events}).clips[0].events] == ["good", "better"]


# degenerate


@pytest.mark.parametrize("extras", [None, {}, [], "text", 1, {"events": None, "additive": None}, {"events": []}])
def test_other_extras_are_none_of_ours(tmp_path: Path, extras: Any) -> None:
    character = loaded(tmp_path, extras)
    assert (character.clips[0].events, character.clips[0].additive) == ([], None)
    assert not [warning for warning in character.warnings if "extras" in warning.where]


# known values


def test_times_are_those_of_the_file(tmp_path: Path) -> None:
    events = [{"time": 1.5, "name": "b", "payload": {"foot": "left"}}, {"time": 1.25, "name": "a", "more": 1}]
    clip = loaded(tmp_path, {"events": events}, start=1.0).clips[0]
    assert clip.events == [ClipEvent(0.5, "b", {"foot": "left"}), ClipEvent(0.25, "a")]


def test_key_times_that_were_rounded_do_not_lose_events_at_the_ends(tmp_path: Path) -> None:
    last = loaded(tmp_path, {"events": [{"time": 0.7, "name": "end"}]}, start=-0.3).clips[0]
    assert float(np.float32(0.7)) < 0.7
    assert last.events == [ClipEvent(last.duration, "end")]
    first = loaded(tmp_path, {"events": [{"time": 0.1, "name": "start"}]}, start=0.1).clips[0]
    assert float(np.float32(0.1)) > 0.1
    assert first.events == [ClipEvent(0.0, "start")]


@pytest.mark.parametrize(
    ("given", "additive"),
    [
        ({"reference": "rest"}, Additive()),
        ({"reference": "first_frame", "clip": "ignored"}, Additive("first_frame")),
        ({"reference": "clip", "clip": "idle", "time": 2.25}, Additive("clip", "idle", 0.25)),
        ({"reference": "clip", "clip": "wave", "time": 0.5}, Additive("clip", "wave", 0.5)),
    ],
)
def test_additive_references(tmp_path: Path, given: Any, additive: Additive) -> None:
    assert loaded(tmp_path, {"additive": given}).clips[0].additive == additive
