"""What baking costs, joint by joint, at the very times that are played."""

from __future__ import annotations

from collections.abc import Iterable

import skelter as sk
from skelter.engines import reference

from .comparison import bone_error
from .cpu import bone_views
from .frames import BoneView, Frame
from .setup import Setup

FLOAT32_TOL = 5e-6
"""What arithmetic in single precision may add [m, quaternion components]."""

Property = tuple[str, str]


class BakeErrors:
    """Differences between the baked clips and their source curves."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.known: dict[tuple[str, float], dict[Property, float]] = {}

    def of(self, frame: Frame) -> dict[Property, float]:
        """Return per bone and property what a pose of this frame may be off: the sum over the clips that play.

        A clip of weight w adds no more than w times its own error to a mean, and twice that where quaternions that
        point far apart are normalised; layers add up.
        """
        total: dict[Property, float] = {}
        for layer in frame.layers.values():
            for clip in layer.clips or ():
                if clip.track:
                    for key, error in self._of_clip(clip.track, clip.time).items():
                        total[key] = total.get(key, 0.0) + 2 * min(clip.weight, 1.0) * error
        return total

    def _of_clip(self, name: str, time: float) -> dict[Property, float]:
        found = self.known.get((name, time))
        if found is None:
            baked = bone_views(self.setup, sk.sample(self.setup.rig, name, [time]))
            source = reference.pose(self.setup.character, name, time)
            names = self.setup.character.nodes.names
            views = {
                bone: BoneView(source.translation[i].tolist(), source.rotation[i].tolist(), source.scale[i].tolist())
                for i, bone in enumerate(names)
            }
            found = dict(_errors(views, baked))
            self.known[name, time] = found
        return found


def _errors(source: dict[str, BoneView], baked: dict[str, BoneView]) -> Iterable[tuple[Property, float]]:
    for bone, view in source.items():
        for key in ("t", "r", "s"):
            error = bone_error(view, baked[bone], key)
            if error is not None and error > 0:
                yield (bone, key), error
