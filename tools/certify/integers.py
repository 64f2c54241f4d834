# SPDX-License-Identifier: Apache-2.0
"""Evaluates operations on sets of integers and predicates; they are exact, modulo 2^w."""

import itertools
import math
import operator

from formats import fits, width_of, wrap
from sets import ANY, OPEN, READINGS, Unsupported, Value

MOST_PIECES = 64  # limit of the number of values of one integer element that are tracked


def over(function, *sets):
    """Applies `function` to every combination of values. If a call returns None, returns ANY."""
    if any(s == ANY for s in sets) or math.prod(len(s) for s in sets) > MOST_PIECES**2:
        return Value(ANY)
    values = {function(*combination) for combination in itertools.product(*sets)}
    return Value(ANY if None in values or len(values) > MOST_PIECES else frozenset(values))


def known_range(type_name, values):
    """Returns `values`; if it is ANY of a narrow type, returns all values of the type."""
    if values == ANY and width_of(type_name) <= 4:
        return frozenset(wrap(type_name, n) for n in range(1 << width_of(type_name)))
    return values


def truncated(a, b):
    """Divides and rounds toward zero; division by zero yields any value (ruling 0006)."""
    if b == 0:
        return None
    if a % b:
        READINGS.add("integer division rounds towards zero (ruling 0006)")
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def dividend_signed(a, b):
    rest = a - truncated(a, b) * b
    if rest and (a < 0) != (b < 0):
        READINGS.add("Rem has the sign of the dividend (ruling 0001)")
    return rest


UNSIGNED_SHIFT = "an arithmetic shift copies the highest bit of unsigned numbers too (ruling 0005)"


def integer_power(a, b):
    """Returns an integer power (ruling 0018)."""
    if b >= 0:
        return pow(a, b, 1 << 64) if abs(a) > 1 else a**b
    READINGS.add("powers of integers by negative exponents (ruling 0018)")
    if OPEN[0] and abs(a) != 1:
        return None
    return {1: 1, -1: 1 if b % 2 == 0 else -1, 0: None}.get(a, 0)


def integer_binary(opcode, type_name, left, right):
    width = width_of(type_name)
    unsigned = lambda n: n % (1 << width)
    shift = lambda operation: lambda a, b: (
        operation(a, unsigned(b)) if unsigned(b) < width else None
    )
    if type_name == "pred" and opcode in ("add", "multiply"):
        READINGS.add("a sum of predicates is or, a product and (ruling 0079)")
        opcode = {"add": "or", "multiply": "and"}[opcode]
    divided = lambda operation: lambda a, b: (
        None if b == 0 or not fits(type_name, truncated(a, b)) else operation(a, b)
    )
    def arithmetic(a, n):
        if signed(a) >= 0 or type_name[0] == "s":
            return signed(a) >> n
        READINGS.add(UNSIGNED_SHIFT)
        return None if OPEN[0] else signed(a) >> n

    operation = {
        "add": operator.add,
        "subtract": operator.sub,
        "multiply": operator.mul,
        "divide": divided(truncated),
        "remainder": divided(dividend_signed),
        "maximum": max,
        "minimum": min,
        "power": integer_power,
        "and": operator.and_,
        "or": operator.or_,
        "xor": operator.xor,
        "shift-left": shift(lambda a, n: a << n),
        "shift-right-arithmetic": shift(arithmetic),
        "shift-right-logical": shift(lambda a, n: unsigned(a) >> n),
    }.get(opcode)
    if operation is None:
        raise Unsupported("%s of %s" % (opcode, type_name))
    signed = lambda a: wrap("s%d" % width, a)
    return over(
        lambda a, b: overflowed(opcode, type_name, operation(a, b)), left.stored, right.stored
    )


WRAPPING = ("abs", "add", "convert", "iota", "multiply", "negate", "power", "subtract")


def overflowed(opcode, type_name, n):
    """Returns n modulo 2^w. Wrapping is an interpretation: the documents do not define overflow."""
    if n is None:
        return None
    wrapped = wrap(type_name, n)
    if wrapped != n and type_name != "pred" and opcode in WRAPPING:
        READINGS.add("integers wrap modulo 2^%d (ruling 0078)" % width_of(type_name))
        return None if OPEN[0] else wrapped
    return wrapped


def integer_unary(opcode, type_name, operand):
    width = width_of(type_name)
    bits = lambda n: n % (1 << width)
    operation = {
        "abs": abs,
        "negate": lambda n: -n,
        "sign": lambda n: (n > 0) - (n < 0),
        "not": lambda n: 1 - n if type_name == "pred" else ~n,
        "popcnt": lambda n: bin(bits(n)).count("1"),
        "count-leading-zeros": lambda n: width - bits(n).bit_length(),
    }.get(opcode)
    if operation is None:
        raise Unsupported("%s of %s" % (opcode, type_name))
    return over(lambda n: overflowed(opcode, type_name, operation(n)), operand.stored)
