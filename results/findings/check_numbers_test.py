#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Formats bit by bit, and the enclosures of functions against 90 digits."""

from decimal import Decimal, localcontext
from fractions import Fraction
import functools
import math
import struct
import sys
import unittest

sys.dont_write_bytecode = True
import check_functions as functions
from check_formats import FORMATS, everything, store, store_once
from check_numbers import Inf, Nan, Real, Zero, power_of_two


def point(x):
    return Real(Fraction(x), Fraction(x))


@functools.cache
def finite_values(form):
    """Value to its bits, in order of the values."""
    pieces = ((form.decode(bits), bits) for bits in range(1 << form.width))
    return dict(sorted((p.lo, bits) for p, bits in pieces if isinstance(p, Real)))


class FormatTest(unittest.TestCase):
    def test_bits_come_back(self):
        for form in FORMATS.values():
            if form.width <= 16:
                for bits in range(1 << form.width):
                    piece = form.decode(bits)
                    if not (isinstance(piece, Nan) and piece.bits is None):
                        self.assertEqual(form.encode(piece), bits, (form.name, bits))

    def test_greatest_and_least(self):
        known = {"f8e4m3fn": 448, "f8e5m2": 57344, "f8e4m3fnuz": 240, "f8e5m2fnuz": 57344}
        known.update(
            {"f8e4m3b11fnuz": 30, "f8e3m4": 15.5, "f8e4m3": 240, "f4e2m1fn": 6, "f16": 65504}
        )
        for name, greatest in known.items():
            values = list(finite_values(FORMATS[name]))
            self.assertEqual((values[-1], FORMATS[name].max), (greatest, greatest), name)
            self.assertEqual(min(v for v in values if v > 0), FORMATS[name].least, name)

    def test_rounding_between_all_neighbours(self):
        """Of narrow formats: beside the middle to the nearer one, in the middle to the even one."""
        for form in FORMATS.values():
            if form.width > 16 or form.name == "f16":
                continue
            bits = finite_values(form)
            values = list(bits)
            for low, high in zip(values, values[1:]):
                if low < 0 < high:
                    continue
                middle, little = (low + high) / 2, (high - low) / 1024
                even = next(v for v in (low, high) if bits[v] % 2 == 0)
                for x, expected in (
                    (middle - little, low),
                    (middle + little, high),
                    (middle, even),
                ):
                    found = form.nearest(x)
                    allowed = (
                        (low, high) if form.kind == "exponent" and x == middle else (expected,)
                    )
                    self.assertIn(found, allowed, (form.name, x))

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
                        self.assertEqual(FORMATS[name].nearest(shifted), Fraction(expected))

    def test_out_of_range(self):
        cases = {
            "f32": {Inf(1)},
            "f8e5m2": {Inf(1), point(57344)},
            "f8e4m3fn": {Nan(), point(448)},
            "f8e4m3fnuz": {Nan(), point(240)},
            "f4e2m1fn": {point(6)},
        }
        for name, expected in cases.items():
            self.assertEqual(store_once(FORMATS[name], {point(Fraction(10) ** 60)}), expected, name)
        self.assertEqual(store_once(FORMATS["f8e4m3fnuz"], {Zero(-1)}), {Zero(1)})
        self.assertEqual(store_once(FORMATS["f4e2m1fn"], {Nan()}), everything(FORMATS["f4e2m1fn"]))

    def test_flush_looks_before_rounding(self):
        least = FORMATS["f32"].min_normal
        x = least * (1 - power_of_two(-40))
        self.assertEqual(store(FORMATS["f32"], {point(x)}), {point(least), Zero(1)})
        self.assertEqual(store(FORMATS["f32"], {point(least)}), {point(least)})

    def test_double_rounding(self):
        x = point(1 + power_of_two(-8) + power_of_two(-40))
        self.assertEqual(store(FORMATS["bf16"], {x}), {point(1), point(1 + power_of_two(-7))})


class FunctionTest(unittest.TestCase):
    """Enclosures against 90 digits of Decimal, and against the machine's own functions."""

    def encloses(self, name, x, expected):
        found = getattr(functions, name)(*map(Fraction, x))
        slack = abs(Fraction(expected)) * Fraction(10) ** -55
        self.assertLessEqual(found.lo - slack, Fraction(expected), (name, x))
        self.assertGreaterEqual(found.hi + slack, Fraction(expected), (name, x))
        if not (name == "erf" and abs(x[0]) > 6):
            self.assertLessEqual(found.hi - found.lo, abs(found.hi) * power_of_two(-120), (name, x))

    ARGUMENTS = [
        1e-300,
        5.9e-39,
        1e-9,
        0.001,
        0.3,
        0.499,
        0.75,
        0.999,
        1,
        1.3333,
        1.5707,
        3,
        7.25,
        18,
        88.7,
        300,
    ]

    def test_exponentials_and_logarithms(self):
        with localcontext() as context:
            context.prec = 500
            for x in map(Decimal, self.ARGUMENTS):
                for y in (x, -x):
                    e = y.exp()
                    self.encloses("exp", (y,), e)
                    self.encloses("expm1", (y,), e - 1)
                    self.encloses("logistic", (y,), e / (e + 1))
                    self.encloses("sinh", (y,), (e - 1 / e) / 2)
                    self.encloses("cosh", (y,), (e + 1 / e) / 2)
                    self.encloses("tanh", (y,), (e * e - 1) / (e * e + 1))
                    self.encloses("asinh", (y,), (y + (y * y + 1).sqrt()).ln())
                self.encloses("log", (x,), x.ln())
                self.encloses("log1p", (x,), (1 + x).ln())
                self.encloses("acosh", (1 + x,), (1 + x + (2 * x + x * x).sqrt()).ln())
                if x < 1:
                    self.encloses("log1p", (-x,), (1 - x).ln())
                    self.encloses("atanh", (x,), ((1 + x) / (1 - x)).ln() / 2)
                self.encloses("power", (x, Decimal("-2.75")), x ** Decimal("-2.75"))

    def test_roots(self):
        with localcontext() as context:
            context.prec = 90
            for x in map(Decimal, self.ARGUMENTS):
                self.encloses("sqrt", (x,), x.sqrt())
                self.encloses("rsqrt", (x,), 1 / x.sqrt())
                self.encloses("cbrt", (-x,), -((x.ln() / 3).exp()))
        self.assertEqual(functions.cbrt(Fraction(-27)).hi, -3)

    def series(self, x, first):
        """Sine or cosine by Taylor's series in Decimal."""
        term, total, n = (x if first else Decimal(1)), Decimal(0), first
        while abs(term) > Decimal(10) ** -700:
            total += term
            term = -term * x * x / ((n + 1) * (n + 2))
            n += 2
        return total

    def test_circular(self):
        with localcontext() as context:
            context.prec = 450
            for x in map(Decimal, self.ARGUMENTS):
                s, c = self.series(x, 1), self.series(x, 0)
                self.encloses("sin", (-x,), -s)
                self.encloses("cos", (x,), c)
                self.encloses("tan", (x,), s / c)
                if x < 1.5:  # the inverse functions return the angle
                    for name, value in (("atan", s / c), ("asin", s), ("acos", c)):
                        if name == "acos" and x < 1e-8:
                            continue  # the cosine's distance from 1 is lost in 450 digits
                        found = getattr(functions, name)(Fraction(value))
                        self.assertLess(
                            abs(found.lo / Fraction(x) - 1), Fraction(10) ** -50, (name, x)
                        )
        self.assertEqual(float(functions.sin(Fraction(1e300)).lo), math.sin(1e300))

    def test_atan2_and_erf_against_the_machine(self):
        for y in (-2.5, -0.1, 0.3, 4):
            for x in (-3, -0.2, 0.7, 5):
                found = functions.atan2(Fraction(y), Fraction(x))
                self.assertAlmostEqual(float(found.lo), math.atan2(y, x), delta=1e-15)
        for x in (-5.9, -0.5, 1e-200, 0.01, 2, 5.5, 6.5, 30):
            self.assertAlmostEqual(
                float(functions.erf(Fraction(x)).lo),
                math.erf(x),
                delta=1e-16 + abs(math.erf(x)) * 4e-16,
            )
        self.encloses(
            "erf", (1,), Decimal("0.84270079294971486934122063508260925929606699796630290845993")
        )

    def test_remainders_are_not_too_small(self):
        """With few terms the enclosures are wide and still hold the value."""
        exact = {
            n: getattr(functions, n)(Fraction(1, 3))
            for n in ("exp", "sin", "cos", "atan", "erf", "log")
        }
        terms, functions.TERMS = functions.TERMS, 6
        try:
            for name, value in exact.items():
                rough = getattr(functions, name)(Fraction(1, 3))
                self.assertTrue(rough.lo <= value.lo and value.hi <= rough.hi, name)
                self.assertGreater(rough.hi - rough.lo, value.hi - value.lo, name)
        finally:
            functions.TERMS = terms


if __name__ == "__main__":
    unittest.main()
