"""Shares: what each leaf of a state weighs, through all its trees, fall-backs included."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from skelter.engines.reference.state_plan import CLOCK, LeafPlan, StatePlan
from skelter.engines.reference.tree_weights import tree_weights
from skelter.graph.graph import BlendTree, Leaf

Memory = dict[str, list[float]]
"""The last weights of each tree that were not all 0, by path, since the state was entered."""


@dataclass(frozen=True, slots=True)
class Share:
    """A part of a state; the parts sum to 1.

    Attributes:
        path: Path of the leaf, or of a tree that falls back to the rest pose.
        leaf: The leaf, or None: the rest pose.
        weight: Product of the weights from the state down to it.
    """

    path: str
    leaf: LeafPlan | None
    weight: float


def state_shares(plan: StatePlan, values: Mapping[str, float], memory: Memory) -> list[Share]:
    """Return the shares of a state, those of weight 0 included: depth first, or by PlayCanvas's rules as its leaves.

    Args:
        plan: The state.
        values: Value of each parameter.
        memory: Weights to hold; it is brought up to date.
    """
    tree = plan.state.tree
    if tree is None:
        return [Share(leaf.path, leaf, 1.0) for leaf in plan.leaves]
    leaves = {leaf.path: leaf for leaf in plan.leaves}
    weights = _tree_shares(tree, plan.state.name, 1.0, values, memory)
    shares = [Share(path, leaves.get(path), weight) for path, weight in weights]
    if plan.rules == "playcanvas":
        order = list(leaves)
        shares.sort(key=lambda share: order.index(share.path) if share.leaf else len(order))
    return shares


def is_held(plan: StatePlan, values: Mapping[str, float]) -> bool:
    """Return whether the state's own tree has nothing to play and holds its pose."""
    tree = plan.state.tree
    return tree is not None and tree.fallback == "hold" and not any(tree_weights(tree, values))


def group_rate(group: str, shares: list[Share]) -> float:
    """Return how fast a group plays: 1 for the clock; a phase group plays a cycle in its mean play time.

    ``rate = sum_i w_i / sum_i w_i d_i`` [cycles/s] over the leaves that do not stand still, d their play times. Where
    all of them weigh 0 they count alike.

    Args:
        group: Key of the group.
        shares: All shares of the state.
    """
    if group == CLOCK:
        return 1.0
    members = [(share.weight, share.leaf) for share in shares if share.leaf and share.leaf.group == group]
    moving = [(weight, leaf.play_time) for weight, leaf in members if leaf.clip is not None and leaf.speed != 0.0]
    if not any(weight for weight, _ in moving):
        moving = [(1.0, time) for _, time in moving]
    cycle = sum(weight * time for weight, time in moving)
    return sum(weight for weight, _ in moving) / cycle if cycle > 0.0 else 0.0


def _tree_shares(
    tree: BlendTree, path: str, weight: float, values: Mapping[str, float], memory: Memory
) -> Iterator[tuple[str, float]]:
    weights = _child_weights(tree, path, values, memory)
    if not any(weights):
        yield path, weight  # the whole tree is at rest
    for child, own in zip(tree.children, weights, strict=True):
        below = f"{path}.{child.name}"
        if isinstance(child, Leaf):
            yield below, weight * own
        else:
            yield from _tree_shares(child, below, weight * own, values, memory)


def _child_weights(tree: BlendTree, path: str, values: Mapping[str, float], memory: Memory) -> list[float]:
    """Return the weights of a tree's children; all are 0 only if it falls back to the rest pose."""
    weights = tree_weights(tree, values)
    if any(weights):
        memory[path] = weights
        return weights
    equal = [1.0 / len(weights)] * len(weights) if weights else []
    if tree.fallback == "hold":
        return memory.get(path, equal)
    return equal if tree.fallback == "equal" else weights
