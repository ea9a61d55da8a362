from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import skelter as sk
from skelter.assets.names import unique_names
from skelter.core.affine import compose
from skelter.core.errors import AssetError
from skelter.engines import reference
from tests.support.gltf_builder import GltfBuilder


def load(folder: Path, *nodes: dict[str, Any], **document: Any) -> sk.Character:
    builder = GltfBuilder()
    builder.json |= {"nodes": list(nodes)} | document
    return sk.load(builder.write(folder))


def matrix_of(rows: np.ndarray) -> list[float]:
    return np.asarray(rows, float).T.ravel().tolist()


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([{"children": [0]}], r"nodes\[0\]: the node is its own ancestor"),
        ([{"children": [1]}, {"children": [2]}, {"children": [1]}], "node 1 has two parents, 0 and 2"),
        ([{"children": [1, 1]}, {}], "two parents"),
        ([{"children": [1]}], "no node 1; the file has 1"),
        ([{"children": [-1]}], "no node -1"),
        ([{"translation": [1, 2]}], r"nodes\[0\].translation: it has 2 numbers, not 3"),
        ([{"matrix": [1.0] * 15}], "15 numbers, not 16"),
        ([{"scale": [1, 1, 1e300]}], r"nodes\[0\].scale: .* not finite or beyond 1e\+18"),
        ([{"mesh": 0}], r"nodes\[0\].mesh: there is no mesh 0"),
    ],
)
def test_what_is_no_forest_is_refused(tmp_path: Path, nodes: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(AssetError, match=message):
        load(tmp_path, *nodes)


def test_too_many_nodes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(AssetError, match="70000 nodes; skelter reads up to 65536"):
        load(tmp_path, *([{}] * 70_000))


def test_a_scene_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AssetError, match="no scene 3"):
        load(tmp_path, {}, scenes=[{"nodes": [0]}], scene=3)


def test_a_file_may_be_empty(tmp_path: Path) -> None:
    assert len(load(tmp_path).nodes) == 0


def test_a_chain_may_be_deep(tmp_path: Path) -> None:
    count = 60_000
    nodes = [{"translation": [0, 1, 0], "children": [i + 1]} for i in range(count - 1)]
    character = load(tmp_path, *nodes, {})
    assert reference.pose(character, None).model_from_node[-1, 1, 3] == count - 1


@pytest.mark.parametrize(
    ("rotation", "said"),
    [([0, 0, 0, 2], "length 2"), ([0, 0, 0, 0], "zero quaternion"), ([0, 0, 0, 1.001], ""), ([0, 0, 0, 1], "")],
)
def test_rotations_are_normalised(tmp_path: Path, rotation: list[float], said: str) -> None:
    character = load(tmp_path, {"rotation": rotation})
    np.testing.assert_allclose(character.nodes.rotation, [[0, 0, 0, 1]], atol=1e-12)
    assert said in "".join(map(str, character.warnings))
    assert bool(character.warnings) == bool(said)


def test_a_matrix_wins_over_its_parts(tmp_path: Path) -> None:
    moved = np.eye(4)
    moved[:3, 3] = [1, 2, 3]
    character = load(tmp_path, {"matrix": matrix_of(moved), "translation": [9, 9, 9]})
    np.testing.assert_array_equal(character.nodes.translation, [[1, 2, 3]])
    assert "both a matrix and" in str(character.warnings[0])


@pytest.mark.parametrize(
    "scale", [(1, 1, 1), (2, 3, 4), (-1, 1, 1), (-1, -2, -3), (0, 1, 1), (0, 0, 2), (0, 0, 0), (1e-6, 1e6, 1)]
)
def test_a_matrix_is_split_into_what_gives_it_back(tmp_path: Path, scale: tuple[float, ...]) -> None:
    rotation = np.array([0.1, -0.5, 0.3, 0.8]) / np.linalg.norm([0.1, -0.5, 0.3, 0.8])
    matrix = compose(np.array([1.0, 2, 3]), rotation, np.array(scale, float))
    character = load(tmp_path, {"matrix": matrix_of(matrix)})
    nodes = character.nodes
    again = compose(nodes.translation[0], nodes.rotation[0], nodes.scale[0])
    np.testing.assert_allclose(again, matrix, atol=1e-12 * max(1, *np.abs(scale)))
    assert not character.warnings


def test_shear_is_reported(tmp_path: Path) -> None:
    sheared = np.eye(4)
    sheared[0, 1] = 0.5
    assert "has shear" in str(load(tmp_path, {"matrix": matrix_of(sheared)}).warnings[0])


@pytest.mark.parametrize(
    ("document", "visible"),
    [
        ({}, [True, True]),
        ({"scenes": [{"nodes": [0]}]}, [True, False]),
        ({"scenes": [{"nodes": [0]}, {"nodes": [1]}], "scene": 1}, [False, True]),
        ({"scenes": [{"nodes": [2]}]}, [False, True]),
    ],
)
def test_the_default_scene_decides_what_is_visible(
    tmp_path: Path, document: dict[str, Any], visible: list[bool]
) -> None:
    builder = GltfBuilder()
    builder.triangle()
    builder.json |= {"nodes": [{"mesh": 0}, {"mesh": 0}, {"children": [1]}]} | document
    character = sk.load(builder.write(tmp_path))
    assert [instance.visible for instance in character.instances] == visible


def test_names_are_made_unique() -> None:
    names = ["a", "", "a", "a_2", "a", "node_1", ""]
    assert unique_names(names, "node") == ["a", "node_1_2", "a_3", "a_2", "a_4", "node_1", "node_6"]


@given(st.lists(st.sampled_from(["", "a", "a_2", "a_3", "node_0", "node_1", "b"]), max_size=30))
def test_unique_names_are_unique_and_keep_what_was_unique(names: list[str]) -> None:
    unique = unique_names(names, "node")
    assert len(set(unique)) == len(names) == len(unique)
    assert all(name == given for given, name in zip(names, unique, strict=True) if given and names.count(given) == 1)
