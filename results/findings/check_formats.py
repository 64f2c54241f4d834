# SPDX-License-Identifier: Apache-2.0
"""Element types: what their bits stand for, and how a real number is stored in them."""

from dataclasses import dataclass
import re

from check_numbers import HUGE, Inf, Nan, Real, TINY, Zero, allow, floor_log2, power_of_two


@dataclass(frozen=True)
class Format:
    """A floating-point format. `kind` says what its last bit patterns are:
    ieee: infinities and NaN; fn: NaN only, all bits set; fnuz: one NaN where -0 would be;
    finite: neither; exponent: powers of two and NaN, no sign (f8e8m0fnu)."""

    name: str
    exponent_bits: int
    mantissa_bits: int
    bias: int
    kind: str = "ieee"

    @property
    def width(self):
        return self.exponent_bits + self.mantissa_bits + (self.kind != "exponent")

    @property
    def min_exponent(self):
        return -self.bias if self.kind == "exponent" else 1 - self.bias

    @property
    def min_normal(self):
        return power_of_two(self.min_exponent)

    @property
    def least(self):
        return power_of_two(self.min_exponent - self.mantissa_bits)

    @property
    def max(self):
        top = (1 << self.exponent_bits) - 1 - self.bias
        if self.kind in ("ieee", "exponent"):
            top -= 1
        missing = 2 if self.kind == "fn" else 1
        return (2 - missing * power_of_two(-self.mantissa_bits)) * power_of_two(top)

    @property
    def roundoff(self):
        return power_of_two(-self.mantissa_bits - 1)

    def ulp(self, x):
        exponent = floor_log2(abs(x)) if x else self.min_exponent
        return power_of_two(max(exponent, self.min_exponent) - self.mantissa_bits)

    def nearest(self, x):
        """x to the nearest multiple of its ulp, ties to even; may be zero or beyond the maximum."""
        unit = self.ulp(x)
        return round(x / unit) * unit

    def decode(self, bits):
        if self.kind == "exponent":
            return Nan() if bits == 255 else Real(*[power_of_two(bits - self.bias)] * 2)
        sign = -1 if bits >> (self.width - 1) else 1
        exponent = bits >> self.mantissa_bits & ((1 << self.exponent_bits) - 1)
        mantissa = bits & ((1 << self.mantissa_bits) - 1)
        if self.kind == "fnuz" and bits == 1 << (self.width - 1):
            return Nan(bits)
        if exponent == (1 << self.exponent_bits) - 1:
            if self.kind == "ieee":
                return Nan(bits) if mantissa else Inf(sign)
            if self.kind == "fn" and mantissa == (1 << self.mantissa_bits) - 1:
                return Nan(bits)
        if exponent:
            mantissa += 1 << self.mantissa_bits
        if not mantissa:
            return Zero(sign)
        value = sign * mantissa * self.least * power_of_two(max(exponent, 1) - 1)
        return Real(value, value)

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
        """The bits of a piece that is one value of the format."""
        if isinstance(piece, Nan):
            return self.nan_bits() if piece.bits is None else piece.bits
        sign = (piece.sign < 0) << (self.width - 1)
        if isinstance(piece, Zero):
            return sign
        if isinstance(piece, Inf):
            return sign | ((1 << self.exponent_bits) - 1) << self.mantissa_bits
        value = abs(piece.lo)
        if self.kind == "exponent":
            return floor_log2(value) + self.bias
        exponent = max(floor_log2(value), self.min_exponent)
        mantissa = int(value / power_of_two(exponent - self.mantissa_bits))
        # The leading bit of a normal value adds one to the exponent field.
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


def everything(form):
    """Every value of a format."""
    return frozenset(
        [Nan(), Inf(1), Inf(-1), Zero(1), Zero(-1), Real(TINY, HUGE), Real(-HUGE, -TINY)]
    )


def overflow(form, sign):
    """What a result beyond the maximum becomes (ruling 0035)."""
    greatest = frozenset([Real(sign * form.max, sign * form.max)])
    if form.kind == "finite":
        return greatest
    pieces = frozenset([Inf(sign) if form.kind == "ieee" else Nan()])
    return allow("8-bit overflow may saturate", pieces, greatest) if form.width <= 8 else pieces


def round_real(form, real, flush=True):
    """One rounding of every value of an interval, and the flush of what lies below the normals."""
    sign = real.sign
    lo, hi = sorted((abs(real.lo), abs(real.hi)))
    low, high = form.nearest(lo), form.nearest(hi)
    pieces = frozenset()
    if high > form.max:
        pieces |= overflow(form, sign)
        high = form.max
    if low == 0:
        pieces |= {Zero(sign if form.kind != "fnuz" else 1)}
        low = form.least
    if form.kind == "exponent" and lo < form.min_normal:
        return everything(form)
    if low <= high:
        pieces |= {Real(*sorted((sign * low, sign * high)))}
    if flush and lo < form.min_normal:
        zero = Zero(sign if form.kind != "fnuz" else 1)
        pieces = allow("a subnormal result may be flushed (ruling 0036)", pieces, [zero])
    return pieces


def store_once(form, pieces, flush=True):
    stored = set()
    for piece in pieces:
        if isinstance(piece, Real):
            stored |= round_real(form, piece, flush)
        elif form.kind == "exponent" and not isinstance(piece, Nan):
            stored |= everything(form)  # no zero, no infinity: any value (ruling 0035)
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
    """The values that a result within `pieces` may have in memory: rounded to nearest even, in
    types of 16 bits and fewer also by way of a wider type (rulings 0035, 0055)."""
    stored = store_once(form, pieces, flush)
    for name in {16: ["f32"], 8: ["f32", "f16", "bf16"], 4: ["f32", "f16", "bf16"]}.get(
        form.width, []
    ):
        if name != form.name:
            twice = store_once(form, store_once(FORMATS[name], pieces, flush), flush)
            stored = allow(
                "a 16- or 8-bit result may be rounded twice (ruling 0055)", stored, twice
            )
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
    """n modulo 2^w, as a value of the integer type (ruling 0078)."""
    if type_name == "pred":
        return int(bool(n))
    width = width_of(type_name)
    n %= 1 << width
    return n - (1 << width) if type_name[0] == "s" and n >> (width - 1) else n


def fits(type_name, n):
    return wrap(type_name, n) == n
