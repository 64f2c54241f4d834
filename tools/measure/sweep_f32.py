#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the error of each function of an engine over all f32 numbers, against the engine's f64.

For the same operand, the engine evaluates the function in f32 and in f64, and returns the largest
distance for each row of 4,096 operands. The row with the largest distance then runs alone and is
compared with the function of the C library. If the engine's f64 is wrong, the two figures differ.
"""

import argparse
import math
import pathlib
import re
import struct
import sys
import tempfile
import time

import batch
from sweep import FUNCTIONS, ROOT

ROW = 4096
CHUNK = 1 << 24
ROWS = CHUNK // ROW
# Distances in ulps of the exact value; -1 if the operand or the exact result is not a normal
# number. Also counts results that should be normal but are not finite.
MODULE = """HloModule m
max {{
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT m = f32[] maximum(a, b)
}}
add {{
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT m = s32[] add(a, b)
}}
ENTRY main {{
  first = u32[] parameter(0)
  n = u32[{rows},4096] iota(), iota_dimension=1
  r = u32[{rows},4096] iota(), iota_dimension=0
  c4096 = u32[] constant(4096)
  k = u32[{rows},4096] broadcast(c4096), dimensions={{}}
  rk = u32[{rows},4096] multiply(r, k)
  f = u32[{rows},4096] broadcast(first), dimensions={{}}
  fr = u32[{rows},4096] add(f, rk)
  bits = u32[{rows},4096] add(fr, n)
  x = f32[{rows},4096] bitcast-convert(bits)
  y = f32[{rows},4096] {name}(x)
  wide = f64[{rows},4096] convert(x)
  exact = f64[{rows},4096] {name}(wide)
  ebits = u64[{rows},4096] bitcast-convert(exact)
  emask = u64[] constant(9218868437227405312)
  em = u64[{rows},4096] broadcast(emask), dimensions={{}}
  power = u64[{rows},4096] and(ebits, em)
  two = f64[{rows},4096] bitcast-convert(power)
  found = f64[{rows},4096] convert(y)
  difference = f64[{rows},4096] subtract(found, exact)
  ratio = f64[{rows},4096] divide(difference, two)
  scale = f64[] constant(8388608)
  sc = f64[{rows},4096] broadcast(scale), dimensions={{}}
  signed = f64[{rows},4096] multiply(ratio, sc)
  distance = f64[{rows},4096] abs(signed)
  least = f64[] constant(1.1754943508222875e-38)
  le = f64[{rows},4096] broadcast(least), dimensions={{}}
  most = f64[] constant(3.4028234663852886e+38)
  mo = f64[{rows},4096] broadcast(most), dimensions={{}}
  size = f64[{rows},4096] abs(exact)
  above = pred[{rows},4096] compare(size, le), direction=GE
  below = pred[{rows},4096] compare(size, mo), direction=LE
  normal = pred[{rows},4096] and(above, below)
  xsize = f64[{rows},4096] abs(wide)
  xabove = pred[{rows},4096] compare(xsize, le), direction=GE
  xbelow = pred[{rows},4096] compare(xsize, mo), direction=LE
  xnormal = pred[{rows},4096] and(xabove, xbelow)
  both = pred[{rows},4096] and(normal, xnormal)
  fsize = f64[{rows},4096] abs(found)
  finite = pred[{rows},4096] compare(fsize, mo), direction=LE
  counted = pred[{rows},4096] and(both, finite)
  notfinite = pred[{rows},4096] not(finite)
  lost = pred[{rows},4096] and(both, notfinite)
  narrow = f32[{rows},4096] convert(distance)
  minus = f32[] constant(-1)
  mi = f32[{rows},4096] broadcast(minus), dimensions={{}}
  kept = f32[{rows},4096] select(counted, narrow, mi)
  worst = f32[{rows}] reduce(kept, minus), dimensions={{1}}, to_apply=max
  zero = s32[] constant(0)
  one = s32[{rows},4096] convert(lost)
  number = s32[] reduce(one, zero), dimensions={{0,1}}, to_apply=add
  ROOT t = (f32[{rows}], s32[]) tuple(worst, number)
}}
"""
ALONE = """HloModule m
ENTRY main {{
  bits = u32[4096] parameter(0)
  x = f32[4096] bitcast-convert(bits)
  y = f32[4096] {name}(x)
  ROOT r = u32[4096] bitcast-convert(y)
}}
"""


def number(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def elements(text):
    return [float(word) for word in re.findall(r"[^\s{},]+", text.split(" ", 1)[1])]


class Engine:
    def __init__(self, hlocts, backend, folder):
        self.command = [hlocts, "eval", f"--backend={backend}", "--json", "--timeout=600s"]
        self.folder = folder

    def run(self, jobs):
        answers = batch.answers(self.command, [{"module": m, "inputs": i} for m, i in jobs])
        for answer in answers:
            if not answer["ok"]:
                raise RuntimeError(answer.get("error", "failed"))
        return [answer["outputs"] for answer in answers]

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return str(path)


def worst_of(engine, name):
    """Returns (largest distance from the engine's f64, first bits of its row, results lost)."""
    module = engine.write(name + ".hlo", MODULE.format(name=name, rows=ROWS))
    jobs = [(module, engine.write(f"{name}.{n}.txt", f"u32[] {n * CHUNK}\n"))
            for n in range((1 << 32) // CHUNK)]
    worst, where, lost = -1.0, 0, 0
    for start in range(0, len(jobs), 128):
        for n, (rows, count) in enumerate(engine.run(jobs[start:start + 128]), start):
            lost += int(elements(count)[0])
            for row, distance in enumerate(elements(rows)):
                if distance > worst:
                    worst, where = distance, n * CHUNK + row * ROW
    return worst, where, lost


def measured(engine, name, first):
    """Returns (distance, operand) of the worst result in one row, compared with the C library."""
    module = engine.write(name + ".alone.hlo", ALONE.format(name=name))
    row = range(first, first + ROW)
    inputs = engine.write(name + ".alone.txt", f"u32[{ROW}] {{{', '.join(map(str, row))}}}\n")
    (bits,) = engine.run([(module, inputs)])[0]
    worst, where = -1.0, None
    for operand, answer in zip(map(number, row), map(int, elements(bits))):
        found = number(answer)
        try:
            exact = FUNCTIONS[name](operand)
        except (ValueError, OverflowError, ZeroDivisionError):
            continue
        if not 2.0 ** -126 <= abs(exact) < 2.0 ** 128 or not math.isfinite(found):
            continue
        distance = abs(found - exact) / math.ldexp(1, math.frexp(exact)[1] - 24)
        if distance > worst:
            worst, where = distance, operand
    return worst, where


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engine")
    parser.add_argument("functions", nargs="*", default=sorted(FUNCTIONS))
    parser.add_argument("--hlocts", default=str(ROOT / "build" / "hlocts"))
    arguments = parser.parse_args()
    print(f"{'function':22} {'by f64':>10} {'by libm':>10}  {'operand':16} {'lost':>10}",
          flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.functions:
            engine = Engine(arguments.hlocts, arguments.engine, pathlib.Path(folder))
            start = time.time()
            try:
                own, first, lost = worst_of(engine, name)
                worst, where = measured(engine, name, first)
            except (RuntimeError, ValueError) as error:
                print(f"{name:22} not measured: {str(error)[:80]}", flush=True)
                continue
            print(f"{name:22} {own:10.4g} {worst:10.4g}  {where!s:16.16} {lost:10}", flush=True)
            print(f"{name}: {time.time() - start:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
