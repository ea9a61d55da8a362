"""What holds for every graph and every input: weights, one transition a step, events, splits of time, rows."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from skelter.crowd.crowd import Crowd
from skelter.engines.reference.exact_timing import TRANSITIONS_MAX
from skelter.engines.reference.machine import Machine
from skelter.graph.advance import TIMINGS, Timing
from skelter.graph.compile import compile  # noqa: A004
from skelter.graph.controller import Controller
from skelter.graph.graph import START, BlendTree, Layer, Leaf, Parameter, State, StateGraph, Transition
from skelter.graph.verdict import Verdict
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

SUM_TOL = 1e-9
SPLIT_TOL = 1e-7
"""Of times and progress after other splits of a time: every step rounds, and moments are found within 1e-9."""
CHAR_COUNT = 16
STEP_COUNT = 40
TOTAL_S = 1.0

SEEDS = st.integers(0, 2**32)
SEEDED = settings(deadline=None, phases=(Phase.explicit, Phase.reuse, Phase.generate))
"""A smaller seed makes no smaller graph."""


@cache
def rig() -> Rig:
    durations = {"a": 1.03, "b": 0.417, "c": 2.31, "d": 0.713, "e": 0.0}
    return clock_rig(durations, {"a": [0.0, 0.25, 1.03], "b": [0.117], "c": [0.51, 1.51, 2.31], "d": [0.3], "e": [0.0]})


def random_controller(seed: int, sizes: GraphSizes | None = None) -> Controller:
    graph = random_graph(seed, sizes)
    return compile(graph, rig(), random_bindings(seed, graph, rig().clip_names))


def set_inputs(crowd: Crowd, random: np.random.Generator) -> None:
    """Give a part of the parameters new values, other ones for each character."""
    for parameter in crowd.controller.graph.parameters:
        if random.random() < 0.3:
            continue
        if parameter.type == "TRIGGER":
            crowd.trigger(parameter.name, where=random.random(len(crowd)) < 0.3)
        elif parameter.type == "FLOAT":
            crowd.set(parameter.name, random.uniform(-2.0, 2.0, len(crowd)))
        else:
            crowd.set(parameter.name, random.integers(-2 * (parameter.type == "INTEGER"), 2, len(crowd)))


def assert_sound(crowd: Crowd) -> None:
    """Check the playback list and the state of the machines."""
    playback, layer_count = crowd.playback, crowd.controller.layer_count
    duration = np.append(rig().clips.duration, 0.0)
    for char in range(len(crowd)):
        starts = playback.layer_start[char]
        for layer in range(layer_count):
            used = slice(starts[layer], starts[layer + 1])
            weights, times = playback.weight[char, used], playback.time[char, used]
            assert (weights > 0.0).all()
            assert abs(weights.sum() - 1.0) < SUM_TOL
            assert ((times >= 0.0) & (times <= duration[playback.clip[char, used]])).all()
    assert ((playback.layer_weight >= 0.0) & (playback.layer_weight <= 1.0)).all()
    for number in range(layer_count):
        layer = crowd.layer(number)
        assert np.isfinite([layer.time, layer.progress, layer.weight]).all()
        fade = layer.transition_progress[layer.transitioning]
        assert ((fade >= 0.0) & (fade <= 1.0)).all()


@settings(SEEDED, max_examples=30)
@given(SEEDS, st.sampled_from(TIMINGS))
def test_weights_sum_to_one_and_nothing_is_nan(seed: int, timing: Timing) -> None:
    """30 graphs, 16 characters, 40 steps: 19,200 steps of a character."""
    random = np.random.default_rng(seed)
    crowd = Crowd(random_controller(seed), CHAR_COUNT, timing=timing)
    for _ in range(STEP_COUNT):
        set_inputs(crowd, random)
        crowd.step(random.choice([0.0, 1 / 60, 0.3, 4.0]))
        assert_sound(crowd)


@settings(SEEDED, max_examples=20)
@given(SEEDS)
def test_at_most_one_transition_in_a_layer_and_step(seed: int) -> None:
    """A state is active that was active before, or that the one transition leads to which was taken."""
    random = np.random.default_rng(seed)
    crowd = Crowd(random_controller(seed), CHAR_COUNT)
    layers = [crowd.layer(number) for number in range(crowd.controller.layer_count)]
    for _ in range(STEP_COUNT):
        set_inputs(crowd, random)
        before = [layer.active for layer in layers]
        crowd.step(random.choice([0.0, 1 / 60, 0.3, 4.0]))
        for number, layer in enumerate(layers):
            taken = crowd.verdicts(number) == Verdict.TAKEN
            authored = crowd.controller.graph.layers[number]
            targets = np.array(
                [way.target if way.target != "END" else authored.default_state for way in authored.transitions]
            )
            assert (taken.sum(axis=1) <= 1).all()
            moved = taken.any(axis=1)
            assert np.array_equal(layer.active, np.where(moved, targets[taken.argmax(axis=1)], before[number]))
            assert np.array_equal(layer.previous[moved], before[number][moved])


class TestEvents:
    """Counts of events against closed forms on the unwrapped position of a clip."""

    @settings(max_examples=40, deadline=None)
    @given(
        speed=st.sampled_from([1.0, -1.0, 0.37, -2.3]),
        loop=st.booleans(),
        clip=st.sampled_from("abcd"),
        timing=st.sampled_from(TIMINGS),
        steps=st.lists(st.floats(0.0, 3.0), min_size=1, max_size=30),
    )
    def test_a_clip(self, speed: float, loop: bool, clip: str, timing: Timing, steps: list[float]) -> None:
        graph = StateGraph([Layer("Base", [State("A", speed, loop)], [Transition(START, "A")])])
        duration = float(rig().clips.duration[rig().clip_index(clip)])
        begin = 0.0 if speed > 0.0 else duration
        end = begin + speed * sum(steps)
        assert_counts(count(graph, {"A": clip}, steps, timing), clip, begin, end, duration, loop)

    @settings(max_examples=40, deadline=None)
    @given(
        x=st.floats(0.05, 0.95),
        back=st.booleans(),
        timing=st.sampled_from(TIMINGS),
        steps=st.lists(st.floats(0.0, 3.0), min_size=1, max_size=30),
    )
    def test_clips_in_step(self, x: float, back: bool, timing: Timing, steps: list[float]) -> None:
        """Two clips share a phase, which plays once in the weighted mean of 1.03 s and 2 * 2.31 s."""
        speed = -1.0 if back else 1.0
        tree = BlendTree("1D", ["x"], [Leaf("a", 0.0), Leaf("c", 1.0, 0.5)])
        layer = Layer("Base", [State("A", speed, tree=tree)], [Transition(START, "A")])
        counted = count(StateGraph([layer], [Parameter("x", "FLOAT", x)]), {}, steps, timing)
        begin = 1.0 if back else 0.0
        end = begin + speed * sum(steps) / ((1.0 - x) * 1.03 + x * 2.31 / 0.5)
        for clip, duration in (("a", 1.03), ("c", 2.31)):
            assert_counts(counted, clip, begin * duration, end * duration, duration, True)


def count(graph: StateGraph, bindings: dict[str, str | None], steps: Sequence[float], timing: Timing) -> Counter[str]:
    """Count the events of all steps, by name."""
    crowd = Crowd(compile(graph, rig(), {**bindings, **({} if bindings else {"A.a": "a", "A.c": "c"})}), timing=timing)
    crowd.step(0.0)
    names: Counter[str] = Counter()
    for dt in steps:
        crowd.step(dt)
        names.update(event.name for event in crowd.events)
    return names


def assert_counts(found: Counter[str], clip: str, begin: float, end: float, duration: float, loop: bool) -> None:
    """Compare counts of a clip's events with how often each lies between two unwrapped positions."""
    bank, index = rig().clips, rig().clip_index(clip)
    if not loop:
        end = min(max(end, 0.0), duration)
    first, stop = bank.event_start[index : index + 2].tolist()
    for event in range(first, stop):
        time = float(bank.event_time[event])
        plays = abs((end - time) / duration - round((end - time) / duration))
        if not loop and end in (0.0, duration):
            plays = 1.0  # the end is reached in whatever way it was summed up
        assume(plays > 1e-9)  # else it is a matter of rounding whether the last step reaches the event
        assert found[bank.event_names[event]] == crossings(time, begin, end, duration, loop)


def crossings(time: float, begin: float, end: float, duration: float, loop: bool) -> int:
    """Return how often a position that moves from begin to end passes ``time + k duration``; k is 0 without a loop.

    The last moment of a clip belongs to the play that it ends, every other one to the play that it is in.
    """
    low, high, forwards = min(begin, end), max(begin, end), end > begin
    last = time == (duration if forwards else 0.0)
    upper = last == forwards  # whether the upper end of the way counts, and the lower one does not
    if not loop:
        return int(low < time <= high if upper else low <= time < high)
    if upper:
        return math.floor((high - time) / duration) - math.floor((low - time) / duration)
    return math.ceil((high - time) / duration) - math.ceil((low - time) / duration)


class TestExactTiming:
    """It does not matter how a time is split into steps."""

    @settings(SEEDED, max_examples=25)
    @given(SEEDS, st.booleans())
    def test_the_same_states_for_every_split(self, seed: int, even: bool) -> None:
        graph = random_graph(seed, GraphSizes(even=even))
        inputs = [
            InputStep(0.0, step.values, dict.fromkeys(step.triggers, False))  # none that last for one step
            for step in random_inputs(seed, graph, 3, even=even)
        ]
        controller = compile(graph, rig(), random_bindings(seed, graph, rig().clip_names))
        random = np.random.default_rng(seed)
        assume(not goes_round(controller, inputs))
        shares = random.dirichlet(np.ones(9))
        found = []
        for split in ([TOTAL_S], steps_of(1 / 7), steps_of(1 / 60), steps_of(1 / 240), (TOTAL_S * shares).tolist()):
            crowd = Crowd(controller, timing="exact")
            for step in inputs:
                step.apply_inputs(crowd)
                for dt in split:
                    crowd.step(dt)
            found.append(crowd)
        for crowd in found[1:]:
            assert_same_moment(found[0], crowd)


def steps_of(dt: float) -> list[float]:
    """Return steps of dt [s], and one for the rest of `TOTAL_S`."""
    whole = math.floor(TOTAL_S / dt + 1e-9)
    rest = TOTAL_S - whole * dt
    return [dt] * whole + ([rest] if rest > 1e-9 else [])


def goes_round(controller: Controller, inputs: Sequence[InputStep]) -> bool:
    """Return if a layer goes on from state to state in no time: it rests for the rest of the step, however long."""
    machine = Machine(controller.graph, reference_clips(controller.rig, controller.clips), timing="exact")
    for step in inputs:
        step.apply_inputs(machine)
        machine.step(TOTAL_S)
        if any(len(taken) >= TRANSITIONS_MAX for taken in machine.taken):
            return True
    return False


def assert_same_moment(one: Crowd, other: Crowd) -> None:
    for number in range(one.controller.layer_count):
        first, second = one.layer(number), other.layer(number)
        assert first.active == second.active
        assert first.previous == second.previous
        assert first.transitioning == second.transitioning
        for name in ("time", "progress", "transition_progress"):
            np.testing.assert_allclose(getattr(second, name), getattr(first, name), rtol=SPLIT_TOL, atol=SPLIT_TOL)


@pytest.mark.parametrize("timing", TIMINGS)
def test_a_character_alone_gives_the_same_bits(timing: Timing) -> None:
    for seed in range(6):
        controller = random_controller(seed)
        graph = controller.graph
        inputs = [random_inputs(100 * seed + char, graph, STEP_COUNT) for char in range(CHAR_COUNT)]
        crowd = Crowd(controller, CHAR_COUNT, timing=timing)
        alone = {char: Crowd(controller, 1, timing=timing) for char in (0, 7, CHAR_COUNT - 1)}
        for number in range(STEP_COUNT):
            for char in range(CHAR_COUNT):
                for name, value in inputs[char][number].values.items():
                    crowd.set(name, value, where=char)
                for name, single_frame in inputs[char][number].triggers.items():
                    crowd.trigger(name, where=char, single_frame=single_frame)
            dt = inputs[0][number].dt
            crowd.step(dt)
            for char, one in alone.items():
                inputs[char][number].apply_inputs(one)
                one.step(dt)
                assert_same_bits(one, crowd, char)


def assert_same_bits(one: Crowd, crowd: Crowd, char: int) -> None:
    mine, theirs = one.playback, crowd.playback
    assert np.array_equal(mine.layer_start[0], theirs.layer_start[char])
    used = mine.layer_start[0, -1]
    for name in ("clip", "time", "weight"):
        assert np.array_equal(getattr(mine, name)[0, :used], getattr(theirs, name)[char, :used])
    events = [(event.layer, event.clip, event.name, event.weight) for event in one.events]
    assert events == [(e.layer, e.clip, e.name, e.weight) for e in crowd.events if e.char == char]
