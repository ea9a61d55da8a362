"""The kernels do what the reference machine does: random graphs, inputs and control by hand, step by step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from skelter.crowd.crowd import Crowd
from skelter.engines.reference.machine import Machine
from skelter.graph.advance import TIMINGS, Timing
from skelter.graph.compile import compile  # noqa: A004
from skelter.graph.controller import Rules
from skelter.graph.graph import (
    ANY,
    END,
    START,
    BlendTree,
    Condition,
    Layer,
    Leaf,
    Parameter,
    State,
    StateGraph,
    Transition,
)
from skelter.rig.rig import Rig
from skelter.testing.graphs import (
    GraphSizes,
    InputStep,
    random_bindings,
    random_graph,
    random_inputs,
    reference_clips,
)
from skelter.testing.rigs import clock_rig

TOLERANCE = 1e-9
TIME_TOL_S = 1e-8
"""Of clip times: positions are multiplied by durations in another order."""
STEP_COUNT = 40
SEEDS_PER_TEST = 20

Entry = tuple[str, float, float]
"""Name of a clip, time [s], weight."""


@cache
def even_rig() -> Rig:
    """Clips whose lengths add up exactly, with events at their ends: many things happen at one moment."""
    durations = {"a": 1.0, "b": 0.5, "c": 2.0, "d": 0.75, "e": 0.0}
    return clock_rig(durations, {"a": [0.0, 0.25, 1.0], "b": [0.125], "c": [0.5, 1.5, 2.0], "d": [0.375], "e": [0.0]})


@cache
def odd_rig() -> Rig:
    """Clips of odd lengths: no two moments are near each other."""
    durations = {"a": 1.03, "b": 0.417, "c": 2.31, "d": 0.713, "e": 0.0}
    return clock_rig(durations, {"a": [0.01, 0.25], "b": [0.117], "c": [0.51, 1.51], "d": [0.3], "e": [0.0]})


class Pair:
    """A crowd of one character and a reference machine that are driven alike."""

    def __init__(
        self,
        graph: StateGraph,
        rig: Rig,
        bindings: dict[str, str | None],
        timing: Timing = "frame",
        rules: Rules = "skelter",
    ) -> None:
        self.crowd = Crowd(compile(graph, rig, bindings, rules=rules), 1, timing=timing)
        self.machine = Machine(graph, reference_clips(rig, bindings), timing=timing, rules=rules)
        self._duration = dict(zip(rig.clip_names, rig.clips.duration.tolist(), strict=True))
        self._timing = timing

    def step(self, dt: float, count: int = 1, **values: float) -> Pair:
        """Set parameters, advance both by some steps, and compare them after each."""
        for _ in range(count):
            self.apply(InputStep(dt, values))
        return self

    def apply(self, step: InputStep, *, with_events: bool = True) -> None:
        step.apply(self.crowd)
        step.apply(self.machine)
        self.assert_equal(with_events)

    def entries(self, layer: int = 0) -> list[Entry]:
        """Return what the crowd plays in a layer; an empty name stands for no clip."""
        playback = self.crowd.playback
        start, stop = playback.layer_start[0, layer : layer + 2].tolist()
        names = [self.crowd.rig.clip_names[clip] if clip >= 0 else "" for clip in playback.clip[0, start:stop].tolist()]
        columns = (playback.time[0, start:stop].tolist(), playback.weight[0, start:stop].tolist())
        return list(zip(names, *columns, strict=True))

    def event_names(self) -> list[str]:
        return sorted(event.name for event in self.crowd.events)

    def assert_equal(self, with_events: bool) -> None:
        for number, wanted in enumerate(self.machine.layers):
            layer = self.crowd.layer(number)
            assert str(layer.active[0]) == wanted.active
            assert str(layer.previous[0]) == (wanted.previous or "")
            assert bool(layer.transitioning[0]) == wanted.transitioning
            numbers = [layer.progress[0], layer.time[0], layer.weight[0], layer.transition_progress[0]]
            expected = [wanted.progress, wanted.time, wanted.weight, wanted.transition_progress]
            np.testing.assert_allclose(
                numbers, np.array(expected, float), rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True
            )
            contributions = wanted.contributions()
            self._assert_entries(
                self.entries(number),
                [(entry.clip.name if entry.clip else "", entry.time, entry.weight) for entry in contributions],
            )
        for name, value in self.machine.values.items():
            assert float(self.crowd.get(name)[0]) == value
        if with_events:
            assert self._events(self.crowd.events) == self._events(self.machine.events)

    def _assert_entries(self, found: list[Entry], wanted: list[Entry]) -> None:
        """Compare playback entries in any order; the end of a clip that loops is its start."""
        assert sum(weight for _, _, weight in found) == pytest.approx(1.0, abs=TOLERANCE)
        left = sorted(self._merged(wanted))
        for name, time, weight in self._merged(found):
            match = [entry for entry in left if self._is_near((name, time), entry[:2])]
            assert match, f"{name} at {time} s, weight {weight} is not in {left}"
            assert weight == pytest.approx(match[0][2], abs=TOLERANCE)
            left.remove(match[0])
        assert not left

    def _merged(self, entries: list[Entry]) -> list[Entry]:
        merged: list[Entry] = []
        for name, time, weight in entries:
            same = [entry for entry in merged if self._is_near((name, time), entry[:2])]
            if same:
                merged.remove(same[0])
            merged.append((name, time, weight + sum(entry[2] for entry in same)))
        return merged

    def _is_near(self, one: tuple[str, float], other: tuple[str, float]) -> bool:
        apart = abs(one[1] - other[1])
        return one[0] == other[0] and min(apart, abs(apart - self._duration.get(one[0], 0.0))) <= TIME_TOL_S

    def _events(self, events: Iterable[Any]) -> Counter[tuple[str, str, str, float]]:
        """Count events. With exact timing they weigh what they do in the middle of a stretch, which may be split."""
        weighed = self._timing == "frame"
        return Counter(
            (event.layer, event.clip, event.name, round(event.weight, 6) if weighed else 0.0) for event in events
        )


def control_by_hand(random: Random, pair: Pair, graph: StateGraph) -> None:
    """Do one thing to both that no input does."""
    number = random.randrange(len(graph.layers))
    layer, reference = pair.crowd.layer(number), pair.machine.layers[number]
    state = random.choice([state.name for state in graph.layers[number].states])
    match random.choice(("weight", "pause", "go on", "transition", "play", "set_time", "reset", "reset all", "speed")):
        case "weight":
            weight, time = random.random(), random.choice((0.0, 0.25, 0.7))
            layer.blend_to_weight(weight, time)
            reference.blend_to_weight(weight, time)
        case "pause":
            layer.pause()
            reference.pause()
        case "go on":
            layer.play()
            reference.play()
        case "transition":
            target, time, offset = random.choice((state, END)), random.choice((0.0, 0.29)), random.choice((0.0, 0.25))
            layer.transition(target, time, offset=offset)
            reference.transition(target, time, offset)
        case "play":
            layer.play(state)
            reference.play(state)
        case "set_time":
            time = random.choice((0.0, 0.37, 1.7))
            layer.set_time(time)
            reference.set_time(time)
        case "reset":
            layer.reset()
            reference.reset()
        case "reset all":
            pair.crowd.reset()
            pair.machine.reset()
            pair.machine.speed = 1.0
        case "speed":
            pair.machine.speed = random.choice((0.0, 0.5, 2.0))
            pair.crowd.set_speed(pair.machine.speed)


def run_case(
    seed: int, timing: Timing, *, even: bool = False, rules: Rules = "skelter", sizes: GraphSizes | None = None
) -> None:
    """Run one random case.

    On even numbers, which step an event falls in is a matter of rounding, but on a clock in frame timing.
    """
    rig = even_rig() if even else odd_rig()
    graph = random_graph(seed, sizes or GraphSizes(even=even))
    pair = Pair(graph, rig, random_bindings(seed, graph, rig.clip_names), timing, rules)
    random = Random(seed)
    for step in random_inputs(seed, graph, STEP_COUNT, even=even):
        if random.random() < 0.05:
            control_by_hand(random, pair, graph)
        pair.apply(step, with_events=not even)


@pytest.mark.parametrize("block", range(2))
@pytest.mark.parametrize("even", [True, False])
@pytest.mark.parametrize("timing", TIMINGS)
def test_random_graphs(timing: Timing, even: bool, block: int) -> None:
    for seed in range(block * SEEDS_PER_TEST, (block + 1) * SEEDS_PER_TEST):
        run_case(seed, timing, even=even)


@settings(max_examples=20, deadline=None, phases=(Phase.explicit, Phase.reuse, Phase.generate))
@given(st.integers(0, 2**32), st.sampled_from(TIMINGS))
def test_any_graph(seed: int, timing: Timing) -> None:
    run_case(seed, timing)


def test_the_rules_of_playcanvas() -> None:
    for seed in range(2 * SEEDS_PER_TEST):
        run_case(seed, "frame", rules="playcanvas")


def test_many_states_and_layers() -> None:
    for seed in range(10):
        run_case(seed, "frame", sizes=GraphSizes(layer_max=4, state_max=8, transition_max=4, depth_max=5))


def test_events_at_the_ends_of_clips_on_a_clock() -> None:
    """Clocks and clips add up exactly, so that it is no matter of rounding which step an event falls in."""
    for speed in (1.0, -1.0, 2.0, -0.5):
        for loop in (True, False):
            graph = StateGraph([Layer("Base", [State("A", speed, loop)], [Transition(START, "A")])])
            for clip in ("a", "b", "c", "d", "e"):
                Pair(graph, even_rig(), {"A": clip}).step(0.125, 40)
                Pair(graph, even_rig(), {"A": clip}).step(1.75, 10)


# What was found in one of the two, smallest cases.


def one_layer(*states: State, ways: Iterable[Transition] = (), weight: float = 1.0) -> StateGraph:
    parameters = [Parameter("x", "FLOAT", 0.5), Parameter("y", "FLOAT", 0.0), Parameter("go", "BOOLEAN", False)]
    layer = Layer("Base", list(states), [Transition(START, states[0].name), *ways], weight=weight)
    return StateGraph([layer], parameters)


def test_a_clip_without_length_passes_no_event() -> None:
    pair = Pair(one_layer(State("A")), even_rig(), {"A": "e"})
    pair.step(0.125, 3)
    assert pair.event_names() == []


def test_what_plays_nothing_has_no_part_in_the_pace() -> None:
    tree = BlendTree("1D", ["x"], [Leaf("none", 0.0), Leaf("a", 1.0)])
    pair = Pair(one_layer(State("A", tree=tree)), even_rig(), {"A.none": None, "A.a": "a"})
    assert pair.step(0.25, 2).entries() == [("", 0.0, 0.5), ("a", 0.5, 0.5)]


@pytest.mark.parametrize("clip", ["e", None])
def test_exit_times_pass_in_a_tree_that_no_clip_moves(clip: str | None) -> None:
    tree = BlendTree("1D", ["x"], [Leaf("still", 0.0)])
    graph = one_layer(State("A", tree=tree), State("B"), ways=[Transition("A", "B", exit_time=0.5)])
    pair = Pair(graph, even_rig(), {"A.still": clip, "B": "a"}).step(0.125, 2)
    assert pair.crowd.layer().active[0] == "B"


def test_a_tree_in_step_does_not_pass_exit_times_because_its_first_clip_has_no_length() -> None:
    tree = BlendTree("1D", ["x"], [Leaf("still", 0.0), Leaf("moves", 0.5)])
    graph = one_layer(State("A", tree=tree), State("B"), ways=[Transition("A", "B", exit_time=0.5)])
    pair = Pair(graph, even_rig(), {"A.still": "e", "A.moves": "a", "B": "a"})
    assert pair.step(0.125, 4).crowd.layer().active[0] == "A"
    assert pair.step(0.125).crowd.layer().active[0] == "B"


def test_a_layer_without_weight_says_nothing() -> None:
    pair = Pair(one_layer(State("A"), weight=0.0), even_rig(), {"A": "a"}).step(0.25, 2)
    assert pair.event_names() == []
    pair.crowd.layer().blend_to_weight(1.0, 0.0)
    pair.machine.layers[0].blend_to_weight(1.0, 0.0)
    assert pair.step(1.0).event_names() == ["a@0", "a@0.25", "a@1"]


def test_backwards_from_an_offset_beyond_the_end() -> None:
    """A clip of 1 s at speed 2 ends at 0.5 s; an offset of 0.75 holds its last frame for a quarter of a second."""
    tree = BlendTree("1D", ["x"], [Leaf("fast", 0.0, 2.0)], sync=False)
    ways = [Transition("A", "B", offset=0.75, conditions=[Condition("go")])]
    graph = one_layer(State("A"), State("B", -1.0, loop=False, tree=tree), ways=ways)
    pair = Pair(graph, even_rig(), {"A": "a", "B.fast": "a"}).step(0.125, 2)
    pair.step(0.0, go=True)
    times = [pair.step(0.125).entries()[0][1] for _ in range(6)]
    assert times == [1.0, 1.0, 0.75, 0.5, 0.25, 0.0]


def test_rounding_is_no_weight() -> None:
    """Where a child's band ends its weight is 0 or the rounding of the formula, which must not fire events."""
    points = [(-0.875, -0.75), (0.125, 0.625), (-0.625, -0.25), (0.5, 0.25), (0.5, -0.75)]
    leaves = [Leaf(f"child{number}", point) for number, point in enumerate(points)]
    graph = one_layer(State("A", tree=BlendTree("2D_CARTESIAN", ["x", "y"], leaves)))
    pair = Pair(graph, even_rig(), {f"A.child{number}": "c" for number in range(len(points))})
    for x in np.arange(-1.0, 1.0, 0.125):
        for y in np.arange(-1.0, 1.0, 0.125):
            pair.step(0.0, x=float(x), y=float(y))
            assert min(weight for _, _, weight in pair.entries()) > TOLERANCE


class TestExactTiming:
    def test_both_sides_of_a_fade_fire_to_its_end(self) -> None:
        graph = one_layer(State("A"), State("B"), ways=[Transition("A", "B", 1.0, conditions=[Condition("go")])])
        pair = Pair(graph, even_rig(), {"A": "a", "B": "d"}, "exact").step(0.0)
        pair.step(0.125, go=True).step(2.0, go=True)
        names = pair.event_names()
        assert names.count("a@0.25") == names.count("a@1") == 1
        assert names.count("d@0.375") == 3

    def test_a_state_that_is_left_for_itself_without_end_rests_until_the_next_step(self) -> None:
        ways = [Transition("A", END, 1.0, interruption="NEXT_STATE")]
        pair = Pair(one_layer(State("A"), ways=ways), even_rig(), {"A": "a"}, "exact").step(0.5)
        assert pair.crowd.layer().progress[0] == 0.5
        assert pair.step(0.125).crowd.layer().progress[0] == 0.125

    def test_a_fade_without_length_by_hand_is_over_at_once(self) -> None:
        pair = Pair(one_layer(State("A"), State("B")), even_rig(), {"A": "a", "B": "b"}, "exact").step(0.25)
        pair.crowd.layer().transition("B")
        pair.machine.layers[0].transition("B")
        pair.step(0.0)
        assert not pair.crowd.layer().transitioning[0]


def test_play_takes_transitions_that_name_the_state_and_not_those_to_end() -> None:
    ways = [Transition("A", END, 0.5, conditions=[Condition("go")]), Transition(ANY, "B", conditions=[Condition("go")])]
    pair = Pair(one_layer(State("A"), State("B"), ways=ways), even_rig(), {"A": "a", "B": "b"}).step(0.25)
    for target in (pair.crowd, pair.machine):
        target.set("go", True)
    pair.crowd.layer().play("A")
    pair.machine.layers[0].play("A")
    pair.step(0.125)
    assert pair.crowd.layer().previous[0] == ""


def test_play_has_no_weights_to_hold_before_it_plays() -> None:
    tree = BlendTree("1D", ["x"], [Leaf("a", 0.0), Leaf("b", 1.0)], outside="none")
    graph = one_layer(State("A"), State("B", tree=tree), ways=[Transition("A", "B", conditions=[Condition("go")])])
    pair = Pair(graph, even_rig(), {"A": "c", "B.a": "a", "B.b": "b"}).step(0.125, x=0.25)
    for target in (pair.crowd, pair.machine):
        target.set("go", True)
    pair.crowd.layer().play("B")
    pair.machine.layers[0].play("B")
    assert pair.step(0.125, x=7.0).entries() == [("a", 0.0, 0.5), ("b", 0.0, 0.5)]


def test_a_trigger_that_is_set_again_is_there_again() -> None:
    ways = [Transition("A", "B", conditions=[Condition("jump")]), Transition("B", "C", conditions=[Condition("jump")])]
    graph = one_layer(State("A"), State("B"), State("C"), ways=ways)
    graph.parameters.append(Parameter("jump", "TRIGGER", False))
    pair = Pair(graph, even_rig(), {"A": "a", "B": "b", "C": "c"}).step(0.125)
    for target in (pair.crowd, pair.machine):
        target.trigger("jump", single_frame=True)
        target.trigger("jump")
    pair.crowd.layer().play("B")
    pair.machine.layers[0].play("B")
    for target in (pair.crowd, pair.machine):
        target.trigger("jump")
    assert pair.step(0.0, 2).machine.get("jump") == 1.0
    assert pair.step(0.125, 2).crowd.layer().active[0] == "C"


def test_a_reset_puts_weights_back() -> None:
    pair = Pair(one_layer(State("A"), weight=0.25), even_rig(), {"A": "a"}).step(0.125)
    pair.crowd.layer().blend_to_weight(1.0, 0.5)
    pair.machine.layers[0].blend_to_weight(1.0, 0.5)
    pair.step(0.125, 3)
    pair.crowd.reset()
    pair.machine.reset()
    assert pair.step(0.125).crowd.layer().weight[0] == 0.25
