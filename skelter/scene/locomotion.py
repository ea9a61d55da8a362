"""The built-in graph: what a mannequin does in a crowd.

Base  Move:   idle, or a gait of walk and run in step, by ``speed`` [m/s]
Strafe: walking in eight directions, by ``moveX`` (left) and ``moveZ`` (front) [m/s]; while ``strafe``
Jump:   from anywhere, on ``jump``
Wave  the right arm and some of the trunk, on ``wave``
Look  an additive look around, while ``look``
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from skelter.core.errors import ArgumentError, GraphError
from skelter.graph.bind import bind_clips
from skelter.graph.files.read import load_graph
from skelter.graph.graph import StateGraph
from skelter.rig.rig import Rig

LOCOMOTION = "locomotion"
"""The word for this graph in place of a file."""

LOCOMOTION_CLIPS: dict[str, str | None] = {
    "Strafe.Front": "walk",
    "Strafe.FrontLeft": "walk_front_left",
    "Strafe.Left": "walk_left",
    "Strafe.BackLeft": "walk_back_left",
    "Strafe.Back": "walk_back",
    "Strafe.BackRight": "walk_back_right",
    "Strafe.Right": "walk_right",
    "Strafe.FrontRight": "walk_front_right",
    "Lowered": None,
    "Ahead": None,
    "Look": "look_around",
}
"""The mannequin's clips for paths that are not called like a clip."""

_FILE = Path(__file__).with_name("data") / "locomotion.json"


def locomotion() -> StateGraph:
    """Return a new copy of the locomotion graph."""
    graph = load_graph(_FILE)
    graph.name = LOCOMOTION
    return graph


def missing_clips(rig: Rig, clips: Mapping[str, str | None]) -> list[str]:
    """Return the clips that the graph plays by itself and a rig lacks, in the order of the graph's paths.

    Args:
        rig: The rig.
        clips: Clip per path. Those that differ from `LOCOMOTION_CLIPS` are somebody's own, and not looked at.
    """
    missing = []
    for path in locomotion().clip_paths():
        if path in LOCOMOTION_CLIPS and clips.get(path) == LOCOMOTION_CLIPS[path]:
            clip, names = LOCOMOTION_CLIPS[path], rig.clip_names
        elif path not in clips and path not in LOCOMOTION_CLIPS:  # bound by its name, in upper or lower case
            clip, names = path.rpartition(".")[2].lower(), tuple(name.lower() for name in rig.clip_names)
        else:
            continue
        if clip is not None and clip not in names:
            missing.append(clip)
    return list(dict.fromkeys(missing))


def fits_locomotion(rig: Rig) -> bool:
    """Say whether a rig has all clips that the graph plays, under the mannequin's names."""
    try:
        bind_clips(locomotion(), rig, LOCOMOTION_CLIPS)
    except (ArgumentError, GraphError):
        return False
    return True
