"""What was read is written back key for key; what was made in code is written so that PlayCanvas can run it."""

from __future__ import annotations

import copy
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skelter.core.errors import ArgumentError, GraphError, OutputError
from skelter.graph.check import check_graph
from skelter.graph.files.read import graph_from_json, load_graph
from skelter.graph.files.write import graph_to_json, save_graph
from skelter.graph.graph import BlendTree, Condition, Form, Layer, Leaf, Parameter, State, StateGraph, Transition
from tests.support.state_graphs import editor, graphs, locomotion, recorded


def small_graph(form: Form = "engine") -> StateGraph:
    tree = BlendTree("1D", ["speed"], [Leaf("Walk", 1.0), Leaf("Run", 3.5, speed=-1.0)])
    layer = Layer(
        "Base",
        [State("Idle"), State("Move", tree=tree)],
        [
            Transition("START", "Idle"),
            Transition("ANY", "Move", time=0.25, conditions=[Condition("go")]),
            Transition("Move", "END", exit_time=1.0),
        ],
    )
    return StateGraph([layer], [Parameter("speed"), Parameter("go", "TRIGGER")], form)


def round_trip(data: dict[str, Any]) -> dict[str, Any]:
    return graph_to_json(graph_from_json(data, check=False))


class TestInvalidInput:
    def test_no_graph(self) -> None:
        with pytest.raises(ArgumentError, match="graph: expected a StateGraph, got dict; read a file with load_graph"):
            graph_to_json({})  # type: ignore[arg-type]

    def test_a_tree_that_holds_itself(self) -> None:
        graph = small_graph()
        tree = graph.layers[0].states[1].tree
        assert tree is not None
        tree.children.append(tree)
        with pytest.raises(GraphError, match="trees are nested deeper than 32"):
            graph_to_json(graph)

    @pytest.mark.parametrize("value", [math.nan, {1, 2}, b"abc"])
    def test_what_json_cannot_hold(self, value: Any, tmp_path: Path) -> None:
        graph = small_graph()
        graph.extras["_note"] = value
        with pytest.raises(GraphError, match="graph: it holds what JSON cannot"):
            save_graph(graph, tmp_path / "graph.json")
        assert list(tmp_path.iterdir()) == []

    def test_no_path(self) -> None:
        with pytest.raises(ArgumentError, match="path: expected the path of a file, got int"):
            save_graph(small_graph(), 5)  # type: ignore[arg-type]

    def test_a_folder_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(OutputError, match="does not exist"):
            save_graph(small_graph(), tmp_path / "none" / "graph.json")

    def test_a_file_that_exists(self, tmp_path: Path) -> None:
        (tmp_path / "graph.json").write_text("old")
        with pytest.raises(OutputError, match="exists already"):
            save_graph(small_graph(), tmp_path / "graph.json")
        assert (tmp_path / "graph.json").read_text() == "old"
        save_graph(small_graph(), tmp_path / "graph.json", force=True)
        assert load_graph(tmp_path / "graph.json") == small_graph()


class TestWithoutLoss:
    def test_the_engine_form(self) -> None:
        assert round_trip(locomotion()) == locomotion()

    def test_the_editor_form_with_its_ids_orphans_and_odd_references(self) -> None:
        data = editor()
        data["layers"]["2"]["states"] = ["0", 3, 4, "1", 2]
        assert round_trip(data) == data

    def test_keys_keep_their_order(self) -> None:
        data = {**locomotion(), "_author": "me"}
        data["layers"][0]["transitions"][0] = {"to": "Idle", "_why": 1, "from": "START", "time": 0}
        written = round_trip(data)
        assert list(written) == list(data)
        assert list(written["layers"][0]["transitions"][0]) == ["to", "_why", "from", "time"]

    def test_nulls_and_unknown_keys(self) -> None:
        data = locomotion()
        data["layers"][0] |= {"mask": None, "weight": None, "color": [1, {"deep": None}]}
        data["layers"][0]["states"][1] |= {"blendTree": None, "speed": None}
        data["layers"][0]["transitions"][0] |= {"conditions": None, "priority": None, "exitTime": None}
        data["parameters"]["speed"]["value"] = None
        assert round_trip(data) == data

    def test_conditions_without_a_parameter(self) -> None:
        data = locomotion()
        empty = {"parameterName": None, "predicate": "EQUAL_TO", "value": 0}
        data["layers"][0]["transitions"][1]["conditions"].insert(0, empty)
        assert round_trip(data) == data

    @pytest.mark.parametrize("parameters", [[], [{"name": "speed", "type": "FLOAT", "value": 1}], None])
    def test_parameters_as_a_list_or_null(self, parameters: Any) -> None:
        assert round_trip({"layers": [], "parameters": parameters})["parameters"] == parameters

    def test_parameters_named_by_their_key_or_otherwise(self) -> None:
        parameters = {
            "a": {"type": "FLOAT"},
            "n": {"name": None, "type": "FLOAT"},
            "b": {"name": "c", "type": "BOOLEAN", "value": True},
        }
        assert round_trip({"layers": [], "parameters": parameters})["parameters"] == parameters

    @pytest.mark.parametrize(
        "child",
        [
            {"point": 1, "name": "Loco", "type": "1D", "parameters": ["w"], "children": [{"name": "A", "point": 0}]},
            {
                "name": "Loco",
                "blendTree": {"children": [], "_x": 1, "type": "1D", "parameter": "w"},
                "speed": 2,
                "_y": 2,
            },
            {
                "name": "Loco",
                "type": "1D",
                "parameter": "w",
                "parameters": ["x", "y"],
                "children": [],
                "outside": "none",
            },
            {"name": "Loco", "type": "DIRECT", "parameter": None, "parameters": None, "children": []},
        ],
    )
    def test_nested_trees_in_either_way(self, child: dict[str, Any]) -> None:
        tree = {"type": "DIRECT", "parameters": ["v"], "children": [child], "syncAnimations": False}
        data = {"layers": [{"name": "Base", "states": [{"name": "Move", "blendTree": tree}], "transitions": []}]}
        assert round_trip(data) == data

    def test_all_recorded_graphs(self) -> None:
        for name, data in recorded().items():
            assert round_trip(data) == data, name

    def test_through_a_file(self, tmp_path: Path) -> None:
        data = {**editor(), "_author": "Zoë"}
        (tmp_path / "in.json").write_text(json.dumps(data), encoding="utf-8")
        save_graph(load_graph(tmp_path / "in.json"), tmp_path / "out.json")
        assert json.loads((tmp_path / "out.json").read_text(encoding="utf-8")) == data


class TestChanges:
    def test_a_change_is_written_and_the_rest_stays(self) -> None:
        graph = graph_from_json(editor(), check=False)
        graph.layers[0].states[3].speed = 2.0
        graph.layers[0].transitions[1].time = 0.5
        expected = editor()
        expected["states"]["1"]["speed"] = 2
        expected["transitions"]["1"]["time"] = 0.5
        assert graph_to_json(graph) == expected

    def test_a_renamed_state_keeps_its_id_and_its_transitions(self) -> None:
        graph = graph_from_json(editor(), check=False)
        graph.layers[0].states[3].name = "Stand"
        for way in graph.layers[0].transitions:
            way.source, way.target = (("Stand" if end == "Idle" else end) for end in (way.source, way.target))
        expected = editor()
        expected["states"]["1"]["name"] = "Stand"
        assert graph_to_json(graph) == expected

    def test_new_objects_get_ids_of_their_own(self) -> None:
        graph = graph_from_json(editor(), check=False)
        graph.layers[0].states.append(State("Run"))
        graph.layers[0].transitions.append(Transition("Walk", "Run"))
        graph.layers[0].transitions[1].conditions.append(Condition("go", value=False))
        graph.parameters.append(Parameter("new"))
        written = graph_to_json(graph)
        assert written["layers"]["2"]["states"] == [0, 3, 4, 1, 2, 100]
        assert written["states"]["100"]["name"] == "Run"
        assert written["transitions"]["11"] == {"from": 2, "to": 100, "conditions": {}, "edgeType": 1}
        assert written["parameters"]["2"]["name"] == "new"
        assert graph_from_json(written, check=False) == graph

    def test_a_new_layer_in_front_renumbers_the_layers(self) -> None:
        graph = graph_from_json(editor(), check=False)
        graph.layers.insert(0, Layer("Legs", [State("Stand")], [Transition("START", "Stand")]))
        written = graph_to_json(graph)
        assert [layer["name"] for layer in written["layers"].values()] == ["Legs", "Base", "Upper"]
        assert list(written["layers"]) == ["0", "1", "2"]

    def test_nothing_is_shared_with_the_graph(self) -> None:
        graph = graph_from_json({**locomotion(), "_note": {"a": []}})
        graph_to_json(graph)["_note"]["a"].append(1)
        assert graph_to_json(graph)["_note"] == {"a": []}


class TestMadeInCode:
    def test_only_what_is_no_default_and_the_start_that_playcanvas_needs(self) -> None:
        children = [{"name": "Walk", "point": 1}, {"name": "Run", "point": 3.5, "speed": -1}]
        go = {"parameterName": "go", "predicate": "EQUAL_TO", "value": True}
        assert graph_to_json(small_graph()) == {
            "layers": [
                {
                    "name": "Base",
                    "states": [
                        {"name": "Idle"},
                        {"name": "Move", "blendTree": {"type": "1D", "parameter": "speed", "children": children}},
                        {"name": "START"},
                    ],
                    "transitions": [
                        {"from": "START", "to": "Idle"},
                        {"from": "ANY", "to": "Move", "time": 0.25, "conditions": [go]},
                        {"from": "Move", "to": "END", "exitTime": 1},
                    ],
                }
            ],
            "parameters": {
                "speed": {"name": "speed", "type": "FLOAT", "value": 0},
                "go": {"name": "go", "type": "TRIGGER", "value": False},
            },
        }

    def test_the_editor_form_has_ids_and_lists_the_control_states(self) -> None:
        written = graph_to_json(small_graph("editor"))
        names = {key: state["name"] for key, state in written["states"].items()}
        assert names == {"0": "Idle", "1": "Move", "2": "START", "3": "END", "4": "ANY"}
        assert written["layers"]["0"]["states"] == [0, 1, 2, 3, 4]
        assert written["transitions"]["1"]["from"] == 4
        assert [state["nodeType"] for state in written["states"].values()] == [1, 0, 3, 5, 4]

    def test_two_parameters_of_one_name_are_both_written(self) -> None:
        graph = StateGraph([], [Parameter("a"), Parameter("a", "BOOLEAN")])
        assert [item["name"] for item in graph_to_json(graph)["parameters"].values()] == ["a", "a"]


@pytest.mark.parametrize("form", ["engine", "editor"])
def test_any_graph_comes_back_equal(form: Form) -> None:
    @given(graphs(form), st.booleans())
    def check(graph: StateGraph, twice: bool) -> None:
        again = graph_from_json(graph_to_json(graph), check=False)
        assert again == graph
        assert not twice or graph_to_json(again) == graph_to_json(graph)

    check()


def places(data: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the way to everything in JSON data."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [found for key, value in items for found in [(*way, key), *places(value, (*way, key))]]


NESTED = {"type": "DIRECT", "parameters": ["go"], "children": [{"name": "In", "speed": 2}]}
TREE = {
    "type": "1D",
    "parameter": "go",
    "children": [{"name": "A", "point": 0, **NESTED}, {"name": "B", "point": 1, "blendTree": NESTED}],
}
CHANGED = [editor(), locomotion()]
CHANGED[0]["states"]["1"]["blendTree"] = TREE
CHANGED[1]["layers"][0]["states"][1]["blendTree"] = {**TREE, "parameter": "speed"}
JUNK = [None, True, -1.5, 7, "", "x", "START", [], [None], [1, 2], {}, {"0": None}, {"a": 1}]


@given(st.data())
def test_a_changed_file_is_refused_or_comes_back_unchanged(draw: st.DataObject) -> None:
    data = copy.deepcopy(draw.draw(st.sampled_from(CHANGED)))
    *way, last = draw.draw(st.sampled_from(places(data)))
    place = data
    for key in way:
        place = place[key]
    place[last] = draw.draw(st.sampled_from(JUNK))
    try:
        graph = graph_from_json(data)
    except GraphError:
        return
    assert graph_to_json(graph) == data
    assert check_graph(graph) == ()


@pytest.mark.parametrize(("data", "form"), [(locomotion(), "editor"), (editor(), "engine")])
def test_a_graph_can_change_its_form(data: dict[str, Any], form: Form) -> None:
    graph = graph_from_json(data)
    graph.form = form
    again = graph_from_json(graph_to_json(graph))
    assert again.form == form
    assert (again.layers, again.parameters) == (graph.layers, graph.parameters)
