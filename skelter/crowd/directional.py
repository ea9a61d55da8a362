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

RIGHT, FRONT = "right", "front"
REST = "Rest"
REACT = "React"

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


def directional_clips(clips: DirectionalClips) -> dict[str, str]:
    """Return a clip per direction.

    Raises:
        ArgumentError: They are not four or eight, or a direction is unknown.
    """
    names = list(DIRECTIONS)
    if isinstance(clips, str) or not isinstance(clips, Mapping | Sequence):
        raise ArgumentError(f"clips: expected clips for front, back, left and right, got {clips!r}")
    given = dict(clips) if isinstance(clips, Mapping) else dict(zip(names, clips, strict=False))
    if isinstance(clips, Sequence) and len(clips) > len(names):
        raise ArgumentError(f"clips: expected 4 or 8 clips, got {len(clips)}")
    for name in given:
        if name not in DIRECTIONS:
            raise ArgumentError(f"clips: {unknown_name('direction', name, names)}")
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
    leaves: list[Leaf | BlendTree] = [Leaf(name, DIRECTIONS[name]) for name in clips]
    tree = BlendTree("2D_SIMPLE_DIRECTIONAL", [RIGHT, FRONT], leaves)
    transitions = [Transition(START, REST)]
    if not loop:
        longest = max(float(rig.clips.duration[rig.clip_index(name)]) for name in clips.values())
        # The fade ends with the clips; a reaction shorter than its fade begins to leave half-way.
        exit_time = max(1.0 - fade / longest, 0.5) if longest > 0.0 else 1.0
        transitions.append(Transition(REACT, REST, time=fade, exit_time=exit_time))
    layer = Layer("Reaction", [State(REST), State(REACT, loop=loop, tree=tree)], transitions)
    graph = StateGraph([layer], [Parameter(RIGHT, "FLOAT", 0.0), Parameter(FRONT, "FLOAT", 0.0)], name="reaction")
    return compile_graph(graph, rig, {REST: None, **{f"{REACT}.{name}": clip for name, clip in clips.items()}})


def local_directions(direction: ArrayLike, heading: ArrayLike, count: int) -> np.ndarray:
    """Turn directions in the world into directions around characters.

    A character with heading 0 faces +Z, and its right hand is at -X; headings turn from +Z towards +X:
    ``front = x sin(h) + z cos(h)``, ``right = z sin(h) - x cos(h)``.

    Args:
        direction: World direction per character ``[char, 3]``, or one ``[3]``; its length and height do not count.
        heading: Turn of each character around +Y [rad], one for all or one per character.
        count: Number of characters.

    Returns:
        float64 ``[char, 2]``: right and front.

    Raises:
        ArgumentError: A shape is wrong, or a number is not finite.
    """
    vectors = np.asarray(direction, np.float64) if np.ndim(direction) == 2 else np.asarray(direction)[None]
    vectors = as_array(vectors, np.float64, (None, 3), "direction")
    check_finite(vectors, "direction")
    angles = as_array(heading, np.float64, (None,), "heading")
    check_finite(angles, "heading")
    for name, array in (("direction", vectors), ("heading", angles)):
        if len(array) not in (1, count):
            raise ArgumentError(f"{name}: expected one, or one for each of {count} characters, got {len(array)}")
    x, z = np.broadcast_to(vectors[:, 0], count), np.broadcast_to(vectors[:, 2], count)
    sine, cosine = np.broadcast_to(np.sin(angles), count), np.broadcast_to(np.cos(angles), count)
    return np.stack([z * sine - x * cosine, x * sine + z * cosine], axis=1)
