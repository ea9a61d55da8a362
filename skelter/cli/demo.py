"""The command ``skelter demo``."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from skelter.cli.render import HeightOption, SeedOption, WidthOption
from skelter.cli.result import show, table
from skelter.cli.scene_moment import SceneMoment
from skelter.cli.source import MANNEQUIN, JsonOption, check_suffix, open_character
from skelter.cli.step import step
from skelter.core.files import check_target, make_folder

if TYPE_CHECKING:
    from skelter.cast import Moment
    from skelter.rig.rig import Rig
    from skelter.scene.play import ScenePlayer

DEFAULT_OUT = Path("out/demo.png")
FILM_RATE = 30.0


@dataclass(slots=True)
class Costs:
    """What each stage took, in the order of the stages: its name, seconds, and a remark."""

    rows: list[tuple[str, float, str]] = field(default_factory=list)

    @contextmanager
    def stage(self, name: str) -> Iterator[list[str]]:
        """Measure a block; what it appends to the list that it gets is the remark."""
        remark: list[str] = []
        begin = time.perf_counter()
        yield remark
        self.rows.append((name, time.perf_counter() - begin, " ".join(remark)))


def demo(
    count: Annotated[int, typer.Option(help="Number of characters.")] = 200,
    character: Annotated[str, typer.Option(metavar="FILE", help="A character file of your own.")] = MANNEQUIN,
    out: Annotated[Path, typer.Option(help="Picture to write; one that exists is replaced.")] = DEFAULT_OUT,
    width: WidthOption = 1920,
    height: HeightOption = 1080,
    video: Annotated[float | None, typer.Option(metavar="SECONDS", help="Make a film of this length, too [s].")] = None,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Let a crowd of characters act, draw it, and say what it took."""
    from skelter.cast import frame_total

    if video is not None:
        frame_total(video, FILM_RATE)
    if out == DEFAULT_OUT:
        make_folder(out.parent)
    check_suffix(out, ".png")
    check_target(out)
    costs = Costs()
    with costs.stage("adapter") as remark:
        remark.append(_adapter())
    crowd = _crowd(character, count, seed, costs)
    _draw(crowd, count, out, (width, height), video, costs)
    rows = [*costs.rows, ("total", sum(seconds for _, seconds, _ in costs.rows), "")]
    result = [{"stage": name, "seconds": round(seconds, 6), "remark": text} for name, seconds, text in rows]
    lines = table(("stage", "seconds", ""), ((name, f"{seconds:.3f}", text) for name, seconds, text in rows))
    show(result, lines, as_json)


def _adapter() -> str:
    from skelter.rendering.adapter import require_adapter

    adapter = require_adapter()
    return f"{adapter.name}, {adapter.backend}"


def _crowd(character: str, count: int, seed: int, costs: Costs) -> Moment:
    """Return a crowd that plays the demo's scene, or, if its clips do not fit the graph, a clip each."""
    from skelter.cast import cast_crowd
    from skelter.measure import measure
    from skelter.scene.locomotion import fits_locomotion

    rig = _rig(character, costs)
    if fits_locomotion(rig):
        player = _simulated(character, rig, count, seed, costs)
        with costs.stage("pose") as remark:
            micros = measure(lambda: list(player.crowd().skinning_blocks())).median / count * 1e6
            remark.append(f"repeated: {micros:.2f} us a character for layers, hierarchy, skinning matrices")
        return SceneMoment(player, player.time)
    with costs.stage("clips") as remark:
        cast = cast_crowd(rig, count, seed=seed)
        remark.append("each character plays one: the locomotion graph needs clips that this character does not have")
    with costs.stage("pose") as remark:
        micros = measure(cast.batch).median / count * 1e6
        remark.append(f"repeated: {micros:.2f} us a character for sample, hierarchy, skinning matrices")
    return cast.batch


def _rig(character: str, costs: Costs) -> Rig:
    from skelter.baking.bake import bake
    from skelter.warm import compile_kernels

    with costs.stage("character") as remark:
        source = open_character(character)
        remark.append(f"{len(source.nodes)} nodes, {len(source.clips)} clips")
    with costs.stage("kernels") as remark, step("compiling kernels (once, then they are cached)"):
        compile_kernels()
        remark.append("compiled the first time, afterwards loaded")
    with costs.stage("bake") as remark, step(f"baking {source.name}") as report:
        rig = bake(source, progress=report)
        remark.append(f"{rig.joint_count} joints, {len(rig.mesh.positions)} vertices, {rig.report.bytes / 1e6:.1f} MB")
    return rig


def _simulated(character: str, rig: Rig, count: int, seed: int, costs: Costs) -> ScenePlayer:
    """Return the demo's scene, played to its end."""
    from skelter.scene.demo import demo_scene
    from skelter.scene.play import ScenePlayer

    scene = demo_scene(count, seed=seed, character=character)
    with costs.stage("graph") as remark, step("playing the scene"):
        player = ScenePlayer(scene, record=False, rigs={character: rig})
        begin = time.perf_counter()
        for _ in range(scene.step_count):
            player.step()
        micros = (time.perf_counter() - begin) / (scene.step_count * count) * 1e6
        remark.append(f"{scene.duration:g} s in {scene.step_count} steps: {micros:.2f} us a character and step")
    return player


def _draw(crowd: Moment, count: int, out: Path, size: tuple[int, int], video: float | None, costs: Costs) -> None:
    from skelter.cli.drawing import draw_film, draw_picture

    with costs.stage("picture") as remark:
        draw_picture(crowd, out, *size)
        remark.append(f"{out}, {count} characters, {size[0]}x{size[1]}")
    if video is None:
        return
    film = out.with_suffix(".mp4")
    with costs.stage("film") as remark:
        draw_film(crowd, film, video, FILM_RATE, *size)
        remark.append(f"{film}, {video:g} s")
