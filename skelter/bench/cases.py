"""What is measured: fixed scenes, and the stages of a frame."""

from __future__ import annotations

import atexit
import itertools
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from skelter.assets.load import load
from skelter.assets.mannequin import mannequin
from skelter.baking.bake import bake
from skelter.bench.mesh import limb_vertices
from skelter.core.arrays import AFFINE, LANE_COUNT
from skelter.core.playback import PlaybackArrays, PlaybackList
from skelter.crowd.crowd import Crowd
from skelter.ecs.world import World
from skelter.engines.cpu.pipeline import skinning_matrices
from skelter.engines.cpu.stage import PoseStage
from skelter.export.gltf import export_glb
from skelter.graph.compile import compile as compile_graph
from skelter.graph.graph import ANY, START, Condition, Layer, Parameter, State, StateGraph, Transition
from skelter.measure import Work
from skelter.pose.layers import bind_playback
from skelter.pose.sample import sample
from skelter.rig.rig import Rig
from skelter.scene.locomotion import LOCOMOTION_CLIPS, locomotion
from skelter.skin.tiles import make_tiles, tile_vertices
from skelter.skin.vertices import skin_vertices
from skelter.testing.rigs import clock_rig, random_character
from skelter.transform.to_model import to_model

JOINT_COUNT = 67
"""As many as the skeleton has that ozz-animation comes with."""
STATE_COUNT = 10
PARAMETER_COUNT = 8
CLIP_COUNT = 3
FRAME_COUNT = 16
"""Sets of random times that are played in turn."""
MASKED = 0.5
"""Part of the joints that the additive layer moves."""
VERTEX_COUNT = 5000
BLOCK = 4096
"""Characters whose matrices a streamed crowd makes at a time."""
FRAME_S = 1.0 / 60.0


@dataclass(frozen=True, slots=True)
class Case:
    """Something to measure.

    Attributes:
        about: What a call does.
        counts: Characters a call; one row is measured for each.
        prepare: Makes the call for a number of characters and of joints, and says how many joints a character has.
        joints: Joints of a character; one row is measured for each. 0 is what the case has.
        threaded: Measure it on all cores, too.
        heavy: Measure it only when it is asked for by name.
    """

    about: str
    counts: tuple[int, ...]
    prepare: Callable[[int, int], tuple[Work, int]]
    joints: tuple[int, ...] = (JOINT_COUNT,)
    threaded: bool = False
    heavy: bool = False


@cache
def _rig(joint_count: int = JOINT_COUNT) -> Rig:
    """Return a character all of whose joints turn, and whose root travels."""
    return bake(random_character(joint_count, CLIP_COUNT, seed=1), cache=False)


@cache
def _mannequin_rig() -> Rig:
    return bake(mannequin(), cache=False)


def _clips(rig: Rig, count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return a clip and a time per character; additive clips are no poses and do not play alone."""
    random = np.random.default_rng(seed)
    alone = np.flatnonzero(rig.clips.additive == 0)
    clips = alone[random.integers(0, len(alone), count)].astype(np.int32)
    return clips, random.random(count) * rig.clips.duration[clips]


def lists_of(rig: Rig, count: int, layers: tuple[int, ...], seed: int = 0) -> PlaybackList:
    """Return playback lists with so many entries in each layer, of random weights, at random times."""
    random = np.random.default_rng(seed)
    total = sum(layers)
    weight = np.concatenate([_shares(random.random((count, size)) + 0.1) for size in layers], axis=1)
    clip = np.tile(np.arange(total, dtype=np.int32) % CLIP_COUNT, (count, 1))
    return PlaybackList(
        layer_start=np.tile(np.cumsum((0, *layers), dtype=np.int32), (count, 1)),
        clip=clip,
        time=random.random((count, total)) * rig.clips.duration[clip],
        weight=weight,
        layer_weight=np.ones((count, len(layers))),
    )


def _shares(weight: np.ndarray) -> np.ndarray:
    shares: np.ndarray = weight / weight.sum(axis=1, keepdims=True)
    return shares


def _stage(rig: Rig, lists: PlaybackList, additive: tuple[int, ...], mask: np.ndarray | None = None) -> PoseStage:
    bound = bind_playback(rig, lists, np.array(additive, np.uint8), mask)
    return PoseStage(rig, bound.layers, lists.clip.shape[1])


def _pose3(count: int, joints: int) -> tuple[Work, int]:
    rig = _rig(joints)
    lists = lists_of(rig, count, (3,))
    stage, playback = _stage(rig, lists, (0,)), lists.arrays()
    out = np.empty((count, len(rig.palette.joint) * AFFINE), np.float32)
    return lambda: stage.run(playback, skinning=out), rig.joint_count


def _pose1(count: int, joints: int) -> tuple[Work, int]:
    """Play forwards: all times move on by a frame in each call."""
    rig = _rig(joints)
    lists = lists_of(rig, count, (1,))
    lists.clip[:, 0] = _clips(rig, count)[0]
    steps = [
        lists.arrays()._replace(time=(lists.time + number * FRAME_S) % rig.clips.duration[0])
        for number in range(FRAME_COUNT)
    ]
    return _model_work(rig, count, lists, steps), rig.joint_count


def _pose1_random(count: int, joints: int) -> tuple[Work, int]:
    """Another clip, and another time, for each character in each call."""
    rig = _rig(joints)
    lists = lists_of(rig, count, (1,))
    steps = []
    for seed in range(FRAME_COUNT):
        clip, time = _clips(rig, count, seed)
        steps.append(lists.arrays()._replace(clip=clip[:, None], time=time[:, None]))
    return _model_work(rig, count, lists, steps), rig.joint_count


def _model_work(rig: Rig, count: int, lists: PlaybackList, steps: list[PlaybackArrays]) -> Work:
    stage, frames = _stage(rig, lists, (0,)), itertools.cycle(steps)
    out = np.empty((count, rig.joint_count * AFFINE), np.float32)
    return lambda: stage.run(next(frames), model=out)


def _pose2_additive(count: int, joints: int) -> tuple[Work, int]:
    rig = _rig(joints)
    lists = lists_of(rig, count, (2, 1))
    mask = np.ones((2, len(rig.rest) * LANE_COUNT), np.float32)
    mask[1] = np.random.default_rng(2).random(mask.shape[1]) < MASKED
    stage, playback = _stage(rig, lists, (0, 1), mask.reshape(2, len(rig.rest), LANE_COUNT)), lists.arrays()
    out = np.empty((count, rig.joint_count * AFFINE), np.float32)
    return lambda: stage.run(playback, model=out), rig.joint_count


def _layers3(count: int, joints: int) -> tuple[Work, int]:
    rig = _rig(joints)
    lists = lists_of(rig, count, (3,))
    stage, playback = _stage(rig, lists, (0,)), lists.arrays()
    out = np.empty((count, rig.rest.size), np.float32)
    return lambda: stage.run(playback, local=out), rig.joint_count


def _sample(count: int, joints: int) -> tuple[Work, int]:
    rig = _rig(joints)
    clips, times = _clips(rig, count)
    return lambda: sample(rig, clips, times), rig.joint_count


def _hierarchy(count: int, joints: int) -> tuple[Work, int]:
    rig = _rig(joints)
    local = sample(rig, *_clips(rig, count))
    return lambda: to_model(rig, local), rig.joint_count


def _palette(count: int, joints: int) -> tuple[Work, int]:
    rig = _rig(joints)
    local = sample(rig, *_clips(rig, count))
    return lambda: skinning_matrices(rig, local), rig.joint_count


def _skin5k(count: int, joints: int) -> tuple[Work, int]:
    from skelter.core.vector_kernels import Work as Share
    from skelter.skin.vertices_kernels import SCRATCH_SIZE, skin_kernel

    rig = _rig(joints)
    influences, weights, positions, normals = limb_vertices(rig.parent, VERTEX_COUNT)
    tiles = make_tiles(influences, weights)
    vertices = tile_vertices(tiles, positions, normals)
    matrices = skinning_matrices(rig, sample(rig, *_clips(rig, count))).reshape(count, -1)
    matrices.flags.writeable = False
    out, turned = np.empty((2, count, VERTEX_COUNT * 3), np.float32)
    scratch = np.empty(SCRATCH_SIZE, np.float32)

    def work() -> None:
        skin_kernel(tiles, Share(np.zeros(1, np.int64), 1, 0, count), matrices, vertices, scratch, out, turned)

    return work, rig.joint_count


def _skin(count: int, _joints: int) -> tuple[Work, int]:
    rig = _mannequin_rig()
    matrices = skinning_matrices(rig, sample(rig, *_clips(rig, count)))
    return lambda: skin_vertices(rig, matrices), rig.joint_count


def _graph(count: int, _joints: int) -> tuple[Work, int]:
    rig = clock_rig({f"S{number}": 1.0 + 0.1 * number for number in range(STATE_COUNT)})
    crowd = Crowd(compile_graph(_ring_graph(), rig), count, record=False)
    random = np.random.default_rng(0)
    crowd.set("go", random.random(count))
    crowd.set("skip", random.random(count) + 0.1)
    return lambda: crowd.step(FRAME_S), rig.joint_count


def _ring_graph() -> StateGraph:
    """Return two layers of ten states in a ring, with ways taken at the end of a state, by chance, or never."""
    names = [f"S{number}" for number in range(STATE_COUNT)]
    ways = [Transition(START, names[0]), Transition(ANY, names[-1], 0.1, conditions=[Condition("stop")])]
    for number, name in enumerate(names):
        onward = Condition("go", "GREATER_THAN", 0.5 + 0.04 * number)
        ways.append(Transition(name, names[(number + 1) % STATE_COUNT], 0.2, conditions=[onward], exit_time=0.8))
        aside = Condition("skip", "LESS_THAN", 0.02 * number)
        ways.append(Transition(name, names[(number + 3) % STATE_COUNT], 0.2, conditions=[aside]))
    parameters = [Parameter("go"), Parameter("skip"), Parameter("stop", "TRIGGER", False)]
    parameters += [Parameter(f"p{number}") for number in range(PARAMETER_COUNT - len(parameters))]
    return StateGraph([Layer(name, [State(state) for state in names], ways) for name in ("Low", "High")], parameters)


def mannequin_crowd(count: int) -> Crowd:
    """Return mannequins on the locomotion graph: all speeds, a tenth waving, a fifth looking around."""
    crowd = Crowd(compile_graph(locomotion(), _mannequin_rig(), LOCOMOTION_CLIPS), count, record=False)
    random = np.random.default_rng(0)
    crowd.set("speed", random.random(count) * 3.2)
    crowd.trigger("wave", where=random.random(count) < 0.1)
    crowd.set("look", random.random(count) < 0.2)
    return crowd


def _frame(count: int, _joints: int) -> tuple[Work, int]:
    crowd = mannequin_crowd(count)

    def frame() -> None:
        crowd.step(FRAME_S)
        _ = crowd.skinning_matrices

    return frame, crowd.rig.joint_count


def _streamed(count: int, _joints: int) -> tuple[Work, int]:
    """Keep no matrices: a million characters have 2.7 GB of them."""
    crowd = mannequin_crowd(count)

    def frame() -> None:
        crowd.step(FRAME_S)
        for _rows, _matrices in crowd.skinning_blocks(BLOCK):
            pass

    return frame, crowd.rig.joint_count


def _world(count: int, _joints: int) -> tuple[Work, int]:
    world = World()
    world.spawn(count, transform=..., world_matrix=...)
    return lambda: world.step(FRAME_S), 0


def _spawn(count: int, _joints: int) -> tuple[Work, int]:
    world = World()
    return lambda: world.despawn(world.spawn(count, transform=..., world_matrix=..., visible=...)), 0


def _snapshot(count: int, _joints: int) -> tuple[Work, int]:
    crowd = mannequin_crowd(count)
    return lambda: crowd.world.restore(crowd.world.snapshot()), crowd.rig.joint_count


def _load(count: int, _joints: int) -> tuple[Work, int]:
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = Path(folder) / "mannequin.glb"
    character = mannequin()
    export_glb(character, path)
    return lambda: [load(path) for _ in range(count)], len(character.nodes)


def _bake(count: int, _joints: int) -> tuple[Work, int]:
    character = mannequin()
    return lambda: [bake(character, cache=False) for _ in range(count)], len(character.nodes)


OTHER_SIZES = (24, JOINT_COUNT, 128, 200)
OWN = (0,)

CASES: dict[str, Case] = {
    "pose3": Case("blend three clips, hierarchy, skinning matrices", (1000,), _pose3, OTHER_SIZES, threaded=True),
    "pose1": Case("one clip, hierarchy; times move on", (1000,), _pose1, OTHER_SIZES),
    "pose2_additive": Case("blend two clips, add a third to half of the joints, hierarchy", (1000,), _pose2_additive),
    "pose1_random": Case("one clip, hierarchy; another clip and time in every call", (1000,), _pose1_random),
    "skin5k": Case("skin 5,000 vertices and normals, 4 influences", (1, 10), _skin5k),
    "graph": Case("advance a graph of 2 layers, 10 states each, 8 parameters", (1000, 10_000), _graph, OWN),
    "frame": Case("mannequins: graph of 3 layers, matrices", (1, 100, 1000), _frame, OWN, threaded=True),
    "frame10k": Case("the same, 10,000", (10_000,), _frame, OWN, threaded=True),
    "frame100k": Case("the same, 100,000, matrices in blocks", (100_000,), _streamed, OWN, threaded=True),
    "frame1m": Case("the same, 1,000,000", (1_000_000,), _streamed, OWN, threaded=True, heavy=True),
    "sample1": Case("sample one clip", (1, 100, 1000, 10_000), _sample),
    "layers3": Case("blend three clips", (1, 100, 1000, 10_000), _layers3),
    "hierarchy": Case("model matrices of poses", (1, 100, 1000), _hierarchy),
    "palette": Case("skinning matrices of poses", (1, 100, 1000), _palette),
    "skin": Case("skin the vertices and normals of the mannequin", (1, 100), _skin, OWN),
    "world": Case("step a world of entities with transforms", (1, 10_000, 100_000), _world, OWN),
    "spawn": Case("spawn and despawn entities", (1, 10_000), _spawn, OWN),
    "snapshot": Case("take a snapshot of mannequins, and go back to it", (1000,), _snapshot, OWN),
    "load": Case("load the mannequin from a GLB file", (1,), _load, OWN),
    "bake": Case("bake the mannequin, not from the cache", (1,), _bake, OWN),
}
"""What can be measured, by name."""
