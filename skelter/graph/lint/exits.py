"""Exit times that are never reached, fades that outlast what they fade to, and offsets outside of the clip."""

from __future__ import annotations

from collections.abc import Iterator

from skelter.graph.graph import CONTROL_STATES, START, BlendTree, Layer, Leaf, State, Transition
from skelter.graph.lint.finding import Code, Finding, Subject, true_target
from skelter.graph.problems import key_of, quoted

TOLERANCE = 1e-9
SLOW_FADE_MIN = 10.0
"""Fades that are longer than this look as if they were given in milliseconds [s]."""


def unreachable_exit_times(subject: Subject) -> Iterator[Finding]:
    """Find exit times that the clip of the source never comes to, and those of START, which has no clip."""
    for layer in subject.graph.layers:
        states = {state.name: state for state in layer.states}
        for way in layer.transitions:
            message = _reason(layer, way, states.get(way.source), subject) if way.exit_time else None
            if message:
                yield Finding(Code.UNREACHABLE_EXIT_TIME, key_of(way.place, "exitTime"), message)


def _reason(layer: Layer, way: Transition, state: State | None, subject: Subject) -> str | None:
    if way.source == START:
        return "START plays no clip, so its exit time is ignored; remove it"
    if state is None or state.name in CONTROL_STATES:
        return None
    if state.speed == 0:
        return f"{quoted(state.name)} has speed 0, so its clip stands still; give it a speed, or remove the exit time"
    end = None if state.loop else _end_progress(layer, state, subject)
    if end is None or (way.exit_time or 0) <= end + TOLERANCE:
        return None
    return (
        f"{quoted(state.name)} does not loop and ends at {end:g}, so {way.exit_time:g} is never reached; "
        f"give at most {end:g}, or let it loop"
    )


def _end_progress(layer: Layer, state: State, subject: Subject) -> float | None:
    """Return the plays of its first clip after which a state that does not loop ends; None if lengths decide it.

    A plain state and one whose clips share a phase end after one play. Other clips run on until the longest is over.
    """
    if state.tree is None:
        return 1.0
    leaves = list(_leaves(state.tree, state.name, 1.0))
    if leaves[0][2].sync:
        return 1.0
    lengths = []
    for path, speed, tree in leaves:
        duration = _duration(layer, path, subject)
        if not tree.sync:
            if not duration or speed == 0:
                return None
            lengths.append(duration / abs(speed))
    return max(lengths) / lengths[0]


def _leaves(tree: BlendTree, path: str, speed: float) -> Iterator[tuple[str, float, BlendTree]]:
    """Yield the path and speed of each leaf, and the tree that it is in."""
    for child in tree.children:
        below = f"{path}.{child.name}"
        if isinstance(child, Leaf):
            yield below, speed * child.speed, tree
        else:
            yield from _leaves(child, below, speed * child.speed)


def _duration(layer: Layer, path: str, subject: Subject) -> float | None:
    return subject.durations.get(path, subject.durations.get(f"{layer.name}:{path}"))


def long_fades(subject: Subject) -> Iterator[Finding]:
    """Find fades to a clip that is played once and is over before the fade."""
    for layer in subject.graph.layers:
        states = {state.name: state for state in layer.states}
        for way in layer.transitions:
            state = states.get(true_target(layer, way))
            if state is None or state.loop or state.tree is not None or state.speed == 0:
                continue
            length = (_duration(layer, state.name, subject) or 0.0) / abs(state.speed)
            if 0 < length < way.time:
                message = (
                    f"the fade takes {way.time:g} s, but {quoted(state.name)} is over after {length:g} s; "
                    "shorten the fade, or let the state loop"
                )
                yield Finding(Code.LONG_FADE, key_of(way.place, "time"), message)


def slow_fades(subject: Subject) -> Iterator[Finding]:
    """Find fades that take so long that their time was hardly meant in seconds."""
    for layer in subject.graph.layers:
        for way in layer.transitions:
            if way.time > SLOW_FADE_MIN:
                message = (
                    f"the fade takes {way.time:g} s: times are in seconds, not milliseconds; "
                    f"did you mean {way.time / 1000:g}?"
                )
                yield Finding(Code.SLOW_FADE, key_of(way.place, "time"), message)


def ignored_offsets(subject: Subject) -> Iterator[Finding]:
    """Find offsets that are no fraction of a clip: the target starts at its beginning, as in PlayCanvas."""
    for layer in subject.graph.layers:
        for way in layer.transitions:
            if way.offset and not 0.0 < way.offset < 1.0:
                message = f"{way.offset:g} is no fraction of a clip and is ignored; give one from 0 to below 1"
                yield Finding(Code.IGNORED_OFFSET, key_of(way.place, "transitionOffset"), message)
