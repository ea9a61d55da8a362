"""Read a BVH file into a Character without a mesh.

Conventions, since the format has no specification: angles are degrees; rotation channels are composed in the order of
the file, each about the axes that the ones before it have turned; position channels are absolute places in the parent,
which replace OFFSET; frame 0 is at time 0. The rest pose has no rotations and the OFFSETs as translations.

Source: M. Meredith and S. Maddock, "Motion Capture File Formats Explained", 2001.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from skelter.assets.bvh.curves import positions, rotations
from skelter.assets.bvh.hierarchy import Joint, read_hierarchy
from skelter.assets.bvh.motion import read_motion
from skelter.assets.bvh.text import BvhText
from skelter.assets.character import Character, Clip, Nodes, Track
from skelter.assets.names import unique_names
from skelter.core.errors import ArgumentError


def load_bvh(path: Path, *, scale: float = 1.0) -> Character:
    """Read a BVH file.

    Args:
        path: A ``.bvh`` file.
        scale: Metres per unit of the file. The format has no unit: many files are in centimetres (0.01), those of the
            CMU database in units of about 5.6 cm (0.056).

    Returns:
        A character with the joints of the file, an extra node ``<joint>_end`` for each End Site, no mesh, and one clip
        named after the file if there are frames.

    Raises:
        AssetError: The file is missing or broken; the message names the line.
        ArgumentError: The scale is not a positive number.
    """
    if not (math.isfinite(scale) and scale > 0.0):
        raise ArgumentError(f"scale is {scale}; it must be a positive number of metres per unit of the file")
    text = BvhText(path)
    joints, offset = read_hierarchy(text)
    nodes = _nodes(text, joints, scale)
    return Character(
        name=path.stem,
        nodes=nodes,
        clips=_clips(text, offset, joints, nodes, scale),
        warnings=text.warnings,
        source=str(path),
        generator="BVH",
    )


def _nodes(text: BvhText, joints: list[Joint], scale: float) -> Nodes:
    _warn_of_oddities(text, joints)
    parent = np.array([joint.parent for joint in joints], np.int32)
    return Nodes(
        names=unique_names([joint.name for joint in joints], "node"),
        parent=parent,
        translation=np.array([joint.offset or (0.0, 0.0, 0.0) for joint in joints]) * scale,
        rotation=np.tile([0.0, 0.0, 0.0, 1.0], (len(joints), 1)),
        scale=np.ones((len(joints), 3)),
    )


def _warn_of_oddities(text: BvhText, joints: list[Joint]) -> None:
    """Record one warning for each kind of oddity, at its first joint."""
    first: dict[str, Joint] = {}
    repeated = [joint for joint in joints if first.setdefault(joint.name, joint) is not joint]
    if repeated:
        text.warn(repeated[0].line, f"{len(repeated)} joints have a name that is taken, such as {repeated[0].name!r}")
    placeless = [joint for joint in joints if joint.offset is None]
    if placeless:
        text.warn(placeless[0].line, f"{len(placeless)} joints have no OFFSET; it is 0 0 0")


def _clips(text: BvhText, offset: int | None, joints: list[Joint], nodes: Nodes, scale: float) -> list[Clip]:
    if offset is None:
        text.warn(text.line(len(text.data)), "there is no MOTION; the character has no clip")
        return []
    values, frame_time = read_motion(text, offset, sum(len(joint.channels) for joint in joints))
    if not len(values):
        text.warn(text.line(offset), "there are no frames; the character has no clip")
        return []
    times = np.arange(len(values)) * frame_time
    tracks = []
    column = 0
    for index, joint in enumerate(joints):
        columns = values[:, column : column + len(joint.channels)]
        column += len(joint.channels)
        kinds = {channel.kind for channel in joint.channels}
        if "rotation" in kinds:
            tracks.append(Track(index, "rotation", "LINEAR", times, rotations(columns, joint.channels)))
        if "position" in kinds:
            moved = positions(columns, joint.channels, nodes.translation[index], scale)
            tracks.append(Track(index, "translation", "LINEAR", times, moved))
    return [Clip(text.path.stem, tracks, float(times[-1]))]
