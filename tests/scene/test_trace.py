"""Traces: who was in which state when."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import groupby, pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skelter.core.errors import ArgumentError, OutputError
from skelter.graph.graph import ANY, END, START, Condition, Layer, Parameter, State, StateGraph, Transition
from skelter.scene.explain import explain_scene
from skelter.scene.load import load_scene
from skelter.scene.scene import Input, Scene, SceneCrowd, SetTrigger
from skelter.scene.timeline import timeline_html, timeline_svg
from skelter.scene.trace import Passing, Stay, Trace, trace_scene
from skelter.scene.trace_file import json_lines, save_trace
from tests.scene.conftest import Write

EXAMPLE = Path(__file__).parents[2] / "examples" / "locomotion.toml"
SVG = "{http://www.w3.org/2000/svg}"


def graph() -> StateGraph:
    jump = Condition("jump")
    ways = [Transition(START, "idle"), Transition(ANY, "jump", 0.2, conditions=[jump])]
    ways.append(Transition("jump", END, 0.4, exit_time=0.5))
    states = [State("idle"), State("jump", loop=False)]
    return StateGraph([Layer("Base", states, ways)], [Parameter("jump", "TRIGGER", False)])


def scene(*times: float, **options: object) -> Scene:
    inputs = tuple(Input(SetTrigger("jump"), at=time, chars=(1,)) for time in times)
    crowd = SceneCrowd("few", graph(), count=2, inputs=inputs, **options)  # type: ignore[arg-type]
    return Scene("scene", (crowd,), 3.0, 20.0)


def lane(trace: Trace, char: int) -> list[tuple[str, float, float, float]]:
    return [(stay.state, stay.start, stay.end, stay.fade) for stay in trace.stays if stay.char == char]


def test_wrong_characters_and_crowds() -> None:
    with pytest.raises(ArgumentError, match="chars: there is no character 2; there are 2, from 0"):
        trace_scene(scene(), chars=[0, 2])
    with pytest.raises(ArgumentError, match="no crowd 'fw'; did you mean 'few'"):
        trace_scene(scene(), crowds=["fw"])


def test_wrong_names_of_files(tmp_path: Path) -> None:
    trace = Trace("t", 1.0, 10.0, (), ())
    with pytest.raises(ArgumentError, match=r"x.png: a trace is written as .jsonl, .html, .svg"):
        save_trace(trace, tmp_path / "x.png")
    (tmp_path / "x.svg").write_text("mine")
    with pytest.raises(OutputError, match="exists already"):
        save_trace(trace, tmp_path / "x.svg", force=False)


def test_nobody() -> None:
    trace = trace_scene(scene(), chars=[])
    assert (trace.stays, trace.events) == ((), ())
    ElementTree.fromstring(timeline_svg(trace))


def test_stays() -> None:
    """The jump lasts 1.6 s: half of it, and the step by which a state's own time lags behind."""
    trace = trace_scene(scene(1.0))
    assert lane(trace, 0) == [("idle", 0.0, 3.0, 0.0)]
    assert lane(trace, 1) == [("idle", 0.0, 1.0, 0.0), ("jump", 1.0, 1.8, 0.2), ("idle", 1.8, 3.0, 0.4)]
    assert [stay.via for stay in trace.stays if stay.char == 1] == [
        "START -> idle",
        "ANY -> jump if jump == true",
        "jump -> END after 0.5 plays",
    ]


def test_stays_in_exact_timing() -> None:
    trace = trace_scene(replace(scene(1.0, timing="exact"), rate=7.0))
    assert lane(trace, 1) == [
        ("idle", 0.0, 1.0, 0.0),
        ("jump", 1.0, pytest.approx(1.8), 0.2),
        ("idle", pytest.approx(1.8), 3.0, 0.4),
    ]


def test_events() -> None:
    trace = trace_scene(scene(0.5, 2.0))
    landings = [(event.char, event.event, event.clip) for event in trace.events]
    assert landings == [(1, "land", "jump")] * len(landings)
    assert len(landings) >= 1


def test_a_state_without_clips_is_empty() -> None:
    trace = trace_scene(scene(1.0, clips={"idle": None}), chars=[1])
    assert [stay.empty for stay in trace.stays] == [True, False, True]


def test_json_lines(tmp_path: Path) -> None:
    trace = trace_scene(scene(1.0))
    save_trace(trace, tmp_path / "t.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "t.jsonl").read_text().splitlines()]
    assert lines == [json.loads(line) for line in json_lines(trace)]
    assert [line["kind"] for line in lines] == ["stay"] * len(trace.stays) + ["event"] * len(trace.events)
    assert list(lines[0]) == ["kind", "crowd", "char", "layer", "state", "start", "end", "fade", "via", "empty"]
    assert list(lines[-1]) == ["kind", "crowd", "char", "layer", "event", "clip", "time", "weight", "payload"]


def test_an_empty_trace_is_an_empty_file(tmp_path: Path) -> None:
    save_trace(Trace("t", 1.0, 10.0, (), ()), tmp_path / "t.jsonl")
    assert (tmp_path / "t.jsonl").read_text() == ""


def test_a_timeline_has_a_bar_for_each_stay_and_a_dot_for_each_event() -> None:
    trace = trace_scene(EXAMPLE, chars=[0, 2, 7])
    root = ElementTree.fromstring(timeline_svg(trace))
    assert len(root.findall(f"{SVG}polygon")) == len(trace.stays)
    assert len(root.findall(f"{SVG}circle")) == len(trace.events)
    width, height = (float(root.attrib[name]) for name in ("width", "height"))
    for bar in root.findall(f"{SVG}polygon"):
        for point in bar.attrib["points"].split():
            x, y = map(float, point.split(","))
            assert 0.0 <= x <= width
            assert 0.0 <= y <= height


def test_the_edge_of_a_bar_slants_over_the_fade() -> None:
    stays = (Stay("c", 0, "L", "A", 0.0, 1.0, 0.0, "", False), Stay("c", 0, "L", "B", 1.0, 2.0, 2.0, "A -> B", False))
    root = ElementTree.fromstring(timeline_svg(Trace("t", 2.0, 10.0, stays, ())))
    outlines = [bar.attrib["points"].split() for bar in root.iter(f"{SVG}polygon")]
    first, second = ([tuple(map(float, point.split(","))) for point in outline] for outline in outlines)
    assert len(first) == 4
    (x0, bottom), (x1, middle), (x2, corner) = second
    assert x0 < x1 == x2
    assert bottom == corner
    assert bottom - middle == pytest.approx(17.0 / 2)  # the trace ends when half of the fade is done


def test_names_may_hold_anything() -> None:
    name = "<b>&\"'\x00\x1b\ud800</b>"
    stays = (Stay(name, 0, name, name, 0.0, 1.0, 0.0, name, False),)
    events = (Passing(name, 0, name, name, name, 0.5, 1.0, None),)
    trace = Trace(name, 1.0, 10.0, stays, events)
    ElementTree.fromstring(timeline_svg(trace).encode())
    page = timeline_html(trace)
    assert "<b>" not in page
    assert page.startswith("<!DOCTYPE html>")


def test_explain(write: Write) -> None:
    path = write('[[crowd.input]]\nat = 0.5\nparameter = "jump"\ntrigger = true\nchars = [2]\n')
    before, after = (str(explain_scene(path, 2, at, target="Jump")) for at in (0.5, 0.6))
    assert "condition jump == true does not hold: it is false" in before
    assert "ANY -> Jump: taken" in after
    assert "character 2 at 0.6 s" in after


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"char": 9}, "char: there is no character 9; there are 4, from 0"),
        ({"at": 9.0}, "at: expected a time from 0 to 2 s, where the scene ends, got 9"),
        ({"at": float("nan")}, "at: expected a time from 0 to 2 s"),
        ({"target": "Jmp"}, "no state 'Jmp'; did you mean 'Jump'"),
        ({"layer": "Wav"}, "no layer 'Wav'; did you mean 'Wave'"),
        ({"crowd": "x"}, "no crowd 'x'"),
    ],
)
def test_explain_nothing(write: Write, options: dict[str, object], words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        explain_scene(load_scene(write()), **({"char": 0, "at": 1.0} | options))  # type: ignore[arg-type]


@settings(max_examples=8, deadline=None)
@given(st.lists(st.floats(0.0, 3.0), max_size=4), st.sampled_from(["frame", "exact"]))
def test_stays_follow_each_other_without_gaps(times: list[float], timing: str) -> None:
    trace = trace_scene(scene(*times, timing=timing))
    for _, stays in groupby(trace.stays, lambda stay: (stay.char, stay.layer)):
        own = list(stays)
        assert (own[0].start, own[-1].end) == (0.0, trace.duration)
        assert all(before.end == after.start for before, after in pairwise(own))
        assert all(stay.end > stay.start for stay in own)
