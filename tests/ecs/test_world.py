"""Entities, components and tables: against a model made of dictionaries, and with everything that can be wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from skelter.core.errors import ArgumentError, WorldError
from skelter.ecs.world import World


@pytest.fixture
def world() -> World:
    world = World()
    world.declare("health", np.float32, default=1.0)
    world.declare("velocity", np.float64, (3,))
    world.declare("frozen", np.bool_)
    return world


class TestHandles:
    def test_every_entity_has_its_own(self, world: World) -> None:
        handles = np.concatenate([world.spawn(5, health=...), world.spawn(3, health=...), world.spawn(0)])
        assert handles.dtype == np.uint64
        assert len(set(handles.tolist())) == 8
        assert world.is_alive(handles).all()
        assert not world.is_alive([0]).any()

    def test_an_index_that_is_used_again_has_another_handle(self, world: World) -> None:
        old = world.spawn(3, health=...)
        world.despawn(old)
        new = world.spawn(3, health=...)
        assert sorted(new & np.uint64(0xFFFFFFFF)) == sorted(old & np.uint64(0xFFFFFFFF))
        assert not np.isin(new, old).any()
        assert world.is_alive([*old, *new]).tolist() == [False] * 3 + [True] * 3

    def test_an_old_handle_is_named(self, world: World) -> None:
        handles = world.spawn(3, health=...)
        world.despawn(handles[1])
        for act in (
            world.despawn,
            lambda which: world.get(which, "health"),
            lambda which: world.add(which, frozen=True),
        ):
            with pytest.raises(WorldError, match="the handle at 1, 0x100000002, is of an entity that was despawned"):
                act(handles)
        assert world.is_alive(handles).tolist() == [True, False, True]

    @pytest.mark.parametrize("handle", [0, 1 << 32 | 77, 5 << 32 | 1, 0xFFFFFFFFFFFFFFFF])
    def test_a_handle_that_was_never_given_out(self, world: World, handle: int) -> None:
        world.spawn(3, health=...)
        with pytest.raises(WorldError, match="was never given out by this world"):
            world.get(np.array([handle], np.uint64), "health")

    @pytest.mark.parametrize("handles", [[-1], [1.5], "all", [[1]], [True]])
    def test_what_is_no_handle(self, world: World, handles: Any) -> None:
        with pytest.raises((ArgumentError, WorldError), match=r"handles?:"):
            world.despawn(handles)

    def test_one_that_is_there_twice_is_removed_once(self, world: World) -> None:
        handles = world.spawn(4, health=...)
        world.despawn(handles[[1, 1, 2]])
        assert len(world) == 2


class TestComponents:
    def test_declaring_again_as_the_same_is_fine(self, world: World) -> None:
        world.declare("health", "float32", default=1.0)

    @pytest.mark.parametrize(
        ("dtype", "shape", "message"),
        [(np.float64, (), "with dtype float32, not float64"), (np.float32, (2,), r"with shape \[\], not \[2\]")],
    )
    def test_declaring_again_as_another(self, world: World, dtype: Any, shape: tuple[int, ...], message: str) -> None:
        with pytest.raises(WorldError, match=rf"component 'health' is declared already, {message}"):
            world.declare("health", dtype, shape)

    @pytest.mark.parametrize(
        ("act", "message"),
        [
            (lambda world: world.declare("two words", int), "name: expected a name such as 'health'"),
            (lambda world: world.declare("x", object), "no Python objects"),
            (lambda world: world.declare("x", "nonsense"), "is no dtype"),
            (lambda world: world.declare("x", int, (-1,)), "expected a shape"),
            (lambda world: world.declare("x", int, (3,), default=[1, 2]), "expected a default of shape"),
            (lambda world: world.declare("x", int, default="none"), "expected whole numbers"),
            (lambda world: world.spawn(2, heath=1.0), "'heath' is not declared; did you mean 'health'"),
            (lambda world: world.spawn(-1), "count: expected a whole number"),
            (lambda world: world.spawn(2.5), "count: expected a whole number"),
            (lambda world: world.spawn(2, health=[1.0, 2.0, 3.0]), r"or \[2\] for 2 entities, got \[3\]"),
            (lambda world: world.spawn(2, health="full"), "expected numbers of dtype float32, got <U4"),
            (lambda world: world.spawn(2, health=True), "expected numbers of dtype float32, got bool"),
            (lambda world: world.spawn(2, frozen=1.0), "expected booleans of dtype bool, got float64"),
            (lambda world: world.spawn(2, velocity=[1.0, 2.0]), r"velocity: expected shape \[3\] for all"),
            (lambda world: world.query("helth"), "did you mean 'health'"),
            (lambda world: world.query(["health"]), "query: expected names of components"),
            (lambda world: world.step(-1.0), "dt: expected a number from 0 to 3600 s, got -1.0"),
            (lambda world: world.step(float("nan")), "dt: expected a number"),
            (lambda world: world.step("soon"), "dt: expected a number"),
            (lambda world: world.restore("then"), "snapshot: expected a WorldSnapshot, got str"),
            (lambda world: world.restore(World().snapshot()), "it is of another world"),
        ],
    )
    def test_wrong_arguments(self, world: World, act: Callable[[World], Any], message: str) -> None:
        world.spawn(3, health=0.5)
        before = world.hash()
        with pytest.raises((ArgumentError, WorldError), match=message):
            act(world)
        assert world.hash() == before

    def test_values_and_defaults(self, world: World) -> None:
        handles = world.spawn(3, health=[1, 2, 3], velocity=[0, 1, 0], frozen=...)
        assert world.get(handles, "health").tolist() == [1.0, 2.0, 3.0]
        assert world.get(handles[::-1], "velocity").tolist() == [[0.0, 1.0, 0.0]] * 3
        assert world.get(handles, "frozen").tolist() == [False] * 3
        world.set(handles[[2, 0]], "health", [9, 8])
        assert world.get(handles, "health").tolist() == [8.0, 2.0, 9.0]

    def test_a_component_that_an_entity_lacks(self, world: World) -> None:
        handles = world.spawn(1, health=...)
        with pytest.raises(WorldError, match="entity 0x100000001 has no component 'frozen'; it has health"):
            world.get(handles, "frozen")

    def test_add_and_remove_move_entities_between_tables(self, world: World) -> None:
        handles = world.spawn(4, health=[1, 2, 3, 4])
        world.add(handles[1:3], velocity=[1, 2, 3], health=[20, 30])
        assert world.get(handles, "health").tolist() == [1.0, 20.0, 30.0, 4.0]
        assert world.has(handles, "velocity").tolist() == [False, True, True, False]
        world.remove(handles[1], "velocity", "frozen")
        assert world.has(handles, "velocity").tolist() == [False, False, True, False]
        assert world.get(handles, "health").tolist() == [1.0, 20.0, 30.0, 4.0]

    def test_a_sealed_table_keeps_its_components(self, world: World) -> None:
        table = world.make_table({"health": ...}, sealed=True)
        handles = world.spawn_rows(table, 2)
        with pytest.raises(WorldError, match="share one set of components"):
            world.add(handles, frozen=True)
        with pytest.raises(WorldError, match="share one set of components"):
            world.remove(handles, "health")
        world.add(handles, health=7.0)
        assert table.column("health").tolist() == [7.0, 7.0]


class TestQueries:
    def test_views_can_be_written(self, world: World) -> None:
        first, second = world.spawn(2, health=1.0), world.spawn(2, health=2.0, frozen=True)
        query = world.query("health")
        assert len(query) == 4
        for view in query:
            view["health"][:] += 1.0
        assert world.get([*first, *second], "health").tolist() == [2.0, 2.0, 3.0, 3.0]
        assert world.query("health", without="frozen").entities.tolist() == first.tolist()

    def test_a_world_that_changes_under_a_loop(self, world: World) -> None:
        world.spawn(2, health=...)
        world.spawn(2, health=..., frozen=...)
        views = iter(world.query("health"))
        world.despawn(next(views).entities[0])
        with pytest.raises(WorldError, match="collect their handles in the loop"):
            next(views)

    def test_columns_are_contiguous(self, world: World) -> None:
        world.spawn(100, velocity=...)
        for view in world.query("velocity"):
            assert view["velocity"].flags.c_contiguous


class Model:
    """The same world, as a dictionary per entity."""

    def __init__(self) -> None:
        self.entities: dict[int, dict[str, float]] = {}

    def check(self, world: World) -> None:
        assert len(world) == len(self.entities)
        handles = np.array(list(self.entities), np.uint64)
        assert world.is_alive(handles).all()
        for name in ("a", "b"):
            with_it = [handle for handle, values in self.entities.items() if name in values]
            assert world.has(handles, name).sum() == len(with_it)
            wanted = [self.entities[handle][name] for handle in with_it]
            assert world.get(np.array(with_it, np.uint64), name).tolist() == wanted


@pytest.mark.parametrize("seed", range(5))
def test_thousands_of_random_changes(seed: int) -> None:
    random, world, model = np.random.default_rng(seed), World(), Model()
    world.declare("a", np.float64)
    world.declare("b", np.float64)
    saved: tuple[Any, dict[int, dict[str, float]], str] | None = None
    gone: list[int] = []
    for number in range(400):
        kind = random.integers(7)
        alive = list(model.entities)
        some = [int(h) for h in random.permutation(np.array(alive, np.uint64))[: random.integers(0, 6)]]
        which = np.array(some, np.uint64)
        if kind == 0 or len(alive) < 5:
            names = [name for name in "ab" if random.random() < 0.6]
            values = {name: random.random(4) for name in names}
            for place, handle in enumerate(world.spawn(4, **values).tolist()):
                model.entities[handle] = {name: values[name][place] for name in names}
        elif kind == 1:
            world.despawn(which)
            gone += some
            for handle in some:
                del model.entities[handle]
        elif kind == 2:
            world.add(which, b=float(number))
            for handle in some:
                model.entities[handle]["b"] = float(number)
        elif kind == 3:
            world.remove(which, "a")
            for handle in some:
                model.entities[handle].pop("a", None)
        elif kind == 4:
            saved = (world.snapshot(), {h: dict(v) for h, v in model.entities.items()}, world.hash())
        elif kind == 5 and saved is not None:
            world.restore(saved[0])
            model.entities = {h: dict(v) for h, v in saved[1].items()}
            assert world.hash() == saved[2]
            gone = []
        elif kind == 6:
            for view in world.query("a"):
                view["a"][:] *= 2.0
            for values in model.entities.values():
                if "a" in values:
                    values["a"] *= 2.0
        model.check(world)
        assert not world.is_alive(np.array(gone, np.uint64)).any()


def test_memory_stays_flat() -> None:
    world = World()
    world.declare("x", np.float64, (8,))
    random = np.random.default_rng(0)
    alive = np.zeros(0, np.uint64)
    rooms = []
    for _ in range(300):
        alive = np.concatenate([alive, world.spawn(400, x=...)])
        leave = random.permutation(len(alive))
        world.despawn(alive[leave[:400]])
        alive = alive[leave[400:]]
        if len(alive) < 100:
            alive = np.concatenate([alive, world.spawn(100, x=...)])
        rooms.append(sum(len(table._entities) for table in world.tables))
    assert max(rooms) <= 2048
    assert len(world._entities.generation) <= 2048
