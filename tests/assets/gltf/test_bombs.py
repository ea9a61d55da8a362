"""Small files that claim, or share, more than memory and time allow."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import skelter as sk
from skelter.core.errors import BakeError
from tests.support.gltf_builder import GltfBuilder

SCRIPT = """
import re, resource, sys
import skelter as sk
resource.setrlimit(resource.RLIMIT_AS, (1200 << 20, 1200 << 20))
resource.setrlimit(resource.RLIMIT_CPU, (20, 20))  # so that what hangs ends
try:
    sk.load(sys.argv[1])
except sk.SkelterError as error:
    print(error)
status = open("/proc/self/status").read()
print(int(re.search(r"VmHWM:\\s+(\\d+)", status)[1]) / 1024)
"""
MEGABYTES_MAX = 500.0
SAME = [[0.0, 0.0, 0.0]] * 2

Bomb = Callable[[GltfBuilder], Any]


def empty(builder: GltfBuilder, count: int, kind: str = "VEC3", component: int = 5126, **entry: Any) -> int:
    """Append an accessor without data."""
    return builder.add("accessors", {"componentType": component, "count": count, "type": kind} | entry)


def sparse(view: int, count: int) -> dict[str, Any]:
    return {"count": count, "indices": {"bufferView": view, "componentType": 5125}, "values": {"bufferView": view}}


def mesh(builder: GltfBuilder, position: int, **primitive: Any) -> None:
    builder.add("meshes", {"primitives": [{"attributes": {"POSITION": position}, **primitive}]})
    builder.json["nodes"] = [{"mesh": 0}]


def primitives_of_one_accessor(builder: GltfBuilder) -> None:
    mesh(builder, builder.accessor(np.zeros((200_000, 3))))
    builder.json["meshes"][0]["primitives"] *= 50_000


def primitives_without_anything(builder: GltfBuilder) -> None:
    builder.json["meshes"] = [{"primitives": [{}] * 400_000}]


def colours_of_points(builder: GltfBuilder) -> None:
    colors = {"COLOR_0": empty(builder, 1_000_000, "VEC4", 5121)}
    mesh(builder, empty(builder, 1_000_000, component=5121), mode=0)
    builder.json["meshes"][0]["primitives"][0]["attributes"] |= colors
    builder.json["meshes"][0]["primitives"] *= 1_000


def targets_of_one_accessor(builder: GltfBuilder) -> None:
    position = builder.accessor(np.zeros((200_000, 3)))
    mesh(builder, position, targets=[{"POSITION": position}] * 4_000)


def influence_sets_of_one_accessor(builder: GltfBuilder) -> None:
    shared = empty(builder, 1_000_000, "VEC4", 5121)
    mesh(builder, empty(builder, 1_000_000, component=5121))
    sets = {f"{name}_{number}": shared for number in range(200) for name in ("JOINTS", "WEIGHTS")}
    builder.json["meshes"][0]["primitives"][0]["attributes"] |= sets


def default_weights_of_many_instances(builder: GltfBuilder) -> None:
    mesh(builder, builder.accessor([[0, 0, 0]]), targets=[{}] * 4_096)
    builder.json["nodes"] *= 60_000


def skinned_instances_of_many_primitives(builder: GltfBuilder) -> None:
    builder.json |= {"meshes": [{"primitives": [{}] * 60_000}], "skins": [{"joints": [0]}]}
    builder.json["nodes"] = [{"mesh": 0, "skin": 0}] * 60_000


def skins_at_the_end_of_a_chain(builder: GltfBuilder) -> None:
    builder.json["nodes"] = [{"children": [index + 1]} for index in range(60_000)] + [{}]
    builder.json["skins"] = [{"joints": [60_000], "skeleton": 30_000}] * 60_000


def inverse_binds_of_many_skins(builder: GltfBuilder) -> None:
    matrices = empty(builder, 900_000, "MAT4", sparse=sparse(builder.view(bytes(64)), 1))
    builder.json |= {"nodes": [{}], "skins": [{"joints": [0], "inverseBindMatrices": matrices}] * 50_000}


def skins_of_many_sizes_of_one_mesh(builder: GltfBuilder) -> None:
    mesh(builder, empty(builder, 300_000, component=5121))
    joints = builder.accessor(np.tile([255, 0, 0, 0], (300_000, 1)), "u1")
    influences = {"JOINTS_0": joints, "WEIGHTS_0": empty(builder, 300_000, "VEC4", 5121)}
    builder.json["meshes"][0]["primitives"][0]["attributes"] |= influences
    builder.json["skins"] = [{"joints": list(range(count))} for count in range(1, 201)]
    builder.json["nodes"] = [{"mesh": 0, "skin": index} for index in range(200)]


def skins_of_many_sizes_without_a_need(builder: GltfBuilder) -> None:
    mesh(builder, empty(builder, 1_000_000, component=5121))
    shared = empty(builder, 1_000_000, "VEC4", 5121)
    builder.json["meshes"][0]["primitives"][0]["attributes"] |= {"JOINTS_0": shared, "WEIGHTS_0": shared}
    builder.json["skins"] = [{"joints": list(range(count))} for count in range(1, 1_001)]
    builder.json["nodes"] = [{"mesh": 0, "skin": index} for index in range(1_000)]


def channels_of_one_sampler(builder: GltfBuilder) -> None:
    values = builder.accessor(np.tile([0, 0, 0, 127], (300_000, 1)), "i1", normalized=True)
    sampler = {"input": builder.accessor(np.arange(300_000) + 1.0), "output": values}
    channels = [{"sampler": 0, "target": {"node": node, "path": "rotation"}} for node in range(60_000)]
    builder.json |= {"nodes": [{}] * 60_000, "animations": [{"samplers": [sampler], "channels": channels}]}


def samplers_of_two_accessors(builder: GltfBuilder) -> None:
    inputs = [builder.accessor(np.arange(1_000) + first) for first in range(100)]
    outputs = [builder.accessor(np.ones((1_000, 4)), "i1", normalized=True) for _ in range(1_000)]
    samplers = [{"input": times, "output": values} for times in inputs for values in outputs]
    channels = [{"sampler": node, "target": {"node": node, "path": "rotation"}} for node in range(60_000)]
    builder.json |= {"nodes": [{}] * 60_000, "animations": [{"samplers": samplers, "channels": channels}]}


def pointers_to_a_shared_mesh(builder: GltfBuilder) -> None:
    position = builder.accessor([[0, 0, 0]])
    mesh(builder, position, targets=[{"POSITION": position}])
    builder.json["nodes"] *= 60_000
    target = {"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": "/meshes/0/weights"}}}
    sampler = {"input": builder.accessor([0, 1]), "output": builder.accessor([0, 1])}
    channels = [{"sampler": 0, "target": target}] * 20_000
    builder.json["animations"] = [{"samplers": [sampler], "channels": channels}]


def keys_at_one_time(builder: GltfBuilder) -> None:
    builder.json["nodes"] = [{}]
    builder.clip(0, "scale", np.zeros(2_000_000), SAME)
    values = builder.accessor(np.zeros((2_000_000, 3)), "i1", normalized=True)
    builder.json["animations"][0]["samplers"][0]["output"] = values


def accessors_without_data(builder: GltfBuilder) -> None:
    accessors = [empty(builder, 1 << 20) for _ in range(10_000)]
    builder.json["meshes"] = [{"primitives": [{"attributes": {"POSITION": index}} for index in accessors]}]


def sparse_accessors(builder: GltfBuilder) -> None:
    replaced = sparse(builder.view(bytes(16)), 1)
    accessors = [empty(builder, 1 << 20, sparse=replaced) for _ in range(10_000)]
    builder.json["meshes"] = [{"primitives": [{"attributes": {"POSITION": index}} for index in accessors]}]


def count_of_a_sparse_accessor(builder: GltfBuilder) -> None:
    mesh(builder, empty(builder, 1 << 41, sparse=sparse(builder.view(bytes(16)), 1 << 40)))


def length_of_a_buffer(builder: GltfBuilder) -> None:
    mesh(builder, builder.accessor(SAME))
    builder.json["buffers"] = [{"byteLength": 1 << 60}]


def stride_of_a_view(builder: GltfBuilder) -> None:
    mesh(builder, builder.accessor(SAME))
    builder.json["bufferViews"][0]["byteStride"] = 1 << 70


def meshopt(builder: GltfBuilder, count: int, length: int) -> int:
    packed = {"buffer": 0, "byteLength": length, "byteStride": 4, "count": count, "mode": "ATTRIBUTES"}
    view = {"buffer": 0, "byteLength": 1 << 40, "extensions": {"EXT_meshopt_compression": packed}}
    return builder.add("bufferViews", view)


def count_of_a_meshopt_view(builder: GltfBuilder) -> None:
    builder.view(b"\xa0" + bytes(100))
    mesh(builder, empty(builder, 1 << 30, "VEC3", 5121, bufferView=meshopt(builder, 1 << 30, 16)))


def pictures_of_one_view(builder: GltfBuilder) -> None:
    builder.json["images"] = [{"bufferView": builder.view(bytes(5_000_000))}] * 1_000


def pictures_that_are_not_there(builder: GltfBuilder) -> None:
    builder.json["images"] = [{"uri": f"{index}.png"} for index in range(200_000)]


def names(builder: GltfBuilder) -> None:
    builder.json["nodes"] = [{"name": "x" * 1_000_000}] * 20


def nodes(builder: GltfBuilder) -> None:
    builder.json["nodes"] = [{}] * 400_000


def numbers(builder: GltfBuilder) -> None:
    builder.json["nodes"] = [{"weights": [0.5] * 4_000_000}]


def extras(builder: GltfBuilder) -> None:
    builder.json["meshes"] = [{"extras": {f"_{index}": f"{index}" for index in range(1_900_000)}}]


BOMBS: tuple[Bomb, ...] = (
    primitives_of_one_accessor,
    primitives_without_anything,
    colours_of_points,
    targets_of_one_accessor,
    influence_sets_of_one_accessor,
    default_weights_of_many_instances,
    skinned_instances_of_many_primitives,
    skins_at_the_end_of_a_chain,
    inverse_binds_of_many_skins,
    skins_of_many_sizes_of_one_mesh,
    skins_of_many_sizes_without_a_need,
    channels_of_one_sampler,
    samplers_of_two_accessors,
    pointers_to_a_shared_mesh,
    keys_at_one_time,
    accessors_without_data,
    sparse_accessors,
    count_of_a_sparse_accessor,
    length_of_a_buffer,
    stride_of_a_view,
    count_of_a_meshopt_view,
    pictures_of_one_view,
    pictures_that_are_not_there,
    names,
    nodes,
    numbers,
    extras,
)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured as Linux does")
@pytest.mark.parametrize("bomb", BOMBS, ids=lambda bomb: bomb.__name__)
def test_a_file_that_claims_to_be_large_stays_small(bomb: Bomb, tmp_path: Path) -> None:
    builder = GltfBuilder()
    bomb(builder)
    path = builder.write(tmp_path)
    done = subprocess.run([sys.executable, "-c", SCRIPT, str(path)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-500:]
    assert float(done.stdout.splitlines()[-1]) < MEGABYTES_MAX


def joints(builder: GltfBuilder) -> None:
    builder.json["nodes"] = [{"children": [index + 1]} for index in range(20_000)] + [{}]


def vertices(builder: GltfBuilder) -> None:
    mesh(builder, empty(builder, 500_000))
    builder.json["nodes"] *= 8_000


def influences(builder: GltfBuilder) -> None:
    sets = {
        f"{name}_{number}": empty(builder, 1, "VEC4", 5121) for number in range(200) for name in ("JOINTS", "WEIGHTS")
    }
    position = {"POSITION": empty(builder, 1)}
    several = [{"attributes": position | sets}, {"attributes": {"POSITION": empty(builder, 100_000)}}]
    builder.json |= {"meshes": [{"primitives": several}], "nodes": [{"mesh": 0, "skin": 0}], "skins": [{"joints": [0]}]}


def morph_targets(builder: GltfBuilder) -> None:
    position = builder.accessor(np.ones((5_000, 3)))
    mesh(builder, position, targets=[{"POSITION": position}] * 100)
    builder.json["nodes"] *= 100


def a_long_clip(builder: GltfBuilder) -> None:
    builder.json["nodes"] = [{}]
    builder.clip(0, "translation", [0, 1e9], [[0, 0, 0], [1, 1, 1]])


def many_keys(builder: GltfBuilder) -> None:
    builder.json["nodes"] = [{}] * 2_000
    values = builder.accessor(np.zeros((20_000, 3)), "i1", normalized=True)
    sampler = {"input": builder.accessor(np.arange(20_000) / 1e4), "output": values}
    channels = [{"sampler": 0, "target": {"node": node, "path": "scale"}} for node in range(2_000)]
    builder.json["animations"] = [{"samplers": [sampler], "channels": channels}]


@pytest.mark.parametrize(
    ("bomb", "message"),
    [
        (joints, "20001 joints are too many"),
        (vertices, "vertices of all mesh instances are too many"),
        (influences, "with up to 800 influences"),
        (morph_targets, "morph targets of all mesh instances are too many"),
        (a_long_clip, r"lasts 1e\+09 s, which at 15 Hz is more than can be baked"),
        (many_keys, "has 160000000 key times and values"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_loads_but_is_too_large_to_bake_is_refused(
    bomb: Bomb, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("skelter.baking.morphs.MORPH_BYTES_MAX", 1 << 26)
    builder = GltfBuilder()
    bomb(builder)
    with pytest.raises(BakeError, match=message):
        sk.bake(builder.write(tmp_path), cache=False)


def test_clips_that_are_too_large_together_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skelter.baking.clips.BANK_BYTES_MAX", 1 << 20)
    builder = GltfBuilder()
    builder.json["nodes"] = [{}]
    for end in range(100, 110):
        builder.clip(0, "translation", [0, end], [[0, 0, 0], [1, 1, 1]])
    with pytest.raises(BakeError, match=r"the first [0-9] of 10 clips take more than 1 MB"):
        sk.bake(builder.write(tmp_path), cache=False)
