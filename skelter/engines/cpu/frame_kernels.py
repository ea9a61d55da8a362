"""Kernels: the whole way from playback lists to matrices, character by character, while the pose is in the cache."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skelter.core.arrays import AFFINE
from skelter.core.kernel import kernel
from skelter.core.vector_kernels import copy_affine, next_chunk
from skelter.pose.layers_kernels import LayerScratch, blend_character
from skelter.skin.palette_kernels import palette_matrices
from skelter.transform.to_model_kernels import model_matrices


class SkeletonArrays(NamedTuple):
    """What matrices are made from.

    Attributes:
        rest: float32 ``[block * 160]``.
        parent: int32 ``[joint]``, ``parent[j] < j``.
        palette_joint: int32 ``[palette]``.
        joint_from_bind: float32 ``[palette * 12]``.
        sockets: int32 ``[socket]``: joints whose model matrices are asked for.
    """

    rest: np.ndarray
    parent: np.ndarray
    palette_joint: np.ndarray
    joint_from_bind: np.ndarray
    sockets: np.ndarray


class FrameScratch(NamedTuple):
    """Room for one character.

    Attributes:
        layers: `LayerScratch`.
        local: float32 ``[block * 160]``.
        matrices: From `skelter.transform.to_model_kernels.matrix_scratch`.
        model: float32 ``[joint * 12]``.
    """

    layers: LayerScratch
    local: np.ndarray
    matrices: np.ndarray
    model: np.ndarray


class FrameArrays(NamedTuple):
    """What a frame writes; an array without rows is not asked for.

    Attributes:
        local: float32 ``[char, block * 160]``.
        model: float32 ``[char, joint * 12]``.
        skinning: float32 ``[char, palette * 12]``.
        sockets: float32 ``[char, socket * 12]``.
    """

    local: np.ndarray
    model: np.ndarray
    skinning: np.ndarray
    sockets: np.ndarray


@kernel
def frame_kernel(bank, skeleton, playback, layers, due, work, first_row, scratch, out):
    """Pose characters and make their matrices.

    Args:
        bank: `BankArrays`.
        skeleton: `SkeletonArrays`.
        playback: `PlaybackArrays`.
        layers: `LayerArrays`.
        due: uint8 ``[char]``: 0 leaves what is written for a character as it is.
        work: `Work`.
        first_row: Character that the first rows of the output belong to.
        scratch: `FrameScratch`.
        out: `FrameArrays`, rows written whole.
    """
    while True:
        begin = work.start + next_chunk(work.counter) * work.chunk
        if begin >= work.stop:
            return
        for char in range(begin, min(begin + work.chunk, work.stop)):
            if due[char] == 0:
                continue
            row = char - first_row
            local = out.local[row] if len(out.local) else scratch.local
            blend_character(bank, skeleton.rest, playback, layers, char, scratch.layers, local)
            if len(out.model) + len(out.skinning) + len(out.sockets) == 0:
                continue
            model = out.model[row] if len(out.model) else scratch.model
            model_matrices(local, skeleton.parent, scratch.matrices, model)
            if len(out.skinning):
                palette_matrices(model, skeleton.palette_joint, skeleton.joint_from_bind, out.skinning[row])
            if len(out.sockets):
                for socket in range(len(skeleton.sockets)):
                    joint = np.int64(skeleton.sockets[socket])
                    copy_affine(model, joint * AFFINE, out.sockets[row], socket * AFFINE)


@kernel
def matrices_kernel(local, parent, palette_joint, joint_from_bind, work, scratch, model, out_skinning):
    """Make skinning matrices of poses.

    Args:
        local: float32 ``[char, block * 160]``.
        parent: int32 ``[joint]``, ``parent[j] < j``.
        palette_joint: int32 ``[palette]``.
        joint_from_bind: float32 ``[palette * 12]``.
        work: `Work`.
        scratch: From `skelter.transform.to_model_kernels.matrix_scratch`.
        model: float32 ``[joint * 12]``: room for one character.
        out_skinning: float32 ``[char, palette * 12]``, written whole.
    """
    while True:
        begin = work.start + next_chunk(work.counter) * work.chunk
        if begin >= work.stop:
            return
        for char in range(begin, min(begin + work.chunk, work.stop)):
            model_matrices(local[char], parent, scratch, model)
            palette_matrices(model, palette_joint, joint_from_bind, out_skinning[char])
