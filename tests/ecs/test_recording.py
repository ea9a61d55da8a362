"""Recordings: whatever was done is done again, to the bit; differences are found where they begin."""

from __future__ import annotations

import numpy as np
import pytest

import skelter as sk
from skelter.core.errors import ArgumentError, WorldError
from skelter.ecs.recording import Recording
from skelter.ecs.world import World


def make_world() -> World:
    world = World()
    world.declare("x", np.float64)
    world.declare("v", np.float64, (2,), axes=("axis",))

    @world.system(writes="x")
    def move(x: np.ndarray, v: np.ndarray, dt: float) -> None:
        x += v[:, 0] * dt

    return world


def drive(world: World, steps: int = 20, nudge: int | None = None) -> Recording:
    random = np.random.default_rng(0)
    handles = world.spawn(10, x=0.0, v=...)
    with world.record() as recording:
        for number in range(steps):
            world.set(handles[random.integers(0, len(handles), 3)], "v", random.normal(size=(3, 2)))
            if number == 5:
                handles = np.concatenate([handles, world.spawn(4, x=1.0, v=...)])
            if number == 9:
                world.despawn(handles[:3])
                handles = handles[3:]
            for view in world.query("x"):
                view["x"][0] += 0.5
                if number == nudge:
                    view["v"][6, 1] = np.nextafter(view["v"][6, 1], 9.0)
            world.step(0.1)
    return recording


def test_a_replay_ends_in_the_same_world() -> None:
    world = make_world()
    recording = drive(world)
    end = world.hash()
    world.step(0.5)
    recording.replay()
    assert world.hash() == end
    assert len(recording) == 20
    assert repr(recording) == "<Recording of 20 steps from 0 s>"


def test_a_system_that_knows_more_than_the_world_is_caught() -> None:
    world, calls = make_world(), [0]

    @world.system(writes="x")
    def drift(x: np.ndarray) -> None:
        calls[0] += 1
        x += 1e-9 * calls[0]

    recording = drive(world)
    with pytest.raises(WorldError, match="replay: step 0 of 20 ended in another state"):
        recording.replay()
    recording.replay(check=False)


def test_no_difference() -> None:
    first, second = make_world(), make_world()
    one, two = drive(first), drive(second)
    ends = first.hash(), second.hash()
    assert sk.diff(one, two) is None
    assert (first.hash(), second.hash()) == ends


@pytest.mark.parametrize("nudge", [0, 7, 12])
def test_the_first_difference_is_named(nudge: int) -> None:
    one, two = drive(make_world()), drive(make_world(), nudge=nudge)
    found = sk.diff(one, two)
    assert found is not None
    assert (found.step, found.row, found.column, found.place) == (nudge, 6, "v", (1,))
    assert f"step {nudge}" in str(found)
    assert found.second == np.nextafter(found.first, 9.0)


def test_two_recordings_of_one_world() -> None:
    world = make_world()
    start = world.snapshot()
    one = drive(world)
    world.restore(start)
    two = drive(world)
    world.restore(start)
    three = drive(world, nudge=4)
    assert sk.diff(one, two) is None
    found = sk.diff(one, three)
    assert found is not None
    assert (found.step, found.column) == (4, "v")


def test_lengths_differ() -> None:
    found = sk.diff(drive(make_world()), drive(make_world(), steps=15))
    assert found is not None
    assert (found.stage, found.step) == ("structure", 15)


def test_one_at_a_time() -> None:
    world = make_world()
    with world.record() as recording:
        with pytest.raises(WorldError, match="is being recorded already"):
            world.record()
        world.step(0.1)
        with pytest.raises(WorldError, match="stop the recording first"):
            recording.replay()
    with pytest.raises(ArgumentError, match="second: expected a Recording, got World"):
        sk.diff(recording, world)  # type: ignore[arg-type]
