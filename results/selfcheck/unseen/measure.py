#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of lowered programs: verdicts, widths over the first order, refused wrong answers.

  measure.py DIR --hlocts=build/hlocts --engines=xla@0.11.2,jaxlib@0.12.0.1 > table.txt

DIR is what lower.py wrote. Outputs are those of the first engine, broken one element at a time by
the relative sizes of SIZES. numpy and nothing else."""

import argparse
import collections
import json
import math
import pathlib
import statistics
import struct
import subprocess
import tempfile

import numpy as np

SIZES = (1e-1, 1e-3, 1e-5)
TRIALS = 16  # elements of a program that are broken, of all outputs together


def lines(command):
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    return [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]


def batch(hlocts, subcommand, jobs, *flags):
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.write("\n".join(json.dumps(job) for job in jobs))
        file.flush()
        return lines([hlocts, subcommand, f"--batch={file.name}", *flags])


def sets_of(hlocts, stem, profile):
    command = [
        hlocts,
        "judge",
        f"{stem}.hlo",
        f"--inputs={stem}.npz",
        "--sets",
        "--json",
        f"--profile={profile}",
    ]
    return [leaf for leaf in lines(command) if "shape" in leaf]


def half_width(entry):
    if not entry[0] & 1 or entry[0] & 0x10E:
        return math.inf
    lo, hi = (struct.unpack(">d", bytes.fromhex(e.zfill(16)))[0] for e in entry[1:3])
    return (hi - lo) / 2


def expanded(sets):
    every = []
    for entry in sets:
        every += [every[-1]] * entry["repeat"] if isinstance(entry, dict) else [entry]
    return every


LEAST = {
    "bf16": 2.0**-126,
    "f16": 2.0**-14,
    "f64": 2.0**-1022,
    "f8e4m3fn": 2.0**-6,
    "f8e5m2": 2.0**-14,
}


def ratios(sets, bounds):
    """Half widths over first-order bounds; what is exact has none."""
    found = []
    for leaf, rows in zip(sets, bounds):
        if "sets" not in leaf:
            continue
        every = expanded(leaf["sets"])
        per = 2 if leaf["type"].startswith("c") else 1
        for index, _, bound in rows:
            # What may be flushed counts for a bound too.
            found.append(
                half_width(every[index * per]) / (bound + LEAST.get(leaf["type"], 2.0**-126))
            )
    return found


def as_numbers(x, kind):
    if kind == "bf16":
        return (x.astype(np.uint32) << 16).view(np.float32)
    return x


def broken(x, kind, index, size):
    """x with one element off; None where nothing changes."""
    y = as_numbers(x, kind).copy()
    old = y.ravel()[index]
    if y.dtype == bool or (y.dtype.kind in "iu" and size < 0.1) or not np.isfinite(old):
        return None
    if y.dtype.kind in "iu":
        new = (
            old + max(1, int(abs(int(old)) * size)) if old < np.iinfo(y.dtype).max // 2 else old - 1
        )
    else:
        new = old * (1 + size)
    y.ravel()[index] = new
    if kind == "bf16":
        bits = y.view(np.uint32)
        y = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return None if np.array_equal(x, y, equal_nan=y.dtype.kind in "fc") else y


def wrong_answers(hlocts, stem, outputs, kinds, folder, profile):
    """{size: [refused, tried]}; None: the outputs themselves are not accepted."""
    jobs, sizes = [], []
    keys = sorted(outputs.files, key=lambda k: int(k[3:]))
    arrays = [outputs[k] for k in keys]
    each = max(1, TRIALS // len(arrays))
    for leaf, x in enumerate(arrays):
        for index in sorted({x.size * k // each for k in range(each)}) if x.size else []:
            for size in SIZES:
                y = broken(x, kinds[leaf], index, size)
                if y is None:
                    continue
                path = f"{folder}/{len(jobs)}.npz"
                np.savez(
                    path, **{k: y if i == leaf else a for i, (k, a) in enumerate(zip(keys, arrays))}
                )
                jobs.append({"module": f"{stem}.hlo", "inputs": f"{stem}.npz", "outputs": path})
                sizes.append(size)
    counts = {size: [0, 0] for size in SIZES}
    for size, verdict in zip(sizes, batch(hlocts, "judge", jobs, f"--profile={profile}")):
        counts[size][0] += verdict["verdict"] == "fail"
        counts[size][1] += 1
    return counts


def short(numbers):
    if not numbers:
        return f"{'-':>8} {'-':>8}"
    return f"{statistics.median(numbers):8.3g} {max(numbers):8.3g}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--hlocts", required=True)
    parser.add_argument("--engines", required=True)
    parser.add_argument("--profile", default="default")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    engines = options.engines.split(",")
    stems = [
        p.with_suffix("") for p in sorted(options.folder.glob("*.hlo")) if options.only in p.stem
    ]
    verdicts = collections.defaultdict(dict)
    for engine in engines:
        jobs = [{"module": f"{s}.hlo", "inputs": f"{s}.npz", "backend": engine} for s in stems]
        flags = [f"--profile={options.profile}", "--timeout=60s"]
        for stem, verdict in zip(stems, batch(options.hlocts, "diff", jobs, *flags)):
            verdicts[stem][engine] = verdict
    print(f"{'program':38} verdicts  bits   median  largest   1e-1  1e-3  1e-5")
    total, every = {size: [0, 0] for size in SIZES}, []
    for stem in stems:
        letters = "".join(verdicts[stem].get(e, {"verdict": "?"})["verdict"][0] for e in engines)
        first = verdicts[stem].get(engines[0], {})
        bounds = json.loads(stem.with_suffix(".json").read_text())
        sets = sets_of(options.hlocts, stem, options.profile)
        numbers = [] if "unknown" in bounds else ratios(sets, bounds)
        every += numbers
        with tempfile.TemporaryDirectory() as folder:
            out = f"{folder}/out.npz"
            command = [
                options.hlocts,
                "eval",
                f"{stem}.hlo",
                f"--inputs={stem}.npz",
                f"--backend={engines[0]}",
            ]
            subprocess.run([*command, f"--output={out}"], capture_output=True, check=False)
            shares = {size: [0, 0] for size in SIZES}
            if pathlib.Path(out).exists():
                kinds = [leaf.get("type", "") for leaf in sets]
                shares = wrong_answers(
                    options.hlocts, stem, np.load(out), kinds, folder, options.profile
                )
        for size in SIZES:
            total[size] = [a + b for a, b in zip(total[size], shares[size])]
        percent = " ".join(f"{100 * a / b:5.0f}" if b else "    -" for a, b in shares.values())
        bits = first.get("bits_checked_mean")
        bits = "-" if bits is None else f"{bits:.1f}"
        print(f"{stem.name:38} {letters:8} {bits:>5} {short(numbers)}  {percent}", flush=True)
    percent = " ".join(f"{100 * a / max(b, 1):5.1f}" for a, b in total.values())
    print(f"{'all ' + str(len(stems)):38} {'':8} {'':5} {short(every)}  {percent}")


if __name__ == "__main__":
    main()
