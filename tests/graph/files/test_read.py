"""Graph files are read in both forms; whatever is wrong with one is said at once, with its place."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import pytest

from skelter.core.errors import ArgumentError, GraphError
from skelter.graph.files import decode
from skelter.graph.files.decode import FILE_BYTES_MAX, NESTING_MAX
from skelter.graph.files.order import js_order
from skelter.graph.files.read import graph_from_json, load_graph
from skelter.graph.graph import BlendTree, Condition, Leaf, Parameter, State, StateGraph
from tests.support.state_graphs import editor, locomotion, recorded


def problems(data: Any, **options: Any) -> list[str]:
    """Return the lines of the report on a graph, without the heading."""
    with pytest.raises(GraphError) as error:
        graph_from_json(data, name="hero.json", **options)
    heading, *lines = str(error.value).splitlines()
    assert heading == f"hero.json: {len(lines)} problem{'s' * (len(lines) > 1)}"
    return lines


def with_tree(tree: Any) -> dict[str, Any]:
    data = locomotion()
    data["layers"][0]["states"][1]["blendTree"] = tree
    return data


class TestFiles:
    def test_no_path(self) -> None:
        with pytest.raises(ArgumentError, match="path: expected the path of a file, got dict"):
            load_graph({})  # type: ignore[arg-type]

    def test_no_such_file(self, tmp_path: Path) -> None:
        with pytest.raises(GraphError, match=r"none\.json: there is no such file; check the name"):
            load_graph(tmp_path / "none.json")

    def test_a_folder(self, tmp_path: Path) -> None:
        with pytest.raises(GraphError, match="this is a folder; name a graph file"):
            load_graph(tmp_path)

    def test_a_pipe(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(GraphError, match="this is a pipe or a device"):
            load_graph(tmp_path / "pipe")

    def test_a_name_that_cannot_be(self) -> None:
        with pytest.raises(GraphError, match="cannot be read: embedded null byte"):
            load_graph("a\0b")

    def test_a_file_of_100_mb_is_refused_before_it_is_read(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with (tmp_path / "huge.json").open("wb") as file:
            file.truncate(100 << 20)
        monkeypatch.setattr(Path, "read_bytes", lambda self: pytest.fail("it was read"))
        with pytest.raises(GraphError, match=f"huge.json: 104857600 bytes are too many.*{FILE_BYTES_MAX}"):
            load_graph(tmp_path / "huge.json")

    def test_the_report_names_the_file(self, tmp_path: Path) -> None:
        (tmp_path / "bad.json").write_text('{"layers": 1}')
        with pytest.raises(GraphError, match=r"bad\.json: 1 problem\nlayers: expected a list, got 1"):
            load_graph(tmp_path / "bad.json")

    def test_the_graph_has_the_name_of_the_file(self, tmp_path: Path) -> None:
        (tmp_path / "good.json").write_bytes(b"\xef\xbb\xbf" + json.dumps(locomotion()).encode())
        assert load_graph(tmp_path / "good.json").name == str(tmp_path / "good.json")


class TestText:
    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            (b"", "it is empty"),
            (b" \n", "it is empty"),
            (b'{"layers": [\n1,,]}', "it is not JSON: Expecting value in line 2, column 3"),
            (b'{"a": "\xff"}', "it is not UTF-8"),
            (b"glTF\x02\x00\x00\x00\xff", "it is a character, no graph"),
            (b'{"a": NaN}', "it holds nan; all numbers must be finite"),
            (b'{"a": -Infinity}', "it holds -inf"),
            (b'{"a": 1e999}', "it holds inf"),
            (b'{"a": 1' + b"0" * 400 + b"}", r"it holds a number beyond 1e\+300"),
            (b'{"a": 1' + b"0" * 5000 + b"}", "integer string"),
            (b'{"a": "\\ud800"}', "half of a surrogate pair"),
            (b'{"speed": 1, "speed": 2}', "one object has the key 'speed' twice"),
            (b"[" * 100_000, "nested deeper than 128"),
            (b"[" * (NESTING_MAX + 1) + b"]" * (NESTING_MAX + 1), "nested deeper than 128"),
            (b"[1]", "expected an object, got a list of 1"),
            (b"null", "expected an object, got null"),
        ],
    )
    def test_what_is_no_graph(self, text: bytes, reason: str) -> None:
        with pytest.raises(GraphError, match=f"(?s)^hero.json: .*{reason}"):
            graph_from_json(text, name="hero.json")

    def test_a_number_that_is_not_finite_has_a_place(self) -> None:
        data = locomotion()
        data["parameters"]["speed"]["value"] = math.nan
        with pytest.raises(GraphError, match=r'^hero: parameters\["speed"\]\.value: it holds nan; all numbers must be'):
            graph_from_json(json.dumps(data), name="hero")
        data = locomotion()
        data["layers"][0]["transitions"][1]["time"] = -math.inf
        with pytest.raises(GraphError, match=r"^graph: layers\[0\]\.transitions\[1\]\.time: it holds -inf"):
            graph_from_json(data)

    def test_a_whole_that_is_not_finite(self) -> None:
        with pytest.raises(GraphError, match=r"^graph: it holds nan"):
            graph_from_json("NaN")

    @pytest.mark.parametrize(
        ("wrap", "key"),
        [
            (lambda graph: {"id": 5, "data": graph}, "data"),
            (lambda graph: {"name": "Hero", "stateGraph": graph}, "stateGraph"),
            (lambda graph: {"assets": {"12": {"type": "x", "data": graph}}}, "assets.12.data"),
        ],
    )
    @pytest.mark.parametrize("graph", [locomotion(), editor()])
    def test_a_graph_in_another_object(self, wrap: Any, key: str, graph: dict[str, Any]) -> None:
        line = f"layers: it is missing here; the graph is in the key '{key}': save what that holds as a file"
        assert problems(wrap(graph)) == [line]
        assert problems(wrap(graph), check=False) == [line]

    @pytest.mark.parametrize("data", [{}, {"data": {"layers": 3}}, {"a": {"b": {"c": {"d": {"layers": []}}}}}])
    def test_no_graph_in_another_object(self, data: dict[str, Any]) -> None:
        assert problems(data) == ["layers: it is missing; give a list"]

    def test_a_name_where_text_belongs(self) -> None:
        with pytest.raises(GraphError, match="it is not JSON"):
            graph_from_json("hero.json")

    @pytest.mark.parametrize("data", [None, 5, [1]])
    def test_something_else_than_text_or_a_dict(self, data: Any) -> None:
        with pytest.raises(ArgumentError, match="data: expected JSON text or a dict, got"):
            graph_from_json(data)

    @pytest.mark.parametrize("value", [math.inf, object(), {1: 2}, b"x", {"a": "\ud800"}])
    def test_a_dict_that_json_cannot_hold(self, value: Any) -> None:
        with pytest.raises(GraphError, match=r"graph: _x(\.a)?: (it holds|the text)"):
            graph_from_json({"layers": [], "_x": value})

    def test_a_dict_that_holds_itself(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(decode, "ITEMS_MAX", 1000)
        endless: dict[str, Any] = {}
        endless["a"] = endless
        with pytest.raises(GraphError, match="nested deeper than 128"):
            graph_from_json(endless)
        endless["b"] = endless
        with pytest.raises(GraphError, match="more than 1000 values"):
            graph_from_json(endless)


class TestSchema:
    """Each kind of wrong key has a line with its place."""

    @pytest.mark.parametrize(
        ("place", "value", "line"),
        [
            ("name", 5, "layers[0].name: expected a text, got 5"),
            ("name", None, "layers[0].name: it is missing; give a text"),
            ("weight", "1", "layers[0].weight: expected a number, got the text '1'"),
            ("weight", True, "layers[0].weight: expected a number, got true"),
            (
                "blendType",
                "ADITIVE",
                "layers[0].blendType: expected OVERWRITE or ADDITIVE, got the text 'ADITIVE'; did you mean 'ADDITIVE'?",
            ),
            ("mask", ["Spine"], "layers[0].mask: expected an object, got a list of 1"),
        ],
    )
    def test_layers(self, place: str, value: Any, line: str) -> None:
        data = locomotion()
        data["layers"][0][place] = value
        assert problems(data) == [line]

    @pytest.mark.parametrize(
        ("key", "value", "line"),
        [
            ("time", "0.2", "expected a number, got the text '0.2'"),
            ("time", [1], "expected a number, got a list of 1"),
            ("priority", 0.5, "expected a whole number, got 0.5"),
            ("exitTime", {}, "expected a number, got an object"),
            ("from", 3, "expected a text, got 3"),
            ("to", None, "it is missing; give a text"),
            ("conditions", {}, "expected a list, got an object"),
        ],
    )
    def test_transitions(self, key: str, value: Any, line: str) -> None:
        data = locomotion()
        data["layers"][0]["transitions"][3][key] = value
        assert problems(data) == [f"layers[0].transitions[3].{key}: {line}"]

    def test_interruption_names_all_choices(self) -> None:
        data = locomotion()
        data["layers"][0]["transitions"][3]["interruptionSource"] = "PREVIOUS"
        (line,) = problems(data)
        assert "expected NONE, PREV_STATE, NEXT_STATE, PREV_STATE_NEXT_STATE or NEXT_STATE_PREV_STATE" in line

    @pytest.mark.parametrize(
        ("condition", "line"),
        [
            ({}, "parameterName: it is missing; give the name of a parameter"),
            ({"parameterName": "speed", "predicate": "GREATER", "value": 1}, "predicate: expected GREATER_THAN, "),
            ({"parameterName": "speed", "predicate": "EQUAL_TO", "value": "1"}, "value: expected a number or true or"),
            ({"parameterName": "speed", "predicate": "EQUAL_TO"}, "value: it is missing; give a number or true"),
            (7, ": expected an object, got 7; write it as {...}"),
        ],
    )
    def test_conditions(self, condition: Any, line: str) -> None:
        data = locomotion()
        data["layers"][0]["transitions"][1]["conditions"].append(condition)
        assert any(
            found.startswith("layers[0].transitions[1].conditions[1]") and line in found for found in problems(data)
        )

    @pytest.mark.parametrize(
        ("tree", "line"),
        [
            ("Walk", ": expected an object, got the text 'Walk'"),
            ({"type": "3D", "children": []}, ".type: expected 1D, 2D_CARTESIAN, "),
            ({"type": "1D"}, ".children: it is missing; give a list"),
            ({"type": "1D", "parameter": "speed", "children": [{"name": "A", "point": "x"}]}, ".children[0].point: "),
            ({"type": "1D", "parameter": 3, "children": []}, ".parameter: expected a text, got 3"),
            ({"type": "1D", "parameters": "speed", "children": []}, ".parameters: expected a list of texts, got"),
            (
                {"type": "1D", "parameter": "speed", "children": [{"name": "A", "type": "1D"}]},
                ".children[0].children: ",
            ),
        ],
    )
    def test_trees(self, tree: Any, line: str) -> None:
        assert problems(with_tree(tree))[0].startswith(f"layers[0].states[1].blendTree{line}")

    def test_parameters(self) -> None:
        data = locomotion()
        data["parameters"]["speed"] = {"name": "speed", "type": "DOUBLE", "value": "fast"}
        assert problems(data) == [
            "parameters[\"speed\"].type: expected FLOAT, INTEGER, BOOLEAN or TRIGGER, got the text 'DOUBLE'",
            "parameters[\"speed\"].value: expected a number or true or false, got the text 'fast'",
        ]

    @pytest.mark.parametrize(
        ("parameter", "key"),
        [
            (
                {"type": "BOOL", "value": False},
                "type: expected FLOAT, INTEGER, BOOLEAN or TRIGGER, got the text 'BOOL'",
            ),
            ({"value": True}, "type: it is missing; give FLOAT"),
            ({"type": "FLOAT", "value": True}, "value: expected a number for a FLOAT, got true"),
            ({"type": "FLOAT", "value": "x"}, "value: expected a number or true or false, got the text 'x'"),
        ],
    )
    def test_nothing_is_judged_by_a_parameter_that_is_wrong_itself(self, parameter: dict[str, Any], key: str) -> None:
        data = locomotion()
        data["parameters"]["patrol"] = parameter
        conditions = data["layers"][0]["transitions"][1]["conditions"]
        conditions.append({"parameterName": "patrol", "predicate": "EQUAL_TO", "value": True})
        (line,) = problems(data)
        assert line.startswith(f'parameters["patrol"].{key}')

    def test_trees_nested_1000_deep(self) -> None:
        tree: dict[str, Any] = {"type": "1D", "parameter": "speed", "children": [{"name": "A", "point": 0}]}
        for _ in range(1000):
            tree = {"type": "1D", "parameter": "speed", "children": [{**tree, "name": "T", "point": 0}]}
        with pytest.raises(GraphError, match="nested deeper than 128"):
            graph_from_json(with_tree(tree))

    def test_trees_nested_too_deep_for_us(self) -> None:
        tree: dict[str, Any] = {"type": "1D", "parameter": "speed", "children": [{"name": "A", "point": 0}]}
        for _ in range(31):
            tree = {"type": "1D", "parameter": "speed", "children": [{**tree, "name": "T", "point": 0}]}
        graph_from_json(with_tree(tree))
        tree = {"type": "1D", "parameter": "speed", "children": [{**tree, "name": "T", "point": 0}]}
        (line,) = problems(with_tree(tree))
        assert line.endswith("trees are nested deeper than 32; flatten them")

    def test_schema_and_meaning_are_reported_together_and_nothing_twice(self) -> None:
        data = locomotion()
        data["layers"][0]["weight"] = 2
        data["layers"][0]["transitions"][3] |= {"time": "0.1", "to": "Jmp"}
        data["layers"][0]["states"].append(7)
        assert problems(data) == [
            "layers[0].states[6]: expected an object, got 7; write it as {...}",
            "layers[0].transitions[3].time: expected a number, got the text '0.1'",
            "layers[0].transitions[3].to: no state 'Jmp'; did you mean 'Jump'?",
            "layers[0].weight: 2 is outside [0, 1]; give a weight in it",
        ]

    def test_without_check_only_the_schema_counts(self) -> None:
        data = locomotion()
        data["layers"][0]["transitions"][3]["to"] = "Jmp"
        assert graph_from_json(data, check=False).layers[0].transitions[3].target == "Jmp"
        data["layers"][0]["transitions"][3]["time"] = "0.1"
        assert len(problems(data, check=False)) == 1

    def test_a_report_has_an_end(self) -> None:
        data = locomotion()
        data["layers"][0]["states"] += [{"name": "Idle"}] * 1001
        with pytest.raises(GraphError) as error:
            graph_from_json(data)
        lines = str(error.value).splitlines()
        assert (lines[0], len(lines), lines[-1]) == ("graph: 1000 problems or more", 202, "... and 800 more")


class TestEditorForm:
    def test_places_are_ids(self) -> None:
        data = editor()
        data["states"]["2"]["speed"] = "fast"
        data["transitions"]["1"]["time"] = "0.2"
        data["transitions"]["1"]["conditions"]["12"]["parameterName"] = "goo"
        data["transitions"]["0"]["from"] = 77
        data["layers"]["10"]["states"].append(5)
        data["layers"]["10"]["states"].append(13)
        assert problems(data) == [
            "layers[\"10\"].states[2]: no id 5 in 'states'; add it there, or remove it here",
            'layers["10"].states[3]: 13 is in the list already; remove it',
            "states[\"2\"].speed: expected a number, got the text 'fast'",
            'transitions["0"].from: no state has the id 77; the ids are 0, 1, 2, 3, 4, 10, 13, 99',
            "transitions[\"1\"].conditions[\"12\"].parameterName: no parameter 'goo'; did you mean 'go'?",
            "transitions[\"1\"].time: expected a number, got the text '0.2'",
        ]

    def test_what_is_missing(self) -> None:
        assert problems({"layers": {}}) == [
            "layers: there are none; add at least one",
            "states: it is missing; give an object",
            "transitions: it is missing; give an object",
        ]

    def test_layers_and_conditions_come_in_the_order_of_javascript(self) -> None:
        graph = graph_from_json(editor())
        assert [layer.name for layer in graph.layers] == ["Base", "Upper"]
        assert [test.parameter for test in graph.layers[0].transitions[1].conditions] == ["stop", "go"]

    def test_ids_become_names(self) -> None:
        ways = graph_from_json(editor()).layers[0].transitions
        assert [(way.source, way.target) for way in ways] == [
            ("START", "Idle"),
            ("Idle", "Walk"),
            ("Walk", "Idle"),
            ("ANY", "END"),
        ]

    def test_keys_of_the_editor_are_kept(self) -> None:
        graph = graph_from_json(editor())
        assert graph.form == "editor"
        assert graph.layers[0].states[0].extras == {"id": 0, "nodeType": 3, "posX": 0, "posY": 0}
        assert graph.layers[0].states[3].place == 'states["1"]'


class TestKnownValues:
    def test_locomotion(self) -> None:
        graph = graph_from_json(json.dumps(locomotion()))
        (layer,) = graph.layers
        assert graph.parameters == [Parameter("speed"), Parameter("jump", "TRIGGER", False)]
        assert [state.name for state in layer.states] == ["START", "Idle", "Walk", "Jump", "ANY", "END"]
        assert layer.states[3] == State("Jump", loop=False)
        assert layer.transitions[1].conditions == [Condition("speed", "GREATER_THAN", 0.5)]
        assert layer.transitions[4].exit_time == 1.0
        assert layer.default_state == "Idle"

    def test_defaults_stand_for_what_is_missing_or_null(self) -> None:
        data = locomotion()
        data["layers"][0]["transitions"][4] = {"from": "Jump", "to": "END", "time": None, "priority": None}
        way = graph_from_json(data).layers[0].transitions[4]
        assert (way.time, way.priority, way.exit_time, way.offset, way.interruption) == (0.0, 0, None, None, "NONE")
        assert way.extras == {"time": None, "priority": None}

    def test_trees_with_our_keys(self) -> None:
        loco = {"type": "DIRECT", "parameters": ["speed"], "children": [{"name": "A", "speed": -1}], "fallback": "rest"}
        tree = {
            "type": "1D",
            "parameter": "speed",
            "syncAnimations": False,
            "outside": "none",
            "children": [
                {"name": "Loco", "point": 0, **loco},
                {"name": "Far", "point": 1, "blendTree": loco, "speed": 2},
            ],
        }
        direct = {"type": "DIRECT", "parameters": ["speed"], "children": [Leaf("A", speed=-1.0)], "fallback": "rest"}
        expected = BlendTree(
            "1D",
            ["speed"],
            [
                BlendTree(**direct, name="Loco", point=0.0),  # type: ignore[arg-type]
                BlendTree(**direct, name="Far", point=1.0, speed=2.0),  # type: ignore[arg-type]
            ],
            sync=False,
            outside="none",
        )
        graph = graph_from_json(with_tree(tree))
        assert graph.layers[0].states[1].tree == expected
        assert graph.layers[0].states[1].clip_paths() == ("Idle.Loco.A", "Idle.Far.A")

    def test_two_numbers_are_a_pair(self) -> None:
        leaf = {"name": "A", "point": [1, 2]}
        tree = {"type": "2D_CARTESIAN", "parameters": ["speed", "speed"], "children": [leaf]}
        read = graph_from_json(with_tree(tree)).layers[0].states[1].tree
        assert read is not None
        assert read.children == [Leaf("A", (1.0, 2.0))]

    def test_parameters_by_key_or_in_a_list(self) -> None:
        layers = locomotion()["layers"]
        by_key = {"speed": {"type": "FLOAT"}, "jump": {"type": "TRIGGER"}}
        in_list = [{"name": "speed", "type": "FLOAT"}, {"name": "jump", "type": "TRIGGER"}]
        for parameters in (by_key, in_list):
            graph = graph_from_json({"layers": layers, "parameters": parameters})
            assert graph.parameters == [Parameter("speed", "FLOAT", 0.0), Parameter("jump", "TRIGGER", False)]

    def test_the_data_is_not_shared(self) -> None:
        data: dict[str, Any] = {**locomotion(), "_note": []}
        graph = graph_from_json(data)
        data["_note"].append(1)
        assert graph.extras["_note"] == []

    def test_graphs_are_equal_that_mean_the_same(self) -> None:
        data = locomotion()
        data["layers"][0]["states"][1] |= {"speed": None, "_note": "x"}
        data["layers"][0]["transitions"][0]["time"] = 0
        assert graph_from_json(data, name="other") == graph_from_json(locomotion())

    def test_the_order_of_keys_in_javascript(self) -> None:
        keys = ["b", "10", "2", "02", "a", "4294967295", "4294967294", "-1", "1.5", "0", "²"]
        assert js_order(keys) == ["0", "2", "10", "4294967294", "b", "02", "a", "4294967295", "-1", "1.5", "²"]

    def test_all_recorded_graphs_are_valid(self) -> None:
        for name, data in recorded().items():
            assert isinstance(graph_from_json(data, name=name), StateGraph)
