"""The pose stage of the cpu engine: buffers bound once, and then frame after frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from skelter.core.arrays import AFFINE, BLOCK_SIZE
from skelter.core.checks import due_flags, read_only
from skelter.core.errors import ArgumentError
from skelter.core.playback import PlaybackArrays
from skelter.core.workers import CHUNK, Workers, default_workers, lent
from skelter.pose.bank import bank_arrays
from skelter.pose.layers import layer_scratch
from skelter.rig.rig import Rig

if TYPE_CHECKING:
    from skelter.core.vector_kernels import Work
    from skelter.engines.cpu.frame_kernels import FrameScratch
    from skelter.pose.layers_kernels import LayerArrays

NO_ROWS = np.zeros((0, 0), np.float32)


class PoseStage:
    """Poses, model matrices and skinning matrices of characters with one rig and the same layers."""

    def __init__(self, rig: Rig, layers: LayerArrays, entry_count: int, sockets: np.ndarray | None = None) -> None:
        """Bind what is the same in all frames.

        Args:
            rig: A baked character.
            layers: Modes and masks of the layers.
            entry_count: Length of a row of the playback lists.
            sockets: Joints whose model matrices can be asked for, int32 ``[socket]``.
        """
        from skelter.engines.cpu.frame_kernels import SkeletonArrays

        self.rig = rig
        self._layers = layers
        self._entry_count = entry_count
        self._bank = bank_arrays(rig)
        joints = np.zeros(0, np.int32) if sockets is None else sockets
        self._skeleton = SkeletonArrays(
            rig.rest.reshape(-1),
            rig.parent,
            rig.palette.joint,
            rig.palette.joint_from_bind.reshape(-1),
            read_only(joints),
        )
        self._widths = (rig.rest.size, rig.joint_count * AFFINE, len(rig.palette.joint) * AFFINE, len(joints) * AFFINE)
        self._idle: list[FrameScratch] = []

    def run(
        self,
        playback: PlaybackArrays,
        local: np.ndarray = NO_ROWS,
        model: np.ndarray = NO_ROWS,
        skinning: np.ndarray = NO_ROWS,
        sockets: np.ndarray = NO_ROWS,
        *,
        start: int = 0,
        stop: int | None = None,
        due: np.ndarray | None = None,
        workers: Workers | None = None,
        chunk: int = CHUNK,
    ) -> None:
        """Pose the characters ``[start, stop)``, and write what is asked for into rows ``[0, stop - start)``.

        Args:
            playback: What all characters play; times, weights and clips must be sound.
            local: float32 ``[row, block * 160]``.
            model: float32 ``[row, joint * 12]``.
            skinning: float32 ``[row, palette * 12]``.
            sockets: float32 ``[row, socket * 12]``.
            start: First character.
            stop: Past the last character; None is all of them.
            due: uint8 ``[char]``: 0 leaves the rows of a character as they are; None writes all.
            workers: Threads; None is those that everything uses.
            chunk: Characters that a thread takes at a time. Results depend neither on it nor on the threads.

        Raises:
            ArgumentError: An array does not fit, or the chunk is less than 1.
        """
        from skelter.engines.cpu.frame_kernels import FrameArrays, frame_kernel

        count = len(playback.clip)
        end = count if stop is None else stop
        out = FrameArrays(local, model, skinning, sockets)
        self._check(playback, start, end, out)
        flags = due_flags(due, count)
        inputs = PlaybackArrays(*(read_only(array) for array in playback))

        def call(work: Work, _thread: int) -> None:
            with lent(self._idle, self._new_scratch) as scratch:
                frame_kernel(self._bank, self._skeleton, inputs, self._layers, flags, work, start, scratch, out)

        (workers or default_workers()).share(end - start, call, start=start, chunk=chunk)

    def _check(self, playback: PlaybackArrays, start: int, stop: int, out: tuple[np.ndarray, ...]) -> None:
        if not 0 <= start <= stop <= len(playback.clip):
            raise ArgumentError(
                f"start, stop: expected a range within {len(playback.clip)} characters, got {start}:{stop}"
            )
        if playback.clip.shape[1] > self._entry_count or playback.layer_weight.shape[1] != len(self._layers.additive):
            raise ArgumentError(
                f"playback: expected {len(self._layers.additive)} layers and at most {self._entry_count} entries, got"
                f" {playback.layer_weight.shape[1]} and {playback.clip.shape[1]}"
            )
        for name, array, width in zip(("local", "model", "skinning", "sockets"), out, self._widths, strict=True):
            if len(array) and (array.shape[1] != width or len(array) < stop - start):
                raise ArgumentError(f"{name}: expected shape [{stop - start}, {width}], got {list(array.shape)}")
            flags = array.flags
            if array.dtype != np.float32 or not flags.c_contiguous or not (flags.writeable or not len(array)):
                raise ArgumentError(f"{name}: expected a writable C-contiguous array of float32, got {array.dtype}")

    def _new_scratch(self) -> FrameScratch:
        """Return room for one thread."""
        from skelter.engines.cpu.frame_kernels import FrameScratch
        from skelter.transform.to_model_kernels import matrix_scratch

        blocks = len(self.rig.rest)
        return FrameScratch(
            layer_scratch(blocks, self._entry_count),
            np.empty(blocks * BLOCK_SIZE, np.float32),
            matrix_scratch(blocks),
            np.empty(self.rig.joint_count * AFFINE, np.float32),
        )
