"""Playback lists written as nested lists, and random ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from skelter.assets.character import Additive, Character, Track
from skelter.core.affine import normalized
from skelter.core.playback import PlaybackList
from skelter.engines.reference import LayerContributions
from skelter.rig.rig import Rig
from skelter.testing.rigs import random_character

Entry = tuple[int, float, float]
"""Clip, time [s], weight."""


@dataclass
class Played:
    """One layer of one character."""

    entries: Sequence[Entry]
    weight: float = 1.0


def playlist(*characters: Sequence[Played]) -> PlaybackList:
    """One list of layers per character; all have the same number of layers."""
    flat = [[entry for layer in layers for entry in layer.entries] for layers in characters]
    width = max((len(entries) for entries in flat), default=0)
    rows = [entries + [(-99, np.nan, np.nan)] * (width - len(entries)) for entries in flat]  # what must not be read
    count = len(characters)
    layer_count = len(characters[0]) if count else 0
    starts = [np.cumsum([0, *(len(layer.entries) for layer in layers)]) for layers in characters]
    columns = np.array(rows, np.float64).reshape(count, width, 3)
    return PlaybackList(
        layer_start=np.array(starts, np.int32).reshape(count, layer_count + 1),
        clip=columns[..., 0].astype(np.int32),
        time=columns[..., 1],
        weight=columns[..., 2],
        layer_weight=np.array([[layer.weight for layer in layers] for layers in characters]).reshape(count, -1),
    )


def varied_character(joint_count: int, seed: int) -> Character:
    """Four clips: one that keys all, one that keys some joints, scales and weights, and two additive ones."""
    character = random_character(
        joint_count, 4, seed, vertex_count=6, target_count=2, keyed_fraction=0.6 if seed % 2 else 1.0
    )
    random = np.random.default_rng(seed)
    times = np.linspace(0.0, 1.0, 31)
    character.instances[0].weights = np.array([0.1, 0.7])
    character.nodes.scale = random.uniform(0.5, 1.5, (joint_count, 3))
    for joint in random.choice(joint_count, min(5, joint_count), replace=False).tolist():
        swing = 1.0 + 0.3 * np.sin(6.28 * times[:, None] + random.uniform(0, 6, 3))
        character.clips[1].tracks.append(Track(joint, "scale", "LINEAR", times, swing))
        big = normalized(np.append(1.5 * np.sin(6.28 * times[:, None] + random.uniform(0, 6, 3)), np.ones((31, 1)), 1))
        tracks = [track for track in character.clips[2].tracks if (track.node, track.path) != (joint, "rotation")]
        character.clips[2].tracks = [*tracks, Track(joint, "rotation", "LINEAR", times, big)]
    character.clips[0].tracks = [track for track in character.clips[0].tracks if track.path != "weights"]
    character.clips[2].additive = Additive(("rest", "first_frame")[seed % 2])  # type: ignore[arg-type]
    character.clips[3].additive = Additive("clip", "clip_1", 0.3)
    return character


def random_layers(
    random: np.random.Generator, layer_count: int, clip_count: int, *, on_frames: bool = False
) -> list[Played]:
    """Layers of up to four entries, some empty, some of weight 0; times within and about the clips of 1 s."""
    layers = []
    for _ in range(layer_count):
        count = int(random.integers(1, 5))
        weights = random.dirichlet(np.ones(count)) if random.random() < 0.8 else np.full(count, 1.0 / count)
        clips = random.integers(-1, clip_count, count)
        times = random.integers(-2, 33, count) / 30.0 if on_frames else random.uniform(-0.1, 1.1, count)
        entries = list(zip(clips.tolist(), times.tolist(), weights.tolist(), strict=True))
        layers.append(Played(entries, float(random.choice([0.0, 1.0, random.random()], p=[0.1, 0.5, 0.4]))))
    return layers


def contributions(
    rig: Rig, layers: Sequence[Played], additive: Sequence[int], masks: np.ndarray
) -> list[LayerContributions]:
    """The same for the reference engine; ``masks [layer, node]``."""
    names = rig.clip_names
    return [
        LayerContributions(
            [(names[clip] if clip >= 0 else None, time, weight) for clip, time, weight in layer.entries],
            layer.weight,
            bool(additive[index]),
            masks[index],
        )
        for index, layer in enumerate(layers)
    ]
