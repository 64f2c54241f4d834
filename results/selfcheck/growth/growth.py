#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which acceptance sets a change of the judge widens or narrows, over a folder of real modules.

  growth.py record --hlocts=build/hlocts --corpus=DIR --out=after.jsonl [--profile=default]
  growth.py compare before.jsonl after.jsonl [--sentences=growth.txt]

A corpus is a folder, or zips, of CASE/module.hlo with CASE/inputs.npz. `record` keeps for each
output the sets of `hlocts judge --sets --json`, as runs of widths. `compare` adds up, for the
operation that made a set, how many elements grew and by how many bits. With --sentences an
operation that grew and has no line there is an error: growth wants a reason.
Standard library only.
"""
import argparse
import collections
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile
import zipfile

UNSPECIFIED, FINITE, INTEGER = 1 << 8, 1, 1 << 12
OTHERS = 0b111110  # NaN, infinities, zeros of a sign
PRECISION = {"f64": 53, "c128": 53, "f32": 24, "c64": 24, "bf16": 8, "f16": 11}
LEAST = {"f64": -1022, "c128": -1022, "f32": -126, "c64": -126, "bf16": -126, "f16": -14}


def number(bits):
    return struct.unpack(">d", bytes.fromhex(bits))[0]


def bits_of(entry, kind):
    """log2 of about how many values a set holds; None: any."""
    flags, low, high = entry[:3]
    if flags & UNSPECIFIED:
        return None
    other = bin(flags & OTHERS).count("1")
    if flags & INTEGER:
        return math.log2(int(high) - int(low) + 1)
    if not flags & FINITE:
        return math.log2(max(other, 1))
    low, high = number(low), number(high)
    precision = PRECISION.get(kind, 4)
    size = max(abs(low), abs(high))
    exponent = max(math.frexp(size)[1] - 1 if size else -9999, LEAST.get(kind, -6))
    unit = math.ldexp(1.0, max(exponent - precision + 1, -1074))
    values = (high - low) / unit + 1 if math.isfinite(high - low) else 2.0**precision
    return math.log2(values + max(other - 1, 0))


def leaf_runs(leaf, origins):
    """[[count, bits, operation], ...]; exact arrays are one run of 0 bits."""
    if "exact" in leaf or leaf.get("token"):
        return [[math.prod(leaf.get("dimensions", [])), 0.0, ""]]
    def operation_of(number_):
        origin = origins[number_] if number_ < len(origins) else ""
        return origin[1] if isinstance(origin, list) else origin.get("opcode", "") if origin else ""

    runs = []
    for entry in leaf["sets"]:
        if isinstance(entry, dict):
            runs[-1][0] += entry["repeat"]
            continue
        bits = bits_of(entry, leaf["type"])
        operation = operation_of(entry[3] or leaf.get("origin", 0))
        runs.append([1, None if bits is None else round(bits, 3), operation])
    return runs


def sets_of(program, module, inputs, profile):
    command = [program, "judge", module, "--sets", "--json", f"--profile={profile}",
               f"--inputs={inputs}"]
    try:
        run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    except subprocess.TimeoutExpired:
        return None
    if run.returncode != 0:
        return None
    origins, leaves = [], []
    for line in run.stdout.splitlines():
        parsed = json.loads(line)
        if "origins" in parsed:
            origins = parsed["origins"]
        else:
            leaves.append(leaf_runs(parsed, origins))
    return leaves


def cases(corpus):
    """(name, module text, inputs bytes) of folders and zips."""
    root = pathlib.Path(corpus)
    archives = sorted(root.glob("*.zip")) if root.is_dir() else [root]
    for path in archives:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            for name in sorted(n for n in names if n.endswith("/module.hlo")):
                inputs = name[:-len("module.hlo")] + "inputs.npz"
                if inputs in names:
                    yield (f"{path.stem}/{name[:-len('/module.hlo')]}", archive.read(name),
                           archive.read(inputs))
    for module in sorted(root.glob("**/module.hlo")) if root.is_dir() else []:
        inputs = module.with_name("inputs.npz")
        if inputs.exists():
            yield str(module.parent.relative_to(root)), module.read_bytes(), inputs.read_bytes()


def record(flags):
    done = failed = 0
    with tempfile.TemporaryDirectory() as folder, open(flags.out, "w", encoding="utf-8") as out:
        module, inputs = f"{folder}/module.hlo", f"{folder}/inputs.npz"
        for number_, (name, text, data) in enumerate(cases(flags.corpus)):
            if number_ % flags.every:
                continue
            pathlib.Path(module).write_bytes(text)
            pathlib.Path(inputs).write_bytes(data)
            leaves = sets_of(flags.hlocts, module, inputs, flags.profile)
            failed += leaves is None
            done += leaves is not None
            if leaves is not None:
                out.write(json.dumps({"case": name, "leaves": leaves}) + "\n")
    print(f"{done} modules recorded, {failed} without sets")


def elements(runs):
    for count, bits, operation in runs:
        for _ in range(count):
            yield bits, operation


def load(path):
    with open(path, encoding="utf-8") as file:
        return {line["case"]: line["leaves"] for line in map(json.loads, file)}


def compare(flags):
    before, after = load(flags.before), load(flags.after)
    grew, shrank, opened, all_of, most = (collections.Counter() for _ in range(5))
    total = collections.Counter()
    for case in sorted(before.keys() & after.keys()):
        for old, new in zip(before[case], after[case]):
            for (a, _), (b, operation) in zip(elements(old), elements(new)):
                all_of[operation] += 1
                if a == b:
                    continue
                if a is not None and (b is None or b > a + 1e-3):
                    grew[operation] += 1
                    opened[operation] += b is None
                    if b is not None:
                        total[operation] += b - a
                        if b - a > most.get(operation, (0, ""))[0]:
                            most[operation] = (b - a, case)
                elif a is None or b < a - 1e-3:
                    shrank[operation] += 1
    print(f"{len(before.keys() & after.keys())} modules in both")
    sentences = read_sentences(flags.sentences)
    missing = 0
    for operation in sorted(set(grew) | set(shrank), key=lambda o: -grew[o]):
        line = f"{operation or 'exact'}: {grew[operation]} of {all_of[operation]} elements grew"
        closed = grew[operation] - opened[operation]
        if closed:
            line += (f", by {total[operation] / closed:.2f} bits, "
                     f"at most {most[operation][0]:.2f} ({most[operation][1]})")
        if opened[operation]:
            line += f", {opened[operation]} may be anything now"
        line += f"; {shrank[operation]} shrank"
        if grew[operation] and flags.sentences:
            line += f"\n    {sentences.get(operation, 'NO SENTENCE')}"
            missing += operation not in sentences
        print(line)
    gone = before.keys() - after.keys()
    if gone:
        print(f"{len(gone)} modules have no sets any more: {', '.join(sorted(gone)[:5])}")
    sys.exit(1 if missing or gone else 0)


def read_sentences(path):
    """"operation: why its sets may grow", a line each."""
    if not path:
        return {}
    lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
    pairs = (line.split(":", 1) for line in lines if ":" in line and not line.startswith("#"))
    return {operation.strip(): why.strip() for operation, why in pairs}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("record")
    one.add_argument("--hlocts", default="build/hlocts")
    one.add_argument("--corpus", required=True)
    one.add_argument("--out", required=True)
    one.add_argument("--profile", default="default")
    one.add_argument("--every", type=int, default=1, help="only each Nth module")
    two = commands.add_parser("compare")
    two.add_argument("before")
    two.add_argument("after")
    two.add_argument("--sentences")
    flags = parser.parse_args()
    record(flags) if flags.command == "record" else compare(flags)


if __name__ == "__main__":
    main()
