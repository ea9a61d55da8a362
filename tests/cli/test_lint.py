from __future__ import annotations

import json
from pathlib import Path

from skelter.graph.files.write import save_graph
from skelter.graph.graph import START, Condition, Layer, Parameter, State, StateGraph, Transition
from tests.cli.conftest import Run


def graph(target: str = "Walk", unused: bool = False) -> StateGraph:
    ways = [Transition(START, "Idle"), Transition("Idle", target, 0.2, conditions=[Condition("go")])]
    ways.append(Transition("Walk", "Idle", 0.2, conditions=[Condition("go", value=False)]))
    parameters = [Parameter("go", "BOOLEAN", False)] + ([Parameter("left")] if unused else [])
    return StateGraph([Layer("Base", [State("Idle"), State("Walk")], ways)], parameters)


def test_problems_are_listed_with_their_places(run: Run) -> None:
    save_graph(graph(target="Wlk"), "graph.json")
    outcome = run("lint", "graph.json")
    assert (outcome.code, outcome.err) == (2, "")
    head, *lines = outcome.out.splitlines()
    assert head == f"graph.json: {len(lines)} problem{'' if len(lines) == 1 else 's'}"
    assert any(line.startswith("layers[0].transitions[1].to: ") and "'Walk'" in line for line in lines)


def test_problems_as_json(run: Run) -> None:
    save_graph(graph(target="Wlk"), "graph.json")
    outcome = run("lint", "graph.json", "--json")
    assert outcome.code == 2
    result = json.loads(outcome.out)
    assert result["findings"] == []
    assert result["problems"][0]["path"] == "layers[0].transitions[1].to"


def test_a_file_that_is_no_graph(run: Run) -> None:
    Path("graph.json").write_text("{")
    for name in ("graph.json", "nothing.json"):
        outcome = run("lint", name)
        assert (outcome.code, outcome.out) == (2, "")
        assert outcome.err.startswith(f"error: {name}: ")


def test_findings_are_mistakes_only_if_strict(run: Run) -> None:
    save_graph(graph(unused=True), "graph.json")
    outcome = run("lint", "graph.json")
    assert outcome.code == 0
    assert outcome.out.startswith("graph.json: 1 finding\n")
    assert "[unused-parameter]" in outcome.out
    assert run("lint", "graph.json", "--strict").code == 2
    assert json.loads(run("lint", "graph.json", "--json").out)["findings"][0]["code"] == "unused-parameter"


def test_a_clip_that_does_not_exist(run: Run) -> None:
    save_graph(graph(), "graph.json")
    outcome = run("lint", "graph.json", "--character", "mannequin", "--clip", "Walk=wlk")
    assert outcome.code == 2
    assert "no clip 'wlk'; did you mean 'walk'" in outcome.err
    outcome = run("lint", "graph.json", "--character", "mannequin", "--clip", "Walk")
    assert "error: --clip Walk: expected PATH=CLIP" in outcome.err


def test_a_clip_without_a_character(run: Run) -> None:
    save_graph(graph(), "graph.json")
    outcome = run("lint", "graph.json", "--clip", "Walk=walk")
    assert (outcome.code, outcome.out) == (2, "")
    assert "error: --clip: it names clips of a character; name that, too, with --character FILE" in outcome.err


def test_a_mask_that_matches_no_joint(run: Run) -> None:
    masked = graph()
    masked.layers[0].mask = {"chesst": {"children": True}, "Head": True}
    save_graph(masked, "graph.json")
    outcome = run("lint", "graph.json", "--character", "mannequin")
    assert outcome.code == 0
    assert "warning: mask of layer 'Base': no joint matches 'chesst'; did you mean 'Chest'" in outcome.err


def test_a_scene_says_itself_what_is_bound(run: Run) -> None:
    Path("scene.toml").write_text("duration = 1\n[[crowd]]\n")
    for options in (("--character", "mannequin"), ("--clip", "Jump=jump")):
        outcome = run("lint", "scene.toml", *options)
        assert (outcome.code, outcome.out) == (2, "")
        assert "not with a scene" in outcome.err


def test_the_graphs_of_a_scene(run: Run) -> None:
    """A walk without a loop is over after about a second: a cross-fade of three is longer."""
    slow = graph()
    slow.layers[0].states[1].loop = False
    slow.layers[0].transitions[1].time = 3.0
    save_graph(slow, "graph.json")
    Path("scene.toml").write_text(
        'duration = 1\n[[crowd]]\nname = "one"\n[[crowd]]\nname = "two"\ngraph = "graph.json"\n'
    )
    outcome = run("lint", "scene.toml")
    assert outcome.code == 0
    first, second, *findings = outcome.out.splitlines()
    assert (first, second) == ("one: no findings", "two: 1 finding")
    assert "[long-fade]" in findings[0]
    assert run("lint", "scene.toml", "--strict").code == 2
    found = json.loads(run("lint", "scene.toml", "--json").out)["findings"]
    assert [(finding["crowd"], finding["code"]) for finding in found] == [("two", "long-fade")]


def test_lengths_of_clips(run: Run) -> None:
    """The walk of the mannequin is over after about a second: a cross-fade of three is longer."""
    slow = graph()
    slow.layers[0].states[1].loop = False
    slow.layers[0].transitions[1].time = 3.0
    save_graph(slow, "graph.json")
    assert run("lint", "graph.json").out == "graph.json: no findings\n"
    assert "[long-fade]" in run("lint", "graph.json", "--character", "mannequin").out
    assert "no findings" in run("lint", "graph.json", "--character", "mannequin", "--clip", "Walk=").out


def test_the_built_in_graph(run: Run) -> None:
    for options in ((), ("--character", "mannequin")):
        outcome = run("lint", "locomotion", "--strict", *options)
        assert (outcome.code, outcome.out) == (0, "locomotion: no findings\n")
