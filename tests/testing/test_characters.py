from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from skelter.assets.character import Additive, Character, Clip, ClipEvent
from skelter.core.material import Image, Material
from skelter.testing.characters import assert_characters_equal
from skelter.testing.rigs import random_character


def made() -> Character:
    character = random_character(6, 2, 3, vertex_count=30, target_count=2, event_count=2)
    character.materials = [Material("skin", base_color_image=0)]
    character.images = [Image("picture", "image/png", b"\x89PNG")]
    return character


def rename(character: Character) -> None:
    character.nodes.names[2] = "other"


def turn(character: Character) -> None:
    character.nodes.rotation[1] = [0.0, 0.6, 0.0, 0.8]


def lose_a_clip(character: Character) -> None:
    character.clips.pop()


def move_a_key(character: Character) -> None:
    character.clips[0].tracks[0].values[4, 1] += 1e-5


def spoil_a_key(character: Character) -> None:
    character.clips[0].tracks[0].values[4, 1] = np.nan


def step(character: Character) -> None:
    character.clips[1].tracks[2].interpolation = "STEP"


def lose_normals(character: Character) -> None:
    character.meshes[0].primitives[0].normals = None


def flip_a_triangle(character: Character) -> None:
    triangles = character.meshes[0].primitives[0].triangles
    triangles[3] = triangles[3, ::-1]


def swap_joints(character: Character) -> None:
    joints = character.meshes[0].primitives[0].joints
    joints[5] = (joints[5] + 1) % 6


def move_a_target(character: Character) -> None:
    character.meshes[0].primitives[0].morph_positions[1, 7, 2] += 1e-5


def bind_elsewhere(character: Character) -> None:
    character.skins[0].joint_from_bind[3, 0, 3] += 1e-5


def hide(character: Character) -> None:
    character.instances[0].visible = False


def paint(character: Character) -> None:
    character.materials[0].base_color = (1.0, 0.0, 0.0, 1.0)


def change_the_picture(character: Character) -> None:
    character.images[0].data = b"\xff\xd8"


def move_an_event(character: Character) -> None:
    later = max(character.clips[0].events, key=lambda event: event.time)
    character.clips[0].events.remove(later)
    character.clips[0].events.append(ClipEvent(later.time + 1e-5, later.name, later.payload))


def change_a_payload(character: Character) -> None:
    events = character.clips[0].events
    events[:] = [ClipEvent(event.time, event.name) for event in events]


def make_additive(character: Character) -> None:
    character.clips[1].additive = Additive("clip", "clip_0", 0.5)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (rename, r"nodes.names"),
        (turn, r"nodes.rotation\[1, "),
        (lose_a_clip, r"clips: there are 2 and 1"),
        (move_a_key, r"clips\[0\].tracks\[node 0, \w+\].values\[4, 1\]"),
        (spoil_a_key, r"clips\[0\].tracks\[node 0, \w+\].values\[4, 1\]: .* and nan"),
        (step, r"clips\[1\].*interpolation: 'LINEAR' and 'STEP'"),
        (lose_normals, r"meshes\[0\].primitives\[0\].normals"),
        (flip_a_triangle, r"triangles\[3, 0\]"),
        (swap_joints, r"meshes\[0\].primitives\[0\].joints"),
        (move_a_target, r"morph_positions\[1, 7, 2\]"),
        (bind_elsewhere, r"skins\[0\].joint_from_bind\[3, 0, 3\]"),
        (hide, r"instances\[0\]"),
        (paint, r"materials\[0\].base_color\[1\]"),
        (move_an_event, r"clips\[0\].events\[1\].time"),
        (change_a_payload, r"clips\[0\].events\[0\]: \('event_"),
        (make_additive, r"clips\[1\].additive.reference: None and 'clip'"),
        (change_the_picture, r"materials\[0\].base_color_image"),
    ],
)
def test_a_difference_is_named(change: Callable[[Character], None], place: str) -> None:
    changed = made()
    change(changed)
    with pytest.raises(AssertionError, match=place):
        assert_characters_equal(made(), changed)


def test_what_gltf_cannot_tell_apart_is_equal() -> None:
    changed = made()
    primitive = changed.meshes[0].primitives[0]
    primitive.joints, primitive.weights = primitive.joints[:, ::-1].copy(), primitive.weights[:, ::-1].copy()
    assert primitive.normals is not None
    primitive.normals = primitive.normals * 2
    changed.clips.insert(0, Clip("nothing", [], 0.0))
    changed.clips[1].start = 3.0
    assert_characters_equal(made(), changed)


def test_the_tolerance_is_relative_above_one() -> None:
    changed = made()
    changed.nodes.translation[2] = [1000.0, 0.0, 0.0]
    other = made()
    other.nodes.translation[2] = [1000.1, 0.0, 0.0]
    assert_characters_equal(changed, other, tolerance=2e-4)
    with pytest.raises(AssertionError, match="tolerance 5e-05"):
        assert_characters_equal(changed, other, tolerance=5e-5)
