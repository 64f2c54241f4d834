#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Widths of the judge's sets over the first-order worst case of the same rules, for whole programs.

  first_order.py --judge=build/hlocts [--program=NAME] > table

The bound is computed here, with mpmath and nothing of the judge: for twelve elements of each output
the sum of |d output / d v| * (error that the default profile allows v) over all instructions."""

import argparse
import json
import pathlib
import statistics
import struct
import subprocess
import sys
import tempfile

import numpy as np

import evaluate
import hlo

FOLDER = pathlib.Path(__file__).parent / "programs"
SAMPLED = 12
LEAST = {t: 2.0**e for t, e in evaluate.LEAST.items()}


def inputs_of(parameters):
    """Normal numbers, in the parameter's type; and what is written for the judge."""
    rng = np.random.default_rng(42)
    values, written = [], {}
    for k, p in enumerate(parameters):
        x = rng.standard_normal(p.shape.dims).astype(np.float32)
        if p.shape.dtype == "bf16":
            bits = ((x.view(np.uint32) + 0x8000) >> 16).astype(np.uint16)
            written[f"arg{k}"] = bits
            x = (bits.astype(np.uint32) << 16).view(np.float32)
        else:
            written[f"arg{k}"] = x
        values.append(evaluate.Node(evaluate.exact(x.astype(np.float64)), dtype=p.shape.dtype))
    return values, written


def leaves(node):
    return (
        [leaf for element in node for leaf in leaves(element)] if isinstance(node, list) else [node]
    )


def expanded(sets):
    """{"repeat": n} stands for n more of the one before."""
    every = []
    for entry in sets:
        every += [every[-1]] * entry["repeat"] if isinstance(entry, dict) else [entry]
    return every


def half_width(entry):
    if not entry[0] & 1 or entry[0] & 0x10E:
        return float("inf")
    lo, hi = (struct.unpack(">d", bytes.fromhex(e.zfill(16)))[0] for e in entry[1:3])
    return (hi - lo) / 2


def ratios_of(text, judge):
    computations, roots, entry = hlo.read(text)
    parameters = [i for i in computations[entry] if i.opcode == "parameter"]
    parameters.sort(key=lambda i: int(i.literal))
    values, written = inputs_of(parameters)
    machine = evaluate.Machine(computations, roots)
    outputs = leaves(machine.call(entry, values))
    with tempfile.TemporaryDirectory() as folder:
        module, inputs = f"{folder}/m.hlo", f"{folder}/i.npz"
        pathlib.Path(module).write_text(text)
        np.savez(inputs, **written)
        printed = subprocess.run(
            [judge, "judge", module, f"--inputs={inputs}", "--sets", "--json"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    sets = [json.loads(line) for line in printed.splitlines()]
    sets = [s for s in sets if "shape" in s]
    ratios, relative = [], []
    for output, accepted in zip(outputs, sets):
        if accepted.get("type") not in evaluate.PRECISION:
            continue
        count = np.size(output.value)
        every = expanded(accepted["sets"])
        for element in sorted({count * k // SAMPLED for k in range(SAMPLED)}):
            width = half_width(every[element])
            # A result near zero may be flushed, which the bound does not count.
            bound = evaluate.first_order(machine, output, element) + LEAST[accepted["type"]]
            ratios.append(float(width / bound))
            relative.append(width / max(abs(float(np.ravel(output.value)[element])), 1e-300))
    return ratios, relative


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--judge", required=True)
    parser.add_argument("--program", default="")
    options = parser.parse_args()
    medians = []
    print("# program: half width of the set, relative (median);")
    print("# half width over first-order bound: median, largest")
    row = "{:22} {:>9} {:9.3g} {:9.3g}"
    for path in sorted(FOLDER.glob("*.hlo")):
        if options.program not in path.stem:
            continue
        ratios, relative = ratios_of(path.read_text(), options.judge)
        medians.append(statistics.median(ratios))
        width = f"{statistics.median(relative):.2g}"
        print(row.format(path.stem, width, medians[-1], max(ratios)), flush=True)
    print(row.format(f"median of {len(medians)}", "", statistics.median(medians), max(medians)))


if __name__ == "__main__":
    sys.exit(main())
