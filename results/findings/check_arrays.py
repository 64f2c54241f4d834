# SPDX-License-Identifier: Apache-2.0
"""Operations on arrays, element by element, and moves: which elements of the operands make one
element of the result."""

import itertools
import math

import check_complex as complexes
import check_elements as elements
from check_elements import Value, joined
from check_evaluator import Array, of_elements, operation
from check_formats import FORMATS, everything, is_float, width_of, wrap
from check_numbers import ANY, Broken, Nan, Real
from check_reals import FUNCTIONS
from check_text import COMPLEX, parse_elements


def same_dims(i, operands):
    for operand in operands:
        if operand.shape.dims != i.shape.dims:
            raise Broken("%s: an operand of dimensions %s" % (i.name, operand.shape.dims))


def same_type(i, operands):
    if len({operand.shape.type for operand in operands}) != 1:
        raise Broken("%s: operands of different types" % i.name)


# Values that are there.


@operation("move", "general", "constant")
def constant(run, i, operands):
    return of_elements(i.shape, parse_elements(i.shape, i.argument))


@operation("move", None, "iota")
def iota(run, i, operands):
    dimension = int(i.attribute("iota_dimension"))

    def at(index):
        n = index[dimension]
        if i.shape.type in COMPLEX:
            return complexes.converted("s64", i.shape.type, Value(frozenset([n])))
        if is_float(i.shape.type):
            return elements.convert("s64", i.shape.type, Value(frozenset([n])))
        return Value(frozenset([wrap(i.shape.type, n)]))

    return Array(i.shape, at)


# Element by element.


@operation("function", "elementwise_binary", "power", "atan2")
@operation(
    "arithmetic",
    "elementwise_binary",
    "add",
    "subtract",
    "multiply",
    "divide",
    "remainder",
    "maximum",
    "minimum",
    "and",
    "or",
    "xor",
    "shift-left",
    "shift-right-arithmetic",
    "shift-right-logical",
)
def binary(run, i, operands):
    same_dims(i, operands)
    same_type(i, operands)
    left, right = operands
    apply = complexes.pairwise if left.shape.type in COMPLEX else elements.binary
    return Array(i.shape, lambda index: apply(i.opcode, left.shape.type, left[index], right[index]))


UNARY_INTEGERS = ("not", "popcnt", "count-leading-zeros")
UNARY_FLOATS = (
    "real",
    "imag",
    "floor",
    "ceil",
    "round-nearest-even",
    "round-nearest-afz",
    "is-finite",
)


@operation("function", "elementwise_unary", *FUNCTIONS)
@operation(
    "arithmetic", "elementwise_unary", "abs", "negate", "sign", *UNARY_INTEGERS, *UNARY_FLOATS
)
def unary(run, i, operands):
    same_dims(i, operands)
    (operand,) = operands
    apply = elements.float_unary if is_float(operand.shape.type) else elements.integer_unary
    if operand.shape.type in COMPLEX:
        apply = complexes.unary
    return Array(i.shape, lambda index: apply(i.opcode, operand.shape.type, operand[index]))


@operation("move", "elementwise_binary", "complex")
def make_complex(run, i, operands):
    same_dims(i, operands)
    real, imaginary = operands
    return Array(i.shape, lambda index: complexes.joined_parts(real[index], imaginary[index]))


@operation("comparison", "elementwise_comparison", "compare")
def compare(run, i, operands):
    same_dims(i, operands)
    same_type(i, operands)
    left, right = operands
    total = i.attributes.get("type") == "TOTALORDER"
    return Array(
        i.shape,
        lambda index: elements.compare(
            left.shape.type, i.attribute("direction"), total, left[index], right[index]
        ),
    )


@operation("selection", None, "select")
def select(run, i, operands):
    same_type(i, operands[1:])
    same_dims(i, operands[1:])
    predicate, on_true, on_false = operands

    def at(index):
        choice = predicate[index if predicate.shape.dims else ()].stored
        if choice == ANY:
            choice = {0, 1}
        return joined([(on_true if c else on_false)[index] for c in sorted(choice, reverse=True)])

    return Array(i.shape, at)


@operation("selection", None, "clamp")
def clamp(run, i, operands):
    same_type(i, operands)
    low, operand, high = operands
    pick = lambda array, index: array[index if array.shape.dims else ()]
    return Array(
        i.shape,
        lambda index: elements.clamp(
            i.shape.type, pick(low, index), operand[index], pick(high, index)
        ),
    )


@operation("conversion", "convert_element_type", "convert")
def convert(run, i, operands):
    same_dims(i, operands)
    (operand,) = operands
    source, target = operand.shape.type, i.shape.type
    apply = complexes.converted if {source, target} & set(COMPLEX) else elements.convert
    return Array(i.shape, lambda index: apply(source, target, operand[index]))


@operation("conversion", None, "reduce-precision")
def reduce_precision(run, i, operands):
    same_dims(i, operands)
    (operand,) = operands
    bits = int(i.attribute("exponent_bits")), int(i.attribute("mantissa_bits"))
    return Array(
        i.shape, lambda index: elements.reduce_precision(i.shape.type, *bits, operand[index])
    )


def bits_of(type_name, value):
    """The bit patterns of a value, ANY if not all are known."""
    if value.stored == ANY or not is_float(type_name):
        return (
            value.stored
            if value.stored == ANY
            else {n % (1 << width_of(type_name)) for n in value.stored}
        )
    known = all(not isinstance(p, Real) or p.lo == p.hi for p in value.stored)
    known = known and Nan() not in value.stored
    return {FORMATS[type_name].encode(p) for p in value.stored} if known else ANY


def from_bits(type_name, patterns):
    if patterns == ANY:
        return Value(everything(FORMATS[type_name]) if is_float(type_name) else ANY)
    if is_float(type_name):
        return Value(frozenset(FORMATS[type_name].decode(b) for b in patterns))
    return Value(frozenset(wrap(type_name, b) for b in patterns))


@operation("conversion", "bitcast_convert_type", "bitcast-convert")
def bitcast_convert(run, i, operands):
    """A new last dimension holds the parts of a wider element, the low-order part first (ruling
    0038)."""
    (operand,) = operands
    source, target = operand.shape.type, i.shape.type
    wide, narrow = width_of(source), width_of(target)
    dims = operand.shape.dims
    expected = dims if wide == narrow else dims + (wide // narrow,) if wide > narrow else dims[:-1]
    if expected != i.shape.dims:
        raise Broken(i.name + ": not the dimensions of the result")

    def at(index):
        if wide == narrow:
            return from_bits(target, bits_of(source, operand[index]))
        if wide > narrow:
            patterns = bits_of(source, operand[index[:-1]])
            part = lambda b: b >> (narrow * index[-1]) & ((1 << narrow) - 1)
            return from_bits(target, ANY if patterns == ANY else set(map(part, patterns)))
        parts = [bits_of(source, operand[index + (n,)]) for n in range(narrow // wide)]
        if ANY in parts:
            return from_bits(target, ANY)
        whole = lambda bits: sum(b << (wide * n) for n, b in enumerate(bits))
        return from_bits(target, {whole(bits) for bits in itertools.product(*parts)})

    return Array(i.shape, at)


# Moves.


@operation("move", "tuple", "tuple")
def make_tuple(run, i, operands):
    return tuple(operands)


@operation("move", None, "get-tuple-element")
def get_tuple_element(run, i, operands):
    n = int(i.attribute("index"))
    if not isinstance(operands[0], tuple) or n >= len(operands[0]):
        raise Broken(i.name + ": no such element")
    return operands[0][n]


@operation("move", "optimization_barrier", "opt-barrier", "copy")
def same(run, i, operands):
    return operands[0]


@operation("move", None, "broadcast")
def broadcast(run, i, operands):
    dimensions = i.integers("dimensions", ())
    (operand,) = operands
    if [i.shape.dims[d] for d in dimensions] != list(operand.shape.dims):
        raise Broken(i.name + ": dimensions do not fit")
    return Array(i.shape, lambda index: operand[[index[d] for d in dimensions]])


@operation("move", None, "reshape")
def reshape(run, i, operands):
    (operand,) = operands
    if math.prod(operand.shape.dims) != math.prod(i.shape.dims):
        raise Broken(i.name + ": another number of elements")

    def at(index):
        n = 0
        for position, size in zip(index, i.shape.dims):
            n = n * size + position
        source = []
        for size in reversed(operand.shape.dims):
            source.append(n % size)
            n //= size
        return operand[reversed(source)]

    return Array(i.shape, at)


@operation("move", None, "transpose")
def transpose(run, i, operands):
    permutation = i.integers("dimensions")
    return Array(
        i.shape,
        lambda index: operands[0][[index[permutation.index(d)] for d in range(len(permutation))]],
    )


@operation("move", "rev", "reverse")
def reverse(run, i, operands):
    turned = i.integers("dimensions")
    return Array(
        i.shape,
        lambda index: operands[0][
            [i.shape.dims[d] - 1 - n if d in turned else n for d, n in enumerate(index)]
        ],
    )


@operation("move", None, "slice")
def slice_(run, i, operands):
    ranges = [
        [int(n) for n in part.strip("[] ").split(":")]
        for part in i.attribute("slice").strip("{}").split(",")
        if part
    ]
    return Array(
        i.shape,
        lambda index: operands[0][
            [r[0] + n * (r[2] if len(r) > 2 else 1) for r, n in zip(ranges, index)]
        ],
    )


@operation("move", None, "concatenate")
def concatenate(run, i, operands):
    (dimension,) = i.integers("dimensions")

    def at(index):
        n = index[dimension]
        for operand in operands:
            size = operand.shape.dims[dimension]
            if n < size:
                return operand[index[:dimension] + (n,) + index[dimension + 1 :]]
            n -= size
        raise Broken(i.name + ": more elements than the operands have")

    return Array(i.shape, at)


@operation("move", None, "pad")
def pad(run, i, operands):
    operand, padding = operands
    config = (
        [[int(n) for n in part.split("_")] for part in i.attribute("padding").split("x")]
        if i.shape.dims
        else []
    )

    def at(index):
        source = []
        for n, row, size in zip(index, config, operand.shape.dims):
            n, step = n - row[0], 1 + (row[2] if len(row) > 2 else 0)
            if n < 0 or n % step or n // step >= size:
                return padding[()]
            source.append(n // step)
        return operand[source]

    return Array(i.shape, at)
