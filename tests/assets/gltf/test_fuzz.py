"""Whatever a file holds, it becomes a character or one SkelterError."""

from __future__ import annotations

import contextlib
import copy
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import skelter as sk
from skelter.assets.check import check_character
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


def assert_whole(character: sk.Character) -> None:
    """Assert that what was loaded would be taken from a user, too."""
    try:
        check_character(character)
    except sk.SkelterError as error:
        raise AssertionError(f"load let it pass: {error}") from error


def use(path: Path) -> None:
    """Load, pose and bake a file, which must work or be refused."""
    with contextlib.suppress(sk.SkelterError):
        character = sk.load(path)
        assert_whole(character)
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
