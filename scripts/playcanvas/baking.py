"""What baking costs, joint by joint, at the very times that are played."""

from __future__ import annotations

import skelter as sk
from skelter.engines import reference

from .cpu import bone_views
from .curves import distance
from .frames import ClipView, Frame, LayerView
from .moments import Property
from .setup import LETTERS, Setup

FLOAT32_TOL = 5e-6
"""What arithmetic in single precision may add [m, quaternion components]."""


class BakeErrors:
    """Differences between the baked clips and their source curves, for one run of a job.

    Attributes:
        setup: The job.
        holds: Whether layers hold what they showed last, and with it its error.
    """

    def __init__(self, setup: Setup, holds: bool) -> None:
        self.setup, self.holds = setup, holds
        self._shown: dict[tuple[str, Property], float] = {}

    def of(self, frame: Frame) -> dict[Property, float]:
        """Return per bone and property what a pose of this frame, the next one, may be off.

        A clip adds no more than its own error times its weight to a mean, and twice that where quaternions that point
        far apart are normalised; layers add up.
        """
        for name, layer in frame.layers.items():
            errors = self._of_layer(layer)
            kept = self._shown if self.holds else {k: v for k, v in self._shown.items() if k[0] != name}
            self._shown = {**kept, **{(name, key): error for key, error in errors.items()}}
        total: dict[Property, float] = {}
        for (_, key), error in self._shown.items():
            total[key] = total.get(key, 0.0) + error
        return total

    def _of_layer(self, layer: LayerView) -> dict[Property, float]:
        total: dict[Property, float] = {}
        for clip in layer.clips or ():
            for key, error in self._of_clip(clip).items():
                total[key] = total.get(key, 0.0) + 2 * error * (1.0 if self.holds else min(clip.weight, 1.0))
        return total

    def _of_clip(self, clip: ClipView) -> dict[Property, float]:
        """Return the error of all that a clip keys."""
        if not clip.track:
            return {}
        baked = bone_views(self.setup, sk.sample(self.setup.rig, clip.track, [clip.time], loop=False))
        source = reference.pose(self.setup.character, clip.track, clip.time)
        names, errors = self.setup.character.nodes.names, {}
        for track in self.setup.character.clip(clip.track).tracks:
            key = LETTERS[track.path]
            value = {"t": source.translation, "r": source.rotation, "s": source.scale}[key][track.node].tolist()
            error = distance(key, value, getattr(baked[names[track.node]], key))
            errors[names[track.node], key] = error
        return errors
