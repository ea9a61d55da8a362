"""Scene files: each mistake is named with its file and place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from skelter.core.errors import ArgumentError, AssetError, GraphError
from skelter.scene.load import load_scene
from skelter.scene.scene import FadeWeight, Input, Ramp, SetRandom, SetTrigger, SetValue
from tests.scene.conftest import Write

INPUT = "[[crowd.input]]\n"


def message(path: Path, error: type[Exception] = AssetError) -> str:
    with pytest.raises(error) as caught:
        load_scene(path)
    text = str(caught.value)
    assert text.startswith(f"{path}: ")
    return text.removeprefix(f"{path}: ")


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ('parameter = "sped"\nvalue = 1', "crowd[0].input[0].parameter", "did you mean 'speed'?"),
        ('layer = "Wav"\nweight = 1', "crowd[0].input[0].layer", "did you mean 'Wave'"),
        ('parametr = "speed"\nvalue = 1', "crowd[0].input[0].parametr", "did you mean 'parameter'?"),
        (
            'parameter = "speed"\nvalue = "fast"',
            "crowd[0].input[0].value",
            "true or false, a number, got 'fast'",
        ),
        ('parameter = "speed"\nvalue = nan', "crowd[0].input[0].value", "expected a finite number, got nan"),
        ('parameter = "jump"\nvalue = 2', "crowd[0].input[0].value", "type TRIGGER and takes True or False"),
        ('parameter = "speed"\ntrigger = true', "crowd[0].input[0].trigger", "'speed' is of type FLOAT"),
        ('parameter = "jump"\nrandom = [0, 1]', "crowd[0].input[0].random", "'jump' is of type TRIGGER"),
        ('parameter = "look"\nramp = { to = 1, over = 1 }', "crowd[0].input[0].ramp", "of type BOOLEAN"),
        ('parameter = "speed"', "crowd[0].input[0]", "exactly one of value, random, ramp, trigger, weight, got none"),
        ('parameter = "speed"\nvalue = 1\nrandom = [0, 1]', "crowd[0].input[0]", "got value and random"),
        ('parameter = "speed"\nrandom = [1, 0]', "crowd[0].input[0]", "ascending order, got 1 and 0"),
        ('parameter = "speed"\nrandom = [1]', "crowd[0].input[0].random", "length 2"),
        ('parameter = "jump"\ntrigger = false', "crowd[0].input[0]", "set its value to false"),
        ('parameter = "speed"\nvalue = 1\nover = 1', "crowd[0].input[0]", "over means nothing without weight"),
        ('parameter = "speed"\nvalue = 1\nuntil = 1', "crowd[0].input[0]", "until means nothing without every"),
        ('parameter = "jump"\nweight = 1', "crowd[0].input[0]", "expected a layer and no parameter"),
        ('parameter = "speed"\nvalue = 1\nchars = [4]', "crowd[0].input[0].chars", "no character 4; there are 4"),
        ('parameter = "speed"\nvalue = 1\nchars = [-1]', "crowd[0].input[0].chars[0]", "got -1"),
        ('parameter = "speed"\nvalue = 1\nchars = "some"', "crowd[0].input[0].chars", "expected 'all', got 'some'"),
        ('parameter = "speed"\nvalue = 1\nchars = 4', "crowd[0].input[0].chars", "no character 4; there are 4"),
        ('parameter = "speed"\nvalue = 1\nchars = -1', "crowd[0].input[0].chars", "got -1"),
        (
            'at = 300\nparameter = "speed"\nvalue = 1',
            "crowd[0].input[0].at",
            "never happens at 300 s: the scene lasts 2 s",
        ),
        ('at = 1.95\nparameter = "speed"\nvalue = 1', "crowd[0].input[0].at", "its last step begins at 1.9 s"),
        (
            'at = 1\nuntil = 0.5\nevery = 0.1\nparameter = "jump"\ntrigger = true',
            "crowd[0].input[0].until",
            "until 0.5 s is before at 1 s",
        ),
        ('parameter = "speed"\nvalue = 1\nevery = 0', "crowd[0].input[0].every", ">= 0.001, got 0"),
        ('parameter = "speed"\nvalue = 1\nat = -1', "crowd[0].input[0].at", "got -1"),
        ('parameter = "speed"\nvalue = 1\nfraction = 2', "crowd[0].input[0].fraction", "got 2"),
        ('parameter = "speed"\nramp = { to = 1, ovr = 1 }', "crowd[0].input[0].ramp.ovr", "did you mean 'over'?"),
        ('parameter = "speed"\nramp = { to = 1 }', "crowd[0].input[0].ramp", "the key 'over' is missing"),
    ],
)
def test_wrong_inputs(write: Write, text: str, place: str, words: str) -> None:
    said = message(write(INPUT + text))
    assert said.startswith(f"{place}: ")
    assert words in said


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "duration = 1\n[[crowd]\n",
            "it is not TOML: Expected ']]' at the end of an array declaration (at line 2",
        ),
        ("duration = 1\n", "the key 'crowd' is missing; add it"),
        ('duration = 1\n[crowd]\nname = "x"\n', "crowd: expected a list, got a table; write [[crowd]]"),
        ("duration = 1e9\n[[crowd]]\n", "duration: expected a number <= 3600.0, got 1000000000.0"),
        ("[[crowd]]\n", "the key 'duration' is missing; add it"),
        ("duration = 1\n[[crowd]]\n[[crowd]]\n", "crowd[1].name: there is a crowd 'crowd' already"),
        ("duration = 1\n[[crowd]]\ncount = 0\n", "crowd[0].count: expected a whole number >= 1, got 0"),
        ("duration = 1\n[[crowd]]\ncount = 1.5\n", "crowd[0].count: expected a whole number, got 1.5"),
        ("duration = 1\n[[crowd]]\ncount = 10_000_000\n", "crowd[0].count: expected a whole number <= 100000"),
        (
            'duration = 1\n[[crowd]]\nplacement = "ring"\n',
            ".placement: expected 'grid' or 'scatter', got 'ring'",
        ),
        ('duration = 1\n[[crowd]]\nengine = "gpu"\n', "crowd[0].engine: expected 'cpu', got 'gpu'"),
        ('duration = 1\n[[crowd]]\ncharacter = "no.glb"\n', "crowd[0].character: there is no file"),
        ("duration = 1\n[[crowd]]\n[crowd.weights]\nWav = 1\n", "crowd[0].weights: no layer 'Wav'"),
        (
            "duration = 1\n[[crowd]]\n[crowd.weights]\nBase = 1\nLook = 2\n",
            "crowd[0].weights.Look: expected a number <= 1.0, got 2",
        ),
        (
            'duration = 1\n[[crowd]]\n[crowd.weights]\n"A.b" = true\n',
            "crowd[0].weights.A.b: expected a number, got true",
        ),
        ("duration = 1\n[[crowd]]\n[crowd.clips]\nMove.Idle = 3\n", "crowd[0].clips.Move.Idle: expected the name"),
        ("duration = 1\n[[crowd]]\n[crowd.clips]\nJump = true\n", "crowd[0].clips.Jump: expected the name"),
        ("a = " + "[" * 20_000, "too deep"),
        ("a = " + "1" * 5_000, "it is not TOML"),
    ],
)
def test_wrong_files(write: Write, text: str, words: str) -> None:
    assert words in message(write(head=text))


def test_a_broken_graph_is_named_with_its_crowd(write: Write, tmp_path: Path) -> None:
    (tmp_path / "graph.json").write_text('{"layers": [], "parameters": {}}')
    assert message(write('graph = "graph.json"'), GraphError).startswith(f"crowd[0].graph: {tmp_path / 'graph.json'}")
    assert "crowd[0].graph: " in message(write('graph = "nothing.json"'), GraphError)


def test_files_that_are_none(tmp_path: Path) -> None:
    assert "cannot be read" in message(tmp_path / "nothing.toml")
    assert "cannot be read" in message(tmp_path)
    (tmp_path / "binary.toml").write_bytes(b"a = '\xff'")
    assert "byte 5 is not UTF-8" in message(tmp_path / "binary.toml")
    (tmp_path / "large.toml").write_bytes(b"#" * 5_000_000)
    assert "larger than 4 MB" in message(tmp_path / "large.toml")
    with pytest.raises(ArgumentError, match="path: expected the path of a file, got int"):
        load_scene(3)  # type: ignore[arg-type]


def test_what_is_not_said_has_defaults(write: Write) -> None:
    scene = load_scene(write(head="duration = 1\n[[crowd]]\n"))
    assert (scene.rate, scene.seed, scene.step_count) == (60.0, 0, 60)
    crowd = scene.crowds[0]
    assert (crowd.name, crowd.character, crowd.graph.name, crowd.count) == ("crowd", "mannequin", "locomotion", 1)
    assert (crowd.placement, crowd.timing, crowd.inputs) == ("scatter", "frame", ())


def test_inputs(write: Write) -> None:
    entries = [
        'at = 1\nparameter = "speed"\nvalue = 2',
        'parameter = "speed"\nrandom = [0.5, 2]\nchars = [2, 1, 2]',
        'parameter = "speed"\nramp = { to = 3, over = 0.5 }',
        'parameter = "speed"\nramp = { to = [1, 3], over = 0.5 }',
        'every = 0.5\nuntil = 1.5\nparameter = "jump"\ntrigger = true\nfraction = 0.25',
        'parameter = "wave"\ntrigger = true\nsingle_frame = true',
        'layer = "Look"\nweight = 0.5\nover = 1',
    ]
    scene = load_scene(write("".join(f"{INPUT}{entry}\n" for entry in entries)))
    assert scene.crowds[0].inputs == (
        Input(SetValue("speed", 2), at=1.0),
        Input(SetRandom("speed", 0.5, 2), chars=(1, 2)),
        Input(Ramp("speed", 3, 3, 0.5)),
        Input(Ramp("speed", 1, 3, 0.5)),
        Input(SetTrigger("jump"), every=0.5, until=1.5, fraction=0.25),
        Input(SetTrigger("wave", single_frame=True)),
        Input(FadeWeight("Look", 0.5, 1.0)),
    )


def test_characters_of_an_input(write: Write) -> None:
    texts = ("3", '"all"', "[3, 1, 3]")
    scene = load_scene(write("".join(f'{INPUT}parameter = "speed"\nvalue = 2\nchars = {text}\n' for text in texts)))
    assert [happening.chars for happening in scene.crowds[0].inputs] == [(3,), None, (1, 3)]


def test_the_last_step_has_inputs(write: Write) -> None:
    assert load_scene(write(f'{INPUT}at = 1.9\nparameter = "speed"\nvalue = 2\n')).crowds[0].inputs[0].at == 1.9


def test_clips_with_and_without_quotes(write: Write) -> None:
    clips = load_scene(write('[crowd.clips]\nMove.Idle = "walk"\n"Jump" = false\nLook = ""\n')).crowds[0].clips
    assert (clips["Move.Idle"], clips["Jump"], clips["Look"]) == ("walk", None, None)
    assert clips["Strafe.Left"] == "walk_left"


def test_files_are_looked_for_beside_the_scene(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "knight.glb").write_bytes(b"")
    monkeypatch.chdir("/")
    assert load_scene(write('character = "knight.glb"')).crowds[0].character == str(tmp_path / "knight.glb")


def test_the_reference_page_shows_a_scene(write: Write) -> None:
    page = Path(__file__).parents[2] / "docs" / "reference" / "scene-files.md"
    shown = re.findall(r"```toml\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert [len(load_scene(write(head=text)).crowds[0].inputs) for text in shown] == [3]
