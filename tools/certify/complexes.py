# SPDX-License-Identifier: Apache-2.0
"""Complex elements, as pairs of pieces: the real and the imaginary part.

Sums and products are computed from real parts, each of which is rounded. In the result of a
function, each part may have an error of ULPS ulps of the modulus. In its argument, each part may
have an error of BACKWARD ulps (never across an axis). Infinite and NaN parts are not derived.
"""

import functools
import itertools

from gmpy2 import mpq

from elements import binary, convert, float_unary, result, with_flushed
from formats import COMPLEX, FORMATS
from reals import BOTH, HALF_PI, clipped, enclose, ends, finite, over
from sets import OPEN, READINGS, Nan, Real, Unsupported, Value, allow, reals

ULPS, BACKWARD = 10, 4


def parts(value):
    """Returns the real and the imaginary part of a complex value."""
    return tuple(Value(frozenset(pair[k] for pair in value.stored)) for k in (0, 1))


def joined_parts(real, imaginary):
    return Value(frozenset(itertools.product(real.stored, imaginary.stored)))


class Interval:
    def __init__(self, lo, hi=None):
        self.lo, self.hi = lo, lo if hi is None else hi

    def __add__(self, other):
        return Interval(self.lo + other.lo, self.hi + other.hi)

    def __mul__(self, other):
        values = [a * b for a in (self.lo, self.hi) for b in (other.lo, other.hi)]
        return Interval(min(values), max(values))

    def size(self):
        return max(abs(self.lo), abs(self.hi))


def of(name, x):
    lo, hi = over(name, x.lo, x.hi)
    return Interval(clipped(lo), clipped(hi))


exp, sinh, sin, cos = (functools.partial(of, name) for name in ("exp", "sinh", "sin", "cos"))
MINUS = Interval(mpq(-1))


def cosh(x):
    value = of("cosh", x)
    return Interval(mpq(1), value.hi) if x.lo <= 0 <= x.hi else value


def log(x, y):
    """Returns ln|z| and the angle of z = x + iy."""
    square = x * x + y * y
    if square.lo <= 0:
        raise Unsupported("a complex logarithm of zero")
    return of("log", square) * Interval(mpq(1, 2)), angle(x, y)


def angle(x, y):
    """Returns the angle of a box. It is monotone if the box meets no axis: corners decide."""
    if y.lo == y.hi == 0:
        # On the branch cut, either side of it is permitted.
        return Interval(mpq(0)) if x.lo > 0 else of_ends(2 * HALF_PI * turn for turn in BOTH)
    corners = itertools.product((y.lo, y.hi), (x.lo, x.hi))
    return of_ends(mpq(end) for b, a in corners for end in enclose("atan2", b, a))


def of_ends(values):
    values = list(values)
    return Interval(min(values), max(values))


FUNCTIONS = {
    "exponential": lambda x, y: (exp(x) * cos(y), exp(x) * sin(y)),
    "exponential-minus-one": lambda x, y: (exp(x) * cos(y) + MINUS, exp(x) * sin(y)),
    "sine": lambda x, y: (sin(x) * cosh(y), cos(x) * sinh(y)),
    "cosine": lambda x, y: (cos(x) * cosh(y), sin(x) * sinh(y) * MINUS),
    "log": log,
}


def box(form, piece):
    """Returns the reals within BACKWARD ulps of a part, on the same side of the axis."""
    lo, hi = ends(piece)
    lo, hi = lo - BACKWARD * form.ulp(lo), hi + BACKWARD * form.ulp(hi)
    if not isinstance(piece, Real):
        return Interval(mpq(0))
    return (
        Interval(max(lo, form.least), hi) if piece.sign > 0 else Interval(lo, min(hi, -form.least))
    )


def stored(form, part, modulus):
    """Returns a part with an error of ULPS ulps of the modulus. If the modulus overflows, a zero
    part may be the product of zero and infinity."""
    slack = ULPS * form.ulp(min(modulus, form.max))
    if OPEN[0]:  # a difference of exponentials, as in the documents' formula
        slack += 4 * form.ulp(1 + min(modulus, form.max))
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
            modulus = mpq(enclose("sqrt", x.size() ** 2 + y.size() ** 2)[1])
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
    """Converts between types. Real numbers get the imaginary part 0; a real type has none."""
    if target in COMPLEX:
        real, imaginary = parts(operand) if source in COMPLEX else (operand, None)
        part, source = COMPLEX[target], COMPLEX.get(source, source)
        zero = convert("pred", part, Value(frozenset([0])))
        other = zero if imaginary is None else convert(source, part, imaginary)
        return joined_parts(convert(source, part, real), other)
    return convert(COMPLEX[source], target, parts(operand)[0])
