"""Why a transition was taken or not, in words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skelter.core.errors import ArgumentError, unknown_name
from skelter.crowd.layer import CrowdLayer
from skelter.crowd.run import GraphRun
from skelter.graph.graph import ANY, CONTROL_STATES, END, Condition, Layer, Transition
from skelter.graph.tables import INTERRUPTIONS
from skelter.graph.verdict import Verdict

SIGNS = {
    "GREATER_THAN": ">",
    "LESS_THAN": "<",
    "GREATER_THAN_EQUAL_TO": ">=",
    "LESS_THAN_EQUAL_TO": "<=",
    "EQUAL_TO": "==",
    "NOT_EQUAL_TO": "!=",
}


@dataclass(frozen=True, slots=True)
class TransitionVerdict:
    """What became of one transition in the last step.

    Attributes:
        layer: Name of its layer.
        index: Its place in the layer's list.
        source: Where it leads from.
        target: Where it leads to.
        verdict: The code.
        text: The code in words, with the values that were seen.
    """

    layer: str
    index: int
    source: str
    target: str
    verdict: Verdict
    text: str

    def __str__(self) -> str:
        return f"{self.layer}: transitions[{self.index}] {self.source} -> {self.target}: {self.text}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """What one character is doing, and why it went where it went in the last step.

    Attributes:
        char: The character.
        time: Time of the crowd [s].
        status: A line per layer: the active state, how far it is, and what fades.
        verdicts: The transitions that were asked for.
    """

    char: int
    time: float
    status: tuple[str, ...]
    verdicts: tuple[TransitionVerdict, ...]

    @property
    def lines(self) -> tuple[str, ...]:
        """The explanation line by line."""
        return (f"character {self.char} at {self.time:.4g} s", *self.status, *map(str, self.verdicts))

    def __str__(self) -> str:
        return "\n".join(self.lines)


def explain(
    run: GraphRun, char: int, time: float, layer: int | None, target: str | None, transition: int | None
) -> Explanation:
    """Explain what a character did in the last step.

    Args:
        run: The crowd's machines; they must have recorded the step.
        char: Index of the character.
        time: Time of the crowd [s].
        layer: Index of a layer, or None for all.
        target: Only transitions that lead to this state, whatever the active state is.
        transition: Only the transition of this place in the list of the layer, which must be named then.

    Raises:
        ArgumentError: There is no such state or transition, or nothing was recorded.
    """
    if not run.record:
        raise ArgumentError("explain: nothing was recorded; make the crowd with record=True")
    layers = range(run.controller.layer_count) if layer is None else [layer]
    _check_target(run, layers, target)
    if transition is not None:
        _check_transition(run, layer, transition)
    verdicts = [
        verdict
        for number in layers
        for verdict in layer_verdicts(run, char, number)
        if _is_asked_for(run, verdict, number, target, transition)
    ]
    return Explanation(char, time, tuple(_status(run, char, number) for number in layers), tuple(verdicts))


def layer_verdicts(run: GraphRun, char: int, layer: int) -> list[TransitionVerdict]:
    """Return what became of all transitions of a layer, in the order of its list."""
    controller, fade = run.controller, _running_fade(run, char, layer)
    authored = controller.graph.layers[layer]
    first = int(controller.tables.layers["transition_start"][layer])
    records = run.output.verdict[char, first : first + len(authored.transitions)]
    return [
        TransitionVerdict(
            authored.name,
            index,
            transition.source,
            transition.target,
            Verdict(record["code"]),
            _text(run, authored, transition, record, fade),
        )
        for index, (transition, record) in enumerate(zip(authored.transitions, records, strict=True))
    ]


def _check_target(run: GraphRun, layers: range | list[int], target: str | None) -> None:
    names = [state.name for number in layers for state in run.controller.graph.layers[number].states]
    known = dict.fromkeys(name for name in names if name not in CONTROL_STATES)
    if target is not None and target not in known and target != END:
        raise ArgumentError(f"target: {unknown_name('state', target, known)}")


def _check_transition(run: GraphRun, layer: int | None, transition: int) -> None:
    if layer is None:
        raise ArgumentError("transition: name the layer, too")
    authored = run.controller.graph.layers[layer]
    places = range(len(authored.transitions))
    if isinstance(transition, bool) or not isinstance(transition, int | np.integer) or transition not in places:
        raise ArgumentError(
            f"transition: there is no transition {transition!r}; layer {authored.name} has {len(places)}, from 0"
        )


def _is_asked_for(
    run: GraphRun, verdict: TransitionVerdict, layer: int, target: str | None, transition: int | None
) -> bool:
    if transition is not None:
        return verdict.index == transition
    if target is not None:
        default = run.controller.graph.layers[layer].default_state
        return verdict.target == target or (verdict.target == END and default == target)
    return verdict.verdict != Verdict.OTHER_STATE


def _status(run: GraphRun, char: int, layer: int) -> str:
    view, states = CrowdLayer(run, layer), run.controller.state_names
    machine = run.state.machines[char, layer]
    text = f"{view.name}: {view.progress[char]:.4g} plays into {states[machine['active']]}"
    if machine["fading"]:
        source = f" from {states[machine['previous']]}" if machine["previous"] >= 0 else ""
        text += f", fading in{source} ({view.transition_progress[char]:.0%})"
    return text if machine["playing"] else f"{text}, paused"


def _running_fade(run: GraphRun, char: int, layer: int) -> str:
    """Return the cross-fade that ran in the last step in words, or ``a cross-fade`` where a later one hides it.

    One that was begun by this step, or by a call after it, is not the one that stood against transitions.
    """
    first, stop = (int(run.controller.tables.layers[name][layer]) for name in ("transition_start", "transition_stop"))
    machine, states = run.state.machines[char, layer], run.controller.state_names
    taken = (run.output.verdict["code"][char, first:stop] == Verdict.TAKEN).any()
    if taken or machine["elapsed"] == 0.0 or machine["previous"] < 0:
        return "a cross-fade (see its interruptionSource)"
    way = f"{states[machine['previous']]} -> {states[machine['active']]}"
    return f"the cross-fade {way} (interruptionSource {INTERRUPTIONS[machine['interruption']]})"


def _text(run: GraphRun, layer: Layer, transition: Transition, record: np.void, fade: str) -> str:
    verdict = Verdict(record["code"])
    if verdict is Verdict.CONDITION:
        return _condition_text(run, transition.conditions[int(record["condition"])], float(record["seen"]))
    if verdict is Verdict.EXIT_TIME:
        return (
            f"exit time {transition.exit_time:g} was not passed: the state went from {record['before']:.4g} to"
            f" {record['seen']:.4g} plays"
        )
    if verdict is Verdict.OTHER_STATE:
        return f"{transition.source} is not active"
    if verdict is Verdict.ACTIVE:
        target = transition.target if transition.target != END else f"{layer.default_state} (END)"
        return f"{target} is active already"
    return {
        Verdict.TAKEN: "taken",
        Verdict.INTERRUPTION: f"{fade} is running, which it may not interrupt",
        Verdict.PRIORITY: "could be taken, but another one was looked at before it"
        + (" (those of the state go before those of ANY)" if transition.source == ANY else " (priority, order)"),
        Verdict.PAUSED: "the layer is paused",
    }[verdict]


def _condition_text(run: GraphRun, condition: Condition, seen: float) -> str:
    index = run.controller.parameter_index(condition.parameter)
    kind = run.controller.parameter_kind(index)
    wanted, value = (_shown(number, kind) for number in (float(condition.value), seen))
    return f"condition {condition.parameter} {SIGNS[condition.predicate]} {wanted} does not hold: it is {value}"


def _shown(value: float, kind: str) -> str:
    if kind in ("BOOLEAN", "TRIGGER") and value in (0.0, 1.0):
        return "true" if value else "false"
    return f"{value:.6g}"
