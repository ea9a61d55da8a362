"""Directional reactions: a few clips around a character, blended by a direction in the world."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from skelter.core.checks import as_array, check_finite
from skelter.core.errors import ArgumentError, unknown_name
from skelter.graph.compile import compile as compile_graph
from skelter.graph.controller import Controller
from skelter.graph.graph import START, BlendTree, Layer, Leaf, Parameter, State, StateGraph, Transition
from skelter.rig.rig import Rig

REST = "Rest"
REACTS = ("React", "React again")
"""States that react, in turn: one that fades out keeps its direction while the next hit comes from another."""
AXES = ("right", "front")
"""What a direction has; there are parameters for each state that reacts."""

DIRECTIONS: dict[str, tuple[float, float]] = {
    "front": (0.0, 1.0),
    "back": (0.0, -1.0),
    "left": (-1.0, 0.0),
    "right": (1.0, 0.0),
    "front_left": (-1.0, 1.0),
    "front_right": (1.0, 1.0),
    "back_left": (-1.0, -1.0),
    "back_right": (1.0, -1.0),
}
"""Where each clip lies around the character: x to its right, y to its front."""

DirectionalClips = Mapping[str, str] | Sequence[str]
"""Clip per direction: four or all eight of `DIRECTIONS`, or a list in that order."""


def directional_clips(clips: DirectionalClips, rig: Rig) -> dict[str, str]:
    """Return a clip per direction.

    Args:
        clips: What a user gives.
        rig: The rig, which must have the clips.

    Raises:
        ArgumentError: They are not four or eight, a direction or a clip is unknown, or a clip is additive.
    """
    names = list(DIRECTIONS)
    if isinstance(clips, str) or not isinstance(clips, Mapping | Sequence):
        raise ArgumentError(f"clips: expected clips for front, back, left and right, got {clips!r}")
    given = dict(clips) if isinstance(clips, Mapping) else dict(zip(names, clips, strict=False))
    if isinstance(clips, Sequence) and len(clips) > len(names):
        raise ArgumentError(f"clips: expected 4 or 8 clips, got {len(clips)}")
    for name, clip in given.items():
        if name not in DIRECTIONS:
            raise ArgumentError(f"clips: {unknown_name('direction', name, names)}")
        if clip not in rig.clip_names:
            raise ArgumentError(f"clips: {name}: {unknown_name('clip', clip, rig.clip_names)}")
        if rig.clips.additive[rig.clip_index(clip)]:
            raise ArgumentError(f"clips: {name}: clip {clip!r} is additive, which is a difference and no pose to play")
    if set(given) not in (set(names[:4]), set(names)):
        missing = [name for name in names[:4] if name not in given] or [n for n in names if n not in given]
        raise ArgumentError(f"clips: expected 4 or 8 directions, there is none for {', '.join(missing)}")
    return given


def reaction_controller(rig: Rig, clips: Mapping[str, str], fade: float, loop: bool) -> Controller:
    """Return the controller of a reaction: a layer that is empty but while it reacts.

    Args:
        rig: The rig.
        clips: Clip per direction.
        fade: Time to fade in and out [s].
        loop: False ends the reaction with the clips.
    """
    layer = Layer("Reaction", [State(REST)], [Transition(START, REST)])
    bindings: dict[str, str | None] = {REST: None}
    for state in REACTS:
        leaves: list[Leaf | BlendTree] = [Leaf(name, DIRECTIONS[name]) for name in clips]
        tree = BlendTree("2D_SIMPLE_DIRECTIONAL", axis_parameters(state), leaves)
        layer.states.append(State(state, loop=loop, tree=tree))
        bindings |= {f"{state}.{name}": clip for name, clip in clips.items()}
        if not loop:
            layer.transitions += _ways_out(state, fade, max(_duration(rig, clip) for clip in clips.values()))
    parameters = [Parameter(name) for state in REACTS for name in axis_parameters(state)]
    return compile_graph(StateGraph([layer], parameters, name="reaction"), rig, bindings)


def axis_parameters(state: str) -> list[str]:
    """Return the names of the parameters for the direction of a state that reacts: right and front."""
    return [f"{state} {axis}" for axis in AXES]


def _ways_out(state: str, fade: float, duration: float) -> list[Transition]:
    """Return the transitions that end a reaction.

    The fade ends with the clips; a reaction shorter than its fade begins to leave half-way. What is passed while it
    still fades in is missed, but the end of a state is not: it stays reached.
    """
    early = max(1.0 - fade / duration, 0.5) if duration > 0.0 else 1.0
    return [Transition(state, REST, time=fade, exit_time=exit_time) for exit_time in (early, 1.0)]


def _duration(rig: Rig, clip: str) -> float:
    return float(rig.clips.duration[rig.clip_index(clip)])


def local_directions(direction: ArrayLike, heading: ArrayLike, count: int) -> np.ndarray:
    """Turn directions in the world into directions around characters.

    A character with heading 0 faces +Z, and its right hand is at -X; headings turn from +Z towards +X:
    ``front = x sin(h) + z cos(h)``, ``right = z sin(h) - x cos(h)``.

    Args:
        direction: World direction per character ``[char, 3]``, or one ``[3]``; its length and height do not count.
        heading: Turn of each character around +Y [rad], one for all or one per character.
        count: Number of characters.

    Returns:
        float64 ``[char, 2]``: right and front, neither of them beyond 1.5; zeros for no direction.

    Raises:
        ArgumentError: A shape is wrong, or a number is not finite.
    """
    try:
        single = np.ndim(direction) == 1
    except ValueError:  # rows of different lengths
        single = False
    vectors = as_array(direction, np.float64, (3,) if single else (None, 3), "direction").reshape(-1, 3)
    check_finite(vectors, "direction")
    angles = as_array(heading, np.float64, (None,), "heading")
    check_finite(angles, "heading")
    for name, array in (("direction", vectors), ("heading", angles)):
        if len(array) not in (1, count):
            raise ArgumentError(f"{name}: expected one, or one for each of {count} characters, got {len(array)}")
    flat = vectors[:, ::2]
    size = np.abs(flat).max(axis=1, keepdims=True)
    x, z = np.divide(flat, size, out=np.zeros_like(flat), where=size > 0.0).T
    sine, cosine = np.sin(angles), np.cos(angles)
    columns = (z * sine - x * cosine, x * sine + z * cosine)
    return np.stack([np.broadcast_to(column, count) for column in columns], axis=1)
