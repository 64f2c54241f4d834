#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints, for small programs and each compiler, the operations and element types of the optimized
module; no device is needed. Omits data movement. Engines with the same operations share a line. A
number is the count of an operation.

A contraction without `high` or `highest` is computed at the chip's default precision."""

import argparse
import collections
import pathlib
import re
import tempfile

import batch

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENGINES = [f"tpu?topology={name}" for name in ("v2:2x2x1", "v3:2x2x1", "v4:2x2x1", "v5e:2x2",
                                               "v5p:2x2x1", "v6e:2x2", "tpu7x:2x2x1")]
ENGINES += [f"xla_gpu@0.12.0.1?target={chip}" for chip in ("a100", "l4", "h100", "b200")]

DOT = "dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}"
SUM = "s { a = $T[] parameter(0) b = $T[] parameter(1) ROOT r = $T[] add(a, b) }\n"
# Each row has a name, the type and size of both parameters, and the module's lines up to the root.
PROGRAMS = [
    ("dot", "f32", "256,256", f"ROOT r = f32[256,256] {DOT}"),
    ("dot, high", "f32", "256,256", f"ROOT r = f32[256,256] {DOT}, operand_precision={{high,high}}"),
    ("dot, highest", "f32", "256,256",
     f"ROOT r = f32[256,256] {DOT}, operand_precision={{highest,highest}}"),
    ("dot", "f64", "256,256", f"ROOT r = f64[256,256] {DOT}"),
    ("dot", "bf16", "256,256", f"ROOT r = bf16[256,256] {DOT}"),
    ("dot", "f16", "256,256", f"ROOT r = f16[256,256] {DOT}"),
    ("dot", "f8e4m3fn", "256,256", f"ROOT r = f32[256,256] {DOT}"),
    ("dot", "s8", "256,256", f"ROOT r = s32[256,256] {DOT}"),
    ("matrix times vector", "f32", "256,256",
     "z = f32[1,256] slice(y), slice={[0:1], [0:256]}\n v = f32[256] reshape(z)\n "
     "ROOT r = f32[256] dot(x, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
    ("sum of rows", "f32", "64,4096",
     "z = f32[] constant(0)\n ROOT r = f32[64] reduce(x, z), dimensions={1}, to_apply=s"),
    ("sum of rows", "bf16", "64,4096",
     "z = bf16[] constant(0)\n ROOT r = bf16[64] reduce(x, z), dimensions={1}, to_apply=s"),
    ("running sum", "f32", "4096",
     "z = f32[] constant(0)\n ROOT r = f32[4096] reduce-window(x, z), "
     "window={size=4096 pad=4095_0}, to_apply=s"),
    ("x * y + x", "bf16", "256", "p = bf16[256] multiply(x, y)\n ROOT r = bf16[256] add(p, x)"),
    ("x * y + x", "f32", "256", "p = f32[256] multiply(x, y)\n ROOT r = f32[256] add(p, x)"),
    ("x / y", "f32", "256", "ROOT r = f32[256] divide(x, y)"),
    ("x / 3", "f32", "256", "c = f32[] constant(3)\n b = f32[256] broadcast(c), dimensions={}\n "
     "ROOT r = f32[256] divide(x, b)"),
    ("x / sqrt(y)", "f32", "256", "q = f32[256] sqrt(y)\n ROOT r = f32[256] divide(x, q)"),
    ("x / y", "s32", "256", "ROOT r = s32[256] divide(x, y)"),
    ("x * y", "s64", "256", "ROOT r = s64[256] multiply(x, y)"),
    ("x * y", "f64", "256", "ROOT r = f64[256] multiply(x, y)"),
    ("x * y", "c64", "256", "ROOT r = c64[256] multiply(x, y)"),
    ("exponential", "bf16", "256", "ROOT r = bf16[256] exponential(x)"),
    ("exponential", "c64", "256", "ROOT r = c64[256] exponential(x)"),
    ("power", "f32", "256", "ROOT r = f32[256] power(x, y)"),
    ("tanh", "f32", "256", "ROOT r = f32[256] tanh(x)"),
    ("logistic", "f32", "256", "ROOT r = f32[256] logistic(x)"),
    ("erf", "f32", "256", "ROOT r = f32[256] erf(x)"),
    ("log plus one", "f32", "256", "ROOT r = f32[256] log-plus-one(x)"),
    ("sinh", "f32", "256", "ROOT r = f32[256] sinh(x)"),
    ("sort", "f32", "4096", "ROOT r = f32[4096] sort(x), dimensions={0}, to_apply=c"),
]
COMPARATOR = ("c { a = f32[] parameter(0) b = f32[] parameter(1) "
              "ROOT r = pred[] compare(a, b), direction=LT }\n")
MOVES = {"parameter", "constant", "bitcast", "copy", "copy-start", "copy-done", "fusion", "tuple",
         "get-tuple-element", "broadcast", "call", "reshape", "transpose", "iota", "slice", "pad",
         "bitcast-convert", "concatenate", "dynamic-slice", "dynamic-update-slice", "reverse",
         "async-start", "async-done", "slice-start", "slice-done", "after-all"}
INSTRUCTION = re.compile(r"^ *(?:ROOT )?\S+ = (.*?) ([a-z][a-z0-9-]*)\((?=[%)])(.*)$", re.MULTILINE)


def text(element_type, size, lines):
    head = "HloModule m\n"
    if "to_apply=s" in lines:
        head += SUM.replace("$T", element_type)
    if "to_apply=c" in lines:
        head += COMPARATOR
    shape = f"{element_type}[{size}]"
    return f"{head}ENTRY e {{ x = {shape} parameter(0)\n y = {shape} parameter(1)\n {lines} }}\n"


def operations(optimized):
    """Returns the operations of an optimized module, counted and sorted, as text."""
    counts = collections.Counter()
    for result, opcode, rest in INSTRUCTION.findall(optimized):
        if opcode in MOVES:
            continue
        name = re.search(r'custom_call_target="([^"]*)"', rest)
        precision = re.search(r"operand_precision=\{(\w+)", rest)
        words = [name.group(1) if name else opcode, re.search(r"\w+(?=\[)", result).group(0)]
        words += [precision.group(1)] if precision else []
        counts[" ".join(words)] += 1
    return ", ".join(word if n == 1 else f"{n} {word}" for word, n in sorted(counts.items())) or "-"


def compiled(hlocts, engine, folder):
    """Returns the operations of each program, or the reason why there are none."""
    jobs = [{"module": str(folder / f"{number}.hlo"), "output": str(folder / f"{number}.out")}
            for number in range(len(PROGRAMS))]
    command = [hlocts, "convert", f"--compiled-by={engine}", "--to=text"]
    return [operations(pathlib.Path(job["output"]).read_text()) if answer["ok"] else "refused"
            for job, answer in zip(jobs, batch.answers(command, jobs))]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hlocts", default=str(ROOT / "build" / "hlocts"))
    parser.add_argument("--backend", action="append", help="engine; repeatable (TPUs and GPUs)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        for number, (_, *program) in enumerate(PROGRAMS):
            (folder / f"{number}.hlo").write_text(text(*program))
        engines = arguments.backend or ENGINES
        forms = [compiled(arguments.hlocts, engine, folder) for engine in engines]
    for number, (name, element_type, _, _) in enumerate(PROGRAMS):
        groups = collections.defaultdict(list)
        for engine, form in zip(engines, forms):
            groups[form[number]].append(re.sub(r".*=|:.*", "", engine))
        print(f"{name}, {element_type}")
        for form, chips in groups.items():
            print(f"  {' '.join(chips)}: {form}")


if __name__ == "__main__":
    main()
