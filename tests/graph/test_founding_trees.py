"""The rules and examples of PlayCanvas's manual on blend trees, a test each; and what is ours beyond them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from skelter.core.errors import GraphError
from skelter.graph.files.read import graph_from_json
from skelter.graph.graph import (
    START,
    BlendTree,
    Condition,
    Fallback,
    Layer,
    Leaf,
    Outside,
    Parameter,
    State,
    StateGraph,
    Transition,
    TreeType,
)
from skelter.graph.tables import TREE_TYPES
from skelter.testing.rigs import clock_rig
from skelter.testing.scenario import Scenario

DT = 1 / 8

PLANE = (Parameter("x"), Parameter("y"))
GAITS = (Leaf("Idle", 0.0), Leaf("Walk", 1.0), Leaf("Run", 3.0))
GAIT_DURATIONS_S = {"Idle": 2.0, "Walk": 1.0, "Run": 0.5}
HALVES = (Leaf("Short", 0.0), Leaf("Long", 1.0))
HALF_DURATIONS_S = {"Short": 1.0, "Long": 2.0}
STRAFE = (
    Leaf("Idle", (0.0, 0.0)),
    Leaf("Front", (0.0, 1.0)),
    Leaf("Back", (0.0, -1.0)),
    Leaf("Left", (-1.0, 0.0)),
    Leaf("Right", (1.0, 0.0)),
)


def scenario(
    tree: BlendTree,
    durations: dict[str, float] | None = None,
    *,
    parameters: Sequence[Parameter] = (*PLANE, Parameter("speed")),
    state_speed: float = 1.0,
) -> Scenario:
    """Put a character into a state with a blend tree; clips are named like the leaves, and last 1 s."""
    states = [State("Move", speed=state_speed, tree=tree)]
    layer = Layer("Base", states, [Transition(START, "Move")])
    given = durations or {leaf.name: 1.0 for _, leaf in tree.leaves()}
    return Scenario(StateGraph([layer], list(parameters)), clock_rig(given), dt=DT)


def plane(kind: TreeType, leaves: Sequence[Leaf]) -> BlendTree:
    return BlendTree(kind, ["x", "y"], list(leaves))


def times(of: Scenario) -> dict[str, float]:
    """Return the clip time of each clip that plays [s]."""
    playback = of.crowd.playback
    names = of.crowd.rig.clip_names
    count = playback.layer_start[0, -1]
    return {names[clip]: float(time) for clip, time in zip(playback.clip[0], playback.time[0, :count], strict=False)}


class TestWeights:
    @pytest.mark.parametrize("kind", TREE_TYPES)
    def test_they_follow_the_parameters_and_sum_to_1(self, kind: TreeType) -> None:
        leaves = {"1D": GAITS, "DIRECT": (Leaf("A"), Leaf("B"))}.get(kind, STRAFE[1:])
        of = scenario(BlendTree(kind, ["speed"] if kind == "1D" else ["x", "y"], list(leaves)))
        random = np.random.default_rng(1)
        for _ in range(50):
            x, y, speed = random.uniform(-4.0, 4.0, 3)
            of.set(x=x, y=y, speed=speed).frames()
            assert sum(of.weights().values()) == pytest.approx(1.0, abs=1e-12)

    def test_a_blend_goes_on_for_as_long_as_the_state_is_active(self) -> None:
        of = scenario(BlendTree("1D", ["speed"], list(GAITS)), GAIT_DURATIONS_S)
        for speed in (0.25, 0.75, 0.25):
            of.set(speed=speed).step(5.0).assert_weights({"Idle": 1.0 - speed, "Walk": speed})

    @pytest.mark.parametrize(
        ("speed", "weights"),
        [
            (0.0, {"Idle": 1.0}),
            (0.5, {"Idle": 0.5, "Walk": 0.5}),
            (1.0, {"Walk": 1.0}),
            (1.5, {"Walk": 0.75, "Run": 0.25}),
            (3.0, {"Run": 1.0}),
        ],
    )
    def test_1d_mixes_the_two_points_beside_the_value_in_proportion(
        self, speed: float, weights: dict[str, float]
    ) -> None:
        of = scenario(BlendTree("1D", ["speed"], list(GAITS)), GAIT_DURATIONS_S)
        of.set(speed=speed).frames().assert_weights(weights)

    @pytest.mark.parametrize(("speed", "name"), [(-2.0, "Idle"), (9.0, "Run")])
    def test_1d_stays_at_the_end_point_outside(self, speed: float, name: str) -> None:
        of = scenario(BlendTree("1D", ["speed"], list(GAITS)), GAIT_DURATIONS_S)
        of.set(speed=speed).step(1.0).assert_weights({name: 1.0})

    @pytest.mark.parametrize(
        ("outside", "fallback", "weights"),
        [
            ("clamp", "hold", {"Run": 1.0}),
            ("none", "hold", {"Walk": 0.75, "Run": 0.25}),
            ("none", "equal", {"Idle": 1 / 3, "Walk": 1 / 3, "Run": 1 / 3}),
            ("none", "rest", {"": 1.0}),
        ],
    )
    def test_1d_can_give_no_child_a_weight_outside(
        self, outside: Outside, fallback: Fallback, weights: dict[str, float]
    ) -> None:
        of = scenario(BlendTree("1D", ["speed"], list(GAITS), outside=outside, fallback=fallback), GAIT_DURATIONS_S)
        of.set(speed=1.5).step(0.5).set(speed=4.0).step(0.5).assert_weights(weights)

    def test_the_held_pose_stands_still_and_goes_on_when_the_value_comes_back(self) -> None:
        of = scenario(BlendTree("1D", ["speed"], list(GAITS), outside="none"), GAIT_DURATIONS_S)
        before = times(of.set(speed=1.5).step(0.5))
        assert times(of.set(speed=4.0).step(0.5)) == before
        assert times(of.set(speed=1.5).frames()) != before

    def test_2d_cartesian_mixes_by_two_values_that_do_not_depend_on_each_other(self) -> None:
        places = {"SadTired": (0, 0), "HappyTired": (1, 0), "SadFresh": (0, 1), "HappyFresh": (1, 1)}
        corners = [Leaf(name, point) for name, point in places.items()]
        of = scenario(plane("2D_CARTESIAN", corners))
        of.set(x=1.0, y=0.0).frames().assert_weights({"HappyTired": 1.0})
        of.set(x=0.5, y=0.5).frames().assert_weights(dict.fromkeys(places, 0.25))
        of.set(x=0.5, y=1.0).frames().assert_weights({"SadFresh": 0.5, "HappyFresh": 0.5})

    def test_2d_directional_compares_angles_and_lengths(self) -> None:
        leaves = [*STRAFE, Leaf("RunFront", (0.0, 3.0))]
        of = scenario(plane("2D_DIRECTIONAL", leaves))
        of.set(x=0.0, y=0.0).frames().assert_weights({"Idle": 1.0})
        of.set(x=-1.0, y=0.0).frames().assert_weights({"Left": 1.0})
        of.set(x=0.0, y=2.0).frames().assert_weights({"Front": 0.5, "RunFront": 0.5})
        weights = of.set(x=0.5**0.5, y=0.5**0.5).frames().weights()
        assert weights["Front"] == pytest.approx(weights["Right"])
        assert "Left" not in weights
        assert "Back" not in weights

    @pytest.mark.parametrize("kind", ["2D_CARTESIAN", "2D_DIRECTIONAL"])
    def test_2d_is_finite_far_outside(self, kind: TreeType) -> None:
        of = scenario(plane(kind, STRAFE))
        weights = of.set(x=1e6, y=1e5).frames().weights()
        assert sum(weights.values()) == pytest.approx(1.0)

    @pytest.mark.parametrize(
        ("values", "weights"),
        [
            ((1.0, 3.0), {"A": 0.25, "B": 0.75}),
            ((-1.0, 3.0), {"B": 1.0}),
            ((2.0, -5.0), {"A": 1.0}),
            ((0.0, 0.0), {"A": 0.5, "B": 0.5}),
            ((-1.0, -1.0), {"A": 0.5, "B": 0.5}),
        ],
    )
    def test_direct_divides_each_value_by_the_sum_and_takes_negative_ones_as_0(
        self, values: tuple[float, float], weights: dict[str, float]
    ) -> None:
        of = scenario(plane("DIRECT", [Leaf("A"), Leaf("B")]))
        of.set(x=values[0], y=values[1]).frames().assert_weights(weights)


class TestClips:
    def test_leaves_are_bound_by_state_and_child(self) -> None:
        tree = BlendTree("1D", ["speed"], list(GAITS))
        graph = StateGraph(
            [Layer("Base", [State("Move", tree=tree)], [Transition(START, "Move")])], [Parameter("speed")]
        )
        assert graph.clip_paths() == ("Move.Idle", "Move.Walk", "Move.Run")
        clips = {"Move.Idle": "rest", "Move.Walk": "plod", "Move.Run": "dash"}
        of = Scenario(graph, clock_rig({"rest": 1.0, "plod": 1.0, "dash": 1.0}), clips=clips, dt=DT)
        of.set(speed=1.0).frames().assert_weights({"plod": 1.0})

    def test_leaves_without_a_clip_are_listed_together(self) -> None:
        tree = BlendTree("1D", ["speed"], list(GAITS))
        with pytest.raises(GraphError) as caught:
            scenario(tree, {"Idle": 1.0})
        assert "Move.Walk" in str(caught.value)
        assert "Move.Run" in str(caught.value)

    def test_a_child_speed_multiplies_that_of_its_clip(self) -> None:
        tree = BlendTree("1D", ["speed"], [Leaf("Walk", 0.0, speed=2.0), Leaf("Run", 1.0)], sync=False)
        of = scenario(tree, {"Walk": 4.0, "Run": 4.0}).set(speed=0.5).frames().step(1.0)
        assert times(of) == pytest.approx({"Walk": 2.25, "Run": 1.125})


class TestSync:
    def test_at_half_weights_clips_of_1_and_2_seconds_take_1_5(self) -> None:
        of = scenario(BlendTree("1D", ["speed"], list(HALVES)), HALF_DURATIONS_S).set(speed=0.5).frames()
        of.step(1.5).assert_progress(1.0).step(1.5).assert_progress(2.0)

    @pytest.mark.parametrize("speed", [0.0, 0.25, 0.5, 1.0])
    def test_a_play_takes_the_mean_of_the_lengths_by_weight(self, speed: float) -> None:
        of = scenario(BlendTree("1D", ["speed"], list(HALVES)), HALF_DURATIONS_S).set(speed=speed).frames()
        of.step(1.0 + speed).assert_progress(1.0)

    def test_all_clips_are_at_the_same_part_of_their_length(self) -> None:
        of = scenario(BlendTree("1D", ["speed"], list(HALVES)), HALF_DURATIONS_S)
        for speed in (0.1, 0.9, 0.4):
            now = times(of.set(speed=speed).step(0.7))
            assert now["Short"] / 1.0 == pytest.approx(now["Long"] / 2.0)

    def test_without_it_each_clip_has_its_own_speed_and_they_drift_apart(self) -> None:
        of = scenario(BlendTree("1D", ["speed"], list(HALVES), sync=False), HALF_DURATIONS_S).set(speed=0.5)
        assert times(of.step(1.5)) == pytest.approx({"Short": 0.5, "Long": 1.5})

    def test_a_clip_without_weight_keeps_its_place(self) -> None:
        of = scenario(BlendTree("1D", ["speed"], list(HALVES)), HALF_DURATIONS_S)
        of.set(speed=0.0).step(0.75)
        now = times(of.set(speed=0.5).frames())
        assert now["Long"] == pytest.approx(2.0 * now["Short"])


class TestExamples:
    def test_idle_walk_and_run_by_speed_from_a_graph_file(self) -> None:
        children = [{"name": "Idle", "point": 0}, {"name": "Walk", "point": 1}, {"name": "Run", "point": 3}]
        tree = {"type": "1D", "parameter": "speed", "children": children}
        states = [{"name": "START"}, {"name": "Movement", "loop": True, "blendTree": tree}]
        layer = {"name": "Base", "states": states, "transitions": [{"from": "START", "to": "Movement"}]}
        parameters = {"speed": {"name": "speed", "type": "FLOAT", "value": 0}}
        graph = graph_from_json({"layers": [layer], "parameters": parameters})
        of = Scenario(graph, clock_rig(GAIT_DURATIONS_S), dt=DT).frames().assert_weights({"Idle": 1.0})
        of.set(speed=2.0).frames().assert_weights({"Walk": 0.5, "Run": 0.5})

    def test_moving_in_four_directions_around_idle(self) -> None:
        of = scenario(plane("2D_DIRECTIONAL", STRAFE)).frames().assert_weights({"Idle": 1.0})
        of.set(y=-1.0).frames().assert_weights({"Back": 1.0})
        of.set(y=0.5).frames().assert_weights({"Idle": 0.5, "Front": 0.5})

    @pytest.mark.parametrize("look", [0.0, 0.3, 1.0])
    def test_an_arm_idles_or_inspects_by_a_pointer(self, look: float) -> None:
        of = scenario(BlendTree("1D", ["speed"], [Leaf("Idle", 0.0), Leaf("Inspect", 1.0)]))
        weights = {name: weight for name, weight in (("Idle", 1.0 - look), ("Inspect", look)) if weight}
        of.set(speed=look).frames().assert_weights(weights)

    def test_a_third_child_of_the_arm_widens_the_range(self) -> None:
        tree = BlendTree("1D", ["speed"], [Leaf("Idle", 0.0), Leaf("Inspect", 1.0), Leaf("Pick", 2.0)])
        scenario(tree).set(speed=1.5).frames().assert_weights({"Inspect": 0.5, "Pick": 0.5})

    def test_the_arm_by_hand_with_a_parameter_per_clip(self) -> None:
        of = scenario(
            BlendTree("DIRECT", ["still", "look"], [Leaf("Idle"), Leaf("Inspect")]),
            parameters=[Parameter("still", "FLOAT", 1.0), Parameter("look")],
        )
        of.frames().assert_weights({"Idle": 1.0})
        of.set(look=1.0).frames().assert_weights({"Idle": 0.5, "Inspect": 0.5})


class TestBeyond:
    """What the manual rules out, or does not have."""

    GAIT = (Leaf("Walk", 0.0), Leaf("Run", 1.0))

    def test_a_child_can_be_a_tree_and_weights_multiply(self) -> None:
        gait = BlendTree("1D", ["x"], list(self.GAIT), name="Gait", point=1.0)
        of = scenario(BlendTree("1D", ["speed"], [Leaf("Idle", 0.0), gait]), GAIT_DURATIONS_S)
        assert of.crowd.controller.graph.clip_paths() == ("Move.Idle", "Move.Gait.Walk", "Move.Gait.Run")
        of.set(speed=0.5, x=0.25).frames().assert_weights({"Idle": 0.5, "Walk": 0.375, "Run": 0.125})

    def test_a_tree_in_step_inside_one_that_is_not(self) -> None:
        gait = BlendTree("1D", ["x"], list(self.GAIT), name="Gait", point=1.0)
        of = scenario(BlendTree("1D", ["speed"], [Leaf("Idle", 0.0), gait], sync=False), GAIT_DURATIONS_S)
        now = times(of.set(speed=0.5, x=0.5).step(0.5))
        assert now["Idle"] == pytest.approx(0.5)
        assert now["Walk"] == pytest.approx(2.0 * now["Run"])

    def test_exit_times_count_plays_of_the_whole_tree(self) -> None:
        tree = BlendTree("1D", ["speed"], [Leaf("Short", 0.0), Leaf("Long", 1.0)])
        ways = [Transition(START, "Move"), Transition("Move", "Short", exit_time=1.0)]
        graph = StateGraph([Layer("Base", [State("Move", tree=tree), State("Short")], ways)], [Parameter("speed")])
        of = Scenario(graph, clock_rig({"Short": 1.0, "Long": 2.0}), dt=DT).set(speed=0.5).frames()
        of.step(1.375).assert_state("Move").frames().assert_state("Short")

    def test_a_tree_may_be_left_by_a_condition_on_the_parameter_that_it_blends_by(self) -> None:
        tree = BlendTree("1D", ["speed"], list(GAITS))
        way = Transition("Move", "Run", conditions=[Condition("speed", "GREATER_THAN", 2.5)])
        layer = Layer("Base", [State("Move", tree=tree), State("Run")], [Transition(START, "Move"), way])
        of = Scenario(StateGraph([layer], [Parameter("speed")]), clock_rig(GAIT_DURATIONS_S), dt=DT)
        of.set(speed=2.0).step(0.5).assert_state("Move").set(speed=3.0).frames().assert_state("Run")
