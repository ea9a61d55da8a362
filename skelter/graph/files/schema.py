"""The objects of graph files: which keys they have, and what each key holds.

A file has one of two forms. In the *engine* form lists hold objects; in the *editor* form dictionaries hold them by id,
and layers and transitions name states by id. Attributes are called as those of `skelter.graph.graph`; the names in the
file are PlayCanvas's. An optional key that is null means its default.
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct, field

from skelter.graph.graph import BlendType, Fallback, Interruption, Outside, ParameterType, Predicate, TreeType

NotNegative = Annotated[float, Meta(ge=0)]
Fraction = Annotated[float, Meta(ge=0, le=1)]
Name = Annotated[str, Meta(description="Unique name.")]
ChildName = Annotated[str, Meta(description="Name that is unique in the tree.")]
Speed = Annotated[float | None, Meta(description="Factor of the speed; negative plays backwards.")]
PointValue = Annotated[
    float | tuple[float, float] | None,
    Meta(description="Where it lies in the tree: a number in 1D, two numbers in 2D, nothing in DIRECT."),
]


class ParameterObject(Struct, kw_only=True):
    """An input of the graph."""

    name: Annotated[str | None, Meta(description="Unique name; by default the key of the object.")] = None
    type: Annotated[ParameterType, Meta(description="A TRIGGER is a boolean that a transition resets by using it.")]
    value: Annotated[float | bool | None, Meta(description="Value at the start; by default 0 or false.")] = None


class ConditionObject(Struct, kw_only=True):
    """A test of a parameter. Without a parameterName it is left out."""

    parameter: Annotated[str | None, Meta(description="Name of the parameter.")] = field(
        name="parameterName", default=None
    )
    predicate: Annotated[Predicate, Meta(description="How the parameter is compared with the value.")]
    value: Annotated[float | bool, Meta(description="What the parameter is compared with.")]


class TransitionObject(Struct, kw_only=True):
    """A way from one state to another."""

    source: Annotated[str, Meta(description="Name of a state, START or ANY.")] = field(name="from")
    target: Annotated[str, Meta(description="Name of a state, or END.")] = field(name="to")
    time: Annotated[NotNegative | None, Meta(description="Length of the cross-fade [s].")] = 0.0
    priority: Annotated[int | None, Meta(description="Lower ones are looked at first.")] = 0
    conditions: Annotated[list[ConditionObject] | None, Meta(description="All of them must hold.")] = field(
        default_factory=list
    )
    exit_time: Annotated[
        NotNegative | None,
        Meta(description="Plays of the source's clip after which it may fire; below 1 in every loop."),
    ] = field(name="exitTime", default=None)
    offset: Annotated[
        float | None, Meta(description="Where the target's clip starts, as a fraction of its length below 1.")
    ] = field(name="transitionOffset", default=None)
    interruption: Annotated[
        Interruption | None, Meta(description="Whose transitions may interrupt the cross-fade.")
    ] = field(name="interruptionSource", default="NONE")


StateReference = Annotated[str | int, Meta(description="Id of a state as a number, or its name.")]
EditorConditions = Annotated[
    dict[str, ConditionObject] | list[ConditionObject] | None, Meta(description="All of them must hold.")
]


class EditorTransitionObject(TransitionObject, kw_only=True):
    """A way from one state to another."""

    source: StateReference = field(name="from")  # type: ignore[assignment]
    target: StateReference = field(name="to")  # type: ignore[assignment]
    conditions: EditorConditions = field(default_factory=dict)  # type: ignore[assignment]


class TreeObject(Struct, kw_only=True):
    """Clips and trees that play at once, weighted by parameters."""

    type: Annotated[TreeType, Meta(description="How weights come from the parameters.")]
    parameter: Annotated[str | None, Meta(description="The one parameter of a 1D tree.")] = None
    parameters: Annotated[
        list[str] | None, Meta(description="Names: one in 1D, two in 2D, one per child in DIRECT.")
    ] = None
    children: Annotated[list[Any], Meta(description="Leaves and nested trees.", min_length=1)]
    sync: Annotated[bool | None, Meta(description="All children share one phase.")] = field(
        name="syncAnimations", default=True
    )
    outside: Annotated[
        Outside | None, Meta(description="Outside the points of 1D: the end child plays, or every weight is 0.")
    ] = "clamp"
    fallback: Annotated[
        Fallback | None,
        Meta(description="What plays while all weights are 0: the last ones, equal ones, the rest pose."),
    ] = "hold"


class LeafObject(Struct, kw_only=True):
    """A clip in a blend tree."""

    name: ChildName
    point: PointValue = None
    speed: Speed = 1.0


class NestedTreeObject(TreeObject, kw_only=True):
    """A tree in a blend tree."""

    name: ChildName
    point: PointValue = None
    speed: Speed = 1.0


class WrappedTreeObject(LeafObject, kw_only=True):
    """A tree in a blend tree, written as a blendTree beside what says where it lies."""

    tree: Annotated[TreeObject, Meta(description="The nested tree.")] = field(name="blendTree")


class StateObject(Struct):
    """A state: a clip, or a blend tree. START, END and ANY play nothing."""

    name: Annotated[str, Meta(description="Name that is unique in the layer.")]
    speed: Speed = 1.0
    loop: Annotated[bool | None, Meta(description="False holds the last frame.")] = True
    tree: Annotated[TreeObject | None, Meta(description="The clips that it blends.")] = field(
        name="blendTree", default=None
    )


class LayerObject(Struct, kw_only=True):
    """A machine of its own."""

    name: Name
    weight: Annotated[Fraction | None, Meta(description="Weight of the layer.")] = 1.0
    blend: Annotated[BlendType | None, Meta(description="How it goes on top of the layers below.")] = field(
        name="blendType", default="OVERWRITE"
    )
    mask: Annotated[
        dict[str, Any] | None,
        Meta(
            description="Per path, joint name or glob: true, false, a weight in [0, 1], or an object with "
            "value (one of these) and children (true: it holds for all joints below)."
        ),
    ] = None
    states: list[StateObject]
    transitions: list[TransitionObject]


class EditorLayerObject(LayerObject, kw_only=True):
    """A machine of its own."""

    states: Annotated[list[str | int], Meta(description="Ids of its states.")]  # type: ignore[assignment]
    transitions: Annotated[list[str | int], Meta(description="Ids of its transitions.")]  # type: ignore[assignment]


class GraphObject(Struct):
    """The engine form: lists hold the objects, and transitions name states."""

    layers: Annotated[list[LayerObject], Meta(description="The base layer comes first.", min_length=1)]
    parameters: Annotated[
        dict[str, ParameterObject] | list[ParameterObject] | None, Meta(description="The inputs, by name.")
    ] = field(default_factory=dict)


class EditorGraphObject(Struct):
    """The editor form: dictionaries hold the objects by id. Ids that are numbers come in ascending order."""

    layers: dict[str, EditorLayerObject]
    states: dict[str, StateObject]
    transitions: dict[str, EditorTransitionObject]
    parameters: dict[str, ParameterObject] | None = field(default_factory=dict)
