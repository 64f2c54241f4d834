# SPDX-License-Identifier: Apache-2.0
"""Exact results of operations on pieces: of reals by rational arithmetic, of functions as
enclosures, at zeros and infinities as IEEE 754 and annex F of C99 have it (ruling 0083)."""

from dataclasses import dataclass
from fractions import Fraction
import math

import check_functions as functions
from check_numbers import HUGE, Inf, Nan, Real, reals, TINY, Zero


def ends(p):
    """Both ends of a piece that is no NaN, on the extended line."""
    if isinstance(p, Zero):
        return Fraction(0), Fraction(0)
    return (math.inf * p.sign,) * 2 if isinstance(p, Inf) else (p.lo, p.hi)


def finite(*pieces):
    return all(isinstance(p, (Zero, Real)) for p in pieces)


def negated(p):
    if isinstance(p, Nan):
        return p
    return Real(-p.hi, -p.lo) if isinstance(p, Real) else type(p)(-p.sign)


def add(a, b):
    if finite(a, b):
        lo, hi = ends(a)[0] + ends(b)[0], ends(a)[1] + ends(b)[1]
        return reals(lo, hi, zero_signs=(1, -1))  # the sign of a zero sum is free (ruling 0073)
    infinite = {p for p in (a, b) if isinstance(p, Inf)}
    return infinite if len(infinite) == 1 else {Nan()}


def subtract(a, b):
    return add(a, negated(b))


def corners(operation, a, b):
    """Two intervals without zero: a quotient or product of theirs is monotone in each operand."""
    values = [operation(x, y) for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
    return {Real(min(values), max(values))}


def multiply(a, b):
    if isinstance(a, Real) and isinstance(b, Real):
        return corners(lambda x, y: x * y, a, b)
    sign, kinds = a.sign * b.sign, {type(a), type(b)}
    if kinds == {Inf, Zero}:
        return {Nan()}
    return {Inf(sign) if Inf in kinds else Zero(sign)}


def divide(a, b):
    if isinstance(a, Real) and isinstance(b, Real):
        return corners(lambda x, y: x / y, a, b)
    if type(a) is type(b):
        return {Nan()}
    sign = a.sign * b.sign
    return {Inf(sign) if isinstance(a, Inf) or isinstance(b, Zero) else Zero(sign)}


def remainder(a, b):
    """The sign of the dividend (ruling 0001); exact for points."""
    if isinstance(a, Inf) or isinstance(b, Zero):
        return {Nan()}
    if isinstance(b, Inf) or isinstance(a, Zero):
        return {a}
    if a.lo == a.hi and b.lo == b.hi:
        rest = abs(a.lo) % abs(b.lo)
        return {Real(rest * a.sign, rest * a.sign)} if rest else {Zero(a.sign)}
    most = min(max(abs(a.lo), abs(a.hi)), max(abs(b.lo), abs(b.hi)))
    return reals(*sorted((0 * a.sign, most * a.sign)), zero_signs=(a.sign,))


def extreme(choose, a, b):
    """Maximum or minimum; of two zeros either (ruling 0003)."""
    lo, hi = choose(ends(a)[0], ends(b)[0]), choose(ends(a)[1], ends(b)[1])
    if lo == hi and abs(lo) == math.inf:
        return {Inf(1 if lo > 0 else -1)}
    if abs(lo) == math.inf or abs(hi) == math.inf:
        return {a, b}
    return reals(lo, hi, zero_signs={p.sign for p in (a, b) if isinstance(p, Zero)})


# Functions of one operand: what they are at zeros and infinities (C99's annex F, ruling 0083),
# where they
# are defined, and the enclosure between. Increasing ones (direction 1) and decreasing ones (-1).
ODD, ONE = "odd", Fraction(1)


@dataclass(frozen=True)
class Function:
    enclose: object
    at_zero: object = ODD  # ODD: the zero itself; else a set of pieces, or a function of its sign
    at_inf: object = ODD
    at_minus_inf: object = ODD
    domain: tuple = (-HUGE, HUGE)
    direction: int = 1


ONE_POINT = frozenset([Real(ONE, ONE)])


def angle(parts):
    value = functions.pi(400) * Fraction(parts)
    return frozenset([Real(value.lo, value.hi)])


FUNCTIONS = {
    "exponential": Function(functions.exp, ONE_POINT, {Inf(1)}, {Zero(1)}),
    "exponential-minus-one": Function(functions.expm1, ODD, {Inf(1)}, {Real(-ONE, -ONE)}),
    "log": Function(functions.log, {Inf(-1)}, {Inf(1)}, {Nan()}, (Fraction(0), HUGE)),
    "log-plus-one": Function(functions.log1p, ODD, {Inf(1)}, {Nan()}, (-ONE, HUGE)),
    "logistic": Function(functions.logistic, {Real(ONE / 2, ONE / 2)}, ONE_POINT, {Zero(1)}),
    "tanh": Function(functions.tanh, ODD, ONE_POINT, {Real(-ONE, -ONE)}),
    "erf": Function(functions.erf, ODD, ONE_POINT, {Real(-ONE, -ONE)}),
    "sine": Function(functions.sin, ODD, {Nan()}, {Nan()}, direction=0),
    "cosine": Function(functions.cos, ONE_POINT, {Nan()}, {Nan()}, direction=0),
    "tan": Function(functions.tan, ODD, {Nan()}, {Nan()}, direction=0),
    "cbrt": Function(functions.cbrt),
    "sqrt": Function(functions.sqrt, ODD, {Inf(1)}, {Nan()}, (Fraction(0), HUGE)),
    "rsqrt": Function(
        functions.rsqrt, lambda sign: {Inf(sign)}, {Zero(1)}, {Nan()}, (Fraction(0), HUGE), -1
    ),
    "asin": Function(functions.asin, ODD, {Nan()}, {Nan()}, (-ONE, ONE)),
    "acos": Function(functions.acos, angle(ONE / 2), {Nan()}, {Nan()}, (-ONE, ONE), -1),
    "atan": Function(functions.atan, ODD, angle(ONE / 2), angle(-ONE / 2)),
    "asinh": Function(functions.asinh),
    "acosh": Function(functions.acosh, {Nan()}, {Inf(1)}, {Nan()}, (ONE, HUGE)),
    "atanh": Function(functions.atanh, ODD, {Nan()}, {Nan()}, (-ONE, ONE)),
    "cosh": Function(functions.cosh, ONE_POINT, {Inf(1)}, {Inf(1)}, direction=0),
    "sinh": Function(functions.sinh),
}
# At the ends of the domain the enclosures divide by zero: log1p, atanh, acos of -1.
POLES = {
    ("log-plus-one", -1): {Inf(-1)},
    ("atanh", -1): {Inf(-1)},
    ("atanh", 1): {Inf(1)},
    ("asin", 1): angle(ONE / 2),
    ("asin", -1): angle(-ONE / 2),
    ("acos", -1): angle(ONE),
    ("acos", 1): {Zero(1)},
    ("acosh", 1): {Zero(1)},
}


def at_point(opcode, x):
    if (opcode, x) in POLES:
        return POLES[opcode, x]
    value = FUNCTIONS[opcode].enclose(x)
    return reals(value.lo, value.hi, zero_signs=(1, -1))


def hull_of(sets):
    """Everything between the least and the greatest of these."""
    pieces = frozenset().union(*sets)
    lo, hi = min(ends(p)[0] for p in pieces), max(ends(p)[1] for p in pieces)
    infinities = {p for p in pieces if isinstance(p, Inf)}
    clip = lambda end: max(min(end, HUGE), -HUGE)
    return reals(Fraction(clip(lo)), Fraction(clip(hi)), zero_signs=(1, -1)) | infinities


def function_of(opcode, p):
    """The exact results of a function on one piece."""
    row = FUNCTIONS[opcode]
    if isinstance(p, Nan):
        return {Nan()}
    if isinstance(p, Zero):
        special = row.at_zero(p.sign) if callable(row.at_zero) else row.at_zero
        return {p} if special is ODD else special
    if isinstance(p, Inf):
        special = row.at_inf if p.sign > 0 else row.at_minus_inf
        return {p} if special is ODD else special
    low, high = row.domain
    outside = {Nan()} if p.lo < low or p.hi > high else set()
    lo, hi = max(p.lo, low), min(p.hi, high)
    if lo > hi or (lo == hi and lo == 0):
        return outside
    if lo == hi:
        return outside | at_point(opcode, lo)
    if row.direction:
        return outside | hull_of(
            [at_point(opcode, x) for x in (lo, hi) if x or opcode not in ("log", "rsqrt")]
            + ([FUNCTIONS[opcode].at_zero] if lo == 0 and opcode == "log" else [])
        )
    return outside | not_monotone(opcode, lo, hi)


def not_monotone(opcode, lo, hi):
    """sine, cosine, tan: monotone between multiples of pi/2, else everything; cosh falls, then
    rises."""
    if opcode == "cosh":
        return hull_of([at_point(opcode, lo), at_point(opcode, hi)])  # the interval does not hold 0
    half = functions.pi(400).lo / 2
    if max(abs(lo), abs(hi)) < 2**60 and lo // half == hi // half:
        return hull_of([at_point(opcode, lo), at_point(opcode, hi)])
    return reals(-HUGE, HUGE, (1, -1)) if opcode == "tan" else reals(-ONE, ONE, (1, -1))


def atan2(y, x):
    """The sixteen cases of C99: both signs count, zeros and infinities are ends of the
    quadrants."""
    if finite(y, x) and isinstance(y, Real) and isinstance(x, Real):
        values = [functions.atan2(b, a) for a in (x.lo, x.hi) for b in (y.lo, y.hi)]
        return {Real(min(v.lo for v in values), max(v.hi for v in values))}
    size = lambda p: {Zero: 0, Real: 1, Inf: 2}[type(p)]
    if size(y) == size(x) == 2:
        parts = ONE / 4 if x.sign > 0 else 3 * ONE / 4
    elif size(y) > size(x):
        parts = ONE / 2
    elif x.sign > 0:
        return {Zero(y.sign)}
    else:
        parts = ONE
    return angle(parts * y.sign)


def is_integral(p):
    return isinstance(p, Real) and p.lo == p.hi and p.lo.denominator == 1


def power(x, y):
    """C99's pow."""
    if isinstance(y, Zero) or x == Real(ONE, ONE):
        return ONE_POINT | (
            {Nan()} if Nan() in (x, y) or isinstance(x, Nan) or isinstance(y, Nan) else set()
        )
    if isinstance(x, Nan) or isinstance(y, Nan):
        return {Nan()}
    if isinstance(y, Inf):
        size = abs(ends(x)[0]), abs(ends(x)[1])
        if size[0] == size[1] == 1:
            return ONE_POINT
        if min(size) < 1 < max(size):
            return {Inf(1), Zero(1)} | ONE_POINT
        return {Inf(1)} if (max(size) > 1) == (y.sign > 0) else {Zero(1)}
    odd = is_integral(y) and y.lo % 2 == 1
    sign = x.sign if odd else 1
    if not isinstance(x, Real):
        return {Zero(sign) if isinstance(x, Zero) == (y.sign > 0) else Inf(sign)}
    if x.sign < 0 and not is_integral(y):
        return {Nan()} if y.lo == y.hi else {Nan()} | reals(-HUGE, HUGE, (1, -1))
    values = [functions.power(abs(a), b) for a in (x.lo, x.hi) for b in (y.lo, y.hi)]
    lo, hi = max(min(v.lo for v in values), TINY), max(v.hi for v in values)
    return {Real(*sorted((lo * sign, max(hi, lo) * sign)))}


BINARY = {
    "add": add,
    "subtract": subtract,
    "multiply": multiply,
    "divide": divide,
    "remainder": remainder,
    "maximum": lambda a, b: extreme(max, a, b),
    "minimum": lambda a, b: extreme(min, a, b),
    "atan2": atan2,
    "power": power,
}
