#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges the results of engines for JAX programs and prints a line per program. The programs are
those of tools/bench/programs. With --jax, they are those of tools/jax/sharded_programs.py (small
ones) or whole_models.py (growing ones), lowered by the installed JAX. `sees` is the smallest
relative error of an output element that the statistical tests of lemma 44 detect. The last line of
an engine has the numbers of its verdicts.
"""

import argparse
import collections
import importlib
import json
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "tools" / "bench" / "programs"


def judge(arguments, backend, module, inputs, cut=0):
    """Returns the verdict (JSON of `hlocts diff`), and the seconds that the command took."""
    command = [arguments.hlocts, "diff", str(module), inputs, f"--backend={backend}",
               f"--timeout={arguments.timeout}s", "--json"]
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
    """Returns one line of the table."""
    bits = record.get("bits_checked_mean")
    reason = " ".join((record.get("reason") or "").split())[:200]
    bits = "-" if bits is None else f"{bits:.2f}"
    tests, sees = record.get("statistical") or {}, "-"
    if tests.get("elements"):
        least = tests["limit"] * tests["deviation"]
        sees = f"{least / max(abs(tests['expected']), 1e-30):.0e}"
    return (f"{name:29} {record['verdict']:12} {record.get('elements') or 0:9} {bits:>6} "
            f"{record.get('unspecified_elements') or 0:7} {sees:>6} {seconds:6.1f}  {reason}"
            ).rstrip()


def table(arguments, backend, programs):
    """Prints the lines of one engine."""
    counts, total = collections.Counter(), 0.0
    print(f"\n{backend}", flush=True)
    for module, inputs in programs:
        record, seconds = judge(arguments, backend, module, inputs)
        print(line(module.stem, record, seconds), flush=True)
        if arguments.cut and record["verdict"] == "inconclusive":
            record, more = judge(arguments, backend, module, inputs, arguments.cut)
            print(line("  by pieces", record, more), flush=True)
            seconds += more
        counts[record["verdict"]] += 1
        total += seconds
    words = ", ".join(f"{count} {word}" for word, count in counts.most_common())
    print(f"{len(programs)} programs in {total:.0f} s: {words}", flush=True)


def lowered(folder, backend, module, wanted):
    """Writes the wanted programs of a module of tools/jax with their inputs to `folder`."""
    sys.path[:0] = [str(ROOT / "tools" / "jax"), str(ROOT / "python" / "src")]
    import functions
    from hlocts import lowering
    platform = lowering.platform_of(backend) or "cpu"
    for name, program in importlib.import_module(module).PROGRAMS.items():
        if name.startswith(wanted):
            functions.write(folder, name, *program, platform=platform)
    return [(path, f"--inputs={path.with_suffix('.npz')}") for path in sorted(folder.glob("*.hlo"))]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", nargs="*", help="by the beginning of its name (all)")
    parser.add_argument("--hlocts", default=str(ROOT / "build" / "hlocts"))
    parser.add_argument("--backend", action="append", help="engine; may be repeated (xla@0.11.2)")
    parser.add_argument("--jax", nargs="?", const="sharded_programs", metavar="MODULE",
                        help="use the programs of a module of tools/jax (sharded_programs)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cut", type=int, default=1,
                        help="judges inconclusive results again by pieces of this many "
                        "operations; 0: does not")
    parser.add_argument("--timeout", type=int, default=60,
                        help="time limit in seconds, of the engine and of the reference")
    arguments = parser.parse_args()
    wanted = tuple(arguments.program) or ("",)
    programs = [(path, f"--seed={arguments.seed}") for path in sorted(PROGRAMS.glob("*.hlo"))
                if path.stem.startswith(wanted)]
    print(f"{'program':29} {'verdict':12} {'elements':>9} {'bits':>6} {'unspec.':>7} {'sees':>6} "
          f"{'s':>6}  reason", flush=True)
    for backend in arguments.backend or ["xla@0.11.2"]:
        with tempfile.TemporaryDirectory() as folder:
            if arguments.jax:
                programs = lowered(pathlib.Path(folder), backend, arguments.jax, wanted)
            table(arguments, backend, programs)


if __name__ == "__main__":
    main()
