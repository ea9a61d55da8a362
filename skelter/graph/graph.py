"""StateGraph: an authored animation graph, friendly and editable; `skelter.graph.compile` makes a Controller of it.

    graph
    ├── parameters            FLOAT, INTEGER, BOOLEAN, TRIGGER: inputs, one value per character
    └── layers                independent machines, blended in order
        ├── states            a clip, or a blend tree of clips and trees
        └── transitions       source -> target: conditions, exit time, fade, interruption

A graph holds no clips: it is a template that is bound to a rig. The words are PlayCanvas's, whose files it reads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

START = "START"
"""The state in which every layer begins; it plays nothing and leads on at once."""
END = "END"
"""A target that stands for going on to the layer's default state."""
ANY = "ANY"
"""A source that stands for every state."""
CONTROL_STATES = (START, END, ANY)

ParameterType = Literal["FLOAT", "INTEGER", "BOOLEAN", "TRIGGER"]
Predicate = Literal[
    "GREATER_THAN",
    "LESS_THAN",
    "GREATER_THAN_EQUAL_TO",
    "LESS_THAN_EQUAL_TO",
    "EQUAL_TO",
    "NOT_EQUAL_TO",
]
Interruption = Literal["NONE", "PREV_STATE", "NEXT_STATE", "PREV_STATE_NEXT_STATE", "NEXT_STATE_PREV_STATE"]
TreeType = Literal["1D", "2D_CARTESIAN", "2D_DIRECTIONAL", "2D_SIMPLE_DIRECTIONAL", "DIRECT"]
BlendType = Literal["OVERWRITE", "ADDITIVE"]
Outside = Literal["clamp", "none"]
Fallback = Literal["hold", "equal", "rest"]
Form = Literal["engine", "editor"]
Point = float | tuple[float, float] | None
"""Where a child lies in its tree: a number in 1D, a pair in 2D, nothing in DIRECT."""
Mask = dict[str, Any]
"""Rules per path, joint name or glob: True, a weight in [0, 1], or ``{"value": ..., "children": bool}``."""


@dataclass(slots=True, kw_only=True)
class Source:
    """What is kept of the file that an object came from, so that it is written back without loss.

    None of it takes part in comparisons: graphs are equal that mean the same.

    Attributes:
        keys: Keys of the object in the file, in their order; empty for objects made in code.
        extras: Values of keys that mean nothing here (positions in an editor, ids) and explicit nulls.
        id: Key of the object in a dictionary of the file, where that is not its name; empty elsewhere.
        place: Path of the object in the file as it was read, such as ``layers[0].states[2]``.
    """

    keys: tuple[str, ...] = field(default=(), repr=False, compare=False)
    extras: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    id: str = field(default="", repr=False, compare=False)
    place: str = field(default="", repr=False, compare=False)


@dataclass(slots=True)
class Parameter(Source):
    """An input of the graph.

    Attributes:
        name: Unique name.
        type: ``FLOAT``, ``INTEGER``, ``BOOLEAN`` or ``TRIGGER`` (a boolean that a transition resets by using it).
        value: Value at the start and after a reset.
    """

    name: str
    type: ParameterType = "FLOAT"
    value: float | bool = 0.0


@dataclass(slots=True)
class Condition(Source):
    """A test of a parameter: ``parameter predicate value``.

    Attributes:
        parameter: Name of the parameter.
        predicate: One of six comparisons.
        value: What the parameter is compared with.
    """

    parameter: str
    predicate: Predicate = "EQUAL_TO"
    value: float | bool = True


@dataclass(slots=True)
class Transition(Source):
    """A way from one state to another.

    Attributes:
        source: Name of a state, ``START`` or ``ANY``.
        target: Name of a state or ``END``.
        time: Length of the cross-fade [s].
        priority: Transitions of a source are looked at in ascending order, equal ones in the order of the list.
        conditions: All of them must hold.
        exit_time: Plays of the source state's clip after which it may fire: below 1 in every loop, from 1 on once.
        offset: Where the target's clip starts, as a fraction of its length in (0, 1).
        interruption: Whose transitions may interrupt the cross-fade.
    """

    source: str
    target: str
    time: float = 0.0
    priority: int = 0
    conditions: list[Condition] = field(default_factory=list)
    exit_time: float | None = None
    offset: float | None = None
    interruption: Interruption = "NONE"


@dataclass(slots=True)
class Leaf(Source):
    """A clip in a blend tree.

    Attributes:
        name: Unique name in its tree; the clip is bound under the path ``State.Leaf``.
        point: Where it lies: a number in 1D, a pair in 2D, None in DIRECT.
        speed: Factor of the clip's speed; negative plays backwards.
    """

    name: str
    point: Point = None
    speed: float = 1.0


@dataclass(slots=True)
class BlendTree(Source):
    """Clips and trees that play at once, weighted by parameters.

    Attributes:
        type: How weights come from the parameters.
        parameters: Names: one in 1D, two in 2D, one per child in DIRECT.
        children: Leaves and nested trees.
        sync: All children share one phase, whose rate is one over their weighted mean duration.
        outside: What 1D does outside of its points: ``clamp`` to the end child, or ``none``: every weight is 0.
        fallback: What plays while all weights are 0: the last weights (``hold``), ``equal`` ones or the ``rest`` pose.
        name: Name in the parent tree; empty for the tree of a state.
        point: Where it lies in the parent tree.
        speed: Factor of the speed of all its children; 1 for the tree of a state.
    """

    type: TreeType
    parameters: list[str] = field(default_factory=list)
    children: list[Leaf | BlendTree] = field(default_factory=list)
    sync: bool = True
    outside: Outside = "clamp"
    fallback: Fallback = "hold"
    name: str = ""
    point: Point = None
    speed: float = 1.0

    def leaves(self, path: str = "") -> Iterator[tuple[str, Leaf]]:
        """Yield the leaves, depth first, with the path of each: ``path`` and names joined with dots."""
        for child in self.children:
            below = f"{path}.{child.name}" if path else child.name
            if isinstance(child, Leaf):
                yield below, child
            else:
                yield from child.leaves(below)


@dataclass(slots=True)
class State(Source):
    """A state: a clip, bound under the state's name, or a blend tree.

    Attributes:
        name: Unique name in the layer.
        speed: Factor of the speed of everything in it; negative plays backwards.
        loop: False holds the last frame until a transition leaves the state.
        tree: Its blend tree, or None for a single clip.
    """

    name: str
    speed: float = 1.0
    loop: bool = True
    tree: BlendTree | None = None

    def clip_paths(self) -> tuple[str, ...]:
        """Return the paths under which clips are bound to this state; none for a control state."""
        if self.name in CONTROL_STATES:
            return ()
        return tuple(path for path, _ in self.tree.leaves(self.name)) if self.tree else (self.name,)


@dataclass(slots=True, eq=False)
class Layer(Source):
    """A machine of its own.

    Attributes:
        name: Unique name.
        states: The states. START, END and ANY may be listed or not.
        transitions: The transitions; one from START says which state is the default.
        weight: Weight of the layer in [0, 1].
        blend: ``OVERWRITE`` or ``ADDITIVE``.
        mask: Rules that give each joint a weight, or None for all joints.
    """

    name: str
    states: list[State] = field(default_factory=list)
    transitions: list[Transition] = field(default_factory=list)
    weight: float = 1.0
    blend: BlendType = "OVERWRITE"
    mask: Mask | None = None

    def __eq__(self, other: object) -> bool:
        """Compare what layers mean: whether START, END and ANY are listed makes no difference."""
        if not isinstance(other, Layer):
            return NotImplemented
        return self._meaning() == other._meaning()

    __hash__ = None  # type: ignore[assignment]

    def _meaning(self) -> tuple[object, ...]:
        states = [state for state in self.states if state.name not in CONTROL_STATES]
        return self.name, states, self.transitions, self.weight, self.blend, self.mask

    def state(self, name: str) -> State | None:
        """Return the state of a name, or None."""
        return next((state for state in self.states if state.name == name), None)

    @property
    def default_state(self) -> str | None:
        """Name of the state that START leads to, or None: of several, that of the lowest priority number."""
        ways = [way for way in self.transitions if way.source == START]
        return min(ways, key=lambda way: way.priority).target if ways else None


@dataclass(slots=True)
class StateGraph(Source):
    """An animation graph.

    Attributes:
        layers: The layers, the base layer first.
        parameters: The inputs.
        form: Which of the two JSON forms it is written in: ``engine`` (lists) or ``editor`` (dictionaries by id).
        name: Name for messages, such as the file's; it takes no part in comparisons.
    """

    layers: list[Layer] = field(default_factory=list)
    parameters: list[Parameter] = field(default_factory=list)
    form: Form = "engine"
    name: str = field(default="graph", compare=False)

    def layer(self, name: str) -> Layer | None:
        """Return the layer of a name, or None."""
        return next((layer for layer in self.layers if layer.name == name), None)

    def parameter(self, name: str) -> Parameter | None:
        """Return the parameter of a name, or None."""
        return next((parameter for parameter in self.parameters if parameter.name == name), None)

    def clip_paths(self) -> tuple[str, ...]:
        """Return all paths that clips are bound to; ``Layer:State`` where two layers have a state of that name."""
        counts = Counter(path for layer in self.layers for state in layer.states for path in state.clip_paths())
        return tuple(
            path if counts[path] == 1 else f"{layer.name}:{path}"
            for layer in self.layers
            for state in layer.states
            for path in state.clip_paths()
        )
