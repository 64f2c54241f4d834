# SPDX-License-Identifier: Apache-2.0
"""Complex elements: pairs of pieces, the real and the imaginary part.

Sums and products are of real parts, each rounded. A function may be off by ULPS of its modulus, in
each part, and may take its argument off by BACKWARD ulps in each part (never across an axis); parts
that are infinite or NaN are not derived.
"""

from fractions import Fraction
import functools
import itertools

import check_functions as functions
from check_elements import Value, binary, convert, float_unary, result, with_flushed
from check_formats import FORMATS
from check_functions import Interval, of
from check_numbers import READINGS, Nan, Real, Unsupported, allow, reals
from check_reals import ends, finite
from check_text import COMPLEX

ULPS, BACKWARD = 10, 4


def parts(value):
    """The real and the imaginary part of a complex value."""
    return tuple(Value(frozenset(pair[k] for pair in value.stored)) for k in (0, 1))


def joined_parts(real, imaginary):
    return Value(frozenset(itertools.product(real.stored, imaginary.stored)))


def over_interval(function, turning, x):
    """A function of points on an interval. `turning`: bounded by 1, and monotone only between the
    multiples of pi/2."""
    if turning and x.lo != x.hi:
        step = functions.pi(400).lo / 2
        if x.size() > 2**60 or x.lo // step != x.hi // step:
            return Interval(Fraction(-1), Fraction(1))
    values = [function(end) for end in {x.lo, x.hi}]
    return Interval(min(v.lo for v in values), max(v.hi for v in values))


def cosh(x):
    value = over_interval(functions.cosh, False, x)
    return Interval(Fraction(1), value.hi) if x.lo <= 0 <= x.hi else value


exp = functools.partial(over_interval, functions.exp, False)
sinh = functools.partial(over_interval, functions.sinh, False)
sin = functools.partial(over_interval, functions.sin, True)
cos = functools.partial(over_interval, functions.cos, True)


def log(x, y):
    """ln|z| and the angle."""
    square = x * x + y * y
    if square.lo <= 0:
        raise Unsupported("a complex logarithm of zero")
    half = Interval(functions.log(square.lo).lo, functions.log(square.hi).hi) * Fraction(1, 2)
    return half, angle(x, y)


def angle(x, y):
    """Of a box that meets no axis: monotone in both parts, so that its corners tell."""
    turn = functions.pi(400)
    if y.lo == y.hi == 0:
        return of(0) if x.lo > 0 else Interval(-turn.hi, turn.hi)  # the cut: either side
    if x.lo <= 0 <= x.hi:
        x = Interval(Fraction(0)) if x.lo == x.hi else x
    values = []
    for a, b in itertools.product((x.lo, x.hi), (y.lo, y.hi)):
        sign = 1 if b > 0 else -1
        values.append(functions.atan2(b, a) if a and b else turn * Fraction(sign, 2))
    return Interval(min(v.lo for v in values), max(v.hi for v in values))


FUNCTIONS = {
    "exponential": lambda x, y: (exp(x) * cos(y), exp(x) * sin(y)),
    "exponential-minus-one": lambda x, y: (exp(x) * cos(y) - 1, exp(x) * sin(y)),
    "sine": lambda x, y: (sin(x) * cosh(y), cos(x) * sinh(y)),
    "cosine": lambda x, y: (cos(x) * cosh(y), -(sin(x) * sinh(y))),
    "log": log,
}


def box(form, piece):
    """The reals within BACKWARD ulps of a part, on its side of the axis."""
    lo, hi = ends(piece)
    lo, hi = lo - BACKWARD * form.ulp(lo), hi + BACKWARD * form.ulp(hi)
    if not isinstance(piece, Real):
        return of(0)
    return (
        Interval(max(lo, form.least), hi) if piece.sign > 0 else Interval(lo, min(hi, -form.least))
    )


def stored(form, part, modulus):
    """A part within ULPS of the modulus. Where that overflows, a part of zero may come of a product
    of zero and infinity."""
    slack = ULPS * form.ulp(min(modulus, form.max))
    pieces = reals(part.lo - slack, part.hi + slack, zero_signs=(1, -1))
    if modulus > form.max and part.lo <= 0 <= part.hi:
        pieces = allow("a zero part of an overflowing result may be NaN", pieces, [Nan()])
    return result(form, pieces, saturates=True)


def function(opcode, type_name, operand):
    form = FORMATS[COMPLEX[type_name]]
    READINGS.add("%s within %d ulps of the modulus (ruling 0072)" % (opcode, ULPS))
    values = []
    for real, imaginary in operand.stored:
        if not finite(real, imaginary):
            raise Unsupported("a complex %s of an infinity or NaN" % opcode)
        for a, b in itertools.product(with_flushed(form, {real}), with_flushed(form, {imaginary})):
            x, y = FUNCTIONS[opcode](box(form, a), box(form, b))
            modulus = functions.sqrt(functions.up(x.size() ** 2 + y.size() ** 2)).hi
            values.append(joined_parts(stored(form, x, modulus), stored(form, y, modulus)))
    return Value(frozenset().union(*(v.stored for v in values)))


def unary(opcode, type_name, operand):
    part = COMPLEX[type_name]
    real, imaginary = parts(operand)
    if opcode == "real":
        return real
    if opcode == "imag":
        return imaginary
    if opcode == "negate":
        return joined_parts(*(float_unary("negate", part, v) for v in (real, imaginary)))
    if opcode in FUNCTIONS:
        return function(opcode, type_name, operand)
    raise Unsupported("%s of %s" % (opcode, type_name))


def pairwise(opcode, type_name, left, right):
    part = COMPLEX[type_name]
    a, b = parts(left)
    c, d = parts(right)
    if opcode in ("add", "subtract"):
        return joined_parts(binary(opcode, part, a, c), binary(opcode, part, b, d))
    if opcode == "multiply":
        times = functools.partial(binary, "multiply", part)
        real = binary("subtract", part, times(a, c), times(b, d))
        return joined_parts(real, binary("add", part, times(a, d), times(b, c)))
    raise Unsupported("%s of %s" % (opcode, type_name))


def converted(source, target, operand):
    """Real numbers get an imaginary part of 0; to a real type the imaginary part is dropped."""
    if target in COMPLEX:
        real, imaginary = parts(operand) if source in COMPLEX else (operand, None)
        part, source = COMPLEX[target], COMPLEX.get(source, source)
        zero = convert("pred", part, Value(frozenset([0])))
        other = zero if imaginary is None else convert(source, part, imaginary)
        return joined_parts(convert(source, part, real), other)
    return convert(COMPLEX[source], target, parts(operand)[0])
