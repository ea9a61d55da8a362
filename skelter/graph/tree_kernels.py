"""Kernels: weights of blend trees."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import math

from skelter.core.kernel import exact_part, exact_routine
from skelter.graph.tables import DIRECT, DIRECTIONAL, EQUAL_WEIGHTS, HOLD, ONE_D, SIMPLE_DIRECTIONAL

ZERO_DIRECTION = 1e-4
"""Directions shorter than this count as none, which is the front."""
WEIGHT_MIN = 1e-12
"""Weights up to this are rounding: they would fire events, and set the pace of clips that nobody sees."""


@exact_part
def leaf_weights(tables, state, values, held, tree_weight, child_weight, out_weights):
    """Write the weights of a state's leaves, which multiply down nested trees.

    Args:
        tables: `GraphTables`.
        state: Index of a state.
        values: float64 ``[parameter]``.
        held: float64 ``[child]``: last weights of the children that were not all 0, for trees that hold them.
        tree_weight: Scratch, float64 ``[tree]``.
        child_weight: Scratch, float64 ``[child]``.
        out_weights: float64 ``[leaf]``, written whole.

    Returns:
        ``(rest, still)``: weight that goes to the rest pose, and 1 if the state's own tree has only zero weights and
        holds its last ones.
    """
    row = tables.states[state]
    out_weights[:] = 0.0
    if row.tree_start == row.tree_stop:
        if row.plays:
            out_weights[0] = 1.0
        return 0.0, 0
    first_child = tables.trees[row.tree_start].child_start
    rest, still = 0.0, 0
    tree_weight[0] = 1.0
    for number in range(row.tree_start, row.tree_stop):
        tree = tables.trees[number]
        own = tree_weight[number - row.tree_start]
        start, stop = tree.child_start - first_child, tree.child_stop - first_child
        total = _child_weights(tables, tree, values, child_weight[start:stop])
        if total > 0.0:
            for child in range(start, stop):
                weight = child_weight[child] / total
                child_weight[child] = weight if weight > WEIGHT_MIN else 0.0
                if tree.fallback == HOLD and len(held) > 0:
                    held[child] = child_weight[child]
        elif tree.fallback == HOLD and held[start] >= 0.0:
            for child in range(start, stop):
                child_weight[child] = held[child]
        elif tree.fallback == HOLD or tree.fallback == EQUAL_WEIGHTS:
            child_weight[start:stop] = 1.0 / (stop - start)
        else:
            rest += own
        if total <= 0.0 and tree.fallback == HOLD and number == row.tree_start:
            still = 1
        for child in range(start, stop):
            record = tables.children[first_child + child]
            if record.leaf >= 0:
                out_weights[record.leaf] = own * child_weight[child]
            else:
                tree_weight[record.tree] = own * child_weight[child]
    return rest, still


@exact_routine
def _child_weights(tables, tree, values, out_weights):
    """Write the raw weights of the children of one tree; return their sum."""
    if tree.type == DIRECT:
        total = 0.0
        for child in range(len(out_weights)):
            out_weights[child] = max(values[tables.children[tree.child_start + child].parameter], 0.0)
            total += out_weights[child]
        return total
    x, y = values[tree.x_parameter], values[tree.y_parameter]
    if tree.type == ONE_D:
        return _line(tables, tree, x, out_weights)
    if tree.type == SIMPLE_DIRECTIONAL:
        return _ring(tables, tree, x, y, out_weights)
    return _bands(tables, tree, x, y, out_weights)


@exact_part
def _line(tables, tree, x, out_weights):
    """Interpolate between neighbours on a line; outside of all points the end one, or nothing."""
    low, high = math.inf, -math.inf
    for child in range(tree.child_start, tree.child_stop):
        low, high = min(low, tables.children[child].x), max(high, tables.children[child].x)
    if tree.clamp:
        x = min(max(x, low), high)
    elif x < low or x > high:
        out_weights[:] = 0.0
        return 0.0
    total = 0.0
    for number in range(len(out_weights)):
        child = tables.children[tree.child_start + number]
        weight = 0.0
        if x == child.x:
            weight = 1.0
        elif child.left < x < child.x:
            weight = (x - child.left) / (child.x - child.left)
        elif child.x < x < child.right:
            weight = (child.right - x) / (child.right - child.x)
        out_weights[number] = weight * child.share
        total += out_weights[number]
    return total


@exact_part
def _ring(tables, tree, x, y, out_weights):
    """Split a direction into the two neighbouring directions: ``d = a e1 + b e2``; no direction is the front."""
    out_weights[:] = 0.0
    count = len(out_weights)
    length = math.hypot(x, y)
    if length < ZERO_DIRECTION:
        out_weights[tree.front] = 1.0
        return 1.0
    x, y = x / length, y / length
    for number in range(count):
        following = number + 1 if number + 1 < count else 0
        one, two = tables.children[tree.child_start + number], tables.children[tree.child_start + following]
        span = one.x * two.y - one.y * two.x
        a, b = (x * two.y - y * two.x) / span, (one.x * y - one.y * x) / span
        if a >= 0.0 and b >= 0.0:
            out_weights[number] = a
            out_weights[following] = b
            return a + b
    return _nearest(tables, tree, x, y, out_weights)  # rounding has put it beside both of its neighbours


@exact_part
def _bands(tables, tree, x, y, out_weights):
    """Weigh children by gradient bands, cartesian or polar; far outside of polar ones the nearest child.

    ``h_i = min_j clamp(1 - v . e / |e|^2)``. Source: R. S. Johansen, Automated Semi-Procedural Animation for Character
    Locomotion, 2009.
    """
    count = len(out_weights)
    polar = tree.type == DIRECTIONAL
    length = math.hypot(x, y)
    total = 0.0
    for i in range(count):
        own = tables.children[tree.child_start + i]
        along, across = x - own.x, y - own.y
        if polar:
            along = length - math.hypot(own.x, own.y)
            across = 2.0 * math.atan2(own.x * y - own.y * x, own.x * x + own.y * y)
            if length == 0.0 or (own.x == 0.0 and own.y == 0.0):
                across = 0.0
        weight = 1.0
        for j in range(count):
            pair = tables.pairs[tree.pair_start + i * count + j]
            first = along * pair.scale if polar else along
            weight = min(weight, 1.0 - (first * pair.x + across * pair.y))
        out_weights[i] = max(weight, 0.0) * own.share
        total += out_weights[i]
    if total <= 0.0:
        return _nearest(tables, tree, x, y, out_weights)
    return total


@exact_part
def _nearest(tables, tree, x, y, out_weights):
    """Give everything to the nearest child, shared by those that lie at its point."""
    best, least = 0, math.inf
    for number in range(len(out_weights)):
        child = tables.children[tree.child_start + number]
        distance = math.hypot(child.x - x, child.y - y)
        if distance < least:
            best, least = number, distance
    own = tables.children[tree.child_start + best]
    for number in range(len(out_weights)):
        child = tables.children[tree.child_start + number]
        out_weights[number] = own.share if child.x == own.x and child.y == own.y else 0.0
    return 1.0
