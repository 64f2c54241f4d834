#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far is each function off, over all numbers of a 16-bit type? A column a release."""

import argparse
import math
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TYPES = {"f16": (5, 10), "bf16": (8, 7)}
MODULE = """HloModule m
ENTRY main {{
  b = u16[65536] parameter(0)
  x = {kind}[65536] bitcast-convert(b)
  y = {kind}[65536] {name}(x)
  ROOT r = u16[65536] bitcast-convert(y)
}}
"""


def logistic(x):
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def rsqrt(x):
    return 1 / math.sqrt(x) if x else math.inf


def cbrt(x):
    """By a logarithm, and a step of Newton for the last bits."""
    if not x:
        return x
    root = math.copysign(math.exp(math.log(abs(x)) / 3), x)
    return root - (root * root * root - x) / (3 * root * root)


FUNCTIONS = {
    "exponential": math.exp,
    "exponential-minus-one": math.expm1,
    "log": math.log,
    "log-plus-one": math.log1p,
    "sqrt": math.sqrt,
    "rsqrt": rsqrt,
    "cbrt": cbrt,
    "sine": math.sin,
    "cosine": math.cos,
    "tan": math.tan,
    "tanh": math.tanh,
    "logistic": logistic,
    "erf": math.erf,
    "asin": math.asin,
    "acos": math.acos,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "asinh": math.asinh,
    "acosh": math.acosh,
    "atanh": math.atanh,
}


def value(bits, kind):
    """The number with these bits; None for NaN."""
    exponent_bits, mantissa_bits = TYPES[kind]
    sign = -1.0 if bits >> 15 else 1.0
    exponent = bits >> mantissa_bits & (1 << exponent_bits) - 1
    mantissa = bits & (1 << mantissa_bits) - 1
    bias = (1 << exponent_bits - 1) - 1
    if exponent == (1 << exponent_bits) - 1:
        return None if mantissa else sign * math.inf
    if exponent == 0:
        return sign * math.ldexp(mantissa, 1 - bias - mantissa_bits)
    return sign * math.ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits)


def limits(kind):
    """The least and the largest normal number."""
    exponent_bits, mantissa_bits = TYPES[kind]
    bias = (1 << exponent_bits - 1) - 1
    return math.ldexp(1, 1 - bias), math.ldexp(2 - math.ldexp(1, -mantissa_bits), bias)


def distances(function, kind, answers):
    """Worst distance in units of the last place, its operand, and how many are no numbers."""
    least, largest = limits(kind)
    worst, where, classes = 0.0, None, 0
    for bits, answer in enumerate(answers):
        x = value(bits, kind)
        if x is None or math.isinf(x) or 0 < abs(x) < least:
            continue
        try:
            exact = function(x)
        except (ValueError, ZeroDivisionError):
            continue
        except OverflowError:
            exact = math.inf
        if not least <= abs(exact) <= largest:
            continue
        found = value(answer, kind)
        if found is None or math.isinf(found):
            classes += 1
            continue
        unit = math.ldexp(1, math.frexp(exact)[1] - 1 - TYPES[kind][1])
        distance = abs(found - exact) / unit
        if distance > worst:
            worst, where = distance, x
    return worst, where, classes


def bits_of(literal):
    """The elements of a literal with a layout."""
    return [int(word) for word in literal.partition("} {")[2].partition("}")[0].split(",")]


def run(engine, folder):
    """What the engine returns: {(function, type): bits, or why there are none}."""
    operands = folder / "operands.txt"
    operands.write_text("u16[65536] {" + ", ".join(map(str, range(65536))) + "}\n")
    answers = {}
    for kind in TYPES:
        for name in FUNCTIONS:
            path = folder / f"{name}.{kind}.hlo"
            path.write_text(MODULE.format(kind=kind, name=name))
            out = folder / f"{name}.{kind}.out"
            options = [f"--inputs={operands}", f"--backend={engine}", f"--output={out}"]
            command = [str(ROOT / "build" / "hlocts"), "eval", str(path), *options]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            answers[name, kind] = bits_of(out.read_text()) if out.exists() else done.stderr
    return answers


def cell(what):
    if isinstance(what, str):
        return "-"
    worst, where, classes = what
    return f"{worst:.3g} at {where:.4g}" + (f" !{classes}" if classes else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engines", nargs="+")
    engines = parser.parse_args().engines
    table = {}
    with tempfile.TemporaryDirectory() as folder:
        for engine in engines:
            place = pathlib.Path(folder) / engine
            place.mkdir()
            for (name, kind), answer in run(engine, place).items():
                if not isinstance(answer, str):
                    answer = distances(FUNCTIONS[name], kind, answer)
                table[name, kind, engine] = answer
    print(f"{'function':22} type " + "".join(f"{engine:>24}" for engine in engines))
    for name in FUNCTIONS:
        for kind in TYPES:
            row = "".join(f"{cell(table[name, kind, engine]):>24}" for engine in engines)
            print(f"{name:22} {kind:5}{row}")


if __name__ == "__main__":
    main()
