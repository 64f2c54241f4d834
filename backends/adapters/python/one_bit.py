# SPDX-License-Identifier: Apache-2.0
"""Does a HloModuleProto have integers of one bit? StableHLO has none: jaxlib's conversion makes a
pred of s1, which computes something else, and writes an ui1 of u1, which its own reader refuses.

Field numbers and types are those of spec/proto/hlo.proto and data.proto.
"""

from hlocts_frames import fields

COMPUTATIONS, INSTRUCTIONS, SHAPE, ELEMENT_TYPE, TUPLE_SHAPES = 3, 2, 3, 2, 4
S1, U1 = 30, 31


def in_shape(shape):
    return any(
        value in (S1, U1) if number == ELEMENT_TYPE else number == TUPLE_SHAPES and in_shape(value)
        for number, value in fields(shape)
    )


def has_one_bit_integers(proto):
    return any(
        in_shape(shape)
        for part, computation in fields(proto)
        if part == COMPUTATIONS
        for kind, instruction in fields(computation)
        if kind == INSTRUCTIONS
        for number, shape in fields(instruction)
        if number == SHAPE
    )
