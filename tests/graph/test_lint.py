"""Each rule finds the smallest graph that breaks it, and nothing in one that nearly does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skelter.core.errors import ArgumentError, GraphError
from skelter.graph.files.read import graph_from_json
from skelter.graph.graph import BlendTree, Condition, Layer, Leaf, Parameter, State, StateGraph, Transition
from skelter.graph.lint import lint
from skelter.graph.lint.finding import Code, Finding
from skelter.graph.lint.values import holds, implies, solutions
from tests.support.state_graphs import locomotion

DOCS = Path(__file__).parents[2] / "docs/reference/lint.md"


def more(value: float, name: str = "x") -> Condition:
    return Condition(name, "GREATER_THAN", value)


def less(value: float, name: str = "x") -> Condition:
    return Condition(name, "LESS_THAN", value)


def way(source: str, target: str, *conditions: Condition, **values: Any) -> Transition:
    return Transition(source, target, conditions=list(conditions), **values)


def findings(
    *transitions: Transition, states: tuple[State, ...] = (), only: Code | None = None, **options: Any
) -> list[str]:
    """Lint a graph of the states A, B, C: START -> A, and further transitions."""
    layer = Layer("Base", [State("A"), State("B"), State("C"), *states], [Transition("START", "A"), *transitions])
    kinds = {"x": "FLOAT", "i": "INTEGER", "b": "BOOLEAN", "t": "TRIGGER"}
    graph = StateGraph([layer], [Parameter(name, kind) for name, kind in kinds.items()])  # type: ignore[arg-type]
    return [str(item) for item in lint(graph, **options) if only is None or item.code is only]


def tree_findings(tree: BlendTree, only: Code) -> list[str]:
    return findings(states=(State("T", tree=tree),), only=only)


class TestLint:
    def test_a_graph_that_cannot_run(self) -> None:
        with pytest.raises(GraphError, match="layers: there are none"):
            lint(StateGraph())

    @pytest.mark.parametrize(
        ("durations", "reason"),
        [
            ({"Wlak": 1.0}, r"durations: no path 'Wlak'; did you mean 'Walk'"),
            ({"Base:Wlak": 1.0}, r"durations: no path 'Base:Wlak'"),
            ({"Walk": -1.0}, r"durations\['Walk'\]: expected a length from 0 on \[s\], got -1.0"),
            ({"Walk": float("nan")}, r"got nan"),
            ({"Walk": float("inf")}, r"got inf"),
            ({"Walk": "1"}, r"got '1'"),
            ({"Walk": True}, r"got True"),
            ([("Walk", 1.0)], r"durations: expected a length per path, got list"),
        ],
    )
    def test_lengths_that_make_no_sense(self, durations: Any, reason: str) -> None:
        with pytest.raises(ArgumentError, match=reason):
            lint(graph_from_json(locomotion()), durations=durations)

    def test_a_clean_graph(self) -> None:
        assert lint(graph_from_json(locomotion())) == ()
        assert lint(graph_from_json(locomotion()), durations={"Idle": 2.0, "Walk": 1.0, "Jump": 0.8}) == ()

    def test_a_finding(self) -> None:
        graph = graph_from_json({**locomotion(), "layer": 1})
        finding = Finding(Code.UNKNOWN_KEY, "layer", "unknown key 'layer'; did you mean 'layers'?")
        assert lint(graph) == (finding,)
        assert str(finding) == "layer: unknown key 'layer'; did you mean 'layers'? [unknown-key]"

    def test_every_code_is_explained(self) -> None:
        rows = re.findall(r"^\| `([a-z-]+)` \|", DOCS.read_text(encoding="utf-8"), re.MULTILINE)
        assert sorted(rows) == sorted(Code)


class TestKeys:
    def test_unknown_keys(self) -> None:
        data = locomotion()
        inner = {
            "type": "DIRECT",
            "parameters": ["speed"],
            "children": [{"name": "A"}, {"name": "B", "sped": 1}],
            "typ": 2,
        }
        inner["parameters"] = ["speed", "speed"]
        tree = {"type": "1D", "parameter": "speed", "syncDurations": True, "children": [{"name": "N", "point": 0}]}
        tree["children"].append({"name": "W", "point": 1, "blendTree": inner})  # type: ignore[attr-defined]
        data["layers"][0]["states"][1]["blendTree"] = tree
        data["layers"][0]["transitions"][1]["exittime"] = 1
        data["layers"][0]["xyzzy"] = 1
        base, tree_path = "layers[0]", "layers[0].states[1].blendTree"
        assert [str(item).removesuffix(" [unknown-key]") for item in lint(graph_from_json(data))] == [
            f"{tree_path}.children[1].blendTree.children[1].sped: unknown key 'sped'; did you mean 'speed'?",
            f"{tree_path}.children[1].blendTree.typ: unknown key 'typ'; did you mean 'type'?",
            f"{tree_path}.syncDurations: unknown key 'syncDurations'; did you mean 'syncAnimations'?",
            f"{base}.transitions[1].exittime: unknown key 'exittime'; did you mean 'exitTime' or 'time'?",
            f"{base}.xyzzy: unknown key 'xyzzy'; remove it, or let it start with '_' to keep it as a note",
        ]

    def test_keys_of_the_editor_notes_and_nulls(self) -> None:
        data = {**locomotion(), "$schema": "x", "_author": "me"}
        data["layers"][0]["states"][1] |= {"nodeType": 1, "posX": 3, "id": 7, "speed": None, "//": "a note"}
        data["layers"][0]["transitions"][1] |= {"edgeType": 1, "defaultTransition": False}
        assert lint(graph_from_json(data)) == ()

    def test_empty_masks(self) -> None:
        for mask, count in (({}, 1), ({"Spine": True}, 0), (None, 0)):
            data = locomotion()
            data["layers"][0]["mask"] = mask
            assert [item.code for item in lint(graph_from_json(data))] == [Code.EMPTY_MASK] * count


class TestParameters:
    def test_what_nothing_reads(self) -> None:
        codes = [Code.UNUSED_PARAMETER, Code.UNUSED_TRIGGER]
        lines = [line for line in findings() if any(f"[{code}]" in line for code in codes)]
        assert lines == [
            "parameters[\"b\"]: no condition and no blend tree reads 'b'; use it, or remove it [unused-parameter]",
            "parameters[\"i\"]: no condition and no blend tree reads 'i'; use it, or remove it [unused-parameter]",
            "parameters[\"t\"]: no condition tests the trigger 't', so it stays set once it is; test it, or remove it "
            "[unused-trigger]",
            "parameters[\"x\"]: no condition and no blend tree reads 'x'; use it, or remove it [unused-parameter]",
        ]

    def test_what_conditions_and_trees_read(self) -> None:
        inner = BlendTree("1D", ["x"], [Leaf("P", 0.0), Leaf("Q", 1.0)], name="In", point=0.0)
        tree = BlendTree("1D", ["i"], [inner, Leaf("R", 1.0)])
        ways = [way("A", "T", Condition("t")), way("T", "A", Condition("b"))]
        lines = findings(*ways, states=(State("T", tree=tree),))
        assert not any("unused" in line for line in lines)

    def test_a_trigger_in_a_tree_alone_is_never_reset(self) -> None:
        tree = BlendTree("1D", ["t"], [Leaf("P", 0.0), Leaf("Q", 1.0)])
        assert len(tree_findings(tree, Code.UNUSED_TRIGGER)) == 1


class TestStates:
    def test_unreachable(self) -> None:
        (line,) = findings(way("A", "B"), only=Code.UNREACHABLE_STATE)
        assert line.startswith("layers[0].states[2]: no way leads from START to 'C'; add a transition to it")
        assert len(findings(way("B", "C"), way("C", "B"), only=Code.UNREACHABLE_STATE)) == 2

    @pytest.mark.parametrize("ways", [[way("A", "B"), way("B", "C")], [way("ANY", "B"), way("START", "C", more(1))]])
    def test_reachable(self, ways: list[Transition]) -> None:
        assert findings(*ways, only=Code.UNREACHABLE_STATE) == []

    def test_dead_ends(self) -> None:
        (line,) = findings(way("A", "D"), states=(State("D", loop=False),), only=Code.DEAD_END)
        assert line.startswith("layers[0].states[3]: 'D' does not loop, and nothing leads out of it: it holds")
        assert len(findings(way("ANY", "D"), states=(State("D", loop=False),), only=Code.DEAD_END)) == 1
        assert len(findings(way("D", "D"), states=(State("D", loop=False),), only=Code.DEAD_END)) == 1

    @pytest.mark.parametrize("ways", [[way("D", "B")], [way("D", "END")], [way("ANY", "B")], [way("ANY", "END")]])
    def test_ways_out(self, ways: list[Transition]) -> None:
        assert findings(*ways, states=(State("D", loop=False),), only=Code.DEAD_END) == []


class TestTransitions:
    def test_self_transitions(self) -> None:
        (line,) = findings(way("B", "B"), only=Code.SELF_TRANSITION)
        assert line.startswith("layers[0].transitions[1]: 'B' is active already, so this is never taken")
        assert findings(way("A", "END"), way("ANY", "A"), only=Code.SELF_TRANSITION) == []

    @pytest.mark.parametrize(
        ("early", "late"),
        [
            (way("A", "B"), way("A", "C")),
            (way("A", "B"), way("A", "C", more(1))),
            (way("A", "B", more(1)), way("A", "C", more(2))),
            (way("A", "B", more(1)), way("A", "C", Condition("x", value=3.0), Condition("b"))),
            (way("A", "B", more(1, "i")), way("A", "C", Condition("i", "GREATER_THAN_EQUAL_TO", 2.0))),
            (way("A", "B", Condition("b", "NOT_EQUAL_TO", False)), way("A", "C", Condition("b", value=True))),
            (way("A", "B", exit_time=0.5), way("A", "C", more(1), exit_time=0.5)),
            (way("A", "B"), way("A", "C", exit_time=0.5)),
            (way("A", "B", priority=5), way("A", "C", priority=6)),
            (way("ANY", "B"), way("ANY", "B", more(1))),
            (way("A", "B", Condition("t")), way("A", "C", Condition("t"))),
        ],
    )
    def test_shadowed(self, early: Transition, late: Transition) -> None:
        (line,) = findings(early, late, only=Code.SHADOWED_TRANSITION)
        assert line.startswith(
            f"layers[0].transitions[2]: it is never taken: layers[0].transitions[1] ({early.source} -> {early.target})"
        )

    @pytest.mark.parametrize(
        ("early", "late"),
        [
            (way("A", "B", more(1)), way("A", "C")),
            (way("A", "B", more(2)), way("A", "C", more(1))),
            (way("A", "B", more(1)), way("A", "C", more(2, "i"))),
            (way("A", "B", exit_time=0.5), way("A", "C")),
            (way("A", "B", exit_time=0.5), way("A", "C", exit_time=0.7)),
            (way("A", "B"), way("B", "C")),
            (way("A", "A"), way("A", "C")),
            (way("ANY", "B"), way("ANY", "C")),
            (way("A", "B", interruption="PREV_STATE"), way("A", "C")),
            (way("A", "B"), way("A", "C", more(2), less(1))),
        ],
    )
    def test_not_shadowed(self, early: Transition, late: Transition) -> None:
        assert findings(early, late, only=Code.SHADOWED_TRANSITION) == []

    def test_priority_comes_before_the_order_of_the_list(self) -> None:
        (line,) = findings(way("A", "B", more(1), priority=1), way("A", "C"), only=Code.SHADOWED_TRANSITION)
        assert line.startswith("layers[0].transitions[1]: it is never taken: layers[0].transitions[2] (A -> C)")

    def test_a_second_start(self) -> None:
        assert len(findings(way("START", "B"), only=Code.SHADOWED_TRANSITION)) == 1


class TestConditions:
    @pytest.mark.parametrize(
        ("conditions", "line"),
        [
            ([more(2), less(1)], "conditions: 'x > 2' and 'x < 1' never hold together"),
            ([more(1), less(1)], "conditions: 'x > 1' and 'x < 1' never hold together"),
            ([more(1, "i"), less(2, "i")], "conditions: 'i > 1' and 'i < 2' never hold together"),
            ([Condition("b"), Condition("b", value=False)], "conditions: 'b == true' and 'b == false' never hold"),
            (
                [Condition("x", value=1.0), Condition("x", "NOT_EQUAL_TO", 1.0)],
                "conditions: 'x == 1' and 'x != 1' never",
            ),
            ([Condition("i", value=2.5)], "conditions[0]: 'i == 2.5' never holds for an INTEGER"),
            ([more(1, "b")], "conditions[0]: 'b > true' never holds for a BOOLEAN"),
        ],
    )
    def test_impossible(self, conditions: list[Condition], line: str) -> None:
        (found,) = findings(way("A", "B", *conditions), only=Code.IMPOSSIBLE_CONDITIONS)
        assert found.startswith(f"layers[0].transitions[1].{line}")

    @pytest.mark.parametrize(
        "conditions",
        [
            [more(1), less(2)],
            [more(2), less(1, "i")],
            [more(0, "i"), less(2, "i")],
            [Condition("x", "LESS_THAN_EQUAL_TO", 1.0), Condition("x", "GREATER_THAN_EQUAL_TO", 1.0)],
            [less(1, "b")],
            [less(1e300), more(-1e300)],
            [],
        ],
    )
    def test_possible(self, conditions: list[Condition]) -> None:
        assert findings(way("A", "B", *conditions), only=Code.IMPOSSIBLE_CONDITIONS) == []

    def test_magnitudes_of_booleans(self) -> None:
        (line,) = findings(way("A", "B", more(0, "t")), only=Code.MAGNITUDE_OF_BOOLEAN)
        assert line.startswith(
            "layers[0].transitions[1].conditions[0].predicate: 't' is a TRIGGER, and '>' compares sizes"
        )
        ways = [way("A", "B", Condition("t")), way("B", "A", Condition("b", "NOT_EQUAL_TO")), way("B", "C", more(0))]
        assert findings(*ways, only=Code.MAGNITUDE_OF_BOOLEAN) == []

    @pytest.mark.parametrize(
        ("starts", "count"),
        [
            ([[more(1)]], 1),
            ([[more(1)], [less(1)]], 1),
            ([[more(1)], [less(1)], [Condition("x", value=1.0)]], 0),
            ([[more(1)], [Condition("x", "LESS_THAN_EQUAL_TO", 1.0)]], 0),
            ([[more(1, "i")], [less(2, "i")]], 0),
            ([[Condition("b")], [Condition("b", value=False), more(0)]], 1),
            ([[more(1)], []], 0),
        ],
    )
    def test_starts_that_wait(self, starts: list[list[Condition]], count: int) -> None:
        layer = Layer("Base", [State("A")], [way("START", "A", *conditions) for conditions in starts])
        graph = StateGraph([layer], [Parameter("x"), Parameter("i", "INTEGER"), Parameter("b", "BOOLEAN")])
        found = [item for item in lint(graph) if item.code is Code.CONDITIONAL_START]
        assert len(found) == count
        assert all(
            item.path == "layers[0].transitions" and "and the layer plays nothing" in item.message for item in found
        )


class TestCycles:
    def test_two_transitions_that_both_pass(self) -> None:
        assert findings(way("A", "B", more(1)), way("B", "A", more(2)), only=Code.INSTANT_CYCLE) == [
            "layers[0].transitions[1]: A -> B -> A: with x = 4, these transitions follow each other without end; give "
            "one an exit time, or conditions that do not hold while those of another do [instant-cycle]"
        ]

    @pytest.mark.parametrize(
        "ways",
        [
            [way("A", "B"), way("B", "C"), way("C", "A")],
            [way("A", "B"), way("B", "END")],
            [way("ANY", "B"), way("B", "A")],
            [way("ANY", "B"), way("ANY", "C")],
            [way("A", "END")],
            [way("A", "B", Condition("t", value=False)), way("B", "A")],
            [way("A", "B", exit_time=0.0), way("B", "A", time=0.5)],
        ],
    )
    def test_cycles(self, ways: list[Transition]) -> None:
        assert len(findings(*ways, only=Code.INSTANT_CYCLE)) == 1

    @pytest.mark.parametrize(
        "ways",
        [
            [way("A", "B", more(1)), way("B", "A", less(1))],
            [way("A", "B", more(1)), way("B", "C"), way("C", "A", less(1))],
            [way("A", "B"), way("B", "A", exit_time=1)],
            [way("A", "B", Condition("t")), way("B", "A")],
            [way("A", "B"), way("B", "C")],
            [way("ANY", "END"), way("ANY", "A")],
            [way("A", "B", Condition("b")), way("B", "A", Condition("b", value=False))],
        ],
    )
    def test_no_cycles(self, ways: list[Transition]) -> None:
        assert findings(*ways, only=Code.INSTANT_CYCLE) == []

    def test_the_search_has_an_end(self) -> None:
        names = [f"S{index}" for index in range(30)]
        ways = [way(a, b, more(1, "i")) for a in names for b in names if a != b]
        assert findings(*ways, states=tuple(State(name) for name in names), only=Code.INSTANT_CYCLE)


class TestExits:
    def once(self, exit_time: float, **options: Any) -> list[str]:
        state = State("D", loop=False, tree=options.pop("tree", None), speed=options.pop("speed", 1.0))
        return findings(way("D", "A", exit_time=exit_time), states=(state,), only=Code.UNREACHABLE_EXIT_TIME, **options)

    def test_beyond_the_end_of_a_clip_that_is_played_once(self) -> None:
        assert self.once(1.5) == [
            "layers[0].transitions[1].exitTime: 'D' does not loop and ends at 1, so 1.5 is never reached; "
            "give at most 1, or let it loop [unreachable-exit-time]"
        ]
        assert self.once(1.0) == []
        assert self.once(1.0, speed=-0.5) == []

    def test_loops_come_to_every_exit_time(self) -> None:
        assert findings(way("A", "B", exit_time=2.5), only=Code.UNREACHABLE_EXIT_TIME) == []

    def test_a_state_that_stands_still(self) -> None:
        (line,) = findings(
            way("D", "A", exit_time=0.5), states=(State("D", speed=0.0),), only=Code.UNREACHABLE_EXIT_TIME
        )
        assert "'D' has speed 0, so its clip stands still" in line
        assert findings(way("D", "A"), states=(State("D", speed=0.0),), only=Code.UNREACHABLE_EXIT_TIME) == []

    def test_start_has_no_clip(self) -> None:
        (line,) = findings(way("START", "B", exit_time=1.0), only=Code.UNREACHABLE_EXIT_TIME)
        assert "START plays no clip, so its exit time is ignored; remove it" in line
        assert findings(way("ANY", "B", exit_time=1.5), only=Code.UNREACHABLE_EXIT_TIME) == []

    def test_trees_in_step_end_after_one_play(self) -> None:
        tree = BlendTree("1D", ["x"], [Leaf("P", 0.0), Leaf("Q", 1.0)])
        assert len(self.once(1.5, tree=tree)) == 1

    def test_other_trees_end_with_their_longest_clip(self) -> None:
        tree = BlendTree("1D", ["x"], [Leaf("P", 0.0), Leaf("Q", 1.0, speed=0.5)], sync=False)
        assert self.once(5.0, tree=tree) == []
        assert self.once(2.0, tree=tree, durations={"D.P": 1.0, "D.Q": 1.0}) == []
        assert len(self.once(2.1, tree=tree, durations={"D.P": 1.0, "D.Q": 1.0})) == 1
        assert self.once(2.1, tree=tree, durations={"D.P": 1.0, "Base:D.Q": 1.2}) == []

    def test_long_fades(self) -> None:
        jump = way("A", "D", time=0.5)
        state = State("D", loop=False, speed=2.0)
        (line,) = findings(jump, states=(state,), only=Code.LONG_FADE, durations={"D": 0.8})
        assert line.startswith("layers[0].transitions[1].time: the fade takes 0.5 s, but 'D' is over after 0.4 s")
        assert findings(jump, states=(state,), only=Code.LONG_FADE, durations={"D": 1.0}) == []
        assert findings(jump, states=(state,), only=Code.LONG_FADE) == []
        assert findings(jump, states=(State("D"),), only=Code.LONG_FADE, durations={"D": 0.1}) == []

    def test_fades_in_milliseconds(self) -> None:
        (line,) = findings(way("A", "B", time=200.0), only=Code.SLOW_FADE)
        assert line == (
            "layers[0].transitions[1].time: the fade takes 200 s: times are in seconds, not milliseconds; "
            "did you mean 0.2? [slow-fade]"
        )
        assert findings(way("A", "B", time=10.0), only=Code.SLOW_FADE) == []

    @pytest.mark.parametrize("offset", [1.0, 1.2, -0.5])
    def test_offsets_that_are_no_fraction(self, offset: float) -> None:
        (line,) = findings(way("A", "B", offset=offset), only=Code.IGNORED_OFFSET)
        assert line.startswith(f"layers[0].transitions[1].transitionOffset: {offset:g} is no fraction of a clip")

    @pytest.mark.parametrize("offset", [None, 0.0, 0.99])
    def test_offsets_that_are_fine(self, offset: float | None) -> None:
        assert findings(way("A", "B", offset=offset), only=Code.IGNORED_OFFSET) == []


class TestTrees:
    def test_coincident_points(self) -> None:
        tree = BlendTree("1D", ["x"], [Leaf("P", 0.0), Leaf("Q", 1.0), Leaf("R", 1.0)])
        (line,) = tree_findings(tree, Code.COINCIDENT_POINTS)
        assert line.startswith(
            "layers[0].states[3].blendTree.children[2].point: 'R' lies where 'Q' lies, and they share"
        )

    @pytest.mark.parametrize(
        "tree",
        [
            BlendTree("1D", ["x"], [Leaf("P", 0.0), Leaf("Q", 1.0)]),
            BlendTree("2D_CARTESIAN", ["x", "i"], [Leaf("P", (0.0, 1.0)), Leaf("Q", (1.0, 0.0))]),
            BlendTree("DIRECT", ["x", "i"], [Leaf("P"), Leaf("Q")]),
        ],
    )
    def test_points_of_their_own(self, tree: BlendTree) -> None:
        assert tree_findings(tree, Code.COINCIDENT_POINTS) == []
        assert tree_findings(tree, Code.SINGLE_CHILD) == []

    def test_single_children(self) -> None:
        tree = BlendTree("1D", ["x"], [BlendTree("DIRECT", ["x", "i"], [Leaf("P"), Leaf("Q")], name="In", point=0.0)])
        (line,) = tree_findings(tree, Code.SINGLE_CHILD)
        assert line.startswith("layers[0].states[3].blendTree.children: 'In' is alone, so it plays whatever")

    def test_points_out_of_reach(self) -> None:
        far = BlendTree("1D", ["b"], [Leaf("P", 0.0), Leaf("Q", 2.0)])
        (line,) = tree_findings(far, Code.POINT_OUT_OF_REACH)
        assert "children[1].point: 2 is out of reach: 'b' is a BOOLEAN, which is 0 or 1" in line
        near = BlendTree("2D_CARTESIAN", ["b", "x"], [Leaf("P", (0.0, -5.0)), Leaf("Q", (1.0, 5.0))])
        assert tree_findings(near, Code.POINT_OUT_OF_REACH) == []


values = st.integers(-4, 4).map(lambda half: half / 2)
tests = st.lists(
    st.builds(
        Condition,
        st.just("p"),
        st.sampled_from(
            ["GREATER_THAN", "LESS_THAN", "GREATER_THAN_EQUAL_TO", "LESS_THAN_EQUAL_TO", "EQUAL_TO", "NOT_EQUAL_TO"]
        ),
        values,
    ),
    max_size=4,
)
DOMAINS: dict[str, list[float]] = {
    "FLOAT": [quarter / 4 for quarter in range(-40, 41)],
    "INTEGER": [float(whole) for whole in range(-10, 11)],
    "BOOLEAN": [0.0, 1.0],
}


@given(st.sampled_from(["FLOAT", "INTEGER", "BOOLEAN"]), tests, tests)
def test_trial_values_tell_what_all_values_tell(kind: Any, strong: list[Condition], weak: list[Condition]) -> None:
    parameters = {"p": Parameter("p", kind)}
    domain = DOMAINS[kind]
    passing = [value for value in domain if all(holds(test, value) for test in strong)]
    assert bool(solutions(strong, "p", parameters)) == bool(passing)
    implied = all(holds(test, value) for value in passing for test in weak)
    assert implies(strong, weak, parameters) == implied
