#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges the results of an engine for each JAX program of tools/bench/programs: one line per
program."""

import argparse
import json
import pathlib
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "tools" / "bench" / "programs"


def judge(arguments, module, cut=0):
    """The verdict of `hlocts diff` as its JSON says it, and the seconds that the command took."""
    command = [arguments.hlocts, "diff", str(module), f"--seed={arguments.seed}",
               f"--backend={arguments.backend}", f"--timeout={arguments.timeout}s", "--json"]
    if cut:
        command.append(f"--cut={cut}")
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    seconds = time.monotonic() - start
    if not lines:
        return {"verdict": "error", "reason": done.stderr.strip().split("\n")[0]}, seconds
    return json.loads(lines[-1]), seconds


def line(name, record, seconds):
    """One line of the table."""
    bits = record.get("bits_checked_mean")
    reason = record.get("reason") or ""
    bits = "-" if bits is None else f"{bits:.2f}"
    return (f"{name:22} {record['verdict']:12} {record.get('elements') or 0:9} {bits:>6} "
            f"{record.get('unspecified_elements') or 0:7} {seconds:6.1f}  {reason}").rstrip()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hlocts", default=str(ROOT / "build" / "hlocts"))
    parser.add_argument("--backend", default="xla@0.11.2")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cut", type=int, default=1,
                        help="what is inconclusive is judged again by pieces of so many "
                        "operations; 0: not")
    parser.add_argument("--timeout", type=int, default=60,
                        help="seconds for the engine, and for the reference")
    arguments = parser.parse_args()
    print(f"{'program':22} {'verdict':12} {'elements':>9} {'bits':>6} {'unspec.':>7} {'s':>6}"
          "  reason", flush=True)
    for module in sorted(PROGRAMS.glob("*.hlo")):
        record, seconds = judge(arguments, module)
        print(line(module.stem, record, seconds), flush=True)
        if arguments.cut and record["verdict"] == "inconclusive":
            print(line("  by pieces", *judge(arguments, module, arguments.cut)), flush=True)


if __name__ == "__main__":
    main()
