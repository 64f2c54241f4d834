#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the results of several engines on the same cases as one table. scorecard_matrix.py DIR...
reads directories of `hlocts run --out=DIR`.

Each engine has a row with the numbers of its cases by verdict. Then follows every case that some
engine does not pass, except unsupported ones, with a letter per engine. Several directories of one
engine make one row, e.g. a whole run and a second run of its unexpected cases; later directories
take precedence. The cases are those of the first engine; others may have run a larger tier.
"""
import collections
import json
import pathlib
import sys

VERDICTS = ["pass", "fail", "nan_bits", "unsupported", "rejected", "accepted", "crash", "timeout",
            "inconclusive", "error", "suspect", "probable"]
LETTERS = dict(zip(VERDICTS, ".Fn-RACT?ES?"))


def read(folder):
    """Returns the verdicts of one engine by case, and its name with version."""
    verdicts = {}
    for line in open(pathlib.Path(folder) / "verdicts.jsonl", encoding="utf-8"):
        verdict = json.loads(line)
        verdicts[verdict["case"]] = verdict
    last = next(iter(verdicts.values()))
    return last["backend"], last["backend_version"], verdicts


def print_rows(engines):
    width = max(len(name) for name, _, _ in engines)
    words = [word[:6] for word in VERDICTS] + ["surprises"]
    print(f"{'engine':{width}}  cases " + " ".join(f"{word:>6}" for word in words))
    for name, _, verdicts in engines:
        counts = collections.Counter(v["verdict"] for v in verdicts.values())
        surprises = sum(not v["expected"] for v in verdicts.values())
        cells = [counts[word] for word in VERDICTS]
        print(f"{name:{width}} {len(verdicts):6} " +
              " ".join(f"{cell or '.':>6}" for cell in cells) + f" {surprises or '.':>9}")


def print_cases(engines):
    print("\none letter per engine, in the order above: . pass, - unsupported, F fail, n bits of a "
          "NaN,\nR rejected, A accepted, C crash, T timeout, ? inconclusive or probable, E error, S suspect\n")
    for case in sorted({case for _, _, verdicts in engines for case in verdicts}):
        row = "".join(LETTERS[verdicts[case]["verdict"]] if case in verdicts else " "
                      for _, _, verdicts in engines)
        if row.strip(".- "):
            print(f"{row}  {case}")


def main():
    by_name = {}
    for name, version, verdicts in map(read, sys.argv[1:]):
        before = by_name.get(name, (name, version, {}))[2]
        by_name[name] = (name, version, {**before, **verdicts})
    engines = list(by_name.values())
    cases = engines[0][2].keys()
    for _, _, verdicts in engines:
        for case in verdicts.keys() - cases:
            del verdicts[case]
    print_rows(engines)
    print()
    for name, version, _ in engines:
        print(f"{name}: {version}")
    print_cases(engines)


main()
