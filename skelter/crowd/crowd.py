"""Crowd: the handle on many characters that one controller drives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skelter.core.arrays import LocalPose, MorphWeights, SkinMatrices
from skelter.core.errors import ArgumentError
from skelter.core.playback import PlaybackList
from skelter.crowd.directional import DirectionalClips, directional_clips, local_directions
from skelter.crowd.explanation import Explanation, explain
from skelter.crowd.inputs import (
    CharSelection,
    char_index,
    char_indices,
    char_values,
    parameter_values,
    single_number,
)
from skelter.crowd.layer import TIME_MAX, CrowdLayer
from skelter.crowd.reactions import Key, Reactions, SavedReaction
from skelter.crowd.run import GraphRun, SavedRun, joined_playback
from skelter.engines.cpu.pipeline import animate, skinning_matrices
from skelter.graph.advance import Timing
from skelter.graph.controller import Controller
from skelter.pose.layers import blend_layers, blend_morphs
from skelter.rig.rig import Rig

COUNT_MAX = 10_000_000
SPEED_MAX = 1e6
"""Highest speed of a character: steps of up to an hour stay numbers that can be computed with."""
RECORD_COUNT = 256
"""Crowds up to this size record why transitions are taken or not, unless they are told otherwise."""


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a clip that a character has passed.

    Attributes:
        char: The character.
        layer: Name of the layer.
        clip: Name of the clip.
        name: Name of the event.
        payload: What the clip says about it.
        time: Clip time of the event [s].
        weight: Weight of the clip in its layer, times the weight of the layer.
    """

    char: int
    layer: str
    clip: str
    name: str
    payload: Any
    time: float
    weight: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Snapshot:
    """A crowd at a moment; `Crowd.restore` goes back to it.

    Attributes:
        controller: Controller of the crowd.
        time: Time of the crowd [s].
        main: State of its graph.
        reactions: State of the directional reactions.
    """

    controller: Controller
    time: float
    main: SavedRun
    reactions: dict[Key, SavedReaction]

    def __repr__(self) -> str:
        return f"<Snapshot of {len(self.main.state.values)} characters at {self.time:.4g} s>"


class Crowd:
    """Characters that share a rig and a graph; each has parameters, states and times of its own.

        crowd = sk.Crowd(sk.compile(graph, rig), 1000)
        crowd.set("speed", speeds)              # one value for all, or one per character
        crowd.trigger("jump", chars=[3, 7])
        crowd.step(1 / 60)
        matrices = crowd.skinning_matrices()    # float32 [char, palette, 3, 4]

    Attributes:
        controller: The compiled graph.
        time: Time since the start [s], float64: the sum of all steps.
    """

    def __init__(
        self, controller: Controller, count: int = 1, *, timing: Timing = "frame", record: bool | None = None
    ) -> None:
        """Make ``count`` characters, all in START.

        Args:
            controller: A graph compiled for a rig.
            count: Number of characters.
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
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or not 0 <= count <= COUNT_MAX:
            raise ArgumentError(f"count: expected a whole number from 0 to {COUNT_MAX}, got {count!r}")
        self.controller = controller
        self.time = 0.0
        self._run = GraphRun(controller, int(count), timing, count <= RECORD_COUNT if record is None else bool(record))
        self._reactions = Reactions(controller.rig, timing, self._run.state.speed)

    def __len__(self) -> int:
        return len(self._run.state.values)

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

    def layer(self, name: str | int = 0) -> CrowdLayer:
        """Return a layer, by name or index; raise ArgumentError if there is none."""
        return CrowdLayer(self._run, self.controller.layer_index(name))

    def set(self, name: str, values: ArrayLike, *, chars: CharSelection = None) -> None:
        """Set a parameter.

        Args:
            name: Name of the parameter.
            values: One value for all selected characters, or one for each.
            chars: Which characters: indices, a mask, a slice, or None for all.

        Raises:
            ArgumentError: There is no such parameter, or a value does not fit its type; nothing is set then.
        """
        index = self.controller.parameter_index(name)
        which = char_indices(chars, len(self))
        checked = parameter_values(values, which, name, self.controller.parameter_kind(index))
        self._run.state.values[which, index] = checked
        self._run.state.single[which, index] = 0

    def get(self, name: str) -> np.ndarray:
        """Return a parameter ``[char]``, float64, int64 or bool; raise ArgumentError if there is none."""
        index = self.controller.parameter_index(name)
        column = self._run.state.values[:, index]
        kind = self.controller.parameter_kind(index)
        return column.astype({"FLOAT": np.float64, "INTEGER": np.int64}.get(kind, np.bool_))

    def trigger(self, name: str, *, chars: CharSelection = None, single_frame: bool = False) -> None:
        """Set a trigger: it stays set until a transition uses it.

        Args:
            name: Name of the parameter.
            chars: Which characters.
            single_frame: Reset it at the end of the next step, used or not.

        Raises:
            ArgumentError: There is no such parameter, or it is no trigger.
        """
        index = self._trigger_index(name)
        which = char_indices(chars, len(self))
        self._run.state.values[which, index] = 1.0
        self._run.state.single[which, index] = bool(single_frame)

    def reset_trigger(self, name: str, *, chars: CharSelection = None) -> None:
        """Take a trigger back.

        Raises:
            ArgumentError: There is no such parameter, or it is no trigger.
        """
        index = self._trigger_index(name)
        which = char_indices(chars, len(self))
        self._run.state.values[which, index] = 0.0
        self._run.state.single[which, index] = 0

    def set_speed(self, speed: ArrayLike, *, chars: CharSelection = None) -> None:
        """Set the factor by which the time of characters runs, in their graph and in reactions.

        Args:
            speed: One for all selected characters, or one for each; from 0 to a million.
            chars: Which characters.

        Raises:
            ArgumentError: A speed is negative, too high or not finite; nothing is set then.
        """
        which = char_indices(chars, len(self))
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

    def reset(self, *, chars: CharSelection = None) -> None:
        """Put characters back to the start: parameters to their first values, every layer to START and its weight.

        Layers that pause go on pausing, masks stay, and directional reactions end. The speed of the characters is 1
        again.
        """
        which = char_indices(chars, len(self))
        fresh = self.controller.new_state(1)
        playing = self._run.state.machines["playing"][which]
        for mine, first in zip(self._run.state, fresh, strict=True):
            mine[which] = first[0]
        self._run.state.machines["playing"][which] = playing
        self._reactions.end(which)

    def step(self, dt: float) -> None:
        """Advance all characters.

        Args:
            dt: Length of the step [s], from 0 to an hour.

        Raises:
            ArgumentError: ``dt`` is negative, too long or no number.
        """
        span = single_number(dt, "dt", low=0.0, high=TIME_MAX, unit=" s")
        self._run.step(span)
        self._reactions.step(span)
        self.time += span

    @property
    def events(self) -> list[Event]:
        """Events of clips that were passed in the last step, character by character."""
        return sorted((event for run in self._runs for event in _events(run)), key=lambda event: event.char)

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
        chars: CharSelection = None,
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
            chars: Which characters.

        Raises:
            ArgumentError: A clip or direction is unknown, or a number makes no sense; nothing plays then. Or the graph
                was compiled with the rules of PlayCanvas, under which a layer never lets go of what it has moved.
        """
        if self.controller.rules != "skelter":
            raise ArgumentError(
                f"play_directional: the graph was compiled with rules={self.controller.rules!r}, under which layers"
                " hold what they have moved; compile it with rules='skelter'"
            )
        which = char_indices(chars, len(self))
        local = local_directions(direction, heading, len(which))
        span = single_number(fade, "fade", low=0.0, high=TIME_MAX, unit=" s")
        self._reactions.play(which, directional_clips(clips, self.rig), local, span, bool(loop))

    def set_direction(self, direction: ArrayLike, *, heading: ArrayLike = 0.0, chars: CharSelection = None) -> None:
        """Change the direction of all reactions that play, as in `play_directional`."""
        which = char_indices(chars, len(self))
        self._reactions.turn(which, local_directions(direction, heading, len(which)))

    def stop_directional(self, *, fade: float = 0.05, chars: CharSelection = None) -> None:
        """Fade out all reactions [s]."""
        which = char_indices(chars, len(self))
        self._reactions.stop(which, single_number(fade, "fade", low=0.0, high=TIME_MAX, unit=" s"))

    def pose(self) -> LocalPose:
        """Return the poses of the last step, float32 ``[char, block, 10, 16]``, relative to the parent joint."""
        if self._run.memory is not None:
            return self._run.remembered_pose()
        return blend_layers(self.rig, self.playback, additive=self._additive, mask=self._mask)

    def morphs(self) -> MorphWeights:
        """Return the morph weights of the last step, float32 ``[char, morph]``."""
        return blend_morphs(self.rig, self.playback, additive=self._additive)

    def skinning_matrices(self) -> SkinMatrices:
        """Return the skinning matrices of the last step, float32 ``[char, palette, 3, 4]`` [m]."""
        if self._run.memory is not None:
            return skinning_matrices(self.rig, self.pose())
        return animate(self.rig, self.playback, additive=self._additive, mask=self._mask)

    def snapshot(self) -> Snapshot:
        """Return a copy of everything that steps change."""
        return Snapshot(self.controller, self.time, self._run.save(), self._reactions.save())

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
        count = len(snapshot.main.state.values)
        if count != len(self):
            raise ArgumentError(f"snapshot: it is of {count} characters, not {len(self)}")
        self._run.restore(snapshot.main)
        self._reactions.restore(snapshot.reactions)
        self.time = snapshot.time

    @property
    def _additive(self) -> np.ndarray:
        return np.concatenate([run.controller.additive for run in self._runs])

    @property
    def _mask(self) -> np.ndarray:
        return np.concatenate([run.mask for run in self._runs])

    @property
    def _runs(self) -> list[GraphRun]:
        return [self._run, *self._reactions.runs]

    def _trigger_index(self, name: str) -> int:
        index = self.controller.parameter_index(name)
        kind = self.controller.parameter_kind(index)
        if kind != "TRIGGER":
            raise ArgumentError(f"{name}: it is of type {kind}, no trigger; use set")
        return index


def _events(run: GraphRun) -> list[Event]:
    bank, layers = run.controller.rig.clips, run.controller.layer_names
    return [
        Event(
            char=int(record["char"]),
            layer=layers[record["layer"]],
            clip=bank.names[record["clip"]],
            name=bank.event_names[record["event"]],
            payload=bank.event_payloads[record["event"]],
            time=float(record["time"]),
            weight=float(record["weight"]),
        )
        for record in run.output.events
    ]
