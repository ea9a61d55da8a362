"""What the characters of a crowd look like: computed when it is read, with all that was read after the last step."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from skelter.core.arrays import AFFINE, LocalPose
from skelter.core.checks import read_only
from skelter.crowd.run import GraphRun, joined_playback
from skelter.ecs.table import Table
from skelter.engines.cpu.pipeline import skinning_matrices
from skelter.engines.cpu.stage import NO_ROWS, PoseStage
from skelter.pose.layers import layer_arrays
from skelter.rig.rig import Rig
from skelter.transform.to_model import to_model

STALE = 1
"""Mark of a row that is out of date; it is computed when its character is visible."""
NEW = 2
"""Mark of a row that is another character's, or nobody's; it is computed in any case."""


class Poses:
    """Buffers of poses and matrices, one row per character."""

    def __init__(self, rig: Rig, table: Table) -> None:
        self._rig = rig
        self._table = table
        self._version = -1
        self._buffers: dict[str, np.ndarray] = {}
        self._marks: dict[str, np.ndarray] = {}
        self._read: set[str] = set()
        self._read_before: set[str] = set()
        self._sockets: tuple[int, ...] = ()
        self._stage: PoseStage | None = None
        self._stage_key: tuple[object, ...] = ()

    def outdate(self, due: np.ndarray | None = None) -> None:
        """Say that characters have moved on: uint8 ``[char]``, or None for all."""
        self._read_before, self._read = self._read, set()
        for marks in self._marks.values():
            if due is None or len(due) != len(marks):
                np.maximum(marks, STALE, out=marks)
            else:
                np.maximum(marks, due, out=marks)

    def forget(self) -> None:
        """Say that nothing of what is there means anything."""
        for marks in self._marks.values():
            marks[:] = NEW

    def local(self, runs: list[GraphRun]) -> LocalPose:
        """Return poses, float32 ``[char, block, 10, 16]``."""
        return self._rows("local", runs).reshape(-1, *self._rig.rest.shape)

    def model(self, runs: list[GraphRun]) -> np.ndarray:
        """Return model matrices, float32 ``[char, joint, 3, 4]``."""
        return self._rows("model", runs).reshape(-1, self._rig.joint_count, 3, 4)

    def skinning(self, runs: list[GraphRun]) -> np.ndarray:
        """Return skinning matrices, float32 ``[char, palette, 3, 4]``."""
        return self._rows("skinning", runs).reshape(-1, len(self._rig.palette.joint), 3, 4)

    def socket(self, joint: int, runs: list[GraphRun]) -> np.ndarray:
        """Return the model matrices of a joint, float32 ``[char, 3, 4]``."""
        if joint not in self._sockets:
            self._sockets = (*self._sockets, joint)
            self._buffers.pop("sockets", None)
            self._marks.pop("sockets", None)
        matrices = self._rows("sockets", runs).reshape(-1, len(self._sockets), 3, 4)
        return matrices[:, self._sockets.index(joint)]

    def blocks(self, size: int, runs: list[GraphRun]) -> Iterator[tuple[slice, np.ndarray]]:
        """Yield rows and their skinning matrices, in one buffer, and keep nothing."""
        count, palette = len(self._table), len(self._rig.palette.joint)
        buffer = np.empty((min(size, count), palette * AFFINE), np.float32)
        playback = joined_playback(runs).arrays()
        for start in range(0, count, size):
            stop = min(start + size, count)
            if runs[0].memory is None:
                self._bound_stage(runs).run(playback, start=start, stop=stop, skinning=buffer)
                matrices = buffer[: stop - start]
            else:
                matrices = skinning_matrices(self._rig, runs[0].remembered_pose()[start:stop])
            yield slice(start, stop), read_only(matrices).reshape(-1, palette, 3, 4)

    def _rows(self, kind: str, runs: list[GraphRun]) -> np.ndarray:
        """Return a buffer, up to date for all characters that are visible."""
        self._fit()
        self._bound_stage(runs)
        self._read.add(kind)
        self._make(kind)
        hidden = (~self._table.column("visible")).view(np.uint8)
        if (self._marks[kind] > hidden).any():
            kinds = {kind} | (self._read_before & set(self._buffers))
            due = np.maximum.reduce([self._marks[name] for name in sorted(kinds)]) > hidden
            self._compute(kinds, due.view(np.uint8), runs)
            for name in kinds:
                self._marks[name][due] = 0
        return read_only(self._buffers[kind][: len(self._table)])

    def _compute(self, kinds: set[str], due: np.ndarray, runs: list[GraphRun]) -> None:
        count = len(self._table)
        out = {kind: self._buffers[kind][:count] for kind in kinds}
        if runs[0].memory is None:
            outputs = [out.get(kind, NO_ROWS) for kind in ("local", "model", "skinning", "sockets")]
            self._bound_stage(runs).run(joined_playback(runs).arrays(), *outputs, due=due)
            return
        local = runs[0].remembered_pose()
        which = due != 0
        for kind, rows in out.items():
            rows[which] = self._made_of(local, kind).reshape(count, -1)[which]

    def _made_of(self, local: LocalPose, kind: str) -> np.ndarray:
        if kind == "local":
            return local
        if kind == "skinning":
            return skinning_matrices(self._rig, local)
        model = to_model(self._rig, local)
        return model if kind == "model" else model[:, list(self._sockets)]

    def _bound_stage(self, runs: list[GraphRun]) -> PoseStage:
        entries = sum(run.controller.entry_count for run in runs)
        key = (*(run.mask for run in runs), *(run.controller for run in runs), self._sockets)
        same = len(key) == len(self._stage_key) and all(a is b for a, b in zip(key, self._stage_key, strict=True))
        if self._stage is None or not same:
            additive = np.concatenate([run.controller.additive for run in runs])
            mask = np.concatenate([run.mask for run in runs])
            layers = layer_arrays(self._rig, additive, mask, len(additive))
            sockets = np.array(self._sockets, np.int32)
            self._stage, self._stage_key = PoseStage(self._rig, layers, entries, sockets), key
            self.forget()
        return self._stage

    def _fit(self) -> None:
        """Make the buffers as long as the table when rows came, went or moved."""
        if self._version == self._table.version:
            return
        self._version = self._table.version
        count = len(self._table)
        for kind, buffer in list(self._buffers.items()):
            if len(buffer) < count or len(buffer) > 4 * count:
                del self._buffers[kind], self._marks[kind]
            else:
                self._marks[kind] = np.full(count, NEW, np.uint8)

    def _make(self, kind: str) -> None:
        if kind in self._buffers:
            return
        width = {
            "local": self._rig.rest.size,
            "model": self._rig.joint_count * AFFINE,
            "skinning": len(self._rig.palette.joint) * AFFINE,
            "sockets": len(self._sockets) * AFFINE,
        }[kind]
        count = len(self._table)
        self._buffers[kind] = np.empty((count + count // 8, width), np.float32)
        self._marks[kind] = np.full(count, NEW, np.uint8)
