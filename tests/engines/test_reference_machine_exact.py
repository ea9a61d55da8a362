"""The reference machine with exact timing: what it is in does not depend on the steps."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skelter.engines.reference.graph_clips import GraphClip
from skelter.engines.reference.machine import Machine
from skelter.graph.graph import BlendTree, Condition, Layer, Leaf, Parameter, State, StateGraph, Transition
from skelter.graph.verdict import Verdict

TIME_TOL_S = 1e-6
PARAMETERS = [Parameter("go", "BOOLEAN"), Parameter("jump", "TRIGGER"), Parameter("x", "FLOAT")]


def way(source: str, target: str, *names: str, **options: Any) -> Transition:
    return Transition(source, target, conditions=[Condition(name) for name in names], **options)


def machine(ways: Sequence[Transition], states: Sequence[State] = (), weight: float = 1.0) -> Machine:
    """A layer of the states A, B, C with clips of 1 s."""
    named = {state.name: state for state in states}
    layer = Layer("Base", [named.get(name, State(name)) for name in "ABC"], [way("START", "A"), *ways], weight)
    return Machine(StateGraph([layer], PARAMETERS), {name: GraphClip(name, 1.0) for name in "ABC"}, timing="exact")


def times(machine: Machine) -> dict[str, float]:
    return {entry.path: entry.time for entry in machine.layers[0].contributions()}


class TestKnownValues:
    def test_a_state_and_its_clip_are_together(self) -> None:
        it = machine([])
        it.step(0.25)
        assert (it.layers[0].active, it.layers[0].time, times(it)) == ("A", 0.25, {"A": 0.25})

    def test_the_rest_of_the_step_goes_to_the_next_state(self) -> None:
        it = machine([way("A", "B", exit_time=0.5)])
        it.step(0.75)
        assert (it.layers[0].active, times(it)) == ("B", {"B": 0.25})

    def test_due_at_the_end_of_the_step(self) -> None:
        it = machine([way("A", "B", exit_time=0.5, time=0.5)])
        it.step(0.5)
        assert (it.layers[0].active, it.layers[0].transition_progress) == ("B", 0.0)
        it.step(0.5)
        assert (it.layers[0].transitioning, times(it)) == (False, {"B": 0.5})

    def test_several_in_a_step(self) -> None:
        ways = [way("A", "B", exit_time=1.0, time=0.25), way("B", "C", exit_time=0.5), way("C", "A", exit_time=0.25)]
        it = machine(ways)
        it.step(2.0)  # A for 1 s, B for 1/2 s, C for 1/4 s, A for 1/4 s
        assert [taken.target for taken in it.taken[0]] == ["A", "B", "C", "A"]
        assert times(it) == {"A": 0.25}
        assert [finding.verdict for finding in it.verdicts[0]] == [Verdict.TAKEN] * 4

    def test_a_fade_ends_within_the_step(self) -> None:
        it = machine([way("A", "B", exit_time=0.5, time=0.25), way("B", "C", "go")])
        it.set("go", True)
        it.step(1.0)  # nothing interrupts the fade; C follows at its end
        assert times(it) == {"C": 0.25}

    def test_exit_times_of_every_loop(self) -> None:
        it = machine([way("A", "B", "go", exit_time=0.5)])
        it.step(0.75)
        it.set("go", True)
        it.step(1.0)
        assert times(it) == {"B": 0.25}

    def test_a_finished_state_stays_due(self) -> None:
        it = machine([way("A", "B", "go", exit_time=1.0)], [State("A", loop=False)])
        it.step(5.0)
        it.set("go", True)
        it.step(0.25)
        assert times(it) == {"B": 0.25}

    def test_the_previous_state_is_due_while_it_fades_out(self) -> None:
        ways = [way("A", "B", exit_time=0.5, time=1.0, interruption="PREV_STATE"), way("A", "C", exit_time=0.75)]
        it = machine(ways)
        it.step(1.0)
        assert it.layers[0].active == "C"
        assert times(it)["C"] == 0.25

    def test_a_trigger_serves_one_transition(self) -> None:
        it = machine([way("A", "B", "jump"), way("B", "C", "jump")])
        it.trigger("jump")
        it.step(1.0)
        assert it.layers[0].active == "B"
        it.step(1.0)
        assert it.layers[0].active == "B"

    def test_going_round_without_time_stops(self) -> None:
        it = machine([way("A", "B"), way("B", "A")])
        it.step(1.0)
        assert len(it.taken[0]) == 64
        assert times(it) == {it.layers[0].active: 1.0}

    def test_weight_of_the_layer_is_linear(self) -> None:
        it = machine([])
        it.layers[0].blend_to_weight(0.0, 1.0)
        found = []
        for _ in range(5):
            it.step(0.25)
            found.append(it.layers[0].weight)
        assert found == [0.75, 0.5, 0.25, 0.0, 0.0]

    def test_events_of_every_state_on_the_way(self) -> None:
        clips = {name: GraphClip(name, 1.0, ((0.0, f"{name}0", None), (0.25, f"{name}1", None))) for name in "AB"}
        ways = [way("START", "A"), way("A", "B", exit_time=0.5, time=0.5), way("B", "A", exit_time=1.0)]
        it = Machine(StateGraph([Layer("Base", [State("A"), State("B")], ways)]), clips, timing="exact")
        it.step(1.75)
        assert [event.name for event in it.events] == ["A0", "A1", "B0", "B1", "A0"]


# --- random graphs ----------------------------------------------------------------------------------------------------

BACK_EXITS = [0.3, 0.7, 1.0, 1.4]
"""Ways back take time, so that no graph goes round at one moment."""


@st.composite
def graphs(draw: st.DrawFn) -> tuple[StateGraph, dict[str, GraphClip | None]]:
    names = "ABCD"[: draw(st.integers(2, 4))]
    states = [draw(states_named(name)) for name in names]
    ways = [Transition("START", "A")]
    for (i, source), (j, target) in itertools.product(enumerate(names), enumerate(names)):
        if i != j and draw(st.booleans()):
            ways.append(draw(transitions(source, target, back=j < i)))
    ways.append(draw(transitions("ANY", draw(st.sampled_from(names)), back=False, condition=Condition("jump"))))
    ways.append(draw(transitions(draw(st.sampled_from(names)), "END", back=True)))
    graph = StateGraph([Layer("Base", states, ways)], PARAMETERS)
    lengths = st.sampled_from([0.4, 0.5, 0.77, 1.0, 1.3])
    return graph, {path: GraphClip(path, draw(lengths)) for path in graph.clip_paths()}


@st.composite
def states_named(draw: st.DrawFn, name: str) -> State:
    sync = draw(st.booleans())
    tree = BlendTree("1D", ["x"], [Leaf("L", 0.0), Leaf("R", 1.0, draw(st.sampled_from([1.0, -1.0, 0.5])))], sync=sync)
    speed = draw(st.sampled_from([1.0, 0.5, 1.7, -1.0]))
    return State(name, speed, draw(st.booleans()), tree if draw(st.booleans()) else None)


@st.composite
def transitions(
    draw: st.DrawFn, source: str, target: str, *, back: bool, condition: Condition | None = None
) -> Transition:
    conditions = (
        [condition] if condition else draw(st.sampled_from([[], [Condition("go")], [Condition("go", value=False)]]))
    )
    exits = BACK_EXITS if back else [*BACK_EXITS, None]
    return Transition(
        source,
        target,
        draw(st.sampled_from([0.0, 0.1, 0.35])),
        draw(st.integers(0, 1)),
        conditions,
        draw(st.sampled_from(exits)),
        draw(st.sampled_from([None, 0.2, 0.6])),
        draw(
            st.sampled_from(["NONE", "PREV_STATE", "NEXT_STATE", "PREV_STATE_NEXT_STATE", "NEXT_STATE_PREV_STATE"]),
        ),
    )


Inputs = list[tuple[bool, bool, float]]
"""Every half second: go, jump, x."""


def simulate(
    graph: StateGraph, clips: dict[str, GraphClip | None], inputs: Inputs, steps: Iterable[Sequence[float]]
) -> tuple[Machine, list[str]]:
    """Return the machine at the end, and the targets of all transitions."""
    it = Machine(graph, clips, timing="exact")
    taken: list[str] = []
    for (go, jump, x), half in zip(inputs, steps, strict=True):
        it.set("go", go)
        it.set("x", x)
        if jump:
            it.trigger("jump")
        for dt in half:
            it.step(dt)
            taken += [way.target for way in it.taken[0]]
    return it, taken


def half_seconds(dt: float) -> list[float]:
    """Return steps of a length that fill half a second, the last one shorter."""
    whole = int(0.5 / dt + 1e-9)
    rest = 0.5 - whole * dt
    return [dt] * whole + ([rest] if rest > 1e-12 else [])


def same_time(a: float, b: float, duration: float) -> bool:
    """Whether two times are one in a loop: its end is its beginning."""
    gap = abs(a - b)
    return min(gap, abs(duration - gap)) < TIME_TOL_S


@settings(max_examples=30, deadline=None)
@given(
    graphs(),
    st.sampled_from(["frame", "exact"]),
    st.lists(st.tuples(st.booleans(), st.booleans(), st.floats(-1, 2), st.floats(0, 1)), max_size=100),
)
def test_weights_sum_to_one_and_times_are_in_the_clip(
    made: tuple[StateGraph, dict[str, GraphClip | None]],
    timing: Literal["frame", "exact"],
    steps: list[tuple[bool, bool, float, float]],
) -> None:
    it = Machine(*made, timing=timing)
    for go, jump, x, dt in steps:
        it.set("go", go)
        it.set("x", x)
        it.set("jump", jump)
        it.step(dt)
        entries = it.layers[0].contributions()
        assert sum(entry.weight for entry in entries) == pytest.approx(1.0)
        assert all(entry.weight > 0.0 for entry in entries)
        assert all(entry.clip and 0.0 <= entry.time <= entry.clip.duration for entry in entries)
        assert len(it.taken[0]) <= 1 or timing == "exact"


@settings(max_examples=40, deadline=None)
@given(
    graphs(),
    st.lists(st.tuples(st.booleans(), st.booleans(), st.floats(0, 1)), min_size=1, max_size=4),
    st.lists(st.floats(0.01, 0.49), max_size=6),
)
def test_any_split_gives_the_same(
    made: tuple[StateGraph, dict[str, GraphClip | None]], inputs: Inputs, cuts: list[float]
) -> None:
    graph, clips = made
    edges = sorted({0.0, *cuts, 0.5})
    random_split = [after - before for before, after in itertools.pairwise(edges)]
    whole, taken = simulate(graph, clips, inputs, [[0.5]] * len(inputs))
    expected = [entry for entry in whole.layers[0].contributions() if entry.weight > TIME_TOL_S]
    for split in (half_seconds(1 / 240), half_seconds(1 / 60), half_seconds(1 / 7), random_split):
        it, found = simulate(graph, clips, inputs, [split] * len(inputs))
        ours, theirs = it.layers[0], whole.layers[0]
        assert found == taken
        assert (ours.active, ours.previous, ours.transitioning) == (
            theirs.active,
            theirs.previous,
            theirs.transitioning,
        )
        assert ours.transition_progress == pytest.approx(theirs.transition_progress, abs=TIME_TOL_S)
        assert ours.progress == pytest.approx(theirs.progress, abs=TIME_TOL_S)
        assert it.values == whole.values
        entries = [entry for entry in ours.contributions() if entry.weight > TIME_TOL_S]
        assert [entry.path for entry in entries] == [entry.path for entry in expected]
        for entry, other in zip(entries, expected, strict=True):
            assert entry.weight == pytest.approx(other.weight, abs=TIME_TOL_S)
            assert entry.clip is not None
            assert same_time(entry.time, other.time, entry.clip.duration)
