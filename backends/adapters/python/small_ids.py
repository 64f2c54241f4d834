# SPDX-License-Identifier: Apache-2.0
"""Rewrites a HloModuleProto for releases before 2026, which reject instruction ids above 2^31 - 1.

In newer protos, the lower half of an id numbers the instructions of a computation, and the upper
half is the computation's number. Field numbers are those of spec/proto/hlo.proto.
"""
from hlocts_frames import field, fields, read_varint, varint

COMPUTATIONS, INSTRUCTIONS, ROOT, ID, OPERANDS, PREDECESSORS = 3, 2, 6, 35, 36, 37


def ids_of(computation):
    """Returns the ids of the computation's instructions, in order."""
    for number, instruction in fields(computation):
        if number == INSTRUCTIONS:
            yield next((value for key, value in fields(instruction) if key == ID), 0)


def renumbered(value, numbers):
    if isinstance(value, int):
        return numbers.get(value, value)
    at, out = 0, b""
    while at < len(value):
        one, at = read_varint(value, at)
        out += varint(numbers.get(one, one))
    return out


def copied(message, change):
    return b"".join(field(number, change(number, value)) for number, value in fields(message))


def with_small_ids(proto):
    count = -1  # an id of 0 has no field

    def of_computation(number, computation):
        nonlocal count
        if number != COMPUTATIONS:
            return computation
        numbers = {}
        for old in ids_of(computation):  # operands may have only the lower half of the id
            count += 1
            numbers[old] = numbers[old & 0xFFFFFFFF] = count

        def of_instruction(key, value):
            return renumbered(value, numbers) if key in (ID, OPERANDS, PREDECESSORS) else value

        def of_part(key, value):
            if key == INSTRUCTIONS:
                return copied(value, of_instruction)
            return numbers.get(value, value) if key == ROOT else value

        return copied(computation, of_part)

    return copied(proto, of_computation)
