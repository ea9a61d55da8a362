"""The systems that animation adds to a world: graphs in the simulation, root motion before the transforms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from skelter.core.arrays import LANE_COUNT
from skelter.core.errors import WorldError
from skelter.crowd.components import declare_columns
from skelter.crowd.motion import move_characters
from skelter.ecs.diff import Difference
from skelter.ecs.recording import changed_rows
from skelter.ecs.world import World

if TYPE_CHECKING:
    from skelter.crowd.crowd import Crowd

PART = "animation"
SPEED_MAX = 1e6
"""Highest speed of a character: steps of up to an hour stay numbers that can be computed with."""
CHANNELS = ("qx", "qy", "qz", "qw", "tx", "ty", "tz", "sx", "sy", "sz")


class AnimationSystems:
    """The crowds of a world, as the part of it that is in no column."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._all: list[Crowd] = []

    @property
    def crowds(self) -> list[Crowd]:
        """The crowds whose characters are in the world: `World.restore` may have gone back to before others."""
        tables = self._world.tables
        return [crowd for crowd in self._all if crowd.table in tables]

    def add(self, crowd: Crowd) -> None:
        """Let a crowd belong to the world."""
        self._all = [*self.crowds, crowd]

    def check(self) -> None:
        """Raise WorldError if a number that a step begins with is none."""
        for crowd in self.crowds:
            for name in ("parameters",):
                column = crowd.column(name)
                if not np.isfinite(column).all():
                    row = int(np.argwhere(~np.isfinite(column))[0][0])
                    raise WorldError(f"{name}: those of character {row} are {column[row].tolist()}, not finite numbers")
            for name, high in (("speed", SPEED_MAX), ("pending", np.inf)):
                column = crowd.column(name)
                wrong = ~((column >= 0.0) & (column <= high) & np.isfinite(column))
                if wrong.any():
                    row = int(np.argmax(wrong))
                    raise WorldError(f"{name}: that of character {row} is {column[row]:g}; expected a number from 0")

    def step(self, dt: float) -> None:
        """Advance the graphs of all crowds."""
        for crowd in self.crowds:
            crowd._advance(dt)

    def check_motion(self) -> None:
        """Raise WorldError if a root motion is none."""
        for crowd in self.crowds:
            numbers = crowd.column("root_motion").view(np.float64).reshape(-1, 7)
            if not np.isfinite(numbers).all():
                row = int(np.argwhere(~np.isfinite(numbers))[0][0])
                raise WorldError(f"root_motion: that of character {row} is {numbers[row].tolist()}, not finite")

    def move(self, _dt: float) -> None:
        """Move characters by their root motion of this step, which is used up by it."""
        for crowd in self.crowds:
            move_characters(crowd.table)

    def save(self) -> list[tuple[Crowd, Any]]:
        """Return what changes and is in no column."""
        return [(crowd, crowd._save()) for crowd in self.crowds]

    def restore(self, saved: list[tuple[Crowd, Any]]) -> None:
        """Go back to what was saved."""
        self._all = [crowd for crowd, _ in saved]
        for crowd, state in saved:
            crowd._restore(state)

    def difference(self, step: int, other: AnimationSystems) -> Difference | None:
        """Return where the poses of the crowds of two worlds differ first: another engine may show another pose."""
        for mine, theirs in zip(self.crowds, other.crowds, strict=True):
            if len(mine) != len(theirs):
                continue
            rows = changed_rows(mine.pose, theirs.pose)
            if len(rows):
                row = int(rows[0])
                block, channel, lane = np.argwhere(mine.pose[row] != theirs.pose[row])[0].tolist()
                names = mine.rig.joint_names
                joint = block * LANE_COUNT + lane
                place = (names[joint] if joint < len(names) else joint, CHANNELS[channel])
                values = (float(crowd.pose[row, block, channel, lane]) for crowd in (mine, theirs))
                return Difference(step, mine.time, row, int(mine.entities[row]), None, "pose", "pose", place, *values)
        return None

    def digest(self) -> bytes:
        """Return bytes that are the same for the same state."""
        return b"".join(crowd._digest() for crowd in self.crowds)


def animation_systems(world: World) -> AnimationSystems:
    """Return the part of a world that belongs to animation; the first time, its columns and systems are added."""
    part = world.part(PART)
    if isinstance(part, AnimationSystems):
        return part
    systems = world.owner("graph")
    if isinstance(systems, AnimationSystems):  # the world was restored to before it had crowds
        world.attach(PART, systems)
        return systems
    systems = AnimationSystems(world)
    declare_columns(world)
    world.attach(PART, systems)
    world.add_trusted("graph", systems.step, check=systems.check)
    world.add_trusted(
        "root_motion", systems.move, group="transform", before=("transforms",), check=systems.check_motion
    )
    return systems
