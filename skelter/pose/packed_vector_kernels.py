"""Vector instructions of `skelter.pose.packed_kernels`: intrinsics of Numba that write LLVM's portable vector code.

They work on 16 lanes at offsets of arrays; nothing is checked. *Scratch* is float32 ``[SCRATCH]``: rows x, y, z, w of a
frame, those of the next one, and the fraction between them in each lane.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from skelter.core.arrays import LANE_COUNT
from skelter.core.kernel import FASTMATH

QUATERNIONS = 4 * LANE_COUNT
"""Floats of 16 quaternions."""
ALPHA = 2 * QUATERNIONS
"""Where the fractions of the lanes lie in the scratch."""
SCRATCH = ALPHA + LANE_COUNT

FLOAT, INT, SHORT, LONG = ir.FloatType(), ir.IntType(32), ir.IntType(16), ir.IntType(64)
FLOATS, INTS, SHORTS = (ir.VectorType(kind, LANE_COUNT) for kind in (FLOAT, INT, SHORT))
FAST = tuple(sorted(FASTMATH))
BYTES = {FLOATS: 4, INTS: 4, SHORTS: 2}


class _Code:
    """Writes the code of one intrinsic; arrays are the numbers of its arguments, offsets count elements."""

    def __init__(self, context, builder, signature, arguments):
        self.builder = builder
        self.arguments = arguments
        self._data = [
            context.make_array(kind)(context, builder, argument).data if isinstance(kind, types.Array) else None
            for kind, argument in zip(signature.args, arguments, strict=True)
        ]

    def _pointer(self, array, offset, shift, vector):
        place = self.builder.add(offset, ir.Constant(LONG, shift))
        return self.builder.bitcast(self.builder.gep(self._data[array], [place]), vector.as_pointer())

    def load(self, array, offset, vector=FLOATS, shift=0):
        value = self.builder.load(self._pointer(array, offset, shift, vector))
        value.align = BYTES[vector]
        return value

    def store(self, value, array, offset, shift=0):
        self.builder.store(value, self._pointer(array, offset, shift, value.type)).align = BYTES[value.type]

    def all_lanes(self, value, vector):
        none = ir.Constant(vector, ir.Undefined)
        one = self.builder.insert_element(none, value, ir.Constant(INT, 0))
        return self.builder.shuffle_vector(one, none, ir.Constant(INTS, [0] * LANE_COUNT))

    def call(self, name, *values):
        kind = values[0].type
        suffix = "f32" if kind == FLOATS else "i32"
        function = cgutils.get_or_insert_function(
            self.builder.module, ir.FunctionType(kind, [kind] * len(values)), f"llvm.{name}.v{LANE_COUNT}{suffix}"
        )
        return self.builder.call(function, values, fastmath=FAST if kind == FLOATS else ())

    def lerp(self, left, right, alpha):
        return self.call("fma", alpha, self.builder.fsub(right, left), left)


@intrinsic
def unlikely(typingctx, condition):
    """Return a condition that is rarely true: what follows if it is need not be near."""

    def codegen(context, builder, signature, arguments):
        bit = ir.IntType(1)
        expect = cgutils.get_or_insert_function(builder.module, ir.FunctionType(bit, [bit, bit]), "llvm.expect.i1")
        return builder.call(expect, [arguments[0], ir.Constant(bit, 0)])

    return types.boolean(types.boolean), codegen


@intrinsic
def lanes_scratch(typingctx):
    """Return float32 ``[SCRATCH]`` on the stack of the kernel, which is gone when the kernel returns."""
    array_type = types.Array(types.float32, 1, "C")

    def codegen(context, builder, signature, arguments):
        memory = cgutils.alloca_once(builder, ir.ArrayType(FLOAT, SCRATCH))
        memory.align = 64
        array = context.make_array(array_type)(context, builder)
        size, item = ir.Constant(LONG, SCRATCH), ir.Constant(LONG, 4)
        data = builder.bitcast(memory, FLOAT.as_pointer())
        populate_array(array, data=data, shape=[size], strides=[item], itemsize=item, meminfo=None)
        return array._getvalue()

    return array_type(), codegen


@intrinsic
def write_fractions(typingctx, alpha, kept, hold, scratch):
    """Write the fraction of each lane: ``kept`` where its bit in ``hold`` is set, else ``alpha``."""

    def codegen(context, builder, signature, arguments):
        code = _Code(context, builder, signature, arguments)
        (alpha, kept, hold, _) = arguments
        held = builder.bitcast(builder.trunc(hold, SHORT), ir.VectorType(ir.IntType(1), LANE_COUNT))
        lanes = builder.select(held, code.all_lanes(kept, FLOATS), code.all_lanes(alpha, FLOATS))
        code.store(lanes, 3, ir.Constant(LONG, ALPHA))
        return context.get_dummy_value()

    return types.void(types.float32, types.float32, types.int32, scratch), codegen


@intrinsic
def unpack_still(typingctx, lines, i, low, step, out, k):
    """Write ``out[k:k + 16] = low + step * lines[i:i + 16]``."""

    def codegen(context, builder, signature, arguments):
        code = _Code(context, builder, signature, arguments)
        (_, i, low, step, _, k) = arguments
        words = builder.sitofp(builder.zext(code.load(0, i, SHORTS), INTS), FLOATS)
        code.store(code.call("fma", code.all_lanes(step, FLOATS), words, code.all_lanes(low, FLOATS)), 4, k)
        return context.get_dummy_value()

    return types.void(lines, types.int64, types.float32, types.float32, out, types.int64), codegen


@intrinsic
def unpack_lanes(typingctx, words, left, right, width, lines, i, unit, step, scratch, k):
    """Write ``unit * low + step * span * q`` of a row of two frames into the scratch.

    Args:
        words: uint32 ``[...]``.
        left: Bit of the first lane's stream where ``q`` of the first frame begins.
        right: Where that of the second begins.
        width: Bits of ``q``.
        lines: uint16 ``[...]``: lows from -32768 and spans, from ``i`` on.
        i: Where they lie.
        unit: float32.
        step: float32.
        scratch: float32 ``[SCRATCH]``.
        k: Where the row of the first frame goes.
    """

    def codegen(context, builder, signature, arguments):
        code = _Code(context, builder, signature, arguments)
        (_, left, right, width, _, i, unit, step, _, k) = arguments
        one = ir.Constant(LONG, 1)
        top = builder.trunc(builder.sub(builder.shl(one, width), one), INT)
        mask = code.all_lanes(top, INTS)
        low = builder.sitofp(builder.sext(code.load(4, i, SHORTS), INTS), FLOATS)
        span = builder.sitofp(builder.zext(code.load(4, i, SHORTS, LANE_COUNT), INTS), FLOATS)
        low = builder.fmul(low, code.all_lanes(unit, FLOATS))
        step = builder.fmul(span, code.all_lanes(step, FLOATS))
        for bit, place in ((left, 0), (right, QUATERNIONS)):
            word = builder.shl(builder.ashr(bit, ir.Constant(LONG, 5)), ir.Constant(LONG, 4))
            shift = code.all_lanes(builder.and_(builder.trunc(bit, INT), ir.Constant(INT, 31)), INTS)
            pair = (code.load(0, word, INTS, LANE_COUNT), code.load(0, word, INTS))
            number = builder.sitofp(builder.and_(code.call("fshr", *pair, shift), mask), FLOATS)
            code.store(code.call("fma", number, step, low), 8, k, place)
        return context.get_dummy_value()

    long, single = types.int64, types.float32
    return types.void(words, long, long, long, lines, long, single, single, scratch, long), codegen


@intrinsic
def complete(typingctx, scratch):
    """Write the fourth components of the unit quaternions of both frames, which are not below 0."""

    def codegen(context, builder, signature, arguments):
        code = _Code(context, builder, signature, arguments)
        for place in (0, QUATERNIONS):
            square = ir.Constant(FLOATS, [1.0] * LANE_COUNT)
            for row in range(3):
                part = code.load(0, ir.Constant(LONG, place + row * LANE_COUNT))
                square = code.call("fma", builder.fneg(part), part, square)
            square = code.call("maxnum", square, ir.Constant(FLOATS, [0.0] * LANE_COUNT))
            code.store(code.call("sqrt", square), 0, ir.Constant(LONG, place + 3 * LANE_COUNT))
        return context.get_dummy_value()

    return types.void(scratch), codegen


@intrinsic
def turn_lanes(typingctx, scratch):
    """Interpolate the quaternions of two frames and scale them to length one; they replace those of the first."""

    def codegen(context, builder, signature, arguments):
        code = _Code(context, builder, signature, arguments)
        alpha = code.load(0, ir.Constant(LONG, ALPHA))
        rows = [ir.Constant(LONG, row * LANE_COUNT) for row in range(4)]
        parts = [code.lerp(code.load(0, row), code.load(0, row, shift=QUATERNIONS), alpha) for row in rows]
        square = builder.fmul(parts[0], parts[0])
        for part in parts[1:]:
            square = code.call("fma", part, part, square)
        scale = builder.fdiv(ir.Constant(FLOATS, [1.0] * LANE_COUNT), code.call("sqrt", square), flags=FAST)
        for row, part in zip(rows, parts, strict=True):
            code.store(builder.fmul(part, scale), 0, row)
        return context.get_dummy_value()

    return types.void(scratch), codegen


@intrinsic
def arrange_lanes(typingctx, lines, i, scratch):
    """Put the components of quaternions whose last row was left out in the order x, y, z, w.

    Args:
        lines: uint16 ``[...]``: which component was left out, and bit 15 if it is below 0, from ``i`` on.
        i: Where they lie.
        scratch: float32 ``[SCRATCH]``: three rows of the other components in their order, then those left out.
    """

    def codegen(context, builder, signature, arguments):
        def filled(value):
            return ir.Constant(INTS, [value] * LANE_COUNT)

        code = _Code(context, builder, signature, arguments)
        flags = builder.zext(code.load(0, arguments[1], SHORTS), INTS)
        left_out = builder.and_(flags, filled(3))
        sign = builder.and_(builder.shl(flags, filled(16)), filled(1 << 31))
        rows = [ir.Constant(LONG, row * LANE_COUNT) for row in range(4)]
        a, b, c, d = (code.load(2, row) for row in rows)
        d = builder.bitcast(builder.xor(builder.bitcast(d, INTS), sign), FLOATS)
        is_first, is_second, is_third, is_last = (
            builder.icmp_unsigned("==", left_out, filled(row)) for row in range(4)
        )
        ordered = (
            builder.select(is_first, d, a),
            builder.select(is_first, a, builder.select(is_second, d, b)),
            builder.select(is_last, c, builder.select(is_third, d, b)),
            builder.select(is_last, d, c),
        )
        for row, value in zip(rows, ordered, strict=True):
            code.store(value, 2, row)
        return context.get_dummy_value()

    return types.void(lines, types.int64, scratch), codegen


@intrinsic
def store_quaternions(typingctx, scratch, out, k):
    """Write the four rows of 16 quaternions to ``out[k:k + 64]``."""

    def codegen(context, builder, signature, arguments):
        code = _Code(context, builder, signature, arguments)
        for row in range(0, QUATERNIONS, LANE_COUNT):
            code.store(code.load(0, ir.Constant(LONG, row)), 1, arguments[2], row)
        return context.get_dummy_value()

    return types.void(scratch, out, types.int64), codegen


@intrinsic
def lerp_lanes(typingctx, scratch):
    """Interpolate the first row of two frames; it replaces that of the first."""

    def codegen(context, builder, signature, arguments):
        code = _Code(context, builder, signature, arguments)
        first, second = ir.Constant(LONG, 0), ir.Constant(LONG, QUATERNIONS)
        code.store(
            code.lerp(code.load(0, first), code.load(0, second), code.load(0, ir.Constant(LONG, ALPHA))), 0, first
        )
        return context.get_dummy_value()

    return types.void(scratch), codegen
