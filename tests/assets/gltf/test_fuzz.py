"""Whatever a file holds, it becomes a character or one SkelterError."""

from __future__ import annotations

import contextlib
import copy
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import skelter as sk
from skelter.engines import reference
from skelter.export.gltf import glb_bytes
from skelter.testing.rigs import random_character
from tests.support.gltf_builder import GltfBuilder

STRANGE = (-1, 0, 1, 3, 255, 65_535, 1 << 31, 1 << 62, 1e300, -0.5, None, True, "", "x", [], {}, [0], [None], {"a": 1})


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of all values inside a JSON document."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path] * bool(path) + [found for key, inner in items for found in places(inner, (*path, key))]


def mutated(document: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """Return the document with one to three values replaced, deleted or swapped."""
    changed = copy.deepcopy(document)
    for _ in range(chance.randint(1, 3)):
        *way, last = chance.choice(places(changed))
        holder = changed
        for key in way:
            holder = holder[key]
        if chance.random() < 0.2:
            del holder[last]
        else:
            holder[last] = copy.deepcopy(chance.choice(STRANGE))
    return changed


def use(path: Path) -> None:
    """Load, pose and bake a file, which must work or be refused."""
    with contextlib.suppress(sk.SkelterError):
        character = sk.load(path)
        for index, clip in enumerate(character.clips):
            pose = reference.pose(character, index, clip.duration / 3)
            assert np.isfinite(pose.model_from_node).all()
        if len(character.nodes):
            rig = sk.bake(character, cache=False)
            assert all(np.isfinite(array).all() for array in rig.arrays() if array.dtype.kind == "f")


def small_document() -> tuple[dict[str, Any], bytes]:
    data = glb_bytes(random_character(4, 2, 1, vertex_count=12, target_count=2, duration=0.1))
    length = int.from_bytes(data[12:16], "little")
    return json.loads(data[20 : 20 + length]), data[28 + length :]


@pytest.mark.parametrize("seed", range(300))
def test_a_document_with_strange_values(seed: int, tmp_path: Path) -> None:
    document, binary = small_document()
    builder = GltfBuilder()
    builder.json = mutated(document, random.Random(seed))
    builder.extend(binary)
    use(builder.write(tmp_path))


@pytest.mark.parametrize("seed", range(100))
def test_a_file_with_flipped_bytes(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    data = bytearray(glb_bytes(random_character(4, 2, 1, vertex_count=12, target_count=2, duration=0.1)))
    for _ in range(chance.randint(1, 8)):
        data[chance.randrange(len(data))] = chance.randrange(256)
    path = tmp_path / "flipped.glb"
    path.write_bytes(data)
    use(path)


def bomb(name: str) -> GltfBuilder:
    """Return a small document that claims to be large."""
    builder = GltfBuilder()
    position = builder.accessor(np.zeros((200_000, 3)))
    primitive: dict[str, Any] = {"attributes": {"POSITION": position}}
    builder.json |= {"nodes": [{"mesh": 0}], "meshes": [{"primitives": [primitive]}]}
    if name == "primitives":
        builder.json["meshes"][0]["primitives"] *= 50_000
    elif name == "targets":
        primitive["targets"] = [{"POSITION": position}] * 4_000
    elif name == "instances":
        builder.json["nodes"] *= 60_000
    elif name == "sparse":
        view = builder.view(b"\0" * 16)
        indices = {"bufferView": view, "componentType": 5125}
        sparse = {"count": 1 << 40, "indices": indices, "values": {"bufferView": view}}
        builder.add("accessors", {"componentType": 5126, "count": 1 << 41, "type": "VEC3", "sparse": sparse})
        primitive["attributes"]["NORMAL"] = 1
    elif name == "buffer":
        builder.json["buffers"] = [{"byteLength": 1 << 60}]
    elif name == "meshopt":
        packed = {"buffer": 0, "byteLength": 16, "byteStride": 4, "count": 1 << 30, "mode": "ATTRIBUTES"}
        view = {"buffer": 0, "byteLength": 1 << 32, "extensions": {"EXT_meshopt_compression": packed}}
        index = builder.add("bufferViews", view)
        entry = {"bufferView": index, "componentType": 5121, "count": 1 << 30, "type": "VEC4"}
        primitive["attributes"]["JOINTS_0"] = builder.add("accessors", entry)
        primitive["attributes"]["WEIGHTS_0"] = primitive["attributes"]["JOINTS_0"]
    elif name == "long clip":
        builder.clip(0, "translation", [0, 1e12], [[0, 0, 0], [1, 1, 1]])
    elif name == "images":
        builder.json["images"] = [{"bufferView": 0}] * 400_000
    return builder


BOMBS = ("primitives", "targets", "instances", "sparse", "buffer", "meshopt", "long clip", "images")
SCRIPT = """
import resource, sys
import skelter as sk
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
try:
    sk.load(sys.argv[1])
except sk.SkelterError as error:
    print(error)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is measured as Linux does")
@pytest.mark.parametrize("name", BOMBS)
def test_a_file_that_claims_to_be_large_stays_small(name: str, tmp_path: Path) -> None:
    path = bomb(name).write(tmp_path)
    done = subprocess.run([sys.executable, "-c", SCRIPT, str(path)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout.splitlines()[-1]) < 500.0  # [MB]


@pytest.mark.parametrize("name", ["instances", "long clip"])
def test_what_loads_but_is_too_large_to_bake_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(sk.SkelterError, match=r"too many|more than can be baked|far more data"):
        sk.bake(bomb(name).write(tmp_path), cache=False)
