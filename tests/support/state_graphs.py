"""State graphs for tests: the one of PlayCanvas's documents, random ones, and those of the recorded cases."""

from __future__ import annotations

import copy
import gzip
import json
import os
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import strategies as st

from skelter.graph.graph import (
    ANY,
    END,
    START,
    BlendTree,
    BlendType,
    Condition,
    Fallback,
    Form,
    Interruption,
    Layer,
    Leaf,
    Outside,
    Parameter,
    ParameterType,
    Predicate,
    State,
    StateGraph,
    Transition,
)

LOCOMOTION: dict[str, Any] = {
    "layers": [
        {
            "name": "Base",
            "states": [
                {"name": "START"},
                {"name": "Idle", "loop": True, "defaultState": True},
                {"name": "Walk", "loop": True},
                {"name": "Jump", "loop": False},
                {"name": "ANY"},
                {"name": "END"},
            ],
            "transitions": [
                {"from": "START", "to": "Idle"},
                {
                    "from": "Idle",
                    "to": "Walk",
                    "time": 0.2,
                    "conditions": [{"parameterName": "speed", "predicate": "GREATER_THAN", "value": 0.5}],
                },
                {
                    "from": "Walk",
                    "to": "Idle",
                    "time": 0.2,
                    "conditions": [{"parameterName": "speed", "predicate": "LESS_THAN_EQUAL_TO", "value": 0.5}],
                },
                {
                    "from": "ANY",
                    "to": "Jump",
                    "time": 0.1,
                    "conditions": [{"parameterName": "jump", "predicate": "EQUAL_TO", "value": True}],
                },
                {"from": "Jump", "to": "END", "time": 0.2, "exitTime": 1},
            ],
        }
    ],
    "parameters": {
        "speed": {"name": "speed", "type": "FLOAT", "value": 0},
        "jump": {"name": "jump", "type": "TRIGGER", "value": False},
    },
}

EDITOR: dict[str, Any] = {
    "layers": {
        "10": {"name": "Upper", "states": [10, 13], "transitions": [10], "blendType": "ADDITIVE", "weight": 0.5},
        "2": {"name": "Base", "states": [0, 3, 4, 1, 2], "transitions": [0, 1, 2, 3]},
    },
    "states": {
        "0": {"id": 0, "name": "START", "nodeType": 3, "posX": 0, "posY": 0},
        "1": {"id": 1, "name": "Idle", "speed": 1, "loop": True, "nodeType": 1},
        "2": {"id": 2, "name": "Walk", "speed": 1.25, "loop": True, "nodeType": 0},
        "3": {"id": 3, "name": "ANY", "nodeType": 4},
        "4": {"id": 4, "name": "END", "nodeType": 5},
        "10": {"id": 10, "name": "START", "nodeType": 3},
        "13": {"id": 13, "name": "Wave", "nodeType": 1},
        "99": {"id": 99, "name": "Lost"},
    },
    "transitions": {
        "0": {"from": 0, "to": 1, "defaultTransition": True, "edgeType": 1, "conditions": {}},
        "1": {
            "from": 1,
            "to": 2,
            "time": None,
            "exitTime": 0,
            "edgeType": 1,
            "conditions": {
                "7": {"parameterName": None, "predicate": "EQUAL_TO", "value": 0},
                "12": {"parameterName": "go", "predicate": "EQUAL_TO", "value": True},
                "3": {"parameterName": "stop", "predicate": "NOT_EQUAL_TO", "value": True},
            },
        },
        "2": {
            "from": "Walk",
            "to": 1,
            "conditions": [{"parameterName": "go", "predicate": "EQUAL_TO", "value": False}],
        },
        "3": {"from": 3, "to": 4, "edgeType": 3, "conditions": {}},
        "10": {"from": 10, "to": 13, "conditions": {}},
    },
    "parameters": {
        "0": {"name": "go", "type": "BOOLEAN", "value": False},
        "1": {"name": "stop", "type": "TRIGGER", "value": False},
    },
}


def locomotion() -> dict[str, Any]:
    return copy.deepcopy(LOCOMOTION)


def editor() -> dict[str, Any]:
    return copy.deepcopy(EDITOR)


def recorded() -> dict[str, dict[str, Any]]:
    """Return the graphs of the recorded PlayCanvas cases by file name; skip the test if they are not there."""
    folder = os.environ.get("SKELTER_PLAYCANVAS") or f"{os.environ.get('SKELTER_CORPUS', '')}/../playcanvas"
    cases = Path(folder) / "cases"
    if not cases.is_dir():
        pytest.skip("neither SKELTER_PLAYCANVAS nor SKELTER_CORPUS leads to the recorded PlayCanvas cases")
    graphs = {}
    for path in sorted([*cases.glob("*.job.json"), *cases.glob("fuzz/*.json.gz")]):
        data = json.loads(gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes())
        graphs[path.name] = data.get("job", data)["stateGraph"]
    return graphs


names = st.text("ab1.:_é😀 ", min_size=1, max_size=4)
numbers = st.floats(-1e6, 1e6) | st.integers(-5, 5).map(float)
points = st.none() | numbers | st.tuples(numbers, numbers)


def _literals(kind: Any) -> st.SearchStrategy[Any]:
    return st.sampled_from(get_args(kind))


@st.composite
def trees(draw: st.DrawFn, depth: int = 1) -> BlendTree:
    leaf = st.builds(Leaf, name=names, point=points, speed=numbers)
    child = leaf | trees(depth + 1) if depth < 2 else leaf
    return BlendTree(
        type=draw(st.sampled_from(["1D", "2D_CARTESIAN", "DIRECT"])),
        parameters=draw(st.lists(names, max_size=3)),
        children=draw(st.lists(child, max_size=2)),
        sync=draw(st.booleans()),
        outside=draw(_literals(Outside)),
        fallback=draw(_literals(Fallback)),
        name=draw(names) if depth > 1 else "",
        point=draw(points) if depth > 1 else None,
        speed=draw(numbers) if depth > 1 else 1.0,
    )


conditions = st.builds(Condition, parameter=names, predicate=_literals(Predicate), value=st.booleans() | numbers)


@st.composite
def layers(draw: st.DrawFn) -> Layer:
    """Build a layer that lists its control states, as every saved one does; state names differ."""
    plain = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    states = [State(name, draw(numbers), draw(st.booleans()), draw(st.none() | trees())) for name in plain]
    ends = st.sampled_from([*plain, START, END, ANY])
    transition = st.builds(
        Transition,
        source=ends,
        target=ends,
        time=numbers,
        priority=st.integers(-3, 3),
        conditions=st.lists(conditions, max_size=2),
        exit_time=st.none() | numbers,
        offset=st.none() | numbers,
        interruption=_literals(Interruption),
    )
    return Layer(
        name=draw(names),
        states=[*states, State(START), State(END), State(ANY)],
        transitions=draw(st.lists(transition, max_size=3)),
        weight=draw(numbers),
        blend=draw(_literals(BlendType)),
        mask=draw(st.none() | st.dictionaries(names, st.booleans() | numbers, max_size=2)),
    )


@st.composite
def graphs(draw: st.DrawFn, form: Form) -> StateGraph:
    """Build any graph that a file can hold; it need not be valid."""
    kinds = draw(st.lists(_literals(ParameterType), max_size=3))
    parameters = [
        Parameter(draw(names), kind, draw(st.booleans() if kind in ("BOOLEAN", "TRIGGER") else numbers))
        for kind in kinds
    ]
    return StateGraph(draw(st.lists(layers(), max_size=2)), parameters, form)
