"""Vector instructions for kernels, where LLVM does not find them by itself: 3x4 matrices in rows, and shared counters.

Each function is an intrinsic of Numba that writes LLVM's portable vector code: 8 floats are one AVX register, or two of
SSE or NEON. Offsets are in floats; nothing is checked.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


class Work(NamedTuple):
    """Which characters a kernel takes on; threads that share the counter share the characters.

    Attributes:
        counter: int64 ``[1]``: the next chunk.
        chunk: Characters in a chunk.
        start: First character.
        stop: Past the last character.
    """

    counter: np.ndarray
    chunk: int
    start: int
    stop: int


FLOAT = ir.FloatType()
FOUR, EIGHT = ir.VectorType(FLOAT, 4), ir.VectorType(FLOAT, 8)
INDEX = ir.IntType(32)


def _pointer(context, builder, array_type, array, offset, vector):
    """Return a pointer to a vector in an array, some floats behind its beginning."""
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [offset]), vector.as_pointer())


def _load(builder, pointer):
    value = builder.load(pointer)
    value.align = 4
    return value


def _store(builder, value, pointer):
    builder.store(value, pointer).align = 4


def _shuffle(builder, first, second, *lanes):
    return builder.shuffle_vector(first, second, ir.Constant(ir.VectorType(INDEX, len(lanes)), list(lanes)))


def _fma(builder, a, b, c):
    name = f"llvm.fma.v{a.type.count}f32"
    function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(a.type, [a.type] * 3), name)
    return builder.call(function, [a, b, c])


@intrinsic
def multiply_affine(typingctx, a, i, b, j, out, k):
    """Write ``out[k:k + 12] = a[i:i + 12] @ b[j:j + 12]``, 3x4 matrices row by row; ``out`` must not overlap ``b``."""

    def codegen(context, builder, signature, arguments):
        (a_type, _, b_type, _, out_type, _) = signature.args
        (a, i, b, j, out, k) = arguments
        four = ir.Constant(i.type, 4)
        eight = ir.Constant(i.type, 8)
        rows = [
            _load(builder, _pointer(context, builder, b_type, b, offset, FOUR))
            for offset in (j, builder.add(j, four), builder.add(j, eight))
        ]
        upper = _load(builder, _pointer(context, builder, a_type, a, i, EIGHT))
        lower = _load(builder, _pointer(context, builder, a_type, a, builder.add(i, eight), FOUR))
        double = [_shuffle(builder, row, row, 0, 1, 2, 3, 0, 1, 2, 3) for row in rows]
        zero = ir.Constant(EIGHT, [0.0] * 8)
        top = _shuffle(builder, upper, zero, 8, 8, 8, 3, 8, 8, 8, 7)
        bottom = _shuffle(builder, lower, ir.Constant(FOUR, [0.0] * 4), 4, 4, 4, 3)
        for column in (2, 1, 0):
            lane = [column] * 4 + [column + 4] * 4
            top = _fma(builder, _shuffle(builder, upper, upper, *lane), double[column], top)
            bottom = _fma(builder, _shuffle(builder, lower, lower, *[column] * 4), rows[column], bottom)
        _store(builder, top, _pointer(context, builder, out_type, out, k, EIGHT))
        _store(builder, bottom, _pointer(context, builder, out_type, out, builder.add(k, eight), FOUR))
        return context.get_dummy_value()

    return types.void(a, types.int64, b, types.int64, out, types.int64), codegen


@intrinsic
def copy_affine(typingctx, a, i, out, k):
    """Write ``out[k:k + 12] = a[i:i + 12]``."""

    def codegen(context, builder, signature, arguments):
        (a_type, _, out_type, _) = signature.args
        (a, i, out, k) = arguments
        for start, vector in ((0, EIGHT), (8, FOUR)):
            shift = ir.Constant(i.type, start)
            value = _load(builder, _pointer(context, builder, a_type, a, builder.add(i, shift), vector))
            _store(builder, value, _pointer(context, builder, out_type, out, builder.add(k, shift), vector))
        return context.get_dummy_value()

    return types.void(a, types.int64, out, types.int64), codegen


@intrinsic
def transpose_four(typingctx, a, i, stride, out, k, step):
    """Transpose 4x4 floats: the rows at ``a[i + r * stride]`` are the columns at ``out[k + c * step]``."""

    def codegen(context, builder, signature, arguments):
        (a_type, _, _, out_type, _, _) = signature.args
        (a, i, stride, out, k, step) = arguments
        rows = []
        for _ in range(4):
            rows.append(_load(builder, _pointer(context, builder, a_type, a, i, FOUR)))
            i = builder.add(i, stride)
        pairs = [
            _shuffle(builder, rows[first], rows[first + 1], *lanes)
            for lanes in ((0, 4, 1, 5), (2, 6, 3, 7))
            for first in (0, 2)
        ]
        for low, high in (pairs[:2], pairs[2:]):
            for lanes in ((0, 1, 4, 5), (2, 3, 6, 7)):
                _store(
                    builder, _shuffle(builder, low, high, *lanes), _pointer(context, builder, out_type, out, k, FOUR)
                )
                k = builder.add(k, step)
        return context.get_dummy_value()

    return types.void(a, types.int64, types.int64, out, types.int64, types.int64), codegen


@intrinsic
def next_chunk(typingctx, counter):
    """Return ``counter[0]`` and add one to it, so that threads which share the counter never get the same number."""

    def codegen(context, builder, signature, arguments):
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        return builder.atomic_rmw("add", data, ir.Constant(ir.IntType(64), 1), "monotonic")

    return types.int64(counter), codegen


def _blender(count, adds):
    """Return an intrinsic that writes, or adds, the weighted sum of so many 3x4 matrices."""

    @intrinsic
    def blend(typingctx, matrices, joints, weights, i, out, k):
        def codegen(context, builder, signature, arguments):
            (matrix_type, joint_type, weight_type, _, out_type, _) = signature.args
            (matrices, joints, weights, i, out, k) = arguments
            eight = ir.Constant(i.type, 8)
            ends = [
                _pointer(context, builder, out_type, out, offset, vector)
                for offset, vector in ((k, EIGHT), (builder.add(k, eight), FOUR))
            ]
            sums = [_load(builder, end) for end in ends] if adds else [None, None]
            joint_data = context.make_array(joint_type)(context, builder, joints).data
            weight_data = context.make_array(weight_type)(context, builder, weights).data
            for number in range(count):
                place = builder.add(i, ir.Constant(i.type, number))
                start = builder.sext(builder.load(builder.gep(joint_data, [place])), i.type)
                weight = builder.load(builder.gep(weight_data, [place]))
                for part, (shift, vector) in enumerate(((0, EIGHT), (8, FOUR))):
                    offset = builder.add(start, ir.Constant(i.type, shift))
                    value = _load(builder, _pointer(context, builder, matrix_type, matrices, offset, vector))
                    single = builder.insert_element(ir.Constant(vector, ir.Undefined), weight, ir.Constant(INDEX, 0))
                    splat = _shuffle(builder, single, single, *[0] * vector.count)
                    before = sums[part]
                    sums[part] = builder.fmul(splat, value) if before is None else _fma(builder, splat, value, before)
            for end, value in zip(ends, sums, strict=True):
                _store(builder, value, end)
            return context.get_dummy_value()

        return types.void(matrices, joints, weights, types.int64, out, types.int64), codegen

    operator = "+=" if adds else "="
    blend.__doc__ = (
        f"Write ``out[k:k + 12] {operator} sum(weights[i + n] * matrices[joints[i + n]:][:12])``, n < {count}."
    )
    return blend


blend_one, blend_two, blend_four = (_blender(count, adds=False) for count in (1, 2, 4))
add_four = _blender(4, adds=True)


def _lane_blender(count, adds):
    """Return an intrinsic that blends one set of so many 3x4 matrices with 16 sets of weights, into lanes."""

    @intrinsic
    def blend(typingctx, matrices, joints, i, weights, j, out, k):
        def codegen(context, builder, signature, arguments):
            (matrix_type, joint_type, _, weight_type, _, out_type, _) = signature.args
            (matrices, joints, i, weights, j, out, k) = arguments
            joint_data = context.make_array(joint_type)(context, builder, joints).data
            matrix_data = context.make_array(matrix_type)(context, builder, matrices).data

            def behind(start, distance):
                return builder.add(start, ir.Constant(i.type, distance))

            starts = [
                builder.sext(builder.load(builder.gep(joint_data, [behind(i, number)])), i.type)
                for number in range(count)
            ]
            for half in (0, 8):
                shares = [
                    _load(builder, _pointer(context, builder, weight_type, weights, behind(j, 16 * n + half), EIGHT))
                    for n in range(count)
                ]
                for element in range(12):
                    place = _pointer(context, builder, out_type, out, behind(k, 16 * element + half), EIGHT)
                    total = _load(builder, place) if adds else None
                    for share, start in zip(shares, starts, strict=True):
                        value = builder.load(builder.gep(matrix_data, [behind(start, element)]))
                        single = builder.insert_element(ir.Constant(EIGHT, ir.Undefined), value, ir.Constant(INDEX, 0))
                        splat = _shuffle(builder, single, single, *[0] * 8)
                        total = builder.fmul(share, splat) if total is None else _fma(builder, share, splat, total)
                    _store(builder, total, place)
            return context.get_dummy_value()

        return types.void(matrices, joints, types.int64, weights, types.int64, out, types.int64), codegen

    operator = "+=" if adds else "="
    blend.__doc__ = (
        f"Write ``out[k + 16 e + l] {operator} sum(weights[j + 16 n + l] * matrices[joints[i + n] + e])``, n < {count},"
        " for 12 elements e in 16 lanes l."
    )
    return blend


blend_one_lanes, blend_two_lanes, blend_four_lanes = (_lane_blender(count, adds=False) for count in (1, 2, 4))
add_four_lanes = _lane_blender(4, adds=True)


@intrinsic
def scatter_vectors(typingctx, lanes, i, index, j, out):
    """Write 16 vectors out of lanes: ``out[3 index[j + l] + axis] = lanes[i + 16 axis + l]``."""

    def codegen(context, builder, signature, arguments):
        (lane_type, _, index_type, _, out_type) = signature.args
        (lanes, i, index, j, out) = arguments
        index_data = context.make_array(index_type)(context, builder, index).data
        out_data = context.make_array(out_type)(context, builder, out).data

        def behind(start, distance):
            return builder.add(start, ir.Constant(i.type, distance))

        for lane in range(0, 16, 4):
            x, y, z = (
                _load(builder, _pointer(context, builder, lane_type, lanes, behind(i, 16 * axis + lane), FOUR))
                for axis in range(3)
            )
            pairs = (_shuffle(builder, x, y, 0, 4, 1, 5), _shuffle(builder, x, y, 2, 6, 3, 7))
            for number in range(4):
                place = builder.zext(builder.load(builder.gep(index_data, [behind(j, lane + number)])), i.type)
                start = builder.mul(place, ir.Constant(i.type, 3))
                half = pairs[number // 2]
                two = _shuffle(builder, half, half, 2 * (number % 2), 2 * (number % 2) + 1)
                pointer = builder.bitcast(builder.gep(out_data, [start]), two.type.as_pointer())
                _store(builder, two, pointer)
                last = builder.extract_element(z, ir.Constant(INDEX, number))
                builder.store(last, builder.gep(out_data, [behind(start, 2)]))
        return context.get_dummy_value()

    return types.void(lanes, types.int64, index, types.int64, out), codegen
