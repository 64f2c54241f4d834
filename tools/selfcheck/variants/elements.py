# SPDX-License-Identifier: Apache-2.0
"""Element-wise operations: functions, complex numbers, conversions, skipped roundings, chains."""
import math

import mpmath
import numpy as np

from executor import F16, F32, F64, bf16, fma, identity
from write import File, literal

C64, C128 = np.complex64, np.complex128


def unary(op, kind, n, attributes=""):
    return f"ENTRY e {{ x = {kind}[{n}] parameter(0) ROOT r = {kind}[{n}] {op}(x){attributes} }}"


def binary(op, kind, n):
    return (f"ENTRY e {{ x = {kind}[{n}] parameter(0) y = {kind}[{n}] parameter(1)\n"
            f" ROOT r = {kind}[{n}] {op}(x, y) }}")


def ulps_off(exact, ulps):
    """Returns float64 values, moved by `ulps` of float32 and rounded to float32."""
    exact = np.asarray(exact, F64)
    unit = 2.0 ** (np.floor(np.log2(np.abs(exact))) - 23)
    return (exact + ulps * unit).astype(F32)


def functions(rng):
    file = File(17, "Functions as far off as their rows say, and further.")
    x = rng.uniform(0.3, 0.9, 8).astype(F32)
    wide = x.astype(F64)
    table = [("exponential", np.exp, 3, 128), ("log", np.log, 3, 8192), ("tanh", np.tanh, 7, 8320),
             ("sine", np.sin, 4, 8), ("cosine", np.cos, 4, 8), ("cbrt", np.cbrt, 2, 16),
             ("logistic", lambda v: 1 / (1 + np.exp(-v)), 5, 256),
             ("exponential-minus-one", np.expm1, 8, 2048), ("log-plus-one", np.log1p, 4, 8192),
             ("rsqrt", lambda v: 1 / np.sqrt(v), 3, 8), ("sqrt", np.sqrt, 1, 4),
             ("tan", np.tan, 5, 8192)]
    for op, f, default, relaxed in table:
        file.module(unary(op, "f32", 8), literal(x))
        file.case(f"{op} rounded", "S+D+R+", [literal(f(wide).astype(F32))])
        file.case(f"{op} at the end", "D+R+", [literal(ulps_off(f(wide), default - 0.51))])
        file.case(f"{op} beyond default", "S-D-", [literal(ulps_off(f(wide), default + 1.51))])
        absolute = op in ("sine", "cosine", "log")  # the relaxed profile also has absolute bounds
        file.case(f"{op} beyond relaxed", "S-D-" if absolute else "S-D-R-",
                  [literal(ulps_off(f(wide), relaxed * 2.5 + 2))])
        file.case(f"{op} beyond default by fact", "S-D+",
                  [literal(ulps_off(f(wide), default + 1.51))],
                  facts=f"ulps.{op}.f32={default + 2.5:g}")
    attributes(file, x)
    approximations(rng, file)
    return file


def attributes(file, x):
    wide = x.astype(F64)
    file.module(unary("exponential", "f32", 8,
                      ", result_accuracy={tolerance={atol=0,rtol=0.001,ulps=0}}"), literal(x))
    file.case("tolerance used", "S+D+R+", [literal((np.exp(wide) * 1.0005).astype(F32))])
    file.case("tolerance exceeded", "S-D-R-", [literal((np.exp(wide) * 1.0015).astype(F32))])
    file.module(unary("exponential", "f32", 8,
                      ", result_accuracy={tolerance={atol=0,rtol=0,ulps=1}}"), literal(x))
    file.case("one ulp obeyed", "S+D+R+", [literal(ulps_off(np.exp(wide), 0.4))])
    file.case("one ulp demanded", "S-D-R-", [literal(ulps_off(np.exp(wide), 2.9))])
    file.module(unary("exponential", "f32", 8, ", result_accuracy={mode=highest}"), literal(x))
    file.case("highest demanded", "S-D-R-", [literal(ulps_off(np.exp(wide), 100))])
    file.case("highest of a TPU", "D-", [literal(ulps_off(np.exp(wide), 100))],
              facts="ulps.exponential.f32=116")


def approximations(rng, file):
    one = lambda v: literal(np.asarray(v, F32).reshape(1))
    file.module(unary("logistic", "f32", 1), one(-30))
    file.case("logistic by tanh", "S-D-R+", [one(0)])
    file.case("logistic by tanh by fact", "S-D+R+", [one(0)], facts="absolute.logistic.f32=2.4e-7")
    file.case("logistic of the other side", "S-D-R-", [one(1)])
    file.module(unary("cosh", "f32", 1), one(89))
    file.case("cosh by halves", "S-D-R+", [one(np.inf)])
    file.case("cosh by halves by fact", "S-D+R+", [one(np.inf)], facts="overflow.cosh.f32=127")
    file.module(unary("cosh", "f32", 1), one(80))
    file.case("cosh in range", "S-D-R-", [one(np.inf)], facts="overflow.cosh.f32=127")
    file.module(unary("tanh", "f32", 1), one(0.7))
    approximate = F32(np.tanh(np.float64(F32(0.7))) * (1 + 2.0**-11))
    file.case("tanh of an instruction", "S-D-R+", [one(approximate)])
    y = rng.uniform(1, 2, 8).astype(F32)
    x = rng.uniform(1, 2, 8).astype(F32)
    quotient = x.astype(F64) / y.astype(F64)
    file.module(binary("divide", "f32", 8), literal(x), literal(y))
    file.case("divide rounded", "S+D+R+", [literal(quotient.astype(F32))])
    file.case("divide by a reciprocal", "D+R+",
              [literal((x * (F32(1) / y).astype(F32)).astype(F32))])
    file.case("divide of a TPU", "S-D-R+", [literal(ulps_off(quotient, 150))])
    file.case("divide of a TPU by fact", "S-D+R+", [literal(ulps_off(quotient, 150))],
              facts="ulps.divide.f32=198.5")
    file.case("divide far off", "S-D-R-", [literal(ulps_off(quotient, 700))],
              facts="ulps.divide.f32=198.5")
    file.module(binary("remainder", "f32", 1), one(1e10), one(3))
    file.case("remainder exact", "S+D+R+", [one(math.fmod(float(F32(1e10)), 3))])
    file.case("remainder of a long quotient", "S-D-R+", [one(1.5)])
    file.case("remainder of the other sign", "S-D-R-", [one(-1.5)])
    file.module(binary("remainder", "f32", 1), one(10), one(3))
    file.case("remainder of a short quotient", "S-D-R-", [one(1.5)])
    file.module(binary("power", "f32", 1), one(1.7), one(13.3))
    exact = float(mpmath.mpf(float(F32(1.7))) ** mpmath.mpf(float(F32(13.3))))
    file.case("power 8 ulps off", "S-D+R+", [literal(ulps_off([exact], 8.4))])
    file.case("power 16 ulps off", "S-D-R+", [literal(ulps_off([exact], 15.5))])
    file.case("power 16 ulps off on Apple", "S-D+R+", [literal(ulps_off([exact], 15.5))],
              facts="ulps.power.f32=16")


def complex_numbers(rng):
    file = File(24, "Moduli by squares, products and quotients by formulas.")
    one = lambda v, t=C64: literal(np.asarray(v, t).reshape(1))
    real = lambda v, t=F32: literal(np.asarray(v, t).reshape(1))
    modulus = lambda c, r: f"ENTRY e {{ x = {c}[1] parameter(0) ROOT r = {r}[1] abs(x) }}"
    file.module(modulus("c64", "f32"))
    for name, verdicts, z, out in [
            ("squares overflow", "S-D+R+", 1e30 + 1e30j, np.inf),
            ("squares in range", "S-D-R-", 1e18 + 1e18j, np.inf),
            ("one square flushed", "S-D+R+", 1.2e-19 + 1.0e-19j, 1.2e-19),
            ("gradual above", "S-D+R+", 1.1e-22 + 3e-23j, 1.1837645e-22),
            ("squares vanish", "S-D+R+", 1.1e-22 + 3e-23j, 0),
            ("hypot", "S+D+R+", 3 + 4j, 5), ("one part only", "S-D-R-", 3 + 4j, 4)]:
        file.case(f"c64 {name}", verdicts, [real(out)], [one(z)])
    file.module(modulus("c128", "f64"))
    for name, verdicts, z, out in [
            ("squares overflow", "S-D+R+", 1e200 + 1e200j, np.inf),
            ("squares vanish", "S-D+R+", 1e-200 + 1e-200j, 0),
            ("squares in range", "S-D-R-", 1e150 + 1e150j, np.inf)]:
        file.case(f"c128 {name}", verdicts, [real(out, F64)], [one(z, C128)])
    file.module(unary("sign", "c64", 1))
    file.case("sign of overflown squares", "S-D+R+", [one(0)], [one(1e30 + 1e30j)])
    file.case("sign in range", "S-D-R-", [one(0)], [one(1e18 + 1e18j)])
    a = (rng.standard_normal(4) + 1j * rng.standard_normal(4)).astype(C64)
    b = (rng.standard_normal(4) + 1j * rng.standard_normal(4)).astype(C64)
    ar, ai, br, bi = a.real, a.imag, b.real, b.imag
    naive = ((ar * br).astype(F32) - (ai * bi).astype(F32)
             + 1j * ((ar * bi).astype(F32) + (ai * br).astype(F32))).astype(C64)
    fused = fma(ar, br, -(ai * bi).astype(F32)) + 1j * fma(ar, bi, (ai * br).astype(F32))
    file.module(binary("multiply", "c64", 4), literal(a), literal(b))
    file.case("product", "S+D+R+", [literal(naive)])
    file.case("product fused", "D+R+", [literal(fused.astype(C64))])
    file.case("product conjugated", "S-D-R-", [literal(np.conj(naive))])
    exact = a.astype(C128) / b.astype(C128)
    size = (br * br + bi * bi).astype(F32)
    by_formula = (((ar * br + ai * bi) / size) + 1j * ((ai * br - ar * bi) / size)).astype(C64)
    file.module(binary("divide", "c64", 4), literal(a), literal(b))
    file.case("quotient", "S+D+R+", [literal(exact.astype(C64))])
    file.case("quotient by the formula", "D+R+", [literal(by_formula)])
    file.case("quotient of the conjugate", "S-D-R-", [literal(np.conj(exact).astype(C64))])
    for op, f in [("exponential", np.exp), ("sine", np.sin), ("cosine", np.cos), ("log", np.log),
                  ("sqrt", np.sqrt), ("tanh", np.tanh), ("exponential-minus-one", np.expm1),
                  ("log-plus-one", np.log1p)]:
        file.module(unary(op, "c64", 4), literal(a))
        right = f(a.astype(C128)).astype(C64)
        file.case(f"{op}", "S+D+R+", [literal(right)])
        file.case(f"{op} with parts exchanged", "S-D-R-",
                  [literal((right.imag + 1j * right.real).astype(C64))])
    return file


def excess(rng):
    file = File(7, "bf16 values that stay in f32 until they are stored.")
    x = rng.uniform(200, 300, 16).astype(F32)
    y = bf16(rng.uniform(200, 300, 16).astype(F32))
    rounded = bf16(x)
    module = lambda result, operation, root, kind="bf16": (
        "ENTRY e { x = f32[16] parameter(0) y = bf16[16] parameter(1) a = bf16[16] convert(x)\n"
        f" c = {kind}[16] {operation} ROOT r = {result}[16] {root} }}")
    inputs = literal(x), literal(y, "bf16")
    store = lambda v: literal(bf16(v), "bf16")
    rows = [
        ("floor", "floor(a)", "bf16", np.floor),
        ("round even", "round-nearest-even(a)", "bf16", np.rint),
        ("remainder", "remainder(a, y)", "bf16", lambda v: np.fmod(v, y)),
        ("subtract", "subtract(a, y)", "bf16", lambda v: (v - y).astype(F32)),
        ("multiply", "multiply(a, y)", "bf16", lambda v: (v * y).astype(F32)),
    ]
    for name, operation, kind, f in rows:
        file.module(module(kind, operation, "copy(c)"), *inputs)
        both(file, name, f, x, rounded, store)
    for name, operation, f in [("maximum", "maximum(a, y)", lambda v: np.maximum(v, y)),
                               ("minimum", "minimum(a, y)", lambda v: np.minimum(v, y)),
                               ("abs", "abs(a)", np.abs), ("negate", "negate(a)", np.negative),
                               ("clamp", "clamp(y, a, y)", lambda v: y)]:
        file.module(module("f32", operation, "convert(c)"), *inputs)
        if name in ("negate", "clamp"):  # by default, negate may skip the rounding; clamp returns y
            file.case(name, "R+", [literal(f(x))])
        else:
            both(file, name, f, x, rounded, literal)
    file.module(module("s32", "convert(a)", "copy(c)", "s32"), *inputs)
    both(file, "to integer", lambda v: v.astype(np.int32), x, rounded, literal)
    file.module(module("pred", "compare(a, y), direction=LT", "copy(c)", "pred"),
                literal(x), literal(rounded, "bf16"))
    both(file, "compare", lambda v: v < rounded, x, rounded, literal)
    chains(rng, file)
    return file


def both(file, name, f, x, rounded, store):
    """Adds executions with unrounded operands, with rounded operands, and with neither."""
    if store(f(x)) == store(f(rounded)) and not file.legal_only:
        raise ValueError(f"{name}: the permission does not show")
    file.case(f"{name} rounded", "S+D+R+", [store(f(rounded))])
    file.case(f"{name} unrounded", "S-D-R+", [store(f(x))])
    file.case(f"{name} unrounded by fact", "S-D+R+", [store(f(x))], facts="excess.16bit")
    wrong = ~f(x) if f(x).dtype == np.bool_ else f(x) * 2 + 5
    file.case(f"{name} wrong", "S-D-R-", [store(wrong)], facts="excess.16bit")


def chains(rng, file):
    a, b, c = (bf16(rng.uniform(1, 2, 64)) for _ in range(3))
    module = ("ENTRY e {{ a = bf16[64] parameter(0) b = bf16[64] parameter(1)\n"
              " c = bf16[64] parameter(2) s = bf16[64] {}(a, b) ROOT r = bf16[64] {}(s, c) }}")
    for first, second, f in [("multiply", "multiply", lambda r: r(a * b) * c),
                             ("add", "multiply", lambda r: r(a + b) * c)]:
        file.module(module.format(first, second), *(literal(v, "bf16") for v in (a, b, c)))
        one, two = bf16(f(identity).astype(F32)), bf16(f(bf16).astype(F32))
        assert (one != two).any() or file.legal_only
        file.case(f"{first} {second} rounded twice", "S+D+R+", [literal(two, "bf16")])
        file.case(f"{first} {second} rounded once", "S-D-R+", [literal(one, "bf16")])
        file.case(f"{first} {second} rounded once by fact", "S-D+R+", [literal(one, "bf16")],
                  facts="excess.16bit")
        file.case(f"{first} {second} of others", "S-D-R-", [literal(bf16(one * 2), "bf16")],
                  facts="excess.16bit")
    x = bf16(1 + np.arange(128) / 128.0)
    reciprocal = bf16(F32(1) / F32(1.484375))
    file.module("ENTRY e { x = bf16[128] parameter(0) c0 = bf16[] constant(1.484375)\n"
                " c = bf16[128] broadcast(c0), dimensions={} d = bf16[128] divide(x, c)\n"
                " ROOT r = f32[128] convert(d) }", literal(x, "bf16"))
    file.case("reciprocal not rounded", "D+R+", [literal((x * reciprocal).astype(F32))])
    file.case("reciprocal of another", "S-D-R-", [literal((x * F32(0.69)).astype(F32))])


def conversions(rng):
    file = File(8, "Conversions, clamps, orders and integers.")
    one = lambda v, t=F32: literal(np.asarray(v, t).reshape(1))
    convert = lambda a, b: f"ENTRY e {{ x = {a}[1] parameter(0) ROOT r = {b}[1] convert(x) }}"
    big = 2**53 + 2**29 + 1
    file.module(convert("s64", "f32"), one(big, np.int64))
    file.case("s64 once", "S+D+R+", [one(F32(2**53 + 2**30))])
    file.case("s64 through f64", "S-D-R+", [one(F32(F64(big)))])
    file.case("s64 through f64 by fact", "S-D+R+", [one(F32(F64(big)))], facts="convert.s64=f64")
    file.case("s64 wrong", "S-D-R-", [one(F32(2**53 + 2**31))], facts="convert.s64=f64")
    file.module(convert("f64", "bf16"), one(1 + 2**-8 + 2**-40, F64))
    file.case("f64 once", "S+D+R+", [literal(np.array([1 + 2**-7], F32), "bf16")])
    file.case("f64 through f32", "S-D+R+", [literal(np.array([1], F32), "bf16")])
    file.module(convert("f32", "s32"), one(3e9))
    file.case("saturated", "S?D?R?", [one(2**31 - 1, np.int32)])
    file.case("least", "S?D?R?", [one(-2**31, np.int32)])
    file.case("least where it saturates", "S-D-R-", [one(-2**31, np.int32)],
              facts="convert.saturate")
    file.module(convert("f32", "s32"), one(2.7))
    file.case("truncated", "S+D+R+", [one(2, np.int32)])
    file.case("rounded", "S-D-R-", [one(3, np.int32)])
    file.module(convert("s32", "f16"), one(65520, np.int32))
    file.case("beyond f16", "S+D+R+", [one(np.inf, F16)])
    file.module("ENTRY e { a = f32[1] parameter(0) x = f32[1] parameter(1)\n"
                " b = f32[1] parameter(2) ROOT r = f32[1] clamp(a, x, b) }", one(3), one(2), one(1))
    file.case("upper bound", "S+D+R+", [one(1)])
    file.case("lower bound", "S-D-R+", [one(3)])
    file.case("beyond both", "S-D-R-", [one(4)])
    file.module("ENTRY e { x = f32[1] parameter(0) y = f32[1] parameter(1)\n"
                " ROOT r = f32[1] maximum(x, y) }", one(np.nan), one(3))
    file.case("NaN kept", "S+D+R+", [one(np.nan)])
    file.case("NaN dropped", "S-D-R+", [one(3)])
    file.case("NaN dropped by fact", "S-D+R+", [one(3)], facts="nan.dropped")
    file.case("NaN made 4", "S-D-R-", [one(4)], facts="nan.dropped")
    file.module("m { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }\n"
                "ENTRY e { x = f32[3] parameter(0) i = f32[] constant(-inf)\n"
                " ROOT r = f32[] reduce(x, i), dimensions={0}, to_apply=m }",
                literal(np.array([1, np.nan, 3], F32)))
    file.case("greatest is NaN", "S+D+R+", [literal(F32(np.nan))])
    file.case("greatest without NaN", "S-D-R+", [literal(F32(3))])
    file.case("greatest without NaN by fact", "S-D+R+", [literal(F32(3))], facts="nan.dropped")
    file.module("ENTRY e { x = f32[2] parameter(0) y = f32[2] parameter(1)\n"
                " z = f32[2] parameter(2) p = f32[2] multiply(x, y) ROOT r = f32[2] add(p, z) }")
    x, y = rng.uniform(1, 2, 2).astype(F32), rng.uniform(1, 2, 2).astype(F32)
    z = -(x * y).astype(F32)
    file.case("fused", "S-D+R+", [literal(fma(x, y, z))], [literal(v) for v in (x, y, z)])
    file.case("not fused", "S+D+R+", [literal(np.zeros(2, F32))], [literal(v) for v in (x, y, z)])
    file.case("fused with another", "S-D-R-", [literal(np.ones(2, F32))],
              [literal(v) for v in (x, y, z)])
    tiny = np.array([1e-40, -3e-39], F32)
    file.module(unary("floor", "f32", 2), literal(tiny))
    file.case("floor of subnormals", "S+D+R+", [literal(np.array([0, -1], F32))])
    file.case("floor of flushed ones", "S-D+R+", [literal(np.array([0, -0.0], F32))])
    return file


FILES = [functions, complex_numbers, excess, conversions]
