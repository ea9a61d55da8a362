"""Lint: what a valid graph holds that its author hardly meant; `docs/reference/lint.md` lists the rules."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real

from skelter.core.errors import ArgumentError, unknown_name
from skelter.graph.bind import path_spellings
from skelter.graph.check import require_valid, reread
from skelter.graph.graph import StateGraph
from skelter.graph.lint.conditions import conditional_starts, impossible_conditions, magnitudes_of_booleans
from skelter.graph.lint.cycles import instant_cycles
from skelter.graph.lint.exits import ignored_offsets, long_fades, slow_fades, unreachable_exit_times
from skelter.graph.lint.finding import Finding, Subject
from skelter.graph.lint.keys import empty_masks, unknown_keys
from skelter.graph.lint.parameters import unused_parameters
from skelter.graph.lint.states import dead_ends, unreachable_states
from skelter.graph.lint.transitions import self_transitions, shadowed_transitions
from skelter.graph.lint.trees import coincident_points, points_out_of_reach, single_children
from skelter.graph.problems import file_order

RULES = (
    unknown_keys,
    unused_parameters,
    unreachable_states,
    dead_ends,
    self_transitions,
    shadowed_transitions,
    impossible_conditions,
    magnitudes_of_booleans,
    conditional_starts,
    instant_cycles,
    unreachable_exit_times,
    long_fades,
    slow_fades,
    ignored_offsets,
    coincident_points,
    single_children,
    points_out_of_reach,
    empty_masks,
)


def lint(graph: StateGraph, *, durations: Mapping[str, float] | None = None) -> tuple[Finding, ...]:
    """Return what looks wrong in a graph that can run, in the order of its file.

    Args:
        graph: A valid graph. It is not changed.
        durations: Lengths of clips [s] by the path that they are bound to, such as ``Move.Walk``. Without them what
            depends on lengths is not looked at.

    Raises:
        GraphError: The graph is not valid: mend that first.
        ArgumentError: ``durations`` names a path that the graph lacks, or holds something else than a length.
    """
    require_valid(graph)
    subject = Subject(reread(graph).graph, _checked_durations(graph, durations or {}))
    findings = dict.fromkeys(finding for rule in RULES for finding in rule(subject))
    return tuple(sorted(findings, key=lambda finding: file_order(finding.path)))


def _checked_durations(graph: StateGraph, durations: Mapping[str, float]) -> dict[str, float]:
    """Return the lengths by the paths of the graph; the layer may be named where it need not be."""
    if not isinstance(durations, Mapping):
        raise ArgumentError(f"durations: expected a length per path, got {type(durations).__name__}")
    spelled = path_spellings(graph)
    for path, length in durations.items():
        if path not in spelled:
            raise ArgumentError(f"durations: {unknown_name('path', path, graph.clip_paths())}")
        is_number = isinstance(length, Real) and not isinstance(length, bool)
        if not is_number or not 0.0 <= length < math.inf:
            raise ArgumentError(f"durations[{path!r}]: expected a length from 0 on [s], got {length!r}")
    return {spelled[path]: float(length) for path, length in durations.items()}
