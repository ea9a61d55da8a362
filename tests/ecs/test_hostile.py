"""What hostile use must not do to a world: tables of others, queues that fail, structure that a failed step leaves."""

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
    world.declare("frozen", np.bool_)
    world.declare("tag", "U4")
    world.declare("numbers", np.float64, (None,))
    return world


class Part:
    """A part without state."""

    def save(self) -> None:
        """Keep nothing."""

    def restore(self, saved: None) -> None:
        """Put nothing back."""

    def digest(self) -> bytes:
        return b"part"


class TestTables:
    def test_one_of_another_world(self, world: World) -> None:
        table = World().make_table({"visible": ...})
        for act in (
            lambda: world.spawn_rows(table, 2),
            lambda: world.add_columns(table, {"health": ...}),
            lambda: world.remove_columns(table, ["visible"]),
        ):
            with pytest.raises(WorldError, match="it is of another world"):
                act()
        assert table.names == ("visible",)
        assert len(table) == 0

    def test_one_that_a_restore_has_dropped(self, world: World) -> None:
        before = world.snapshot()
        table = world.make_table({"health": ...})
        world.restore(before)
        world.make_table({"frozen": ...})
        with pytest.raises(WorldError, match="made after the snapshot"):
            world.spawn_rows(table, 2)

    def test_removing_columns_is_all_or_nothing(self, world: World) -> None:
        table = world.make_table({"health": ..., "frozen": ...})
        with pytest.raises(WorldError, match="no component 'frozn'; did you mean 'frozen'"):
            world.remove_columns(table, ["health", "frozn"])
        assert table.names == ("health", "frozen")
        world.remove_columns(table, "health")
        assert table.names == ("frozen",)

    def test_spawned_entities_have_what_they_were_given_and_no_more(self, world: World) -> None:
        world.spawn(2, health=...)
        world.add_columns(world.tables[0], {"frozen": ...})
        assert not world.has(world.spawn(2, health=...), "frozen").any()

    def test_rows_of_a_length_of_their_own_move_with_entities(self, world: World) -> None:
        table = world.make_table({"numbers": [1.0, 2.0]}, sealed=False)
        handles = world.spawn_rows(table, 2)
        world.add(handles[:1], health=3.0)
        assert world.get(handles, "numbers").tolist() == [[1.0, 2.0]] * 2

    def test_handles_cannot_be_written(self, world: World) -> None:
        world.spawn(2, health=...)
        (view,) = world.query("health")
        assert not view.entities.flags.writeable


class TestSteps:
    def test_a_promised_entity_of_a_sealed_table_keeps_its_components(self, world: World) -> None:
        table = world.make_table({"health": ...})
        world.add_system(lambda: world.add(world.spawn_rows(table, 2), frozen=True), name="act")
        with pytest.raises(WorldError, match="share one set of components"):
            world.step(0.1)
        assert len(world) == 0

    def test_a_queue_whose_column_goes_is_made_all_the_same(self, world: World) -> None:
        table = world.make_table({"health": ..., "frozen": ...})

        @world.system(writes=None)
        def act(world: World) -> None:
            world.spawn(3, frozen=...)
            world.spawn_rows(table, 2, health=3.0)
            world.remove_columns(table, "health")

        world.step(0.1)
        assert (len(world), table.names, world.step_count) == (5, ("frozen",), 1)

    def test_structure_that_a_failed_step_has_made_is_gone(self, world: World) -> None:
        @world.system(writes=None)
        def act(world: World) -> None:
            world.declare("new", float)
            world.make_table({"new": ...})
            world.add_system(lambda: None, name="other")
            world.attach("part", Part())
            world.time = 5.0
            raise ValueError("no")

        before = world.hash()
        for _ in range(2):
            with pytest.raises(WorldError, match="system 'act': ValueError: no"):
                world.step(0.1)
            assert world.hash() == before
        assert (world.tables, world.systems, world.time) == ((), ("act", "transforms"), 0.0)
        assert "new" not in world.components

    def test_a_column_that_a_failed_step_has_replaced_is_back(self, world: World) -> None:
        table = world.make_table({"numbers": [1.0, 2.0]})
        handles = world.spawn_rows(table, 3)

        @world.system(writes=None)
        def act(world: World) -> None:
            world.remove_columns(table, "numbers")
            world.add_columns(table, {"numbers": [4.0, 5.0, 6.0]})
            raise ValueError("no")

        with pytest.raises(WorldError, match="ValueError: no"):
            world.step(0.1)
        assert world.get(handles, "numbers").tolist() == [[1.0, 2.0]] * 3
        assert table.default("numbers").tolist() == [1.0, 2.0]

    def test_a_system_may_put_right_what_a_later_one_needs(self, world: World) -> None:
        handles = world.spawn(2, transform=..., world_matrix=..., parent=...)
        world.set(handles[1], "parent", handles[0])
        world.despawn(handles[0])

        @world.system(writes="parent")
        def let_go(parent: np.ndarray, world: World) -> None:
            parent[~world.is_alive(parent)] = 0

        world.step(0.1)
        assert world.get(handles[1], "parent").tolist() == [0]

    @pytest.mark.parametrize(("field", "value"), [("position", 1e39), ("scale", 1e39), ("rotation", 1e200)])
    def test_a_transform_that_does_not_fit_a_world_matrix(self, world: World, field: str, value: float) -> None:
        world.spawn(2, transform=..., world_matrix=...)
        (view,) = world.query("transform")
        view["transform"][field][1] = value
        with pytest.raises(WorldError, match=f"row 1: its {field} is .*too large"):
            world.step(0.1)


async def later() -> None:
    """Do nothing, later."""


def by_place(health: np.ndarray, /) -> None:
    """Take a column by place."""


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda world: world.spawn(1, health=1e300), "values that dtype float32 can hold"),
        (lambda world: world.spawn(1, tag="healthy"), "text that dtype <U4 can hold, got up to 7 letters"),
        (lambda world: world.spawn(1, transform=np.zeros(1, [("position", float, 2)])), "expected records"),
        (lambda world: world.add(world.spawn(0), numbers=...), "rows of another length in each table"),
        (lambda world: world.declare("dt", float), "'dt' means something else"),
        (lambda world: world.declare("world.matrix", float), "systems would take it for 'world_matrix'"),
        (lambda world: world.declare("x", float, 3.5), "expected a shape"),
        (lambda world: world.declare("x", float, (10**12,)), "expected a shape"),
        (lambda world: world.declare("x", "3f4"), "single elements"),
        (lambda world: world.declare("x", str), "single elements with a size"),
        (lambda world: world.attach("x", 3), "expected save, restore and digest, got int"),
        (lambda world: world.detach("x"), "no part 'x'"),
        (lambda world: world.add_system(later), "expected a plain function"),
        (lambda world: world.add_system(by_place), "drop the slash"),
        (lambda world: world.add_system(dict), "cannot be read"),
        (lambda world: world.add_system(lambda: None, name=3), "name: expected a name"),
    ],
)
def test_wrong_arguments(world: World, act: Callable[[World], Any], message: str) -> None:
    before = world.hash()
    with pytest.raises((ArgumentError, WorldError), match=message):
        act(world)
    assert world.hash() == before
    world.step(0.1)
