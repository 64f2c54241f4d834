# SPDX-License-Identifier: Apache-2.0
"""Implements the worker protocol (backends/worker.proto) for engines in Python; needs only numpy.

    serve("mine", "1.0", load)

load(text) gets the module as HLO text and returns run(arguments) -> outputs: lists of numpy arrays,
one per leaf, tuples flattened depth first. Raise Unsupported for a feature that the engine lacks,
Refused for an invalid module. Types that numpy lacks (bf16, f8, f4) are passed as bits in unsigned
integers, 2- and 4-bit integers as 8-bit values.
"""
import os
import struct
import sys

import numpy as np

REFUSED, UNSUPPORTED, FAILED = 3, 12, 13  # google.rpc.Code

TYPES = {
    "pred": "?", "s8": "i1", "s16": "i2", "s32": "i4", "s64": "i8", "u8": "u1", "u16": "u2", "u32": "u4",
    "u64": "u8", "s1": "i1", "s2": "i1", "s4": "i1", "u1": "u1", "u2": "u1", "u4": "u1", "f16": "f2",
    "bf16": "u2", "f32": "f4", "f64": "f8", "c64": "c8", "c128": "c16",
}


class Unsupported(Exception):
    pass


class Refused(Exception):
    pass


class Copies(tuple):
    """The result of run() if the engine partitions the module and devices hold different copies of
    an element: the leaves with one copy, and the leaves with the other."""


class Leaf:
    """A numpy array with its HLO element type (which numpy cannot always express)."""

    def __init__(self, element_type, array):
        self.element_type, self.array = element_type, np.asarray(array)


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def fields(data):
    """Yields (field number, value) of a serialized message; sub-messages stay bytes."""
    at = 0
    while at < len(data):
        key, at = read_varint(data, at)
        if key & 7 == 0:
            value, at = read_varint(data, at)
        elif key & 7 == 1:
            value, at = struct.unpack_from("<d", data, at)[0], at + 8
        elif key & 7 == 5:  # kept as four bytes, which field() writes back
            value, at = Fixed32(data[at : at + 4]), at + 4
        else:
            size, at = read_varint(data, at)
            value, at = data[at:at + size], at + size
        yield key >> 3, value


class Fixed32(bytes):
    pass


def field(number, value):
    if isinstance(value, Fixed32):
        return varint(number << 3 | 5) + value
    if isinstance(value, str):
        value = value.encode()
    if isinstance(value, bytes):
        return varint(number << 3 | 2) + varint(len(value)) + value
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    return varint(number << 3) + varint(value)


def decode_leaf(data):
    element_type, dimensions, raw = "", [], b""
    for number, value in fields(data):
        if number == 1:
            element_type = value.decode()
        elif number == 2:  # packed
            at = 0
            while at < len(value):
                size, at = read_varint(value, at)
                dimensions.append(size)
        elif number == 3:
            raw = value
        elif number == 7:
            raise Unsupported("dynamic dimensions")
    if element_type == "token":
        raise Unsupported("tokens")
    dtype = np.dtype("<" + TYPES.get(element_type, "u1"))
    return Leaf(element_type, np.frombuffer(raw, dtype).reshape(dimensions).copy())


def encode_leaf(leaf):
    raw = np.ascontiguousarray(leaf.array).tobytes()
    sizes = b"".join(varint(size) for size in leaf.array.shape)
    return field(1, leaf.element_type) + (field(2, sizes) if sizes else b"") + field(3, raw)


def read_frame(stream):
    size = shift = 0
    while True:
        byte = stream.read(1)
        if not byte:
            return None
        size |= (byte[0] & 0x7F) << shift
        shift += 7
        if byte[0] < 0x80:
            return stream.read(size)


def execute(run, request):
    devices = [[decode_leaf(leaf) for number, leaf in fields(value) if number == 1]
               for number, value in fields(request) if number == 1]
    results = [run(device) for device in devices]
    if len(results) == 1 and isinstance(results[0], Copies):
        results = results[0]
    outputs = b"".join(field(1, b"".join(field(1, encode_leaf(leaf)) for leaf in leaves))
                       for leaves in results)
    return field(3, outputs)


def serve(name, version, load, capabilities=("execute", "text"), facts=(), proto=False,
          unavailable_reason=""):
    """If `proto` is true, load() gets the module as a serialized HloModuleProto, not as text."""
    stdin, stdout = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of the engine must not break the frames
    run = None
    while (frame := read_frame(stdin)) is not None:
        kind, body = next(fields(frame))
        try:
            if kind == 1:
                hello = field(1, 1) + field(2, name) + field(3, version) + field(5, int(not proto))
                hello += field(8, unavailable_reason) if unavailable_reason else b""
                hello += b"".join(field(4, word) for word in capabilities)
                reply = field(1, hello + b"".join(field(7, fact) for fact in facts))
            elif kind == 2:
                message = dict(fields(body))
                if message.get(3, 1) * message.get(4, 1) > 1:
                    raise Unsupported("modules for more than one device are not supported")
                run = load(message.get(2, b"") if proto else message.get(1, b"").decode())
                reply = field(2, 1)
            elif kind == 3:
                reply = execute(run, body)
            else:
                continue
        except Exception as error:
            code = REFUSED if isinstance(error, Refused) else UNSUPPORTED if isinstance(error, Unsupported) else FAILED
            text = str(error) if code != FAILED else f"{type(error).__name__}: {error}"
            reply = field(4, field(1, code) + field(2, text))
        stdout.write(varint(len(reply)) + reply)
        stdout.flush()
