# SPDX-License-Identifier: Apache-2.0
"""Sets of values in exact rational numbers.

A set of floating-point values is a frozenset of pieces: a NaN, an infinity, a zero of one sign, or
an interval of nonzero reals of one sign. A set of integers (and of predicates, 0 and 1) is a
frozenset of ints. ANY is every value of the type.
"""

import sys
from dataclasses import dataclass

from gmpy2 import mpq

ANY = frozenset(["any"])
FREEDOMS = set()  # names of freedoms that have widened a set
READINGS = set()  # rulings on which a set depends
OPEN = [False]  # True: points that the documents leave open are not decided by rulings

# Exact bounds have thousands of digits, which newer Pythons refuse to print by default.
if hasattr(sys, "set_int_max_str_digits"):
    sys.set_int_max_str_digits(0)


class Broken(Exception):
    """The input is not a certificate: a text cannot be parsed, or shapes do not fit."""


class Unsupported(Exception):
    """The element cannot be derived here: an operation or a size is not covered."""


def power_of_two(exponent):
    return mpq(1 << exponent) if exponent >= 0 else mpq(1, 1 << -exponent)


TINY = power_of_two(-20000)  # represents reals next to zero, below every format
HUGE = power_of_two(20000)  # above the numbers of every format
ONE = mpq(1)


@dataclass(frozen=True)
class Nan:
    bits: int = None  # None: any NaN


@dataclass(frozen=True)
class Inf:
    sign: int


@dataclass(frozen=True)
class Zero:
    sign: int


@dataclass(frozen=True)
class Real:
    """All reals in [lo, hi]. The interval does not contain zero."""

    lo: mpq
    hi: mpq

    @property
    def sign(self):
        return 1 if self.lo > 0 else -1


def point(x):
    return Real(mpq(x), mpq(x))


def allow(freedom, pieces, more):
    """Returns the union of `pieces` and `more`. Records the freedom if `more` adds anything."""
    more = frozenset(more) - pieces
    if more:
        FREEDOMS.add(freedom)
    return pieces | more


def decided(ruling, pieces, others):
    """Returns `pieces`, for which a ruling decides. While points are OPEN, also returns `others`.
    Records the ruling if `others` adds anything."""
    pieces, others = frozenset(pieces), frozenset(others)
    if others <= pieces or pieces == ANY:
        return pieces
    READINGS.add(ruling)
    if not OPEN[0]:
        return pieces
    return ANY if others == ANY else pieces | others


def reals(lo, hi, zero_signs=(1,)):
    """Returns the interval [lo, hi], which may contain zero, as pieces."""
    if lo > 0 or hi < 0:
        return frozenset([Real(lo, hi)])
    pieces = {Zero(sign) for sign in zero_signs}
    if hi > 0:
        pieces.add(Real(min(hi, TINY), hi))
    if lo < 0:
        pieces.add(Real(lo, max(lo, -TINY)))
    return frozenset(pieces)


def floor_log2(x):
    """Returns the largest n with 2^n <= x, for x > 0."""
    n = x.numerator.bit_length() - x.denominator.bit_length()
    return n if x >= power_of_two(n) else n - 1


def holds(allowed, found):
    """Returns True if the single value `found` is in the set. The documents do not define the bits
    of a NaN, so all NaNs are equal."""
    if allowed == ANY or found in allowed:
        return True
    if isinstance(found, tuple):  # a complex value
        return any(all(holds({p}, f) for p, f in zip(pair, found)) for pair in allowed)
    if isinstance(found, Nan):
        return any(isinstance(p, Nan) for p in allowed)
    return isinstance(found, Real) and any(
        isinstance(p, Real) and p.lo <= found.lo <= p.hi for p in allowed
    )


def decimal_text(x):
    """Returns 17 digits, for people. Also works far outside of the range of double."""
    exponent = len(str(abs(x.numerator))) - len(str(x.denominator))
    text = str(round(abs(x) / mpq(10) ** (exponent - 17)))
    exponent += len(text) - 18
    text = text[:17].rstrip("0")
    value = text[0] + ("." + text[1:] if len(text) > 1 else "")
    if -5 < exponent < 17:
        value = "%.*f" % (max(len(text) - exponent - 1, 0), float(abs(x)))
    else:
        value += "e%+d" % exponent
    return ("-" if x < 0 else "") + value


def text_of(piece):
    if isinstance(piece, tuple):
        return "(%s)" % ", ".join(map(text_of, piece))
    if isinstance(piece, Nan):
        return "nan" if piece.bits is None else "nan with bits %#x" % piece.bits
    if isinstance(piece, Inf):
        return "inf" if piece.sign > 0 else "-inf"
    if isinstance(piece, Zero):
        return "+0" if piece.sign > 0 else "-0"
    if not isinstance(piece, Real):
        return str(piece)
    if piece.lo == piece.hi:
        return decimal_text(piece.lo)
    return "[%s, %s]" % (decimal_text(piece.lo), decimal_text(piece.hi))


def set_text(pieces):
    """Returns the set as text. Overlapping intervals are joined."""
    joined = []
    for p in sorted((p for p in pieces if isinstance(p, Real)), key=lambda p: p.lo):
        if joined and p.lo <= joined[-1].hi:
            joined[-1] = Real(joined[-1].lo, max(joined[-1].hi, p.hi))
        else:
            joined.append(p)
    joined += [p for p in pieces if not isinstance(p, Real)]
    return " or ".join(sorted(map(text_of, joined)))


@dataclass(frozen=True)
class Value:
    """The values that an element may have in memory, and those that a consumer may read if it skips
    the rounding. product: True if the element is a product, which a sum may use unrounded."""

    stored: frozenset
    wide: frozenset = frozenset()
    product: bool = False


def joined(values):
    """Returns the union of the values."""
    values = list(values)
    if len(values) == 1:
        return values[0]
    if any(v.stored == ANY for v in values):
        return Value(ANY)
    return Value(
        frozenset().union(*(v.stored for v in values)),
        frozenset().union(*(v.wide for v in values)),
        any(v.product for v in values),
    )
