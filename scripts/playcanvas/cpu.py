"""skelter's cpu engine, driven by a job: a crowd of one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import skelter as sk
from skelter.core.playback import REST
from skelter.graph.controller import Rules
from skelter.rig.mask import joint_mask

from .driver import Driver
from .frames import BoneView, ClipView, Frame, LayerView
from .job import Json
from .setup import Setup

CHANNELS = {"r": slice(0, 4), "t": slice(4, 7), "s": slice(7, 10)}


class CpuDriver(Driver):
    """A `Crowd` of one character."""

    def __init__(self, setup: Setup, rules: Rules) -> None:
        self.crowd = sk.Crowd(sk.compile(setup.graph, setup.rig, clips=setup.clips, rules=rules), 1)
        super().__init__(setup, rules)

    def set_value(self, name: str, value: Any) -> None:
        """Set a parameter."""
        self.crowd.set(name, value)

    def trigger(self, name: str, single_frame: bool) -> None:
        """Set a trigger."""
        self.crowd.trigger(name, single_frame=single_frame)

    def reset_trigger(self, name: str) -> None:
        """Take a trigger back."""
        self.crowd.reset_trigger(name)

    def set_speed(self, speed: float) -> None:
        """Set the factor of time."""
        self.crowd.set_speed(speed)

    def advance(self, dt: float) -> None:
        """Advance by a step."""
        self.crowd.step(dt)

    def transition(self, layer: str, to: str, time: float, offset: float | None) -> None:
        """Enter a state by hand."""
        self.crowd.layer(layer).transition(to, time, offset=offset or 0.0)

    def is_layer_playing(self, layer: str) -> bool:
        """Return whether a layer plays."""
        return bool(self.crowd.layer(layer).playing[0])

    def play(self, layer: str, state: str | None) -> None:
        """Play a layer, from a state if one is named."""
        self.crowd.layer(layer).play(state)

    def pause(self, layer: str) -> None:
        """Stop a layer."""
        self.crowd.layer(layer).pause()

    def reset_layer(self, layer: str) -> None:
        """Put a layer back to START, stopped."""
        self.crowd.layer(layer).reset()

    def set_weight(self, layer: str, weight: float) -> None:
        """Set the weight of a layer."""
        self.crowd.layer(layer).set_weight(min(max(weight, 0.0), 1.0))

    def blend_to_weight(self, layer: str, weight: float, time: float) -> None:
        """Fade the weight of a layer."""
        self.crowd.layer(layer).blend_to_weight(min(max(weight, 0.0), 1.0), time)

    def set_mask(self, layer: str, mask: Json | None) -> None:
        """Change the mask of a layer; rules that match no joint are left out."""
        unmatched = joint_mask(self.setup.rig, mask)[1] if mask is not None else ()
        rules = mask if mask is None else {key: value for key, value in mask.items() if key not in unmatched}
        self.crowd.layer(layer).set_mask(rules)

    def set_time(self, layer: str, time: float) -> None:
        """Move the active state to a time [s]; leaves that share a phase go to that part of the longest clip."""
        handle = self.crowd.layer(layer)
        state = next(one for one in self.setup.graph.layers if one.name == layer).state(str(handle.active[0]))
        if state is not None and state.tree is not None and state.tree.sync:
            paths = [f"{layer}:{path}" for path in state.clip_paths()]
            names = [name for path in paths if (name := self.setup.clips[path]) is not None]
            longest = max((self.setup.character.clip(name).duration for name in names), default=0.0)
            time = time / longest if longest > 0 else 0.0
        handle.set_time(time)

    def frame(self) -> Frame:
        """Return what can be seen now."""
        names = [layer.name for layer in self.setup.graph.layers]
        layers = {name: self._layer_view(index, name) for index, name in enumerate(names)}
        values = {name: float(self.crowd.get(name)[0]) for name in self.kinds}
        return Frame(layers, values, self._bones())

    def _layer_view(self, index: int, name: str) -> LayerView:
        layer, playback = self.crowd.layer(name), self.crowd.playback
        entries = range(playback.layer_start[0, index], playback.layer_start[0, index + 1])
        clip, time, weight = (column[0].tolist() for column in (playback.clip, playback.time, playback.weight))
        clips = [ClipView("", self._clip_name(clip[i]), time[i], 1.0, weight[i]) for i in entries]
        fraction = float(layer.transition_progress[0])
        return LayerView(
            str(layer.active[0]),
            str(layer.previous[0]) or None,
            bool(layer.transitioning[0]),
            None if math.isnan(fraction) else fraction,
            float(layer.progress[0]),
            clips,
        )

    def _clip_name(self, index: int) -> str:
        return "" if index == REST else self.setup.rig.clip_names[index]

    def _bones(self) -> dict[str, BoneView]:
        return bone_views(self.setup, self.crowd.pose)


def bone_views(setup: Setup, pose: np.ndarray) -> dict[str, BoneView]:
    """Return the bones of a packed pose of one character, float32 ``[1, block, 10, 16]``; the others are at rest."""
    joints = pose[0].transpose(0, 2, 1).reshape(-1, 10).astype(np.float64)
    nodes = setup.character.nodes
    rest = zip(nodes.names, nodes.translation.tolist(), nodes.rotation.tolist(), nodes.scale.tolist(), strict=True)
    views = {name: BoneView(t, r, s) for name, t, r, s in rest}
    for joint, name in zip(joints, setup.rig.joint_names, strict=False):  # the last block has spare lanes
        views[name] = BoneView(*(joint[CHANNELS[key]].tolist() for key in "trs"))
    return views
