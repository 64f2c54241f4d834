#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What each operation may return, on modules of a few instructions."""

from fractions import Fraction
import math
import pathlib
import re
import sys
import unittest

sys.dont_write_bytecode = True
import check
import check_elements as elements
from check_evaluator import Array, Evaluator, leaves
from check_formats import FORMATS
from check_numbers import ANY, FREEDOMS, Inf, Nan, Real, Unsupported, Zero, holds, power_of_two
from check_reals import FUNCTIONS
from check_text import parse_literals, parse_module


def point(x):
    return Real(Fraction(x), Fraction(x))


def allowed(module, inputs="", output=0, index=()):
    """The set of one element, as text."""
    FREEDOMS.clear()
    Array.cone.clear()
    parsed = parse_module(module)
    arguments, rest = [], iter(parse_literals(inputs))
    for parameter in parsed.entry.parameters():
        arguments.append(check.arguments_of(parameter.shape, rest))
    return leaves(Evaluator(parsed).run(parsed.entry, arguments))[output][index].stored


def entry(*lines):
    return "HloModule m\nENTRY %main {\n  " + "\n  ".join(lines) + "\n}\n"


def unary(opcode, type_name, value):
    return allowed(
        entry(
            "%%p = %s[] parameter(0)" % type_name, "ROOT %%r = %s[] %s(%%p)" % (type_name, opcode)
        ),
        "%s[] %s" % (type_name, value),
    )


def binary(opcode, type_name, a, b):
    return allowed(
        entry(
            "%%a = %s[] parameter(0)" % type_name,
            "%%b = %s[] parameter(1)" % type_name,
            "ROOT %%r = %s[] %s(%%a, %%b)" % (type_name, opcode),
        ),
        "%s[] %s\n%s[] %s" % (type_name, a, type_name, b),
    )


def reduced(opcode, type_name, values, init=0):
    text = """HloModule m
%%c {
  %%x = %(t)s[] parameter(0)
  %%y = %(t)s[] parameter(1)
  ROOT %%z = %(t)s[] %(o)s(%%x, %%y)
}
ENTRY %%main {
  %%p = %(t)s[%(n)d] parameter(0)
  %%i = %(t)s[] constant(%(i)s)
  ROOT %%r = %(t)s[] reduce(%%p, %%i), dimensions={0}, to_apply=%%c
}"""
    fields = {"t": type_name, "o": opcode, "n": len(values), "i": init}
    return allowed(
        text % fields, "%s[%d] {%s}" % (type_name, len(values), ", ".join(map(str, values)))
    )


class OperationTest(unittest.TestCase):
    def test_integers(self):
        self.assertEqual(binary("add", "s8", 127, 1), {-128})
        self.assertEqual(binary("multiply", "s32", 2, 2147483647), {-2})
        self.assertEqual(binary("divide", "s32", -7, 2), {-3})
        self.assertEqual(binary("remainder", "s32", -7, 2), {-1})
        self.assertEqual(binary("divide", "s32", 1, 0), ANY)
        self.assertEqual(binary("power", "s32", 3, 64), {pow(3, 64, 1 << 32)})
        self.assertEqual(binary("power", "s32", 0, 64), {0})
        self.assertEqual(binary("shift-right-logical", "s8", -1, 7), {1})
        self.assertEqual(binary("shift-right-arithmetic", "u8", 128, 7), {255})
        self.assertEqual(binary("shift-left", "u8", 1, 8), ANY)
        self.assertEqual(binary("add", "pred", "true", "true"), {1})
        self.assertEqual(unary("popcnt", "s2", -2), {1})
        self.assertEqual(unary("count-leading-zeros", "s2", 0), {-2})
        self.assertEqual(unary("not", "pred", "true"), {0})

    def test_arithmetic(self):
        self.assertEqual(binary("add", "f32", "inf", "-inf"), {Nan()})
        self.assertEqual(binary("multiply", "f32", 0, "-inf"), {Nan()})
        self.assertEqual(binary("multiply", "f32", 0, "-1"), {Zero(-1)})
        self.assertEqual(binary("divide", "f64", 1, "-0"), {Inf(-1)})
        self.assertEqual(binary("add", "f32", 16777216, 1), {point(16777216)})
        self.assertEqual(binary("subtract", "f32", 1, 1), {Zero(1), Zero(-1)})
        self.assertEqual(binary("remainder", "f32", -7.5, 2), {point(-1.5)})
        self.assertEqual(binary("maximum", "f32", "nan", 2), {Nan()})
        self.assertEqual(binary("maximum", "f32", "-0", "0"), {Zero(1), Zero(-1)})
        self.assertEqual(unary("sqrt", "f64", 4), {point(2)})
        self.assertEqual(unary("sqrt", "f32", -1), {Nan()})
        self.assertEqual(unary("round-nearest-even", "f32", 2.5), {point(2)})
        self.assertEqual(unary("round-nearest-afz", "f32", -2.5), {point(-3)})
        self.assertEqual(unary("sign", "f32", "-0"), {Zero(-1)})
        self.assertEqual(
            binary("divide", "f8e8m0fnu", "5.877471754111438e-39", "5.877471754111438e-39"),
            {point(1)},
        )

    def test_special_values_of_functions(self):
        known = {
            ("log", "-0"): {Inf(-1)},
            ("log", "-1"): {Nan()},
            ("rsqrt", "-0"): {Inf(-1)},
            ("exponential", "-inf"): {Zero(1)},
            ("tanh", "inf"): {point(1)},
            ("cbrt", "-0"): {Zero(-1)},
            ("log-plus-one", "-1"): {Inf(-1)},
            ("atanh", "1"): {Inf(1)},
            ("acosh", "0.5"): {Nan()},
            ("sine", "inf"): {Nan()},
            ("logistic", "-inf"): {Zero(1)},
            ("cosh", "-inf"): {Inf(1)},
        }
        for (opcode, x), expected in known.items():
            found = unary(opcode, "f32", x)
            self.assertTrue(all(holds(found, piece) for piece in expected), (opcode, x))
            self.assertFalse(
                holds(found, point(1.00001)) or holds(found, Inf(1)) and Inf(1) not in expected
            )
            self.assertEqual({type(p) for p in found}, {type(p) for p in expected}, (opcode, x))
        self.assertEqual(binary("atan2", "f32", 0, 0), {Zero(1)})
        most = Real(FORMATS["f32"].max, FORMATS["f32"].max)
        self.assertEqual(unary("exponential", "f32", "200"), {Inf(1), most})
        self.assertEqual(unary("log", "f32", "inf"), {Inf(1)})
        self.assertTrue(holds(binary("atan2", "f64", "-0", "-0"), point(-math.pi)))
        self.assertEqual(binary("power", "f32", "-0", -1), {Inf(-1)})
        either = binary("power", "f32", "nan", 0)
        self.assertTrue(holds(either, point(1)) and holds(either, Nan()))
        self.assertTrue(holds(binary("power", "f64", -2, 3), point(-8)))

    def test_every_function_allows_the_machines_value(self):
        own = {
            "exponential": math.exp,
            "exponential-minus-one": math.expm1,
            "log": math.log,
            "tanh": math.tanh,
            "log-plus-one": math.log1p,
            "sine": math.sin,
            "cosine": math.cos,
            "tan": math.tan,
            "erf": math.erf,
            "sqrt": math.sqrt,
            "asin": math.asin,
            "acos": math.acos,
            "atan": math.atan,
            "asinh": math.asinh,
            "atanh": math.atanh,
            "cosh": math.cosh,
            "sinh": math.sinh,
            "acosh": lambda x: math.acosh(1 + x),
            "cbrt": lambda x: x ** (1 / 3),
            "rsqrt": lambda x: x**-0.5,
            "logistic": lambda x: 1 / (1 + math.exp(-x)),
        }
        for opcode, function in own.items():
            for x in (0.0625, 0.3, 0.84375):
                argument = 1 + x if opcode == "acosh" else x
                sets = unary(opcode, "f64", repr(argument))
                self.assertTrue(holds(sets, point(function(x))), (opcode, x))
                self.assertFalse(holds(sets, point(function(x) * (1 + 1e-13))), (opcode, x))
        self.assertEqual(set(own), set(FUNCTIONS))

    def test_freedoms(self):
        text = entry(
            "%x = f32[] parameter(0)",
            "%y = f32[] parameter(1)",
            "%z = f32[] parameter(2)",
            "%p = f32[] multiply(%x, %y)",
            "%n = f32[] negate(%p)",
            "ROOT %s = f32[] add(%n, %z)",
        )
        fused = allowed(text, "f32[] 1.0000001\nf32[] 1.0000001\nf32[] 1.0000002")
        self.assertEqual(len(fused), 3)  # rounded: both zeros; fused: -2^-46
        self.assertTrue(any("fused" in f for f in FREEDOMS))
        self.assertEqual(
            binary("add", "f32", "1e-45", 0), {point(power_of_two(-149)), Zero(1), Zero(-1)}
        )
        self.assertTrue(any("subnormal" in f for f in FREEDOMS))
        narrow = entry(
            "%x = bf16[] parameter(0)",
            "%y = bf16[] parameter(1)",
            "%a = bf16[] add(%x, %y)",
            "ROOT %c = f32[] convert(%a)",
        )
        self.assertEqual(
            allowed(narrow, "bf16[] 1\nbf16[] 0.001953125"), {point(1), point(1.001953125)}
        )

    def test_comparison_selection_conversion(self):
        text = entry(
            "%a = f32[] parameter(0)",
            "%b = f32[] parameter(1)",
            "ROOT %c = pred[] compare(%a, %b), direction=%s",
        )
        for direction, inputs, expected in (
            ("LT", "f32[] nan\nf32[] 1", {0}),
            ("NE", "f32[] nan\nf32[] 1", {1}),
            ("EQ", "f32[] 0\nf32[] -0", {1}),
            ("GT", "f32[] 1e-45\nf32[] 0", {0, 1}),
            ("GE", "f32[] 2\nf32[] 2", {1}),
            ("LE", "f32[] 3\nf32[] 2", {0}),
        ):
            self.assertEqual(allowed(text.replace("%s", direction), inputs), expected, direction)
        clamp = entry(
            *["%%%s = s32[] parameter(%d)" % (n, k) for k, n in enumerate("axb")],
            "ROOT %r = s32[] clamp(%a, %x, %b)"
        )
        self.assertEqual(allowed(clamp, "s32[] 2\ns32[] 2\ns32[] 1"), {1, 2})
        self.assertEqual(allowed(clamp, "s32[] 0\ns32[] 9\ns32[] 6"), {6})
        convert = entry("%p = f4e2m1fn[] parameter(0)", "ROOT %c = s32[] convert(%p)")
        self.assertEqual(allowed(convert, "f4e2m1fn[] 6"), {6})
        self.assertEqual(allowed(convert.replace("f4e2m1fn", "f32"), "f32[] 3e9"), ANY)
        precision = entry(
            "%p = f32[] parameter(0)",
            "ROOT %r = f32[] reduce-precision(%p), exponent_bits=5, mantissa_bits=10",
        )
        self.assertEqual(allowed(precision, "f32[] 65519.99"), {point(65504)})
        self.assertEqual(allowed(precision, "f32[] 65520"), {Inf(1)})
        bits = entry("%p = u8[2] parameter(0)", "ROOT %b = u4[2,2] bitcast-convert(%p)")
        self.assertEqual(
            [allowed(bits, "u8[2] {33, 67}", index=i) for i in ((0, 0), (0, 1), (1, 0))],
            [{1}, {2}, {3}],
        )
        wider = entry("%p = u16[2] parameter(0)", "ROOT %b = f32[] bitcast-convert(%p)")
        self.assertEqual(allowed(wider, "u16[2] {0, 16256}"), {point(1)})

    def complex_function(self, opcode, z):
        text = entry("%p = c64[] parameter(0)", "ROOT %r = c64[] OP(%p)").replace("OP", opcode)
        return allowed(text, "c64[] " + z)

    def test_complex(self):
        third = (point(Fraction(-37, 64)), point(0.75))
        for opcode, z, value in (
            ("exponential", "(0, 3)", (point(-0.9899925), point(0.14112))),
            ("log", "(3e38, 3e38)", (point(88.943), point(0.7853982))),
            ("sine", "(1, 2)", (point(3.1657784), point(1.9596010))),
            ("cosine", "(1, 2)", (point(2.0327230), point(-3.0518978))),
            ("exponential-minus-one", "(0.5, 1)", (point(-0.1091957), point(1.3873511))),
        ):
            found = self.complex_function(opcode, z)
            near = [(p.lo * 9999 / 10000, p.lo * 10001 / 10000) for p in value]
            boxed = {tuple(Real(*sorted(n)) for n in near)}
            self.assertTrue(
                all(holds(boxed, tuple(point(e.lo) for e in pair)) for pair in found), (opcode, z)
            )
            self.assertFalse(holds(found, (Inf(1), value[1])) or holds(found, (Nan(), value[1])))
        overflow = self.complex_function("cosine", "(0, 200)")
        self.assertTrue(holds(overflow, (Inf(1), Zero(-1))) and holds(overflow, (Inf(1), Nan())))
        large = self.complex_function("cosine", "(0, 89)")
        self.assertTrue(
            holds(large, (point(FORMATS["f32"].nearest(Fraction(2.2448e38))), Zero(-1)))
        )
        self.assertFalse(holds(large, (Inf(1), Nan())) or holds(large, (Inf(1), Zero(1))))
        product = entry(
            "%a = c64[] parameter(0)", "%b = c64[] parameter(1)", "ROOT %r = c64[] multiply(%a, %b)"
        )
        inputs = "c64[] (0.5, 0.75)\nc64[] (0.25, 1.125)"
        found = allowed(product, inputs)
        self.assertTrue(holds(found, (point(-0.71875), point(0.75))))
        self.assertFalse(holds(found, third))
        made = entry(
            "%a = f32[] parameter(0)",
            "%c = c64[] convert(%a)",
            "%i = f32[] imag(%c)",
            "%z = c64[] complex(%a, %i)",
            "ROOT %r = f32[] real(%z)",
        )
        self.assertEqual(allowed(made, "f32[] 3"), {point(3)})

    def test_moves(self):
        text = entry(
            "%p = s32[2,3] parameter(0)", "%q = s32[2,3] %s", "ROOT %c = s32[2,3] copy(%q)"
        )
        data = "s32[2,3] { {0, 1, 2}, {3, 4, 5} }"
        self.assertEqual(
            allowed(text.replace("%s", "reverse(%p), dimensions={1}"), data, index=(1, 0)), {5}
        )
        turned = entry(
            "%p = s32[2,3] parameter(0)", "ROOT %t = s32[3,2] transpose(%p), dimensions={1,0}"
        )
        self.assertEqual(allowed(turned, data, index=(2, 1)), {5})
        shaped = turned.replace("transpose(%p), dimensions={1,0}", "reshape(%p)")
        self.assertEqual(allowed(shaped, data, index=(1, 1)), {3})
        cut = entry(
            "%p = s32[2,3] parameter(0)", "ROOT %t = s32[1,2] slice(%p), slice={[1:2], [0:3:2]}"
        )
        self.assertEqual(allowed(cut, data, index=(0, 1)), {5})
        padded = entry(
            "%p = s32[2] parameter(0)",
            "%z = s32[] constant(9)",
            "ROOT %t = s32[4] pad(%p, %z), padding=1_0_1",
        )
        self.assertEqual(
            [allowed(padded, "s32[2] {4, 5}", index=(n,)) for n in range(4)], [{9}, {4}, {9}, {5}]
        )
        joined = entry(
            "%p = s32[2] parameter(0)",
            "%q = s32[1] parameter(1)",
            "ROOT %t = s32[3] concatenate(%p, %q), dimensions={0}",
        )
        self.assertEqual(allowed(joined, "s32[2] {1, 2}\ns32[1] {3}", index=(2,)), {3})
        counted = entry("ROOT %i = f32[2,3] iota(), iota_dimension=1")
        self.assertEqual(allowed(counted, index=(0, 2)), {point(2)})

    def test_indexing(self):
        text = entry(
            "%p = s32[4] parameter(0)",
            "%i = s32[] parameter(1)",
            "ROOT %d = s32[2] dynamic-slice(%p, %i), dynamic_slice_sizes={2}",
        )
        self.assertEqual(allowed(text, "s32[4] {0, 1, 2, 3}\ns32[] 7", index=(1,)), {3})
        update = entry(
            "%p = s32[4] parameter(0)",
            "%u = s32[2] parameter(1)",
            "%i = s32[] parameter(2)",
            "ROOT %d = s32[4] dynamic-update-slice(%p, %u, %i)",
        )
        data = "s32[4] {0, 1, 2, 3}\ns32[2] {8, 9}\ns32[] -5"
        self.assertEqual([allowed(update, data, index=(n,)) for n in range(3)], [{8}, {9}, {2}])
        gather = entry(
            "%p = s32[3,2] parameter(0)",
            "%i = s32[2,1] parameter(1)",
            "ROOT %g = s32[2,2] gather(%p, %i), offset_dims={1}, collapsed_slice_dims={0}, "
            "start_index_map={0}, index_vector_dim=1, slice_sizes={1,2}",
        )
        self.assertEqual(
            allowed(gather, "s32[3,2] {0,1,2,3,4,5}\ns32[2,1] {1, 9}", index=(1, 1)), {5}
        )

    SCATTER = """HloModule m
%%c {
  %%x = s32[] parameter(0)
  %%y = s32[] parameter(1)
  ROOT %%z = s32[] %s
}
ENTRY %%main {
  %%p = s32[3] parameter(0)
  %%i = s32[3,1] parameter(1)
  %%u = s32[3] parameter(2)
  ROOT %%s = s32[3] scatter(%%p, %%i, %%u), update_window_dims={}, inserted_window_dims={0},
      scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=%%c
}""".replace(",\n      ", ", ")

    def test_scatter(self):
        data = "s32[3] {1, 2, 3}\ns32[3,1] {0, 7, 0}\ns32[3] {10, 20, 30}"
        for body, expected in (
            ("add(%x, %y)", {41}),
            ("subtract(%x, %y)", {-39}),
            ("copy(%y)", {10, 30}),
        ):
            self.assertEqual(allowed(self.SCATTER % body, data, index=(0,)), expected, body)
            self.assertEqual(allowed(self.SCATTER % body, data, index=(2,)), {3})

    def test_sums(self):
        self.assertEqual(reduced("add", "s8", [100, 100]), {-56})
        self.assertEqual(reduced("add", "f32", [1, 2, 3]), {point(6)})
        self.assertEqual(reduced("maximum", "f32", [1, "nan"], "-inf"), {Nan()})
        self.assertEqual(reduced("add", "s32", [1, 1], 5), {7, 12, 17})
        wide = reduced("add", "f32", [1, "1e-9", "-1"])
        self.assertTrue(
            holds(wide, Zero(1))
            and holds(wide, point(Fraction(1e-9)))
            and not holds(wide, point(1e-5))
        )
        self.assertTrue(holds(reduced("add", "f32", ["3e38", "3e38", "-3e38"]), Inf(1)))
        self.assertEqual(reduced("add", "f32", ["inf", "-inf"]), {Nan()})
        dot = entry(
            "%a = s32[2] parameter(0)",
            "%b = s32[2] parameter(1)",
            "ROOT %d = s32[] dot(%a, %b), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
        )
        self.assertEqual(allowed(dot, "s32[2] {2, 3}\ns32[2] {5, 7}"), {31})
        self.assertEqual(
            allowed(dot.replace("s32", "bf16"), "bf16[2] {2, 3}\nbf16[2] {5, 7}"), {point(31)}
        )
        image = entry(
            "%a = s32[1,1,3] parameter(0)",
            "%b = s32[1,1,2] parameter(1)",
            "ROOT %d = s32[1,1,3] convolution(%a, %b), window={size=2 pad=1_0}, "
            "dim_labels=bf0_oi0->bf0",
        )
        data = "s32[1,1,3] {1, 2, 3}\ns32[1,1,2] {10, 1}"
        self.assertEqual(
            [allowed(image, data, index=(0, 0, n)) for n in range(3)], [{1}, {12}, {23}]
        )

    LOOP = """HloModule m
%b (p: (s32[], s32[])) -> (s32[], s32[]) {
  %p = (s32[], s32[]) parameter(0)
  %i = s32[] get-tuple-element(%p), index=0
  %x = s32[] get-tuple-element(%p), index=1
  %two = s32[] constant(2)
  %n = s32[] add(%i, %two)
  %y = s32[] multiply(%x, %two)
  ROOT %t = (s32[], s32[]) tuple(%n, %y)
}
%c (p: (s32[], s32[])) -> pred[] {
  %p = (s32[], s32[]) parameter(0)
  %i = s32[] get-tuple-element(%p), index=0
  %end = s32[] constant(5)
  ROOT %l = pred[] compare(%i, %end), direction=LT
}
ENTRY %main (x: s32[]) -> (s32[], s32[]) {
  %x = s32[] parameter(0)
  %zero = s32[] constant(0)
  %t = (s32[], s32[]) tuple(%zero, %x)
  ROOT %w = (s32[], s32[]) while(%t), condition=%c, body=%b
}"""

    def test_loop(self):
        self.assertEqual([allowed(self.LOOP, "s32[] 3", output=n) for n in (0, 1)], [{6}, {24}])

    SORT = """HloModule m
%%c {
  %%a = s32[] parameter(0)
  %%b = s32[] parameter(1)
  %%x = s32[] parameter(2)
  %%y = s32[] parameter(3)
  ROOT %%l = pred[] compare(%%a, %%b), direction=LT
}
ENTRY %%main {
  %%k = s32[3] parameter(0)
  %%v = s32[3] parameter(1)
  ROOT %%s = (s32[3], s32[3]) sort(%%k, %%v), dimensions={0}, is_stable=%s, to_apply=%%c
}"""

    def test_sort(self):
        data = "s32[3] {2, 1, 2}\ns32[3] {10, 20, 30}"
        self.assertEqual(
            [allowed(self.SORT % "true", data, 1, (n,)) for n in range(3)], [{20}, {10}, {30}]
        )
        self.assertEqual(
            [allowed(self.SORT % "false", data, 1, (n,)) for n in range(3)],
            [{20}, {10, 30}, {10, 30}],
        )

    def test_what_is_not_covered_says_so(self):
        text = entry(
            "%p = f32[2,2] parameter(0)",
            "%c = f32[2,2] cholesky(%p)",
            "ROOT %t = (f32[2,2], f32[2,2]) tuple(%c, %p)",
        )
        data = "f32[2,2] {1, 0, 0, 1}"
        self.assertEqual(allowed(text, data, output=1, index=(0, 0)), {point(1)})
        with self.assertRaises(Unsupported):
            allowed(text, data, output=0, index=(0, 0))

    def test_no_tolerance_is_below_the_laws(self):
        """The ulps of spec/accuracy, by the names of the opcodes there."""
        path = pathlib.Path(__file__).resolve().parents[2] / "spec/accuracy/function_ulps.inc"
        table = path.read_text()
        rows = re.findall(r"^HLOCTS_FUNCTION\((\w+), (.*)\)$", table, re.M)
        self.assertGreater(len(rows), 15)
        for name, numbers in rows:
            opcode = re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()
            law = numbers.split(", ")
            for ours, theirs in zip(elements.ULPS[opcode], law[:4]):
                self.assertGreaterEqual(ours, float(theirs), opcode)
            self.assertGreaterEqual(elements.ULPS[opcode][1], float(law[10]), opcode)
            self.assertGreaterEqual(elements.ULPS[opcode][4], float(law[8]), opcode)


if __name__ == "__main__":
    unittest.main()
