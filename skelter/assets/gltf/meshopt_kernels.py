"""Kernels of `skelter.assets.gltf.meshopt`: the bitstreams of EXT_meshopt_compression and KHR_meshopt_compression.

The data is hostile until proven otherwise, and every step works by the same rule. A step reads at most as many bytes
as the tail of its stream holds, and starts no later than where the tail begins, so it stays inside the data; after the
step the position is compared with the beginning of the tail, and a stream that ran past it is broken.

Source: Appendix A of KHR_meshopt_compression.
"""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np

from skelter.core.kernel import exact_kernel

OK, ENDS_EARLY, BYTES_LEFT, NO_HISTORY = range(4)
"""What a kernel writes to ``out_status[STATUS]``."""
POSITION, NEXT, LAST, EDGE_COUNT, VERTEX_COUNT, STATUS = range(6)
"""Elements of the int64 state of a kernel: where it reads, and what the triangle decoder remembers."""
STATE_SIZE = 6
FIFO_SIZE = 16

GROUP = 16
"""Elements whose deltas share a bit length."""
BLOCK_ELEMENTS_MAX = 256
BLOCK_BYTES_MAX = 8192
ZERO_CONTROL, LITERAL_CONTROL, VERSION_0_CONTROL = 2, 3, 4
"""Control modes of a byte position; 0 and 1 choose a row of `BIT_LENGTHS`. The last one is ours, not the format's."""
BIT_LENGTHS = np.array([[0, 1, 2, 4], [1, 2, 4, 8], [0, 0, 0, 0], [8, 8, 8, 8], [0, 2, 4, 8]], np.int64)
"""Bits of a delta by control mode and header bits."""

_UINT32 = 0xFFFFFFFF
_VARINT_BYTES_MAX = 5


@exact_kernel
def attributes_kernel(data, end, version, baseline, modes, deltas, out_elements, out_status):
    """Decode mode ATTRIBUTES: blocks of elements, each stored as deltas, byte position by byte position.

    Args:
        data: The stream, uint8.
        end: Where the tail of at least 24 bytes begins.
        version: Version of the stream, 0 or 1.
        baseline: The element before the first, uint8 ``[stride]``.
        modes: Channel mode of every 4 bytes, uint8 ``[stride / 4]``, checked.
        deltas: Scratch, uint8 ``[4, BLOCK_ELEMENTS_MAX]``.
        out_elements: uint8 ``[count, stride]``.
        out_status: int64 ``[STATE_SIZE]``.
    """
    count, stride = out_elements.shape
    block_max = min((BLOCK_BYTES_MAX // stride) & ~(GROUP - 1), BLOCK_ELEMENTS_MAX)
    position = 1
    previous = baseline
    for start in range(0, count, block_max):
        block = out_elements[start : start + block_max]
        controls = position
        position += stride // 4 * version
        for column in range(stride):
            if position <= end:
                shift = 2 * (column & 3)
                control = (np.int64(data[controls + column // 4]) >> shift) & 3 if version else VERSION_0_CONTROL
                position = _read_deltas(data, position, end, control, len(block), deltas[column & 3])
            if column & 3 == 3:
                _add_deltas(deltas, np.int64(modes[column // 4]), previous, column - 3, block)
        if position > end:
            break
        previous = block[len(block) - 1]
    _finish(position, end, out_status)


@exact_kernel
def _finish(position, end, out_status):
    """Judge a stream by the place where decoding stopped."""
    out_status[POSITION] = position
    if position > end:
        out_status[STATUS] = ENDS_EARLY
    elif position < end:
        out_status[STATUS] = BYTES_LEFT


@exact_kernel
def _read_deltas(data, position, end, control, count, out_deltas):
    """Read the deltas of one byte position of a block; return the position after them, past ``end`` if broken."""
    if control == ZERO_CONTROL:
        out_deltas[:count] = 0
        return position
    if control == LITERAL_CONTROL:
        if position + count <= end:
            for place in range(count):
                out_deltas[place] = data[position + place]
        return position + count
    group_count = (count + GROUP - 1) // GROUP
    headers = position
    position += (group_count + 3) // 4
    for group in range(group_count):
        if position > end:
            break
        bits = BIT_LENGTHS[control, (np.int64(data[headers + group // 4]) >> (2 * (group & 3))) & 3]
        position = _read_group(data, position, bits, out_deltas[group * GROUP : (group + 1) * GROUP])
    return position


@exact_kernel
def _read_group(data, position, bits, out_deltas):
    """Read 16 deltas of one bit length, at most 24 bytes; return the position after them."""
    if bits == 0:
        out_deltas[:] = 0
        return position
    if bits == 8:
        for place in range(GROUP):
            out_deltas[place] = data[position + place]
        return position + GROUP
    if bits == 1:
        return _unpack(data, position, 1, 0, out_deltas)
    if bits == 2:
        return _unpack(data, position, 2, 6, out_deltas)
    return _unpack(data, position, 4, 4, out_deltas)


@exact_kernel
def _unpack(data, position, bits, flip, out_deltas):
    """Unpack 16 codes of 1, 2 or 4 bits; a code of ones stands for a byte that follows the codes.

    Codes of 2 and 4 bits start at the high end of a byte, which ``flip`` = 8 - bits says; single bits at the low end.
    """
    sentinel = (1 << bits) - 1
    extra = position + 2 * bits
    for lane in range(GROUP):
        place = lane * bits
        code = (np.int64(data[position + place // 8]) >> ((place & 7) ^ flip)) & sentinel
        escaped = code == sentinel
        out_deltas[lane] = np.int64(data[extra]) if escaped else code
        extra += escaped
    return extra


@exact_kernel
def _add_deltas(deltas, mode, previous, column, out_block):
    """Turn the deltas of the 4 bytes from ``column`` on into values, by the mode of their channel."""
    if mode == 0:
        for byte in range(4):
            value = np.int64(previous[column + byte])
            for row in range(len(out_block)):
                delta = np.int64(deltas[byte, row])
                value += (delta >> 1) ^ -(delta & 1)
                out_block[row, column + byte] = value & 0xFF
    elif mode == 1:
        for byte in range(0, 4, 2):
            value = np.int64(previous[column + byte]) | np.int64(previous[column + byte + 1]) << 8
            for row in range(len(out_block)):
                delta = np.int64(deltas[byte, row]) | np.int64(deltas[byte + 1, row]) << 8
                value += (delta >> 1) ^ -(delta & 1)
                out_block[row, column + byte] = value & 0xFF
                out_block[row, column + byte + 1] = (value >> 8) & 0xFF
    else:
        _xor_deltas(deltas, mode >> 4, previous, column, out_block)


@exact_kernel
def _xor_deltas(deltas, rotation, previous, column, out_block):
    """Turn XOR deltas of 32 bits, which the encoder rotated left by ``rotation`` bits, into values."""
    value = np.int64(0)
    for byte in range(4):
        value |= np.int64(previous[column + byte]) << (8 * byte)
    for row in range(len(out_block)):
        delta = np.int64(0)
        for byte in range(4):
            delta |= np.int64(deltas[byte, row]) << (8 * byte)
        value ^= ((delta >> rotation) | (delta << (32 - rotation))) & _UINT32
        for byte in range(4):
            out_block[row, column + byte] = (value >> (8 * byte)) & 0xFF


@exact_kernel
def indices_kernel(data, end, out_indices, out_status):
    """Decode mode INDICES: deltas to one of two running values.

    Args:
        data: The stream, uint8.
        end: Where the tail of 4 bytes begins.
        out_indices: uint32 ``[count]``.
        out_status: int64 ``[STATE_SIZE]``.
    """
    position = 1
    last_0 = np.int64(0)
    last_1 = np.int64(0)
    for element in range(len(out_indices)):
        if position >= end:
            position = end + 1
            break
        code, position = _read_varint(data, position)
        delta = (code >> 2) ^ -((code >> 1) & 1)
        if code & 1:
            last_1 = (last_1 + delta) & _UINT32
            out_indices[element] = last_1
        else:
            last_0 = (last_0 + delta) & _UINT32
            out_indices[element] = last_0
    _finish(position, end, out_status)


@exact_kernel
def _read_varint(data, position):
    """Read 7 bits of each of at most 5 bytes; return the value, 32 bits, and the position after it."""
    value = np.int64(0)
    for byte in range(_VARINT_BYTES_MAX):
        code = np.int64(data[position + byte])
        value |= (code & 0x7F) << (7 * byte)
        if code < 0x80:
            return value & _UINT32, position + byte + 1
    return np.int64(0), len(data) + 1


@exact_kernel
def triangles_kernel(data, end, state, edges, vertices, out_triangles):
    """Decode mode TRIANGLES: a code byte for each triangle that says how it follows from recent edges and vertices.

    Args:
        data: The stream, uint8: header, one code a triangle, extra data, and a tail of 16 bytes, which is a table.
        end: Where the tail begins.
        state: Scratch and status, int64 ``[STATE_SIZE]``, zeros.
        edges: Scratch, uint32 ``[FIFO_SIZE, 2]``.
        vertices: Scratch, uint32 ``[FIFO_SIZE]``.
        out_triangles: uint32 ``[tri, 3]``.
    """
    state[POSITION] = 1 + len(out_triangles)
    for triangle in range(len(out_triangles)):
        code = np.int64(data[1 + triangle])
        if code < 0xF0:
            _grow_edge(data, code, state, edges, vertices, out_triangles[triangle])
        else:
            _start_triangle(data, end, code, state, edges, vertices, out_triangles[triangle])
        if state[POSITION] > end or state[STATUS] != OK:
            break
    if state[STATUS] == OK:
        _finish(state[POSITION], end, state)


@exact_kernel
def _grow_edge(data, code, state, edges, vertices, out_corners):
    """Decode a triangle ``a b c`` on a recent edge ``a b``; reads at most 5 bytes."""
    back = code >> 4
    how = code & 15
    if back >= state[EDGE_COUNT]:
        state[STATUS] = NO_HISTORY
        return
    slot = (state[EDGE_COUNT] - 1 - back) & (FIFO_SIZE - 1)
    a = edges[slot, 0]
    b = edges[slot, 1]
    if how == 0:
        c = _next_vertex(state)
    elif how < 13:
        c = _recent_vertex(vertices, how, state)
    elif how < 15:
        c = _near_vertex(-1 if how == 13 else 1, state)
    else:
        c = _explicit_vertex(data, state)
    _push_edge(c, b, state, edges)
    _push_edge(a, c, state, edges)
    if how == 0 or how >= 13:
        _push_vertex(c, state, vertices)
    _write_corners(a, b, c, out_corners)


@exact_kernel
def _start_triangle(data, end, code, state, edges, vertices, out_corners):
    """Decode a triangle that shares no recent edge; reads at most 16 bytes."""
    if code < 0xFE:
        corners = np.int64(data[end + (code & 15)])
    else:
        corners = np.int64(data[state[POSITION]])
        state[POSITION] += 1
        if corners == 0:
            state[NEXT] = 0
    a = _explicit_vertex(data, state) if code == 0xFF else _next_vertex(state)
    b = _corner(data, corners >> 4, vertices, state)
    c = _corner(data, corners & 15, vertices, state)
    _push_edge(b, a, state, edges)
    _push_edge(c, b, state, edges)
    _push_edge(a, c, state, edges)
    _push_vertex(a, state, vertices)
    if corners >> 4 in (0, 15):
        _push_vertex(b, state, vertices)
    if corners & 15 in (0, 15):
        _push_vertex(c, state, vertices)
    _write_corners(a, b, c, out_corners)


@exact_kernel
def _corner(data, how, vertices, state):
    """Return the vertex that 4 bits stand for: the next new one, an explicit one, or a recent one."""
    if how == 0:
        return _next_vertex(state)
    if how == 15:
        return _explicit_vertex(data, state)
    return _recent_vertex(vertices, how - 1, state)


@exact_kernel
def _next_vertex(state):
    """Return the lowest index that was not used yet."""
    value = state[NEXT]
    state[NEXT] = (value + 1) & _UINT32
    return value


@exact_kernel
def _near_vertex(step, state):
    """Return the last explicit index plus ``step``."""
    state[LAST] = (state[LAST] + step) & _UINT32
    return state[LAST]


@exact_kernel
def _explicit_vertex(data, state):
    """Return an index that is stored as a delta to the last explicit one; reads at most 5 bytes."""
    if state[POSITION] > len(data) - _VARINT_BYTES_MAX:
        state[POSITION] = len(data) + 1
        return np.int64(0)
    code, state[POSITION] = _read_varint(data, state[POSITION])
    return _near_vertex((code >> 1) ^ -(code & 1), state)


@exact_kernel
def _recent_vertex(vertices, back, state):
    """Return the vertex that was pushed ``back`` pushes before the last one."""
    if back >= state[VERTEX_COUNT]:
        state[STATUS] = NO_HISTORY
        return np.int64(0)
    return np.int64(vertices[(state[VERTEX_COUNT] - 1 - back) & (FIFO_SIZE - 1)])


@exact_kernel
def _push_edge(a, b, state, edges):
    slot = state[EDGE_COUNT] & (FIFO_SIZE - 1)
    edges[slot, 0] = a
    edges[slot, 1] = b
    state[EDGE_COUNT] += 1


@exact_kernel
def _push_vertex(vertex, state, vertices):
    vertices[state[VERTEX_COUNT] & (FIFO_SIZE - 1)] = vertex
    state[VERTEX_COUNT] += 1


@exact_kernel
def _write_corners(a, b, c, out_corners):
    out_corners[0] = a
    out_corners[1] = b
    out_corners[2] = c
