"""Whatever keeps a graph from running is found, all at once, with its place and the fix."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from skelter.core.errors import ArgumentError, GraphError
from skelter.graph.check import check_graph, require_valid
from skelter.graph.files.read import graph_from_json, load_graph
from skelter.graph.graph import BlendTree, Condition, Layer, Leaf, Parameter, State, StateGraph, Transition
from skelter.graph.problems import Problem
from tests.support.state_graphs import editor, graphs, locomotion


def graph_with(
    *transitions: Transition, states: list[State] | None = None, parameters: list[Parameter] | None = None
) -> StateGraph:
    """Return a valid graph of the states A and B with further parts."""
    layer = Layer("Base", [State("A"), State("B"), *(states or [])], [Transition("START", "A"), *transitions])
    return StateGraph([layer], [Parameter("speed"), Parameter("jump", "TRIGGER"), *(parameters or [])])


def report(graph: StateGraph) -> list[str]:
    return [str(problem) for problem in check_graph(graph)]


def tree_report(tree: BlendTree) -> list[str]:
    """Return what is wrong with a tree, with paths from the tree on."""
    start = "layers[0].states[2].blendTree."
    lines = report(graph_with(states=[State("Move", tree=tree)], parameters=[Parameter("x"), Parameter("y")]))
    assert all(line.startswith(start) for line in lines)
    return [line.removeprefix(start) for line in lines]


def ring(*points: tuple[float, float]) -> BlendTree:
    leaves: list[Leaf | BlendTree] = [Leaf("NESWabcd"[index], point) for index, point in enumerate(points)]
    return BlendTree("2D_SIMPLE_DIRECTIONAL", ["x", "y"], leaves)


class TestWrongObjects:
    def test_no_graph(self) -> None:
        for function in (check_graph, require_valid):
            with pytest.raises(ArgumentError, match="graph: expected a StateGraph, got dict"):
                function({})  # type: ignore[arg-type]

    def test_lists_of_something_else(self) -> None:
        graph = graph_with(Transition("A", "B", conditions=["jump"]))  # type: ignore[list-item]
        graph.layers.append("Upper")  # type: ignore[arg-type]
        graph.parameters = None  # type: ignore[assignment]
        graph.layers[0].states[0].name = 5  # type: ignore[assignment]
        assert report(graph) == [
            "layers[0].states[0].name: expected a text, got 5",
            "layers[0].transitions[1].conditions[0]: expected a Condition, got the text 'jump'",
            "layers[1]: expected a Layer, got the text 'Upper'",
            "parameters: expected a list, got null",
        ]

    def test_a_tree_that_holds_itself(self) -> None:
        tree = BlendTree("1D", ["x"])
        tree.children.append(tree)
        (line,) = report(graph_with(states=[State("Move", tree=tree)]))
        assert line.endswith("trees are nested deeper than 32; flatten them")

    @pytest.mark.parametrize("value", ["fast", 5, [1]])
    def test_values_of_a_wrong_type(self, value: Any) -> None:
        (line,) = report(graph_with(states=[State("C", loop=value)]))
        assert line.startswith("layers[0].states[2].loop: expected true or false, got ")

    @pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
    def test_numbers_that_are_not_finite(self, value: float) -> None:
        leaf = Leaf("Walk", (0.0, value), speed=value)
        tree = BlendTree("2D_CARTESIAN", ["speed", "speed"], [leaf])
        graph = graph_with(
            Transition(
                "A", "B", time=value, exit_time=value, offset=value, conditions=[Condition("speed", value=value)]
            ),
            states=[State("C", speed=value, tree=tree)],
            parameters=[Parameter("x", value=value)],
        )
        graph.layers[0].weight = value
        lines = report(graph)
        assert len(lines) == 9
        assert all(f"expected a finite number, got {value}" in line or ".point: " in line for line in lines)


class TestNames:
    def test_nothing_at_all(self) -> None:
        assert report(StateGraph()) == ["layers: there are none; add at least one"]

    def test_names_that_are_taken_or_empty(self) -> None:
        graph = graph_with(states=[State("B"), State("")], parameters=[Parameter("jump"), Parameter("")])
        graph.layers.append(Layer("Base", [State("A")], [Transition("START", "A")]))
        assert report(graph) == [
            "layers[0].states[2].name: 'B' is the name of layers[0].states[1] already; "
            "states of a layer need names of their own",
            "layers[0].states[3].name: it is empty; give a name",
            "layers[1].name: 'Base' is the name of layers[0] already; layers need names of their own",
            'parameters["0"].name: it is empty; give a name',
            'parameters["jump0"].name: \'jump\' is the name of parameters["jump"] already; '
            "parameters need names of their own",
        ]

    def test_one_path_for_two_clips(self) -> None:
        tree = BlendTree("DIRECT", ["speed"], [Leaf("Walk")])
        graph = graph_with(states=[State("Move", tree=tree), State("Move.Walk")])
        assert report(graph) == [
            "layers[0].states[3].name: the clip's path 'Move.Walk' is that of "
            "layers[0].states[2].blendTree.children[0] too; rename one, without '.' and ':'"
        ]

    def test_one_path_for_clips_of_two_layers(self) -> None:
        graph = graph_with()
        graph.layers.append(Layer("Upper", [State("A"), State("Base:A")], [Transition("START", "A")]))
        (line,) = report(graph)
        assert line.startswith("layers[1].states[1].name: the clip's path 'Base:A' is that of layers[0].states[0] too")

    def test_dots_that_do_no_harm(self) -> None:
        assert report(graph_with(states=[State("Walk.001"), State("10:30")])) == []


class TestTransitions:
    def test_a_layer_without_states(self) -> None:
        graph = StateGraph([Layer("Base", [State("END")])])
        assert report(graph) == ["layers[0].states: there is none that plays anything; add one beside START"]

    def test_a_layer_without_a_start(self) -> None:
        graph = StateGraph([Layer("Base", [State("Idle")])])
        assert report(graph) == [
            "layers[0].transitions: none leads from START; add one to the default state, "
            'such as {"from": "START", "to": "Idle"}'
        ]

    def test_several_starts_are_fine_if_each_leads_somewhere(self) -> None:
        graph = graph_with(Transition("START", "B"), Transition("START", "C"))
        assert report(graph) == ["layers[0].transitions[2].to: no state 'C'; the states are A, B"]

    @pytest.mark.parametrize(
        ("transition", "line"),
        [
            (Transition("Aa", "B"), "from: no state 'Aa'; did you mean 'A'?"),
            (Transition("start", "B"), "from: no state 'start'; did you mean 'START'?"),
            (Transition("", "B"), "from: no state ''; the states are A, B"),
            (Transition("A", "C"), "to: no state 'C'; the states are A, B"),
            (Transition("A", "START"), "to: START cannot be a target; use END to start over, or name a state"),
            (Transition("ANY", "ANY"), "to: ANY cannot be a target; use END to start over, or name a state"),
            (Transition("END", "A"), "from: END goes on to the default state by itself; start at a state, or at ANY"),
            (Transition("START", "END"), "to: START to END leads nowhere: END starts over; name the default state"),
            (Transition("A", "B", time=-0.5), "time: -0.5 is negative; give seconds from 0 on"),
            (Transition("A", "B", exit_time=-1), "exitTime: -1 is negative; give plays of the clip, from 0 on"),
            (Transition("A", "B", interruption="ALL"), "interruptionSource: expected NONE, PREV_STATE, "),  # type: ignore[arg-type]
        ],
    )
    def test_one_by_one(self, transition: Transition, line: str) -> None:
        (found,) = report(graph_with(transition))
        assert found.startswith(f"layers[0].transitions[1].{line}")

    def test_all_ends_that_are_fine(self) -> None:
        ways = [
            Transition("A", "B"),
            Transition("ANY", "B"),
            Transition("ANY", "END"),
            Transition("B", "END", offset=1.5),
        ]
        assert report(graph_with(*ways)) == []


class TestParameters:
    @pytest.mark.parametrize(
        ("kind", "value", "line"),
        [
            ("FLOAT", True, "expected a number for a FLOAT, got true"),
            ("INTEGER", False, "expected a number for an INTEGER, got false"),
            ("INTEGER", 2.5, "expected a whole number for an INTEGER, got 2.5; round it, or make it a FLOAT"),
            ("BOOLEAN", 2.0, "expected true or false for a BOOLEAN, got 2"),
            ("TRIGGER", 0.5, "expected true or false for a TRIGGER, got 0.5"),
        ],
    )
    def test_values_of_another_type(self, kind: Any, value: Any, line: str) -> None:
        assert report(graph_with(parameters=[Parameter("p", kind, value)])) == [f'parameters["p"].value: {line}']

    @pytest.mark.parametrize(("kind", "value"), [("FLOAT", 1), ("INTEGER", 2.0), ("BOOLEAN", 1), ("TRIGGER", 0.0)])
    def test_values_that_fit(self, kind: Any, value: Any) -> None:
        parameter = Parameter("p", kind, value)
        assert (
            report(graph_with(Transition("A", "B", conditions=[Condition("p", value=value)]), parameters=[parameter]))
            == []
        )

    @pytest.mark.parametrize(
        ("condition", "line"),
        [
            (Condition("sped"), "parameterName: no parameter 'sped'; did you mean 'speed'?"),
            (Condition("speed", value=True), "value: 'speed' is a FLOAT; compare it with a number, not true"),
            (Condition("jump", value=2), "value: 'jump' is a TRIGGER; compare it with true or false, not 2"),
            (Condition("jump", "IS"), "predicate: expected GREATER_THAN, "),  # type: ignore[arg-type]
            (Condition(""), "parameter: it is empty; give the name of a parameter"),
        ],
    )
    def test_conditions(self, condition: Condition, line: str) -> None:
        (found,) = report(graph_with(Transition("A", "B", conditions=[Condition("speed", value=1), condition])))
        assert found.startswith(f"layers[0].transitions[1].conditions[1].{line}")

    def test_a_size_of_a_boolean_is_no_problem(self) -> None:
        assert report(graph_with(Transition("A", "B", conditions=[Condition("jump", "GREATER_THAN", 0)]))) == []


class TestLayers:
    @pytest.mark.parametrize("weight", [-0.1, 1.5])
    def test_a_weight_outside(self, weight: float) -> None:
        graph = graph_with()
        graph.layers[0].weight = weight
        assert report(graph) == [f"layers[0].weight: {weight:g} is outside [0, 1]; give a weight in it"]

    @pytest.mark.parametrize(
        ("rule", "line"),
        [
            (2, ": 2 is outside [0, 1]; give a weight in it"),
            ("all", ": expected true, false, a weight or an object such as {\"children\": true}, got the text 'all'"),
            (None, ": expected true, false, a weight or an object"),
            ({"value": -1}, ".value: -1 is outside [0, 1]; give a weight in it"),
            ({"value": "x"}, ".value: expected true, false or a weight, got the text 'x'"),
            (
                {"childs": True},
                ".childs: a rule has the keys value and children, not 'childs'; did you mean 'children'?",
            ),
            ({"children": 1}, ".children: expected true or false, got 1"),
        ],
    )
    def test_masks(self, rule: Any, line: str) -> None:
        graph = graph_with()
        graph.layers[0].mask = {"Root/Spine": rule}
        (found,) = report(graph)
        assert found.startswith(f'layers[0].mask["Root/Spine"]{line}')

    def test_masks_that_are_fine(self) -> None:
        graph = graph_with()
        rules = [True, False, 0, 0.5, {}, {"children": True}, {"value": 0.25, "children": False}]
        graph.layers[0].mask = {str(index): rule for index, rule in enumerate(rules)}
        assert report(graph) == []


class TestTrees:
    @pytest.mark.parametrize(
        ("tree", "lines"),
        [
            (
                BlendTree("1D", ["x"]),
                ["children: there are none; add at least one clip"],
            ),
            (
                BlendTree("1D", [], [Leaf("A", 0.0)]),
                ["parameter: a 1D tree needs 1 parameter; it names 0"],
            ),
            (
                BlendTree("1D", ["x", "y"], [Leaf("A", 0.0)]),
                ["parameters: a 1D tree needs 1 parameter; it names 2"],
            ),
            (
                BlendTree("2D_CARTESIAN", ["x"], [Leaf("A", (0.0, 1.0))]),
                ["parameters: a 2D_CARTESIAN tree needs 2 parameters; it names 1"],
            ),
            (
                BlendTree("DIRECT", ["x"], [Leaf("A"), Leaf("B")]),
                ["parameters: a DIRECT tree needs 2 parameters, one for each child; it names 1"],
            ),
            (
                BlendTree("1D", ["z"], [Leaf("A", 0.0)]),
                ["parameter: no parameter 'z'; the parameters are speed, jump, x, y"],
            ),
            (
                BlendTree("2D_DIRECTIONAL", ["x", "sped"], [Leaf("A", (0.0, 1.0))]),
                ["parameters[1]: no parameter 'sped'; did you mean 'speed'?"],
            ),
            (
                BlendTree("1D", ["x"], [Leaf("A"), Leaf("A", (1.0, 2.0))]),
                [
                    "children[0].point: a child of a 1D tree needs a number; it has none",
                    "children[1].name: 'A' is the name of layers[0].states[2].blendTree.children[0] already; "
                    "children of a tree need names of their own",
                    "children[1].point: a child of a 1D tree needs a number; got a list of 2",
                ],
            ),
            (
                BlendTree("2D_CARTESIAN", ["x", "y"], [Leaf("A", 1.0)]),
                ["children[0].point: a child of a 2D_CARTESIAN tree needs two numbers; got 1"],
            ),
            (
                BlendTree("DIRECT", ["x"], [BlendTree("1D", ["z"], [Leaf("")], name="In")]),
                [
                    "children[0].children[0].name: it is empty; give a name",
                    "children[0].children[0].point: a child of a 1D tree needs a number; it has none",
                    "children[0].parameter: no parameter 'z'; the parameters are speed, jump, x, y",
                ],
            ),
        ],
    )
    def test_one_by_one(self, tree: BlendTree, lines: list[str]) -> None:
        assert tree_report(tree) == lines

    def test_a_wrapped_tree_has_its_own_place(self) -> None:
        data = locomotion()
        inner = {"type": "1D", "parameter": "sped", "children": []}
        tree = {"type": "DIRECT", "parameters": ["speed"], "children": [{"name": "", "blendTree": inner}]}
        data["layers"][0]["states"][1]["blendTree"] = tree
        start = "layers[0].states[1].blendTree.children[0]"
        assert report(graph_from_json(data, check=False)) == [
            f"{start}.blendTree.children: there are none; add at least one clip",
            f"{start}.blendTree.parameter: no parameter 'sped'; did you mean 'speed'?",
            f"{start}.name: it is empty; give a name",
        ]

    def test_rings_that_are_fine(self) -> None:
        assert tree_report(ring((0, 1), (1, 0), (0, -1), (-1, 0))) == []
        angles = [0.1 + math.tau * index / 8 for index in range(8)]
        assert tree_report(ring(*((math.cos(angle), math.sin(angle)) for angle in angles))) == []

    def test_rings_that_are_none(self) -> None:
        assert tree_report(ring((0, 1), (1, 0), (-1, -1))) == [
            "children: a 2D_SIMPLE_DIRECTIONAL tree needs 4 or 8 children, not 3; 2D_DIRECTIONAL takes any"
        ]
        assert tree_report(ring((0, 1), (1, 0), (0, -1), (0, 0))) == [
            "children: there are 180 degrees between 'N' and 'S'; leave less than 180 between neighbours",
            "children[3].point: it is the origin, which has no direction; move it, or use 2D_DIRECTIONAL",
        ]
        assert tree_report(ring((0, 1), (1, 0), (2, 0), (-1, -1))) == [
            "children: 'E' and 'S' lie in one direction; move one of them"
        ]
        assert tree_report(ring((0, 1), (0, 2), (0, 3), (0, 4)))[-1] == (
            "children: there are 360 degrees between 'W' and 'N'; leave less than 180 between neighbours"
        )


class TestReports:
    def test_locomotion_and_the_editor_form_are_fine(self) -> None:
        for data in (locomotion(), editor()):
            graph = graph_from_json(data)
            assert check_graph(graph) == ()
            require_valid(graph)

    def test_a_problem_is_a_place_and_a_message(self) -> None:
        graph = graph_with(Transition("A", "C"))
        problem = Problem("layers[0].transitions[1].to", "no state 'C'; the states are A, B")
        assert check_graph(graph) == (problem,)
        with pytest.raises(GraphError) as error:
            require_valid(graph)
        assert str(error.value) == f"graph: 1 problem\n{problem}"

    def test_paths_of_the_editor_form(self) -> None:
        graph = graph_with(Transition("A", "C"))
        graph.form = "editor"
        assert report(graph) == ["transitions[\"1\"].to: no state 'C'; the states are A, B"]

    def test_the_graph_is_not_changed(self) -> None:
        graph = graph_from_json(editor())
        before = repr(graph), graph.layers[0].states[0].keys
        check_graph(graph)
        assert (repr(graph), graph.layers[0].states[0].keys) == before

    def test_a_file_with_12_mistakes_gives_12_lines(self, tmp_path: Path) -> None:
        data = locomotion()
        layer = data["layers"][0]
        layer["weight"] = 1.5
        layer["blendType"] = "ADD"
        layer["mask"] = {"Spine": 7}
        layer["states"][2]["name"] = "Idle"
        layer["states"][3]["speed"] = "fast"
        layer["states"][1]["blendTree"] = {"type": "1D", "parameter": "sped", "children": [{"name": "Breathe"}]}
        layer["transitions"][1] |= {"to": "Idle", "time": -1}
        layer["transitions"][2] |= {"from": "Idel"}
        layer["transitions"][3]["conditions"][0] |= {"parameterName": "jmp"}
        layer["transitions"][4]["to"] = "START"
        data["parameters"]["jump"]["value"] = "no"
        (tmp_path / "hero.json").write_text(json.dumps(data))
        with pytest.raises(GraphError) as error:
            load_graph(tmp_path / "hero.json")
        heading, *lines = str(error.value).splitlines()
        assert heading.endswith("hero.json: 12 problems")
        assert [line.split(": ")[0] for line in lines] == [
            "layers[0].blendType",
            'layers[0].mask["Spine"]',
            "layers[0].states[1].blendTree.children[0].point",
            "layers[0].states[1].blendTree.parameter",
            "layers[0].states[2].name",
            "layers[0].states[3].speed",
            "layers[0].transitions[1].time",
            "layers[0].transitions[2].from",
            "layers[0].transitions[3].conditions[0].parameterName",
            "layers[0].transitions[4].to",
            "layers[0].weight",
            'parameters["jump"].value',
        ]


@given(graphs("engine") | graphs("editor"))
def test_any_graph_can_be_checked(graph: StateGraph) -> None:
    for problem in check_graph(graph):
        assert problem.path
        assert problem.message


def test_speeds_beyond_what_can_be_computed_with() -> None:
    tree = BlendTree("1D", ["speed"], [Leaf("Walk", 0.0, speed=-2e6), Leaf("Run", 1.0, speed=1e6)])
    graph = graph_with(states=[State("C", speed=1e300, tree=tree)])
    assert report(graph) == [
        "layers[0].states[2].blendTree.children[0].speed: -2e+06 is beyond 1e+06; give a factor of the clip's speed",
        "layers[0].states[2].speed: 1e+300 is beyond 1e+06; give a factor of the clip's speed",
    ]
