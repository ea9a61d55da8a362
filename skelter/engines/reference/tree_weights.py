"""Weights of the children of one blend tree at the values of its parameters.

Gradient bands: R. S. Johansen, Automated Semi-Procedural Animation for Character Locomotion, 2009, chapter 6.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar, cast

from skelter.graph.graph import BlendTree, Outside

Point2 = tuple[float, float]
Place = TypeVar("Place")

ORIGIN: Point2 = (0.0, 0.0)
FRONT: Point2 = (0.0, 1.0)
FRONT_RADIUS = 1e-4
"""A vector shorter than this has no direction: it counts as the front."""
WEIGHT_MIN = 1e-12
"""Weights up to this are rounding, and count as 0."""


def tree_weights(tree: BlendTree, values: Mapping[str, float]) -> list[float]:
    """Return the weight of each child of a tree: they sum to 1, or all are 0 where the tree has nothing to play.

    Children at the same point share what one of them would get.

    Args:
        tree: The tree.
        values: Value of each parameter.
    """
    return [weight if weight > WEIGHT_MIN else 0.0 for weight in _unrounded(tree, values)]


def _unrounded(tree: BlendTree, values: Mapping[str, float]) -> list[float]:
    inputs = [values[name] for name in tree.parameters]
    if not tree.children:
        return []
    if tree.type == "DIRECT":
        return direct_weights(inputs)
    if tree.type == "1D":
        numbers = [cast(float, child.point) for child in tree.children]
        return _shared(numbers, lambda places: weights_1d(places, inputs[0], tree.outside))
    pairs = [_pair(cast(Point2, child.point)) for child in tree.children]
    weigh = PLANAR[tree.type]
    return _shared(pairs, lambda places: weigh(places, (inputs[0], inputs[1])))


def direct_weights(inputs: Sequence[float]) -> list[float]:
    """Return ``max(x_i, 0) / sum_j max(x_j, 0)``, or zeros if the sum is 0."""
    positive = [max(value, 0.0) for value in inputs]
    total = sum(positive)
    return [value / total for value in positive] if total > 0.0 else [0.0] * len(positive)


def weights_1d(points: Sequence[float], x: float, outside: Outside) -> list[float]:
    """Interpolate between the two neighbours of ``x``; beyond the ends the end child plays, or none.

    Args:
        points: Distinct points in any order.
        x: The parameter.
        outside: ``clamp`` or ``none``.
    """
    lowest, highest = min(points), max(points)
    if outside == "none" and not lowest <= x <= highest:
        return [0.0] * len(points)
    inside = min(max(x, lowest), highest)
    below = max(point for point in points if point <= inside)
    above = min(point for point in points if point >= inside)
    fraction = (inside - below) / (above - below) if above > below else 0.0
    weight = {above: fraction, below: 1.0 - fraction}  # one entry where they are equal
    return [weight.get(point, 0.0) for point in points]


def cartesian_weights(points: Sequence[Point2], p: Point2) -> list[float]:
    """Return gradient band weights in the plane.

    ``h_i = min_{j != i} clamp(1 - (p - p_i).(p_j - p_i) / |p_j - p_i|^2)``, ``w = h / sum h``. The nearest child has
    ``h >= 1/2``, so the sum is never 0.
    """

    def influence(i: int, j: int) -> float:
        return _band(_minus(p, points[i]), _minus(points[j], points[i]))

    return _normalized(_influences(len(points), influence))


def directional_weights(points: Sequence[Point2], p: Point2) -> list[float]:
    """Return gradient band weights in polar space: lengths count relative to the pair's mean, angles twice.

    ``m = (|p_i| + |p_j|) / 2``, ``e = ((|p_j| - |p_i|) / m, 2 angle(p_i, p_j))``,
    ``v = ((|p| - |p_i|) / m, 2 angle(p_i, p))``, ``h_i = min_{j != i} clamp(1 - v.e / |e|^2)``, ``w = h / sum h``. A
    point at the origin has no angle: both angles of a pair with it are 0. Where every h is 0 the nearest child plays.
    """

    def influence(i: int, j: int) -> float:
        first, second = points[i], points[j]
        mean = (math.hypot(*first) + math.hypot(*second)) / 2.0
        neutral = ORIGIN in (first, second)

        def polar(point: Point2) -> Point2:
            length = (math.hypot(*point) - math.hypot(*first)) / mean
            return length, 0.0 if neutral else 2.0 * _angle(first, point)

        return _band(polar(p), polar(second))

    influences = _influences(len(points), influence)
    if not any(influences):
        nearest = min(range(len(points)), key=lambda i: math.dist(p, points[i]))
        influences[nearest] = 1.0
    return _normalized(influences)


def simple_directional_weights(points: Sequence[Point2], p: Point2) -> list[float]:
    """Share a direction between its two neighbours on a ring, in proportion to its components along them.

    ``p / |p| = a e_1 + b e_2``, ``w = a / (a + b), b / (a + b)``, e the unit vectors to the neighbours. The zero vector
    plays the child nearest to the front. A child at the origin has no direction and no weight.
    """
    ring = [i for i, point in enumerate(points) if point != ORIGIN]
    if not ring:
        return [1.0 / len(points)] * len(points)
    if math.hypot(*p) < FRONT_RADIUS:
        front = min(ring, key=lambda i: abs(_angle(FRONT, points[i])))
        return [float(i == front) for i in range(len(points))]
    to_left = {i: _angle(p, points[i]) % math.tau for i in ring}
    to_right = {i: _angle(points[i], p) % math.tau for i in ring}
    left, right = min(to_left.values()), min(to_right.values())
    share = _left_share(left, right)
    weights = [0.0] * len(points)
    for turns, nearest, amount in ((to_left, left, share), (to_right, right, 1.0 - share)):
        neighbours = [i for i in ring if turns[i] == nearest]  # several in the same direction share
        for i in neighbours:
            weights[i] += amount / len(neighbours)
    return weights


PLANAR: dict[str, Callable[[Sequence[Point2], Point2], list[float]]] = {
    "2D_CARTESIAN": cartesian_weights,
    "2D_DIRECTIONAL": directional_weights,
    "2D_SIMPLE_DIRECTIONAL": simple_directional_weights,
}


def _left_share(left: float, right: float) -> float:
    """Return the weight of the left one of two neighbours at these angles: ``sin(right) / (sin(left) + sin(right))``.

    Where they are half a turn apart or more the direction has no such components: the angle is interpolated.
    """
    if left == 0.0:
        return 1.0
    if left + right > math.pi - 1e-9:
        return right / (left + right)
    return math.sin(right) / (math.sin(left) + math.sin(right))


def _shared(points: Sequence[Place], weigh: Callable[[list[Place]], list[float]]) -> list[float]:
    """Weigh the distinct points, and give each child its part of what its point gets."""
    places = list(dict.fromkeys(points))
    weight = dict(zip(places, weigh(places), strict=True))
    return [weight[point] / points.count(point) for point in points]


def _pair(point: Point2) -> Point2:
    return float(point[0]), float(point[1])


def _influences(count: int, influence: Callable[[int, int], float]) -> list[float]:
    """Return ``h_i``: the least of its influences against the others; 1 for an only child."""
    return [min((influence(i, j) for j in range(count) if j != i), default=1.0) for i in range(count)]


def _band(v: Point2, e: Point2) -> float:
    """Return ``clamp(1 - v.e / |e|^2)`` to [0, 1]: 1 at the near end of the band, 0 at the far end."""
    return min(max(1.0 - _dot(v, e) / _dot(e, e), 0.0), 1.0)


def _normalized(influences: list[float]) -> list[float]:
    total = sum(influences)
    return [influence / total for influence in influences]


def _minus(a: Point2, b: Point2) -> Point2:
    return a[0] - b[0], a[1] - b[1]


def _dot(a: Point2, b: Point2) -> float:
    return a[0] * b[0] + a[1] * b[1]


def _angle(a: Point2, b: Point2) -> float:
    """Return the angle from a to b [rad], counter-clockwise in (-pi, pi]; 0 if one of them is the origin."""
    if ORIGIN in (a, b):
        return 0.0
    return math.atan2(a[0] * b[1] - a[1] * b[0], _dot(a, b))
