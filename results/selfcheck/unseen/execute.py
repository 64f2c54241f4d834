#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Legal executions of the programs in numpy, by styles; none may be refused.

  execute.py DIR --hlocts=build/hlocts [--seeds=2] [--only=NAME]      DIR of lower.py; jax 0.10.2

Every style obeys the default profile as the documents and rulings state it: sums in any order,
functions anywhere within their ulps, products and quotients read unrounded by sums, subnormal
numbers flushed, and element-wise values computed anew, with other roundings, for each reader."""

import argparse
import json
import pathlib
import subprocess
import tempfile

import jax
import numpy as np

import lower
import programs
from execution import STYLES, Execution, Value


def outputs_of(name, style, seed):
    function, kinds = programs.PROGRAMS[name]
    rng = np.random.default_rng(42)
    arguments = [lower.argument(kind, rng) for kind in kinds]
    with jax.enable_x64(any(a.dtype.itemsize == 8 and a.dtype.kind == "f" for a in arguments)):
        jaxpr = jax.jit(function, keep_unused=True).trace(*arguments).jaxpr
        execution = Execution(style, np.random.default_rng(seed))
        out = execution.closed(jaxpr, [Value([a]) for a in arguments])
    return [execution.read(v) for v in out]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--hlocts", required=True)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--only", default="")
    parser.add_argument(
        "--profile", default="default", help="strict: styles that take no permission"
    )
    options = parser.parse_args()
    styles = ("nearest", "reversed", "wide") if options.profile == "strict" else STYLES
    counts, skipped = {}, []
    with tempfile.TemporaryDirectory() as folder:
        jobs, labels = [], []
        for name in programs.PROGRAMS:
            if options.only not in name:
                continue
            try:
                for style in styles:
                    for seed in range(
                        options.seeds
                        if style in ("random", "fused", "flushed", "twice", "all")
                        else 1
                    ):
                        path = f"{folder}/{len(jobs)}.npz"
                        out = outputs_of(name, style, seed)
                        np.savez(
                            path,
                            **{f"out{k}": lower.stored(np.asarray(o)) for k, o in enumerate(out)},
                        )
                        stem = options.folder / name
                        jobs.append(
                            {"module": f"{stem}.hlo", "inputs": f"{stem}.npz", "outputs": path}
                        )
                        labels.append((name, style, seed))
            except NotImplementedError as error:
                skipped.append(f"{name} ({error})")
            except Exception as error:
                print("BUG", name, style, repr(error)[:300], flush=True)
        with open(f"{folder}/jobs.jsonl", "w", encoding="utf-8") as file:
            file.write("\n".join(json.dumps(job) for job in jobs))
        run = subprocess.run(
            [
                options.hlocts,
                "judge",
                f"--batch={folder}/jobs.jsonl",
                f"--profile={options.profile}",
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        for label, line in zip(
            labels, [line for line in run.stdout.splitlines() if line.startswith("{")]
        ):
            verdict = json.loads(line)
            counts[verdict["verdict"]] = counts.get(verdict["verdict"], 0) + 1
            if verdict["verdict"] not in ("pass", "inconclusive"):
                print(*label, verdict["verdict"], verdict["reason"])
    print(f"{len(labels)} executions: {counts}; not executed: {', '.join(skipped)}")


if __name__ == "__main__":
    main()
