"""Check what a scene says about parameters, layers and times against its graphs and its length."""

from __future__ import annotations

from math import ceil, floor

import numpy as np

from skelter.core.errors import ArgumentError, AssetError, unknown_name
from skelter.crowd.inputs import parameter_values
from skelter.graph.graph import ParameterType, StateGraph
from skelter.scene.inputs import TOLERANCE_S
from skelter.scene.scene import FadeWeight, Ramp, Scene, SceneCrowd, SetRandom, SetTrigger, SetValue

KINDS: dict[type, tuple[ParameterType, ...]] = {
    SetRandom: ("FLOAT", "INTEGER"),
    Ramp: ("FLOAT",),
    SetTrigger: ("TRIGGER",),
}
"""Types of parameters that a change is for; any if it is not listed."""
WORDS = {SetRandom: "random", Ramp: "ramp", SetTrigger: "trigger"}


def check_crowd(crowd: SceneCrowd, place: str) -> None:
    """Raise AssetError that begins with ``place`` if a crowd names what its graph lacks or a value does not fit."""
    for layer in crowd.weights:
        _check_layer(layer, crowd.graph, f"{place}.weights")
    for index, happening in enumerate(crowd.inputs):
        where = f"{place}.input[{index}]"
        change = happening.change
        if isinstance(change, FadeWeight):
            _check_layer(change.layer, crowd.graph, f"{where}.layer")
        else:
            _check_parameter(change, crowd.graph, where)
        beyond = [char for char in happening.chars or () if char >= crowd.count]
        if beyond:
            raise AssetError(f"{where}.chars: there is no character {beyond[0]}; there are {crowd.count}, from 0")


def check_times(scene: Scene) -> None:
    """Raise AssetError if an input never happens: it is due after the last step begins, or not before it ends."""
    last = (scene.step_count - 1) / scene.rate
    for number, crowd in enumerate(scene.crowds):
        for index, happening in enumerate(crowd.inputs):
            place = f"{scene.name}: crowd[{number}].input[{index}]"
            if happening.at > last + TOLERANCE_S:
                raise AssetError(
                    f"{place}.at: it never happens at {happening.at:g} s: the scene lasts {scene.duration:g} s, and its"
                    f" last step begins at {last:.6g} s"
                )
            if happening.until < happening.at:
                raise AssetError(
                    f"{place}.until: it never happens: until {happening.until:g} s is before at {happening.at:g} s"
                )


def _check_layer(name: str, graph: StateGraph, place: str) -> None:
    if graph.layer(name) is None:
        raise AssetError(f"{place}: {unknown_name('layer', name, [layer.name for layer in graph.layers])}")


def _check_parameter(change: SetValue | SetRandom | Ramp | SetTrigger, graph: StateGraph, place: str) -> None:
    parameter = graph.parameter(change.parameter)
    if parameter is None:
        names = [parameter.name for parameter in graph.parameters]
        raise AssetError(f"{place}.parameter: {unknown_name('parameter', change.parameter, names)}")
    if parameter.type not in KINDS.get(type(change), (parameter.type,)):
        kinds = " or ".join(KINDS[type(change)])
        raise AssetError(
            f"{place}.{WORDS[type(change)]}: it is for parameters of type {kinds}; {parameter.name!r} is of type"
            f" {parameter.type}"
        )
    if isinstance(change, SetValue):
        _check_value(change, parameter.type, place)
    if isinstance(change, SetRandom) and parameter.type == "INTEGER" and ceil(change.low) > floor(change.high):
        raise AssetError(f"{place}.random: there is no whole number from {change.low:g} to {change.high:g}")


def _check_value(change: SetValue, kind: ParameterType, place: str) -> None:
    try:
        parameter_values(change.value, np.arange(1), change.parameter, kind)
    except ArgumentError as error:
        raise AssetError(f"{place}.value: {error}") from None
