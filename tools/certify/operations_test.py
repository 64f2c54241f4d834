# SPDX-License-Identifier: Apache-2.0
"""Tests the possible results of each operation on modules of a few instructions."""

import math
import sys
import unittest

sys.dont_write_bytecode = True
try:
    import check
except ModuleNotFoundError as missing:
    raise unittest.SkipTest("python3-numpy and python3-gmpy2: %s" % missing) from missing
from evaluator import CONE, Evaluator, leaves, of_elements
from formats import FORMATS
from gmpy2 import mpq
from sets import FREEDOMS, Inf, Nan, Real, Unsupported, Zero, holds, point, set_text
from text import parse_literals, parse_module


def allowed(module, inputs="", output=0, index=()):
    """Returns the set of one element of an output."""
    FREEDOMS.clear()
    CONE.clear()
    parsed = parse_module(module)
    rest = iter(parse_literals(inputs))
    arguments = [check.arguments_of(p.shape, rest) for p in parsed.entry.parameters()]
    return leaves(Evaluator(parsed).run(parsed.entry, arguments))[output][index].stored


def module(root, *shapes, computations=""):
    """Returns a module with parameters %0, %1, ... and `root`: instructions separated by `; `."""
    lines = ["%%%d = %s parameter(%d)" % (n, shape, n) for n, shape in enumerate(shapes)]
    *others, last = root.split("; ")
    lines += others + ["ROOT %r = " + last]
    return "HloModule m\n%sENTRY %%main {\n  %s\n}\n" % (computations, "\n  ".join(lines))


def scalar(opcode, type_name, *values, result=None, more=""):
    shape = type_name + "[]"
    operands = ", ".join("%%%d" % n for n in range(len(values)))
    root = "%s[] %s(%s)%s" % (result or type_name, opcode, operands, more)
    inputs = "\n".join("%s %s" % (shape, value) for value in values)
    return allowed(module(root, *[shape] * len(values)), inputs)


SCALARS = """\
add s8 127 1 = -128
multiply s32 2 2147483647 = -2
divide s32 -7 2 = -3
remainder s32 -7 2 = -1
divide s32 1 0 = any
power s32 3 64 = 2038349057
power s32 0 64 = 0
shift-right-logical s8 -1 7 = 1
shift-right-arithmetic u8 128 7 = 255
shift-left u8 1 8 = any
add pred true true = 1
popcnt s2 -2 = 1
count-leading-zeros s2 0 = -2
not pred true = 0
clamp s32 2 2 1 = 1 or 2
clamp s32 0 9 6 = 6
add f32 inf -inf = nan
add f32 16777216 1 = 16777216
add f32 1e-45 0 = +0 or -0 or 1.4012984643248171e-45
multiply f32 0 -inf = nan
multiply f32 0 -1 = -0
divide f64 1 -0 = -inf
divide f8e8m0fnu 5.877471754111438e-39 5.877471754111438e-39 = 1
subtract f32 1 1 = +0 or -0
remainder f32 -7.5 2 = -1.5
maximum f32 nan 2 = nan
maximum f32 -0 0 = +0 or -0
sqrt f64 4 = 2
sqrt f32 -1 = nan
round-nearest-even f32 2.5 = 2
round-nearest-afz f32 -2.5 = -3
sign f32 -0 = -0
log f32 -0 = -inf
log f32 -1 = nan
log f32 inf = inf
rsqrt f32 -0 = -inf
exponential f32 -inf = +0
exponential f32 200 = 3.4028234663852886e+38 or inf
tanh f32 inf = [0.99999916553497314, 1.0000008344650269]
cbrt f32 -0 = -0
log-plus-one f32 -1 = -inf
atanh f32 1 = inf
acosh f32 0.5 = nan
sine f32 inf = nan
logistic f32 -inf = +0
cosh f32 -inf = inf
atan2 f32 0 0 = +0
power f32 -0 -1 = -inf
power f64 -2 3 = [-8.0000000000000053, -7.9999999999999947]
convert:s32 f4e2m1fn 6 = 6
convert:s32 f32 3e9 = any
reduce-precision f32 65519.99 = 65504
reduce-precision f32 65520 = inf
compare:LT f32 nan 1 = 0
compare:NE f32 nan 1 = 1
compare:EQ f32 0 -0 = 1
compare:GT f32 1e-45 0 = 0 or 1
compare:GE f32 2 2 = 1
compare:LE f32 3 2 = 0
complex:c64 f32 3 4 = (3, 4)
"""

ADD = "%c {\n  %x = $ parameter(0)\n  %y = $ parameter(1)\n  ROOT %z = $ OP(%x, %y)\n}\n"
LOOP = """\
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
"""
LESS = "%c {\n" + "".join("  %%%s = s32[] parameter(%d)\n" % (x, n) for n, x in enumerate("abxy"))
LESS += "  ROOT %l = pred[] compare(%a, %b), direction=LT\n}\n"
GREATER = (
    ADD.replace("%c", "%ge")
    .replace("z = $ OP", "z = pred[] compare")
    .replace("(%x, %y)", "(%x, %y), direction=GE")
)
SELECT = "%i = s32[] constant(1); s32[N] select-and-scatter(%0, %1, %i), window={size=2 stride=S}"
SELECT += ", select=%ge, scatter=%c"
SCATTER = "s32[3] scatter(%0, %1, %2), update_window_dims={}, inserted_window_dims={0}, "
SCATTER += "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=%c"
GATHER = "s32[2,2] gather(%0, %1), offset_dims={1}, collapsed_slice_dims={0}, "
GATHER += "start_index_map={0}, index_vector_dim=1, slice_sizes={1,2}"
CONVOLUTION = "s32[1,1,3] convolution(%0, %1), window={size=2 pad=1_0}, dim_labels=bf0_oi0->bf0"
SIX = "s32[2,3] { {0, 1, 2}, {3, 4, 5} }"
HIT = "s32[3] {1, 2, 3}; s32[3,1] {0, 7, 0}; s32[3] {10, 20, 30}"
SORTED = "s32[3] {2, 1, 2}; s32[3] {10, 20, 30}"

# Each row contains the root, inputs, computations, and the permitted values of some elements.
ARRAYS = [
    ("s32[2,3] reverse(%0), dimensions={1}", SIX, "", {(1, 0): "5"}),
    ("s32[3,2] transpose(%0), dimensions={1,0}", SIX, "", {(2, 1): "5"}),
    ("s32[3,2] reshape(%0)", SIX, "", {(1, 1): "3"}),
    ("s32[1,2] slice(%0), slice={[1:2], [0:3:2]}", SIX, "", {(0, 1): "5"}),
    ("s32[3,2,3] broadcast(%0), dimensions={1,2}", SIX, "", {(2, 1, 0): "3"}),
    ("s32[4] pad(%0, %1), padding=1_0_1", "s32[2] {4, 5}; s32[] 9", "",
     {(0,): "9", (1,): "4", (2,): "9", (3,): "5"}),
    ("s32[1] pad(%0, %1), padding=-2_1", "s32[2] {4, 5}; s32[] 9", "", {(0,): "9"}),
    ("s32[3] concatenate(%0, %1), dimensions={0}", "s32[2] {1, 2}; s32[1] {3}", "", {(2,): "3"}),
    ("f32[2,3] iota(), iota_dimension=1", "", "", {(0, 2): "2"}),
    ("u4[2,2] bitcast-convert(%0)", "u8[2] {33, 67}", "", {(0, 0): "1", (0, 1): "2", (1, 0): "3"}),
    ("f32[] bitcast-convert(%0)", "u16[2] {0, 16256}", "", {(): "1"}),
    ("s32[2] dynamic-slice(%0, %1), dynamic_slice_sizes={2}", "s32[4] {0, 1, 2, 3}; s32[] 7", "",
     {(1,): "3"}),
    ("s32[4] dynamic-update-slice(%0, %1, %2)", "s32[4] {0, 1, 2, 3}; s32[2] {8, 9}; s32[] -5", "",
     {(0,): "8", (1,): "9", (2,): "2"}),
    (GATHER, "s32[3,2] {0,1,2,3,4,5}; s32[2,1] {1, 9}", "", {(1, 1): "5"}),
    (SCATTER, HIT, ADD.replace("OP", "add"), {(0,): "41", (2,): "3"}),
    (SCATTER, HIT, ADD.replace("OP", "subtract"), {(0,): "-39", (2,): "3"}),
    (SCATTER, HIT, ADD.replace("OP(%x, %y)", "copy(%y)"), {(0,): "10 or 30", (2,): "3"}),
    ("s32[] dot(%0, %1), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
     "s32[2] {2, 3}; s32[2] {5, 7}", "", {(): "31"}),
    ("bf16[] dot(%0, %1), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
     "bf16[2] {2, 3}; bf16[2] {5, 7}", "", {(): "31"}),
    (CONVOLUTION, "s32[1,1,3] {1, 2, 3}; s32[1,1,2] {10, 1}", "",
     {(0, 0, 0): "1", (0, 0, 1): "12", (0, 0, 2): "23"}),
    ("%z = s32[] constant(0); s32[2] reduce-window(%0, %z), window={size=2 stride=2 pad=1_0}, "
     "to_apply=%c", "s32[3] {1, 2, 3}", ADD.replace("OP", "add"), {(0,): "1", (1,): "5"}),
    ("%z = s32[] constant(0); %t = (s32[], s32[]) tuple(%z, %0); (s32[], s32[]) while(%t), "
     "condition=%c, body=%b", "s32[] 3", LOOP, {0: "6", 1: "24"}),
    ("(s32[3], s32[3]) sort(%0, %1), dimensions={0}, is_stable=true, to_apply=%c", SORTED, LESS,
     {(1, 0): "20", (1, 1): "10", (1, 2): "30"}),
    ("(s32[3], s32[3]) sort(%0, %1), dimensions={0}, is_stable=false, to_apply=%c", SORTED, LESS,
     {(1, 0): "20", (1, 1): "10 or 30", (1, 2): "10 or 30"}),
    (SELECT.replace("N", "4").replace("S", "2"), "s32[4] {5, 5, 1, 7}; s32[2] {10, 20}",
     GREATER + ADD.replace("OP", "subtract"), {(0,): "-9", (1,): "1", (2,): "1", (3,): "-19"}),
    ("%n = bf16[] add(%0, %1); f32[] convert(%n)", "bf16[] 1; bf16[] 0.001953125", "",
     {(): "1 or 1.001953125"}),
    ("%z = c64[] convert(%0); %i = f32[] imag(%z); %j = c64[] complex(%0, %i); f32[] real(%j)",
     "f32[] 3", "", {(): "3"}),
]  # fmt: skip


class OperationTest(unittest.TestCase):
    def test_scalars(self):
        for line in SCALARS.splitlines():
            words, expected = line.split(" = ")
            opcode, type_name, *values = words.split()
            opcode, _, variant = opcode.partition(":")
            more = ", exponent_bits=5, mantissa_bits=10" if opcode == "reduce-precision" else ""
            if opcode == "compare":
                more, variant = ", direction=" + variant, "pred"
            found = scalar(opcode, type_name, *values, result=variant, more=more)
            self.assertEqual(set_text(found), expected, line)

    def test_arrays(self):
        for root, inputs, computations, expected in ARRAYS:
            literals = [text for text in inputs.split("; ") if text]
            text = module(root, *(t.split("]")[0] + "]" for t in literals),
                          computations=computations.replace("$", "s32[]"))  # fmt: skip
            for index, one in expected.items():
                output = 0
                if root.startswith("(") or "while" in root:  # an index begins with the output
                    output, *index = index if isinstance(index, tuple) else (index,)
                found = allowed(text, "\n".join(literals), output, tuple(index))
                self.assertEqual(set_text(found), one, (root, index))

    def reduced(self, opcode, type_name, values, init=0):
        root = "%%i = $ constant(%s); $ reduce(%%0, %%i), dimensions={0}, to_apply=%%c" % init
        array = "%s[%d]" % (type_name, len(values.split(",")))
        text = module(root, array, computations=ADD.replace("OP", opcode))
        return allowed(text.replace("$", type_name + "[]"), "%s {%s}" % (array, values))

    def test_sums(self):
        for opcode, type_name, values, init, expected in (
            ("add", "s8", "100, 100", 0, "-56"),
            ("add", "f32", "1, 2, 3", 0, "6"),
            ("maximum", "f32", "1, nan", "-inf", "nan"),
            ("add", "s32", "1, 1", 5, "12 or 17 or 2 or 7"),
            ("add", "f32", "inf, -inf", 0, "nan"),
        ):
            self.assertEqual(set_text(self.reduced(opcode, type_name, values, init)), expected)
        wide = self.reduced("add", "f32", "1, 1e-9, -1")
        self.assertTrue(holds(wide, Zero(1)) and holds(wide, point(1e-9)))
        self.assertFalse(holds(wide, point(1e-5)))
        self.assertTrue(holds(self.reduced("add", "f32", "3e38, 3e38, -3e38"), Inf(1)))

    def test_freedoms(self):
        text = module(
            "%p = f32[] multiply(%0, %1); %n = f32[] negate(%p); f32[] add(%n, %2)", *["f32[]"] * 3
        )
        fused = allowed(text, "f32[] 1.0000001\nf32[] 1.0000001\nf32[] 1.0000002")
        self.assertEqual(len(fused), 3)  # rounded products: both zeros; a fused product: -2^-46
        self.assertTrue(any("fused" in f for f in FREEDOMS))
        self.assertTrue(holds(scalar("atan2", "f64", "-0", "-0"), point(-math.pi)))
        either = scalar("power", "f32", "nan", "0")
        self.assertTrue(holds(either, point(1)) and holds(either, Nan()))

    def test_complex(self):
        for opcode, z, value in (
            ("exponential", "(0, 3)", (-0.9899925, 0.14112)),
            ("log", "(3e38, 3e38)", (88.943, 0.7853982)),
            ("sine", "(1, 2)", (3.1657784, 1.9596010)),
            ("cosine", "(1, 2)", (2.0327230, -3.0518978)),
            ("exponential-minus-one", "(0.5, 1)", (-0.1091957, 1.3873511)),
        ):
            found = scalar(opcode, "c64", z)
            near = [sorted((mpq(v) * 9999 / 10000, mpq(v) * 10001 / 10000)) for v in value]
            boxed = {tuple(Real(*n) for n in near)}
            self.assertTrue(all(holds(boxed, tuple(point(e.lo) for e in p)) for p in found), opcode)
            for other in (Inf(1), Nan()):
                self.assertFalse(holds(found, (other, point(value[1]))), opcode)
        overflow = scalar("cosine", "c64", "(0, 200)")
        self.assertTrue(holds(overflow, (Inf(1), Zero(-1))) and holds(overflow, (Inf(1), Nan())))
        large = scalar("cosine", "c64", "(0, 89)")
        near = point(FORMATS["f32"].nearest(mpq(2.2448e38)))
        self.assertTrue(holds(large, (near, Zero(-1))))
        self.assertFalse(holds(large, (Inf(1), Nan())) or holds(large, (Inf(1), Zero(1))))
        product = scalar("multiply", "c64", "(0.5, 0.75)", "(0.25, 1.125)")
        self.assertTrue(holds(product, (point(-0.71875), point(0.75))))
        self.assertFalse(holds(product, (point(mpq(-37, 64)), point(0.75))))

    def test_random_numbers_stay_below_their_upper_bound(self):
        text = module("f32[2] rng(%0, %1), distribution=rng_uniform", "f32[]", "f32[]")
        ones = allowed(text, "f32[] 1\nf32[] 1.5", index=(1,))
        below = mpq(1.5) - mpq(1, 2**23)
        for x, inside in ((1, True), (1.25, True), (below, True), (1.5, False), (0.99, False)):
            self.assertEqual(holds(ones, point(x)), inside, x)
        with self.assertRaises(Unsupported):
            allowed(text, "f32[] 1\nf32[] 1", index=(0,))

    def test_gathering_takes_the_replicas_of_a_group_in_its_order(self):
        root = "s32[1,4] all-gather(%0), replica_groups={{1,0},{2,3}}, dimensions={1}"
        parsed = parse_module(module(root, "s32[1,2]"))
        blocks = ["s32[1,2] {{%d, %d}}" % (2 * n, 2 * n + 1) for n in range(4)]
        arguments = [[of_elements(*parse_literals(b)[0])] for b in blocks]
        results = Evaluator(parsed).run_devices(parsed.entry, arguments)
        found = [[min(r[0, n].stored) for n in range(4)] for r in results]
        self.assertEqual(found, 2 * [[2, 3, 0, 1]] + 2 * [[4, 5, 6, 7]])

    def test_what_is_not_covered_says_so(self):
        root = "%c = f32[2,2] cholesky(%0); (f32[2,2], f32[2,2]) tuple(%c, %0)"
        text, data = module(root, "f32[2,2]"), "f32[2,2] {1, 0, 0, 1}"
        self.assertEqual(allowed(text, data, output=1, index=(0, 0)), {point(1)})
        with self.assertRaises(Unsupported):
            allowed(text, data, output=0, index=(0, 0))
        select = SELECT.replace("N", "4").replace("S", "1")
        computations = (GREATER + ADD.replace("OP", "subtract")).replace("$", "s32[]")
        with self.assertRaises(Unsupported):  # two windows select the same element
            allowed(module(select, "s32[4]", "s32[3]", computations=computations),
                    "s32[4] {1, 9, 1, 7}\ns32[3] {10, 20, 30}", index=(1,))  # fmt: skip


if __name__ == "__main__":
    unittest.main()
