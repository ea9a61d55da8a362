"""Compiling: what is refused, how paths find clips, masks and remarks, rules; a controller stands on its own."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from skelter.baking.bake import bake
from skelter.core.errors import ArgumentError, GraphError
from skelter.crowd.crowd import Crowd
from skelter.graph.compile import compile  # noqa: A004
from skelter.graph.graph import ANY, END, START, BlendTree, Condition, Layer, Leaf, Parameter, State, StateGraph
from skelter.graph.graph import Transition as Way
from skelter.rig.rig import Rig
from skelter.testing.rigs import clock_rig, random_character

RIG = clock_rig({"idle": 2.0, "walk": 1.0, "RUN": 0.5, "pace.walk": 4.0})


def base(*states: State, ways: list[Way] | None = None, **options: Any) -> Layer:
    return Layer("Base", list(states), [Way(START, states[0].name), *(ways or [])], **options)


def gaits() -> StateGraph:
    tree = BlendTree("1D", ["speed"], [Leaf("walk", 0.0), Leaf("run", 1.0)])
    return StateGraph([base(State("idle"), State("move", tree=tree))], [Parameter("speed")])


def two_layers() -> StateGraph:
    return StateGraph([Layer(name, [State("idle")], [Way(START, "idle")]) for name in ("Low", "High")])


def with_additive(rig: Rig, clip: str) -> Rig:
    """Return a rig with a clip marked as additive."""
    additive = np.array([name == clip for name in rig.clip_names], np.uint8)
    return dataclasses.replace(rig, clips=dataclasses.replace(rig.clips, additive=additive))


class TestWrongArguments:
    @pytest.mark.parametrize("graph", [None, {}, "graph.json", Layer("Base")])
    def test_no_graph(self, graph: Any) -> None:
        with pytest.raises(ArgumentError, match=r"graph: expected a StateGraph, got .*load_graph"):
            compile(graph, RIG)

    @pytest.mark.parametrize("rig", [None, random_character(2)])
    def test_no_rig(self, rig: Any) -> None:
        with pytest.raises(ArgumentError, match="rig"):
            compile(gaits(), rig)

    def test_no_such_rules(self) -> None:
        with pytest.raises(ArgumentError, match="rules: expected 'skelter' or 'playcanvas', got 'unity'"):
            compile(gaits(), RIG, rules="unity")  # type: ignore[arg-type]

    @pytest.mark.parametrize("clips", ["idle", [("idle", "idle")], 3])
    def test_clips_that_are_no_mapping(self, clips: Any) -> None:
        with pytest.raises(ArgumentError, match="clips: expected a clip per path"):
            compile(gaits(), RIG, clips)

    @pytest.mark.parametrize("path", ["Idle", "move", "move.jog", "High:idle", "Base:move.jog", ":idle", 3, None])
    def test_a_path_that_the_graph_lacks(self, path: Any) -> None:
        with pytest.raises(ArgumentError, match=r"clips: no path .* The paths are: idle, move.walk, move.run"):
            compile(gaits(), RIG, {path: "walk"})

    @pytest.mark.parametrize("clip", ["wlak", "run", 1, True])
    def test_a_clip_that_the_rig_lacks(self, clip: Any) -> None:
        with pytest.raises(ArgumentError, match=rf"clips\['move.walk'\]: no clip '{clip}'.* The clips are: idle, walk"):
            compile(gaits(), RIG, {"move.walk": clip})

    def test_a_path_that_is_named_twice(self) -> None:
        with pytest.raises(ArgumentError, match=r"clips\['Base:idle'\]: the path is named twice"):
            compile(gaits(), RIG, {"idle": "walk", "Base:idle": "RUN"})

    def test_a_path_without_its_layer_where_two_have_it(self) -> None:
        with pytest.raises(ArgumentError, match=r"no path 'idle'; did you mean 'Low:idle'"):
            compile(two_layers(), RIG, {"idle": "walk"})


class TestProblems:
    def test_all_missing_clips_are_listed_together(self) -> None:
        layers = [Layer(name, [State("sit"), State("fly")], [Way(START, "sit")]) for name in ("Low", "High")]
        with pytest.raises(GraphError) as caught:
            compile(StateGraph([*layers, base(State("idle"))], name="bird"), RIG)
        text = str(caught.value)
        assert text.startswith("bird: 4 of 5 paths cannot be played on clock:")
        assert [line.split(": ")[0] for line in text.splitlines()[1:5]] == [
            "  Low:sit",
            "  Low:fly",
            "  High:sit",
            "  High:fly",
        ]
        assert "clips={'Low:sit': ...}" in text
        assert "The clips are: idle, walk, RUN, pace.walk" in text

    def test_near_clips_of_a_path_and_the_first_of_many(self) -> None:
        rig = clock_rig({f"clip_{index}": 1.0 for index in range(30)} | {"sprint": 1.0})
        with pytest.raises(GraphError) as caught:
            compile(StateGraph([base(State("Sprnt"))]), rig)
        text = str(caught.value)
        assert "  Sprnt: there is no clip of this name; did you mean 'sprint'?" in text
        assert text.endswith("clip_19, ... (31 in all)")

    def test_an_additive_clip_that_would_overwrite(self) -> None:
        rig = with_additive(RIG, "walk")
        with pytest.raises(
            GraphError, match=r"move.walk: clip 'walk' is additive; give layer 'Base' the blend type AD"
        ) as caught:
            compile(gaits(), rig)
        assert "Name a clip" not in str(caught.value)
        graph = gaits()
        graph.layers[0].blend = "ADDITIVE"
        assert compile(graph, rig).additive.tolist() == [1]

    def test_a_graph_that_cannot_run_is_refused_before_its_clips_are_looked_for(self) -> None:
        graph = gaits()
        graph.layers[0].transitions.append(Way("idle", "fly", conditions=[Condition("sped")]))
        with pytest.raises(
            GraphError, match=r"(?s)2 problems.*no parameter 'sped'; did you mean 'speed'.*no state 'fly'"
        ):
            compile(graph, RIG, {"nothing": "nothing"})

    @pytest.mark.parametrize("layers", [[], [Layer("Base")], [Layer("Base", [State(START), State(END), State(ANY)])]])
    def test_a_graph_without_states(self, layers: list[Layer]) -> None:
        with pytest.raises(GraphError, match=r"layers"):
            compile(StateGraph(layers), RIG)


class TestBindings:
    def test_paths_take_clips_of_their_name_or_the_leaf_s_in_any_case(self) -> None:
        assert compile(gaits(), RIG).clips == {"idle": "idle", "move.walk": "walk", "move.run": "RUN"}

    def test_a_whole_path_goes_before_the_name_of_the_leaf(self) -> None:
        graph = gaits()
        graph.layers[0].states[1].name = "pace"
        assert compile(graph, RIG).clips["pace.walk"] == "pace.walk"

    def test_a_path_with_its_layer_goes_before_one_without(self) -> None:
        rig = clock_rig({"idle": 1.0, "Low:idle": 1.0, "high:IDLE": 1.0})
        assert compile(two_layers(), rig).clips == {"Low:idle": "Low:idle", "High:idle": "high:IDLE"}

    def test_clips_that_differ_in_case_only_are_no_choice(self) -> None:
        with pytest.raises(GraphError, match="Jump: there is no clip of this name"):
            compile(StateGraph([base(State("Jump"))]), clock_rig({"jump": 1.0, "JUMP": 1.0}))

    def test_what_is_named_comes_first_and_none_is_an_empty_clip(self) -> None:
        controller = compile(gaits(), RIG, {"Base:idle": "walk", "move.run": None})
        assert controller.clips == {"idle": "walk", "move.run": None, "move.walk": "walk"}
        assert sorted(controller.tables.leaves["clip"].tolist()) == [-1, 1, 1]

    def test_layers_with_the_same_states_have_clips_of_their_own(self) -> None:
        crowd = Crowd(compile(two_layers(), RIG, {"High:idle": "walk"}))
        crowd.step(0.1)
        assert crowd.playback.clip[0, :2].tolist() == [0, 1]

    def test_the_same_graph_on_two_rigs_gives_two_controllers(self) -> None:
        graph, other = gaits(), clock_rig({"idle": 1.0, "walk": 1.5, "run": 0.75})
        first, second = compile(graph, RIG), compile(graph, other)
        for controller, duration in ((first, 2.0), (second, 1.0)):
            crowd = Crowd(controller)
            crowd.step(0.0)
            crowd.step(0.5)
            assert crowd.layer().progress[0] == 0.5 / duration

    def test_later_edits_of_the_graph_change_nothing(self) -> None:
        graph = gaits()
        controller = compile(graph, RIG)
        graph.layers[0].states[0].speed = 5.0
        graph.layers[0].transitions.clear()
        graph.parameters.clear()
        crowd = Crowd(controller)
        crowd.set("speed", 1.0)
        crowd.step(0.0)
        crowd.step(0.5)
        assert crowd.layer().active[0] == "idle"
        assert crowd.layer().time[0] == 0.5
        assert len(controller.graph.parameters) == 1

    def test_tables_are_read_only(self) -> None:
        for table in compile(gaits(), RIG).tables:
            assert not table.flags.writeable


class TestMasks:
    def test_a_rule_that_matches_no_joint_is_remarked(self) -> None:
        mask = {"root": 0.25, "tail": True, "*wing*": True}
        controller = compile(
            StateGraph([base(State("idle"), mask=mask), Layer("B", [State("walk")], [Way(START, "walk")])]), RIG
        )
        assert controller.remarks == (
            "mask of layer 'Base': no joint matches 'tail'",
            "mask of layer 'Base': no joint matches '*wing*'",
        )
        assert controller.mask[:, 0, 0].tolist() == [0.25, 1.0]

    def test_lanes_beyond_the_joints_have_no_weight_or_are_whole(self) -> None:
        rig = bake(random_character(17, 1), cache=False)
        controller = compile(StateGraph([base(State("clip_0"), mask={"joint_3": True})]), rig)
        assert controller.mask.shape == (1, 2, 16)
        assert np.flatnonzero(controller.mask).tolist() == [3]


class TestPosesInAdditiveLayers:
    def graph(self) -> StateGraph:
        states = [State("idle"), State("walk"), State("again"), State("nothing")]
        return StateGraph([base(State("RUN")), Layer("Breath", states, [Way(START, "idle")], blend="ADDITIVE")])

    def test_a_clip_that_holds_poses_is_remarked_once(self) -> None:
        controller = compile(self.graph(), with_additive(RIG, "walk"), {"again": "idle", "nothing": None})
        assert controller.remarks == (
            "layer 'Breath' is ADDITIVE, but clip 'idle' is no additive clip: it is taken against the rest pose; "
            "bake it with Clip.additive = Additive('first_frame')",
        )

    def test_it_is_how_playcanvas_does_it(self) -> None:
        clips = {"again": "idle", "nothing": None}
        assert compile(self.graph(), RIG, clips, rules="playcanvas").remarks == ()


class TestTables:
    def test_transitions_are_looked_at_by_priority_and_then_in_their_order(self) -> None:
        order = [2, 0, 1, 0, -1]
        ways = [Way("idle", "walk", priority=priority) for priority in order]
        tables = compile(StateGraph([base(State("idle"), State("walk"), ways=ways)]), RIG).tables
        idle = tables.states[1]
        looked_at = tables.candidates[idle["candidate_start"] : idle["candidate_stop"]] - 1
        assert looked_at.tolist() == [4, 1, 3, 2, 0]

    def test_end_leads_to_the_state_that_start_leads_to_first(self) -> None:
        ways = [Way(START, "walk", priority=-1), Way("walk", END), Way(ANY, END)]
        tables = compile(StateGraph([base(State("idle"), State("walk"), ways=ways)]), RIG).tables
        assert tables.layers["default_state"].tolist() == [2]
        assert tables.transitions["target"].tolist() == [1, 2, 2, 2]
        assert tables.transitions["restarts"].tolist() == [0, 0, 1, 0]
        assert tables.transitions["source"].tolist() == [0, 0, 2, -1]

    @pytest.mark.parametrize(
        ("offset", "compiled"), [(None, 0.0), (0.0, 0.0), (0.5, 0.5), (1.0, 0.0), (1.5, 0.0), (-0.5, 0.0)]
    )
    def test_offsets_that_are_no_fraction_are_none(self, offset: float | None, compiled: float) -> None:
        way = Way("idle", "walk", offset=offset)
        assert (
            compile(StateGraph([base(State("idle"), State("walk"), ways=[way])]), RIG).tables.transitions["offset"][1]
            == compiled
        )

    def test_without_parameters(self) -> None:
        controller = compile(StateGraph([base(State("idle"))]), RIG)
        crowd = Crowd(controller, 3)
        crowd.step(0.0)
        crowd.step(0.5)
        assert crowd.layer().time.tolist() == [0.5] * 3
        with pytest.raises(ArgumentError, match="no parameter 'speed': there are no parameters at all"):
            crowd.set("speed", 1.0)

    def test_names_are_looked_up(self) -> None:
        controller = compile(two_layers(), RIG)
        assert (controller.layer_index("High"), controller.layer_index(1)) == (1, 1)
        assert controller.state_index(1, "idle") == 3
        for name in ("Hihg", 2, -1, True, None):
            with pytest.raises(ArgumentError, match=f"no layer '{name}'"):
                controller.layer_index(name)  # type: ignore[arg-type]

    def test_a_graph_of_a_thousand_states(self) -> None:
        names = [f"S{number}" for number in range(1000)]
        ways = [Way(name, names[(3 * place + 1) % 1000], exit_time=1.0) for place, name in enumerate(names)]
        graph = StateGraph([base(*map(State, names), ways=ways)])
        controller = compile(graph, RIG, dict.fromkeys(names, "walk"))
        crowd = Crowd(controller)
        for _ in range(4):
            crowd.step(1.0)
        assert crowd.layer().active[0] == "S13"


class TestRules:
    def test_leaves_come_in_the_order_of_the_bindings(self) -> None:
        clips = {"move.run": "RUN", "move.walk": "walk"}
        ours, theirs = compile(gaits(), RIG, clips), compile(gaits(), RIG, clips, rules="playcanvas")
        assert ours.rules == "skelter"
        assert theirs.rules == "playcanvas"
        assert ours.tables.leaves["clip"].tolist() == [0, 1, 2]
        assert theirs.tables.leaves["clip"].tolist() == [0, 2, 1]
        assert theirs.tables.children["leaf"].tolist() == [1, 0]

    def test_progress_counts_the_speed_twice_in_a_plain_state(self) -> None:
        for rules, plays in (("skelter", 1.0), ("playcanvas", 2.0)):
            crowd = Crowd(compile(StateGraph([base(State("walk", 2.0))]), RIG, rules=rules))  # type: ignore[arg-type]
            crowd.step(0.0)
            crowd.step(0.5)
            assert crowd.layer().progress[0] == plays

    def test_what_runs_backwards_never_ends(self) -> None:
        graph = StateGraph([base(State("walk", -1.0, loop=False))])
        assert compile(graph, RIG).tables.states["end"][1] == 1.0
        assert compile(graph, RIG, rules="playcanvas").tables.states["end"][1] == np.inf

    def test_exact_timing_is_not_theirs(self) -> None:
        with pytest.raises(ArgumentError, match="timing"):
            Crowd(compile(gaits(), RIG, rules="playcanvas"), timing="exact")
