"""Check that a graph can run, and say everything that keeps it from it at once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from skelter.graph.checks.layers import layer_problems
from skelter.graph.checks.names import name_problems, path_problems
from skelter.graph.checks.parameters import Parameters, parameter_problems
from skelter.graph.files.parse import Reading, parse_graph
from skelter.graph.files.shape import shape_problems
from skelter.graph.files.write import encode_graph, require_graph
from skelter.graph.graph import StateGraph
from skelter.graph.problems import PROBLEMS_MAX, Problem, file_order, raise_problems


def check_graph(graph: StateGraph) -> tuple[Problem, ...]:
    """Return everything that keeps a graph from running, in the order of its file; at most `PROBLEMS_MAX` problems.

    Paths are those of the JSON form that the graph would be saved in.

    Args:
        graph: The graph. It is not changed.

    Raises:
        ArgumentError: It is no graph.
    """
    require_graph(graph)
    return tuple(shape_problems(graph)) or reading_problems(reread(graph))


def require_valid(graph: StateGraph) -> None:
    """Raise GraphError with a line for each problem if a graph cannot run."""
    raise_problems(getattr(graph, "name", ""), check_graph(graph))


def reread(graph: StateGraph) -> Reading:
    """Return a graph as it would be read from its file: with the place of each object, and values in their types."""
    return parse_graph(encode_graph(graph), graph.name)


def reading_problems(reading: Reading) -> tuple[Problem, ...]:
    """Return what does not fit the schema, and what is wrong with the rest."""
    unsound = set(reading.unsound)
    found = (problem for problem in _problems(reading.graph, unsound) if not _within(problem.path, unsound))
    problems = dict.fromkeys([*reading.problems, *islice(found, PROBLEMS_MAX)])
    return tuple(sorted(problems, key=lambda problem: file_order(problem.path))[:PROBLEMS_MAX])


def _problems(graph: StateGraph, unsound: set[str]) -> Iterator[Problem]:
    if not graph.layers:
        yield Problem("layers", "there are none; add at least one")
    yield from name_problems(graph.parameters, "parameters")
    parameters: Parameters = {}
    for parameter in graph.parameters:
        problems = tuple(parameter_problems(parameter))
        yield from problems
        unclear = problems or _within(parameter.place, unsound)
        parameters[parameter.name] = None if unclear else parameter
    yield from name_problems(graph.layers, "layers")
    for layer in graph.layers:
        yield from layer_problems(layer, parameters)
    yield from path_problems(graph)


def _within(path: str, places: set[str]) -> bool:
    """Say whether a path is one of some places, or below one."""
    if not places or "" in places:
        return bool(places)
    ends = [index for index, letter in enumerate(path) if letter in ".["]
    return any(path[:end] in places for end in (*ends, len(path)))
