#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs JAX's own tests on one platform: pass, skip and fail per file.

    git clone --depth=1 --branch=jax-v0.11.0 https://github.com/jax-ml/jax     # as installed
    jax_tests.py jax/tests --platform=cpu --out=out/cpu
    jax_tests.py jax/tests --platform=hlocts_reference,cpu --out=out/reference --baseline=out/cpu

A random sample of each file runs, the same on every platform. The tests of a file run in one
process, which restarts after a test that exceeds its time or ends it. results.jsonl of --out has a
line per test: file, test, outcome (passed, skipped, failed, timeout, crash), seconds, reason. An
interrupted run continues. --baseline prints, for each file, how many of the tests that passed there
pass here, and the others.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import json
import os
import pathlib
import queue
import random
import subprocess
import sys
import threading
import time

FILES = (
    "lax_test lax_numpy_test lax_numpy_operators_test lax_numpy_reducers_test "
    "lax_numpy_indexing_test lax_control_flow_test lax_autodiff_test lax_vmap_test lax_scipy_test "
    "fft_test nn_test random_test random_lax_test linalg_test sparse_test"
).split()
OUTCOMES = ("passed", "skipped", "failed", "timeout", "crash")
START_SECONDS = 900  # seconds for import and collection


class Selection:
    """A pytest plugin in the process of a file: selects tests and reports each in a line."""

    def __init__(self, job: dict) -> None:
        self._job = job
        self._out = os.fdopen(os.dup(1), "w")
        os.dup2(2, 1)  # the tests' own output must not break the lines

    def _say(self, **line) -> None:
        self._out.write(json.dumps(line) + "\n")
        self._out.flush()

    def pytest_collection_modifyitems(self, items) -> None:
        names = sorted(item.nodeid.partition("::")[2] for item in items)
        random.Random(self._job["seed"]).shuffle(names)  # a larger sample contains a smaller one
        chosen = set(names[: self._job["sample"] or None])
        self._say(selected=sorted(chosen))
        chosen -= set(self._job["done"])
        items[:] = [item for item in items if item.nodeid.partition("::")[2] in chosen]

    def pytest_runtest_logstart(self, nodeid) -> None:
        self._say(started=nodeid.partition("::")[2])

    def pytest_runtest_logreport(self, report) -> None:
        if report.when != "call" and report.passed:
            return
        reason = report.longrepr
        if isinstance(reason, tuple):
            reason = reason[2]
        elif reason is not None:
            crash = getattr(reason, "reprcrash", None)
            reason = crash.message if crash else str(reason)
        self._say(outcome=report.outcome, reason=(reason or "")[:2000])


def run_selected() -> int:
    import pytest

    job = json.loads(os.environ["JAX_TESTS_JOB"])
    arguments = ["-p", "no:cacheprovider", "-q", "--rootdir", str(pathlib.Path(job["path"]).parent)]
    return pytest.main([*arguments, job["path"]], plugins=[Selection(job)])


class File:
    """The tests of one file, in processes that run one after another."""

    def __init__(self, given: argparse.Namespace, name: str, log: pathlib.Path) -> None:
        self._given, self._name, self._log = given, name, log
        self.results = {line["test"]: line for line in read(log) if line["file"] == name}
        self._selected: list[str] | None = None

    def _is_done(self) -> bool:
        return self._selected is not None and set(self._selected) <= set(self.results)

    def run(self) -> None:
        while not self._is_done():
            before = len(self.results)
            ended_by_itself = self._one_process()
            if ended_by_itself and before == len(self.results) and not self._is_done():
                return self._add("", "crash", 0.0, "the process reported no test of the file")

    def _add(self, test: str, outcome: str, seconds: float, reason: str) -> None:
        line = {"file": self._name, "test": test, "outcome": outcome,
                "seconds": round(seconds, 2), "reason": reason}  # fmt: skip
        self.results[test] = line
        with self._log.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def _start(self) -> subprocess.Popen:
        job = {"path": str(self._given.tests.resolve() / f"{self._name}.py"),
               "sample": self._given.sample, "seed": self._given.seed,
               "done": sorted(self.results)}  # fmt: skip
        variables = {"JAX_TESTS_JOB": json.dumps(job), "JAX_PLATFORMS": self._given.platform}
        errors = (self._log.parent / f"{self._name}.log").open("ab")
        return subprocess.Popen(
            [sys.executable, __file__, "--selected"], env=os.environ | variables,
            stdout=subprocess.PIPE, stderr=errors, text=True)  # fmt: skip

    def _one_process(self) -> bool:
        """Returns True if the process ended by itself between two tests."""
        process = self._start()
        lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=_forward, args=(process.stdout, lines), daemon=True).start()
        test, start, limit = "", time.monotonic(), START_SECONDS
        try:
            while line := _next(lines, start + limit):
                seconds = time.monotonic() - start
                said = json.loads(line)
                if "selected" in said:
                    self._selected = said["selected"]
                elif "started" in said:
                    test, start, limit = said["started"], time.monotonic(), self._given.timeout
                elif test:
                    self._add(test, said["outcome"], seconds, said["reason"])
                    test = ""
            seconds = time.monotonic() - start
            if seconds < limit:  # it ends by itself; a checking plugin waits for its judge
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(START_SECONDS)
        finally:
            process.kill()
            process.wait()
        if test:
            outcome = "timeout" if seconds >= limit else "crash"
            self._add(test, outcome, seconds, f"status {process.returncode}")
        return not test


def _forward(stream, lines: queue.Queue) -> None:
    for line in stream:
        lines.put(line)
    lines.put("")


def _next(lines: queue.Queue, deadline: float) -> str:
    """Returns the next line; "" at the end of the process and at the deadline."""
    try:
        return lines.get(timeout=max(deadline - time.monotonic(), 0))
    except queue.Empty:
        return ""


def read(path: pathlib.Path) -> list[dict]:
    if not path.is_file():
        return []
    return [json.loads(line) for line in path.read_text().splitlines() if line]


def table(results: list[dict], baseline: list[dict]) -> str:
    passed_there = {(line["file"], line["test"]) for line in baseline if line["outcome"] == "passed"}
    rows = collections.defaultdict(collections.Counter)
    others = []
    for line in results:
        for row in (line["file"], "all"):
            rows[row][line["outcome"]] += 1
            if (line["file"], line["test"]) in passed_there:
                rows[row]["compared"] += 1
                rows[row]["agreed"] += line["outcome"] == "passed"
        if (line["file"], line["test"]) in passed_there and line["outcome"] != "passed":
            others.append(line)
    lines = [f"{'file':26}" + "".join(f"{outcome:>9}" for outcome in OUTCOMES)]
    lines[0] += "  of the baseline's passed" if baseline else ""
    for name in [name for name in rows if name != "all"] + ["all"] * bool(rows):
        row = rows[name]
        text = f"{name:26}" + "".join(f"{row[outcome]:9}" for outcome in OUTCOMES)
        if row["compared"]:
            share = 100 * row["agreed"] / row["compared"]
            text += f"  {row['agreed']} of {row['compared']} ({share:.2f} %)"
        lines.append(text)
    for line in others:
        reason = line["reason"].splitlines()[0] if line["reason"] else ""
        lines.append(f"  {line['outcome']}  {line['file']}::{line['test']}  {reason[:200]}")
    return "\n".join(lines)


def main() -> int:
    if sys.argv[1:] == ["--selected"]:
        return run_selected()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tests", type=pathlib.Path, help="folder tests of JAX's repository")
    parser.add_argument("--platform", default="hlocts_reference,cpu",
                        help="value of JAX_PLATFORMS; some tests request cpu by name")
    parser.add_argument("--files", default=",".join(FILES), help="names without .py, by comma")
    parser.add_argument("--sample", type=int, default=100, help="tests of a file, 0 for all (100)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=60, help="seconds a test may take (60)")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--baseline", type=pathlib.Path, help="--out of another run")
    given = parser.parse_args()
    if not given.tests.is_dir():
        parser.error(f"{given.tests} is no folder: clone JAX's repository at the installed release")
    given.out.mkdir(parents=True, exist_ok=True)
    log = given.out / "results.jsonl"
    results = []
    for name in given.files.split(","):
        file = File(given, name, log)
        file.run()
        results += file.results.values()
        print(table(list(file.results.values()), []).splitlines()[1], flush=True)
    baseline = read(given.baseline / "results.jsonl") if given.baseline else []
    text = table(results, baseline)
    (given.out / "table.txt").write_text(text + "\n")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
