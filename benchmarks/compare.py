"""Measure skelter beside other engines in one run, on the same character.

    python benchmarks/compare.py [--characters 100] [--csv FILE]

Every engine poses characters of 67 joints that blend three clips, and makes their bone matrices. The rounds of the
engines alternate, so that all of them meet the same machine. An engine that is not installed is left out, and a line
says why: `npm ci --prefix benchmarks/peers` installs PlayCanvas and three.js, `pip install panda3d`
Panda3D.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

import skelter as sk
from skelter.assets.character import Character
from skelter.bench.cases import CLIP_COUNT, JOINT_COUNT, lists_of
from skelter.core.arrays import AFFINE, unpack_pose
from skelter.doctor import cpu_name
from skelter.engines.cpu.stage import PoseStage
from skelter.pose.layers import bind_playback
from skelter.testing.rigs import random_character

PEERS = Path(__file__).with_name("peers")
ROUNDS = 3
FRAMES = 12
STEP_S = 1 / 60
Engine = Callable[[], list[float]]
"""Returns the time of some frames [ms]."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--characters", type=int, default=100)
    parser.add_argument("--csv", type=Path, help="append the rows to this file")
    options = parser.parse_args()
    sk.set_threads(1)
    character = random_character(JOINT_COUNT, CLIP_COUNT, seed=1)
    with tempfile.TemporaryDirectory() as folder:
        engines = {
            "skelter": skelter_pose(character, options.characters),
            "skelter with a graph": skelter_graph(character, options.characters),
            "NumPy": numpy_pose(character, options.characters),
            **other_engines(character, options.characters, Path(folder)),
        }
        times: dict[str, list[float]] = {name: [] for name in engines}
        for _ in range(ROUNDS):
            for name, engine in engines.items():
                times[name] += engine()
    report(times, options.characters, options.csv)


def report(times: dict[str, list[float]], count: int, target: Path | None) -> None:
    """Print a table, and append it to a file."""
    ours = statistics.median(times["skelter"])
    rows = []
    for name, frames in times.items():
        median = statistics.median(frames)
        print(f"{name:24} {median / count * 1000:9.2f} us a character {median / ours:8.1f} times skelter's pose3")
        rows.append((name, count, round(median / count * 1000, 3), round(median / ours, 2)))
    if target is None:
        return
    is_new = not target.exists()
    with target.open("a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if is_new:
            writer.writerow(("date", "cpu", "engine", "characters", "us_per_character", "ratio"))
        writer.writerows((datetime.now(UTC).date().isoformat(), cpu_name(), *row) for row in rows)


def timed(frame: Callable[[], object]) -> Engine:
    """Return what measures some frames of an engine in this process."""
    frame()

    def run() -> list[float]:
        frames = []
        for _ in range(FRAMES):
            begin = time.perf_counter()
            frame()
            frames.append((time.perf_counter() - begin) * 1000)
        return frames

    return run


def skelter_pose(character: Character, count: int) -> Engine:
    """Blend, hierarchy and skinning matrices, as in the case ``pose3``."""
    rig = sk.bake(character, cache=False)
    lists = lists_of(rig, count, (3,))
    bound = bind_playback(rig, lists, np.zeros(1, np.uint8), None)
    stage, playback = PoseStage(rig, bound.layers, 3), lists.arrays()
    out = np.empty((count, len(rig.palette.joint) * AFFINE), np.float32)
    return timed(lambda: stage.run(playback, skinning=out))


def skelter_graph(character: Character, count: int) -> Engine:
    """The same with a graph of two layers that decides what plays, as PlayCanvas gets it."""
    rig = sk.bake(character, cache=False)
    crowd = sk.Crowd(sk.compile(graph(), rig, assignments(rig.clip_names)), count, record=False)
    crowd.set("blend", np.arange(count) * 0.618 % 1.0)

    def frame() -> None:
        crowd.step(STEP_S)
        _ = crowd.skinning_matrices

    return timed(frame)


def graph() -> sk.StateGraph:
    tree = sk.BlendTree("1D", ["blend"], [sk.Leaf("low", 0.0), sk.Leaf("middle", 0.5), sk.Leaf("high", 1.0)])
    move = sk.Layer("Base", [sk.State("Move", tree=tree)], [sk.Transition("START", "Move")])
    upper = sk.Layer("Upper", [sk.State("Wave")], [sk.Transition("START", "Wave")], weight=0.5)
    return sk.StateGraph([move, upper], [sk.Parameter("blend")], name="compare")


def assignments(clips: tuple[str, ...]) -> dict[str, str | None]:
    return {"Base:Move.low": clips[0], "Base:Move.middle": clips[1], "Base:Move.high": clips[2], "Upper:Wave": clips[0]}


def numpy_pose(character: Character, count: int) -> Engine:
    """Blend by plain NumPy: gathers, nlerp over all joints of all characters, a loop over the joints."""
    rig = sk.bake(character, cache=False)
    lists = lists_of(rig, count, (3,))
    frames = int(rig.clips.frame_count[0])
    stored = []
    for clip in range(3):
        times = np.linspace(0.0, rig.clips.duration[clip], frames)
        stored.append(unpack_pose(sk.sample(rig, clip, times, loop=False), rig.joint_count))
    position = lists.time / rig.clips.duration[:3] * (frames - 1)
    first = np.minimum(position.astype(int), frames - 2)
    part = (position - first).astype(np.float32)[..., None, None]
    weight = lists.weight.astype(np.float32)[..., None, None]
    inverse = np.tile(np.eye(4, dtype=np.float32), (rig.joint_count, 1, 1))
    inverse[rig.palette.joint, :3] = rig.palette.joint_from_bind

    def frame() -> np.ndarray:
        rotation, translation, pivot = 0.0, 0.0, None
        for clip in range(3):
            q, t, _ = stored[clip]
            q, t = (a[first[:, clip]] + part[:, clip] * (a[first[:, clip] + 1] - a[first[:, clip]]) for a in (q, t))
            pivot = q if pivot is None else pivot
            sign = np.where((q * pivot).sum(axis=-1, keepdims=True) < 0.0, -1.0, 1.0).astype(np.float32)
            rotation = rotation + weight[:, clip] * sign * q
            translation = translation + weight[:, clip] * t
        rotation = rotation / np.linalg.norm(rotation, axis=-1, keepdims=True)
        x, y, z, w = np.moveaxis(rotation, -1, 0)
        local = np.zeros((count, rig.joint_count, 4, 4), np.float32)
        local[..., 0, :3] = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)], axis=-1)
        local[..., 1, :3] = np.stack([2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)], axis=-1)
        local[..., 2, :3] = np.stack([2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)], axis=-1)
        local[..., :3, 3] = translation
        local[..., 3, 3] = 1.0
        for joint, parent in enumerate(rig.parent.tolist()):
            if parent >= 0:
                local[:, joint] = local[:, parent] @ local[:, joint]
        return local @ inverse

    return timed(frame)


def other_engines(character: Character, count: int, folder: Path) -> dict[str, Engine]:
    """Return the engines that run in programs of their own; say why one is left out."""
    model, job = folder / "character.glb", folder / "job.json"
    sk.export_glb(character, model)
    job.write_text(json.dumps(playcanvas_job(character)))
    engines: dict[str, Engine] = {}
    node = shutil.which("node")
    if node is None or not (PEERS / "node_modules").is_dir():
        print("three.js and PlayCanvas are left out; npm ci --prefix benchmarks/peers installs them")
    else:
        engines["three.js"] = program([node, "three_frames.mjs", str(model)], count)
        engines["PlayCanvas with a graph"] = program([node, "playcanvas_frames.mjs", str(job)], count)
    if importlib.util.find_spec("panda3d") is None:
        print("Panda3D is left out; pip install panda3d installs it")
    else:
        engines["Panda3D"] = program([sys.executable, "panda3d_frames.py", str(job)], count)
    return engines


def program(command: list[str], count: int) -> Engine:
    def run() -> list[float]:
        done = subprocess.run(
            [*command, str(count), str(FRAMES)], cwd=PEERS, capture_output=True, text=True, check=False, timeout=300
        )
        if done.returncode != 0:
            raise SystemExit(f"{command[1]} failed: {done.stderr.strip()[-500:]}")
        frames: list[float] = json.loads(done.stdout)["frames"]
        return frames

    return run


def playcanvas_job(character: Character) -> dict[str, object]:
    """Return joints, clips and the graph as PlayCanvas takes them."""
    nodes = character.nodes
    names = [f"joint{index}" for index in range(len(nodes))]
    paths = []
    for index, parent in enumerate(nodes.parent.tolist()):
        paths.append([*(paths[parent] if parent >= 0 else ["character"]), names[index]])
    properties = {"translation": "localPosition", "rotation": "localRotation", "scale": "localScale"}
    clips = [
        {
            "name": clip.name,
            "duration": clip.duration,
            "curves": [
                {
                    "path": paths[track.node],
                    "property": properties[track.path],
                    "times": track.times.tolist(),
                    "values": track.values.ravel().tolist(),
                }
                for track in clip.tracks
                if track.path in properties
            ],
        }
        for clip in character.clips
    ]
    joints = [
        {
            "name": names[index],
            "parent": int(nodes.parent[index]),
            "t": nodes.translation[index].tolist(),
            "r": nodes.rotation[index].tolist(),
        }
        for index in range(len(nodes))
    ]
    states = [{"name": "START"}, {"name": "END"}, {"name": "ANY"}]
    children = [{"name": name, "point": point} for name, point in (("low", 0.0), ("middle", 0.5), ("high", 1.0))]
    tree = {"type": "1D", "parameter": "blend", "children": children}
    layers = [
        {
            "name": "Base",
            "states": [*states, {"name": "Move", "speed": 1.0, "loop": True, "blendTree": tree}],
            "transitions": [{"from": "START", "to": "Move"}],
        },
        {
            "name": "Upper",
            "weight": 0.5,
            "states": [*states, {"name": "Wave", "speed": 1.0, "loop": True}],
            "transitions": [{"from": "START", "to": "Wave"}],
        },
    ]
    parameters = {"blend": {"name": "blend", "type": "FLOAT", "value": 0.0}}
    tracks = {"Base:Move.low": 0, "Base:Move.middle": 1, "Base:Move.high": 2, "Upper:Wave": 0}
    return {
        "joints": joints,
        "clips": clips,
        "graph": {"layers": layers, "parameters": parameters},
        "assignments": tracks,
    }


if __name__ == "__main__":
    main()
