"""Trace a scene: who was in which state when."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from skelter.core.errors import ArgumentError
from skelter.crowd.crowd import Crowd
from skelter.crowd.explanation import SIGNS
from skelter.graph.graph import END, START, Condition, Layer, Transition
from skelter.graph.verdict import Verdict
from skelter.scene.load import load_scene
from skelter.scene.play import ScenePlayer
from skelter.scene.scene import Scene, SceneCrowd

Progress = Callable[[str, float], None]


@dataclass(frozen=True, slots=True)
class Stay:
    """A stay of a character in a state.

    Attributes:
        crowd: Name of the crowd.
        char: Index of the character in it.
        layer: Name of the layer.
        state: Name of the state.
        start: When it was entered [s].
        end: When it was left, or the end of the trace [s].
        fade: Length of the cross-fade with which it was entered [s].
        via: The transition that led to it, with what it asks for; empty at the start.
        empty: No clip is bound to the state: it plays nothing.
    """

    crowd: str
    char: int
    layer: str
    state: str
    start: float
    end: float
    fade: float
    via: str
    empty: bool


@dataclass(frozen=True, slots=True)
class Passing:
    """An event of a clip that a character passed.

    Attributes:
        crowd: Name of the crowd.
        char: Index of the character in it.
        layer: Name of the layer.
        event: Name of the event.
        clip: Name of the clip.
        time: End of the step in which it was passed [s].
        weight: Weight of the clip.
        payload: What the clip says about the event.
    """

    crowd: str
    char: int
    layer: str
    event: str
    clip: str
    time: float
    weight: float
    payload: Any


@dataclass(frozen=True, slots=True)
class Trace:
    """Who was in which state when.

    Attributes:
        name: Name of the scene.
        duration: Length of the trace [s].
        rate: Steps a second [Hz].
        stays: By crowd, character, layer and time.
        events: By crowd, time and character.
    """

    name: str
    duration: float
    rate: float
    stays: tuple[Stay, ...]
    events: tuple[Passing, ...]


def trace_scene(
    scene: Scene | str | PathLike[str],
    *,
    chars: Collection[int] | None = None,
    crowds: Collection[str] | None = None,
    progress: Progress = lambda _now, _done: None,
) -> Trace:
    """Play a scene and write down what its characters do.

    Args:
        scene: A scene, or a scene file.
        chars: Indices of the characters of each crowd; None for all. A crowd that is smaller has none of the others.
        crowds: Names of crowds; None for all.
        progress: Is told what is done and which part.

    Raises:
        ArgumentError: There is no such character or crowd.
    """
    if not isinstance(scene, Scene):
        scene = load_scene(scene)
    player = ScenePlayer(scene, record=True)
    chosen = [entry for entry in scene.crowds if crowds is None or entry.name in crowds]
    for name in crowds or ():
        player.crowd(name)
    _check_chars(chars, chosen)
    recorders = [_Recorder(entry, player.crowds[entry.name], chars) for entry in chosen]
    for index in range(scene.step_count):
        begin = player.time
        player.step()
        for recorder in recorders:
            recorder.record(begin, player.time)
        progress(f"step {index + 1} of {scene.step_count}", (index + 1) / scene.step_count)
    stays = tuple(stay for recorder in recorders for stay in recorder.finish(player.time))
    return Trace(scene.name, player.time, scene.rate, stays, tuple(event for r in recorders for event in r.events))


def _check_chars(chars: Collection[int] | None, crowds: Collection[SceneCrowd]) -> None:
    most = max((crowd.count for crowd in crowds), default=0)
    wrong = [char for char in chars or () if not 0 <= char < most]
    if wrong:
        raise ArgumentError(f"chars: there is no character {wrong[0]}; there are {most}, from 0")


class _Recorder:
    """Follows the characters of one crowd."""

    def __init__(self, entry: SceneCrowd, crowd: Crowd, chars: Collection[int] | None) -> None:
        wanted = range(entry.count) if chars is None else sorted(set(chars))
        self._chars = np.array([char for char in wanted if char < entry.count], np.int64)
        self._chosen = set(self._chars.tolist())
        self._entry, self._crowd = entry, crowd
        self._layers = crowd.controller.graph.layers
        self._running = {
            (char, layer): Stay(entry.name, char, self._layers[layer].name, START, 0.0, 0.0, 0.0, "", True)
            for char in self._chosen
            for layer in range(len(self._layers))
        }
        self._done: dict[tuple[int, int], list[Stay]] = {key: [] for key in self._running}
        self._texts = [[_text(way) for way in layer.transitions] for layer in self._layers]
        self.events: list[Passing] = []

    def record(self, begin: float, end: float) -> None:
        """Write down what happened in the step from ``begin`` to ``end`` [s]."""
        for index, layer in enumerate(self._layers):
            taken = self._crowd.verdicts(index) == Verdict.TAKEN
            entered = self._chars[taken[self._chars].any(axis=1)]
            if len(entered):
                self._enter(index, layer, entered, taken, begin, end)
        name = self._entry.name
        self.events += [
            Passing(name, event.char, event.layer, event.name, event.clip, end, event.weight, event.payload)
            for event in self._crowd.events
            if event.char in self._chosen
        ]

    def finish(self, end: float) -> list[Stay]:
        """Return all stays; those that go on end with the trace."""
        for char, layer in self._running:
            self._close(char, layer, end)
        return [stay for key in sorted(self._done) for stay in self._done[key]]

    def _enter(self, index: int, layer: Layer, chars: np.ndarray, taken: np.ndarray, begin: float, end: float) -> None:
        view = self._crowd.layer(index)
        active, progress = view.active, view.transition_progress
        for char in chars.tolist():
            number = _last_taken(layer, np.flatnonzero(taken[char]), active[char])
            way = layer.transitions[number]
            start = begin
            if self._entry.timing == "exact" and way.time > 0.0 and not np.isnan(progress[char]):
                start = max(begin, end - float(progress[char]) * way.time)
            self._close(char, index, start)
            self._running[char, index] = Stay(
                crowd=self._entry.name,
                char=char,
                layer=layer.name,
                state=str(active[char]),
                start=start,
                end=start,
                fade=way.time,
                via=self._texts[index][number],
                empty=self._is_empty(layer, str(active[char])),
            )

    def _close(self, char: int, layer: int, end: float) -> None:
        """Put away what a character does in a layer, unless it did it for no time, like START as a rule."""
        stay = self._running[char, layer]
        if end > stay.start:
            self._done[char, layer].append(
                Stay(stay.crowd, stay.char, stay.layer, stay.state, stay.start, end, stay.fade, stay.via, stay.empty)
            )

    def _is_empty(self, layer: Layer, name: str) -> bool:
        state, clips = layer.state(name), self._crowd.controller.clips
        paths = state.clip_paths() if state else ()
        return all(clips[path if path in clips else f"{layer.name}:{path}"] is None for path in paths)


def _last_taken(layer: Layer, taken: np.ndarray, active: str) -> int:
    """Return the transition that led to the active state; exact timing may take several in a step."""
    for number in reversed(taken.tolist()):
        target = layer.transitions[number].target
        if (layer.default_state if target == END else target) == active:
            return int(number)
    return int(taken[-1])


def _text(way: Transition) -> str:
    """Return a transition with what it asks for, such as ``Jump -> END after 0.9 plays if strafe == false``."""
    text = f"{way.source} -> {way.target}"
    if way.exit_time:
        text += f" after {way.exit_time:g} plays"
    return text + (f" if {' and '.join(map(_condition, way.conditions))}" if way.conditions else "")


def _condition(condition: Condition) -> str:
    value = condition.value
    shown = str(value).lower() if isinstance(value, bool) else f"{value:g}"
    return f"{condition.parameter} {SIGNS[condition.predicate]} {shown}"
