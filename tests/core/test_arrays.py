"""The 16-lane layout."""

from __future__ import annotations

import numpy as np
import pytest

from skelter.core.arrays import (
    BLOCK_SIZE,
    CHANNEL_COUNT,
    IDENTITY_CHANNELS,
    LANE_COUNT,
    block_count,
    pack_pose,
    unpack_pose,
)


def random_pose(*shape: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    chance = np.random.default_rng(1)
    return chance.normal(size=(*shape, 4)), chance.normal(size=(*shape, 3)), chance.normal(size=(*shape, 3))


def test_no_joints_have_no_blocks() -> None:
    assert pack_pose(*random_pose(3, 0)).shape == (3, 0, CHANNEL_COUNT, LANE_COUNT)


@pytest.mark.parametrize(("joints", "blocks"), [(0, 0), (1, 1), (15, 1), (16, 1), (17, 2), (32, 2), (33, 3)])
def test_blocks_hold_16_joints(joints: int, blocks: int) -> None:
    assert block_count(joints) == blocks
    assert pack_pose(*random_pose(joints)).shape == (blocks, CHANNEL_COUNT, LANE_COUNT)


def test_a_joint_lies_in_its_block_and_lane() -> None:
    rotation, translation, scale = random_pose(2, 20)
    packed = pack_pose(rotation, translation, scale)
    assert packed.dtype == np.float32
    assert packed.flags.c_contiguous
    expected = np.concatenate([rotation, translation, scale], axis=-1)[1, 18].astype(np.float32)
    np.testing.assert_array_equal(packed[1, 1, :, 2], expected)
    np.testing.assert_array_equal(packed.reshape(2, -1)[1, BLOCK_SIZE + 2 :: LANE_COUNT], expected)


def test_spare_lanes_hold_the_identity() -> None:
    packed = pack_pose(*random_pose(20))
    np.testing.assert_array_equal(packed[1, :, 4:].T, [IDENTITY_CHANNELS] * 12)


@pytest.mark.parametrize("joints", [1, 16, 37])
def test_unpacking_gives_back_what_was_packed(joints: int) -> None:
    pose = random_pose(4, joints)
    for found, given in zip(unpack_pose(pack_pose(*pose), joints), pose, strict=True):
        np.testing.assert_array_equal(found, given.astype(np.float32))
