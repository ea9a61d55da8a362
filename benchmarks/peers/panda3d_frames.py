"""Time of a frame of a crowd in Panda3D: Actors that blend three animations.

    python panda3d_frames.py JOB.json CHARACTERS FRAMES

The job has joints and clips, as benchmarks/compare.py writes them; they are turned into egg files. A frame updates all
parts of all Actors, which makes the matrices of their joints and vertices' transforms. Prints a line of JSON.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

from direct.actor.Actor import Actor
from panda3d.core import ClockObject, LMatrix4f, LQuaternionf, PandaSystem, loadPrcFileData

loadPrcFileData("", "window-type none\naudio-library-name null\nnotify-level-egg error\nmodel-cache-dir")
RATE = 30


def main() -> None:
    path, count, frames = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    job = json.loads(Path(path).read_text())
    clock = ClockObject.getGlobalClock()
    clock.mode = ClockObject.MNonRealTime
    clock.dt = 1 / 60
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model.egg"
        model.write_text(model_egg(job["joints"]))
        clips = {}
        for number, clip in enumerate(job["clips"][:3]):
            clips[f"clip{number}"] = str(Path(folder) / f"clip{number}.egg")
            Path(clips[f"clip{number}"]).write_text(clip_egg(job["joints"], clip))
        actors = [make_actor(model, clips, index) for index in range(count)]
    before = LMatrix4f(actors[0].getJoints()[1].getTransform())
    times = []
    for _ in range(frames + 3):
        begin = time.perf_counter()
        clock.tick()
        for actor in actors:
            actor.update(force=True)
        times.append((time.perf_counter() - begin) * 1000)
    if actors[0].getJoints()[1].getTransform() == before:
        raise SystemExit("no joint moved")
    print(json.dumps({"version": PandaSystem.getVersionString(), "frames": times[3:]}))


def make_actor(model: Path, clips: dict[str, str], index: int) -> Actor:
    actor = Actor(str(model), clips)
    actor.enableBlend()
    for number, weight in enumerate((0.5, 0.3, 0.2)):
        actor.setControlEffect(f"clip{number}", weight)
        actor.loop(f"clip{number}", restart=True)
        actor.setPlayRate(0.8 + 0.4 * (index * 0.618 % 1.0), f"clip{number}")
    return actor


def children(joints: list[dict], parent: int) -> list[int]:
    return [index for index, joint in enumerate(joints) if joint["parent"] == parent]


def model_egg(joints: list[dict]) -> str:
    """Return a character with a triangle at each joint."""

    def joint_text(index: int) -> str:
        x, y, z = joints[index]["t"]
        inner = "".join(joint_text(child) for child in children(joints, index))
        vertices = " ".join(str(3 * index + corner + 1) for corner in range(3))
        return (
            f"<Joint> {joints[index]['name']} {{ <Transform> {{ <Translate> {{ {x} {y} {z} }} }}"
            f" <VertexRef> {{ {vertices} <Ref> {{ pool }} }} {inner} }}\n"
        )

    corners = "".join(
        f"<Vertex> {number + 1} {{ {number % 3} {number // 3} 0 }}\n" for number in range(3 * len(joints))
    )
    faces = "".join(
        f"<Polygon> {{ <VertexRef> {{ {3 * n + 1} {3 * n + 2} {3 * n + 3} <Ref> {{ pool }} }} }}\n"
        for n in range(len(joints))
    )
    roots = "".join(joint_text(root) for root in children(joints, -1))
    return (
        "<CoordinateSystem> { Z-up }\n<Group> character { <Dart> { 1 }\n"
        f"<VertexPool> pool {{\n{corners}}}\n{faces}{roots}}}\n"
    )


def clip_egg(joints: list[dict], clip: dict) -> str:
    """Return an animation, sampled at its keys' rate."""
    turns = {curve["path"][-1]: curve["values"] for curve in clip["curves"] if curve["property"] == "localRotation"}
    count = max(len(values) // 4 for values in turns.values())

    def angles(index: int) -> list[list[float]]:
        values = turns.get(joints[index]["name"], joints[index]["r"] * count)
        rows = []
        for place in range(count):
            x, y, z, w = values[4 * place : 4 * place + 4]
            rows.append(list(LQuaternionf(w, x, y, z).getHpr()))
        return rows

    def table(index: int) -> str:
        rows = angles(index)
        columns = ""
        for axis, name in enumerate("hpr"):
            values = " ".join(f"{row[axis]:.6g}" for row in rows)
            columns += f"<S$Anim> {name} {{ <Scalar> fps {{ {RATE} }} <V> {{ {values} }} }}\n"
        moves = "".join(f"<S$Anim> {name} {{ <V> {{ {value} }} }}\n" for name, value in zip("xyz", joints[index]["t"]))
        inner = "".join(table(child) for child in children(joints, index))
        return (
            f"<Table> {joints[index]['name']} {{\n<Xfm$Anim_S$> xform {{ <Scalar> fps {{ {RATE} }}"
            f" <Char*> order {{ sprht }}\n{columns}{moves}}} {inner} }}\n"
        )

    roots = "".join(table(root) for root in children(joints, -1))
    return f'<CoordinateSystem> {{ Z-up }}\n<Table> {{ <Bundle> character {{ <Table> "<skeleton>" {{\n{roots}}} }} }}\n'


if __name__ == "__main__":
    main()
