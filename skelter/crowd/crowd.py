"""Crowd: the handle on many characters that one controller drives."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from skelter.core.arrays import LocalPose, MorphWeights, SkinMatrices
from skelter.core.checks import as_array, check_finite, single_number
from skelter.core.errors import ArgumentError
from skelter.core.playback import PlaybackList
from skelter.crowd.components import character_rows, graph_rows
from skelter.crowd.directional import DirectionalClips, directional_clips, local_directions
from skelter.crowd.events import Event as Event
from skelter.crowd.events import Events, merged_events
from skelter.crowd.explanation import Explanation, explain
from skelter.crowd.inputs import (
    CharSelection,
    char_index,
    char_indices,
    char_values,
    column_values,
    parameter_values,
)
from skelter.crowd.layer import TIME_MAX, CrowdLayer
from skelter.crowd.motion import due_characters
from skelter.crowd.plan import Plan, make_plan
from skelter.crowd.poses import Poses
from skelter.crowd.reactions import Reactions
from skelter.crowd.run import GraphRun, check_timing, joined_playback
from skelter.crowd.snapshot import SavedCrowd, Snapshot
from skelter.crowd.systems import SPEED_MAX, animation_systems
from skelter.ecs.snapshot import update
from skelter.ecs.world import SPAWN_MAX, World, checked_count
from skelter.graph.advance import Timing
from skelter.graph.controller import Controller
from skelter.pose.layers import blend_morphs
from skelter.rig.rig import Rig

COUNT_MAX = SPAWN_MAX
TURN_COUNT = 64
"""Longest interval of steps in which a character advances once."""
RECORD_COUNT = 256
"""Crowds up to this size record why transitions are taken or not, unless they are told otherwise."""


class Crowd:
    """Characters that share a rig and a graph; each has parameters, states and times of its own.

        crowd = sk.Crowd(sk.compile(graph, rig), 1000)
        crowd.set("speed", speeds)              # one value for all, or one per character
        crowd.trigger("jump", where=[3, 7])
        crowd.step(1 / 60)
        matrices = crowd.skinning_matrices      # float32 [char, palette, 3, 4]

    A crowd is one table of a `World`: its characters are entities, and what it returns are views of columns where it
    says so. Such views are good until characters come or go; poses and matrices until the next step.

    Attributes:
        controller: The compiled graph.
        world: The world; `step` steps all of it.
        table: The table of the characters.
        time: Sum of all steps since the crowd was made [s].
    """

    def __init__(
        self,
        controller: Controller,
        count: int = 1,
        *,
        world: World | None = None,
        timing: Timing = "frame",
        record: bool | None = None,
    ) -> None:
        """Make ``count`` characters, all in START.

        Args:
            controller: A graph compiled for a rig.
            count: Number of characters.
            world: The world to put them into; by default one of their own.
            timing: ``frame``: at most one transition per layer and step, in the order of a frame. ``exact``:
                transitions happen when they are due, so that it does not matter how a time is split into steps.
            record: Keep why transitions are taken or not, for `explain`; by default in crowds up to 256 characters.

        Raises:
            ArgumentError: An argument makes no sense.
        """
        if not isinstance(controller, Controller):
            raise ArgumentError(
                f"controller: expected a Controller, got {type(controller).__name__}; make one with sk.compile"
            )
        total = checked_count(count)
        if world is not None and not isinstance(world, World):
            raise ArgumentError(f"world: expected a World, got {type(world).__name__}")
        check_timing(timing, controller)
        records = total <= RECORD_COUNT if record is None else bool(record)
        self.controller = controller
        self.world = World() if world is None else world
        systems = animation_systems(self.world)
        rows = character_rows(controller.rig) | graph_rows(controller, records)
        labels = {"layer": controller.layer_names, "parameter": controller.parameter_names}
        self.table = self.world.make_table(rows, shared={"controller": controller}, labels=labels)
        self.time = 0.0
        self._run = GraphRun(controller, self.table, timing, records)
        self._reactions = Reactions(controller.rig, self.world, self.table, timing)
        self._poses = Poses(controller.rig, self.table)
        self._next_turn = 0
        systems.add(self)
        self.spawn(total)

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        graph = self.controller.graph.name
        return f"<Crowd of {len(self)} {self.rig.name!r} with {graph!r} at {self.time:.4g} s>"

    @property
    def rig(self) -> Rig:
        """The rig that all characters share."""
        return self.controller.rig

    @property
    def playback(self) -> PlaybackList:
        """What every character plays since the last step."""
        return joined_playback(self._runs)

    # Characters and their columns

    def spawn(self, count: int = 1, **columns: ArrayLike) -> np.ndarray:
        """Add characters, in START, behind the others.

        Args:
            count: How many.
            **columns: Values of columns, one for all or one per new character.

        Returns:
            Handles of the entities, uint64 ``[count]``.

        Raises:
            ArgumentError: A value does not fit.
            WorldError: There is no such column.
        """
        total = checked_count(count)
        turns = (self._next_turn + np.arange(total)) % TURN_COUNT
        handles = self.world.spawn_rows(self.table, total, **({"turn": turns} | columns))
        self._next_turn += total
        return handles

    def despawn(self, where: CharSelection) -> None:
        """Remove characters; the last ones take their places.

        Raises:
            ArgumentError: There is no such character.
        """
        self.world.despawn(self.table.entities[char_indices(where, len(self))])

    @property
    def entities(self) -> np.ndarray:
        """Handles of the characters, uint64 ``[char]``."""
        return self.table.entities.copy()

    def column(self, name: str) -> np.ndarray:
        """Return a column ``[char, ...]``, a view; raise WorldError if there is none."""
        return self.table.column(name)

    def add_column(
        self, name: str, dtype: DTypeLike, shape: tuple[int, ...] = (), *, default: ArrayLike | None = None
    ) -> None:
        """Give every character another column, for systems of your own; as `World.declare`."""
        self.world.declare(name, dtype, shape, default=default)
        self.world.add_columns(self.table, {name: ...})

    @property
    def position(self) -> np.ndarray:
        """Where the characters are [m], float64 ``[char, 3]``, a view: ``crowd.position[:, 0] += 1``."""
        position: np.ndarray = self.table.column("transform")["position"]
        return position

    @position.setter
    def position(self, values: ArrayLike) -> None:
        self._set_transform("position", values)

    @property
    def rotation(self) -> np.ndarray:
        """How the characters are turned, quaternions xyzw, float64 ``[char, 4]``, a view."""
        rotation: np.ndarray = self.table.column("transform")["rotation"]
        return rotation

    @rotation.setter
    def rotation(self, values: ArrayLike) -> None:
        self._set_transform("rotation", values)

    @property
    def scale(self) -> np.ndarray:
        """Scales of the characters, float64 ``[char, 3]``, a view."""
        scale: np.ndarray = self.table.column("transform")["scale"]
        return scale

    @scale.setter
    def scale(self, values: ArrayLike) -> None:
        self._set_transform("scale", values)

    @property
    def world_matrix(self) -> np.ndarray:
        """Where the last step has put the characters, float32 ``[char, 3, 4]`` [m], a view."""
        return self.table.column("world_matrix")

    @property
    def visible(self) -> np.ndarray:
        """Which characters are seen, bool ``[char]``, a view.

        States, events and root motion of the others go on; their poses and matrices stay as they are, until characters
        come or go.
        """
        return self.table.column("visible")

    @visible.setter
    def visible(self, values: ArrayLike) -> None:
        self.table.column("visible")[:] = column_values("visible", values, np.dtype(np.bool_), len(self))

    def set_interval(self, interval: ArrayLike, *, where: CharSelection = None) -> None:
        """Let characters advance in one of so many steps only, by the time of all of them; they take turns.

        Args:
            interval: Whole numbers from 1 to 64, one for all selected characters or one for each.
            where: Which characters.

        Raises:
            ArgumentError: An interval makes no sense.
        """
        which = char_indices(where, len(self))
        values = char_values(interval, which, "interval")
        if (values != np.rint(values)).any() or (values < 1).any() or (values > TURN_COUNT).any():
            raise ArgumentError(f"interval: expected whole numbers from 1 to {TURN_COUNT}, got {interval!r}")
        self.table.column("interval")[which] = values.astype(np.int32)

    def plan(self, budget_ms: float, *, viewpoint: ArrayLike = (0.0, 0.0, 0.0)) -> Plan:
        """Set intervals so that a step with its skinning matrices stays within a budget, and say what is given up.

        The crowd is measured on this machine as it is now, with all systems of its world, for some steps, and the world
        is put back. The nearest characters advance in every step, farther ones in one of 2, 4, ... 64. Print the plan
        to see it.

        Args:
            budget_ms: Time for `step` and `skinning_matrices` together [ms].
            viewpoint: Where distances are measured from [m].

        Raises:
            ArgumentError: A number makes no sense.
            WorldError: The world is being recorded.
        """
        budget = single_number(budget_ms, "budget_ms", low=0.0, high=1e6, unit=" ms")
        point = as_array(viewpoint, np.float64, (3,), "viewpoint")
        check_finite(point, "viewpoint")
        return make_plan(self, budget, point)

    # Inputs

    def layer(self, name: str | int = 0) -> CrowdLayer:
        """Return a layer, by name or index; raise ArgumentError if there is none."""
        return CrowdLayer(self._run, self.controller.layer_index(name))

    def set(self, name: str, values: ArrayLike, *, where: CharSelection = None) -> None:
        """Set a parameter.

        Args:
            name: Name of the parameter.
            values: One value for all selected characters, or one for each.
            where: Which characters: indices, a mask, a slice, or None for all.

        Raises:
            ArgumentError: There is no such parameter, or a value does not fit its type; nothing is set then.
        """
        index = self.controller.parameter_index(name)
        which = char_indices(where, len(self))
        checked = parameter_values(values, which, name, self.controller.parameter_kind(index))
        state = self._run.state
        state.values[which, index] = checked
        state.single[which, index] = 0

    def get(self, name: str) -> np.ndarray:
        """Return a parameter ``[char]``, float64, int64 or bool; raise ArgumentError if there is none."""
        index = self.controller.parameter_index(name)
        column = self._run.state.values[:, index]
        kind = self.controller.parameter_kind(index)
        return column.astype({"FLOAT": np.float64, "INTEGER": np.int64}.get(kind, np.bool_))

    def trigger(self, name: str, *, where: CharSelection = None, single_frame: bool = False) -> None:
        """Set a trigger: it stays set until a transition uses it.

        Args:
            name: Name of the parameter.
            where: Which characters.
            single_frame: Reset it at the end of the next step, used or not.

        Raises:
            ArgumentError: There is no such parameter, or it is no trigger.
        """
        index = self._trigger_index(name)
        which = char_indices(where, len(self))
        self._run.state.values[which, index] = 1.0
        self._run.state.single[which, index] = bool(single_frame)

    def reset_trigger(self, name: str, *, where: CharSelection = None) -> None:
        """Take a trigger back.

        Raises:
            ArgumentError: There is no such parameter, or it is no trigger.
        """
        index = self._trigger_index(name)
        which = char_indices(where, len(self))
        self._run.state.values[which, index] = 0.0
        self._run.state.single[which, index] = 0

    def set_speed(self, speed: ArrayLike, *, where: CharSelection = None) -> None:
        """Set the factor by which the time of characters runs, in their graph and in reactions.

        Args:
            speed: One for all selected characters, or one for each; from 0 to a million.
            where: Which characters.

        Raises:
            ArgumentError: A speed is negative, too high or not finite; nothing is set then.
        """
        which = char_indices(where, len(self))
        speeds = char_values(speed, which, "speed")
        if (speeds < 0.0).any():
            place = int(np.flatnonzero(speeds < 0.0)[0])
            raise ArgumentError(
                f"speed: the one for character {which[place]} is {speeds[place]:g}; give a state a negative speed to"
                " play it backwards"
            )
        if (speeds > SPEED_MAX).any():
            place = int(np.argmax(speeds))
            raise ArgumentError(
                f"speed: the one for character {which[place]} is {speeds[place]:g}; at most {SPEED_MAX:g}"
            )
        self._run.state.speed[which] = speeds

    def reset(self, *, where: CharSelection = None) -> None:
        """Put characters back to the start: parameters to their first values, every layer to START and its weight.

        Layers that pause go on pausing, masks stay, and directional reactions end. The speed of the characters is 1
        again.
        """
        which = char_indices(where, len(self))
        state, fresh = self._run.state, self.controller.new_state(1)
        playing = state.machines["playing"][which]
        for mine, first in zip(state, fresh, strict=True):
            mine[which] = first[0]
        state.machines["playing"][which] = playing
        self.table.column("pending")[which] = 0.0
        self._reactions.end(which)

    def step(self, dt: float) -> None:
        """Advance the world of the crowd: all characters, and whatever else is in it.

        Args:
            dt: Length of the step [s], from 0 to an hour.

        Raises:
            ArgumentError: ``dt`` is negative, too long or no number.
            WorldError: A system failed, and nothing has changed.
        """
        self.world.step(dt)

    # Results

    def active_state(self, layer: str | int = 0) -> np.ndarray:
        """Return the names of the active states in a layer, text ``[char]``; raise ArgumentError if there is none."""
        return self.layer(layer).active

    @property
    def events(self) -> Events:
        """Events of clips that were passed in the last step, character by character."""
        parts = [Events(run.events, self.rig, run.controller.layer_names) for run in self._runs]
        return merged_events(parts, self.rig)

    def explain(
        self,
        char: int,
        target: str | None = None,
        *,
        layer: str | int | None = None,
        transition: int | None = None,
    ) -> Explanation:
        """Explain what a character did in the last step: which transition was taken, or what stood against each.

        Args:
            char: Index of the character.
            target: Only transitions to this state. By default those from states that were looked at.
            layer: Only this layer.
            transition: Only the transition at this place in the layer's list.

        Raises:
            ArgumentError: There is no such character, layer, state or transition, or steps were not recorded.
        """
        index = None if layer is None else self.controller.layer_index(layer)
        return explain(self._run, char_index(char, len(self)), self.time, index, target, transition)

    def verdicts(self, layer: str | int = 0) -> np.ndarray:
        """Return what became of each transition of a layer in the last step, for all characters at once.

        Returns:
            uint8 ``[char, transition]``: codes of `skelter.graph.verdict.Verdict`, in the order of the layer's list.

        Raises:
            ArgumentError: There is no such layer, or steps were not recorded.
        """
        if not self._run.record:
            raise ArgumentError("verdicts: nothing was recorded; make the crowd with record=True")
        record = self.controller.tables.layers[self.controller.layer_index(layer)]
        return self._run.output.verdict["code"][:, record["transition_start"] : record["transition_stop"]].copy()

    def play_directional(
        self,
        clips: DirectionalClips,
        direction: ArrayLike,
        *,
        heading: ArrayLike = 0.0,
        fade: float = 0.05,
        loop: bool = False,
        where: CharSelection = None,
    ) -> None:
        """Play a reaction on top of the graph, blended from clips by a direction in the world.

        The weights are the components of the direction around the character, so that between two clips both play. A
        reaction that runs begins anew.

        Args:
            clips: Clip per direction (``front``, ``back``, ``left``, ``right``, and the four between them), or a list
                in this order. ``front`` is what plays when the direction points to where the character looks.
            direction: Direction in the world, such as from the character to the attacker: ``[3]`` for all selected
                characters, or ``[char, 3]``. A direction without length is the front.
            heading: Turn of the characters around +Y [rad], 0 faces +Z; one for all or one per character.
            fade: Time to fade in, and out at the end [s].
            loop: True plays on until `stop_directional`.
            where: Which characters.

        Raises:
            ArgumentError: A clip or direction is unknown, or a number makes no sense; nothing plays then. Or the graph
                was compiled with the rules of PlayCanvas, under which a layer never lets go of what it has moved.
        """
        if self.controller.rules != "skelter":
            raise ArgumentError(
                f"play_directional: the graph was compiled with rules={self.controller.rules!r}, under which layers"
                " hold what they have moved; compile it with rules='skelter'"
            )
        which = char_indices(where, len(self))
        local = local_directions(direction, heading, len(which))
        span = single_number(fade, "fade", low=0.0, high=TIME_MAX, unit=" s")
        self._reactions.play(which, directional_clips(clips, self.rig), local, span, bool(loop))

    def set_direction(self, direction: ArrayLike, *, heading: ArrayLike = 0.0, where: CharSelection = None) -> None:
        """Change the direction of all reactions that play, as in `play_directional`."""
        which = char_indices(where, len(self))
        self._reactions.turn(which, local_directions(direction, heading, len(which)))

    def stop_directional(self, *, fade: float = 0.05, where: CharSelection = None) -> None:
        """Fade out all reactions [s]."""
        which = char_indices(where, len(self))
        self._reactions.stop(which, single_number(fade, "fade", low=0.0, high=TIME_MAX, unit=" s"))

    @property
    def pose(self) -> LocalPose:
        """Poses of the last step, float32 ``[char, block, 10, 16]``, relative to the parent joint."""
        return self._poses.local(self._runs)

    @property
    def morphs(self) -> MorphWeights:
        """Morph weights of the last step, float32 ``[char, morph]``."""
        if not self.rig.mesh.morph_names:
            return np.zeros((len(self), 0), np.float32)
        additive = np.concatenate([run.controller.additive for run in self._runs])
        return blend_morphs(self.rig, self.playback, additive=additive)

    @property
    def model_matrices(self) -> np.ndarray:
        """Matrices of all joints after the last step, float32 ``[char, joint, 3, 4]`` [m]: ``model_from_joint``."""
        return self._poses.model(self._runs)

    @property
    def skinning_matrices(self) -> SkinMatrices:
        """Skinning matrices of the last step, float32 ``[char, palette, 3, 4]`` [m]; copy them to keep them.

        What was read after the last step is computed in one go at the first reading after this one. Rows of characters
        that are not visible, or have not advanced, stay as they are.
        """
        return self._poses.skinning(self._runs)

    def joint(self, name: str) -> np.ndarray:
        """Return where a joint of all characters is in the world, float32 ``[char, 3, 4]`` [m].

        Raises:
            ArgumentError: There is no such joint.
        """
        local = self._poses.socket(self.rig.joint_index(name), self._runs)
        world = self.world_matrix
        matrices = world[:, :, :3] @ local
        matrices[:, :, 3] += world[:, :, 3]
        return np.asarray(matrices)

    def skinning_blocks(self, size: int = 4096) -> Iterator[tuple[slice, SkinMatrices]]:
        """Yield skinning matrices block by block, for crowds whose matrices would not fit into memory together.

        Args:
            size: Characters in a block.

        Yields:
            The characters of a block, and their matrices, float32 ``[some, palette, 3, 4]``; the next block takes the
            same memory.

        Raises:
            ArgumentError: The size makes no sense.
        """
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise ArgumentError(f"size: expected a whole number from 1, got {size!r}")
        return self._poses.blocks(size, self._runs)

    # Time travel

    def snapshot(self) -> Snapshot:
        """Return a copy of everything that steps change. `World.snapshot` covers all that is in the world."""
        return Snapshot(self.controller, self.table.save(), self._save())

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot: to its poses too, and the next step goes on from there.

        Args:
            snapshot: Of this crowd, or of another one of as many characters with the same controller.

        Raises:
            ArgumentError: It is no snapshot, or of another controller, or of another number of characters.
        """
        if not isinstance(snapshot, Snapshot):
            raise ArgumentError(
                f"snapshot: expected a Snapshot, got {type(snapshot).__name__}; crowd.snapshot() makes one"
            )
        if snapshot.controller is not self.controller:
            raise ArgumentError("snapshot: it is of a crowd with another controller")
        count = len(snapshot.table.entities)
        if count != len(self):
            raise ArgumentError(
                f"snapshot: it is of {count} characters, not {len(self)}; world.restore brings characters back, too"
            )
        self.table.restore(replace(snapshot.table, entities=self.table.entities))
        self._restore(snapshot.state)

    # Inside

    def _advance(self, dt: float) -> None:
        """Advance the graphs by a step, those characters whose turn it is."""
        span, due = due_characters(self.table, self.world.step_count, dt)
        self._run.step(span, due)
        self._reactions.step(span, due)
        self.time += dt
        self._poses.outdate(due)

    def _set_transform(self, name: str, values: ArrayLike) -> None:
        self.table.column("transform")[name] = column_values(name, values, np.dtype(np.float64), len(self))

    def _save(self) -> SavedCrowd:
        return SavedCrowd(self.time, self._run.save(), self._reactions.save(), self._next_turn)

    def _restore(self, saved: SavedCrowd) -> None:
        self.time, self._next_turn = saved.time, saved.next_turn
        self._run.restore(saved.run)
        self._reactions.restore(saved.reactions)
        self._poses.forget()

    def _digest(self) -> bytes:
        digest = hashlib.blake2b(repr((self.time, self._next_turn)).encode(), digest_size=16)
        for run in self._runs:
            digest.update(run.prefix.encode())
            update(digest, [run.events, run.mask])
        return digest.digest()

    @property
    def _runs(self) -> list[GraphRun]:
        return [self._run, *self._reactions.runs]

    def _trigger_index(self, name: str) -> int:
        index = self.controller.parameter_index(name)
        kind = self.controller.parameter_kind(index)
        if kind != "TRIGGER":
            raise ArgumentError(f"{name}: it is of type {kind}, no trigger; use set")
        return index
