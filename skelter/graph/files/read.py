"""Read state graphs: PlayCanvas's JSON in both of its forms, with our keys."""

from __future__ import annotations

import copy
from os import PathLike
from typing import Any

from skelter.core.errors import ArgumentError
from skelter.graph.check import reading_problems
from skelter.graph.files.decode import as_path, check_data, decode, read_file
from skelter.graph.files.parse import parse_graph
from skelter.graph.graph import StateGraph
from skelter.graph.problems import raise_problems


def load_graph(path: str | PathLike[str], *, check: bool = True) -> StateGraph:
    """Load a graph file.

    Args:
        path: A JSON file in the engine's form or in the Editor's.
        check: Also refuse a graph that could not run, such as one with a transition to nowhere.

    Returns:
        The graph; its name is the file's.

    Raises:
        GraphError: The file is missing, too large or no JSON, or the graph has problems; all of them are listed.
        ArgumentError: ``path`` is no path.
    """
    file = as_path(path)
    return _graph(decode(read_file(file), str(file)), str(file), check)


def graph_from_json(data: bytes | str | dict[str, Any], *, name: str = "graph", check: bool = True) -> StateGraph:
    """Make a graph of JSON.

    Args:
        data: A JSON text, or what such a text holds; it is not changed, and nothing of it is shared.
        name: Name of the graph, for messages.
        check: Also refuse a graph that could not run.

    Raises:
        GraphError: It is no JSON, or the graph has problems; all of them are listed.
        ArgumentError: ``data`` is neither a text nor a dictionary.
    """
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogatepass")
    if isinstance(data, bytes):
        return _graph(decode(data, name), name, check)
    if not isinstance(data, dict):
        raise ArgumentError(f"data: expected JSON text or a dict, got {type(data).__name__}; use load_graph for a file")
    check_data(data, name)
    return _graph(copy.deepcopy(data), name, check)


def _graph(data: Any, name: str, check: bool) -> StateGraph:
    reading = parse_graph(data, name)
    raise_problems(name, reading_problems(reading) if check else reading.problems)
    return reading.graph
