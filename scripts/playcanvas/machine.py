"""The state machine of one layer, step by step as the engine runs it, or as skelter's contract says."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from .job import EMPTY_CLIP, Clip, Json
from .quirks import Quirks
from .states import (
    ANY,
    CONTROL_STATES,
    END,
    START,
    Clock,
    EngineError,
    Previous,
    Running,
    State,
    Way,
    read_way,
    scrubbed,
    wrapped,
)
from .trees import Leaf, Parameters, ratio

FROZEN_MAX = 4
LISTS = {
    "NONE": (),
    "PREV_STATE": ("previous",),
    "NEXT_STATE": ("active",),
    "PREV_STATE_NEXT_STATE": ("previous", "active"),
    "NEXT_STATE_PREV_STATE": ("active", "previous"),
}
PREDICATES: dict[str, Callable[[Any, Any], bool]] = {
    "GREATER_THAN": lambda a, b: a > b,
    "LESS_THAN": lambda a, b: a < b,
    "GREATER_THAN_EQUAL_TO": lambda a, b: a >= b,
    "LESS_THAN_EQUAL_TO": lambda a, b: a <= b,
    "EQUAL_TO": lambda a, b: a == b,
    "NOT_EQUAL_TO": lambda a, b: a != b,
}


class Machine:
    """A layer's machine.

    Attributes:
        clips: Running clips, oldest first.
        active: Name of the active state.
        previous: Name of the state that was active before, or None.
        is_playing: Whether it is updated.
        is_fading: Whether a transition runs.
    """

    def __init__(self, raw: Json, quirks: Quirks, parameters: Parameters, consumed: set[str]) -> None:
        self.quirks, self.parameters, self.consumed = quirks, parameters, consumed
        self.states = {state["name"]: State(state, quirks) for state in raw["states"]}
        self.ways = [read_way(way) for way in raw["transitions"]]
        self.clips: list[Running] = []
        self.is_playing = False
        self.duration: float | None = None
        self._restart()

    def _restart(self) -> None:
        self.active = START
        self.previous: str | None = None
        self.elapsed, self.total = 1.0, 1.0
        self.is_fading = False
        self.interruption = "NONE"
        self.history: list[Previous] = []
        self.previous_count = 0
        self.clock = Clock(self.states[START]) if START in self.states else Clock(next(iter(self.states.values())))

    # ---- reading

    @property
    def state(self) -> State:
        """The active state."""
        return self.states[self.active]

    @property
    def is_playable(self) -> bool:
        """Whether all states have their clips."""
        return all(state.is_playable for state in self.states.values())

    @property
    def transition_progress(self) -> float | None:
        """How far the fade is."""
        return ratio(self.elapsed, self.total) if self.is_fading else None

    @property
    def progress(self) -> float | None:
        """How far the active state is."""
        return self._progress(self.clock, self.clock.now)

    def find(self, name: str) -> Running | None:
        """Return the first running clip of a name."""
        return next((clip for clip in self.clips if clip.name == name), None)

    def _progress(self, clock: Clock, time: float) -> float | None:
        state = clock.state
        if state.name in CONTROL_STATES:
            return 1.0
        if not state.leaves:
            return None if "empty-clip-freezes" in self.quirks else 1.0
        leaf = state.first_leaf
        if clock is self.clock:
            running = self.find(leaf.name)
            if running is None:
                return None
            clip, speed = running.clip, running.speed
        else:
            assert leaf.clip is not None
            clip, speed = leaf.clip, leaf.speed
        if self._is_complete(state):
            return 1.0
        if clip is EMPTY_CLIP and "empty-clip-freezes" not in self.quirks:
            return 1.0
        return self._clip_progress(state, leaf, clip, speed, time)

    def _is_complete(self, state: State) -> bool:
        """Return whether there is nothing in a state that an exit time could wait for."""
        if "zero-duration-progress" in self.quirks or not state.leaves:
            return False
        if state.is_synchronised and "tree-time-in-seconds" not in self.quirks:
            return _slowest(state) == 0
        return state.first_leaf.duration == 0

    def _clip_progress(self, state: State, leaf: Leaf, clip: Clip, speed: float, time: float) -> float:
        if state.tree and "tree-time-in-seconds" not in self.quirks:
            return time if state.is_synchronised else ratio(time * abs(leaf.own_speed), clip.duration)
        if not state.tree and "speed-squared-progress" not in self.quirks:
            speed = math.copysign(1.0, state.speed)
        if "reverse-counts-down" not in self.quirks:
            speed = abs(speed)
        return ratio(time * speed, clip.duration)

    # ---- by hand

    def play(self, name: str | None) -> None:
        """Play, from a state if one is named."""
        if name is not None and name in self.states:
            between = [way for way in self._ways(self.active) if way.target == name]
            way = self._first([(way, self.clock) for way in between])
            if way is None:
                self.clips.clear()
                way = Way(None, name)
            self.enter(way)
        self.is_playing = True

    def go(self, target: str, time: float, offset: float | None) -> None:
        """Enter a state at once, with a fade."""
        self.enter(Way(self.active, target, time, offset=offset))

    def reset(self) -> None:
        """Return to START, not playing."""
        self._restart()
        self.is_playing = False
        self.clips.clear()

    def set_time(self, time: float) -> None:
        """Move the active state and its clips to a time [s]."""
        state, in_seconds = self.state, "scrub-in-seconds" in self.quirks
        phase = time / state.longest if state.longest else 0.0
        in_cycles = state.is_synchronised and "tree-time-in-seconds" not in self.quirks
        self.clock.now = self.clock.before = phase if in_cycles and not in_seconds else time
        for leaf in state.leaves:
            clip = self.find(leaf.name)
            if clip and in_seconds:
                clip.time = time
            elif clip:
                clip.time, clip.beyond = scrubbed(leaf, time, phase, state), 0.0
                clip.is_playing = True

    # ---- a step

    def update(self, dt: float) -> float:
        """Advance states, fades and weights; return what is left of the step for the clips [s]."""
        if "tree-time-in-seconds" not in self.quirks:
            self.state.update(self.parameters)
        if self.history and self.is_fading:
            self._tick(self.history[-1].clock, dt)
        dt = self._tick(self.clock, dt)
        way = self._find_way()
        if way is not None:
            self.enter(way)
        if self.is_fading:
            self._fade(dt)
        elif self.state.tree:
            self._weigh(refreshing=True)
        return dt

    def _tick(self, clock: Clock, dt: float) -> float:
        """Advance a state's time; return the part of ``dt`` until the end of a state that does not loop."""
        state = clock.state
        if state.name in CONTROL_STATES:
            return dt
        in_engine_units = state.tree is None or "tree-time-in-seconds" in self.quirks
        end = self._end(clock)
        if not (state.loop or clock.now < end):
            return dt
        signed = "reverse-counts-down" in self.quirks and in_engine_units
        speed = state.speed if signed else abs(state.speed)
        rate = 1.0 if in_engine_units or not state.is_synchronised else state.rate
        clock.before = clock.now
        clock.now += dt * speed * rate
        if state.loop or not clock.now > end:
            return dt
        clock.now = end
        scaled = "short-step-unscaled" not in self.quirks or not in_engine_units
        return (end - clock.before) / (abs(state.speed) * rate) if scaled else end - clock.before

    def _end(self, clock: Clock) -> float:
        """Return the time at which a state ends if it does not loop."""
        state = clock.state
        if state.speed < 0 and "reverse-never-ends" in self.quirks:
            return math.inf
        if state.tree is None or "tree-time-in-seconds" in self.quirks:
            return self._duration() if clock is self.clock else state.longest
        if state.is_synchronised:
            return 1.0
        return _slowest(state)

    def _duration(self) -> float:
        """Return the length of the longest running clip of the active state, as it was when it was last asked for."""
        if self.duration is None:
            running = [self.find(leaf.name) for leaf in self.state.leaves]
            self.duration = max((clip.clip.duration for clip in running if clip), default=0.0)
        return self.duration

    def _ways(self, source: str | None) -> list[Way]:
        return sorted((way for way in self.ways if way.source == source), key=lambda way: way.priority)

    def _find_way(self) -> Way | None:
        names = LISTS[self.interruption] if self.is_fading else ("active",)
        if not names:
            return None
        candidates = [(way, self._clock_of(name)) for name in names for way in self._ways(getattr(self, name))]
        return self._first(candidates + [(way, self.clock) for way in self._ways(ANY)])

    def _clock_of(self, name: str) -> Clock:
        """Return the clock that exit times of the active or the previous state wait for."""
        if name == "active" or "previous-exit-on-active" in self.quirks or not self.history:
            return self.clock
        return self.history[-1].clock

    def _first(self, candidates: list[tuple[Way, Clock]]) -> Way | None:
        for way, clock in candidates:
            if not self._is_blocked(way) and self._exit_passes(way, clock) and self._conditions_hold(way):
                if way.target != END:
                    return way
                if "end-once" in self.quirks:
                    way.target = self._ways(START)[0].target
                return way
        return None

    def _target(self, way: Way) -> str:
        return self._ways(START)[0].target if way.target == END else way.target

    def _is_blocked(self, way: Way) -> bool:
        """Return whether a transition leads to where the layer is already."""
        if "end-once" in self.quirks:
            return way.target == self.active
        return self._target(way) == self.active and not (way.target == END and way.source == self.active)

    def _conditions_hold(self, way: Way) -> bool:
        return all(
            PREDICATES[condition["predicate"]](self.parameters[condition["parameterName"]]["value"], condition["value"])
            for condition in way.conditions
            if condition["predicate"] in PREDICATES
        )

    def _exit_passes(self, way: Way, clock: Clock) -> bool:
        exit_time = way.exit_time
        if not exit_time:
            return True
        if clock.state.name in CONTROL_STATES and "start-exit-time" not in self.quirks:
            return True
        before, now = self._progress(clock, clock.before), self._progress(clock, clock.now)
        if now is None or before is None:
            return False
        if self._is_complete(clock.state):
            return True
        if exit_time < 1 and clock.state.loop:
            return self._loop_passes(exit_time, before, now)
        return now == exit_time if now == before else before < exit_time <= now

    def _loop_passes(self, exit_time: float, before: float, now: float) -> bool:
        if not (math.isfinite(before) and math.isfinite(now)):
            return False
        if "exit-window-not-wrapped" not in self.quirks:
            crossed = math.floor(now - exit_time) > math.floor(before - exit_time)
            return crossed or (now == before and (now - exit_time).is_integer())
        before, now = before - math.floor(before), now - math.floor(now)
        return now == exit_time if now == before else before < exit_time <= now

    # ---- entering

    def enter(self, way: Way) -> None:
        """Make the target of a transition the active state."""
        target = self._target(way)
        if target not in self.states:
            raise EngineError(f"no state {target}")
        former, former_clock = self.active, self.clock
        self.previous = former if way.source else None
        self.active, self.duration = target, None
        self.consumed.update(
            condition["parameterName"]
            for condition in way.conditions
            if self.parameters[condition["parameterName"]]["type"] == "TRIGGER"
        )
        if self.previous:
            self._retire(former, former_clock)
        elif "sequential-blend" not in self.quirks:
            self.history = []
        self.is_fading, self.total, self.elapsed = True, way.time, 0.0
        self.interruption = way.interruption
        self._begin(way)

    def _retire(self, name: str, clock: Clock) -> None:
        """Let the state that was active fade out, and freeze those that already did."""
        fraction = min(self.elapsed / self.total if self.total != 0 else 1.0, 1.0)
        if not self.is_fading:
            self.history, self.previous_count = [], 0
        for older in self.history:
            older.weight *= 1 - fraction
        share = fraction if self.is_fading else 1.0
        newest = Previous(self.states[name], self.previous_count, share, clock)
        self.previous_count += 1
        self.history.append(newest)
        for entry in self.history:
            for leaf in entry.state.leaves:
                self._rename(leaf, entry, frozen=entry is not newest)
        self._drop_lightest()

    def _rename(self, leaf: Leaf, entry: Previous, frozen: bool) -> None:
        name = f"{leaf.name}.previous.{entry.key}"
        clip = self.find(name)
        if clip is None:
            clip = self.find(leaf.name)
            if clip is None:
                raise EngineError("null.name")
            clip.name = name
        if frozen:
            clip.is_playing = False

    def _drop_lightest(self) -> None:
        frozen = self.history[:-1]
        if "unbounded-interruptions" in self.quirks or len(frozen) <= FROZEN_MAX:
            return
        lightest = min(frozen, key=lambda entry: entry.weight)
        names = {f"{leaf.name}.previous.{lightest.key}" for leaf in lightest.state.leaves}
        self.clips = [clip for clip in self.clips if clip.name not in names]
        self.history.remove(lightest)
        total = sum(entry.weight for entry in self.history)
        for entry in self.history:
            entry.weight /= total

    def _begin(self, way: Way) -> None:
        """Start the clips of the active state."""
        if self.state.tree and "zero-weights-freeze" not in self.quirks:
            self.states[self.active] = self.state.anew()
        state = self.state
        offset = way.offset if way.offset and 0 < way.offset < 1 else None
        start = state.longest * offset if offset else 0.0
        self.clock = Clock(state, *(self._entry_time(state, start, offset),) * 2)
        for leaf in state.leaves:
            assert leaf.clip is not None
            running = self.find(leaf.name)
            if running is None:
                speed = leaf.speed if math.isfinite(leaf.speed) else state.speed
                running = Running(leaf.name, leaf, state, leaf.clip, speed, state.loop)
                self.clips.append(running)
            running.weight = 0.0 if way.time > 0 else state.share(leaf, self.parameters)
            running.is_playing = True
            running.time = start if offset else 0.0 if state.speed >= 0 else self._duration()
            self._place(running, state, offset)

    def _entry_time(self, state: State, start: float, offset: float | None) -> float:
        if state.is_synchronised and "tree-time-in-seconds" not in self.quirks:
            return offset or 0.0
        return start

    def _place(self, running: Running, state: State, offset: float | None) -> None:
        """Move a clip of a tree to where the group of its leaf begins."""
        if not state.tree:
            return
        leaf, sync = running.leaf, state.is_synchronised
        backwards = state.speed < 0 and "state-speed-not-on-trees" not in self.quirks
        if offset and "offset-in-seconds" in self.quirks:
            return
        if offset or backwards:
            position = offset or 1.0
            if sync:
                phase = position if leaf.own_speed > 0 else 1 - position if leaf.own_speed < 0 else 0.0
                running.time = phase * leaf.duration
            else:
                clock = offset * state.longest if offset else _slowest(state)
                position = clock * leaf.own_speed
                running.time = wrapped(position, leaf.duration, state.loop)
                running.beyond = 0.0 if state.loop else position - running.time
        elif sync and leaf.own_speed < 0 and "negative-leaf-start" not in self.quirks:
            running.time = leaf.duration

    # ---- weights

    def _fade(self, dt: float) -> None:
        self.elapsed += dt
        fading = self.elapsed <= self.total
        if not fading:
            self.is_fading = False
            del self.clips[: max(0, len(self.clips) - len(self.state.leaves))]
            self.history = []
        fraction = 1.0 if not fading or self.total == 0 else self.elapsed / self.total
        for entry in self.history if fading else ():
            for leaf in entry.state.leaves:
                clip = self.find(f"{leaf.name}.previous.{entry.key}")
                if clip:
                    clip.weight = (1 - fraction) * entry.state.share(leaf, self.parameters) * entry.weight
                    self._refresh(clip)
        self._weigh(refreshing=False, fraction=fraction)

    def _weigh(self, refreshing: bool, fraction: float = 1.0) -> None:
        """Set weights of the active state's clips, and speeds of synchronised ones."""
        for leaf in self.state.leaves:
            clip = self.find(leaf.name)
            if clip is None:
                if self.is_fading:
                    raise EngineError("null.blendWeight")
                continue
            clip.weight = fraction * self.state.share(leaf, self.parameters)
            if refreshing and self.state.is_synchronised:
                clip.speed = leaf.speed
            self._refresh(clip)

    def _refresh(self, clip: Running) -> None:
        """Set the speed of a clip from its leaf at once, where that is wanted."""
        if clip.state.is_synchronised and "stale-speeds" not in self.quirks:
            clip.speed = clip.leaf.speed

    def weigh(self) -> None:
        """Set weights by the present parameters, without moving on."""
        if self.is_fading:
            self._fade(0.0)
        elif self.state.tree:
            self._weigh(refreshing=False)

    # ---- clips

    def moving(self) -> Iterator[Running]:
        """Yield the clips that advance in this step."""
        for clip in self.clips:
            stopped = not clip.weight > 0 and "zero-weight-children-stop" in self.quirks
            if not stopped and not clip.state.stands:
                yield clip

    def advance(self, clip: Running, dt: float) -> None:
        """Advance a clip."""
        scaled = clip.state.tree is not None and "state-speed-not-on-trees" not in self.quirks
        if not scaled:
            clip.advance(dt, pauses=True)
            return
        speed = clip.speed
        clip.speed = speed * clip.state.speed
        clip.advance(dt, pauses=True)
        clip.speed = speed


def _slowest(state: State) -> float:
    """Return the longest time that a leaf of a state takes [s]; those that stand still do not count."""
    return max((leaf.cycle for leaf in state.leaves if leaf.own_speed != 0), default=0.0)
