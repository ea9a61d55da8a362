"""skelter's reference engine, driven by a job."""

from __future__ import annotations

from typing import Any

import numpy as np

from skelter.engines.reference.blend import LayerContributions, blend_contributions
from skelter.engines.reference.graph_clips import GraphClip
from skelter.engines.reference.layer_machine import LayerMachine
from skelter.engines.reference.machine import Machine
from skelter.engines.reference.ordered_blend import OrderedBlend
from skelter.engines.reference.state_plan import CLOCK
from skelter.graph.controller import Rules
from skelter.rig.mask import joint_mask

from .driver import Driver
from .frames import BoneView, ClipView, Frame, LayerView
from .job import Json
from .setup import Setup


class ReferenceDriver(Driver):
    """A `Machine`, and poses of source curves by `blend_contributions` or, by PlayCanvas's rules, `OrderedBlend`."""

    def __init__(self, setup: Setup, rules: Rules) -> None:
        lengths = {clip.name: GraphClip(clip.name, clip.duration) for clip in setup.character.clips}
        bound = {path: lengths[name] if name is not None else None for path, name in setup.clips.items()}
        self.machine = Machine(setup.graph, bound, rules=rules)
        self.ordered = OrderedBlend(setup.character)
        self.rig = setup.rig
        self.masks: dict[str, np.ndarray | None] = {}
        self.additive = {layer.name: layer.blend == "ADDITIVE" for layer in setup.graph.layers}
        for layer in setup.graph.layers:
            self.set_mask(layer.name, layer.mask)
        super().__init__(setup, rules)

    def set_value(self, name: str, value: Any) -> None:
        """Set a parameter."""
        self.machine.set(name, value)

    def trigger(self, name: str, single_frame: bool) -> None:
        """Set a trigger."""
        self.machine.trigger(name, single_frame=single_frame)

    def reset_trigger(self, name: str) -> None:
        """Take a trigger back."""
        self.machine.reset_trigger(name)

    def set_speed(self, speed: float) -> None:
        """Set the factor of time."""
        self.machine.speed = speed

    def advance(self, dt: float) -> None:
        """Advance by a step."""
        self.machine.step(dt)

    def transition(self, layer: str, to: str, time: float, offset: float | None) -> None:
        """Enter a state by hand."""
        self.machine.layer(layer).transition(to, time, offset)

    def is_layer_playing(self, layer: str) -> bool:
        """Return whether a layer plays."""
        return self.machine.layer(layer).playing

    def play(self, layer: str, state: str | None) -> None:
        """Play a layer, from a state if one is named."""
        self.machine.layer(layer).play(state)

    def pause(self, layer: str) -> None:
        """Stop a layer."""
        self.machine.layer(layer).pause()

    def reset_layer(self, layer: str) -> None:
        """Put a layer back to START, stopped."""
        self.machine.layer(layer).reset()

    def set_weight(self, layer: str, weight: float) -> None:
        """Set the weight of a layer; a running fade ends."""
        self.machine.layer(layer).weight = weight

    def blend_to_weight(self, layer: str, weight: float, time: float) -> None:
        """Fade the weight of a layer."""
        self.machine.layer(layer).blend_to_weight(weight, time)

    def set_mask(self, layer: str, mask: Json | None) -> None:
        """Change the mask of a layer."""
        self.masks[layer] = None if mask is None else joint_mask(self.rig, mask)[0].astype(np.float64)

    def set_time(self, layer: str, time: float) -> None:
        """Move the active state to a time [s]; leaves that share a phase go to that part of the longest clip."""
        machine = self.machine.layer(layer)
        plan = machine.stays.active.plan
        if plan.main == CLOCK:
            machine.set_time(time)
        else:
            machine.set_time(time / plan.longest if plan.longest > 0 else 0.0)

    def frame(self) -> Frame:
        """Return what can be seen now."""
        layers = {layer.name: _layer_view(layer) for layer in self.machine.layers}
        return Frame(layers, dict(self.machine.values), self._bones())

    def _bones(self) -> dict[str, BoneView]:
        layers = [
            LayerContributions(
                [(one.clip.name if one.clip else None, one.time, one.weight) for one in layer.contributions()],
                layer.weight,
                self.additive[layer.name],
                self._node_mask(layer.name),
            )
            for layer in self.machine.layers
        ]
        is_ordered = self.rules == "playcanvas"
        pose = self.ordered.blend(layers) if is_ordered else blend_contributions(self.setup.character, layers)
        return {
            name: BoneView(pose.translation[i].tolist(), pose.rotation[i].tolist(), pose.scale[i].tolist())
            for i, name in enumerate(self.setup.character.nodes.names)
        }

    def _node_mask(self, layer: str) -> np.ndarray | None:
        mask = self.masks[layer]
        if mask is None:
            return None
        of_joint = dict(zip(self.rig.joint_names, mask.tolist(), strict=True))
        return np.array([of_joint.get(name, 0.0) for name in self.setup.character.nodes.names])  # others do not move


def _layer_view(layer: LayerMachine) -> LayerView:
    clips = [
        ClipView(entry.path, entry.clip.name if entry.clip else "", entry.time, 1.0, entry.weight)
        for entry in layer.contributions()
    ]
    return LayerView(
        layer.active, layer.previous, layer.transitioning, layer.transition_progress, layer.progress, clips
    )
