"""Blend trees: parameters to weights and speeds of the leaves."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

from .job import EMPTY_CLIP, Clip, Json
from .quirks import Quirks

NAN = float("nan")
LARGEST = 1.7976931348623157e308
Parameters = dict[str, Any]
Vector = tuple[float, float]


def ratio(a: float, b: float) -> float:
    """Divide as IEEE 754 says, without an exception."""
    if b != 0:
        return a / b
    if a == 0 or a != a:
        return NAN
    return math.copysign(float("inf"), a) * math.copysign(1.0, b)


def clamp(value: float) -> float:
    """Clamp to [0, 1]; NaN stays."""
    return 1.0 if value >= 1 else 0.0 if value <= 0 else value


class Leaf:
    """A clip of a state, alone or in a tree.

    Attributes:
        path: Path under which its clip is assigned.
        name: Name under which the engine finds its running clip.
        point: Where it lies.
        own_speed: Speed as the graph says.
        clip: Its clip, None until it is assigned.
        is_endless: Whether an empty clip is as long as the engine says.
        factor: What synchronisation makes of its speed.
        weight: Weight in its tree, not normalised.
    """

    def __init__(self, path: str, name: str, point: Any, speed: float, tree: Tree | None) -> None:
        self.path, self.name, self.point, self.own_speed, self.tree = path, name, point, speed, tree
        self.clip: Clip | None = None
        self.is_endless = True
        self.factor = 1.0
        self.weight = 1.0

    @property
    def speed(self) -> float:
        """Speed of its clip as it is known now."""
        return self.factor * self.own_speed

    @property
    def duration(self) -> float:
        """Length of its clip [s]; skelter says 0 if there is none."""
        assert self.clip is not None
        return 0.0 if self.clip is EMPTY_CLIP and not self.is_endless else self.clip.duration

    @property
    def cycle(self) -> float:
        """Seconds that it takes at its own speed."""
        return ratio(self.duration, abs(self.own_speed))


class Tree:
    """A blend tree without trees in it.

    Attributes:
        type: ``1D``, ``2D_CARTESIAN``, ``2D_DIRECTIONAL`` or ``DIRECT``.
        names: Parameters.
        leaves: Children; of a 1D tree by point.
        sync: Whether they share one phase.
    """

    def __init__(self, raw: Json, state: str, quirks: Quirks) -> None:
        self.quirks = quirks
        self.type: str = raw["type"]
        self.names = [raw["parameter"]] if raw.get("parameter") else list(raw["parameters"])
        self.sync: bool = raw.get("syncAnimations") is not False
        self.leaves = [
            Leaf(f"{state}.{child['name']}", child["name"], _point(child.get("point")), child.get("speed", 1), self)
            for child in raw["children"]
        ]
        if self.type == "1D":
            self.leaves.sort(key=lambda leaf: leaf.point)
        self.values: list[Any] = [None] * len(self.names)
        self.held: list[float] | None = None
        self.is_held = False

    def update(self, parameters: Parameters) -> None:
        """Compute weights and speeds anew if a parameter has changed."""
        values = [parameters[name]["value"] for name in self.names]
        if all(a is b or (type(a) is type(b) and a == b) for a, b in zip(values, self.values, strict=True)):
            return
        self.values = values
        numbers = [float(value) for value in values]
        before = [leaf.weight for leaf in self.leaves]
        weigh = {"1D": self._line, "2D_CARTESIAN": self._plane, "2D_DIRECTIONAL": self._polar, "DIRECT": _positive}
        weights = weigh[self.type](numbers)
        if "zero-weights-freeze" not in self.quirks:
            weights = self._hold(weights)
        self._apply(weights, before)

    def _hold(self, weights: list[float]) -> list[float]:
        """Return the last weights of this stay where all are 0."""
        total = sum(weights)
        self.is_held = not total > 0
        if self.is_held:
            return self.held or [1.0] * len(weights)
        self.held = list(weights)
        return weights

    def _apply(self, weights: list[float], before: list[float]) -> None:
        total = _sum(weights)
        normal = [ratio(weight, total) for weight in weights]
        for leaf, raw, weight in zip(self.leaves, weights, normal, strict=True):
            leaf.weight = raw if self.type == "1D" else weight
        if self.type == "DIRECT" and not total > 0:
            for leaf in self.leaves:
                leaf.weight = 0.0
        if not self.sync:
            return
        if "sync-formulas" in self.quirks:
            self._engine_factors(weights, before, total)
        else:
            self._factors(normal)

    def _factors(self, weights: list[float]) -> None:
        """Let every leaf take the weighted mean of their durations."""
        moving = [(leaf, weight) for leaf, weight in zip(self.leaves, weights, strict=True) if leaf.own_speed != 0]
        if not sum(weight for _, weight in moving) > 0:
            moving = [(leaf, 1.0) for leaf, _ in moving]
        total = sum(weight for _, weight in moving)
        mean = sum(weight * leaf.cycle for leaf, weight in moving) / total if moving else 0.0
        for leaf in self.leaves:
            leaf.factor = leaf.cycle / mean if leaf.own_speed != 0 and mean > 0 else 0.0

    def _engine_factors(self, weights: list[float], before: list[float], total: float) -> None:
        if len(self.leaves) == 1 and weights[0] == LARGEST and "single-child-speed" not in self.quirks:
            self.leaves[0].factor = 1.0
            return
        shares = before if self.type == "DIRECT" else weights
        mean = _sum([leaf.cycle * share for leaf, share in zip(self.leaves, shares, strict=True)])
        for leaf in self.leaves:
            if self.type == "2D_DIRECTIONAL":
                leaf.factor = abs(leaf.own_speed) * (ratio(leaf.duration, mean) * total)
            elif self.type == "DIRECT" and not total:
                leaf.factor = 0.0
            else:
                leaf.factor = ratio(leaf.cycle, mean)

    def _line(self, p: list[float]) -> list[float]:
        points = [leaf.point for leaf in self.leaves]
        if "coincident-points" in self.quirks or len(set(points)) == len(points):
            return self._clamped(p[0], points, self._pairs(p[0], points))
        distinct = sorted(set(points))
        shared = dict(zip(distinct, self._clamped(p[0], distinct, self._pairs(p[0], distinct)), strict=True))
        return [shared[point] / points.count(point) for point in points]

    def _pairs(self, p: float, points: list[float]) -> list[float]:
        """Walk the pairs of neighbours; a later pair overwrites what an earlier one said."""
        weights = [0.0] * len(points)
        for index, (a, b) in enumerate(pairwise(points)):
            if a == b:
                weights[index] = weights[index + 1] = 0.5
            elif a <= p <= b:
                span = abs(a - b)
                weights[index] = (span - abs(a - p)) / span
                weights[index + 1] = 1 - weights[index]
            else:
                weights[index + 1] = 0.0
        return weights

    def _clamped(self, p: float, points: list[float], weights: list[float]) -> list[float]:
        if "outside-1d-zero" in self.quirks or (points[0] < p < points[-1]):
            return weights
        end = 0 if p <= points[0] else len(points) - 1
        if weights[end] == 0.0 or len(points) == 1:
            return [1.0 if index == end else 0.0 for index in range(len(points))]
        return weights

    def _plane(self, p: list[float]) -> list[float]:
        points = [leaf.point for leaf in self.leaves]
        difference = self._pair_cache(lambda i, j: _minus(points[j], points[i]))
        weights = []
        for i, point in enumerate(points):
            from_point = _minus((p[0], p[1]), point)
            results = [LARGEST]
            for j in range(len(points)):
                if i != j:
                    band = difference(i, j)
                    results.append(clamp(1 - ratio(_dot(from_point, band), _dot(band, band))))
            weights.append(_least(results))
        return self._shared(points, weights)

    def _polar(self, p: list[float]) -> list[float]:
        points = [leaf.point for leaf in self.leaves]
        lengths = [_length(point) for point in points]

        def band(i: int, j: int) -> Vector:
            middle = (lengths[j] + lengths[i]) / 2
            return ratio(lengths[j] - lengths[i], middle), self._angle(points[i], points[j]) * 2

        cached, at = self._pair_cache(band), (p[0], p[1])
        weights = []
        for i, point in enumerate(points):
            results = [LARGEST]
            for j in range(len(points)):
                if i != j:
                    turn = self._angle(point, at, points[j])
                    v = (ratio(_length(at) - lengths[i], (lengths[j] + lengths[i]) / 2), turn * 2)
                    e = cached(i, j)
                    share = ratio(_dot(v, e), _dot(e, e))
                    results.append(clamp(1 - (abs(share) if "directional-abs" in self.quirks else share)))
            weights.append(_least(results))
        weights = self._shared(points, weights)
        if "directional-outside-nan" not in self.quirks and not _sum(weights) > 0:
            nearest = min(range(len(points)), key=lambda i: _length(_minus(at, points[i])))
            weights = [1.0 if i == nearest else 0.0 for i in range(len(points))]
        return weights

    def _angle(self, a: Vector, b: Vector, other: Vector | None = None) -> float:
        """Return the angle from one direction to another [rad]; ``other`` is the third point that is compared."""
        if "directional-origin" not in self.quirks and (0.0, 0.0) in (a, b, other):
            return 0.0
        return math.atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1])

    def _shared(self, points: list[Vector], weights: list[float]) -> list[float]:
        if "coincident-points" in self.quirks or len(points) == 1:
            return weights
        if len(set(points)) == 1:
            return [1.0] * len(points)
        return [weight / points.count(point) for weight, point in zip(weights, points, strict=True)]

    def _pair_cache(self, compute: Any) -> Any:
        """Keep results by the two indices written side by side, as the engine does: ``1, 11`` is ``11, 1`` then."""
        cache: dict[Any, Vector] = {}

        def get(i: int, j: int) -> Vector:
            key = f"{i}{j}" if "point-cache-collisions" in self.quirks else (i, j)
            if key not in cache:
                cache[key] = compute(i, j)
            return cache[key]

        return get


def _positive(p: list[float]) -> list[float]:
    return [max(value, 0.0) for value in p]


def _point(raw: Any) -> Any:
    return (float(raw[0]), float(raw[1])) if isinstance(raw, list) else raw


def _sum(values: list[float]) -> float:
    """Add in order, as a loop does."""
    total = 0.0
    for value in values:
        total += value
    return total


def _least(values: list[float]) -> float:
    """Return the least value, passing over NaN."""
    least = values[0]
    for value in values:
        if value < least:
            least = value
    return least


def _minus(a: Vector, b: Vector) -> Vector:
    return a[0] - b[0], a[1] - b[1]


def _dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1]


def _length(a: Vector) -> float:
    return math.sqrt(a[0] * a[0] + a[1] * a[1])
