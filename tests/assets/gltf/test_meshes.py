from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import skelter as sk
from skelter.assets.character import Primitive
from skelter.core.errors import AssetError
from tests.support.gltf_builder import GltfBuilder

SQUARE = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]


def square(**primitive: Any) -> GltfBuilder:
    """Return a document with a mesh of four vertices at a node."""
    builder = GltfBuilder()
    builder.json["nodes"] = [{"mesh": 0}]
    attributes = {"POSITION": builder.accessor(SQUARE)} | primitive.pop("attributes", {})
    builder.json["meshes"] = [{"primitives": [{"attributes": attributes} | primitive]}]
    return builder


def skinned(joints: Any, weights: Any, joint_count: int = 3, kind: str = "u1", **weight: Any) -> GltfBuilder:
    """Return the same with influences and a skin; more than four influences become several sets."""
    builder = square()
    attributes = builder.json["meshes"][0]["primitives"][0]["attributes"]
    joints, weights = np.asarray(joints), np.asarray(weights)
    for number in range(joints.shape[1] // 4):
        columns = slice(4 * number, 4 * number + 4)
        attributes[f"JOINTS_{number}"] = builder.accessor(joints[:, columns], kind)
        attributes[f"WEIGHTS_{number}"] = builder.accessor(weights[:, columns], **({"dtype": "f4"} | weight))
    builder.json["skins"] = [{"joints": list(range(1, joint_count + 1))}]
    builder.json["nodes"] = [{"mesh": 0, "skin": 0, "children": [*range(1, joint_count + 1)]}, *([{}] * joint_count)]
    builder.json["meshes"][0]["primitives"][0]["indices"] = builder.accessor([0, 1, 2], "u1")
    return builder


def primitive_of(builder: GltfBuilder, folder: Path) -> tuple[Primitive, str]:
    character = sk.load(builder.write(folder))
    return character.meshes[0].primitives[0], "; ".join(map(str, character.warnings))


# invalid input


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"indices": 0}, "needs SCALAR"),
        ({"mode": 9}, "no mode 9"),
        ({"material": 0}, "no material 0"),
        ({"attributes": {"POSITION": 5}}, "no accessor 5"),
        ({"targets": [{"POSITION": 3}]}, "no accessor 3"),
    ],
)
def test_references_to_nothing_are_refused(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    builder = square()
    builder.json["meshes"][0]["primitives"][0] |= change
    with pytest.raises(AssetError, match=message) as error:
        primitive_of(builder, tmp_path)
    assert "meshes[0].primitives[0]" in str(error.value) or "accessor" in str(error.value)


def test_an_index_past_the_last_vertex_is_refused(tmp_path: Path) -> None:
    builder = square()
    builder.json["meshes"][0]["primitives"][0]["indices"] = builder.accessor([0, 1, 4], "u2")
    with pytest.raises(AssetError, match=r"primitives\[0\].indices: index 4 is past the 4 vertices"):
        primitive_of(builder, tmp_path)


def test_attributes_of_other_lengths_are_refused(tmp_path: Path) -> None:
    builder = square()
    builder.json["meshes"][0]["primitives"][0]["attributes"]["NORMAL"] = builder.accessor(np.ones((3, 3)))
    with pytest.raises(AssetError, match="NORMAL: it has 3 elements, the other attributes 4"):
        primitive_of(builder, tmp_path)


@pytest.mark.parametrize("name", ["POSITION", "NORMAL"])
def test_a_vertex_that_is_not_finite_is_refused(tmp_path: Path, name: str) -> None:
    builder = square()
    bad = np.array(SQUARE, float)
    bad[2, 1] = np.inf
    builder.json["meshes"][0]["primitives"][0]["attributes"][name] = builder.accessor(bad)
    with pytest.raises(AssetError, match="element 2 is not finite"):
        primitive_of(builder, tmp_path)


def test_joints_without_weights_are_refused(tmp_path: Path) -> None:
    builder = skinned([[0] * 4] * 4, [[1, 0, 0, 0]] * 4)
    del builder.json["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"]
    with pytest.raises(AssetError, match="JOINTS_0 has no WEIGHTS_0"):
        primitive_of(builder, tmp_path)


@pytest.mark.parametrize(
    ("skin", "message"),
    [
        ({"joints": []}, "no joints"),
        ({"joints": [9]}, "no node 9"),
        ({"joints": [1, 2, 3], "inverseBindMatrices": 9}, "no accessor 9"),
    ],
)
def test_a_broken_skin_is_refused(tmp_path: Path, skin: dict[str, Any], message: str) -> None:
    builder = skinned([[0] * 4] * 4, [[1, 0, 0, 0]] * 4)
    builder.json["skins"] = [skin]
    with pytest.raises(AssetError, match=r"skins\[0\].*" + message):
        primitive_of(builder, tmp_path)


def test_too_few_inverse_bind_matrices_are_refused(tmp_path: Path) -> None:
    builder = skinned([[0] * 4] * 4, [[1, 0, 0, 0]] * 4)
    builder.json["skins"][0]["inverseBindMatrices"] = builder.accessor(np.tile(np.eye(4).ravel(), (2, 1)))
    with pytest.raises(AssetError, match="2 matrices for 3 joints"):
        primitive_of(builder, tmp_path)


def test_influences_of_joints_that_are_not_there_are_taken_out(tmp_path: Path) -> None:
    builder = skinned([[60_000, 1, 2, 0]] * 4, [[0.5, 0.25, 0.25, 0]] * 4, kind="u2")
    primitive, said = primitive_of(builder, tmp_path)
    np.testing.assert_array_equal(primitive.joints[0], [0, 1, 2, 0])
    np.testing.assert_array_equal(primitive.weights[0], [0, 0.5, 0.5, 0])
    assert "vertex 0 uses joint 60000 of 3 (4 such influences in all)" in said


@pytest.mark.parametrize("joint", [0.5, 1e30, np.inf, np.nan])
def test_joints_that_are_no_whole_numbers_are_refused(tmp_path: Path, joint: float) -> None:
    with pytest.raises(AssetError, match=r"JOINTS_0: joint indices must be whole numbers"):
        primitive_of(skinned([[joint, 0, 0, 0]] * 4, [[1, 0, 0, 0]] * 4, kind="f4"), tmp_path)


@pytest.mark.parametrize(("kind", "joint"), [("u4", (1 << 32) - 1), ("u4", 1 << 31), ("i2", -1), ("f4", 1e15)])
def test_joints_of_any_component_type_that_are_not_there(tmp_path: Path, kind: str, joint: float) -> None:
    primitive, said = primitive_of(skinned([[joint, 1, 0, 0]] * 4, [[0.5, 0.5, 0, 0]] * 4, kind=kind), tmp_path)
    np.testing.assert_array_equal(primitive.joints, [[0, 1, 0, 0]] * 4)
    np.testing.assert_array_equal(primitive.weights, [[0, 1, 0, 0]] * 4)
    assert "such influences in all" in said


def test_a_mesh_of_two_skins_loses_nothing_for_the_larger_one(tmp_path: Path) -> None:
    builder = skinned([[2, 0, 0, 0]] * 4, [[1, 0, 0, 0]] * 4)
    builder.json["skins"].append({"joints": [1]})
    builder.json["nodes"].append({"mesh": 0, "skin": 1})
    character = sk.load(builder.write(tmp_path))
    large, small = (character.meshes[instance.mesh].primitives[0] for instance in character.instances)
    np.testing.assert_array_equal(large.joints[:, 0], [2] * 4)
    np.testing.assert_array_equal(small.joints[:, 0], [0] * 4)
    assert "uses joint 2 of 1" in "; ".join(map(str, character.warnings))


# degenerate


def test_a_primitive_without_positions_is_skipped(tmp_path: Path) -> None:
    builder = square()
    del builder.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"]
    primitive, said = primitive_of(builder, tmp_path)
    assert len(primitive.positions) == 0
    assert "no POSITION" in said


@pytest.mark.parametrize("mode", [0, 1, 2, 3])
def test_points_and_lines_have_no_triangles(tmp_path: Path, mode: int) -> None:
    primitive, said = primitive_of(square(mode=mode), tmp_path)
    assert primitive.triangles.shape == (0, 3)
    assert "not drawn" in said


def test_vertices_without_weight_follow_their_first_joint(tmp_path: Path) -> None:
    primitive, said = primitive_of(skinned([[2, 1, 0, 0]] * 4, [[0, 0, 0, 0]] * 4), tmp_path)
    np.testing.assert_array_equal(primitive.weights, [[1, 0, 0, 0]] * 4)
    assert "4 vertices have no weight" in said


def test_unused_joints_out_of_range_do_no_harm(tmp_path: Path) -> None:
    primitive, said = primitive_of(skinned([[1, 200, 200, 200]] * 4, [[1, 0, 0, 0]] * 4), tmp_path)
    np.testing.assert_array_equal(primitive.joints, [[1, 0, 0, 0]] * 4)
    assert said == ""


def test_a_skin_without_matrices_has_the_identity(tmp_path: Path) -> None:
    character = sk.load(skinned([[0] * 4] * 4, [[1, 0, 0, 0]] * 4).write(tmp_path))
    np.testing.assert_array_equal(character.skins[0].joint_from_bind, np.tile(np.eye(4), (3, 1, 1)))


# known values


@pytest.mark.parametrize(
    ("mode", "triangles"),
    [(4, [[0, 1, 2]]), (5, [[0, 1, 2], [2, 1, 3]]), (6, [[0, 1, 2], [0, 2, 3]])],
)
@pytest.mark.parametrize("kind", ["", "u1", "u2", "u4"])
def test_triangles_of_every_mode(tmp_path: Path, mode: int, triangles: list[list[int]], kind: str) -> None:
    builder = square(mode=mode)
    if kind:
        builder.json["meshes"][0]["primitives"][0]["indices"] = builder.accessor([0, 1, 2, 3], kind)
    primitive, said = primitive_of(builder, tmp_path)
    np.testing.assert_array_equal(primitive.triangles, triangles)
    assert ("no whole number" in said) == (mode == 4)


def test_all_sets_of_influences_count_together(tmp_path: Path) -> None:
    weights = np.array([[0.1, 0.2, 0.0, 0.0, 0.3, 0.1, 0.0, 0.0, 0.05, 0.25, 0.0, 0.0]] * 4)
    primitive, said = primitive_of(skinned(np.arange(12)[None].repeat(4, 0), weights, joint_count=12), tmp_path)
    assert primitive.joints.shape == (4, 12)
    np.testing.assert_allclose(primitive.weights, weights, atol=1e-7)
    assert said == ""


@pytest.mark.parametrize(
    ("dtype", "scale", "warned"), [("f4", 1.0, False), ("f4", 0.9, True), ("u1", 255, False), ("u2", 65535, False)]
)
def test_weights_sum_to_1(tmp_path: Path, dtype: str, scale: float, warned: bool) -> None:
    weights = np.array([[0.5, 0.25, 0.25, 0]] * 4) * scale
    entry = {"dtype": dtype} | ({} if dtype == "f4" else {"normalized": True})
    stored = weights if dtype == "f4" else np.rint(weights)
    primitive, said = primitive_of(skinned([[0, 1, 2, 0]] * 4, stored, **entry), tmp_path)
    np.testing.assert_allclose(primitive.weights.sum(axis=1), 1, atol=1e-7)
    np.testing.assert_allclose(primitive.weights, [[0.5, 0.25, 0.25, 0]] * 4, atol=4e-3)
    assert ("do not sum to 1" in said) == warned


def test_negative_weights_are_taken_as_0(tmp_path: Path) -> None:
    primitive, said = primitive_of(skinned([[0, 1, 2, 0]] * 4, [[1.5, -0.5, 0, 0]] * 4), tmp_path)
    np.testing.assert_array_equal(primitive.weights, [[1, 0, 0, 0]] * 4)
    assert "negative" in said


def test_morph_targets_that_a_primitive_lacks_do_not_move(tmp_path: Path) -> None:
    builder = square()
    mesh = builder.json["meshes"][0]
    delta = builder.accessor(np.ones((4, 3)))
    zero = builder.add("accessors", {"componentType": 5126, "count": 4, "type": "VEC3"})
    mesh["primitives"].append({"attributes": mesh["primitives"][0]["attributes"]})
    mesh["primitives"][0]["targets"] = [{"POSITION": delta, "NORMAL": delta}, {"POSITION": zero}, {}]
    mesh |= {"weights": [0.5, 0.25, 0.125], "extras": {"targetNames": ["smile", "frown"]}}
    character = sk.load(builder.write(tmp_path))
    first, second = character.meshes[0].primitives
    assert character.meshes[0].target_names == ["smile", "frown", "target_2"]
    np.testing.assert_array_equal(first.morph_positions.sum(axis=(1, 2)), [12, 0, 0])
    assert first.morph_normals is not None
    assert second.morph_positions.shape == (3, 4, 3)
    assert not second.morph_positions.any()
    np.testing.assert_array_equal(character.instances[0].weights, [0.5, 0.25, 0.125])


@pytest.mark.parametrize(
    ("node", "expected"), [({}, [0.5, 0.25]), ({"weights": [1, 0]}, [1, 0]), ({"weights": [1]}, [1, 0])]
)
def test_weights_of_a_node_win_over_those_of_its_mesh(
    tmp_path: Path, node: dict[str, Any], expected: list[float]
) -> None:
    builder = square()
    delta = builder.accessor(np.ones((4, 3)))
    builder.json["meshes"][0]["primitives"][0]["targets"] = [{"POSITION": delta}] * 2
    builder.json["meshes"][0]["weights"] = [0.5, 0.25]
    builder.json["nodes"][0] |= node
    character = sk.load(builder.write(tmp_path))
    np.testing.assert_array_equal(character.instances[0].weights, expected)


def test_colors_and_quantised_positions(tmp_path: Path) -> None:
    builder = square()
    attributes = builder.json["meshes"][0]["primitives"][0]["attributes"]
    attributes["POSITION"] = builder.accessor(np.array(SQUARE) * 1000, "i2")
    attributes["COLOR_0"] = builder.accessor([[255, 0, 51]] * 4, "u1", normalized=True)
    builder.json |= {"extensionsRequired": ["KHR_mesh_quantization"]}
    primitive, _ = primitive_of(builder, tmp_path)
    np.testing.assert_array_equal(primitive.positions, np.array(SQUARE) * 1000)
    assert primitive.colors is not None
    np.testing.assert_allclose(primitive.colors[0], [1, 0, 0.2, 1])


def test_inverse_binds_are_read_by_columns(tmp_path: Path) -> None:
    builder = skinned([[0] * 4] * 4, [[1, 0, 0, 0]] * 4)
    matrices = np.tile(np.eye(4), (4, 1, 1))
    matrices[:, :3, 3] = [1, 2, 3]
    matrices[1, 3, 3] = 2
    columns = matrices.transpose(0, 2, 1).reshape(4, 16)
    builder.json["skins"][0]["inverseBindMatrices"] = builder.accessor(columns)
    character = sk.load(builder.write(tmp_path))
    np.testing.assert_array_equal(character.skins[0].joint_from_bind[:, :3, 3], [[1, 2, 3]] * 3)
    np.testing.assert_array_equal(character.skins[0].joint_from_bind[:, 3], [[0, 0, 0, 1]] * 3)
    said = "; ".join(map(str, character.warnings))
    assert "4 matrices for 3 joints" in said
    assert "last row" in said


def test_inverse_binds_that_are_not_finite_are_the_identity(tmp_path: Path) -> None:
    builder = skinned([[0] * 4] * 4, [[1, 0, 0, 0]] * 4)
    matrices = np.tile(np.eye(4).ravel() * 2, (3, 1))
    matrices[1, 5] = np.nan
    builder.json["skins"][0]["inverseBindMatrices"] = builder.accessor(matrices)
    character = sk.load(builder.write(tmp_path))
    np.testing.assert_array_equal(character.skins[0].joint_from_bind[:, 0, 0], [2, 1, 2])
    assert "1 matrices are not finite" in str(character.warnings[0])


@pytest.mark.parametrize(
    ("skin", "said"),
    [
        ({"joints": [1, 2], "skeleton": 3}, "node 3 is no common root"),
        ({"joints": [1, 2], "skeleton": 99}, "no node 99"),
        ({"joints": [1, 3]}, "no common root"),
        ({"joints": [1, 2], "skeleton": 1}, ""),
        ({"joints": [1, 2]}, ""),
    ],
)
def test_the_skeleton_property_does_not_matter(tmp_path: Path, skin: dict[str, Any], said: str) -> None:
    builder = skinned([[0, 1, 0, 0]] * 4, [[0.5, 0.5, 0, 0]] * 4)
    builder.json["nodes"] = [{"mesh": 0, "skin": 0}, {"children": [2]}, {}, {}]
    builder.json["skins"] = [skin]
    _, found = primitive_of(builder, tmp_path)
    assert said in found
    assert bool(found) == bool(said)


def test_materials_as_far_as_a_picture_needs_them(tmp_path: Path) -> None:
    builder = square(material=0)
    builder.json["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_1"] = builder.accessor(np.full((4, 2), 0.5))
    transform = {"offset": [0.1, 0.2], "scale": [2, 3], "rotation": 0.5, "texCoord": 1}
    texture = {"index": 0, "extensions": {"KHR_texture_transform": transform}}
    builder.json |= {
        "materials": [
            {
                "name": "cloth",
                "pbrMetallicRoughness": {"baseColorFactor": [0.1, 0.2, 0.3, 0.4], "baseColorTexture": texture},
                "alphaMode": "MASK",
                "alphaCutoff": 0.25,
                "doubleSided": True,
                "extensions": {"KHR_materials_unlit": {}},
            }
        ],
        "textures": [{"source": 0}],
        "images": [{"uri": "gone.png"}],
    }
    character = sk.load(builder.write(tmp_path))
    material = character.materials[0]
    assert (material.name, material.base_color, material.base_color_image) == ("cloth", (0.1, 0.2, 0.3, 0.4), 0)
    assert (material.alpha_mode, material.alpha_cutoff) == ("MASK", 0.25)
    assert material.double_sided
    assert material.unlit
    assert (material.uv_offset, material.uv_scale, material.uv_rotation) == ((0.1, 0.2), (2.0, 3.0), 0.5)
    assert character.meshes[0].primitives[0].uvs is not None
    assert character.images[0].data == b""
    assert "images[0]: the image cannot be read" in str(character.warnings[-1])


def test_factors_of_textures_that_are_not_read_do_not_count(tmp_path: Path) -> None:
    builder = square(material=0)
    texture = {"index": 0}
    shading = {"metallicFactor": 1.0, "roughnessFactor": 0.5, "metallicRoughnessTexture": texture}
    material = {"emissiveFactor": [1, 1, 1], "emissiveTexture": texture, "pbrMetallicRoughness": shading}
    builder.json |= {"materials": [material], "textures": [{}]}
    material = sk.load(builder.write(tmp_path)).materials[0]
    assert (material.emissive, material.metallic, material.roughness) == ((0.0, 0.0, 0.0), 0.0, 0.5)


def test_names_of_morph_targets_keep_their_places(tmp_path: Path) -> None:
    builder = square()
    delta = builder.accessor(np.ones((4, 3)))
    builder.json["meshes"][0]["primitives"][0]["targets"] = [{"POSITION": delta}] * 3
    builder.json["meshes"][0]["extras"] = {"targetNames": ["a", None, "b"]}
    assert sk.load(builder.write(tmp_path)).meshes[0].target_names == ["a", "target_1", "b"]
