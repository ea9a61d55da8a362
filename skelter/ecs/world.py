"""World: entities in tables, and the systems that a step runs over them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import EllipsisType, MappingProxyType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from skelter.core.checks import single_number
from skelter.core.errors import ArgumentError, WorldError, near_names, unknown_name
from skelter.ecs.commands import Commands
from skelter.ecs.component import Component, Values, check_same, declare, fitting
from skelter.ecs.entities import Entities, as_handles
from skelter.ecs.query import Query
from skelter.ecs.recording import Recording, start_recording
from skelter.ecs.snapshot import Part, WorldSnapshot, hash_world, restore_world, save_world
from skelter.ecs.stepping import check_systems, run_systems
from skelter.ecs.systems import GROUPS, Function, System, names_of, ordered, read_parameters
from skelter.ecs.table import Table
from skelter.ecs.transforms import TRANSFORM_COMPONENTS, Transforms

DT_MAX = 3600.0
"""Longest step [s]."""
SPAWN_MAX = 10_000_000
F = TypeVar("F", bound=Callable[..., Any])


class World:
    """Entities with components in columns, and systems.

        world = sk.World()
        world.declare("health", np.float32, default=1.0)
        handles = world.spawn(1000, health=0.5)

        @world.system(writes="health")
        def heal(health, dt):
            health += 0.1 * dt

        world.step(1 / 60)

    Entities with the same components share a table; each component is a column, one row per entity. Every world has
    the components ``transform`` (position [m], rotation xyzw, scale), ``parent``, ``world_matrix``, ``visible`` and
    ``bounds``.

    Attributes:
        time: Sum of all steps [s].
        step_count: Number of steps.
    """

    def __init__(self) -> None:
        self.time = 0.0
        self.step_count = 0
        self._components: dict[str, Component] = {}
        self._entities = Entities()
        self._tables: dict[int, Table] = {}
        self._open: dict[tuple[object, ...], Table] = {}
        self._next_table = 0
        self._systems: list[System] = []
        self._order: list[System] | None = None
        self._commands: Commands | None = None
        self._running: System | None = None
        self._recording: Recording | None = None
        self._parts: dict[str, Part] = {}
        for name, (dtype, default) in TRANSFORM_COMPONENTS.items():
            self.declare(name, dtype, np.shape(default), default=default, stage="transform")
        transforms = Transforms(self)
        self.add_trusted("transforms", transforms.run, group="transform", check=transforms.check)

    def __len__(self) -> int:
        return sum(len(table) for table in self._tables.values())

    def __repr__(self) -> str:
        return f"<World of {len(self)} entities in {len(self._tables)} tables at {self.time:.4g} s>"

    # Components

    @property
    def components(self) -> Mapping[str, Component]:
        """All components by name."""
        return MappingProxyType(self._components)

    def declare(
        self,
        name: str,
        dtype: DTypeLike,
        shape: Sequence[int | None] | int = (),
        *,
        default: ArrayLike | None = None,
        stage: str = "data",
        axes: Sequence[str] = (),
    ) -> None:
        """Declare a component. Declaring it again as the same is fine.

        Args:
            name: Its name; dots are allowed, and are underscores in the parameters of systems.
            dtype: Dtype of an element; records are fine.
            shape: Shape of a row; None is a length that each table has of its own.
            default: What entities have that are given nothing else; one value or a row. None is zeros.
            stage: Stage of a frame that it belongs to, for `skelter.diff`.
            axes: What the axes of a row are.

        Raises:
            WorldError: It is declared already, with another dtype or shape.
            ArgumentError: An argument makes no sense.
        """
        component = declare(name, dtype, shape, default, stage, axes)
        for other in self._components:
            if other != name and other.replace(".", "_") == name.replace(".", "_"):
                raise WorldError(f"component {name!r}: systems would take it for {other!r}; use another name")
        if name in self._components:
            check_same(self._components[name], component)
        else:
            self._components[name] = component

    # Entities

    def spawn(self, count: int = 1, **values: Values) -> np.ndarray:
        """Make entities with the components that are given; during a step they come to life at its end.

        Args:
            count: How many.
            **values: Value per component: one for all, or one per entity; ``...`` is the default.

        Returns:
            Handles, uint64 ``[count]``.

        Raises:
            WorldError: A component is not declared.
            ArgumentError: A value does not fit.
        """
        total = checked_count(count)
        names = tuple(values)
        self._check_fixed(values, "spawn cannot make one")
        given = self._given(values, total)
        return self._ask("spawn", total, names, given)

    def despawn(self, handles: ArrayLike) -> None:
        """Remove entities; during a step, at its end. One that is there twice is removed once.

        Raises:
            WorldError: One is not alive; nothing is removed then.
        """
        which = as_handles(handles)
        self._check_alive(which)
        self._ask("despawn", which)

    def is_alive(self, handles: ArrayLike) -> np.ndarray:
        """Return which handles are those of living entities, bool ``[some]``."""
        return self._entities.is_alive(as_handles(handles))

    def add(self, handles: ArrayLike, **values: Values) -> None:
        """Give components to entities; during a step, at its end. Those that have one already get the value.

        Args:
            handles: The entities.
            **values: Value per component: one for all, or one per entity; ``...`` is the default.

        Raises:
            WorldError: An entity is not alive, or in a sealed table, or a component is not declared.
            ArgumentError: A value does not fit.
        """
        which = as_handles(handles)
        self._check_alive(which)
        self._check_fixed(values, "add cannot give one; world.set changes it")
        given = self._given(values, len(which))
        self._check_open(which, tuple(values), missing=False)
        self._ask("add", which, tuple(values), given)

    def remove(self, handles: ArrayLike, *names: str) -> None:
        """Take components from entities; during a step, at its end. Those that do not have them stay as they are.

        Raises:
            WorldError: An entity is not alive, or in a sealed table, or a component is not declared.
        """
        which = as_handles(handles)
        self._check_alive(which)
        for name in names:
            self._component(name)
        self._check_open(which, names, missing=True)
        self._ask("remove", which, names)

    def has(self, handles: ArrayLike, name: str) -> np.ndarray:
        """Return which entities have a component, bool ``[some]``; raise WorldError if one is not alive."""
        self._component(name)
        tables, _ = self._entities.find(as_handles(handles))
        having = [number for number, table in self._tables.items() if name in table]
        return np.isin(tables, having)

    def get(self, handles: ArrayLike, name: str) -> np.ndarray:
        """Return the values of entities, a copy ``[some, ...]``.

        Raises:
            WorldError: An entity is not alive, or does not have the component.
        """
        which = as_handles(handles)
        groups = self._grouped(which, name)
        parts = [(places, table.column(name)[rows]) for table, places, rows in groups]
        if not parts:
            component = self._component(name)
            return np.zeros((0, *(length or 0 for length in component.shape)), component.dtype)
        if len({values.shape[1:] for _, values in parts}) > 1:
            raise WorldError(f"get: rows of {name!r} have another length in each table; ask for one table at a time")
        out = np.empty((len(which), *parts[0][1].shape[1:]), parts[0][1].dtype)
        for places, values in parts:
            out[places] = values
        return out

    def set(self, handles: ArrayLike, name: str, values: ArrayLike) -> None:
        """Set the values of entities, one for all or one per entity.

        Raises:
            WorldError: An entity is not alive, or does not have the component, or the running system may not write it.
            ArgumentError: The values do not fit; nothing is set then.
        """
        which = as_handles(handles)
        if self._running is not None and not self._running.trusted and not self._running.may_write(name):
            raise WorldError(f"system {self._running.name!r} does not say that it writes {name!r}; add it to writes")
        groups = self._grouped(which, name)
        checked = [self._fitting(name, values, len(which), table.default(name).shape) for table, _, _ in groups]
        for (table, places, rows), rows_values in zip(groups, checked, strict=True):
            table.column(name)[rows] = rows_values[places]

    def query(self, *names: str, without: str | Iterable[str] = ()) -> Query:
        """Ask for the entities that have all of some components, and none of others.

        Going through the query yields a view per table: ``view["health"]`` is a column, ``view.entities`` are the
        handles. Columns may be written, inside a system only those that it says it writes.

        Raises:
            WorldError: A component is not declared.
        """
        others = names_of(without, "without")
        for name in (*names, *others):
            if not isinstance(name, str):
                raise ArgumentError(f"query: expected names of components, got {name!r}; give them one by one")
            self._component(name)
        return Query(lambda: list(self._tables.values()), Table.column, names, others)

    # Tables

    @property
    def tables(self) -> tuple[Table, ...]:
        """All tables."""
        return tuple(self._tables.values())

    def make_table(
        self,
        defaults: Mapping[str, Values],
        *,
        shared: Mapping[str, object] | None = None,
        sealed: bool = True,
        labels: Mapping[str, tuple[str, ...]] | None = None,
    ) -> Table:
        """Make a table of its own, for entities that share assets.

        Args:
            defaults: Default row per component; ``...`` is that of the component.
            shared: What all entities share.
            sealed: Refuse that single entities get or lose components.
            labels: Names of what lies along an axis, by the name of the axis.

        Raises:
            WorldError: A component is not declared.
            ArgumentError: A default row does not fit.
        """
        table = Table(self._next_table, self._rows(defaults), shared or {}, sealed, labels)
        self._tables[table.number] = table
        self._next_table += 1
        return table

    def spawn_rows(self, table: Table, count: int, **values: ArrayLike) -> np.ndarray:
        """Make entities in a table; as `spawn`."""
        self._check_own(table)
        total = checked_count(count)
        for name in values:
            if name not in table:
                raise WorldError(unknown_name("component", name, table.names))
        given = {name: self._fitting(name, value, total, table.default(name).shape) for name, value in values.items()}
        return self._ask("spawn_rows", table, total, given)

    def add_columns(self, table: Table, defaults: Mapping[str, Values]) -> None:
        """Give components to all entities of a table, now and later."""
        self._check_own(table)
        rows = self._rows(defaults)
        for name in rows:
            if name in table:
                raise WorldError(f"component {name!r} is in the table already")
        table.add_columns(rows)
        self._forget_key(table)

    def remove_columns(self, table: Table, names: Iterable[str]) -> None:
        """Take components from all entities of a table; raise WorldError if it does not have one."""
        self._check_own(table)
        gone = tuple(dict.fromkeys(names_of(names, "names")))
        for name in gone:
            if name not in table:
                raise WorldError(unknown_name("component", name, table.names))
        table.remove_columns(gone)
        self._forget_key(table)

    # Systems

    def add_system(
        self,
        function: Function,
        *,
        name: str | None = None,
        group: str = "simulation",
        before: str | Iterable[str] = (),
        after: str | Iterable[str] = (),
        writes: str | Iterable[str] | None = (),
        without: str | Iterable[str] = (),
    ) -> None:
        """Add a system: a function over columns that every step calls, once for each table that has them.

        Its parameters are named like components, and get the columns ``[row, ...]``; or ``world``, ``dt`` [s],
        ``entities`` (handles). A function without columns is called once.

        Args:
            function: The function.
            name: Name of the system; by default that of the function.
            group: ``simulation``, ``transform`` or ``presentation``.
            before: Systems of the same group that it runs before.
            after: Systems of the same group that it runs after.
            writes: Components that it changes, also through the methods of a crowd; all others come read-only. None is
                every component.
            without: It passes over entities that have one of these components.

        Raises:
            ArgumentError: A parameter is called like nothing that there is, or an argument makes no sense.
            WorldError: There is a system of that name, or the order is impossible; it is not added then.
        """
        title = name or str(getattr(function, "__name__", "system"))
        names_of(title, "name")
        parameters = read_parameters(title, function, self._components)
        others = names_of(without, "without")
        changed = None if writes is None else names_of(writes, "writes")
        for component in (*others, *(changed or ())):
            self._component(component)
        self._add(
            System(
                title,
                function,
                group,
                names_of(before, "before"),
                names_of(after, "after"),
                changed,
                others,
                parameters,
            )
        )

    def system(self, function: F | None = None, /, **options: Any) -> Any:
        """Add a function as a system, as a decorator with the options of `add_system`."""

        def decorate(target: F) -> F:
            self.add_system(target, **options)
            return target

        return decorate if function is None else decorate(function)

    def add_trusted(
        self,
        name: str,
        run: Callable[[float], None],
        *,
        group: str = "simulation",
        before: tuple[str, ...] = (),
        after: tuple[str, ...] = (),
        check: Callable[[], None] | None = None,
    ) -> None:
        """Add a system that is called once with dt, and that fails in its check or not at all."""
        self._add(System(name, run, group, before, after, None, (), {}, check, trusted=True))

    def remove_system(self, name: str) -> None:
        """Remove a system; raise WorldError if there is none of that name, or another system names it."""
        known = {system.name: system for system in self._systems}
        if name not in known:
            raise WorldError(unknown_name("system", name, known))
        left = [system for system in self._systems if system.name != name]
        self._order = ordered(left)
        self._systems = left

    def owner(self, name: str) -> object:
        """Return the object whose method is the system of a name, or None."""
        functions = [system.function for system in self._systems if system.name == name]
        return getattr(functions[0], "__self__", None) if functions else None

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems, in the order in which a step runs them."""
        return tuple(system.name for system in self._plan())

    def step(self, dt: float) -> None:
        """Run all systems; then make the structural changes that they asked for.

        Args:
            dt: Length of the step [s], from 0 to an hour.

        Raises:
            ArgumentError: ``dt`` is negative, too long or no number.
            WorldError: A system failed: the world is as before the step. Or a system called this.
        """
        span = single_number(dt, "dt", low=0.0, high=DT_MAX, unit=" s")
        self._not_in_systems("step")
        plan = self._plan()
        check_systems(plan)
        if self._recording is not None:
            self._recording.begin_step()
        self._commands = Commands()
        try:
            run_systems(self, plan, span)
            commands, self._commands = self._commands, None
            commands.apply(self)
        finally:
            self._commands = None
            self._entities.promised = 0
        self.time += span
        self.step_count += 1
        if self._recording is not None:
            self._recording.end_step(span)

    # Time travel

    def attach(self, name: str, part: Part) -> None:
        """Let something outside of the columns belong to the world: to its snapshots, its hash and its steps."""
        if name in self._parts:
            raise WorldError(f"there is a part called {name!r} already")
        if not all(callable(getattr(part, method, None)) for method in ("save", "restore", "digest")):
            raise ArgumentError(f"part {name!r}: expected save, restore and digest, got {type(part).__name__}")
        self._parts[name] = part

    def part(self, name: str) -> Part | None:
        """Return the part of a name, or None."""
        return self._parts.get(name)

    def detach(self, name: str) -> None:
        """Let a part go; raise WorldError if there is none of that name."""
        if name not in self._parts:
            raise WorldError(unknown_name("part", name, self._parts))
        self._parts.pop(name)

    def snapshot(self) -> WorldSnapshot:
        """Return a copy of everything that steps and inputs change; systems and declarations are no part of it."""
        self._not_in_systems("snapshot")
        return save_world(self)

    def restore(self, snapshot: WorldSnapshot) -> None:
        """Go back to a snapshot of this world; the next step goes on from there, to the bit.

        Raises:
            ArgumentError: It is no snapshot, or of another world.
        """
        self._not_in_systems("restore")
        restore_world(self, snapshot)

    def record(self) -> Recording:
        """Begin to record what is done to the world and its steps, until `Recording.stop` or the end of a ``with``.

        Raises:
            WorldError: It is being recorded already.
        """
        self._not_in_systems("record")
        return start_recording(self)

    def hash(self) -> str:
        """Return 32 hex digits that are the same for worlds in the same state: entities, columns, parts and time."""
        return hash_world(self)

    # Inside

    def _ask(self, kind: str, *arguments: Any) -> Any:
        """Make a structural change, or queue it during a step."""
        if self._commands is not None:
            return self._commands.queue(self, kind, *arguments)
        return Commands().make(self, kind, *arguments)

    def _not_in_systems(self, what: str) -> None:
        if self._commands is not None:
            raise WorldError(f"{what}: a step is running; a system cannot call this")

    def _add(self, system: System) -> None:
        if system.group not in GROUPS:
            raise ArgumentError(f"system {system.name!r}: {unknown_name('group', system.group, GROUPS)}")
        if any(system.name == other.name for other in self._systems):
            raise WorldError(f"there is a system called {system.name!r} already; give this one another name")
        wished = [*self._systems, system]
        self._order = ordered(wished)
        self._systems = wished

    def _plan(self) -> list[System]:
        if self._order is None:
            self._order = ordered(self._systems)
        return self._order

    def _component(self, name: str) -> Component:
        component = self._components.get(name)
        if component is None:
            raise WorldError(
                f"component {name!r} is not declared{near_names(name, self._components)}; declare it with world.declare"
            )
        return component

    def _rows(self, defaults: Mapping[str, Values]) -> dict[str, np.ndarray]:
        rows = {}
        for name, value in defaults.items():
            component = self._component(name)
            row = component.default if isinstance(value, EllipsisType) else component.row(value)
            if row is None:
                raise ArgumentError(f"{name}: its rows have another length in each table; give a default row")
            rows[name] = row
        return rows

    def _given(self, values: Mapping[str, Values], count: int) -> dict[str, np.ndarray]:
        """Return those values that are not left to be the default, as ``[count, ...]``."""
        given = {}
        for name, value in values.items():
            shape = tuple(length or 0 for length in self._component(name).shape)
            if not isinstance(value, EllipsisType):
                given[name] = self._fitting(name, value, count, shape)
        return given

    def _fitting(self, name: str, values: ArrayLike, count: int, shape: tuple[int, ...]) -> np.ndarray:
        """Return values of a component as ``[count, *shape]``."""
        return fitting(name, values, self._component(name).dtype, count, shape)

    def _check_fixed(self, names: Iterable[str], what: str) -> None:
        for name in names:
            if self._component(name).default is None:
                raise WorldError(f"component {name!r} has rows of another length in each table; {what}")

    def _check_own(self, table: Table) -> None:
        if not isinstance(table, Table):
            raise ArgumentError(f"table: expected a Table, got {type(table).__name__}; world.make_table makes one")
        if self._tables.get(table.number) is not table:
            raise WorldError("table: it is of another world, or was made after the snapshot that was restored")

    def _forget_key(self, table: Table) -> None:
        """Let no entity find a table any more by components that it has no longer, or not alone."""
        self._open = {key: other for key, other in self._open.items() if other is not table}

    def _check_alive(self, handles: np.ndarray) -> None:
        pending = self._commands.pending if self._commands is not None else np.zeros(0, np.uint64)
        self._entities.find(handles[~np.isin(handles, pending)] if len(pending) else handles)

    def _check_open(self, handles: np.ndarray, names: tuple[str, ...], missing: bool) -> None:
        """Raise WorldError if entities in sealed tables would get or lose components."""
        for name in names:
            self._component(name)
        numbers, _ = self._entities.find(handles[self._entities.is_alive(handles)])
        tables = [self._tables[number] for number in np.unique(numbers).tolist()]
        if self._commands is not None:
            tables += self._commands.promised_tables(handles)
        for table in tables:
            changed = [name for name in names if (name in table) == missing]
            if table.sealed and changed:
                raise WorldError(
                    f"component {changed[0]!r}: the entities of this table share one set of components; give it to all"
                    " of them with world.add_columns, or use a column of booleans"
                )

    def _grouped(self, handles: np.ndarray, name: str) -> list[tuple[Table, np.ndarray, np.ndarray]]:
        """Return tables, places in ``handles``, and rows; raise WorldError if one is not alive or lacks a component."""
        self._component(name)
        numbers, rows = self._entities.find(handles)
        groups = []
        for number in np.unique(numbers).tolist():
            table, places = self._tables[number], np.flatnonzero(numbers == number)
            if name not in table:
                raise WorldError(
                    f"entity {int(handles[places[0]]):#x} has no component {name!r}; it has {', '.join(table.names)}"
                )
            groups.append((table, places, rows[places]))
        return groups


def checked_count(count: int) -> int:
    """Return a number of entities; raise ArgumentError if it is none."""
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or not 0 <= count <= SPAWN_MAX:
        raise ArgumentError(f"count: expected a whole number from 0 to {SPAWN_MAX}, got {count!r}")
    return int(count)
