from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import skelter as sk
from skelter.assets.character import Additive, Character, ClipEvent, MeshInstance, Nodes, Primitive
from skelter.assets.check import check_character
from skelter.core.errors import ArgumentError
from skelter.core.material import Material
from skelter.testing.rigs import random_character

Change = Callable[[Character], object]


def made() -> Character:
    character = random_character(6, 2, 3, vertex_count=30, target_count=2)
    character.materials = [Material("skin")]
    return character


def primitive(character: Character) -> Primitive:
    return character.meshes[0].primitives[0]


def put(array: Callable[[Character], np.ndarray], place: object, value: object) -> Change:
    return lambda character: array(character).__setitem__(place, value)


def give(thing: Callable[[Character], object], name: str, value: object) -> Change:
    return lambda character: setattr(thing(character), name, value)


def event(time: Any, name: Any, payload: Any = None) -> Change:
    return lambda character: character.clips[0].events.append(ClipEvent(time, name, payload))


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


# invalid input


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put(lambda c: c.nodes.scale, (3, 0), np.nan), r"nodes.scale: the value at \[3, 0\] is nan"),
        (put(lambda c: c.nodes.translation, (1, 2), 1e39), r"nodes.translation: 1e\+39 is beyond"),
        (
            give(lambda c: c.nodes, "rotation", np.zeros((5, 4))),
            r"nodes.rotation: expected shape \[6, 4\], got \[5, 4\]",
        ),
        (give(lambda c: c.nodes, "rotation", [[0, 0, 0, 1]] * 6), "nodes.rotation: expected an array, got list"),
        (put(lambda c: c.nodes.parent, 2, 6), "nodes.parent: there is no node 6; there are 6"),
        (put(lambda c: c.nodes.parent, slice(0, 2), [1, 0]), "nodes.parent: node 0 is below a node that is its own"),
        (put(lambda c: c.nodes.parent, 4, 4), "nodes.parent: node 4 is below"),
        (give(lambda c: c.materials[0], "base_color", (1, np.inf, 1, 1)), r"materials\[0\].base_color"),
        (give(lambda c: c.materials[0], "alpha_cutoff", np.nan), r"materials\[0\].alpha_cutoff: nan is not finite"),
        (put(lambda c: primitive(c).positions, (7, 1), np.nan), r"primitives\[0\].positions: the value at \[7, 1\]"),
        (give(primitive, "normals", np.zeros((29, 3))), r"normals: expected shape \[30, 3\], got \[29, 3\]"),
        (put(lambda c: primitive(c).triangles, (3, 1), 30), r"triangles: there is no vertex 30; there are 30"),
        (put(lambda c: primitive(c).joints, (0, 0), 6), r"instances\[0\] shows: there is no joint of its skin 6"),
        (put(lambda c: primitive(c).joints, (0, 0), -1), "there is no joint of its skin -1"),
        (put(lambda c: primitive(c).weights, (9, 0), -0.5), "the weights of vertex 9 are negative"),
        (put(lambda c: primitive(c).weights, 9, 0.0), "those of vertex 9 sum to 0, not to 1"),
        (give(primitive, "morph_normals", np.zeros((1, 30, 3))), r"morph_normals: expected shape \[2, 30, 3\]"),
        (give(primitive, "material", 1), r"material: there is no material 1; there are 1"),
        (give(lambda c: c.skins[0], "joints", np.zeros(0, np.int32)), "a skin needs at least one joint"),
        (put(lambda c: c.skins[0].joints, 0, 6), r"skins\[0\].joints: there is no node 6"),
        (put(lambda c: c.skins[0].joint_from_bind, (0, 3, 3), 2.0), "the last row of every matrix must be 0 0 0 1"),
        (give(lambda c: c.instances[0], "mesh", 1), r"instances\[0\].mesh: there is no mesh 1"),
        (give(lambda c: c.instances[0], "weights", np.zeros(3)), r"instances\[0\].weights: expected shape \[2\]"),
        (lambda c: c.instances.append(MeshInstance(0, 0, 0, np.zeros(2))), r"node 0 holds instances\[0\] already"),
        (give(lambda c: c.clips[1].tracks[0], "node", 9), r"clips\[1\].tracks\[0\].node: there is no node 9"),
        (give(lambda c: c.instances[0], "node", 1), "node 0 holds no mesh with morph targets"),
        (give(lambda c: c.clips[1].tracks[0], "path", "color"), r"path: 'color' is none of translation, rotation"),
        (give(lambda c: c.clips[1].tracks[0], "interpolation", "BEZIER"), "'BEZIER' is none of LINEAR, STEP"),
        (lambda c: c.clips[0].tracks.append(c.clips[0].tracks[0]), "of node 0 has a track already"),
        (give(lambda c: c.clips[0].tracks[0], "times", np.zeros(0)), "needs at least one key"),
        (put(lambda c: c.clips[0].tracks[0].times, 2, 0.0), "key times must increase"),
        (put(lambda c: c.clips[0].tracks[0].times, 0, -1.0), "from 0 or later"),
        (give(lambda c: c.clips[0].tracks[0], "interpolation", "CUBICSPLINE"), r"tracks\[0\].values: expected shape"),
        (event(1.5, "step"), r"clips\[0\].events\[0\].time: 1.5 of event 'step' is not from 0 to 1.0 s"),
        (event(-0.1, "step"), "time: -0.1 of event 'step' is not from 0"),
        (event(np.nan, "step"), "time: nan of event 'step'"),
        (event("early", "step"), "time: 'early' of event 'step'"),
        (event(0.5, ""), r"events\[0\].name: '' is no name; an event needs a text"),
        (event(0.5, 7), r"events\[0\].name: 7 is no name"),
        (event(0.5, "step", (1, 2)), r"events\[0\].payload: that of event 'step' is no JSON value"),
        (event(0.5, "step", {1: 2}), "is no JSON value"),
        (event(0.5, "step", [np.nan]), "is no JSON value"),
        (event(0.5, "step", np.zeros(2)), "is no JSON value"),
        (event(0.5, "step", nested(100_000)), "is no JSON value"),
        (lambda c: c.clips[0].events.append((0.5, "step")), "expected a ClipEvent, got tuple"),
        (give(lambda c: c.clips[0], "additive", True), r"clips\[0\].additive: expected an Additive or None, got bool"),
        (give(lambda c: c.clips[0], "additive", Additive("bind")), "'bind' is none of rest, first_frame, clip"),  # type: ignore[arg-type]
        (give(lambda c: c.clips[0], "additive", Additive("clip")), "additive.clip: no clip ''. The clips are"),
        (give(lambda c: c.clips[0], "additive", Additive("clip", "clip_9")), "no clip 'clip_9'; did you mean"),
        (give(lambda c: c.clips[0], "additive", Additive("clip", "clip_1", np.inf)), "additive.time: inf is no time"),
    ],
)
def test_what_does_not_hold_together_is_named(change: Change, message: str) -> None:
    character = made()
    change(character)
    with pytest.raises(ArgumentError, match=message):
        check_character(character)


# degenerate


def test_nothing_at_all_holds_together() -> None:
    nodes = Nodes([], np.zeros(0, np.int32), np.zeros((0, 3)), np.zeros((0, 4)), np.zeros((0, 3)))
    check_character(Character("nothing", nodes))


def test_a_long_chain_is_no_cycle() -> None:
    count = 5000
    character = random_character(count, 0, vertex_count=3)
    character.nodes.parent = np.roll(np.arange(count, dtype=np.int32), 1)
    character.nodes.parent[0] = -1
    check_character(character)


# properties


@pytest.mark.parametrize("seed", range(3))
def test_what_is_made_holds_together(seed: int) -> None:
    check_character(random_character(20, 3, seed, influence_count=7, target_count=3))
    check_character(sk.mannequin(lod=2))


def test_what_is_read_holds_together(corpus: Path) -> None:
    for file in sorted(corpus.glob("bad/*.g*")):
        try:
            character = sk.load(file)
        except sk.SkelterError:
            continue
        check_character(character)


def test_events_and_references_that_hold_together() -> None:
    character = made()
    character.clips[0].events = [ClipEvent(0, "start"), ClipEvent(1.0, "end", {"a": [1, 2.5, None, True, "x"]})]
    character.clips[0].events.append(ClipEvent(np.float32(0.5), "half"))  # type: ignore[arg-type]
    character.clips[0].additive = Additive("clip", "clip_0", 0.5)
    character.clips[1].additive = Additive("first_frame")
    check_character(character)


def test_clips_have_names() -> None:
    character = made()
    assert character.clip("clip_1") is character.clips[1]
    with pytest.raises(ArgumentError, match=r"no clip 'clip_7'; did you mean .* The clips are: clip_0, clip_1"):
        character.clip("clip_7")
