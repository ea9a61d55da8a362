"""A crowd in a world: characters come and go, move, hide and take turns; every thread gives the same bits."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import skelter as sk
from skelter.core.errors import ArgumentError, WorldError
from skelter.core.workers import Workers, default_workers
from skelter.crowd.crowd import Crowd
from skelter.graph.advance import TIMINGS, Timing, advance, new_output
from skelter.graph.controller import Controller
from skelter.testing.graphs import random_bindings, random_graph
from skelter.testing.rigs import clock_rig, random_character

DT = 1 / 60


@pytest.fixture(scope="module")
def controller() -> Controller:
    """Return two layers over clips with events, under which every joint moves."""
    rig = sk.bake(random_character(20, clip_count=3, seed=4, event_count=3), cache=False)
    first, second, third = rig.clip_names
    base = sk.Layer(
        "Base",
        [sk.State(first), sk.State(second)],
        [
            sk.Transition("START", first),
            sk.Transition(first, second, time=0.3, conditions=[sk.Condition("go")]),
            sk.Transition(second, first, time=0.2, exit_time=0.8),
        ],
    )
    upper = sk.Layer("Upper", [sk.State(third)], [sk.Transition("START", third)], weight=0.4, blend="ADDITIVE")
    parameters = [sk.Parameter("go", "TRIGGER", False), sk.Parameter("x")]
    return sk.compile(sk.StateGraph([base, upper], parameters, name="test"), rig)


@pytest.fixture(autouse=True)
def _threads() -> Iterator[None]:
    before = default_workers().threads
    yield
    sk.set_threads(before)


def looks(crowd: Crowd) -> list[np.ndarray]:
    return [crowd.skinning_matrices.copy(), crowd.pose.copy(), crowd.model_matrices.copy()]


def same(first: list[np.ndarray], second: list[np.ndarray], rows: Any = slice(None)) -> bool:
    return all(np.array_equal(one[rows], two[rows]) for one, two in zip(first, second, strict=True))


class TestCharacters:
    def test_come_and_go(self, controller: Controller) -> None:
        crowd = Crowd(controller, 3)
        crowd.step(DT)
        handles = crowd.spawn(2, speed=[1.0, 2.0])
        assert len(crowd) == len(crowd.skinning_matrices) == 5
        assert crowd.active_state("Base").tolist()[3:] == ["START"] * 2
        crowd.step(DT)
        crowd.despawn([0, 3])
        assert crowd.world.is_alive(handles).tolist() == [False, True]
        assert len(crowd) == len(crowd.pose) == 3
        crowd.step(DT)
        assert len(crowd.joint("joint_3")) == 3

    def test_the_others_go_on_as_if_nothing_had_happened(self, controller: Controller) -> None:
        random = np.random.default_rng(0)
        crowd, alone = Crowd(controller, 8), Crowd(controller, 1)
        watched = crowd.entities[5]
        for number in range(40):
            if number % 7 == 3:
                crowd.trigger("go", where=crowd.entities == watched)
                alone.trigger("go")
            crowd.step(DT)
            alone.step(DT)
            row = int(np.flatnonzero(crowd.entities == watched)[0])
            assert same([array[row : row + 1] for array in looks(crowd)], looks(alone))
            crowd.spawn(int(random.integers(0, 3)))
            others = np.flatnonzero(crowd.entities != watched)
            crowd.despawn(random.permutation(others)[:2])

    def test_in_one_world_with_others(self, controller: Controller) -> None:
        world = sk.World()
        crowds = [Crowd(controller, 2, world=world), Crowd(controller, 3, world=world)]
        prop = world.spawn(1, transform=..., world_matrix=..., parent=crowds[1].entities[2])
        crowds[1].position[2] = [1.0, 2.0, 3.0]
        world.step(DT)
        assert [crowd.time for crowd in crowds] == [DT, DT]
        assert world.get(prop, "world_matrix")[0, :, 3].tolist() == [1.0, 2.0, 3.0]
        before = world.hash()
        saved = world.snapshot()
        world.despawn(crowds[0].entities)
        crowds[1].spawn(4)
        world.set(prop, "parent", np.uint64(0))
        world.step(DT)
        world.restore(saved)
        assert world.hash() == before
        assert [len(crowd) for crowd in crowds] == [2, 3]

    def test_poses_by_the_rules_of_playcanvas_move_with_their_rows(self, controller: Controller) -> None:
        crowd = Crowd(sk.compile(controller.graph, controller.rig, rules="playcanvas"), 4)
        crowd.set_speed([0.5, 1.0, 1.5, 2.0])
        for _ in range(3):
            crowd.step(0.1)
        last = crowd.skinning_matrices[3].copy()
        crowd.despawn([0])
        crowd.spawn(1)
        before = crowd.world.hash()
        assert np.array_equal(crowd.skinning_matrices[0], last)
        assert crowd.world.hash() == before
        assert not np.array_equal(crowd.skinning_matrices[3], last)

    @pytest.mark.parametrize(
        ("act", "message"),
        [
            (lambda crowd: setattr(crowd, "position", [1.0, np.nan, 0.0]), "position: the value at 1 is not finite"),
            (lambda crowd: setattr(crowd, "position", [1.0, 2.0]), "position: expected shape"),
            (lambda crowd: setattr(crowd, "rotation", "east"), "rotation: expected numbers"),
            (lambda crowd: setattr(crowd, "visible", [True]), "visible: expected shape"),
            (lambda crowd: setattr(crowd, "visible", 1.0), "visible: expected booleans"),
            (lambda crowd: crowd.set_interval(0), "interval: expected whole numbers from 1 to 64"),
            (lambda crowd: crowd.set_interval(1.5), "interval: expected whole numbers"),
            (lambda crowd: crowd.set_interval([1, 2]), "interval"),
            (lambda crowd: crowd.joint("joint_99"), "no joint 'joint_99'"),
            (lambda crowd: crowd.spawn(2, sped=1.0), "did you mean 'speed'"),
            (lambda crowd: crowd.spawn(2, speed=[1.0]), "speed: expected shape"),
            (lambda crowd: crowd.despawn(9), "there is no character 9"),
            (lambda crowd: crowd.plan(-1.0), "budget_ms: expected a number"),
            (lambda crowd: crowd.plan(1.0, viewpoint=(0, 0)), "viewpoint: expected shape"),
            (lambda crowd: crowd.skinning_blocks(0), "size: expected a whole number"),
            (lambda crowd: crowd.add_column("speed", np.int32), "component 'speed' is declared already"),
            (lambda crowd: Crowd(crowd.controller, 1, world=3), "world: expected a World, got int"),
        ],
    )
    def test_wrong_arguments(self, controller: Controller, act: Any, message: str) -> None:
        crowd = Crowd(controller, 3)
        crowd.step(DT)
        before = crowd.world.hash()
        with pytest.raises((ArgumentError, WorldError), match=message):
            act(crowd)
        assert crowd.world.hash() == before

    @pytest.mark.parametrize("column", ["parameters", "speed", "root_motion"])
    def test_columns_that_are_spoilt_stop_the_step(self, controller: Controller, column: str) -> None:
        crowd = Crowd(controller, 3)
        crowd.step(DT)
        values = crowd.column(column)
        values.view(np.float64).reshape(3, -1)[1, 0] = np.nan
        before = crowd.world.hash()
        with pytest.raises(WorldError, match=f"{column}: .*of character 1 "):
            crowd.step(DT)
        assert crowd.world.hash() == before


class TestPlaces:
    def test_joints_in_the_world(self, controller: Controller) -> None:
        crowd = Crowd(controller, 4)
        crowd.position = np.arange(12).reshape(4, 3)
        crowd.rotation[:] = [0.0, np.sqrt(0.5), 0.0, np.sqrt(0.5)]
        crowd.scale = 2.0 * np.ones(3)
        crowd.step(0.1)
        index = controller.rig.joint_index("joint_7")
        for _ in range(2):
            found = crowd.joint("joint_7")
            world, model = crowd.world_matrix, crowd.model_matrices[:, index]
            want = world[:, :, :3] @ model + np.eye(4)[3] * world[:, :, 3:]
            np.testing.assert_allclose(found, want, atol=1e-5)
            assert not np.array_equal(crowd.joint("joint_3"), found)
            crowd.step(0.1)

    def test_root_motion_moves_and_is_used_up(self, controller: Controller) -> None:
        crowd = Crowd(controller, 2)
        crowd.rotation[1] = [0.0, 1.0, 0.0, 0.0]  # half a turn

        @crowd.world.system(before="graph", writes="root_motion")
        def walk(root_motion: np.ndarray, dt: float) -> None:
            root_motion["translation"][:, 2] = 1.5 * dt

        for _ in range(4):
            crowd.step(0.5)
        np.testing.assert_allclose(crowd.position, [[0.0, 0.0, 3.0], [0.0, 0.0, -3.0]], atol=1e-12)
        crowd.world.remove_system("walk")
        crowd.step(0.5)
        np.testing.assert_allclose(crowd.position[:, 2], [3.0, -3.0])

    def test_columns_and_systems_of_ones_own(self, controller: Controller) -> None:
        crowd = Crowd(controller, 3)
        crowd.add_column("panic", np.float32, default=0.25)

        @crowd.world.system(before="graph", writes=["panic", "parameters"])
        def calm(panic: np.ndarray, parameters: np.ndarray, dt: float) -> None:
            panic -= dt
            parameters[:, 1] = panic

        crowd.step(0.125)
        assert crowd.get("x").tolist() == [0.125] * 3
        crowd.spawn(1)
        assert crowd.column("panic").tolist() == [0.125] * 3 + [0.25]

    def test_a_system_may_use_the_crowd(self, controller: Controller) -> None:
        crowd, fails = Crowd(controller, 3), [True]
        clips = [*controller.rig.clip_names, controller.rig.clip_names[0]]

        @crowd.world.system(writes=None)
        def hit() -> None:
            crowd.trigger("go", where=1)
            crowd.play_directional(clips, (0.0, 0.0, 1.0))
            if fails[0]:
                raise RuntimeError("missed")

        before = crowd.world.hash()
        with pytest.raises(WorldError, match="system 'hit': RuntimeError: missed; the world is as before the step"):
            crowd.step(DT)
        assert crowd.world.hash() == before
        fails[0] = False
        crowd.step(DT)
        crowd.step(DT)
        assert crowd.playback.layer_count == 3
        assert len(crowd.pose) == 3

    def test_a_system_must_say_that_it_does(self, controller: Controller) -> None:
        crowd = Crowd(controller, 3)
        crowd.world.add_system(lambda: crowd.trigger("go"), name="push")
        crowd.world.add_system(lambda: crowd.layer().transition(controller.rig.clip_names[1]), name="enter")
        for name in ("push", "enter"):
            before = crowd.world.hash()
            with pytest.raises(WorldError, match=f"system '{name}': .*read-?only"):
                crowd.step(DT)
            assert crowd.world.hash() == before
            crowd.world.remove_system(name)


class TestEvents:
    def test_columns_are_the_list(self, controller: Controller) -> None:
        crowd = Crowd(controller, 6)
        crowd.step(DT)
        crowd.step(0.5)
        events = crowd.events
        assert len(events) > 6
        for name in ("char", "layer", "clip", "name", "time", "weight"):
            assert getattr(events, name).tolist() == [getattr(event, name) for event in events]
        assert list(events[2:4]) == [events[2], events[3]]
        assert events == list(events)


class TestScale:
    def test_hidden_characters_go_on_but_their_poses_stay(self, controller: Controller) -> None:
        crowd, other = Crowd(controller, 6), Crowd(controller, 6)
        crowd.step(0.1)
        other.step(0.1)
        before = looks(crowd)
        crowd.visible[[1, 4]] = False
        for one in (crowd, other):
            one.trigger("go")
            one.step(0.2)
        now, want = looks(crowd), looks(other)
        assert same(now, before, [1, 4])
        assert same(now, want, [0, 2, 3, 5])
        assert crowd.events == other.events
        assert crowd.active_state().tolist() == other.active_state().tolist()
        crowd.visible = True
        assert same(looks(crowd), want)

    def test_intervals_take_turns_and_lose_no_time(self, controller: Controller) -> None:
        crowd, other = Crowd(controller, 8, timing="exact"), Crowd(controller, 8, timing="exact")
        crowd.set_interval(4, where=slice(2, 8))
        moved = np.zeros((12, 8), bool)
        passed: list[list[Any]] = [[], []]
        for number in range(12):
            before = crowd.skinning_matrices.copy()
            for seen, one in zip(passed, (crowd, other), strict=True):
                one.step(0.0625)
                seen += [(event.char, event.name, event.clip) for event in one.events]
            moved[number] = (crowd.skinning_matrices != before).any(axis=(1, 2, 3))
        assert moved[:, :2].all()
        assert (moved[4:, 2:].sum(axis=0) == 2).all()
        assert moved[4:8, 2:].any(axis=1).all()  # in every step it is somebody's turn
        crowd.set_interval(1)
        for seen, one in zip(passed, (crowd, other), strict=True):
            one.step(0.0625)
            seen += [(event.char, event.name, event.clip) for event in one.events]
        np.testing.assert_allclose(crowd.layer().time, other.layer().time)
        np.testing.assert_allclose(crowd.skinning_matrices, other.skinning_matrices, atol=1e-5)
        assert sorted(passed[0]) == sorted(passed[1])

    def test_a_plan_goes_by_distance_and_leaves_the_rest(self, controller: Controller) -> None:
        crowd = Crowd(controller, 2000, record=False)
        crowd.position = np.random.default_rng(0).normal(size=(2000, 3)) * 20.0
        crowd.step(DT)
        state = [column.copy() for name, column in crowd.table.items() if name != "interval"]
        generous = crowd.plan(1e5)
        assert generous.fits
        assert (crowd.column("interval") == 1).all()
        plan = crowd.plan(generous.measured_ms / 3.0, viewpoint=(5.0, 0.0, 0.0))
        interval, distance = crowd.column("interval"), np.linalg.norm(crowd.position - [5.0, 0.0, 0.0], axis=1)
        assert plan.expected_ms < generous.expected_ms
        assert (np.diff(interval[np.argsort(distance)]) >= 0).all()
        assert sum(band.count for band in plan.bands) == 2000
        assert "poses up to" in str(plan)
        after = [column for name, column in crowd.table.items() if name != "interval"]
        assert all(np.array_equal(one, two) for one, two in zip(state, after, strict=True))
        crowd.position = np.zeros(3)  # all at one place
        with crowd.world.record(), pytest.raises(WorldError, match="plan: the world is being recorded"):
            crowd.plan(1.0)
        hopeless = crowd.plan(0.0)
        assert not hopeless.fits
        assert "NOT within" in str(hopeless)
        assert (crowd.column("interval") == 64).all()

    def test_blocks_are_all_matrices(self, controller: Controller) -> None:
        crowd = Crowd(controller, 300)
        crowd.step(0.3)
        want = crowd.skinning_matrices.copy()
        seen = np.full_like(want, np.nan)
        for rows, matrices in crowd.skinning_blocks(128):
            seen[rows] = matrices
        assert np.array_equal(seen, want)


class TestSameBits:
    @pytest.mark.parametrize("timing", TIMINGS)
    @pytest.mark.parametrize(("threads", "chunk"), list(itertools.product([1, 2, 3, 7], [1, 16, 64, 1000])))
    def test_threads_and_chunks(self, timing: Timing, threads: int, chunk: int) -> None:
        rig = clock_rig({"a": 1.03, "b": 0.417, "c": 2.31}, {"a": [0.5], "b": [0.1, 0.2]})
        graph = random_graph(5)
        controller = sk.compile(graph, rig, random_bindings(5, graph, rig.clip_names))
        results = []
        for workers, size in ((Workers(1), 64), (Workers(threads), chunk)):
            random = np.random.default_rng(0)
            state, output = controller.new_state(400), new_output(controller, 400)
            seen = []
            for _ in range(8):
                state.values[:] = random.random(state.values.shape) * 2.0 - 0.5
                options: dict[str, Any] = {"timing": timing, "record": True, "workers": workers, "chunk": size}
                events = advance(controller, state, 0.09, output, **options)
                seen.append([*(array.tobytes() for array in output.playback.arrays()), events.tobytes()])
            results.append([seen, *(array.tolist() for array in state)])
        assert str(results[0]) == str(results[1])

    def test_threads_for_a_whole_crowd(self, controller: Controller) -> None:
        hashes, pictures = set(), []
        for threads in (1, 2, 3, 7):
            sk.set_threads(threads)
            crowd = Crowd(controller, 700, record=False)
            random = np.random.default_rng(1)
            for _ in range(6):
                crowd.trigger("go", where=random.random(700) < 0.1)
                crowd.step(0.11)
            hashes.add(crowd.world.hash())
            pictures.append(looks(crowd))
        assert len(hashes) == 1
        assert all(same(pictures[0], picture) for picture in pictures)

    @pytest.mark.parametrize("timing", TIMINGS)
    def test_a_snapshot_at_any_step(self, controller: Controller, timing: Timing) -> None:
        crowd = Crowd(controller, 20, timing=timing)
        random = np.random.default_rng(2)
        snapshots, hashes, inputs = [], [], []
        for _ in range(25):
            snapshots.append(crowd.world.snapshot())
            inputs.append((random.random(len(crowd)) < 0.2, int(random.integers(0, 3)), float(random.random() * 0.2)))
            drive(crowd, *inputs[-1])
            hashes.append(crowd.world.hash())
        for number in (0, 7, 24, 13):
            crowd.world.restore(snapshots[number])
            for step, wanted in zip(inputs[number:], hashes[number:], strict=True):
                drive(crowd, *step)
                assert crowd.world.hash() == wanted

    def test_a_replay_with_reactions(self, controller: Controller) -> None:
        crowd = Crowd(controller, 6)
        clips = list(controller.rig.clip_names)
        with crowd.world.record() as recording:
            for number in range(20):
                if number == 3:
                    crowd.play_directional([*clips, clips[0]], (1.0, 0.0, 0.0), fade=0.1, where=[1, 2])
                crowd.set("x", number * 0.1)
                crowd.step(0.1)
        end, pictures = crowd.world.hash(), looks(crowd)
        recording.replay()
        assert crowd.world.hash() == end
        assert same(looks(crowd), pictures)

    def test_a_difference_names_character_layer_and_stage(self, controller: Controller) -> None:
        recordings = []
        for nudge in (False, True):
            crowd = Crowd(controller, 6)
            with crowd.world.record() as recording:
                for number in range(8):
                    if nudge and number == 5:
                        crowd.layer("Upper").set_weight(0.5, where=4)
                    crowd.step(0.1)
            recordings.append(recording)
        found = sk.diff(*recordings)
        assert found is not None
        assert (found.step, found.row, found.layer, found.stage) == (5, 4, "Upper", "graph")
        assert (found.column, found.place) == ("layer_state", ("Upper", "weight"))


def drive(crowd: Crowd, go: np.ndarray, born: int, dt: float) -> None:
    crowd.trigger("go", where=go[: len(crowd)] if len(go) >= len(crowd) else np.resize(go, len(crowd)))
    crowd.step(dt)
    crowd.spawn(born)
    crowd.despawn(np.arange(min(1, len(crowd) - 1)))
