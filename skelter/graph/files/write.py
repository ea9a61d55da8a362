"""Write state graphs as JSON, without loss: what a file held comes back, key for key."""

from __future__ import annotations

import copy
import json
from os import PathLike
from typing import Any

from skelter.core.errors import ArgumentError, GraphError
from skelter.core.files import replacing
from skelter.graph.files.decode import as_path
from skelter.graph.files.encode import encode_engine_graph
from skelter.graph.files.encode_editor import encode_editor_graph
from skelter.graph.files.shape import shape_problems
from skelter.graph.graph import StateGraph
from skelter.graph.problems import raise_problems


def save_graph(graph: StateGraph, path: str | PathLike[str], *, force: bool = False) -> None:
    """Write a graph to a JSON file, whole or not at all, in the form that ``graph.form`` says.

    A graph that is not valid is written too, so that work in progress can be saved.

    Args:
        graph: The graph.
        path: File to write.
        force: Replace a file that exists.

    Raises:
        OutputError: The folder is missing or read-only, there is no space, or the file exists.
        GraphError: The graph holds what JSON cannot.
    """
    target = as_path(path)
    try:
        text = json.dumps(graph_to_json(graph), indent=2, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise GraphError(f"{graph.name}: it holds what JSON cannot ({error}); check_graph says where") from None
    with replacing(target, force=force) as temporary:
        temporary.write_bytes(text + b"\n")


def graph_to_json(graph: StateGraph) -> dict[str, Any]:
    """Return a graph as JSON data, in the form that ``graph.form`` says.

    Objects that came from a file keep their keys, in order; of objects made in code only what differs from the
    defaults is written, and what PlayCanvas cannot do without. The data shares nothing with the graph.

    Args:
        graph: The graph. It need not be valid.

    Raises:
        ArgumentError: It is no graph.
        GraphError: Its lists hold something else than its objects, or trees are nested too deep.
    """
    require_graph(graph)
    raise_problems(graph.name, shape_problems(graph))
    return copy.deepcopy(encode_graph(graph))


def encode_graph(graph: StateGraph) -> dict[str, Any]:
    """Return a graph that is built of the right objects as JSON data, which may share parts with it."""
    return encode_editor_graph(graph) if graph.form == "editor" else encode_engine_graph(graph)


def require_graph(graph: Any) -> None:
    """Raise ArgumentError unless an argument is a StateGraph."""
    if not isinstance(graph, StateGraph):
        raise ArgumentError(f"graph: expected a StateGraph, got {type(graph).__name__}; read a file with load_graph")
