"""Plan a packed clip: which channels move, in which rows, and how many bits they need."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skelter.baking.pack import LOW_MAX, Group, Plan, channel_widths
from skelter.core.arrays import CHANNEL_COUNT, LANE_COUNT

COMPONENT_MIN = 0.35
"""A component is left out that is never nearer to 0: the length says what it is, well enough."""
STILL = 0.1
"""What moves a point by less than this part of the tolerance does not move."""
EQUAL = 0.02
"""What is nearer to the rest pose than this part of the tolerance is not stored."""
COARSE = 0.25
"""What the steps of a still row move a point by more than this part of the tolerance is stored as if it moved."""
DENSE = 12
"""A block of which so many joints turn is a group, whose quaternions need not be put in place one by one."""
STILL_STEPS = 65_535


@dataclass(frozen=True, slots=True)
class Reach:
    """How far points of a character move when a channel changes. Lanes without a joint have 0.

    Attributes:
        peak: float64 ``[joint, 10]``: the farthest point, in model units for a change of 1.
        mean: float64 ``[joint, 10]``: root of the mean square over all joints.
    """

    peak: np.ndarray
    mean: np.ndarray


@dataclass(frozen=True, slots=True)
class Planner:
    """What plans of one clip have in common. Lanes without a joint count as joints that do not move.

    Attributes:
        span: float64 ``[joint, 10]``: highest less lowest value.
        size: float64 ``[joint, 10]``: largest absolute value of what is stored.
        reach: How far channels move points.
        tolerance: Error that is allowed, in model units.
        still: int64 ``[row]``: rows of the pose that are replaced.
        blocks: Blocks that are a group.
        turning: int64 ``[joint]``: joints of other blocks that turn.
        moving: int64 ``[channel]``: columns of translations and scales that move.
        left_out: int64 ``[joint]``: component that need not be stored, -1 if all must be.
    """

    span: np.ndarray
    size: np.ndarray
    reach: Reach
    tolerance: float
    still: np.ndarray
    blocks: tuple[int, ...]
    turning: np.ndarray
    moving: np.ndarray
    left_out: np.ndarray

    def plan(self, coarseness: float) -> Plan:
        """Return a plan whose steps move points by about ``coarseness`` times the tolerance."""
        step = coarseness * self.tolerance / np.maximum(self.reach.mean, 1e-300)
        bits = channel_widths(self.span, step)
        groups = [self._block(block) for block in self.blocks]
        whole = self.left_out[self.turning] < 0
        groups += self._groups(bits, self.turning[~whole]) + self._groups(bits, self.turning[whole])
        columns = [group.joints * CHANNEL_COUNT + row for group in groups for row in group.components()]
        flat = bits.reshape(-1)
        moving = self.moving[np.argsort(-flat[self.moving], kind="stable")]
        channels = [moving[start : start + LANE_COUNT] for start in range(0, len(moving), LANE_COUNT)]
        widths = [self._width(row, step.reshape(-1)) for row in [*columns, *channels]]
        return Plan(self.still, tuple(groups), tuple(channels), tuple(widths))

    def _width(self, columns: np.ndarray, step: np.ndarray) -> int:
        """Return the bits of a row; its lows lie on a grid, so that its spans are a little larger."""
        grid = self.size.reshape(-1)[columns].max() / LOW_MAX
        return int(channel_widths(self.span.reshape(-1)[columns] + grid, step[columns]).max())

    def _block(self, block: int) -> Group:
        joints = np.arange(block * LANE_COUNT, (block + 1) * LANE_COUNT)
        return Group(joints, self.left_out[joints], block)

    def _groups(self, bits: np.ndarray, joints: np.ndarray) -> list[Group]:
        """Return groups of joints that need about the same number of bits, all of which leave one out or none."""
        joints = joints[np.argsort(-bits[joints, :4].max(axis=1), kind="stable")]
        parts = [joints[start : start + LANE_COUNT] for start in range(0, len(joints), LANE_COUNT)]
        return [Group(part, self.left_out[part][self.left_out[part] >= 0]) for part in parts]


def make_planner(poses: np.ndarray, ground: np.ndarray, reach: Reach, tolerance: float) -> Planner:
    """Find out what of a clip moves.

    Args:
        poses: float32 ``[frame, block, 10, 16]``.
        ground: What it differs from, float32 ``[block, 10, 16]``.
        reach: How far channels move points.
        tolerance: Error that is allowed, in model units.
    """
    low, high = (_by_joint(extreme).astype(np.float64) for extreme in (poses.min(axis=0), poses.max(axis=0)))
    middle = (low + high) / 2
    moves = (high - low) * reach.peak > STILL * tolerance
    differs = np.abs(middle - _by_joint(ground)) * reach.peak > EQUAL * tolerance
    for columns in (moves, differs):
        _whole_quaternions(columns)
    moves |= differs & (_still_steps(middle, moves) * reach.peak > COARSE * tolerance)
    _whole_quaternions(moves)
    left_out = _left_out(low[:, :4], high[:, :4])
    offset = np.where(np.arange(CHANNEL_COUNT) < 4, 0.0, _by_joint(ground))
    blocks = _dense_blocks(moves[:, 0], left_out)
    in_block = np.isin(np.arange(len(moves)) // LANE_COUNT, blocks)
    differs[in_block, :4] = False
    columns = np.flatnonzero(moves)
    return Planner(
        span=high - low,
        size=np.maximum(np.abs(high - offset), np.abs(low - offset)),
        reach=reach,
        tolerance=tolerance,
        still=np.flatnonzero(_by_row(differs & ~moves).any(axis=1)),
        blocks=blocks,
        turning=np.flatnonzero(moves[:, 0] & ~in_block),
        moving=columns[columns % CHANNEL_COUNT >= 4],
        left_out=left_out,
    )


def _by_joint(pose: np.ndarray) -> np.ndarray:
    """Return ``[block, 10, 16]`` as ``[joint, 10]``, lanes without a joint too."""
    return np.swapaxes(pose, -1, -2).reshape(-1, CHANNEL_COUNT)


def _by_row(columns: np.ndarray) -> np.ndarray:
    """Return ``[joint, 10]`` as ``[row, 16]``."""
    return np.swapaxes(columns.reshape(-1, LANE_COUNT, CHANNEL_COUNT), -1, -2).reshape(-1, LANE_COUNT)


def _whole_quaternions(columns: np.ndarray) -> None:
    """Set all components of a quaternion of which one is set."""
    columns[:, :4] |= columns[:, :4].any(axis=1, keepdims=True)


def _still_steps(middle: np.ndarray, moves: np.ndarray) -> np.ndarray:
    """Return the steps of still rows, float64 ``[joint, 10]``."""
    low = _by_row(np.where(moves, np.inf, middle)).min(axis=1)
    high = _by_row(np.where(moves, -np.inf, middle)).max(axis=1)
    step = np.where(high > low, high - low, 0.0) / STILL_STEPS
    return _by_joint(np.repeat(step[:, None], LANE_COUNT, axis=1).reshape(-1, CHANNEL_COUNT, LANE_COUNT))


def _left_out(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return the component of each joint that keeps its sign and is far from 0, or -1, int64 ``[joint]``."""
    sure = np.where((low > 0) | (high < 0), np.minimum(np.abs(low), np.abs(high)), 0.0)
    return np.where(sure.max(axis=1) >= COMPONENT_MIN, sure.argmax(axis=1), -1)


def _dense_blocks(turns: np.ndarray, left_out: np.ndarray) -> tuple[int, ...]:
    """Return the blocks most of whose joints turn and that can leave out a component of each."""
    enough = turns.reshape(-1, LANE_COUNT).sum(axis=1) >= DENSE
    can = (left_out >= 0).reshape(-1, LANE_COUNT).all(axis=1)
    return tuple(np.flatnonzero(enough & can).tolist())
