"""What happens to characters in a step besides their graphs: whose turn it is, and where root motion takes them."""

from __future__ import annotations

import numpy as np

from skelter.core.affine import multiply, normalized, rotate
from skelter.crowd.components import ROOT_MOTION, STILL
from skelter.ecs.table import Table


def due_characters(table: Table, step_count: int, dt: float) -> tuple[float | np.ndarray, np.ndarray | None]:
    """Return by how much time characters advance in a step, and which do.

    Args:
        table: The characters; the time that they have waited for is counted in ``pending``.
        step_count: Number of the step.
        dt: Its length [s].

    Returns:
        ``(span, due)``: the time [s], one for all or float64 ``[char]``, and uint8 ``[char]``; None is all of them.
    """
    interval, pending = table.column("interval"), table.column("pending")
    if not len(interval) or (interval.max() <= 1 and not pending.any()):
        return dt, None
    pending += dt
    due = (step_count + table.column("turn")) % np.maximum(interval, 1) == 0
    span = np.where(due, pending, 0.0)
    pending[due] = 0.0
    return span, due.view(np.uint8)


def move_characters(table: Table) -> None:
    """Move characters by their root motion, in their own space and scale, and use it up."""
    motion = table.column("root_motion")
    changes = motion.view(np.float64).reshape(-1, ROOT_MOTION.itemsize // 8)[:, :6]  # all but w
    if not changes.any():
        return
    moved = np.flatnonzero(changes.any(axis=1))
    transform = table.column("transform")
    rotation = transform["rotation"][moved]
    transform["position"][moved] += rotate(rotation, motion["translation"][moved] * transform["scale"][moved])
    transform["rotation"][moved] = normalized(multiply(rotation, motion["rotation"][moved]))
    motion[moved] = STILL
