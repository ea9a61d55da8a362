"""What crashes or freezes PlayCanvas's engine does the sensible thing here, in the kernels and the reference alike.

The faults are those of version 2.23.3, found by running it; `docs/reference/playcanvas-differences.md` lists them.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from skelter.crowd.crowd import Crowd
from skelter.engines.reference.graph_clips import GraphClip
from skelter.engines.reference.machine import Machine
from skelter.graph.compile import compile as compile_graph
from skelter.graph.graph import END, START, BlendTree, Condition, Layer, Leaf, Parameter, State, StateGraph, Transition
from skelter.testing.rigs import clock_rig

CLIPS = {"idle": 2.0, "walk": 1.0, "run": 0.5}
Weights = dict[str, float]


class Player:
    """One character on the kernels and on the reference machine, which must agree."""

    def __init__(self, graph: StateGraph, clips: Mapping[str, str]) -> None:
        self.crowd = Crowd(compile_graph(graph, clock_rig(CLIPS), clips))
        self.machine = Machine(graph, {path: GraphClip(name, CLIPS[name]) for path, name in clips.items()})

    def set(self, name: str, value: float) -> Player:
        self.crowd.set(name, value)
        self.machine.set(name, value)
        return self

    def step(self, dt: float, times: int = 1) -> Player:
        for _ in range(times):
            self.crowd.step(dt)
            self.machine.step(dt)
            assert self.crowd.layer().active[0] == self.machine.layers[0].active
            have, want = self.playing(), self._reference()
            assert have.keys() == want.keys()
            np.testing.assert_allclose(list(have.values()), [want[name] for name in have], atol=1e-9)
        return self

    def playing(self) -> dict[str, tuple[float, float]]:
        """Return time and weight of each clip that plays."""
        playback = self.crowd.playback
        entries = slice(*playback.layer_start[0, :2])
        assert playback.weight[0, entries].sum() == pytest.approx(1.0)
        columns = (playback.clip[0, entries], playback.time[0, entries], playback.weight[0, entries])
        return {list(CLIPS)[clip]: (time, weight) for clip, time, weight in zip(*columns, strict=True)}

    def weights(self) -> Weights:
        return {name: weight for name, (_, weight) in self.playing().items()}

    @property
    def state(self) -> str:
        return str(self.crowd.layer().active[0])

    def _reference(self) -> dict[str, tuple[float, float]]:
        entries = self.machine.layers[0].contributions()
        return {entry.clip.name: (entry.time, entry.weight) for entry in entries if entry.clip is not None}


def on_tree(tree: BlendTree, names: tuple[str, ...]) -> Player:
    """Return a character in one state with a tree, whose leaves are called like their clips."""
    graph = StateGraph(
        [Layer("Base", [State("S", tree=tree)], [Transition(START, "S")])], [Parameter(n) for n in names]
    )
    return Player(graph, {path: path.rpartition(".")[2] for path in graph.clip_paths()})


def test_nested_trees_multiply_weights_and_share_one_phase() -> None:
    gait = BlendTree("1D", ["speed"], [Leaf("walk", 1.0), Leaf("run", 3.0)], name="Gait", point=1.0)
    player = on_tree(BlendTree("1D", ["move"], [Leaf("idle", 0.0), gait]), ("move", "speed"))
    player.set("move", 0.5).set("speed", 2.0).step(0.25)
    assert player.weights() == pytest.approx({"idle": 0.5, "walk": 0.25, "run": 0.25})
    phases = [time / CLIPS[name] for name, (time, _) in player.playing().items()]
    assert phases == pytest.approx([0.25 / (0.5 * 2.0 + 0.25 * 1.0 + 0.25 * 0.5)] * 3)


@pytest.mark.parametrize(("speed", "clip"), [(-5.0, "walk"), (99.0, "run")])
def test_outside_a_1d_range_the_end_point_plays_on(speed: float, clip: str) -> None:
    player = on_tree(BlendTree("1D", ["speed"], [Leaf("walk", 1.0), Leaf("run", 3.0)]), ("speed",))
    player.set("speed", speed).step(0.25)
    assert player.playing() == {clip: (0.25, 1.0)}
    assert player.step(0.125).playing()[clip][0] == pytest.approx(0.375)


def test_outside_a_1d_range_as_documented_the_pose_holds_and_the_state_goes_on() -> None:
    tree = BlendTree("1D", ["speed"], [Leaf("walk", 1.0), Leaf("run", 3.0)], outside="none")
    player = on_tree(tree, ("speed",)).set("speed", 2.0).step(0.25)
    before, progress = player.playing(), player.crowd.layer().progress[0]
    assert player.set("speed", 9.0).step(0.125, 3).playing() == before
    assert player.crowd.layer().progress[0] > progress
    assert player.set("speed", 2.0).step(0.125).playing() != before


@pytest.mark.parametrize("kind", ["2D_CARTESIAN", "2D_DIRECTIONAL"])
@pytest.mark.parametrize("far", [(1e3, 1e3), (-1e6, 2.0), (0.0, -1e9)])
def test_far_outside_a_2d_tree_nothing_freezes(kind: str, far: tuple[float, float]) -> None:
    leaves = [Leaf("idle", (0.0, 0.0)), Leaf("walk", (0.0, 1.0)), Leaf("run", (1.0, 0.0))]
    player = on_tree(BlendTree(kind, ["x", "y"], leaves), ("x", "y")).set("x", far[0]).set("y", far[1])  # type: ignore[arg-type]
    before = player.step(0.125).playing()
    assert np.isfinite(list(before.values())).all()
    assert player.step(0.125).playing() != before


def exit_graph(speed: float, exit_time: float, loop: bool) -> StateGraph:
    ways = [Transition(START, "A"), Transition("A", "B", exit_time=exit_time)]
    return StateGraph([Layer("Base", [State("A", speed=speed, loop=loop), State("B")], ways)])


@pytest.mark.parametrize("speed", [0.5, 1.0, 2.0])
def test_exit_time_1_is_one_play_at_any_speed_of_the_state(speed: float) -> None:
    player = Player(exit_graph(speed, 1.0, loop=False), {"A": "walk", "B": "idle"}).step(1 / 64)
    steps = 0
    while player.state == "A":
        player.step(1 / 64)
        steps += 1
        assert steps < 1000
    assert steps == 64 / speed


def test_the_default_state_goes_to_end_every_time() -> None:
    ways = [Transition(START, "A"), Transition("A", END, exit_time=1.0)]
    player = Player(StateGraph([Layer("Base", [State("A")], ways)]), {"A": "walk"}).step(1 / 16)
    begins = []
    for step in range(60):
        before = player.crowd.layer().progress[0]
        player.step(1 / 16)
        if player.crowd.layer().progress[0] < before:
            begins.append(step)
    assert len(begins) == 3
    assert np.diff(begins).tolist() == [16, 16]


@pytest.mark.parametrize("exit_time", [0.01, 0.5, 0.99])
@pytest.mark.parametrize("dt", [0.3, 0.7, 0.013])
def test_an_exit_time_across_the_loop_point_is_never_missed(exit_time: float, dt: float) -> None:
    ways = [Transition(START, "A"), Transition("A", "B", conditions=[Condition("go")], exit_time=exit_time)]
    graph = StateGraph([Layer("Base", [State("A"), State("B")], ways)], [Parameter("go", "BOOLEAN", False)])
    for wait in range(1, 6):
        player = Player(graph, {"A": "walk", "B": "idle"}).step(dt, wait)
        player.set("go", True)
        start = player.crowd.layer().progress[0]
        while player.state == "A":
            assert player.crowd.layer().progress[0] - start <= 1.0 + 1e-9, "one play has passed without the exit"
            player.step(dt)
