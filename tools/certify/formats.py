# SPDX-License-Identifier: Apache-2.0
"""Element types: the values of bit patterns, and the rounding of real numbers to a type."""

import re
from dataclasses import dataclass

from sets import HUGE, TINY, Inf, Nan, Real, Zero, allow, floor_log2, point, power_of_two


@dataclass(frozen=True)
class Format:
    """A floating-point format. kind defines the last bit patterns: "ieee" has infinities and NaN;
    "fn" has NaN only, with all bits set; "fnuz" has one NaN, in place of -0; "finite" has neither;
    "exponent" has powers of two and NaN, and no sign (f8e8m0fnu)."""

    name: str
    exponent_bits: int
    mantissa_bits: int
    bias: int
    kind: str = "ieee"

    def __post_init__(self):
        made, exponent = self.__dict__, self.kind == "exponent"
        made["width"] = self.exponent_bits + self.mantissa_bits + (not exponent)
        made["min_exponent"] = (0 if exponent else 1) - self.bias
        made["min_normal"] = power_of_two(self.min_exponent)
        made["least"] = power_of_two(self.min_exponent - self.mantissa_bits)
        made["roundoff"] = power_of_two(-self.mantissa_bits - 1)
        top = (1 << self.exponent_bits) - 1 - self.bias - (exponent or self.kind == "ieee")
        missing = 2 if self.kind == "fn" else 1
        made["max"] = (2 - missing * power_of_two(-self.mantissa_bits)) * power_of_two(top)

    def ulp(self, x):
        exponent = floor_log2(abs(x)) if x else self.min_exponent
        return power_of_two(max(exponent, self.min_exponent) - self.mantissa_bits)

    def nearest(self, x):
        """Rounds x to the nearest multiple of its ulp, ties to even, as if there were no limits."""
        unit = self.ulp(x)
        return round(x / unit) * unit

    def decode(self, bits):
        if self.kind == "exponent":
            return Nan() if bits == 255 else point(power_of_two(bits - self.bias))
        sign = -1 if bits >> (self.width - 1) else 1
        all_ones = (1 << self.exponent_bits) - 1
        exponent = bits >> self.mantissa_bits & all_ones
        mantissa = bits & ((1 << self.mantissa_bits) - 1)
        if self.kind == "ieee" and exponent == all_ones and not mantissa:
            return Inf(sign)
        if (
            self.kind == "ieee" and exponent == all_ones
            or self.kind == "fn" and bits in (self.nan_bits(1), self.nan_bits(-1))
            or self.kind == "fnuz" and bits == self.nan_bits()
        ):  # fmt: skip
            return Nan(bits)
        if exponent:
            mantissa += 1 << self.mantissa_bits
        if not mantissa:
            return Zero(sign)
        return point(sign * mantissa * self.least * power_of_two(max(exponent, 1) - 1))

    def nan_bits(self, sign=1, payload=None):
        if self.kind == "exponent":
            return 255
        if self.kind == "fnuz":
            return 1 << (self.width - 1)
        if self.kind == "fn":
            payload = (1 << self.mantissa_bits) - 1
        elif payload is None:
            payload = 1 << (self.mantissa_bits - 1)
        exponent = ((1 << self.exponent_bits) - 1) << self.mantissa_bits
        return (sign < 0) << (self.width - 1) | exponent | payload

    def encode(self, piece):
        """Returns the bits of a piece that is a single value of the format."""
        if isinstance(piece, Nan):
            return self.nan_bits() if piece.bits is None else piece.bits
        sign = (piece.sign < 0) << (self.width - 1)
        if isinstance(piece, Zero):
            return sign
        if isinstance(piece, Inf):
            return sign | ((1 << self.exponent_bits) - 1) << self.mantissa_bits
        exponent = max(floor_log2(abs(piece.lo)), self.min_exponent)
        mantissa = int(abs(piece.lo) / power_of_two(exponent - self.mantissa_bits))
        if self.kind == "exponent":
            return exponent - self.min_exponent
        # The leading bit of a normal number adds one to the exponent field.
        return sign | mantissa + ((exponent - self.min_exponent) << self.mantissa_bits)


FORMATS = {
    f.name: f
    for f in [
        Format("f64", 11, 52, 1023),
        Format("f32", 8, 23, 127),
        Format("f16", 5, 10, 15),
        Format("bf16", 8, 7, 127),
        Format("f8e5m2", 5, 2, 15),
        Format("f8e4m3", 4, 3, 7),
        Format("f8e3m4", 3, 4, 3),
        Format("f8e4m3fn", 4, 3, 7, "fn"),
        Format("f8e4m3b11fnuz", 4, 3, 11, "fnuz"),
        Format("f8e4m3fnuz", 4, 3, 8, "fnuz"),
        Format("f8e5m2fnuz", 5, 2, 16, "fnuz"),
        Format("f4e2m1fn", 2, 1, 1, "finite"),
        Format("f8e8m0fnu", 8, 0, 127, "exponent"),
    ]
}
COMPLEX = {"c64": "f32", "c128": "f64"}


def everything(form):
    """Returns every value of a format."""
    signs = [kind(sign) for kind in (Inf, Zero) for sign in (1, -1)]
    return frozenset([Nan(), Real(TINY, HUGE), Real(-HUGE, -TINY)] + signs)


def overflow(form, sign):
    """Returns the possible results for a value beyond the largest finite number (ruling 0035)."""
    greatest = frozenset([point(sign * form.max)])
    if form.kind == "finite":
        return greatest
    pieces = frozenset([Inf(sign) if form.kind == "ieee" else Nan()])
    return allow("8-bit overflow may saturate", pieces, greatest) if form.width <= 8 else pieces


def round_real(form, real, flush=True):
    """Rounds every value of an interval once. Values below the normal numbers may be flushed."""
    sign = real.sign
    zero = Zero(1 if form.kind == "fnuz" else sign)
    lo, hi = sorted((abs(real.lo), abs(real.hi)))
    low, high = form.nearest(lo), form.nearest(hi)
    pieces = frozenset()
    if high > form.max:
        pieces |= overflow(form, sign)
        high = form.max
    if low == 0:
        pieces |= {zero}
        low = form.least
    if form.kind == "exponent" and lo < form.min_normal:
        return everything(form)
    if low <= high:
        pieces |= {Real(*sorted((sign * low, sign * high)))}
    if flush and lo < form.min_normal:
        pieces = allow("a subnormal result may be flushed (ruling 0036)", pieces, [zero])
    return pieces


def store_once(form, pieces, flush=True):
    stored = set()
    for piece in pieces:
        if isinstance(piece, Real):
            stored |= round_real(form, piece, flush)
        elif form.kind == "exponent" and not isinstance(piece, Nan):
            stored |= everything(form)  # neither zero nor infinity exists: any value (ruling 0035)
        elif form.kind == "finite" and isinstance(piece, Nan):
            stored |= everything(form)
        elif isinstance(piece, Inf) and form.kind != "ieee":
            stored |= overflow(form, piece.sign)
        elif isinstance(piece, Zero) and form.kind == "fnuz":
            stored.add(Zero(1))
        else:
            stored.add(Nan() if isinstance(piece, Nan) else piece)
    return frozenset(stored)


def store(form, pieces, flush=True):
    """Returns the values that a result within `pieces` may have in memory: rounded to nearest even,
    in types of at most 16 bits also through a wider type (rulings 0035, 0055)."""
    stored = store_once(form, pieces, flush)
    ways = ("f32",) if form.width == 16 else ("f32", "f16", "bf16") if form.width < 16 else ()
    for name in ways:
        twice = store_once(form, store_once(FORMATS[name], pieces, flush), flush)
        stored = allow("a 16- or 8-bit result may be rounded twice (ruling 0055)", stored, twice)
    return stored


def is_float(type_name):
    return type_name in FORMATS


def is_integer(type_name):
    return type_name == "pred" or re.fullmatch(r"[su](1|2|4|8|16|32|64)", type_name) is not None


def width_of(type_name):
    if is_float(type_name):
        return FORMATS[type_name].width
    return 1 if type_name == "pred" else int(type_name[1:])


def wrap(type_name, n):
    """Returns n modulo 2^w as a value of the integer type with w bits (ruling 0078)."""
    if type_name == "pred":
        return int(bool(n))
    width = width_of(type_name)
    n %= 1 << width
    return n - (1 << width) if type_name[0] == "s" and n >> (width - 1) else n


def fits(type_name, n):
    return wrap(type_name, n) == n
