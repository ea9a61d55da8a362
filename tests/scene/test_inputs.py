"""What happens to characters, and when."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skelter.graph.graph import START, Layer, Parameter, State, StateGraph, Transition
from skelter.rig.rig import Rig
from skelter.scene.play import ScenePlayer
from skelter.scene.scene import Change, FadeWeight, Input, Ramp, Scene, SceneCrowd, SetRandom, SetTrigger, SetValue

GRAPH = StateGraph(
    [Layer("Base", [State("idle")], [Transition(START, "idle")])],
    [Parameter("speed"), Parameter("lane", "INTEGER"), Parameter("jump", "TRIGGER", False)],
)
COUNT = 40


def scene(*inputs: Input, rate: float = 10.0, seed: int = 0) -> Scene:
    return Scene("scene", (SceneCrowd("all", GRAPH, count=COUNT, inputs=inputs),), 2.0, rate, seed)


def values_of(rig: Rig, parameter: str, played: Scene, steps: int | None = None) -> np.ndarray:
    """Return a parameter after each step, ``[step, char]``."""
    player = ScenePlayer(played, rigs={"mannequin": rig})
    rows = []
    for _ in range(steps or played.step_count):
        player.step()
        rows.append(player.crowd().get(parameter))
    return np.array(rows)


def test_a_scene_without_inputs(rig: Rig) -> None:
    assert not values_of(rig, "speed", scene()).any()


def test_no_characters_and_no_fraction(rig: Rig) -> None:
    nobody = (Input(SetValue("speed", 1), chars=()), Input(SetValue("speed", 1), fraction=0.0))
    assert not values_of(rig, "speed", scene(*nobody)).any()


def test_a_value_is_set_before_the_step_that_begins_then(rig: Rig) -> None:
    values = values_of(rig, "speed", scene(Input(SetValue("speed", 2), at=0.3), Input(SetValue("speed", 3), at=0.301)))
    assert values[:5, 0].tolist() == [0, 0, 0, 2, 3]


def test_chars(rig: Rig) -> None:
    values = values_of(rig, "speed", scene(Input(SetValue("speed", 2), chars=(1, 3))))
    assert np.flatnonzero(values[-1]).tolist() == [1, 3]


def test_later_inputs_of_the_list_win_at_the_same_time(rig: Rig) -> None:
    values = values_of(rig, "speed", scene(Input(SetValue("speed", 2)), Input(SetValue("speed", 3))))
    assert (values == 3).all()


def test_every_and_until(rig: Rig) -> None:
    """0.1 is no binary fraction: sums of it lie beside the times of the steps."""
    entry = Input(SetTrigger("jump", single_frame=True), at=0.2, every=0.1, until=0.6)
    player = ScenePlayer(scene(entry), rigs={"mannequin": rig})
    crowd, seen = player.crowd(), []
    original = crowd.trigger
    crowd.trigger = lambda *names, **options: (seen.append(player.step_index), original(*names, **options))  # type: ignore[method-assign, assignment, func-returns-value]
    for _ in range(20):
        player.step()
    assert seen == [2, 3, 4, 5, 6]


def test_several_times_within_a_step(rig: Rig) -> None:
    """Only the last draw is seen, but all are made."""
    entry = Input(SetRandom("speed", 0, 1), every=0.05)
    coarse, fine = (values_of(rig, "speed", scene(entry, rate=rate)) for rate in (10.0, 20.0))
    np.testing.assert_array_equal(coarse, fine[::2])


def test_triggers(rig: Rig) -> None:
    stays = values_of(rig, "jump", scene(Input(SetTrigger("jump"))))
    leaves = values_of(rig, "jump", scene(Input(SetTrigger("jump", single_frame=True))))
    assert stays.all()
    assert not leaves.any()


def test_random_numbers_are_spread_between_the_bounds(rig: Rig) -> None:
    speeds = values_of(rig, "speed", scene(Input(SetRandom("speed", 1, 3))))[-1]
    lanes = values_of(rig, "lane", scene(Input(SetRandom("lane", -0.5, 2.5))))[-1]
    assert (speeds.min() >= 1, speeds.max() <= 3, len(set(speeds.tolist()))) == (True, True, COUNT)
    assert set(lanes.tolist()) == {0, 1, 2}


def test_a_ramp_is_even_and_ends_where_it_leads(rig: Rig) -> None:
    entries = Input(SetValue("speed", 1)), Input(Ramp("speed", 3, 3, 0.4), at=0.25)
    values = values_of(rig, "speed", scene(*entries))[:, 0]
    np.testing.assert_allclose(values[:9], [1, 1, 1, 1.25, 1.75, 2.25, 2.75, 3, 3])


def test_a_newer_input_ends_a_ramp(rig: Rig) -> None:
    entries = Input(Ramp("speed", 2, 2, 1.0)), Input(SetValue("speed", 9), at=0.5, chars=(0,))
    values = values_of(rig, "speed", scene(*entries))
    assert (values[5:, 0] == 9).all()
    np.testing.assert_allclose(values[[5, -1], 1], [1.0, 2.0])


@pytest.mark.parametrize(("fraction", "expected"), [(0.25, {10}), (0.01, {0, 1})])
def test_a_fraction_is_drawn_anew_each_time(rig: Rig, fraction: float, expected: set[int]) -> None:
    entries = (
        Input(SetValue("speed", 1), every=0.1, fraction=fraction),
        Input(SetValue("speed", 0), at=0.05, every=0.1),
    )
    values = values_of(rig, "speed", replace(scene(*entries, rate=20.0), duration=10.0))[::2]
    assert set(values.sum(axis=1).tolist()) == expected
    assert len({tuple(np.flatnonzero(row)) for row in values}) > 1


def test_weights(rig: Rig) -> None:
    entries = Input(FadeWeight("Base", 0.0)), Input(FadeWeight("Base", 1.0, 0.4), at=0.5)
    player = ScenePlayer(scene(*entries), rigs={"mannequin": rig})
    weights = []
    for _ in range(20):
        player.step()
        weights.append(player.crowd().layer().weight[0])
    assert weights[4] == 0.0
    assert 0.0 < weights[7] < 1.0
    assert weights[-1] == 1.0


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 2**53), st.sampled_from([SetRandom("speed", 0, 1), Ramp("speed", 0, 1, 0.5)]))
def test_what_is_drawn_depends_on_nothing_but_the_seed(rig: Rig, seed: int, change: Change) -> None:
    entry = Input(change, every=0.5, fraction=0.3)
    slow = values_of(rig, "speed", scene(entry, seed=seed))
    fast = values_of(rig, "speed", scene(entry, Input(SetRandom("lane", 0, 5)), rate=40.0, seed=seed))
    np.testing.assert_allclose(slow, fast[::4], atol=1e-12)
