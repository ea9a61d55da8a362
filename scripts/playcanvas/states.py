"""What a layer's machine is made of: transitions, states, running clips."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from .job import EMPTY_CLIP, Clip, Json
from .quirks import Quirks
from .trees import Leaf, Parameters, Tree

START, END, ANY = "START", "END", "ANY"
CONTROL_STATES = (START, END, ANY)


class EngineError(Exception):
    """The engine throws here."""


@dataclass(eq=False)
class Way:
    """A transition."""

    source: str | None
    target: str
    time: float = 0.0
    priority: float = 0.0
    conditions: list[Json] = field(default_factory=list)
    exit_time: float | None = None
    offset: float | None = None
    interruption: str = "NONE"


def read_way(raw: Json) -> Way:
    """Read a transition; what is missing has a default, what is null counts as 0."""
    return Way(
        raw["from"],
        raw["to"],
        raw.get("time") or 0.0,
        raw.get("priority") or 0.0,
        raw.get("conditions") or [],
        raw.get("exitTime"),
        raw.get("transitionOffset"),
        raw.get("interruptionSource") or "NONE",
    )


@dataclass(eq=False)
class Running:
    """A clip that plays.

    Attributes:
        name: Name by which it is found.
        leaf: The leaf that it belongs to.
        clip: Its clip.
        speed: Clip seconds per second.
        loop: Whether it starts again at its end.
        weight: Weight in the layer.
        time: Clip time [s].
        is_playing: Whether it advances.
        beyond: How far its position is outside the clip, of which it shows the end [s].
        looked_up: Last time at which keys were looked up [s]; None before the first.
    """

    name: str
    leaf: Leaf
    state: State
    clip: Clip
    speed: float
    loop: bool
    weight: float = 1.0
    time: float = 0.0
    is_playing: bool = True
    beyond: float = 0.0
    looked_up: float | None = None

    def advance(self, dt: float, pauses: bool) -> None:
        """Move on by ``dt`` [s]; without a loop stop at an end."""
        if not self.is_playing:
            return
        time, duration = self.time + self.speed * dt, self.clip.duration
        if self.beyond != 0:
            position = time + self.beyond
            self.time = min(max(position, 0.0), duration)
            self.beyond = position - self.time
            return
        if self.speed >= 0 and time > duration:
            time = _remainder(time, duration) if self.loop else duration
            self.is_playing = self.loop or not pauses
        elif self.speed < 0 and time < 0:
            time = duration + _remainder(time, duration) if self.loop else 0.0
            self.is_playing = self.loop or not pauses
        self.time = time


def _remainder(time: float, duration: float) -> float:
    """Return the remainder with the sign of ``time``; 0 where there is none."""
    if duration == 0 or not math.isfinite(time):
        return 0.0
    return math.fmod(time, duration)


class State:
    """A state and its leaves."""

    def __init__(self, raw: Json, quirks: Quirks) -> None:
        self.raw = raw
        self.name: str = raw["name"]
        self.speed: float = raw.get("speed", 1)
        self.loop: bool = raw.get("loop", True)
        self.tree = Tree(raw["blendTree"], self.name, quirks) if raw.get("blendTree") else None
        self.all_leaves = self.tree.leaves if self.tree else [Leaf(self.name, self.name, 1, self.speed, None)]
        if "leaf-name-collisions" not in quirks:
            for leaf in self.all_leaves:
                leaf.name = leaf.path
        for leaf in self.all_leaves:
            leaf.is_endless = "empty-clip-freezes" in quirks
        self.order = (
            [f"{self.name}.{child['name']}" for child in raw["blendTree"]["children"]] if self.tree else [self.name]
        )
        self.leaves: list[Leaf] = []
        self.quirks = quirks

    def anew(self) -> State:
        """Return the state for another stay, with a memory of weights of its own."""
        state = State(self.raw, self.quirks)
        state.speed, state.loop = self.speed, self.loop
        for leaf in self.leaves:
            assert leaf.clip is not None
            state.assign(leaf.path, leaf.clip)
        return state

    @property
    def is_playable(self) -> bool:
        """Whether all clips are there."""
        return self.name in CONTROL_STATES or len(self.leaves) == len(self.all_leaves)

    @property
    def is_synchronised(self) -> bool:
        """Whether its leaves share one phase."""
        return self.tree is not None and self.tree.sync

    @property
    def has_clips(self) -> bool:
        """Whether it has clips and none of them is the empty one."""
        return bool(self.leaves) and all(leaf.clip is not EMPTY_CLIP for leaf in self.leaves)

    @property
    def longest(self) -> float:
        """Length of the longest clip [s]."""
        return max((leaf.duration for leaf in self.leaves), default=0.0)

    @property
    def first_leaf(self) -> Leaf:
        """The leaf that progress is measured by."""
        return self.leaves[0]

    @property
    def rate(self) -> float:
        """Cycles per second of its leaves, if they share a phase."""
        for leaf in self.leaves:
            if leaf.own_speed != 0 and leaf.duration > 0:
                return abs(leaf.speed) / leaf.duration
        return 0.0

    def assign(self, path: str, clip: Clip) -> None:
        """Give a leaf its clip."""
        for leaf in self.all_leaves:
            if leaf.path == path:
                if leaf.clip is None:
                    self.leaves.append(leaf)
                leaf.clip = clip
                if "assignment-order" not in self.quirks:
                    self.leaves.sort(key=lambda leaf: self.order.index(leaf.path))
                return
        raise EngineError(f"no node {path}")

    def update(self, parameters: Parameters) -> None:
        """Refresh weights and speeds of its leaves."""
        if self.tree:
            self.tree.update(parameters)

    @property
    def stands(self) -> bool:
        """Whether its weights give nothing, so that its clips stand still."""
        if not self.tree:
            return False
        if "zero-weights-freeze" in self.quirks:
            return not sum(leaf.weight for leaf in self.leaves) > 0
        return self.tree.is_held

    def share(self, leaf: Leaf, parameters: Parameters) -> float:
        """Return the weight of a leaf, as a part of all."""
        self.update(parameters)
        total = 0.0
        for other in self.leaves:
            total += other.weight
        return 0.0 if total == 0 else leaf.weight / total


@dataclass(eq=False)
class Clock:
    """The time of a state.

    Attributes:
        state: The state.
        now: Time at the end of the step [s of clip, or cycles].
        before: Time at its start.
    """

    state: State
    now: float = 0.0
    before: float = 0.0


@dataclass(eq=False)
class Previous:
    """A state that fades out."""

    state: State
    key: int
    weight: float
    clock: Clock


def scrubbed(leaf: Leaf, time: float, phase: float, state: State) -> float:
    """Return the time in the clip of a leaf when its state is moved to a time, or a phase."""
    if not state.is_synchronised:
        speed = leaf.own_speed if state.tree else 1.0
        return wrapped(time * speed, leaf.duration, state.loop)
    if leaf.own_speed == 0:
        return 0.0
    fraction = wrapped(phase, 1.0, state.loop)
    return (fraction if leaf.own_speed > 0 else 1 - fraction) * leaf.duration


def wrapped(time: float, duration: float, loop: bool) -> float:
    """Return a clip time in [0, duration]; a positive multiple of the duration is the duration."""
    if duration == 0:
        return 0.0
    if not loop:
        return min(max(time, 0.0), duration)
    remainder = math.fmod(time, duration)
    if remainder < 0:
        remainder += duration
    return duration if remainder == 0 and time > 0 else remainder
