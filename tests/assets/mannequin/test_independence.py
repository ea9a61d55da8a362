from __future__ import annotations

import skelter as sk


def test_a_change_of_one_mannequin_leaves_the_next_alone() -> None:
    first = sk.mannequin(lod=2)
    first.materials[0].name = "changed"
    first.materials[1].base_color = (0.0, 0.0, 0.0, 1.0)
    first.nodes.names[0] = "changed"
    second = sk.mannequin(lod=2)
    assert [material.name for material in second.materials] == ["shell", "joints", "accent"]
    assert second.materials[1].base_color != (0.0, 0.0, 0.0, 1.0)
    assert second.nodes.names[0] != "changed"


def test_a_change_of_a_character_leaves_its_rig_alone() -> None:
    character = sk.mannequin(lod=2)
    rig = sk.bake(character, cache=False)
    color = rig.materials[0].base_color
    character.materials[0].base_color = (0.0, 0.0, 0.0, 1.0)
    character.meshes[0].primitives[0].positions[:] = 7.0
    assert rig.materials[0].base_color == color
    assert not (rig.mesh.positions == 7.0).all()
