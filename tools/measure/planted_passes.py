#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants wrong passes: changes the text that a compiler has optimized, one instruction at a time,
and counts how many of the changes of a value the sets of the input module reject.

Modules are cases of the suite, with their inputs, or folders of `hlocts export`. A mutant with the
same outputs as the optimized text, bit for bit, changes no value and is not counted.
"""

import argparse
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
OTHER = {"add": "subtract", "subtract": "add", "multiply": "add", "divide": "multiply",
         "maximum": "minimum", "minimum": "maximum", "and": "or", "or": "and", "xor": "or",
         "negate": "abs", "exponential": "negate", "log": "negate", "sine": "cosine",
         "cosine": "sine", "tanh": "sine", "floor": "ceil", "ceil": "floor", "sqrt": "abs",
         "rsqrt": "sqrt", "power": "multiply", "atan2": "subtract"}
ORDERED = "subtract divide remainder power atan2 shift-left shift-right-logical".split()
DIRECTION = {"LT": "GE", "GE": "LT", "GT": "LE", "LE": "GT", "EQ": "NE", "NE": "EQ"}


def swapped(line, opcode, first, second):
    """Returns the line with two operands of the opcode exchanged, or None if they are equal."""
    found = re.search(rf"(?<= {opcode}\()([^()]*)\)", line)
    parts = found.group(1).split(", ") if found else []
    if len(parts) <= second or parts[first] == parts[second]:
        return None
    parts[first], parts[second] = parts[second], parts[first]
    return line[:found.start()] + ", ".join(parts) + ")" + line[found.end():]


def mutants(line):
    """Yields (kind, changed line) for each fault that can be planted in the instruction."""
    found = re.search(r"= \S+ ([a-z0-9-]+)\(", line)
    opcode = found.group(1) if found else ""
    if opcode in OTHER:
        yield "opcode", line.replace(f" {opcode}(", f" {OTHER[opcode]}(", 1)
    if opcode in ORDERED:
        yield "operands", swapped(line, opcode, 0, 1)
    if opcode == "select":
        yield "select", swapped(line, opcode, 1, 2)
    if opcode == "compare":
        yield "direction", re.sub(r"direction=(\w\w)", lambda m: "direction=" + DIRECTION[m[1]],
                                  line, count=1)
    if opcode == "constant":
        yield "constant", re.sub(r"constant\((-?\d+)\)", lambda m: f"constant({int(m[1]) + 1})",
                                 line, count=1)
        yield "constant", re.sub(r"constant\((true|false)\)", lambda m: "constant(" +
                                 {"true": "false", "false": "true"}[m[1]] + ")", line, count=1)
    if opcode == "iota":
        yield "iota", re.sub(r"iota_dimension=(\d)", lambda m: f"iota_dimension={1 - int(m[1])}"
                             if m[1] in "01" else m[0], line, count=1)
    if opcode == "slice":
        yield "slice", re.sub(r"\[([1-9]\d*):(\d+)\]", lambda m: f"[{int(m[1]) - 1}:{int(m[2]) - 1}]",
                              line, count=1)
    if opcode == "concatenate":
        yield "concatenate", swapped(line, opcode, 0, 1)
    if opcode == "pad":
        yield "pad", re.sub(r"padding=(\d+)_(\d+)", r"padding=\2_\1", line, count=1)
    if opcode == "dot":
        yield "dot", re.sub(r"(lhs|rhs)_contracting_dims=\{(\d)\}", lambda m: f"{m[1]}_contracting_dims="
                            f"{{{1 - int(m[2])}}}" if m[2] in "01" else m[0], line, count=1)
    if opcode == "convolution":
        yield "window", re.sub(r"pad=(\d+)_(\d+)", r"pad=\2_\1", line, count=1)
    if opcode in ("reduce", "reduce-window", "sort", "scatter", "fusion", "dynamic-slice"):
        yield "operands", swapped(line, opcode, 0, 1)
    if opcode == "broadcast":
        yield "broadcast", re.sub(r"dimensions=\{(\d)\}", lambda m: f"dimensions={{{1 - int(m[1])}}}"
                                  if m[1] in "01" else m[0], line, count=1)
    if opcode == "transpose":
        yield "transpose", re.sub(r"dimensions=\{(\d),(\d)", r"dimensions={\2,\1", line, count=1)


def hlocts(arguments, *words):
    """Returns the JSON objects that the program prints, one per line."""
    done = subprocess.run([arguments.hlocts, *words], capture_output=True, text=True, check=False)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def batch(arguments, folder, jobs, *words):
    """Returns the answer to each job; one process answers all."""
    path = folder / "jobs.jsonl"
    path.write_text("".join(json.dumps(job) + "\n" for job in jobs))
    return hlocts(arguments, words[0], f"--batch={path}", *words[1:])


def evaluated(arguments, folder, texts, inputs):
    """Returns the outputs of each text as the program prints them, or None if evaluation fails."""
    jobs = []
    for i, text in enumerate(texts):
        module = folder / f"{i}.hlo"
        module.write_text(text)
        (folder / f"{i}.out").unlink(missing_ok=True)
        jobs.append({"module": str(module), "inputs": str(inputs),
                     "output": str(folder / f"{i}.out")})
    batch(arguments, folder, jobs, "eval", "--steps=100000", "--timeout=5s")
    outputs = [folder / f"{i}.out" for i in range(len(texts))]
    return [path.read_text() if path.exists() else None for path in outputs]


def plant(arguments, case, folder, chance):
    """Returns a row for each planted change of a value: (case, kind, instruction, verdict)."""
    module, inputs = case / "module.hlo", case / "inputs.txt"
    optimized = folder / "optimized.hlo"
    optimized.unlink(missing_ok=True)
    hlocts(arguments, "convert", str(module), f"--compiled-by={arguments.engine}",
           "--no-metadata", "-o", str(optimized))
    if not optimized.exists():
        return []
    lines = optimized.read_text().splitlines()
    changes = [(i, kind, new) for i, line in enumerate(lines) for kind, new in mutants(line)
               if new and new != line]
    chance.shuffle(changes)
    texts = ["\n".join(lines) + "\n"]
    texts += ["\n".join(lines[:i] + [new] + lines[i + 1:]) + "\n"
              for i, _, new in changes[:4 * arguments.each]]
    right, *values = evaluated(arguments, folder, texts, inputs)
    if right is None:
        return []
    planted = [(n, changes[n][1], changes[n][2]) for n, value in enumerate(values)
               if value is not None and value != right][:arguments.each]
    jobs = [{"module": str(module), "inputs": str(inputs),
             "outputs": str(folder / f"{n + 1}.out")} for n, _, _ in planted]
    if not jobs:
        return []
    verdicts = batch(arguments, folder, jobs, "judge", f"--facts-of={arguments.facts_of}")
    return [(case.name, kind, new.strip()[:100], verdict.get("verdict", "error"))
            for (_, kind, new), verdict in zip(planted, verdicts)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=pathlib.Path,
                        help="folder that `hlocts export QUERY --out=DIR` made")
    parser.add_argument("--hlocts", default=str(ROOT / "build" / "hlocts"))
    parser.add_argument("--engine", default="tpu")
    parser.add_argument("--facts-of", default="tpu_v2_v5e")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--each", type=int, default=3, help="changes of one module, at most")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    cases = sorted(path.parent for path in arguments.cases.rglob("inputs.txt"))
    chance.shuffle(cases)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            for row in plant(arguments, case, pathlib.Path(folder), chance):
                rows.append(row)
                print(f"\r{len(rows)} of {arguments.count}", end="", file=sys.stderr, flush=True)
            if len(rows) >= arguments.count:
                break
    print(file=sys.stderr)
    found = sum(row[3] == "fail" for row in rows)
    print(f"{arguments.engine}: {found} of {len(rows)} planted changes of values are found "
          f"({100 * found / max(1, len(rows)):.1f} %)")
    for case, kind, instruction, verdict in rows:
        if verdict != "fail":
            print(f"  {verdict:12} {kind:10} {case}: {instruction}")
    return 0 if rows and found >= 0.95 * len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
