"""Systems: their order, what they may write, what they ask for, and what happens when one fails."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from skelter.core.errors import ArgumentError, WorldError
from skelter.ecs.world import World


@pytest.fixture
def world() -> World:
    world = World()
    world.declare("health", np.float32, default=1.0)
    world.declare("speed", np.float64)
    return world


class TestOrder:
    def test_groups_then_wishes_then_as_they_came(self, world: World) -> None:
        seen: list[str] = []

        def system(name: str, **options: Any) -> None:
            world.add_system(lambda: seen.append(name), name=name, **options)

        system("draw", group="presentation")
        system("move")
        system("think")
        system("sense", before=["move"])
        system("plan", before="think", after="sense")
        world.step(0.1)
        assert seen == ["sense", "move", "plan", "think", "draw"]
        assert world.systems == ("sense", "move", "plan", "think", "transforms", "draw")

    def test_a_circle_is_named(self, world: World) -> None:
        world.add_system(lambda: None, name="a")
        world.add_system(lambda: None, name="b", after="a")
        with pytest.raises(
            WorldError, match=r"wish for a circle: (a -> b -> c -> a|b -> c -> a -> b|c -> a -> b -> c);"
        ):
            world.add_system(lambda: None, name="c", after="b", before="a")
        assert world.systems == ("a", "b", "transforms")

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"before": "thnik"}, "before: no system 'thnik'; did you mean 'think'"),
            ({"after": "transforms"}, "'transforms' is in group 'transform', and it is in 'simulation'"),
            ({"group": "rendering"}, "no group 'rendering'"),
            ({"name": "think"}, "there is a system called 'think' already"),
            ({"writes": "mana"}, "component 'mana' is not declared"),
            ({"without": "mana"}, "component 'mana' is not declared"),
            ({"before": 3}, "before: expected a name or names, got 3"),
        ],
    )
    def test_what_makes_no_sense(self, world: World, options: dict[str, Any], message: str) -> None:
        world.add_system(lambda: None, name="think")
        with pytest.raises((ArgumentError, WorldError), match=message):
            world.add_system(lambda: None, **({"name": "new"} | options))
        assert world.systems == ("think", "transforms")

    def test_parameters_that_are_no_components(self, world: World) -> None:
        with pytest.raises(ArgumentError, match=r"parameter 'helth' is no component.*did you mean 'health'"):
            world.add_system(lambda helth: None, name="x")
        with pytest.raises(ArgumentError, match=r"\*columns says nothing"):
            world.add_system(lambda *columns: None, name="x")
        with pytest.raises(ArgumentError, match="expected a function, got int"):
            world.add_system(3, name="x")  # type: ignore[arg-type]

    def test_one_that_others_name_cannot_go(self, world: World) -> None:
        world.add_system(lambda: None, name="a")
        world.add_system(lambda: None, name="b", after="a")
        with pytest.raises(WorldError, match="no system 'a'"):
            world.remove_system("a")
        world.remove_system("b")
        world.remove_system("a")
        assert world.systems == ("transforms",)


class TestColumns:
    def test_a_system_runs_once_per_table(self, world: World) -> None:
        first, second = world.spawn(2, health=1.0), world.spawn(3, health=2.0, speed=4.0)
        sizes: list[int] = []

        @world.system(writes="health")
        def grow(health: np.ndarray, dt: float, entities: np.ndarray) -> None:
            sizes.append(len(entities))
            health += dt

        world.step(0.5)
        assert sorted(sizes) == [2, 3]
        assert world.get([*first, *second], "health").tolist() == [1.5] * 2 + [2.5] * 3

    def test_only_what_is_declared_can_be_written(self, world: World) -> None:
        world.spawn(2, health=1.0, speed=2.0)

        @world.system(writes="speed")
        def cheat(health: np.ndarray, speed: np.ndarray) -> None:
            speed += 1.0
            health += 1.0

        before = world.hash()
        with pytest.raises(WorldError, match="ValueError: output array is read-only; name what it changes in writes="):
            world.step(0.1)
        assert world.hash() == before

    def test_queries_and_set_inside_a_system_obey_it_too(self, world: World) -> None:
        handles = world.spawn(2, health=1.0, speed=2.0)

        @world.system(writes="speed")
        def cheat(world: World) -> None:
            for view in world.query("health", "speed"):
                view["speed"][:] = 5.0
                assert not view["health"].flags.writeable
            world.set(handles, "health", 3.0)

        with pytest.raises(WorldError, match="does not say that it writes 'health'; add it to writes"):
            world.step(0.1)
        assert world.get(handles, "speed").tolist() == [2.0, 2.0]

    def test_none_is_all_parameters(self, world: World) -> None:
        handles = world.spawn(2, health=1.0, speed=2.0)
        world.add_system(lambda health, speed: health.__iadd__(speed), name="sum", writes=None)
        world.step(0.1)
        assert world.get(handles, "health").tolist() == [3.0, 3.0]

    def test_without(self, world: World) -> None:
        first, second = world.spawn(1, health=1.0), world.spawn(1, health=1.0, speed=0.0)
        world.add_system(lambda health: health.fill(9.0), name="x", writes="health", without="speed")
        world.step(0.1)
        assert world.get([*first, *second], "health").tolist() == [9.0, 1.0]


class TestChanges:
    def test_they_wait_for_the_end_of_the_step(self, world: World) -> None:
        world.spawn(3, health=[0.0, 1.0, 2.0])
        made: list[np.ndarray] = []
        alive: list[bool] = []

        @world.system()
        def act(health: np.ndarray, entities: np.ndarray, world: World) -> None:
            world.despawn(entities[health < 0.5])
            made.append(world.spawn(2, health=7.0))
            alive.append(bool(world.is_alive(made[-1]).any()))
            world.add(made[-1][:1], speed=3.0)
            made.append(world.spawn(1, health=8.0))
            world.despawn(made[-1])

        world.step(0.1)
        assert alive == [False]
        assert len(world) == 4
        assert world.is_alive(made[0]).all()
        assert not world.is_alive(made[1]).any()
        assert world.has(made[0], "speed").tolist() == [True, False]
        assert sorted(world.get(world.query("health").entities, "health").tolist()) == [1.0, 2.0, 7.0, 7.0]

    def test_what_a_promised_entity_cannot_do_yet(self, world: World) -> None:
        @world.system()
        def act(world: World) -> None:
            world.get(world.spawn(1, health=1.0), "health")

        with pytest.raises(WorldError, match="spawned at the end of this step"):
            world.step(0.1)

    @pytest.mark.parametrize("late", [True, False])
    def test_a_system_that_fails_leaves_the_world_as_it_was(self, world: World, late: bool) -> None:
        handles = world.spawn(4, health=1.0, speed=2.0, transform=..., world_matrix=...)
        world.step(0.1)
        before, time = world.hash(), world.time

        @world.system(writes=["health", "transform"])
        def change(health: np.ndarray, transform: np.ndarray, entities: np.ndarray, world: World) -> None:
            health += 1.0
            transform["position"] += 1.0
            world.despawn(entities[:1])
            world.spawn(5, health=3.0)

        @world.system(group="presentation" if late else "simulation", after=() if late else "change")
        def fail(speed: np.ndarray) -> None:
            raise KeyError("lost")

        for _ in range(2):
            with pytest.raises(WorldError, match="system 'fail': KeyError: 'lost'; the world is as before the step"):
                world.step(0.1)
            assert (world.hash(), world.time) == (before, time)
        world.remove_system("fail")
        world.step(0.1)
        assert len(world) == 8
        assert world.is_alive(handles).tolist() == [False, True, True, True]

    def test_a_step_in_a_step(self, world: World) -> None:
        for name in ("step", "snapshot"):
            world.add_system(lambda world, name=name: getattr(world, name)(*[0.1] * (name == "step")), name=name)
            with pytest.raises(WorldError, match=f"{name}: a step is running"):
                world.step(0.1)
            world.remove_system(name)
