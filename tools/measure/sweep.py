#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the error of each function over all numbers of a 16-bit type, with a column per release.

    sweep.py ENGINE...                       the table
    sweep.py --json=FILE ENGINE...           writes the rows of these engines into the file as well
    sweep.py --gate=FILE [--like=R] ENGINE   exit 1 if an error exceeds that of release R of the file
                                             (default: its last) or loses more results; one line for each

A row of the file has: release, function, type, ulps (the largest distance in units in the last place of
the exact value, without subnormal operands and results), operand (of this distance), lost (number of normal
results that are returned as NaN or infinity). ulps is null if the release lacks the function.

Exit: 0; 1 with --gate, an error is larger; 2 the command line or a file is wrong; 3 an engine cannot
run.
"""

import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The program of this checkout or installation, or else on PATH.
PROGRAMS = (ROOT / "build/hlocts", ROOT.parents[1] / "bin/hlocts")
PROGRAM = str(next(filter(pathlib.Path.exists, PROGRAMS), "hlocts"))
TYPES = {"f16": (5, 10), "bf16": (8, 7)}
MODULE = """HloModule m
ENTRY main {{
  b = u16[65536] parameter(0)
  x = {kind}[65536] bitcast-convert(b)
  y = {kind}[65536] {name}(x)
  ROOT r = u16[65536] bitcast-convert(y)
}}
"""


WRONG, CANNOT_RUN = 2, 3  # exit statuses


class End(Exception):
    """Carries the exit status, and the reason in one sentence."""


def logistic(x):
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def rsqrt(x):
    return 1 / math.sqrt(x) if x else math.inf


def cbrt(x):
    """Computes the cube root with a logarithm, and the last bits with a Newton step."""
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
    """Returns the number with these bits, or None for NaN."""
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
    """Returns the smallest and the largest normal number."""
    exponent_bits, mantissa_bits = TYPES[kind]
    bias = (1 << exponent_bits - 1) - 1
    return math.ldexp(1, 1 - bias), math.ldexp(2 - math.ldexp(1, -mantissa_bits), bias)


def distances(function, kind, answers):
    """Returns the largest distance in units in the last place, its operand, and the number of
    results that are NaN or infinite."""
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
    """Returns the elements of a literal whose shape has a layout."""
    return [int(word) for word in literal.partition("} {")[2].partition("}")[0].split(",")]


def run(engine, folder):
    """Returns the engine's results: {(function, type): bits, or the reason why there are none}."""
    operands = folder / "operands.txt"
    operands.write_text("u16[65536] {" + ", ".join(map(str, range(65536))) + "}\n")
    answers = {}
    for kind in TYPES:
        for name in FUNCTIONS:
            path = folder / f"{name}.{kind}.hlo"
            path.write_text(MODULE.format(kind=kind, name=name))
            out = folder / f"{name}.{kind}.out"
            options = [f"--inputs={operands}", f"--backend={engine}", f"--output={out}"]
            command = [PROGRAM, "eval", str(path), *options]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode in (WRONG, CANNOT_RUN) and not answers:
                raise End(done.returncode, done.stderr.strip().removeprefix("hlocts: "))
            answers[name, kind] = bits_of(out.read_text()) if out.exists() else done.stderr
    return answers


def cell(what):
    if isinstance(what, str):
        return "-"
    worst, where, classes = what
    return f"{worst:.3g} at {where:.4g}" + (f" !{classes}" if classes else "")


def row_of(engine, name, kind, what):
    worst, where, lost = (None, None, 0) if isinstance(what, str) else what
    return {"release": engine, "function": name, "type": kind, "ulps": worst, "operand": where,
            "lost": lost}  # fmt: skip


def rows_of(path):
    """Returns the rows of a file."""
    try:
        rows = json.loads(path.read_text())["rows"]
        if not all({"release", "function", "type", "ulps", "lost"} <= row.keys() for row in rows):
            raise ValueError
        return rows
    except OSError as error:
        raise End(WRONG, f"{path}: {error.strerror}") from None
    except (ValueError, LookupError, TypeError, AttributeError):
        raise End(WRONG, f"{path}: expected a file that --json writes") from None


def release_of(path, like):
    """Returns the name of a release (default: the last one), and its rows by function and type."""
    known = rows_of(path)
    like = like or (known[-1]["release"] if known else "in it")
    found = {(r["function"], r["type"]): r for r in known if r["release"] == like}
    if not found:
        raise End(WRONG, f"{path}: no release {like}")
    return like, found


def gate(rows, like, limits_of):
    """Prints the functions whose errors are larger than in the release. Returns the exit status: 3
    if the engine computes none of the functions."""
    worse = compared = 0
    for row in rows:
        limit = limits_of.get((row["function"], row["type"]))
        if limit is None or limit["ulps"] is None or row["ulps"] is None:
            continue
        compared += 1
        if row["ulps"] > limit["ulps"] * 1.001 or row["lost"] > limit["lost"]:
            worse += 1
            print(f"{row['function']} {row['type']}: {row['ulps']:.4g} ulps at {row['operand']}, "
                  f"{row['lost']} lost; {like}: {limit['ulps']:.4g}, {limit['lost']} lost")  # fmt: skip
    print(f"{worse} of {compared} pairs of function and type have larger errors than {like}; {len(rows) - compared} not compared")
    return 1 if worse else 0 if compared else CANNOT_RUN


def with_rows(path, rows):
    """Writes the file; `rows` replace its rows of the same releases and types."""
    known = rows_of(path) if path.exists() else []
    fresh = {(row["release"], row["type"]) for row in rows}
    kept = [row for row in known if (row["release"], row["type"]) not in fresh] + rows
    lines = ",\n".join(json.dumps(row) for row in kept)
    path.write_text('{"rows": [\n' + lines + "\n]}\n")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("engines", nargs="+")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--gate", type=pathlib.Path)
    parser.add_argument("--like")
    options = parser.parse_args()
    try:
        return sweep(options)
    except End as end:
        status, reason = end.args
        print(f"sweep: {reason}", file=sys.stderr)
        return status


def sweep(options):
    if options.gate:  # files are read before an engine runs
        like, limits_of = release_of(options.gate, options.like)
    if options.json and options.json.exists():
        rows_of(options.json)
    engines = options.engines
    table = {}
    with tempfile.TemporaryDirectory() as folder:
        for number, engine in enumerate(engines):
            place = pathlib.Path(folder) / str(number)
            place.mkdir()
            for (name, kind), answer in run(engine, place).items():
                if not isinstance(answer, str):
                    answer = distances(FUNCTIONS[name], kind, answer)
                table[name, kind, engine] = answer
            print(f"{engine}: {len(FUNCTIONS)} functions", file=sys.stderr, flush=True)
    rows = [row_of(e, n, k, what) for (n, k, e), what in table.items()]
    if options.json:
        with_rows(options.json, rows)
    if options.gate:
        return gate(rows, like, limits_of)
    print(f"{'function':22} type " + "".join(f"{engine:>24}" for engine in engines))
    for name in FUNCTIONS:
        for kind in TYPES:
            row = "".join(f"{cell(table[name, kind, engine]):>24}" for engine in engines)
            print(f"{name:22} {kind:5}{row}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
