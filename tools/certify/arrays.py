# SPDX-License-Identifier: Apache-2.0
"""Evaluates element-wise operations and data movement on arrays."""

import functools
import re

import numpy as np

import complexes
import elements
from evaluator import Array, Cell, each, objects, of_elements, operation
from formats import COMPLEX, FORMATS, everything, is_float, width_of, wrap
from integers import integer_unary, over, overflowed
from reals import FUNCTIONS
from sets import ANY, OPEN, READINGS, Broken, Nan, Real, Value, joined
from text import Shape, parse_elements

# --- Known values ---


@operation("move", "general", "constant")
def constant(run, i, operands):
    return of_elements(i.shape, parse_elements(i.shape, i.argument))


@operation("move", None, "iota")
def iota(run, i, operands):
    positions = np.indices(i.shape.dims)[int(i.attribute("iota_dimension"))]
    if i.shape.type in FORMATS or i.shape.type in COMPLEX:
        return conversion("s64", i.shape.type, of_elements(i.shape, positions.ravel().tolist()))
    counted = of_elements(Shape("s64", i.shape.dims), map(int, positions.flat))
    modular = functools.partial(overflowed, "iota", i.shape.type)
    return each(i.shape.type, lambda n: over(modular, n.stored), counted)


# --- Element-wise operations ---


def same(i, shapes, field):
    if len({getattr(s, field) for s in shapes}) != 1:
        raise Broken("%s: operands with different %s" % (i.name, field))


@operation("function", "elementwise_binary", "power", "atan2")
@operation(
    "arithmetic", "elementwise_binary", "add", "subtract", "multiply", "divide", "remainder",
    "maximum", "minimum", "and", "or", "xor", "shift-left", "shift-right-arithmetic",
    "shift-right-logical",
)  # fmt: skip
def binary(run, i, operands):
    left, right = operands
    same(i, [i.shape, left.shape, right.shape], "dims")
    same(i, [left, right], "type")
    apply = complexes.pairwise if left.type in COMPLEX else elements.binary
    return each(i.shape.type, lambda a, b: apply(i.opcode, left.type, a, b), left, right)


@operation("function", "elementwise_unary", *FUNCTIONS)
@operation(
    "arithmetic", "elementwise_unary", "abs", "negate", "sign", "not", "popcnt",
    "count-leading-zeros", "real", "imag", "floor", "ceil", "round-nearest-even",
    "round-nearest-afz", "is-finite",
)  # fmt: skip
def unary(run, i, operands):
    (operand,) = operands
    apply = elements.float_unary if is_float(operand.type) else integer_unary
    if operand.type in COMPLEX:
        apply = complexes.unary
    return each(i.shape.type, lambda a: apply(i.opcode, operand.type, a), operand)


@operation("move", "elementwise_binary", "complex")
def make_complex(run, i, operands):
    same(i, [i.shape] + [o.shape for o in operands], "dims")
    return each(i.shape.type, complexes.joined_parts, *operands)


@operation("comparison", "elementwise_comparison", "compare")
def compare(run, i, operands):
    same(i, [i.shape] + [o.shape for o in operands], "dims")
    same(i, operands, "type")
    order = i.attribute("direction"), i.attributes.get("type") == "TOTALORDER"
    return each("pred", lambda a, b: elements.compare(operands[0].type, *order, a, b), *operands)


@operation("selection", None, "select")
def select(run, i, operands):
    same(i, operands[1:], "type")
    same(i, [i.shape] + [o.shape for o in operands[1:]], "dims")

    def either(predicate, *cells):
        choice = {0, 1} if predicate.value.stored == ANY else predicate.value.stored
        return joined([cells[1 - c].value for c in sorted(choice, reverse=True)])

    cells = np.broadcast_arrays(*(o.cells for o in operands))
    made = (Cell(lambda given=given: either(*given)) for given in zip(*(c.flat for c in cells)))
    return Array(i.shape.type, objects(i.shape.dims, made))


@operation("selection", None, "clamp")
def clamp(run, i, operands):
    same(i, operands, "type")
    return each(i.shape.type, lambda *given: elements.clamp(i.shape.type, *given), *operands)


def conversion(source, target, operand):
    apply = complexes.converted if {source, target} & set(COMPLEX) else elements.convert
    return each(target, lambda a: apply(source, target, a), operand)


@operation("conversion", "convert_element_type", "convert")
def convert(run, i, operands):
    return conversion(operands[0].type, i.shape.type, operands[0])


@operation("conversion", None, "reduce-precision")
def reduce_precision(run, i, operands):
    bits = int(i.attribute("exponent_bits")), int(i.attribute("mantissa_bits"))
    reduce = lambda a: elements.reduce_precision(i.shape.type, *bits, a)
    return each(i.shape.type, reduce, *operands)


def bits_of(type_name, value):
    """Returns the bit patterns of a value, or ANY if not all of them are known."""
    if value.stored == ANY:
        return ANY
    if not is_float(type_name):
        return {n % (1 << width_of(type_name)) for n in value.stored}
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
    """Adds a dimension for the parts of a wider element, with the low-order part first (ruling
    0038)."""
    (operand,) = operands
    source, target = operand.type, i.shape.type
    wide, narrow = width_of(source), width_of(target)
    count = max(wide, narrow) // min(wide, narrow)
    if count > 1:
        READINGS.add("the low-order part of a wider element comes first (ruling 0038)")

    def part(value, n):
        patterns = bits_of(source, value)
        cut = lambda b: b >> (narrow * n) & ((1 << narrow) - 1)
        return from_bits(target, ANY if patterns == ANY else set(map(cut, patterns)))

    def whole(*values):
        made = {0}
        for n, value in enumerate(values):
            patterns = bits_of(source, value)
            if patterns == ANY:
                return from_bits(target, ANY)
            made = {m | b << (wide * n) for m in made for b in patterns}
        return from_bits(target, made)

    if wide > narrow:
        either = lambda n: {n, count - 1 - n} if OPEN[0] else {n}
        parts = [
            each(target, lambda v, n=n: joined(part(v, m) for m in either(n)), operand)
            for n in range(count)
        ]
        return Array(target, np.stack([p.cells for p in parts], axis=-1))
    if wide == narrow:
        return each(target, whole, operand)
    parts = [Array(source, operand.cells[..., n]) for n in range(count)]
    swapped = lambda *values: joined([whole(*values), whole(*values[::-1])])
    return each(target, swapped if OPEN[0] else whole, *parts)


# --- Data movement ---


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
def unchanged(run, i, operands):
    return operands[0]


def move(opcode, section=None):
    """Returns a decorator for a function that moves the cells of its operands."""

    def register(function):
        def moved(run, i, operands):
            return Array(i.shape.type, function(i, *(o.cells for o in operands)))

        return operation("move", section, opcode)(moved)

    return register


@move("broadcast")
def broadcast(i, cells):
    dimensions = i.integers("dimensions", ())
    if [i.shape.dims[d] for d in dimensions] != list(cells.shape):
        raise Broken(i.name + ": dimensions do not match")
    aligned = cells.transpose(np.argsort(dimensions)) if dimensions else cells
    others = [d for d in range(len(i.shape.dims)) if d not in dimensions]
    return np.broadcast_to(np.expand_dims(aligned, others), i.shape.dims)


@move("reshape")
def reshape(i, cells):
    return cells.reshape(i.shape.dims)


@move("transpose")
def transpose(i, cells):
    return cells.transpose(i.integers("dimensions"))


@move("reverse", "rev")
def reverse(i, cells):
    return np.flip(cells, i.integers("dimensions"))


@move("slice")
def slice_(i, cells):
    ranges = re.findall(r"\[([^\]]*)\]", i.attribute("slice"))
    return cells[tuple(slice(*map(int, part.split(":"))) for part in ranges)]


@move("concatenate")
def concatenate(i, *cells):
    return np.concatenate(cells, *i.integers("dimensions"))


@move("pad")
def pad(i, cells, padding):
    texts = i.attribute("padding").split("x")[: cells.ndim]
    if "-" in i.attribute("padding"):
        READINGS.add("negative padding removes elements after the interior padding (ruling 0045)")
    return padded(cells, [[*map(int, t.split("_")), 0][:3] for t in texts], padding[()])


def padded(cells, rows, filler):
    """Pads cells by rows of (low, high, interior). Negative padding removes elements."""
    low, high, interior = np.array(rows, int).reshape(-1, 3).T
    spread = np.maximum(0, cells.shape + (np.array(cells.shape, int) - 1) * interior)
    first = np.maximum(low, 0)
    made = np.empty(first + spread + np.maximum(high, 0), object)
    made[...] = filler
    made[(*map(slice, first, first + spread, interior + 1), ...)] = cells
    last = np.maximum(0, made.shape + np.minimum(high, 0))
    return made[(*map(slice, np.maximum(-low, 0), last), ...)]
