"""StatePlan: the leaves of a state and the groups that play together. The leaves of a group share one position.

Phase group: the leaves of a tree with sync and of its nested trees with sync. Its position counts cycles.
Clock group: every other leaf of the state. Its position counts seconds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from skelter.engines.reference.graph_clips import GraphClip
from skelter.graph.controller import Rules
from skelter.graph.graph import BlendTree, Leaf, State

CLOCK = ""
"""Key of the clock group; a phase group's key is the path of its outermost tree."""


@dataclass(frozen=True, slots=True)
class LeafPlan:
    """One leaf.

    Attributes:
        path: Path its clip is bound to.
        clip: The clip, or None: it plays nothing and has length 0.
        speed: Product of the speeds of the leaf and of the trees above it.
        group: Key of its group.
    """

    path: str
    clip: GraphClip | None
    speed: float
    group: str

    @property
    def duration(self) -> float:
        """Length of the clip [s]."""
        return self.clip.duration if self.clip else 0.0

    @property
    def play_time(self) -> float:
        """Time that one play takes at the leaf's own speed [s]; 0 for a leaf that stands still."""
        return self.duration / abs(self.speed) if self.speed else 0.0


@dataclass(frozen=True, slots=True)
class StatePlan:
    """A state with its clips bound.

    Attributes:
        state: The state.
        leaves: Its leaves, depth first, or by PlayCanvas's rules in the order of binding; none in a control state.
        rules: Whose rules hold.
    """

    state: State
    leaves: tuple[LeafPlan, ...]
    rules: Rules = "skelter"

    @property
    def groups(self) -> tuple[str, ...]:
        """Keys of the groups; the first is the main group, which the state's own time follows."""
        return tuple(dict.fromkeys(leaf.group for leaf in self.leaves)) or (CLOCK,)

    @property
    def main(self) -> str:
        """Key of the main group."""
        return self.groups[0]

    def end(self, group: str) -> float:
        """Return where a group ends that does not loop: 1 cycle, or the longest play of its leaves [s]."""
        if group != CLOCK:
            return 1.0
        return max((leaf.play_time for leaf in self.leaves if leaf.group == CLOCK), default=0.0)

    @property
    def time_end(self) -> float:
        """Time at which a state ends that does not loop; by PlayCanvas's rules never if it runs backwards."""
        return math.inf if self.rules == "playcanvas" and self.state.speed < 0.0 else self.end(self.main)

    @property
    def longest(self) -> float:
        """Length of the longest clip [s]."""
        return max((leaf.duration for leaf in self.leaves), default=0.0)

    def progress(self, time: float) -> float:
        """Return plays of the main group, or of the first leaf's clip on the clock, at a time of the state."""
        if self.complete:
            return 1.0
        if self.main != CLOCK:
            return time
        first = self.leaves[0]
        speed = abs(first.speed)
        if self.rules == "playcanvas" and self.state.tree is None:
            speed *= abs(self.state.speed)  # once more: the time has grown by it already
        return time * speed / first.duration

    @property
    def complete(self) -> bool:
        """Whether the state has nothing that an exit time could wait for: its progress is 1.

        That is a first clip without length on the clock, and a phase that no clip moves.
        """
        if not self.leaves or self.main == CLOCK:
            return not self.leaves or self.leaves[0].duration == 0.0
        return not any(leaf.play_time for leaf in self.leaves if leaf.group == self.main)


def plan_state(
    state: State, clip_of: Callable[[str], GraphClip | None], order: Sequence[str] = (), rules: Rules = "skelter"
) -> StatePlan:
    """Lay out a state.

    Args:
        state: The state.
        clip_of: The clip of a path.
        order: Paths in the order of binding, for PlayCanvas's rules.
        rules: Whose rules hold.
    """
    if state.tree is None:
        places = [(path, 1.0, CLOCK) for path in state.clip_paths()]
    else:
        places = list(_tree_leaves(state.tree, state.name, state.tree.speed, CLOCK))
    if rules == "playcanvas":
        places.sort(key=lambda place: order.index(place[0]))
    leaves = tuple(LeafPlan(path, clip_of(path), speed, group) for path, speed, group in places)
    return StatePlan(state, leaves, rules)


def _tree_leaves(tree: BlendTree, path: str, speed: float, above: str) -> Iterator[tuple[str, float, str]]:
    """Yield path, speed and group of each leaf; ``above`` is the group of the parent tree's own leaves."""
    group = (above or path) if tree.sync else CLOCK
    for child in tree.children:
        below = f"{path}.{child.name}"
        if isinstance(child, Leaf):
            yield below, speed * child.speed, group
        else:
            yield from _tree_leaves(child, below, speed * child.speed, group)
