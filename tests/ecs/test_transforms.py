"""World matrices: parents first, over any depth, and nothing that is no transform."""

from __future__ import annotations

import numpy as np
import pytest

from skelter.core.affine import compose, normalized
from skelter.core.errors import WorldError
from skelter.ecs.transforms import TRANSFORM
from skelter.ecs.world import World


def random_transforms(count: int, seed: int = 0) -> np.ndarray:
    random = np.random.default_rng(seed)
    transforms = np.zeros(count, TRANSFORM)
    transforms["position"] = random.normal(size=(count, 3))
    transforms["rotation"] = normalized(random.normal(size=(count, 4)))
    transforms["scale"] = random.random((count, 3)) + 0.5
    return transforms


def local(transforms: np.ndarray) -> np.ndarray:
    return compose(transforms["position"], transforms["rotation"], transforms["scale"])


def test_without_parents() -> None:
    world, transforms = World(), random_transforms(50)
    handles = world.spawn(50, transform=transforms, world_matrix=...)
    world.step(0.0)
    np.testing.assert_allclose(world.get(handles, "world_matrix"), local(transforms)[:, :3], atol=1e-6)


def test_rotations_need_not_have_length_one() -> None:
    world, transforms = World(), random_transforms(5)
    want = local(transforms)[:, :3]
    transforms["rotation"] *= np.array([[0.5], [3.0], [1e-3], [-2.0], [1.0]])
    handles = world.spawn(5, transform=transforms, world_matrix=...)
    world.step(0.0)
    np.testing.assert_allclose(world.get(handles, "world_matrix"), want, atol=1e-6)


def test_under_parents_in_any_order_and_table() -> None:
    world, random = World(), np.random.default_rng(3)
    world.declare("mark", np.int64)
    transforms = random_transforms(200)
    order = random.permutation(200)
    handles = np.zeros(200, np.uint64)
    handles[order[:100]] = world.spawn(100, transform=transforms[order[:100]], parent=..., world_matrix=...)
    handles[order[100:]] = world.spawn(100, transform=transforms[order[100:]], parent=..., world_matrix=..., mark=...)
    parents = np.array([random.integers(max(0, index - 3), index) if index % 40 else -1 for index in range(200)])
    world.set(handles, "parent", np.where(parents >= 0, handles[parents], np.uint64(0)))
    world.step(0.0)
    want = local(transforms)
    for index, parent in enumerate(parents):
        if parent >= 0:
            want[index] = want[parent] @ want[index]
    found = world.get(handles, "world_matrix")
    scale = np.abs(want[:, :3]).max(axis=(1, 2), keepdims=True)
    assert (np.abs(found - want[:, :3]) / scale).max() < 2e-5


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("position", np.nan, r"entity 0x100000003, row 2: its position is \[nan, nan, nan\], not finite"),
        ("rotation", np.inf, "its rotation is .*, not finite"),
        ("rotation", 0.0, "has no length"),
        ("scale", np.nan, "its scale is .*, not finite"),
    ],
)
def test_what_is_no_transform(field: str, value: float, message: str) -> None:
    world = World()
    world.spawn(4, transform=..., world_matrix=...)
    (view,) = world.query("transform")
    view["transform"][field][2] = value
    before = world.hash()
    with pytest.raises(WorldError, match=f"transform: .*{message}"):
        world.step(0.1)
    assert world.hash() == before


def test_a_system_that_spoils_a_transform_is_undone() -> None:
    world = World()
    handles = world.spawn(4, transform=..., world_matrix=...)
    world.add_system(lambda transform: transform["position"].fill(np.nan), name="spoil", writes="transform")
    before = world.hash()
    with pytest.raises(WorldError, match=r"system 'transforms': transform: entity .*; the world is as before the step"):
        world.step(0.1)
    assert world.hash() == before
    assert (world.get(handles, "transform")["position"] == 0.0).all()


def test_parents_that_cannot_be() -> None:
    world = World()
    handles = world.spawn(4, transform=..., world_matrix=..., parent=...)
    world.set(handles[1:], "parent", handles[:3])
    world.step(0.0)
    world.set(handles[0], "parent", handles[3])
    with pytest.raises(WorldError, match="are below themselves; set one's parent to 0"):
        world.step(0.0)
    world.set(handles[0], "parent", np.uint64(0))
    world.despawn(handles[2])
    with pytest.raises(WorldError, match="that of entity 0x100000004, 0x100000003, is not alive"):
        world.step(0.0)
    bare = world.spawn(1, visible=...)
    world.set(handles[3], "parent", bare[0])
    with pytest.raises(WorldError, match="has no transform or no world_matrix"):
        world.step(0.0)
