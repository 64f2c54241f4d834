# SPDX-License-Identifier: Apache-2.0
"""Tests formats bit by bit, the enclosures of functions, and the ulps of functions."""

import functools
import math
import pathlib
import re
import struct
import sys
import unittest
from decimal import Decimal, localcontext
from fractions import Fraction

sys.dont_write_bytecode = True
try:
    import elements
except ModuleNotFoundError as missing:
    raise unittest.SkipTest("python3-numpy and python3-gmpy2: %s" % missing) from missing
from formats import FORMATS, everything, store, store_once
from gmpy2 import mpq
from reals import FUNCTIONS, enclose
from sets import Nan, Real, Zero, holds, point, power_of_two, set_text


@functools.cache
def finite_values(form):
    """Returns a dictionary from value to bits, in ascending order of values."""
    pieces = ((form.decode(bits), bits) for bits in range(1 << form.width))
    return dict(sorted((p.lo, bits) for p, bits in pieces if isinstance(p, Real)))


class FormatTest(unittest.TestCase):
    def test_bits_come_back(self):
        for form in FORMATS.values():
            for bits in range(1 << form.width) if form.width <= 16 else ():
                piece = form.decode(bits)
                if piece != Nan():
                    self.assertEqual(form.encode(piece), bits, (form.name, bits))

    def test_greatest_and_least(self):
        known = {"f8e4m3fn": 448, "f8e5m2": 57344, "f8e4m3fnuz": 240, "f8e5m2fnuz": 57344}
        known.update({"f8e4m3b11fnuz": 30, "f8e3m4": 15.5, "f8e4m3": 240})
        for name, greatest in {**known, "f4e2m1fn": 6, "f16": 65504}.items():
            values = list(finite_values(FORMATS[name]))
            self.assertEqual((values[-1], FORMATS[name].max), (greatest, greatest), name)
            self.assertEqual(min(v for v in values if v > 0), FORMATS[name].least, name)

    def test_rounding_between_all_neighbours(self):
        """Narrow formats round to the nearest number, and a midpoint to the even neighbour."""
        for form in FORMATS.values():
            bits = finite_values(form) if form.width <= 16 and form.name != "f16" else {}
            values = list(bits)
            for low, high in zip(values, values[1:]):
                if low < 0 < high:
                    continue
                middle, little = (low + high) / 2, (high - low) / 1024
                even = low if bits[low] % 2 == 0 else high
                self.assertEqual(form.nearest(middle - little), low)
                self.assertEqual(form.nearest(middle + little), high)
                if form.kind != "exponent":
                    self.assertEqual(form.nearest(middle), even)

    def test_wide_formats_against_the_machine(self):
        for name, code, width in (("f16", "e", 2), ("f32", "f", 4), ("f64", "d", 8)):
            for seed in range(2000):
                bits = seed * 0x9E3779B97F4A7C15 % (1 << (8 * width))
                (value,) = struct.unpack("<" + code, bits.to_bytes(width, "little"))
                if math.isfinite(value) and value:
                    self.assertEqual(FORMATS[name].decode(bits), point(value))
                    shifted = Fraction(value) * (1 + Fraction(seed, 1 << 70))
                    if name == "f64":
                        expected = shifted.numerator / shifted.denominator
                        self.assertEqual(FORMATS[name].nearest(mpq(shifted)), expected)

    def test_stores(self):
        for name, pieces, expected in (
            ("f32", point(10**60), "inf"),
            ("f8e5m2", point(10**60), "57344 or inf"),
            ("f8e4m3fn", point(10**60), "448 or nan"),
            ("f8e4m3fnuz", point(10**60), "240 or nan"),
            ("f4e2m1fn", point(10**60), "6"),
            ("f8e4m3fnuz", Zero(-1), "+0"),
            ("f4e2m1fn", Nan(), set_text(everything(FORMATS["f4e2m1fn"]))),
        ):
            self.assertEqual(set_text(store_once(FORMATS[name], {pieces})), expected, name)
        f32, bf16 = FORMATS["f32"], FORMATS["bf16"]
        below = point(f32.min_normal * (1 - power_of_two(-40)))  # flushed before it is rounded
        self.assertEqual(store(f32, {below}), {point(f32.min_normal), Zero(1)})
        self.assertEqual(store(f32, {point(f32.min_normal)}), {point(f32.min_normal)})
        twice = point(1 + power_of_two(-8) + power_of_two(-40))
        self.assertEqual(store(bf16, {twice}), {point(1), point(1 + power_of_two(-7))})


class FunctionTest(unittest.TestCase):
    """Compares MPFR's enclosures with Decimal, at binary fractions and at other points."""

    def encloses(self, name, expected, *x):
        lo, hi = map(mpq, enclose(name, *(mpq(Fraction(v)) for v in x)))
        value, slack = mpq(Fraction(expected)), abs(mpq(Fraction(expected))) / 10**55
        self.assertTrue(lo - slack <= value <= hi + slack, (name, x))
        self.assertLessEqual(hi - lo, abs(hi) * power_of_two(-150), (name, x))

    def test_functions(self):
        with localcontext() as context:
            context.prec = 500
            for x in map(Decimal, (1e-300, 1e-9, "0.1", 0.499, 0.999, "1.3", 7.25, 88.7, 300)):
                for y in (x, -x):
                    e = y.exp()
                    self.encloses("exp", e, y)
                    self.encloses("expm1", e - 1, y)
                    self.encloses("logistic", e / (e + 1), y)
                    self.encloses("sinh", (e - 1 / e) / 2, y)
                    self.encloses("cosh", (e + 1 / e) / 2, y)
                    self.encloses("tanh", (e * e - 1) / (e * e + 1), y)
                    self.encloses("asinh", (y + (y * y + 1).sqrt()).ln(), y)
                self.encloses("log", x.ln(), x)
                self.encloses("log1p", (1 + x).ln(), x)
                self.encloses("pow", x ** Decimal("-2.75"), x, "-2.75")
                self.encloses("rec_sqrt", 1 / x.sqrt(), x)
                self.encloses("cbrt", -((x.ln() / 3).exp()), -x)
        text = "0.84270079294971486934122063508260925929606699796630290845993"
        self.encloses("erf", Decimal(text), 1)

    def test_every_function_allows_the_machines_value(self):
        names = {"exponential": "exp", "exponential-minus-one": "expm1", "log-plus-one": "log1p"}
        own = {
            "sine": math.sin,
            "cosine": math.cos,
            "cbrt": lambda x: x ** (1 / 3),
            "rsqrt": lambda x: x**-0.5,
            "logistic": lambda x: 1 / (1 + math.exp(-x)),
        }
        for opcode in FUNCTIONS:
            function = own.get(opcode) or getattr(math, names.get(opcode, opcode))
            for x in (0.0625, 0.3, 0.84375):
                x += opcode == "acosh"
                value = elements.Value(frozenset([point(x)]))
                sets = elements.float_unary(opcode, "f64", value).stored
                self.assertTrue(holds(sets, point(function(x))), (opcode, x))
                self.assertFalse(holds(sets, point(function(x) * (1 + 1e-13))), (opcode, x))

    def test_no_tolerance_is_below_the_laws(self):
        """Compares ULPS with the ulps of spec/accuracy, by the names of opcodes there."""
        path = pathlib.Path(__file__).resolve().parents[2] / "spec/accuracy/function_ulps.inc"
        rows = re.findall(r"^HLOCTS_FUNCTION\((\w+), (.*)\)$", path.read_text(), re.M)
        self.assertGreater(len(rows), 15)
        for name, numbers in rows:
            opcode = re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()
            self.assertIn(opcode, elements.ULPS, "elements.py and reals.py need a row for it")
            law, ours = numbers.split(", "), elements.ULPS[opcode]
            asked = [*map(float, law[:4]), float(law[8])]
            self.assertTrue(all(a >= b for a, b in zip(ours, asked)), opcode)
            self.assertGreaterEqual(ours[1], float(law[10]), opcode)


if __name__ == "__main__":
    unittest.main()
