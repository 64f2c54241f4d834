#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares published tolerances with `hlocts judge` on the same outputs.

    tolerances.py           a table in Markdown: tolerance, example, its verdict, the verdict of hlocts

Each rule has two examples: outputs of a conforming engine that the rule rejects, and outputs with a
seeded fault that it accepts. The expected value is the exact value, rounded once. Exit status 1 if
a result differs. Projects publish these rules; docs/pages/tolerances.md names the sources.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
REDUCE = """HloModule m
add {{
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}}
ENTRY main {{
  x = f32[{n},{k}] parameter(0)
  z = f32[] constant(0)
  ROOT r = f32[{n}] reduce(x, z), dimensions={{1}}, to_apply=add
}}
"""
DOT = """HloModule m
ENTRY main {{
  x = {type}[{k}] parameter(0)
  y = {type}[{k}] parameter(1)
  ROOT r = {type}[] dot(x, y), lhs_contracting_dims={{0}}, rhs_contracting_dims={{0}}
}}
"""
UNARY = "HloModule m\nENTRY main {{\n  x = f32[] parameter(0)\n  ROOT r = f32[] {name}(x)\n}}\n"
ADD = "HloModule m\nENTRY main {{\n  x = {type}[] parameter(0)\n  ROOT r = {type}[] add(x, x)\n}}\n"

BIG = 2.0**16  # the distance to the next f32 number is 2^-7


def ulps(expected, found):
    unit = np.spacing(np.abs(np.float32(expected)))
    return float(np.max(np.abs(np.float64(found) - np.float64(expected)) / unit))


def within_ulps(most):
    return lambda expected, found, *_: ulps(expected, found) <= most


def close(rtol, atol):
    far = lambda e, f: np.abs(np.float64(f) - np.float64(e)) <= atol + rtol * np.abs(np.float64(e))
    return lambda expected, found, *_: bool(np.all(far(expected, found)))


def correlated(least):
    def holds(expected, found, *_):
        with np.errstate(all="ignore"):
            return bool(np.corrcoef(np.float64(expected), np.float64(found))[0, 1] >= least)

    return holds


def tosa_dot(k, most, fraction):
    """Checks the bound of each element, and the mean square of 1,000 results equal to this one."""

    def holds(expected, found, bound):
        if not np.isfinite(bound) or bound > most:
            return True  # nothing to check
        error = (np.float64(found) - np.float64(expected)) / (bound * 2.0 ** -(1 + fraction))
        return bool(np.all(np.abs(error) <= 2 * k) and np.mean(error**2) <= 1.6 * k)

    return holds


def literal(kind, array):
    array = np.asarray(array)
    dims = ",".join(map(str, array.shape))
    text = np.array2string(array, threshold=10**9, separator=", ", formatter={"all": repr_of})
    text = " ".join(text.replace("[", "{").replace("]", "}").split())
    return f"{kind}[{dims}] {text}\n"


def repr_of(x):
    return "%.17g" % float(x)


def examples():
    """Yields (rule, words, the rule accepts, hlocts accepts, rule's function, module, inputs,
    expected, found, bound)."""
    # Terms that cancel: 2^16 + 1.003 is rounded to 2^16 + 1.
    terms, none, two = np.float32([BIG, 1.003, -BIG]), np.float32(0), np.float32(2)
    ones = np.ones(3, np.float32)
    dot = DOT.format(type="f32", k=3)
    order = "{2^16, 1.003, -2^16} summed from left to right: 1"
    rules = (
        ("WebNN, matmul: 2K ulps of the result", within_ulps(6)),
        ("ONNX, node tests: rtol 1e-3, atol 1e-7", close(1e-3, 1e-7)),
        ("PyTorch, assert_close f32: rtol 1.3e-6, atol 1e-5", close(1.3e-6, 1e-5)),
    )
    for name, rule in rules:
        yield (name, order, False, True, rule, dot, ("f32", terms, ones), terms[1], np.float32(1), None)
    rows = np.float32([[BIG, 1 + n / 1024, -BIG] for n in range(15)])
    exact = rows[:, 1].copy()
    kept = (rows[:, 0] + rows[:, 1]) + rows[:, 2]
    sums = REDUCE.format(n=15, k=3)
    yield ("Tenstorrent: Pearson correlation >= 0.99", "15 sums 2^16 + (1 + n/1024) - 2^16 from left to right",
           False, True, correlated(0.99), sums, ("f32", rows), exact, kept, None)
    k = 4096
    small = np.full(k, 2.0**-25, np.float32)
    small[0] = 1
    total = np.float32(1 + (k - 1) * 2.0**-25)
    long = DOT.format(type="f32", k=k)
    yield ("TOSA, dot product: error at most 2K, mean square at most 1.6K", "1 and 4,095 times 2^-25 from left to right: 1",
           False, True, tosa_dot(k, 3.4e38, 23), long, ("f32", small, np.ones(k, np.float32)), total,
           np.float32(1), float(total))  # fmt: skip
    # Outputs with seeded faults.
    half = np.float32(0.5)
    off = half
    for _ in range(30):
        off = np.nextafter(off, np.float32(1))
    yield ("WebNN, sigmoid f32: 34 ulps", "logistic(0) is 30 ulps above 0.5", True, False,
           within_ulps(34), UNARY.format(name="logistic"), ("f32", none), half, off, None)
    yield ("ONNX, node tests: rtol 1e-3, atol 1e-7", "a sum of 1,001 ones that omits one", True, False,
           close(1e-3, 1e-7), REDUCE.format(n=1, k=1001), ("f32", np.ones((1, 1001), np.float32)),
           np.float32([1001]), np.float32([1000]), None)  # fmt: skip
    yield ("PyTorch, assert_close f32: rtol 1.3e-6, atol 1e-5", "1 + 1 = 2.0000119", True, False,
           close(1.3e-6, 1e-5), ADD.format(type="f32"), ("f32", np.float32(1)), two, np.float32(2.0000119), None)  # fmt: skip
    yield ("PyTorch, assert_close bf16: rtol 1.6e-2, atol 1e-5", "1 + 1 = 2.03125", True, False,
           close(1.6e-2, 1e-5), ADD.format(type="bf16"), ("bf16", np.float32(1)), two, np.float32(2.03125), None)  # fmt: skip
    plain = np.float32([[n, 1, 0] for n in range(15)])
    yield ("Tenstorrent: Pearson correlation >= 0.99", "sums n + 1, each of them doubled", True, False,
           correlated(0.99), sums, ("f32", plain), plain.sum(axis=1), 2 * plain.sum(axis=1), None)  # fmt: skip
    large = np.float32([60000, 60000, -60000])
    yield ("TOSA, dot product f16: not checked if the bound overflows", "{60000, 60000, -60000} in f16 sums to 7",
           True, False, tosa_dot(3, 65504, 10), DOT.format(type="f16", k=3),
           ("f16", large, np.ones(3, np.float32)), np.float32(60000), np.float32(7), 180000.0)  # fmt: skip


def judged(folder, module, inputs, found):
    """Returns True if `hlocts judge` accepts the outputs `found`."""
    kind, *arrays = inputs
    for name, text in (("m.hlo", module), ("in.txt", "".join(literal(kind, a) for a in arrays)),
                       ("out.txt", literal(kind, found))):  # fmt: skip
        (folder / name).write_text(text)
    command = [ROOT / "build/hlocts", "judge", "--json", folder / "m.hlo", f"--inputs={folder}/in.txt",
               f"--outputs={folder}/out.txt"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    verdict = json.loads(done.stdout.splitlines()[-1])["verdict"] if done.stdout else done.stderr
    if verdict not in ("pass", "fail"):
        raise RuntimeError(f"{module}{inputs} {found}: {verdict}")
    return verdict == "pass"


def main():
    if len(sys.argv) > 1:
        print(__doc__)
        return 0 if sys.argv[1:] == ["--help"] else 2
    words = {True: "accepts", False: "rejects"}
    print("| tolerance | outputs | verdict of the tolerance | `hlocts judge` |\n|---|---|---|---|")
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        for rule, example, by_rule, by_us, holds, module, inputs, expected, found, bound in examples():
            said = holds(expected, found, bound), judged(pathlib.Path(name), module, inputs, found)
            print(f"| {rule} | {example} | {words[said[0]]} | {words[said[1]]} |", flush=True)
            wrong += said != (by_rule, by_us)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
