# SPDX-License-Identifier: Apache-2.0
"""Computes exact results of operations on pieces: reals in rational arithmetic, functions as
enclosures, zeros and infinities by IEEE 754 and annex F of C99 (ruling 0083).

MPFR rounds each function correctly and follows annex F. Here each function is rounded once downward
and once upward. Arguments that are not binary fractions are rounded outward.
"""

import itertools
import math

import gmpy2
from gmpy2 import mpq

from sets import HUGE, ONE, TINY, Inf, Nan, Real, Zero, point, reals

DOWN, UP = (  # rounding contexts whose range is TINY to HUGE
    gmpy2.context(precision=200, round=rounding, emin=-19999, emax=20001)
    for rounding in (gmpy2.RoundDown, gmpy2.RoundUp)
)
HALF_PI = mpq(gmpy2.const_pi(400)) / 2
BOTH = (1, -1)


def ends(p):
    """Returns both ends of a piece that is not NaN; they may be infinite."""
    if isinstance(p, Zero):
        return mpq(0), mpq(0)
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
        return reals(lo, hi, BOTH)  # a zero sum may have either sign (ruling 0073)
    infinite = {p for p in (a, b) if isinstance(p, Inf)}
    return infinite if len(infinite) == 1 else {Nan()}


def corners(operation, a, b):
    """Applies the operation to the corners of two intervals without zero, where it is monotone."""
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
    """Returns the remainder with the sign of the dividend (ruling 0001); it is exact for points."""
    if isinstance(a, Inf) or isinstance(b, Zero):
        return {Nan()}
    if isinstance(b, Inf) or isinstance(a, Zero):
        return {a}
    if a.lo == a.hi and b.lo == b.hi:
        rest = abs(a.lo) % abs(b.lo)
        return {point(rest * a.sign)} if rest else {Zero(a.sign)}
    most = min(max(abs(a.lo), abs(a.hi)), max(abs(b.lo), abs(b.hi)))
    return reals(*sorted((0 * a.sign, most * a.sign)), zero_signs=(a.sign,))


def extreme(choose, a, b):
    """Returns maximum or minimum. Of two zeros, returns both (ruling 0003)."""
    lo, hi = choose(ends(a)[0], ends(b)[0]), choose(ends(a)[1], ends(b)[1])
    if lo == hi and abs(lo) == math.inf:
        return {Inf(1 if lo > 0 else -1)}
    if abs(lo) == math.inf or abs(hi) == math.inf:
        return {a, b}
    return reals(lo, hi, zero_signs={p.sign for p in (a, b) if isinstance(p, Zero)})


def numbers_of(x):
    """Returns one or two MPFR numbers that enclose a rational, a signed zero or an infinity."""
    if isinstance(x, Zero):
        return [gmpy2.zero(x.sign)]
    if isinstance(x, Inf):
        return [gmpy2.inf(x.sign)]
    if x.denominator & (x.denominator - 1) == 0:
        return [gmpy2.mpfr(x, max(2, x.numerator.bit_length()))]
    return [context.mul(x, gmpy2.mpfr(1)) for context in (DOWN, UP)]


def enclose(name, *arguments):
    """Returns numbers below and above the value of a function that is monotone in each argument."""
    if name == "logistic":
        (x,) = arguments
        lo, hi = enclose("exp", negated(x) if isinstance(x, (Zero, Inf)) else -x)
        minus_one = gmpy2.mpfr(-1)  # a power, because gmpy2 2.1 divides in double precision
        lo, hi = DOWN.pow(UP.add(1, hi), minus_one), UP.pow(DOWN.add(1, lo), minus_one)
    else:
        given = list(itertools.product(*map(numbers_of, arguments)))
        lows, highs = ([getattr(c, name)(*numbers) for numbers in given] for c in (DOWN, UP))
        lo, hi = min(lows), max(highs)
    if gmpy2.is_zero(lo) and hi > 0:  # the value is below MPFR's range
        lo = gmpy2.mpfr(TINY)
    if gmpy2.is_zero(hi) and lo < 0:
        hi = gmpy2.mpfr(-TINY)
    return lo, hi


def over(name, lo, hi):
    """Returns the range of a function on [lo, hi], on which it is monotone. For sine, cosine and
    tangent, this requires that no multiple of pi/2 is inside."""
    if name in ("sin", "cos", "tan"):
        low, high = mpq(numbers_of(lo)[0]), mpq(numbers_of(hi)[-1])
        small = max(abs(low), abs(high)) < 2**60
        if low != high and not (small and low // HALF_PI == high // HALF_PI):
            return (-HUGE, HUGE) if name == "tan" else (-ONE, ONE)
    values = [*enclose(name, lo), *enclose(name, hi)]
    return tuple(
        math.inf * gmpy2.sign(v) if gmpy2.is_infinite(v) else mpq(v)
        for v in (min(values), max(values))
    )


def at_signs(name, *pieces):
    """Returns a function's value according to annex F if a zero or an infinity decides it."""
    lo, hi = enclose(name, *(p.lo if isinstance(p, Real) else p for p in pieces))
    if gmpy2.is_nan(lo):
        return {Nan()}
    sign = -1 if gmpy2.is_signed(lo) else 1
    if gmpy2.is_infinite(lo):
        return {Inf(sign)}
    return {Zero(sign) if gmpy2.is_zero(hi) else Real(mpq(lo), mpq(hi))}


FUNCTIONS = (
    """acos acosh asin asinh atan atanh cbrt cosh cosine erf exponential exponential-minus-one
log log-plus-one logistic rsqrt sine sinh sqrt tan tanh""".split()
)
# Functions that have another name in MPFR, and functions not defined on all reals.
NAMES = {"cosine": "cos", "exponential": "exp", "exponential-minus-one": "expm1", "sine": "sin"}
NAMES.update({"log-plus-one": "log1p", "rsqrt": "rec_sqrt"})
DOMAINS = {name: (mpq(0), HUGE) for name in ("log", "sqrt", "rsqrt")}
DOMAINS.update({name: (-ONE, ONE) for name in ("asin", "acos", "atanh")})
DOMAINS.update({"log-plus-one": (-ONE, HUGE), "acosh": (ONE, HUGE)})


def clipped(x):
    return mpq(max(min(x, HUGE), -HUGE))


def function_of(opcode, p):
    """Returns the exact results of a function for one piece."""
    name, (low, high) = NAMES.get(opcode, opcode), DOMAINS.get(opcode, (-HUGE, HUGE))
    if isinstance(p, Nan):
        return {Nan()}
    if opcode == "rsqrt" and isinstance(p, Zero):
        return {Inf(p.sign)}
    if not isinstance(p, Real):
        return at_signs(name, p)
    outside = {Nan()} if p.lo < low or p.hi > high else set()
    lo, hi = max(p.lo, low), min(p.hi, high)
    if lo > hi:
        return outside
    least, most = over(name, lo, hi)
    poles = {Inf(1 if end > 0 else -1) for end in (least, most) if abs(end) == math.inf}
    if least == most and poles:
        return outside | poles
    signs = (1,) if opcode in ("acos", "acosh") else BOTH
    return outside | reals(clipped(least), clipped(most), signs) | poles


def atan2(y, x):
    """Uses the signs of both operands: zeros and infinities are ends of quadrants."""
    if not (isinstance(y, Real) and isinstance(x, Real)):
        return at_signs("atan2", y, x)
    values = [v for b in (y.lo, y.hi) for a in (x.lo, x.hi) for v in enclose("atan2", b, a)]
    return {Real(mpq(min(values)), mpq(max(values)))}


def is_integral(p):
    return isinstance(p, Real) and p.lo == p.hi and p.lo.denominator == 1


def power(x, y):
    """Returns pow of C99."""
    if isinstance(y, Zero) or x == point(1):
        return {point(1)} | ({Nan()} if any(isinstance(p, Nan) for p in (x, y)) else set())
    if isinstance(x, Nan) or isinstance(y, Nan):
        return {Nan()}
    if isinstance(y, Inf):
        small, large = sorted(map(abs, ends(x)))
        if small == large == 1:
            return {point(1)}
        if small < 1 < large:
            return {Inf(1), Zero(1), point(1)}
        return {Inf(1) if (large > 1) == (y.sign > 0) else Zero(1)}
    odd = is_integral(y) and y.lo % 2 == 1
    sign = x.sign if odd else 1
    if not isinstance(x, Real):
        return {Zero(sign) if isinstance(x, Zero) == (y.sign > 0) else Inf(sign)}
    if x.sign < 0 and not is_integral(y):
        return {Nan()} if y.lo == y.hi else {Nan()} | reals(-HUGE, HUGE, BOTH)
    values = [v for a in (x.lo, x.hi) for b in (y.lo, y.hi) for v in enclose("pow", abs(a), b)]
    lo, hi = (max(clipped(choose(values)), TINY) for choose in (min, max))
    return {Real(*sorted((lo * sign, hi * sign)))}


BINARY = {
    "add": add,
    "subtract": lambda a, b: add(a, negated(b)),
    "multiply": multiply,
    "divide": divide,
    "remainder": remainder,
    "maximum": lambda a, b: extreme(max, a, b),
    "minimum": lambda a, b: extreme(min, a, b),
    "atan2": atan2,
    "power": power,
}
