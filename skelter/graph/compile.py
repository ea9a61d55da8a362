"""Compile a state graph for a rig."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from skelter.core.errors import ArgumentError, near_names
from skelter.graph.bind import additive_remarks, bind_clips, full_path
from skelter.graph.check import require_valid
from skelter.graph.controller import Controller, Rules
from skelter.graph.graph import ANY, CONTROL_STATES, END, START, Layer, State, StateGraph, Transition
from skelter.graph.tables import (
    CHILD,
    CONDITION,
    DIRECT,
    HOLD,
    INTERRUPTIONS,
    LAYER,
    LEAF,
    ONE_D,
    PAIR,
    PARAMETER_TYPES,
    PREDICATES,
    SLOT_COUNT,
    STATE,
    TRANSITION,
    TREE,
    GraphTables,
)
from skelter.graph.trees import PHASE, BoundClip, StateTrees, record, state_trees
from skelter.rig.mask import joint_mask, pack_mask
from skelter.rig.rig import Rig, check_is_rig

ClipBindings = Mapping[str, str | None]
"""Clip per path: ``State``, ``State.Child`` or ``Layer:State``; None binds an empty clip, which plays nothing."""


def compile(  # noqa: A001
    graph: StateGraph, rig: Rig, clips: ClipBindings | None = None, *, rules: Rules = "skelter"
) -> Controller:
    """Compile a graph for a rig.

    The same graph with another rig or other clips gives another controller.

    Args:
        graph: The graph. It is checked first.
        rig: A baked character.
        clips: Clip per path. A path that is not named takes the clip of its own name, with its layer and then without,
            else the one of the leaf's; a clip whose name differs in upper and lower case only will do if there is one
            of these.
        rules: ``playcanvas`` does what that engine does where it does so consistently, for those who must show what its
            players see: clips are mixed one after the other in the order of ``clips``, joints that nothing keys hold
            their last value, progress counts the speed of a state twice, a state that runs backwards never ends, exit
            times are those of the active state and can be missed at the end of a loop. Morph weights are mixed by the
            rules of skelter.

    Returns:
        The controller. ``remarks`` says what was noticed: rules of masks that match no joint, and, unless the rules are
        PlayCanvas's, clips in an ADDITIVE layer that hold poses and no differences.

    Raises:
        GraphError: The graph has problems, or paths have no clip; all of them are listed.
        ArgumentError: ``clips`` names a path or a clip that does not exist, or there are no such rules.
    """
    if rules not in ("skelter", "playcanvas"):
        raise ArgumentError(f"rules: expected 'skelter' or 'playcanvas', got {rules!r}")
    if not isinstance(graph, StateGraph):
        raise ArgumentError(f"graph: expected a StateGraph, got {type(graph).__name__}; skelter.load_graph reads one")
    check_is_rig(rig)
    require_valid(graph)
    graph = copy.deepcopy(graph)
    bound = bind_clips(graph, rig, clips or {})
    builder = _Builder(graph, {path: _bound_clip(rig, clip) for path, clip in bound.items()}, rules)
    for layer in graph.layers:
        builder.add_layer(layer)
    masks = [_packed_mask(layer, rig) for layer in graph.layers]
    remarks = [remark for _, found in masks for remark in found]
    if rules == "skelter":  # PlayCanvas knows no other additive clips
        remarks += additive_remarks(graph, rig, bound)
    return Controller(
        graph=graph,
        rig=rig,
        clips=bound,
        layer_names=tuple(layer.name for layer in graph.layers),
        state_names=tuple(builder.state_names),
        parameter_names=tuple(parameter.name for parameter in graph.parameters),
        parameter_type=np.array([PARAMETER_TYPES.index(p.type) for p in graph.parameters], np.int32),
        parameter_value=np.array([float(parameter.value) for parameter in graph.parameters], np.float64),
        tables=builder.tables(rig),
        rules=rules,
        additive=np.array([layer.blend == "ADDITIVE" for layer in graph.layers], np.uint8),
        mask=np.array([mask for mask, _ in masks], np.float32),
        remarks=tuple(remarks),
        **builder.sizes(),
    )


def _bound_clip(rig: Rig, name: str | None) -> BoundClip:
    if name is None:
        return BoundClip(-1, 0.0)
    index = rig.clip_index(name)
    return BoundClip(index, float(rig.clips.duration[index]))


def _packed_mask(layer: Layer, rig: Rig) -> tuple[np.ndarray, list[str]]:
    if layer.mask is None:
        return pack_mask(np.ones(rig.joint_count, np.float32)), []
    weights, unmatched = joint_mask(rig, layer.mask)
    return pack_mask(weights), [
        f"mask of layer {layer.name!r}: no joint matches {key!r}{near_names(key, rig.joint_names)}" for key in unmatched
    ]


class _Builder:
    """Collects the records of all layers."""

    def __init__(self, graph: StateGraph, clips: dict[str, BoundClip], rules: Rules) -> None:
        self._clips = clips
        self._order = {path: number for number, path in enumerate(clips)}
        self._rules = rules
        self._parameters = {parameter.name: index for index, parameter in enumerate(graph.parameters)}
        self._triggers = {parameter.name for parameter in graph.parameters if parameter.type == "TRIGGER"}
        self.state_names: list[str] = []
        self._rows: dict[str, list[tuple[Any, ...]]] = {
            name: []
            for name in ("layers", "states", "leaves", "trees", "children", "pairs", "transitions", "conditions")
        }
        self._groups: list[int] = []
        self._candidates: list[int] = []
        self._entry_count = 0
        self._most = {"group_count": 1, "leaf_count": 1, "tree_count": 1, "child_count": 1}
        self._holds = False

    def add_layer(self, layer: Layer) -> None:
        """Append a layer, its states and its transitions."""
        first = len(self.state_names)
        states = [State(START), *(state for state in layer.states if state.name not in CONTROL_STATES)]
        index = {state.name: first + number for number, state in enumerate(states)}
        index[END] = index[str(layer.default_state)]
        self.state_names.extend(state.name for state in states)
        begin = len(self._rows["transitions"])
        for transition in layer.transitions:
            self._add_transition(transition, index)
        ways = _ways_by_source(layer, begin)
        widest = max(self._add_state(layer, state, ways.get(state.name, [])) for state in states)
        any_range = self._add_candidates(ways.get(ANY, []))
        self._entry_count += SLOT_COUNT * widest
        self._rows["layers"].append(
            record(
                LAYER,
                state_start=first,
                state_stop=len(self.state_names),
                default_state=index[END],
                any_start=any_range[0],
                any_stop=any_range[1],
                transition_start=begin,
                transition_stop=len(self._rows["transitions"]),
                weight=layer.weight,
            )
        )

    def _add_transition(self, transition: Transition, index: dict[str, int]) -> None:
        conditions = self._rows["conditions"]
        start = len(conditions)
        for condition in transition.conditions:
            conditions.append(
                record(
                    CONDITION,
                    value=float(condition.value),
                    parameter=self._parameters[condition.parameter],
                    predicate=PREDICATES.index(condition.predicate),
                    trigger=condition.parameter in self._triggers,
                )
            )
        offset = transition.offset or 0.0
        self._rows["transitions"].append(
            record(
                TRANSITION,
                time=transition.time,
                exit_time=transition.exit_time or 0.0,
                offset=offset if 0.0 < offset < 1.0 else 0.0,
                source=-1 if transition.source == ANY else index[transition.source],
                target=index[transition.target],
                interruption=INTERRUPTIONS.index(transition.interruption),
                condition_start=start,
                condition_stop=len(conditions),
                playcanvas=self._rules == "playcanvas",
                restarts=transition.target == END and transition.source != ANY,
            )
        )

    def _add_candidates(self, ways: list[int]) -> tuple[int, int]:
        """Append the transitions of a source; return their range."""
        start = len(self._candidates)
        self._candidates.extend(ways)
        return start, len(self._candidates)

    def _add_state(self, layer: Layer, state: State, ways: list[int]) -> int:
        """Append a state and the transitions from it; return how many playback entries it may need."""
        candidates = self._add_candidates(ways)
        start = {name: len(self._rows[name]) for name in ("leaves", "trees")}
        group_start = len(self._groups)
        trees = StateTrees()
        if state.name != START:
            full = {path: full_path(layer, path, self._clips) for path in state.clip_paths()}
            own = {path: self._clips[place] for path, place in full.items()}
            if self._rules == "playcanvas":  # leaves in the order in which they are bound, else in that of the tree
                own = dict(sorted(own.items(), key=lambda item: self._order[full[item[0]]]))
            trees = state_trees(state, own, self._parameters)
            self._append(trees)
        self._rows["states"].append(
            record(
                STATE,
                speed=state.speed,
                loop=state.loop,
                plays=state.name != START,
                group_start=group_start,
                group_stop=len(self._groups),
                leaf_start=start["leaves"],
                leaf_stop=len(self._rows["leaves"]),
                tree_start=start["trees"],
                tree_stop=len(self._rows["trees"]),
                candidate_start=candidates[0],
                candidate_stop=candidates[1],
                **self._time_fields(state, trees),
            )
        )
        return len(trees.leaves) + 1

    def _time_fields(self, state: State, trees: StateTrees) -> dict[str, Any]:
        """Return how a state counts its own time: as its leaves say, or by PlayCanvas's rules."""
        fields = _own_time(trees)
        if self._rules == "playcanvas" and trees.leaves:
            if state.tree is None:
                fields["first_speed"] = abs(state.speed)
            if state.speed < 0.0:
                fields["end"] = math.inf
        return fields

    def _append(self, trees: StateTrees) -> None:
        """Append the records of a state, whose indices of children and pairs count from its own first."""
        child_start, pair_start = len(self._rows["children"]), len(self._rows["pairs"])
        moved = np.array(trees.trees, TREE)
        for name, by in (("child_start", child_start), ("child_stop", child_start), ("pair_start", pair_start)):
            moved[name] += by
        self._rows["leaves"].extend(trees.leaves)
        self._rows["trees"].extend(moved.tolist())
        self._rows["children"].extend(trees.children)
        self._rows["pairs"].extend(trees.pairs)
        self._groups.extend(trees.groups)
        self._holds |= bool((_may_vanish(moved) & (moved["fallback"] == HOLD)).any())
        for name, rows in (
            ("group_count", trees.groups),
            ("leaf_count", trees.leaves),
            ("tree_count", trees.trees),
            ("child_count", trees.children),
        ):
            self._most[name] = max(self._most[name], len(rows))

    def sizes(self) -> dict[str, int]:
        """Return the sizes that buffers need."""
        held = self._most["child_count"] if self._holds else 0
        return {**self._most, "held_count": held, "entry_count": self._entry_count}

    def tables(self, rig: Rig) -> GraphTables:
        """Return the records as read-only arrays."""
        dtypes = {
            "layers": LAYER,
            "states": STATE,
            "leaves": LEAF,
            "trees": TREE,
            "children": CHILD,
            "pairs": PAIR,
            "transitions": TRANSITION,
            "conditions": CONDITION,
        }
        tables = GraphTables(
            **{name: np.array(self._rows[name], dtype) for name, dtype in dtypes.items()},
            group_by_phase=np.array(self._groups, np.uint8),
            candidates=np.array(self._candidates, np.int64),
            event_start=rig.clips.event_start,
            event_time=rig.clips.event_time,
        )
        for table in tables:
            table.flags.writeable = False
        return tables


def _ways_by_source(layer: Layer, begin: int) -> dict[str, list[int]]:
    """Return the numbers of a layer's transitions, from ``begin``, by source, in the order they are looked at."""
    ways: dict[str, list[int]] = {}
    for number in sorted(range(len(layer.transitions)), key=lambda number: layer.transitions[number].priority):
        ways.setdefault(layer.transitions[number].source, []).append(begin + number)
    return ways


def _may_vanish(trees: np.ndarray) -> np.ndarray:
    """Return which trees can have only zero weights: DIRECT, and 1D that is not clamped."""
    return np.asarray((trees["type"] == DIRECT) | ((trees["type"] == ONE_D) & (trees["clamp"] == 0)))


def _own_time(trees: StateTrees) -> dict[str, Any]:
    """Return how a state counts its own time: in what unit, and where it ends."""
    if not trees.leaves:
        return {"complete": 1}
    leaves = np.array(trees.leaves, LEAF)
    main = int(leaves["group"][0])
    by_phase = trees.groups[main] == PHASE
    clock = np.array([trees.groups[group] != PHASE for group in leaves["group"]]) & (leaves["speed"] != 0.0)
    clock_end = float((leaves["duration"][clock] / np.abs(leaves["speed"][clock])).max(initial=0.0))
    first_duration, first_speed = float(leaves["duration"][0]), abs(float(leaves["speed"][0]))
    moves = (leaves["group"] == main) & (leaves["duration"] > 0.0) & (leaves["speed"] != 0.0)
    return {
        "by_phase": by_phase,
        "main_group": main,
        "end": 1.0 if by_phase else clock_end,
        "clock_end": clock_end,
        "longest": float(leaves["duration"].max()),
        "first_duration": first_duration,
        "first_speed": first_speed,
        "complete": not moves.any() if by_phase else first_duration == 0.0,
    }
