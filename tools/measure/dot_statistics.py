#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the statistical tests of lemma 44 on dots of 4,096 terms: which correct orders they
mark, and which faults they detect. A second table shows the errors of the outputs: no test can
detect a fault whose errors are within those of a correct order. With --tosa=DIR (the unpacked wheel
tosa-tools), the verifier of TOSA's conformance tests also judges these outputs, with its tests of
each element, of variance and of bias. The verifier logs to standard error.
"""

import argparse
import ctypes
import json
import pathlib
import sys
import tempfile

import numpy as np

import batch

ROOT = pathlib.Path(__file__).resolve().parents[2]
TERMS, ROWS, COLUMNS = 4096, 8, 8
MODULE = f"""ENTRY e {{ a = f32[{ROWS},{TERMS}] parameter(0) b = f32[{TERMS},{COLUMNS}] parameter(1)
  ROOT d = f32[{ROWS},{COLUMNS}] dot(a, b), lhs_contracting_dims={{1}},
    rhs_contracting_dims={{0}} }}"""
KINDS = ("normal", "positive", "cancelling", "wide")
SET_WITH_BIAS = 3  # the data set for which TOSA's verifier makes all of its tests


def rounded(x, bits):
    """Returns x in f32 with `bits` fewer mantissa bits, rounded to nearest, ties to even."""
    code = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    half = np.uint64((1 << (bits - 1)) - 1)
    code = (code + half + ((code >> np.uint64(bits)) & np.uint64(1))) >> np.uint64(bits)
    return (code << np.uint64(bits)).astype(np.uint32).view(np.float32)


TF32, BF16 = (lambda x: rounded(x, 13)), (lambda x: rounded(x, 16))


def one_by_one(terms, keep=lambda x: x):
    total = np.zeros(terms.shape[1:], np.float32)
    for term in terms:
        total = keep(total + term)
    return total


def in_pairs(terms):
    while len(terms) > 1:
        odd = terms[len(terms) & ~1:]
        terms = np.concatenate([terms[0:len(terms) & ~1:2] + terms[1::2], odd])
    return terms[0]


def in_blocks(terms, size, keep=lambda x: x):
    blocks = terms.reshape(len(terms) // size, size, *terms.shape[1:])
    parts = keep(one_by_one(blocks.swapaxes(0, 1)))
    return one_by_one(parts, keep)


def sorted_terms(terms, sign):
    return np.take_along_axis(terms, np.argsort(sign * np.abs(terms), 0), 0)


def fused(a, b, order):
    """Adds each product without rounding it first."""
    total = np.zeros((ROWS, COLUMNS), np.float32)
    for k in order:
        exact = a[:, k, None].astype(np.float64) * b[None, k, :]
        total = (total + exact).astype(np.float32)
    return total


def right(a, b, random):
    """Returns outputs of correct engines, by the name of the order in which they add."""
    terms = (a.T[:, :, None] * b[:, None, :]).astype(np.float32)
    mixed = terms[random.permutation(TERMS)]
    return {
        "in order": one_by_one(terms),
        "backwards": one_by_one(terms[::-1]),
        "permuted": one_by_one(mixed),
        "permuted, fused": fused(a, b, random.permutation(TERMS)),
        "permuted, in pairs": in_pairs(mixed),
        "lanes of 16": in_pairs(one_by_one(terms.reshape(TERMS // 16, 16, ROWS, COLUMNS))),
        "blocks of 128": in_blocks(terms, 128),
        "blocks of 32, permuted": in_blocks(mixed, 32),
        "least first": one_by_one(sorted_terms(terms, 1)),
        "largest first": one_by_one(sorted_terms(terms, -1)),
        "positive first": one_by_one(np.sort(terms, 0)[::-1]),
        "in f64": (a.astype(np.float64) @ b).astype(np.float32),
    }


def wrong(a, b, random):
    """Returns outputs of wrong engines, by the name of their fault."""
    terms = (a.T[:, :, None] * b[:, None, :]).astype(np.float32)
    one = terms.copy()
    one[random.integers(TERMS), random.integers(ROWS), random.integers(COLUMNS)] = 0
    return {
        "last term dropped": one_by_one(terms[:-1]),
        "15 terms dropped": one_by_one(terms[:-15]),
        "bf16 partial sums": one_by_one(terms, BF16),
        "bf16 sums of blocks": in_blocks(terms, 128, BF16),
        "TF32 partial sums": one_by_one(terms, TF32),
        "TF32 sums of blocks": in_blocks(terms, 128, TF32),
        "TF32 operands": one_by_one((TF32(a).T[:, :, None] * TF32(b)[:, None, :])),
        "one term of one result": one_by_one(one),
    }


def data(kind, random):
    a, b = random.standard_normal((ROWS, TERMS)), random.standard_normal((TERMS, COLUMNS))
    if kind == "positive":
        a, b = random.uniform(0, 1, a.shape), random.uniform(0, 1, b.shape)
    if kind == "cancelling":
        a[:, 1::2] = -a[:, 0::2]
        b[1::2] = b[0::2] * (1 + 1e-3 * random.standard_normal(b[0::2].shape))
    if kind == "wide":
        a, b = a * 2.0**random.integers(-8, 8, a.shape), b * 2.0**random.integers(-8, 8, b.shape)
    return a.astype(np.float32), b.astype(np.float32)


class Tensor(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("shape", ctypes.POINTER(ctypes.c_int32)),
                ("rank", ctypes.c_int32), ("type", ctypes.c_int),
                ("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]


class Tosa:
    """The verifier of TOSA, called through its C interface."""

    def __init__(self, folder):
        path = next(pathlib.Path(folder).rglob("libtosa_reference_verify_lib.so"))
        self._verify = ctypes.CDLL(str(path)).tvf_verify_data
        self._verify.restype = ctypes.c_bool
        self._verify.argtypes = [ctypes.POINTER(Tensor)] * 3 + [ctypes.c_char_p]
        info = {"ksb": TERMS, "s": SET_WITH_BIAS}
        self._how = json.dumps({"version": "1.0", "tensors": {"o": {
            "mode": "DOT_PRODUCT", "data_type": "FP32", "dot_product_info": info}}}).encode()

    def takes(self, a, b, output):
        a, b = a.astype(np.float64), b.astype(np.float64)
        arrays = [a @ b, np.abs(a) @ np.abs(b), np.ascontiguousarray(output)]
        shape = (ctypes.c_int32 * 2)(ROWS, COLUMNS)
        types = [3 if x.dtype == np.float32 else 99 for x in arrays]
        tensors = [Tensor(b"o", shape, 2, kind, x.ctypes.data, x.nbytes)
                   for kind, x in zip(types, arrays, strict=True)]
        return self._verify(tensors[0], tensors[1], tensors[2], self._how)


def judge(hlocts, a, b, outputs):
    """Returns the verdicts on the outputs, in the same order."""
    with tempfile.TemporaryDirectory() as folder:
        module, inputs = f"{folder}/m.hlo", f"{folder}/i.npz"
        pathlib.Path(module).write_text(MODULE)
        np.savez(inputs, a, b)
        jobs = []
        for k, (_, output) in enumerate(outputs):
            np.savez(f"{folder}/{k}.npz", output)
            jobs.append({"module": module, "inputs": inputs, "outputs": f"{folder}/{k}.npz"})
        return [answer["verdict"] for answer in batch.answers([hlocts, "judge"], jobs)]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hlocts", default=str(ROOT / "build" / "hlocts"))
    parser.add_argument("--runs", type=int, default=20, help="number of runs per kind of data (20)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tosa", help="directory of the unpacked wheel tosa-tools")
    given = parser.parse_args()
    tosa = Tosa(given.tosa) if given.tosa else None
    random = np.random.default_rng(given.seed)
    counts = {}  # (is right, name): by kind of data, outputs that are marked and that TOSA rejects
    errors = {}  # (is right, name): by kind of data, mean squares of errors in 2^-24 of magnitudes
    suspects = 0
    for kind in KINDS:
        for run in range(given.runs):
            print(f"\r  {kind} {run}", end="", file=sys.stderr, flush=True)
            a, b = data(kind, random)
            outputs = [((made is right, name), output) for made in (right, wrong)
                       for name, output in made(a, b, random).items()]
            exact, unit = a.astype(np.float64) @ b, 2.0**-24 * (abs(a) @ abs(b))
            for (key, output), verdict in zip(outputs, judge(given.hlocts, a, b, outputs),
                                              strict=True):
                errors.setdefault(key, {}).setdefault(kind, []).append(
                    (((output - exact) / unit)**2).mean())
                row = counts.setdefault(key, {kind: [0, 0] for kind in KINDS})[kind]
                row[0] += verdict in ("fail", "suspect")
                row[1] += bool(tosa) and not tosa.takes(a, b, output)
                suspects += key[0] and verdict == "suspect"
    print(f"\r{given.runs} outputs of {ROWS * COLUMNS} results for each kind of data; fail or "
          f"suspect{', and what TOSA refuses' if tosa else ''}")
    print(f"{'':28}" + "".join(f"{kind:>14}" for kind in KINDS))
    for (is_right, name), row in sorted(counts.items(), key=lambda item: not item[0][0]):
        cells = [f"{row[kind][0]}" + (f" / {row[kind][1]}" if tosa else "") for kind in KINDS]
        print(f"{'right' if is_right else 'wrong'}  {name:22}" + "".join(f"{c:>14}" for c in cells))
    print("root mean square of the errors, in 2^-24 of the sum of the magnitudes of the terms")
    for (is_right, name), row in sorted(errors.items(), key=lambda item: not item[0][0]):
        print(f"{'right' if is_right else 'wrong'}  {name:22}" +
              "".join(f"{np.mean(row[kind])**0.5:14.3g}" for kind in KINDS))
    elements = sum(is_right for is_right, _ in counts) * len(KINDS) * given.runs * ROWS * COLUMNS
    print(f"right outputs: {suspects} suspects among {elements} elements")


if __name__ == "__main__":
    main()
