"""What the engine does that skelter does otherwise: names, places in the findings, one sentence each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Quirk:
    """A behaviour of the engine that the model can be told to leave out.

    Attributes:
        name: Name, as in lists of differences.
        number: Entry of the ranked list of faults (section 7 of the measurements), or the section that describes it.
        engine: What the engine does.
        skelter: What skelter does.
    """

    name: str
    number: str
    engine: str
    skelter: str


QUIRKS = (
    Quirk(
        "nested-trees-crash",
        "1",
        "A blend tree inside a blend tree throws a TypeError.",
        "Trees nest to any depth; weights multiply.",
    ),
    Quirk(
        "outside-1d-zero",
        "2",
        "Outside the points of a 1D tree every weight is 0.",
        "The child at the end has weight 1.",
    ),
    Quirk(
        "zero-weights-freeze",
        "2",
        "A state whose weights are all 0 or NaN contributes nothing and stands still.",
        "The last weights of the stay are held (equal weights if there are none yet).",
    ),
    Quirk(
        "directional-outside-nan",
        "2",
        "Far outside a 2D directional tree all weights are 0/0.",
        "The nearest child has weight 1.",
    ),
    Quirk(
        "directional-abs",
        "3",
        "2D directional weights take the absolute value of a projection.",
        "They do not, as in Johansen's thesis.",
    ),
    Quirk(
        "directional-origin",
        "3",
        "The angle to a child at the origin is atan2(0, -0), half a turn, in the third quadrant.",
        "A child or parameter at the origin has no angle.",
    ),
    Quirk(
        "sequential-blend",
        "4",
        "Clips are mixed one after another, in the order of their assignment; the first one counts in full.",
        "All are summed with their weights and normalised once.",
    ),
    Quirk(
        "assignment-order",
        "4",
        "Progress is measured by the leaf that was assigned first, and clips are mixed in the order of assignment.",
        "The first leaf of the graph measures progress; the order of clips does not matter.",
    ),
    Quirk(
        "weights-below-one",
        "4",
        "In a fade from START the weights of clips sum to less than 1.",
        "The weights of a layer sum to 1.",
    ),
    Quirk(
        "zero-until-played",
        "9",
        "A bone that a clip of weight 0 keys is at 0 until a clip has played: no rotation, no scale.",
        "It is where the other layers leave it.",
    ),
    Quirk(
        "speed-squared-progress",
        "5",
        "The speed of a state counts twice in its progress and exit times.",
        "It counts once.",
    ),
    Quirk(
        "short-step-unscaled",
        "5",
        "When a state with a speed ends inside a step, the rest of the step is shortened to clip seconds.",
        "It is shortened to the seconds that passed.",
    ),
    Quirk(
        "reverse-never-ends",
        "5",
        "A state with negative speed never ends.",
        "It ends when it reaches its start.",
    ),
    Quirk(
        "reverse-counts-down",
        "5",
        "The time of a state with negative speed counts down: after an offset, progress is negative.",
        "It counts up.",
    ),
    Quirk(
        "exit-window-not-wrapped",
        "6",
        "An exit time below 1 is missed when the step crosses the end of the loop.",
        "It is found in every loop.",
    ),
    Quirk(
        "start-exit-time",
        "6",
        "A transition from START with an exit time other than 1 never fires.",
        "START ignores exit times.",
    ),
    Quirk(
        "zero-duration-progress",
        "6",
        "The progress of a clip of duration 0 is 0/0, and no exit time is reached.",
        "Such a clip is complete.",
    ),
    Quirk(
        "zero-weight-children-stop",
        "7",
        "A clip of weight 0 does not advance, so that children lose their common phase.",
        "Children share one phase (or clock) and never drift.",
    ),
    Quirk(
        "sync-formulas",
        "8",
        "The common rate of synchronised children differs per type of tree and is right for none.",
        "The rate is one over the weighted mean duration.",
    ),
    Quirk(
        "stale-speeds",
        "8",
        "Speeds of synchronised children are not refreshed while a transition runs.",
        "They follow the weights in every step.",
    ),
    Quirk(
        "tree-time-in-seconds",
        "8",
        "The time in a tree is seconds; its progress is that by the present rate, its end the longest clip's length.",
        "Progress counts the cycles of the first leaf's group.",
    ),
    Quirk(
        "state-speed-not-on-trees",
        "8",
        "The speed of a state does not reach the clips of its tree.",
        "It multiplies the time of everything in the state.",
    ),
    Quirk(
        "offset-in-seconds",
        "8",
        "An offset starts all clips of a tree at the same second.",
        "Synchronised clips start at the same phase.",
    ),
    Quirk(
        "negative-leaf-start",
        "8",
        "A child that plays backwards starts at its first frame; without a loop it stays there.",
        "It starts at its end.",
    ),
    Quirk(
        "single-child-speed",
        "8",
        "The only child of a 2D tree stands still when synchronised.",
        "It plays at its own speed.",
    ),
    Quirk(
        "unkeyed-sticky",
        "9",
        "A bone that the current clips do not key is driven in full by the one that does, then keeps its last value.",
        "It goes to its rest value with the weight of the clips that do not key it.",
    ),
    Quirk(
        "empty-clip-freezes",
        "9",
        "A state without clip freezes the pose at once, even in a fade, and has no progress.",
        "It plays the rest pose and is always complete.",
    ),
    Quirk(
        "reset-counter",
        "10",
        "Layers are counted to find the start of a frame; pausing or binding late loses or doubles contributions.",
        "Every frame starts from the rest pose; a paused layer holds its pose.",
    ),
    Quirk(
        "reset-keeps-pose",
        "10",
        "A layer that is reset stops, and leaves the bones in their last pose.",
        "It plays nothing: the rest pose, or that of other layers.",
    ),
    Quirk(
        "scrub-in-seconds",
        "8",
        "Setting the time moves all clips of a tree to the same second, takes transitions at once in a paused layer,"
        " and does not wake a clip that has ended.",
        "Synchronised clips go to the same phase; clips go on from there; nothing else happens.",
    ),
    Quirk(
        "moved-bones",
        "11",
        "A bone that code has moved stays there until a clip moves it, and its place may become the rest pose.",
        "The rest pose is the character's.",
    ),
    Quirk(
        "late-layers",
        "10",
        "Layers can be added while playing, but do nothing until a rebind.",
        "Layers are part of the graph.",
    ),
    Quirk(
        "rebind-captures-pose",
        "11",
        "Binding again, or a new mask, takes the pose of that moment for the rest pose; bones that no layer moves any"
        " more keep it.",
        "The rest pose is the character's.",
    ),
    Quirk(
        "component-assign-overrides",
        "12",
        "Assigning a clip through the component sets speed 1 and loop, but leaves the clip's speed.",
        "Speed and loop are the graph's.",
    ),
    Quirk(
        "end-once",
        "13",
        "A transition to END keeps its first target: the default state restarts once, ANY to END restarts it once too.",
        "END goes on to the default state every time; ANY to END does nothing in it.",
    ),
    Quirk(
        "blend-to-weight-zero-time",
        "16",
        "blendToWeight with time 0 does nothing.",
        "It sets the weight at the next step.",
    ),
    Quirk(
        "fade-overrides-weight",
        "16",
        "A weight that is set while a fade of it runs is overwritten by the fade.",
        "The fade ends.",
    ),
    Quirk(
        "all-layers-zero-freeze",
        "17",
        "While all layers have weight 0 the pose is kept.",
        "The character goes to its rest pose.",
    ),
    Quirk(
        "small-additive-midpoint",
        "18",
        "An additive rotation below 0.115 degrees is halved whatever the weight.",
        "The weight scales it.",
    ),
    Quirk(
        "assign-while-playing",
        "19",
        "A clip assigned while playing replaces those of all running clips whose names contain the state's.",
        "Clips are bound when the graph is compiled.",
    ),
    Quirk(
        "previous-exit-on-active",
        "21",
        "Exit times of the previous state's transitions are held against the active state's progress.",
        "Every state has its own progress, also while it fades out.",
    ),
    Quirk(
        "unbounded-interruptions",
        "25",
        "Every interruption adds clips, without end.",
        "Four frozen states are kept; the lightest is dropped and the others share its weight.",
    ),
    Quirk(
        "leaf-name-collisions",
        "26",
        "Running clips are found by the name of their leaf: equal names share one clip.",
        "Every leaf has its own.",
    ),
    Quirk(
        "throws",
        "22",
        "The engine throws: something that a graph names is missing, or a clip of infinite speed has events.",
        "Bad graphs are refused when they are compiled; a clip of infinite speed does not exist.",
    ),
    Quirk(
        "point-cache-collisions",
        "26",
        "From 12 children on, pairs of 2D points are mixed up.",
        "They are not.",
    ),
    Quirk(
        "coincident-points",
        "§4.1",
        "Children of a tree at one point take 0.5 each, or count twice.",
        "They share what one of them would get.",
    ),
    Quirk(
        "negative-component-speed",
        "§2",
        "A component with negative speed runs fades and clips below 0 and never ends a transition.",
        "Time does not run backwards: such a step has length 0.",
    ),
    Quirk(
        "used-triggers-reset",
        "§2",
        "A trigger that was used by hand or set for one frame is reset at the end of the next step, even if it is set"
        " again before.",
        "It stays until it is used again.",
    ),
    Quirk(
        "blend-type-changes",
        "§2",
        "The type of a layer can be changed while it plays.",
        "It is part of the graph.",
    ),
    Quirk(
        "normalize-weights",
        "§6.4",
        "The legacy option divides layer weights by their sum and mixes from 0.",
        "There is no such option.",
    ),
    Quirk(
        "additive-scale-difference",
        "§6.4",
        "Additive layers add the difference of scales.",
        "They multiply by the ratio.",
    ),
    Quirk(
        "entity-curves-apart",
        "§6.2",
        "Curves of the component 'entity' ignore masks and are mixed apart from those of 'graph'.",
        "A joint has one value.",
    ),
    Quirk(
        "rotations-not-normalised",
        "§5.3",
        "Rotations between keys are mixed as they are interpolated; those that are shorter count less.",
        "They have length 1 before they are mixed.",
    ),
    Quirk(
        "no-sign-fix",
        "§5.2",
        "Rotations between keys of opposite signs go the long way, through length 0.",
        "They go the short way.",
    ),
)
NAMES = tuple(quirk.name for quirk in QUIRKS)
ALL = frozenset(NAMES)
NONE: frozenset[str] = frozenset()
FOLLOWED = frozenset(
    {
        "sequential-blend",
        "assignment-order",
        "speed-squared-progress",
        "reverse-never-ends",
        "unkeyed-sticky",
        "reset-keeps-pose",
        "exit-window-not-wrapped",
        "previous-exit-on-active",
        "blend-to-weight-zero-time",
    }
)
"""What skelter does too under ``rules="playcanvas"``."""
DIFFERENCES = Path(__file__).with_name("differences.toml")


class Quirks(frozenset[str]):
    """A set of quirks that refuses names that do not exist when they are asked for."""

    def __contains__(self, name: object) -> bool:
        """Return whether a quirk is on."""
        if name not in ALL:
            raise KeyError(f"no quirk {name!r}")
        return super().__contains__(name)
