"""Random graphs are valid, differ by seed, and hold everything that a graph may hold."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import get_args

from hypothesis import given

from skelter.graph.check import require_valid
from skelter.graph.compile import compile  # noqa: A004
from skelter.graph.graph import ANY, END, BlendTree, Interruption, StateGraph, TreeType
from skelter.testing.graphs import (
    GRID,
    GraphSizes,
    InputStep,
    graphs,
    random_bindings,
    random_graph,
    random_inputs,
    reference_clips,
)
from skelter.testing.rigs import clock_rig

SEEDS = range(100)


class Recorder:
    """Something that inputs are applied to."""

    def __init__(self) -> None:
        self.calls: list[tuple[object, ...]] = []

    def set(self, name: str, value: object, /) -> None:
        self.calls.append(("set", name, value))

    def trigger(self, name: str, /, *, single_frame: bool = False) -> None:
        self.calls.append(("trigger", name, single_frame))

    def step(self, dt: float) -> None:
        self.calls.append(("step", dt))


def trees(graph: StateGraph) -> Iterator[tuple[int, BlendTree]]:
    """Yield all trees with their depth."""
    for layer in graph.layers:
        for state in layer.states:
            if state.tree is not None:
                yield from nested(state.tree, 1)


def nested(tree: BlendTree, depth: int) -> Iterator[tuple[int, BlendTree]]:
    yield depth, tree
    for child in tree.children:
        if isinstance(child, BlendTree):
            yield from nested(child, depth + 1)


@given(graphs())
def test_they_are_valid(graph: StateGraph) -> None:
    require_valid(graph)


def test_same_seed_same_graph() -> None:
    assert random_graph(3) == random_graph(3)
    assert random_graph(3) == random_graph(Random(3))
    assert random_graph(3) != random_graph(4)
    graph = random_graph(3)
    assert random_inputs(3, graph) == random_inputs(3, graph)
    assert random_bindings(3, graph, "ab") == random_bindings(3, graph, "ab")


def test_everything_comes_up() -> None:
    many = [random_graph(seed) for seed in SEEDS]
    states = [state for graph in many for layer in graph.layers for state in layer.states]
    ways = [way for graph in many for layer in graph.layers for way in layer.transitions]
    assert {tree.type for graph in many for _, tree in trees(graph)} == set(get_args(TreeType))
    assert {depth for graph in many for depth, _ in trees(graph)} == {1, 2, 3}
    assert {tree.sync for graph in many for _, tree in trees(graph)} == {True, False}
    assert {way.interruption for way in ways} == set(get_args(Interruption))
    assert {way.source == ANY for way in ways} == {way.target == END for way in ways} == {True, False}
    assert min(state.speed for state in states) < 0.0
    assert any(state.speed == 0.0 for state in states)
    assert {state.loop for state in states} == {True, False}


def test_even_graphs_lie_on_the_grid() -> None:
    for seed in SEEDS:
        graph = random_graph(seed, GraphSizes(even=True))
        times = [way.time for layer in graph.layers for way in layer.transitions]
        times += [step.dt for step in random_inputs(seed, graph, even=True)]
        assert all((time / GRID).is_integer() for time in times)


def test_sizes_are_kept() -> None:
    sizes = GraphSizes(layer_max=1, state_max=1, transition_max=0, depth_max=1)
    for seed in SEEDS:
        (layer,) = random_graph(seed, sizes).layers
        assert len(layer.states) == len(layer.transitions) == 1
        assert all(depth == 1 for depth, _ in trees(random_graph(seed, sizes)))


def test_bindings_compile() -> None:
    rig = clock_rig({"a": 1.0, "b": 0.0})
    for seed in range(20):
        graph = random_graph(seed)
        bindings = random_bindings(seed, graph, rig.clip_names)
        assert compile(graph, rig, bindings).clips == bindings
    assert set(random_bindings(0, random_graph(0), ()).values()) == {None}


def test_inputs_are_applied_before_the_step() -> None:
    recorder = Recorder()
    InputStep(0.5, {"x": 1.0}, {"jump": True}).apply(recorder)
    assert recorder.calls == [("set", "x", 1.0), ("trigger", "jump", True), ("step", 0.5)]
    assert {step.dt for step in random_inputs(0, random_graph(0), dt=0.25)} == {0.25}


def test_rigs_have_the_clips_and_events_that_were_asked_for() -> None:
    bank = clock_rig({"a": 0.7, "b": 0.0}, {"a": [0.5, 0.1], "b": [0.0]}).clips
    assert bank.names == ("a", "b")
    assert bank.duration.tolist() == [0.7, 0.0]
    assert bank.event_time.tolist() == [0.1, 0.5, 0.0]
    assert bank.event_names == ("a@0.1", "a@0.5", "b@0")


def test_clips_of_the_reference_machine() -> None:
    rig = clock_rig({"a": 0.7, "b": 0.0}, {"a": [0.5, 0.1]})
    clips = reference_clips(rig, {"A": "a", "B.c": None})
    assert clips["B.c"] is None
    assert clips["A"] is not None
    assert (clips["A"].name, clips["A"].duration) == ("a", 0.7)
    assert clips["A"].events == ((0.1, "a@0.1", None), (0.5, "a@0.5", None))
