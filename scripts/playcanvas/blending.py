"""Clips of a layer to its values, and values of all layers to bones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from .binding import Binder
from .curves import Values, conjugate, dot, normalized, product, sample, slerp
from .job import EMPTY_CLIP, Curve, Json, float32
from .machine import Machine
from .quirks import Quirks
from .states import START, Running

Key = tuple[int, str, str]
"""Bone, component, property."""
IDENTITY = [0.0, 0.0, 0.0, 1.0]
Pose = list[dict[str, Values]]


def mix(a: Values, b: Values, weight: float, is_rotation: bool) -> Values:
    """Return ``a (1 - weight) + b weight``; for rotations with the sign of ``b`` turned to ``a``, and normalised."""
    rest = 1 - weight
    if not is_rotation:
        return [x * rest + y * weight for x, y in zip(a, b, strict=True)]
    if dot(a, b) < 0:
        weight = -weight
    return normalized([x * rest + y * weight for x, y in zip(a, b, strict=True)])


@dataclass(eq=False)
class Output:
    """What a layer gives for one property.

    Attributes:
        value: The value; it stays where no clip keys the property.
        curve: The curve that the property was first bound for.
        coverage: Part of the layer's clips that key it.
        is_set: Whether a clip has keyed it.
    """

    value: Values
    curve: Curve
    coverage: float = 0.0
    is_set: bool = False


@dataclass(eq=False)
class Mixer:
    """What the engine keeps per property for all layers.

    Attributes:
        masks: Whether each layer moves it.
        weights: Layer weights in single precision, as they were when last looked at.
        value: Value so far in this frame.
        base: Value that layers are mixed onto, or None until it is first written.
        count: Updates since the last start.
        layer_count: Layers that it thinks it has.
        is_dirty: Whether weights must be looked at again.
    """

    masks: list[bool]
    weights: list[float]
    value: Values
    base: Values | None = None
    count: int = 0
    layer_count: int = 0
    is_dirty: bool = True
    total: float = 0.0


@dataclass(eq=False)
class Layer:
    """A layer: its machine, its weight, and what it writes.

    Attributes:
        name: Name.
        machine: Its states.
        weight: Weight.
        blend: ``OVERWRITE`` or ``ADDITIVE``.
        mask: Mask, or None.
        outputs: Values per property, in the order in which they were first bound.
        captured: Values that bones had when they were first looked up.
    """

    name: str
    machine: Machine
    weight: float
    blend: str
    mask: Json | None
    outputs: dict[Key, Output] = field(default_factory=dict)
    captured: dict[Key, Values] = field(default_factory=dict)
    bound: dict[Running, list[tuple[Curve, Key]]] = field(default_factory=dict)
    fade: tuple[float, float, float] | None = None
    elapsed: float = 0.0


class Blender:
    """Blends the clips of all layers into a pose."""

    def __init__(self, binder: Binder, quirks: Quirks, pose: Pose, slerped: bool, normalizing: bool) -> None:
        self.binder, self.quirks, self.pose, self.slerped = binder, quirks, pose, slerped
        self.normalizing = normalizing and "normalize-weights" in quirks
        self.rest = [{name: list(values) for name, values in bone.rest.items()} for bone in binder.bones]
        self.layers: list[Layer] = []
        self.mixers: dict[Key, Mixer] = {}

    # ---- binding

    def bind_clips(self, layer: Layer) -> None:
        """Look up the targets of clips that are new."""
        for clip in layer.machine.clips:
            self.bind(layer, clip)

    def bind(self, layer: Layer, clip: Running) -> None:
        """Look up the targets of a clip that starts."""
        if clip in layer.bound:
            return
        masks_all, mask = "entity-curves-apart" not in self.quirks, layer.mask
        if "rebind-captures-pose" not in self.quirks:
            mask = None  # what is masked is bound all the same, and left out when it is mixed
        pairs: dict[object, tuple[Curve, Key]] = {}
        for curve in clip.clip.curves:
            key = self.binder.target(curve, mask, masks_all)
            if key is not None:
                pairs[key if masks_all else curve] = curve, key  # where a bone has one value, the last curve counts
                if key not in layer.outputs:
                    self._bind_key(layer, key, curve)
        layer.bound[clip] = list(pairs.values())

    def _bind_key(self, layer: Layer, key: Key, curve: Curve) -> None:
        bone, _, name = key
        index = self.layers.index(layer)
        layer.outputs[key] = Output([0.0] * (4 if name == "r" else 3), curve)
        source = self.pose if "rebind-captures-pose" in self.quirks else self.rest
        layer.captured.setdefault(key, list(source[bone][name]))
        mixer = self.mixers.get(key)
        if mixer is None:
            count = len(self.layers)
            start = list(IDENTITY) if name == "r" else [0.0, 0.0, 0.0]
            mixer = self.mixers[key] = Mixer([False] * count, [0.0] * count, start)
        mixer.layer_count += 1
        if index < len(mixer.masks):
            mixer.masks[index] = True
        if self.normalizing:
            if layer.blend == "OVERWRITE":
                mixer.masks[:index] = [False] * len(mixer.masks[:index])
            mixer.is_dirty = True

    def rebind_layer(self, layer: Layer) -> None:
        """Forget the targets of a layer and look them up again; the count of layers grows by that."""
        if "rebind-captures-pose" in self.quirks:
            layer.outputs, layer.captured, layer.bound = {}, {}, {}
        else:
            layer.bound = {}
            for key in layer.outputs:
                self.mixers[key].layer_count += 1
        self.bind_clips(layer)

    def rebind(self) -> None:
        """Forget all targets and look them up again."""
        if "rebind-captures-pose" in self.quirks:
            self.mixers = {}
            for layer in self.layers:
                self.rebind_layer(layer)

    def unbind(self) -> None:
        """Put all bones that layers move to what layers are mixed onto."""
        for (bone, _, name), mixer in self.mixers.items():
            if mixer.base is not None:
                self.pose[bone][name] = list(mixer.base)

    def _is_masked(self, layer: Layer, output: Output) -> bool:
        curve = output.curve
        exempt = curve.component == "entity" and "entity-curves-apart" in self.quirks
        return not exempt and not self.binder.is_active(curve.path, layer.mask)

    # ---- a step

    def update(self, layer: Layer, dt: float) -> None:
        """Advance the clips of a layer, blend them, and write the pose as the engine does, layer by layer."""
        machine = layer.machine
        self.bind_clips(layer)
        frozen = "empty-clip-freezes" in self.quirks and not machine.state.has_clips
        moving = list(machine.moving())
        for clip in machine.clips[:1] if frozen else machine.clips:
            if clip in moving:
                machine.advance(clip, dt)
        if not frozen:
            self._blend(layer)
        if "reset-counter" in self.quirks:
            for key, output in layer.outputs.items():
                self._update_mixer(layer, key, output)

    def hold(self) -> None:
        """Let paused layers show their clips as they stand."""
        for layer in self.layers if "reset-counter" not in self.quirks else ():
            if not layer.machine.is_playing:
                self._hold(layer)

    def finish(self) -> None:
        """Write the pose from all layers at once, if the engine's counting is left out."""
        if "reset-counter" in self.quirks:
            return
        for key, mixer in self.mixers.items():
            bone, _, name = key
            layer = next((layer for layer in self.layers if key in layer.outputs), None)
            if layer is None:
                continue
            base = self._base(mixer, key, layer)
            value, is_written = self._start(base, name), "all-layers-zero-freeze" not in self.quirks
            for index, layer in enumerate(self.layers):
                weight = self._weight(mixer, index)
                if key in layer.outputs and weight != 0 and not self._is_masked(layer, layer.outputs[key]):
                    value, is_written = self._apply(value, layer, layer.outputs[key], base, weight, name), True
            if is_written:
                self.pose[bone][name] = list(value)

    def _hold(self, layer: Layer) -> None:
        """Let a paused layer show its clips as they stand."""
        state = layer.machine.state
        if state.name == START:
            frozen = "reset-keeps-pose" in self.quirks
        else:
            frozen = "empty-clip-freezes" in self.quirks and not state.has_clips
        if not frozen:
            layer.machine.weigh()
            self.bind_clips(layer)
            self._blend(layer)

    # ---- clips to the values of a layer

    def _blend(self, layer: Layer) -> None:
        clips = self._weighted(layer)
        keyed: dict[Key, list[tuple[Values, float]]] = {}
        for clip, weight in clips:
            for curve, key in layer.bound.get(clip, ()) if clip.clip is not EMPTY_CLIP else ():
                aligned = "no-sign-fix" not in self.quirks
                value = sample_at(curve, clip, self.slerped, aligned)
                if curve.property == "r" and "rotations-not-normalised" not in self.quirks:
                    value = normalized(value)
                keyed.setdefault(key, []).append((value, weight))
            clip.looked_up = clip.looked_up if math.isnan(clip.time) else clip.time
        for key, output in layer.outputs.items():
            entries = keyed.get(key)
            shown = output.is_set or "zero-until-played" in self.quirks
            output.coverage = 1.0 if "unkeyed-sticky" in self.quirks and (shown or entries) else 0.0
            if entries:
                output.is_set = True
                if "unkeyed-sticky" not in self.quirks:
                    output.coverage = min(sum(weight for _, weight in entries), 1.0)
                mixing = _in_turn if "sequential-blend" in self.quirks else _mean
                output.value = mixing(entries, key[2] == "r")

    def _weighted(self, layer: Layer) -> list[tuple[Running, float]]:
        """Return the clips that count and their weights, which sum to 1 if the engine's own way is left out."""
        clips = [(clip, clip.weight) for clip in layer.machine.clips if clip.weight > 0]
        if "weights-below-one" in self.quirks:
            return clips
        if not clips and "zero-weights-freeze" not in self.quirks:
            state = layer.machine.state
            found = [(layer.machine.find(leaf.name), leaf) for leaf in state.leaves]
            shares = [(clip, state.share(leaf, layer.machine.parameters)) for clip, leaf in found if clip]
            clips = [(clip, share) for clip, share in shares if share > 0]
        total = sum(weight for _, weight in clips)
        return [(clip, weight / total) for clip, weight in clips]

    # ---- layers to bones

    def _base(self, mixer: Mixer, key: Key, layer: Layer) -> Values:
        if mixer.base is None:
            mixer.base = layer.captured[key]
        return mixer.base

    def _start(self, base: Values, name: str) -> Values:
        if self.normalizing:
            return list(IDENTITY) if name == "r" else [0.0, 0.0, 0.0]
        return mix(IDENTITY, base, 1.0, True) if name == "r" else list(base)

    def _weight(self, mixer: Mixer, index: int) -> float:
        if mixer.is_dirty:
            mixer.weights = [float32(layer.weight) for layer in self.layers[: len(mixer.masks)]]
            mixer.total = 0.0
            for mask, weight in zip(mixer.masks, mixer.weights, strict=True):
                mixer.total += mask * weight
            mixer.is_dirty = False
        if index >= len(mixer.masks) or not mixer.masks[index]:
            return 0.0
        if self.normalizing:
            return mixer.weights[index] / mixer.total if mixer.total else 0.0
        return min(max(mixer.weights[index], 0.0), 1.0)

    def _update_mixer(self, layer: Layer, key: Key, output: Output) -> None:
        bone, _, name = key
        mixer, index = self.mixers[key], self.layers.index(layer)
        if mixer.count == mixer.layer_count:
            mixer.count = 0
        base = self._base(mixer, key, layer)
        if mixer.count == 0:
            mixer.value = self._start(base, name)
        mixer.count += 1
        weight = 0.0 if self._is_masked(layer, output) else self._weight(mixer, index)
        if weight != 0:
            mixer.value = self._apply(mixer.value, layer, output, base, weight, name)
            self.pose[bone][name] = list(mixer.value)
        elif "all-layers-zero-freeze" not in self.quirks and mixer.count == mixer.layer_count:
            self.pose[bone][name] = list(mixer.value)

    def _apply(self, value: Values, layer: Layer, output: Output, base: Values, weight: float, name: str) -> Values:
        weight = weight * output.coverage
        if weight == 0:
            return value
        if layer.blend != "ADDITIVE" or self.normalizing:
            return mix(value, output.value, weight, name == "r")
        if name == "r":
            inverse = conjugate(normalized(base)) if any(base) else IDENTITY
            delta = product(inverse, output.value)
            return normalized(product(value, self._scaled(delta, weight)))
        if name == "s" and "additive-scale-difference" not in self.quirks:
            ratios = [v / b if b != 0 else 1.0 for v, b in zip(output.value, base, strict=True)]
            return [x * (1 + weight * (ratio - 1)) for x, ratio in zip(value, ratios, strict=True)]
        return [x + (v - b) * weight for x, v, b in zip(value, output.value, base, strict=True)]

    def _scaled(self, delta: Values, weight: float) -> Values:
        """Return the part of a rotation that a weight gives."""
        if delta[3] < 0:
            delta = [-value for value in delta]
        if "small-additive-midpoint" not in self.quirks:
            return slerp(IDENTITY, delta, weight)
        if abs(delta[3]) >= 1:
            return list(IDENTITY)
        half, sine = math.acos(delta[3]), math.sqrt(1 - delta[3] * delta[3])
        if abs(sine) < 1e-3:
            return [x * 0.5 + y * 0.5 for x, y in zip(IDENTITY, delta, strict=True)]
        wa, wb = math.sin((1 - weight) * half) / sine, math.sin(weight * half) / sine
        return [x * wa + y * wb for x, y in zip(IDENTITY, delta, strict=True)]


def sample_at(curve: Curve, clip: Running, slerped: bool, aligned: bool) -> Values:
    """Return the value of a curve of a running clip.

    A clip of infinite speed may be at no time at all. The engine then stays between the keys that it looked up last:
    on one key that is a value, between two it is none.
    """
    if not math.isnan(clip.time):
        return sample(curve, clip.time, slerped, aligned)
    last = curve.times[0] if clip.looked_up is None else clip.looked_up
    value = sample(curve, last, slerped, aligned)
    held = clip.looked_up is None or last < curve.times[0] or last >= curve.times[-1]
    return value if held or curve.interpolation == "STEP" else [math.nan] * len(value)


def _in_turn(entries: Sequence[tuple[Values, float]], is_rotation: bool) -> Values:
    """Mix values one after another; the first one, and any with weight 1, replaces what was there."""
    value: Values = []
    for index, (entry, weight) in enumerate(entries):
        if index == 0 or weight >= 1:
            value = normalized(entry) if is_rotation else list(entry)
        else:
            value = mix(value, entry, weight, is_rotation)
    return value


def _mean(entries: Sequence[tuple[Values, float]], is_rotation: bool) -> Values:
    """Return the weighted mean, order-free."""
    total = sum(weight for _, weight in entries)
    if not is_rotation:
        return [sum(value[i] * weight for value, weight in entries) / total for i in range(3)]
    pivot = max(entries, key=lambda entry: entry[1])[0]
    result = [0.0] * 4
    for value, weight in entries:
        unit = normalized(value)
        sign = -weight if dot(unit, pivot) < 0 else weight
        result = [r + sign * u for r, u in zip(result, unit, strict=True)]
    return normalized(result)
