"""Random graphs, bindings and inputs for tests of anything that takes a state graph.

    graph = random_graph(7)                                         # or Hypothesis: @given(graphs())
    rig = clock_rig({"walk": 1.0, "run": 0.6}, {"walk": [0.2, 0.7]})
    crowd = sk.Crowd(sk.compile(graph, rig, random_bindings(7, graph, rig.clip_names)))
    for step in random_inputs(7, graph):
        step.apply(crowd)

Everything that a graph may hold comes up: nested trees of all types, exit times, interruptions, speeds of 0 and below,
states without a clip. Same seed, same result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import TYPE_CHECKING, Any, Protocol, get_args

from skelter.graph.graph import (
    ANY,
    END,
    START,
    BlendTree,
    Condition,
    Interruption,
    Layer,
    Leaf,
    Parameter,
    Point,
    Predicate,
    State,
    StateGraph,
    Transition,
    TreeType,
)

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from skelter.engines.reference.graph_clips import GraphClip
    from skelter.rig.rig import Rig

Seed = int | Random
"""A seed, or a source of random numbers: Hypothesis's is one, too."""

PARAMETERS = (
    Parameter("x", "FLOAT", 0.5),
    Parameter("y", "FLOAT", -0.5),
    Parameter("z", "FLOAT", 1.0),
    Parameter("level", "INTEGER", 1),
    Parameter("armed", "BOOLEAN", False),
    Parameter("jump", "TRIGGER", False),
    Parameter("hit", "TRIGGER", False),
)
"""Parameters of all random graphs."""
GRID = 0.125
"""Numbers of even graphs are multiples of it."""
RING = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
_NUMBERS = ("x", "y", "z", "level")


@dataclass(frozen=True, slots=True)
class GraphSizes:
    """How large random graphs get, and with what numbers.

    Attributes:
        layer_max: Most layers.
        state_max: Most states of a layer, control states not counted.
        transition_max: Most transitions of a state.
        depth_max: Most trees inside each other.
        even: All numbers are multiples of `GRID`: moments coincide, and most sums are exact in floating point.
    """

    layer_max: int = 2
    state_max: int = 4
    transition_max: int = 3
    depth_max: int = 3
    even: bool = False


class Driven(Protocol):
    """What inputs are applied to: a crowd, or the reference machine."""

    def set(self, name: str, values: Any, /) -> None:
        """Set a parameter."""

    def trigger(self, name: str, /, *, single_frame: bool = False) -> None:
        """Set a trigger."""

    def step(self, dt: float) -> None:
        """Advance by a step."""


@dataclass(frozen=True, slots=True)
class InputStep:
    """Inputs, and the step that follows them.

    Attributes:
        dt: Length of the step [s].
        values: Parameters to set.
        triggers: Triggers to set, and whether for this step only.
    """

    dt: float
    values: Mapping[str, float | bool] = field(default_factory=dict)
    triggers: Mapping[str, bool] = field(default_factory=dict)

    def apply(self, driven: Driven) -> None:
        """Set the inputs of a crowd or of a reference machine, and step it."""
        self.apply_inputs(driven)
        driven.step(self.dt)

    def apply_inputs(self, driven: Driven) -> None:
        """Set the inputs only."""
        for name, value in self.values.items():
            driven.set(name, value)
        for name, single_frame in self.triggers.items():
            driven.trigger(name, single_frame=single_frame)


def random_graph(seed: Seed, sizes: GraphSizes | None = None) -> StateGraph:
    """Make a valid graph over `PARAMETERS`; its paths have no clips of their names, so they have to be bound.

    Args:
        seed: Same seed, same graph.
        sizes: How large it gets.
    """
    author = _Author(_source(seed), sizes or GraphSizes())
    layers = [author.layer(f"Layer{number}") for number in range(author.random.randint(1, author.sizes.layer_max))]
    return StateGraph(layers, [replace(parameter) for parameter in PARAMETERS], name="random graph")


def random_bindings(seed: Seed, graph: StateGraph, clips: Sequence[str]) -> dict[str, str | None]:
    """Bind each path of a graph to a random clip, or one in ten to none.

    Args:
        seed: Same seed, same bindings.
        graph: The graph.
        clips: Names of clips.
    """
    random = _source(seed)
    return {path: random.choice(clips) if clips and random.random() < 0.9 else None for path in graph.clip_paths()}


def random_inputs(
    seed: Seed, graph: StateGraph, step_count: int = 40, *, dt: float | None = None, even: bool = False
) -> list[InputStep]:
    """Make inputs for some steps.

    Args:
        seed: Same seed, same inputs.
        graph: The graph; its parameters are set within [-2, 2].
        step_count: Number of steps.
        dt: Length of all steps [s]; by default they differ, a few are 0 and a few longer than most clips.
        even: As `GraphSizes.even`.
    """
    numbers = _Numbers(_source(seed), even)
    return [_input_step(numbers, graph, dt) for _ in range(step_count)]


def graphs(sizes: GraphSizes | None = None) -> SearchStrategy[StateGraph]:
    """Return a Hypothesis strategy for valid graphs.

    Args:
        sizes: How large they get.
    """
    from hypothesis import strategies

    return strategies.randoms(use_true_random=False).map(lambda random: random_graph(random, sizes))


def reference_clips(rig: Rig, bindings: Mapping[str, str | None]) -> dict[str, GraphClip | None]:
    """Return the clip per path that `skelter.engines.reference.machine.Machine` takes.

    Args:
        rig: A rig.
        bindings: Name of a clip per path; None is an empty one.
    """
    from skelter.engines.reference.graph_clips import GraphClip

    bank = rig.clips
    marks = list(zip(bank.event_time.tolist(), bank.event_names, bank.event_payloads, strict=True))
    clips = {}
    for clip, name in enumerate(bank.names):
        start, stop = bank.event_start[clip : clip + 2].tolist()
        clips[name] = GraphClip(name, float(bank.duration[clip]), tuple(marks[start:stop]))
    return {path: None if name is None else clips[name] for path, name in bindings.items()}


@dataclass(frozen=True, slots=True)
class _Numbers:
    """Random numbers, on the grid or between."""

    random: Random
    even: bool

    def between(self, low: float, high: float) -> float:
        if self.even:
            return self.random.randint(round(low / GRID), round(high / GRID)) * GRID
        return self.random.uniform(low, high)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability


class _Author:
    """Writes the parts of one graph."""

    def __init__(self, random: Random, sizes: GraphSizes) -> None:
        self.random = random
        self.sizes = sizes
        self._numbers = _Numbers(random, sizes.even)

    def layer(self, name: str) -> Layer:
        states = [self._state(f"State{number}") for number in range(self.random.randint(1, self.sizes.state_max))]
        names = [state.name for state in states]
        ways = [self._way_from_start(names)]
        for source in (*names, ANY):
            ways += [self._transition(source, names) for _ in range(self.random.randint(0, self.sizes.transition_max))]
        return Layer(
            name,
            states,
            ways,
            weight=self._numbers.between(0.0, 1.0),
            blend=self.random.choice(("OVERWRITE", "ADDITIVE")),
        )

    def _way_from_start(self, states: list[str]) -> Transition:
        conditions = [self._condition()] if self._numbers.chance(0.1) else []
        return Transition(START, self.random.choice(states), self._fade(), conditions=conditions)

    def _transition(self, source: str, states: list[str]) -> Transition:
        return Transition(
            source,
            self.random.choice([*states, END]),
            self._fade(),
            priority=self.random.randint(0, 2),
            conditions=[self._condition() for _ in range(self.random.choice((0, 1, 1, 2)))],
            exit_time=self._exit_time(),
            offset=self._numbers.between(0.0, 1.0) if self._numbers.chance(0.3) else None,
            interruption=self.random.choice(get_args(Interruption)),
        )

    def _fade(self) -> float:
        return 0.0 if self._numbers.chance(0.3) else self._numbers.between(0.0, 1.0)

    def _exit_time(self) -> float | None:
        if self._numbers.chance(0.5):
            return None
        return 1.0 if self._numbers.chance(0.2) else self._numbers.between(0.0, 2.5)

    def _condition(self) -> Condition:
        parameter = self.random.choice(PARAMETERS)
        if parameter.type == "FLOAT":
            return Condition(parameter.name, self.random.choice(get_args(Predicate)), self._numbers.between(-1.0, 1.0))
        if parameter.type == "INTEGER":
            return Condition(parameter.name, self.random.choice(get_args(Predicate)), self.random.randint(-1, 2))
        if parameter.type == "TRIGGER":
            return Condition(parameter.name, "EQUAL_TO", True)
        return Condition(parameter.name, self.random.choice(("EQUAL_TO", "NOT_EQUAL_TO")), self._numbers.chance(0.5))

    def _state(self, name: str) -> State:
        tree = self._tree(name="", point=None, depth=1) if self._numbers.chance(0.6) else None
        return State(name, self._speed(), self._numbers.chance(0.7), tree)

    def _speed(self) -> float:
        special = self.random.choice((1.0, 1.0, 1.0, 2.0, 0.5, -1.0, 0.0, None))
        return self._numbers.between(-2.0, 2.0) if special is None else special

    def _tree(self, name: str, point: Point, depth: int) -> BlendTree:
        kind: TreeType = self.random.choice(get_args(TreeType))
        points = self._points(kind)
        children = [self._child(f"Child{number}", place, depth) for number, place in enumerate(points)]
        return BlendTree(
            kind,
            self._inputs_of(kind, len(points)),
            children,
            sync=self._numbers.chance(0.6),
            outside=self.random.choice(("clamp", "none")) if kind == "1D" else "clamp",
            fallback=self.random.choice(("hold", "equal", "rest")),
            name=name,
            point=point,
            speed=self._speed() if depth > 1 else 1.0,
        )

    def _child(self, name: str, point: Point, depth: int) -> Leaf | BlendTree:
        if depth < self.sizes.depth_max and self._numbers.chance(0.2):
            return self._tree(name, point, depth + 1)
        return Leaf(name, point, self._speed())

    def _inputs_of(self, kind: TreeType, child_count: int) -> list[str]:
        if kind == "DIRECT":
            return [self.random.choice(_NUMBERS) for _ in range(child_count)]
        return [self.random.choice(_NUMBERS)] if kind == "1D" else self.random.sample(_NUMBERS, 2)

    def _points(self, kind: TreeType) -> list[Point]:
        """Return points for the children of a tree; some may coincide where that is allowed."""
        count = self.random.randint(1, 5)
        if kind == "DIRECT":
            return [None] * count
        if kind == "1D":
            return [self._numbers.between(-1.0, 1.0) for _ in range(count)]
        if kind == "2D_SIMPLE_DIRECTIONAL":
            ring = RING[:: self.random.choice((1, 2))]
            first = self.random.randrange(len(ring))
            return [(float(x), float(y)) for x, y in (*ring[first:], *ring[:first])]
        return [(self._numbers.between(-1.0, 1.0), self._numbers.between(-1.0, 1.0)) for _ in range(count)]


def _source(seed: Seed) -> Random:
    return seed if isinstance(seed, Random) else Random(seed)  # noqa: S311 - tests want the same numbers again


def _input_step(numbers: _Numbers, graph: StateGraph, dt: float | None) -> InputStep:
    values: dict[str, float | bool] = {}
    triggers: dict[str, bool] = {}
    for parameter in graph.parameters:
        if not numbers.chance(0.2):
            continue
        if parameter.type == "TRIGGER":
            triggers[parameter.name] = numbers.chance(0.3)
        elif parameter.type == "BOOLEAN":
            values[parameter.name] = numbers.chance(0.5)
        elif parameter.type == "INTEGER":
            values[parameter.name] = numbers.random.randint(-2, 2)
        else:
            values[parameter.name] = numbers.between(-2.0, 2.0)
    return InputStep(_step_length(numbers) if dt is None else dt, values, triggers)


def _step_length(numbers: _Numbers) -> float:
    longest = numbers.random.choice((0.0, 0.25, 0.25, 0.25, 0.5, 3.0))
    return numbers.between(0.0, longest)
