"""Read a glTF or GLB file (also VRM and VRMA) into a Character."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from skelter.assets.character import Character, Mesh, MeshInstance, Skin
from skelter.assets.gltf.accessors import AccessorReader
from skelter.assets.gltf.animations import read_clips
from skelter.assets.gltf.document import Document
from skelter.assets.gltf.extensions import check_extensions
from skelter.assets.gltf.influences import check_influences
from skelter.assets.gltf.materials import read_images, read_materials
from skelter.assets.gltf.meshes import read_meshes
from skelter.assets.gltf.nodes import read_nodes, visible_nodes
from skelter.assets.gltf.skins import read_skins
from skelter.core.checks import NUMBER_MAX, usable


def load_gltf(path: Path) -> Character:
    """Read a glTF 2.0 file.

    Args:
        path: A ``.glb`` or ``.gltf`` file, told apart by content. Buffers and images may be embedded or lie in the
            file's folder.

    Raises:
        AssetError: The file is missing, broken, hostile, or requires an unknown extension.
        MissingExtraError: The file is compressed with Draco and the ``draco`` extra is not installed.
    """
    document = Document(path)
    check_extensions(document)
    accessors = AccessorReader(document)
    nodes = read_nodes(document)
    materials, uv_sets = read_materials(document)
    meshes = read_meshes(document, accessors, uv_sets)
    skins = read_skins(document, accessors, nodes)
    instances = _read_instances(document, meshes, skins)
    check_influences(document, meshes, skins, instances)
    return Character(
        name=path.stem,
        nodes=nodes,
        clips=read_clips(document, accessors, instances),
        meshes=meshes,
        skins=skins,
        instances=instances,
        materials=materials,
        images=read_images(document, accessors),
        warnings=document.warnings,
        source=str(path),
        generator=document.gltf.asset.generator,
    )


def _read_instances(document: Document, meshes: list[Mesh], skins: list[Skin]) -> list[MeshInstance]:
    visible = visible_nodes(document)
    jointed = [any(primitive.joints.size for primitive in mesh.primitives) for mesh in meshes]
    instances = []
    for index, node in enumerate(document.gltf.nodes):
        where = f"nodes[{index}]"
        if node.mesh is None:
            if node.skin is not None:
                document.warn(where, "the node has a skin but no mesh; the skin is ignored")
            continue
        document.check_index(node.mesh, len(meshes), f"{where}.mesh", "mesh")
        skin = -1
        if node.skin is not None:
            skin = document.check_index(node.skin, len(skins), f"{where}.skin", "skin")
            if not jointed[node.mesh]:
                document.warn(where, "the node has a skin but its mesh has no joints; it is drawn rigid")
                skin = -1
        instances.append(
            MeshInstance(index, node.mesh, skin, _default_weights(document, index, meshes[node.mesh]), index in visible)
        )
    return instances


def _default_weights(document: Document, index: int, mesh: Mesh) -> np.ndarray:
    """Return the weights of the node, else of its mesh, else zeros; always one per target."""
    node = document.gltf.nodes[index]
    assert node.mesh is not None
    given = node.weights if node.weights is not None else document.gltf.meshes[node.mesh].weights
    count = len(mesh.target_names)
    document.spend(count * 8, f"nodes[{index}]")
    weights = np.zeros(count)
    if given and len(given) != count:
        document.warn(f"nodes[{index}]", f"there are {len(given)} default weights for {count} morph targets")
    weights[: min(len(given), count)] = given[:count]
    if not usable(weights).all():
        raise document.error(f"nodes[{index}]", f"a default morph weight is not finite or beyond {NUMBER_MAX:g}")
    return weights
