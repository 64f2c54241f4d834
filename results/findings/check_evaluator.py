# SPDX-License-Identifier: Apache-2.0
"""Runs a module on sets of values.

Every array is a function from an index to the set of values that this element may have; only the
elements that the certificate's element depends on, its cone, are ever computed.
"""

import itertools
import math

from check_elements import Value
from check_numbers import Broken, Unsupported
from check_text import COMPLEX, Shape

OPERATIONS = {}  # opcode -> Operation


class Operation:
    def __init__(self, kind, section, evaluate, together):
        self.kind, self.section, self.evaluate, self.together = kind, section, evaluate, together


def operation(kind, section, *opcodes, together=False):
    """The function evaluates these opcodes; `section` is the documents' name of the operation,
    that of a file of clauses. together: it is given the operands of all devices."""

    def register(function):
        for opcode in opcodes:
            section_name = section or opcode.replace("-", "_")
            OPERATIONS[opcode] = Operation(kind, section_name, function, together)
        return function

    return register


class Array:
    cone = {}  # opcode -> elements computed

    def __init__(self, shape, at, opcode=None):
        self.shape, self.at, self.opcode, self.known = shape, at, opcode, {}

    def __getitem__(self, index):
        index = tuple(index)
        if len(index) != len(self.shape.dims) or any(
            not 0 <= i < d for i, d in zip(index, self.shape.dims)
        ):
            raise Broken("index %s outside of %s" % (index, self.shape.dims))
        if index not in self.known:
            if self.opcode:
                Array.cone[self.opcode] = Array.cone.get(self.opcode, 0) + 1
            self.known[index] = self.at(index)
        return self.known[index]


def scalar(type_name, value):
    return Array(Shape(type_name, ()), lambda index: value)


def of_elements(shape, values):
    """An array of known values in row-major order."""
    strides = [math.prod(shape.dims[d + 1 :]) for d in range(len(shape.dims))]
    return Array(
        shape, lambda index: Value(frozenset([values[sum(i * s for i, s in zip(index, strides))]]))
    )


def indices(dims):
    return itertools.product(*(range(d) for d in dims))


class Evaluator:
    def __init__(self, module):
        self.module = module

    def computation(self, instruction, key="to_apply"):
        name = instruction.attribute(key).lstrip("%")
        if name not in self.module.computations:
            raise Broken("no computation " + name)
        return self.module.computations[name]

    def run(self, computation, arguments):
        return self.run_devices(computation, [arguments])[0]

    def run_devices(self, computation, arguments):
        """The results of all devices, which take each instruction together."""
        count = len(computation.parameters())
        if any(count != len(of_device) for of_device in arguments):
            raise Broken("%s: %d parameters, other arguments" % (computation.name, count))
        values = [{} for _ in arguments]
        for i in computation.instructions:
            operands = [[known[name] for name in i.operands] for known in values]
            for device, known in enumerate(values):
                if i.opcode == "parameter":
                    known[i.name] = arguments[device][int(i.argument)]
                    if shape_of(known[i.name]) != i.shape:
                        raise Broken("%s: an argument of another shape" % i.name)
                else:
                    known[i.name] = self.evaluate(i, operands[device], operands, device)
        return [known[computation.root] for known in values]

    def evaluate(self, i, operands, of_all, device):
        row = OPERATIONS.get(i.opcode)
        types = {a.shape.type for value in operands for a in leaves(value)} | set(types_of(i.shape))
        if row is None or (types & set(COMPLEX) and row.kind in ("comparison", "sum", "selection")):
            return unknown(i.shape, "the operation %s of %s" % (i.opcode, ", ".join(sorted(types))))
        try:
            given = (of_all, device) if row.together else (operands,)
            made = row.evaluate(self, i, *given)
        except Unsupported as reason:  # no error unless the cone reaches it
            return unknown(i.shape, str(reason))
        if shape_of(made) != i.shape:
            raise Broken("%s: the result has another shape" % i.name)
        return labelled(made, i.opcode)

    def apply(self, computation, types, values):
        """A computation of scalars on single values."""
        made = self.run(computation, [scalar(t, v) for t, v in zip(types, values)])
        return [leaf[()] for leaf in leaves(made)]


def labelled(made, opcode):
    """The same values, counted as those of an instruction."""
    if isinstance(made, tuple):
        return tuple(labelled(part, opcode) for part in made)
    return Array(made.shape, made.__getitem__, opcode)


def unknown(shape, what):
    if isinstance(shape, tuple):
        return tuple(unknown(s, what) for s in shape)

    def refuse(index):
        raise Unsupported(what)

    return Array(shape, refuse)


def types_of(shape):
    return (
        [t for part in shape for t in types_of(part)] if isinstance(shape, tuple) else [shape.type]
    )


def shape_of(value):
    return tuple(map(shape_of, value)) if isinstance(value, tuple) else value.shape


def leaves(value):
    return (
        [leaf for part in value for leaf in leaves(part)] if isinstance(value, tuple) else [value]
    )
