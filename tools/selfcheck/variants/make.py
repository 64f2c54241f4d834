#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes reference/judge/cases/executions: legal executions and wrong answers, made by numpy alone.

  make.py                       writes the files of seed 0
  make.py --seed=7 --out=DIR    writes the files of another seed, to try more data
  make.py --seeds=100 --judge=build/reference/judge/reference_judge_test
                                judges the legal executions of each seed; exit status 1 if one is
                                rejected
Needs numpy and mpmath.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

import numpy as np

import corners
import elements
import extremes
import solves
import sums
from write import File, write

ROOT = pathlib.Path(__file__).resolve().parents[3]


def write_all(seed, folder):
    os.makedirs(folder, exist_ok=True)
    makers = sums.FILES + elements.FILES + solves.FILES + extremes.FILES + corners.FILES
    return write([make(np.random.default_rng(seed)) for make in makers], folder)


def judge(program, seeds):
    bad = 0
    File.legal_only = True
    for seed in seeds:
        with tempfile.TemporaryDirectory() as folder:
            write_all(seed, folder)
            run = subprocess.run([program, "--gtest_filter=*CasesTest*", "--gtest_brief=1"],
                                 env=dict(os.environ, HLOCTS_CASES=folder), cwd=ROOT,
                                 capture_output=True, text=True, check=False)
            if run.returncode != 0:
                bad += 1
                print(f"seed {seed}:\n{run.stdout}")
    print(f"{len(seeds)} seeds, {bad} with a legal execution refused")
    return 1 if bad else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default=str(ROOT / "reference/judge/cases/executions"))
    parser.add_argument("--seeds", type=int, help="number of seeds to judge")
    parser.add_argument("--judge", help="path of the test program of reference/judge")
    flags = parser.parse_args()
    warnings.filterwarnings("ignore", category=RuntimeWarning)
    if flags.judge:
        sys.exit(judge(os.path.abspath(flags.judge), range(1, 1 + (flags.seeds or 10))))
    print(f"{write_all(flags.seed, flags.out)} answers in {flags.out}")


if __name__ == "__main__":
    main()
