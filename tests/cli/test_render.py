from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

SMALL = ("--width", "160", "--height", "90")

pytestmark = pytest.mark.usefixtures("adapter")


def test_unknown_clip_lists_the_clips(run: Run) -> None:
    outcome = run("render", "mannequin", "--clip", "wlk")
    assert (outcome.code, outcome.out) == (2, "")
    assert all(name in outcome.err for name in ("wlk", "walk", "idle", "jump"))
    assert not list(Path().iterdir())


@pytest.mark.parametrize(
    "arguments",
    [
        ("--count", "0"),
        ("--count", "-3"),
        ("--count", "1000000"),
        ("--time", "nan"),
        ("--width", "0"),
        ("--height", "100000"),
        ("--video", "-1"),
        ("--video", "nan"),
        ("--video", "1", "--rate", "0"),
    ],
)
def test_absurd_numbers(run: Run, arguments: tuple[str, ...]) -> None:
    outcome = run("render", "mannequin", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert "Traceback" not in outcome.err


def test_existing_picture_is_kept(run: Run) -> None:
    Path("mannequin.png").write_text("mine")
    outcome = run("render", "mannequin")
    assert outcome.code == 2
    assert "--force" in outcome.err
    assert Path("mannequin.png").read_text() == "mine"


@pytest.mark.parametrize(
    ("arguments", "suffix"),
    [(("--out", "x.jpg"), ".png"), (("--out", "x.mp4"), ".png"), (("--video", "1", "--out", "x.png"), ".mp4")],
)
def test_a_name_that_promises_something_else(run: Run, arguments: tuple[str, ...], suffix: str) -> None:
    outcome = run("render", "mannequin", *arguments)
    assert outcome.code == 2
    assert f"what is written is a {suffix} file" in outcome.err


def test_a_name_that_is_too_long(run: Run) -> None:
    outcome = run("render", "mannequin", "--out", "x" * 300 + ".png")
    assert (outcome.code, outcome.out) == (2, "")
    assert "longer than 240 bytes" in outcome.err


BVH = """HIERARCHY
ROOT hips
{
OFFSET 0 0 0
CHANNELS 3 Zrotation Xrotation Yrotation
End Site
{
OFFSET 0 1 0
}
}
MOTION
Frames: 1
Frame Time: 0.1
0 0 0
"""


def test_a_character_without_a_mesh_cannot_be_drawn(run: Run) -> None:
    Path("stick.bvh").write_text(BVH)
    outcome = run("render", "stick.bvh")
    assert outcome.code == 2
    assert "stick: there is no mesh, so there is nothing to draw" in outcome.err


def test_no_adapter_names_the_package(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skelter.rendering.wgpu_device.find_adapter_info", lambda: None)
    outcome = run("render", "mannequin")
    assert outcome.code == 2
    assert "no graphics adapter" in outcome.err


def test_picture(run: Run) -> None:
    outcome = run("render", "mannequin", "--clip", "walk", "--time", "0.3", *SMALL, "--json")
    assert outcome.code == 0
    assert json.loads(outcome.out) == {"path": "mannequin.png", "characters": 1}
    from PIL import Image

    with Image.open("mannequin.png") as picture:
        assert picture.size == (160, 90)
        assert len(picture.getcolors(160 * 90) or ()) > 100


def test_same_seed_same_picture(run: Run) -> None:
    for name in ("a.png", "b.png"):
        assert run("render", "mannequin", "--count", "5", "--seed", "3", "--out", name, *SMALL).code == 0
    assert Path("a.png").read_bytes() == Path("b.png").read_bytes()


def test_film(run: Run) -> None:
    pytest.importorskip("av")
    outcome = run("render", "mannequin", "--video", "0.2", "--rate", "10", *SMALL)
    assert outcome.code == 0
    assert Path("mannequin.mp4").stat().st_size > 1000


SCENE = """
duration = 0.5
[[crowd]]
name = "front"
[[crowd]]
name = "back"
count = 2
origin = [0.0, -3.0]
[[crowd.input]]
parameter = "speed"
value = 1.4
"""


@pytest.fixture
def scene(run: Run) -> str:
    """Write a scene where the command runs."""
    Path("crowds.toml").write_text(SCENE)
    return "crowds.toml"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--clip", "walk", "--time", "1"), "--clip, --time: not with crowds.toml: a scene says itself"),
        (("--count", "3"), "--count: not with crowds.toml"),
        (("--seed", "3"), "--seed: not with crowds.toml"),
        (("--at", "0.6"), "--at: expected a time from 0 to 0.5 s, where the scene ends, got 0.6"),
        (("--at", "nan"), "--at: expected a time from 0 to 0.5 s"),
        (("--at", "0.4", "--video", "0.2"), "--video: expected at most 0.1 s, what the scene lasts from 0.4 s on"),
    ],
)
def test_options_that_do_not_fit_a_scene(run: Run, scene: str, options: tuple[str, ...], words: str) -> None:
    outcome = run("render", scene, *options)
    assert (outcome.code, outcome.out) == (2, "")
    assert words in outcome.err


def test_a_time_in_a_scene_means_nothing_for_a_character(run: Run) -> None:
    assert "--at: not with mannequin: it is a time in a scene" in run("render", "mannequin", "--at", "1").err


def test_a_broken_scene(run: Run, scene: str) -> None:
    Path(scene).write_text(SCENE.replace("speed", "sped"))
    assert "crowds.toml: crowd[1].input[0].parameter: no parameter 'sped'" in run("render", scene).err


def test_all_crowds_of_a_scene_are_drawn_at_a_time(run: Run, scene: str) -> None:
    outcome = run("render", scene, *SMALL, "--json")
    assert json.loads(outcome.out) == {"path": "crowds.png", "characters": 3}
    for name, at in (("end.png", "0.5"), ("start.png", "0")):
        assert run("render", scene, "--at", at, "--out", name, *SMALL).code == 0
    end = Path("end.png").read_bytes()
    assert Path("crowds.png").read_bytes() == end
    assert Path("start.png").read_bytes() != end


def test_a_film_of_a_scene(run: Run, scene: str) -> None:
    pytest.importorskip("av")
    assert run("render", scene, "--video", "0.2", "--at", "0.3", "--rate", "10", *SMALL).code == 0
    assert Path("crowds.mp4").stat().st_size > 1000
