# SPDX-License-Identifier: Apache-2.0
"""Finds integers of one bit in a HloModuleProto. StableHLO has none: jaxlib's converter turns s1
into pred, which has other values, and u1 into ui1, which jaxlib's own parser rejects.

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
