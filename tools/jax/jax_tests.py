#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs JAX's own tests on our platforms and on plain CPU: pass, skip and fail per file.

    git clone --depth=1 --branch=jax-v0.11.0 https://github.com/jax-ml/jax     # as installed
    jax_tests.py jax/tests --out=out/jax

A random sample of each file runs. It is the same on every platform; cpu comes first. The tests of a
file run in one process, which is restarted after a test that exceeds its time limit or crashes it.
--out contains results.jsonl with a line per test: platform, file, test, outcome (passed, skipped,
failed, timeout, crash), seconds, reason; an interrupted run is continued. table.txt contains the
command, the versions, a row per file, every test that passed on cpu but not on another platform, the
numbers of verdicts of the checking plugin, and each fail. HLOCTS_CHECK has its settings.
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
import shlex
import subprocess
import sys
import threading
import time
from importlib import metadata

FILES = (
    "lax_test lax_numpy_test lax_numpy_operators_test lax_numpy_reducers_test "
    "lax_numpy_indexing_test lax_control_flow_test lax_autodiff_test lax_vmap_test lax_scipy_test "
    "fft_test nn_test random_test random_lax_test linalg_test sparse_test"
).split()
CHECKING = "hlocts_check"
START_SECONDS = 900  # seconds for import and collection


class Selection:
    """A pytest plugin in the process of a file: selects tests and prints a line for each result."""

    def __init__(self, job: dict) -> None:
        self._job = job
        self._out = os.fdopen(os.dup(1), "w")
        os.dup2(2, 1)  # output of the tests must not be mixed with the lines

    def _say(self, **line) -> None:
        self._out.write(json.dumps(line) + "\n")
        self._out.flush()

    def pytest_collection_modifyitems(self, items) -> None:
        names = sorted(item.nodeid.partition("::")[2] for item in items)
        random.Random(self._job["seed"]).shuffle(names)  # a larger sample contains a smaller one
        chosen = set(names[: self._job["sample"] or None])
        self._say(selected=sorted(chosen), of=len(names))
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
    """The tests of one file on one platform. Their processes run one after another."""

    def __init__(self, given: argparse.Namespace, platform: str, name: str) -> None:
        self._given, self._platform, self._name = given, platform, name
        self._log = given.out / "results.jsonl"
        self.results = {line["test"]: line for line in read(self._log)
                        if (line["platform"], line["file"]) == (platform, name)}  # fmt: skip
        self._selected: list[str] | None = None
        self.size = 0  # number of tests in the file

    def _is_done(self) -> bool:
        return self._selected is not None and set(self._selected) <= set(self.results)

    def run(self) -> None:
        while not self._is_done():
            before = len(self.results)
            ended_by_itself = self._one_process()
            if ended_by_itself and before == len(self.results) and not self._is_done():
                return self._add("", "crash", 0.0, "the process reported no test of the file")

    def _add(self, test: str, outcome: str, seconds: float, reason: str) -> None:
        line = {"platform": self._platform, "file": self._name, "test": test, "outcome": outcome,
                "seconds": round(seconds, 2), "reason": reason}  # fmt: skip
        self.results[test] = line
        with self._log.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def _start(self) -> subprocess.Popen:
        job = {"path": str(self._given.tests.resolve() / f"{self._name}.py"),
               "sample": self._given.sample, "seed": self._given.seed,
               "done": sorted(self.results)}  # fmt: skip
        variables = {"JAX_TESTS_JOB": json.dumps(job), "JAX_SKIP_SLOW_TESTS": "1",
                     "JAX_PLATFORMS": ",".join(dict.fromkeys([self._platform, "cpu"])),
                     "HLOCTS_CHECK": f"{os.environ.get('HLOCTS_CHECK', '')} "
                                     f"out={records(self._given.out, self._name)}"}  # fmt: skip
        errors = (self._log.parent / f"{self._platform}.{self._name}.log").open("ab")
        return subprocess.Popen(
            [sys.executable, __file__, "--selected"], env=os.environ | variables,
            stdout=subprocess.PIPE, stderr=errors, text=True)  # fmt: skip

    def _one_process(self) -> bool:
        """Returns True if the process ended between two tests, and without being killed."""
        process = self._start()
        lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=_forward, args=(process.stdout, lines), daemon=True).start()
        test, start, limit = "", time.monotonic(), START_SECONDS
        try:
            while line := _next(lines, start + limit):
                seconds = time.monotonic() - start
                said = json.loads(line)
                if "selected" in said:
                    self._selected, self.size = said["selected"], said["of"]
                elif "started" in said:
                    test, start, limit = said["started"], time.monotonic(), self._given.timeout
                elif test:
                    self._add(test, said["outcome"], seconds, said["reason"])
                    test = ""
            seconds = time.monotonic() - start
            if seconds < limit:  # it ends without a signal; a checking plugin waits for its judge
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
    """Returns the next line; "" when the process has ended or the deadline has passed."""
    try:
        return lines.get(timeout=max(deadline - time.monotonic(), 0))
    except queue.Empty:
        return ""


def read(path: pathlib.Path) -> list[dict]:
    if not path.is_file():
        return []
    return [json.loads(line) for line in path.read_text().splitlines() if line]


def records(out: pathlib.Path, name: str) -> pathlib.Path:
    """Returns the directory in which the checking plugin records a file's executions."""
    return out.resolve() / "records" / name


def judged(out: pathlib.Path, names: list[str]) -> list[dict]:
    """Returns the verdicts of the checking plugin on the executions of these files."""
    return [line | {"file": name} for name in names
            for path in sorted(records(out, name).rglob("results.jsonl"))
            for line in read(path)]  # fmt: skip


def compare(results: list[dict], platform: str) -> tuple[int, int]:
    """Returns how many of the tests that pass on cpu pass on the platform, and how many ran."""
    by_test = {(line["platform"], line["file"], line["test"]): line["outcome"] for line in results}
    on_cpu = [test for test, outcome in by_test.items() if (test[0], outcome) == ("cpu", "passed")]
    there = [by_test.get((platform, *test[1:]), "") for test in on_cpu]
    return there.count("passed"), len(there) - there.count("")


def row(name: str, platforms: list[str], results: list[dict], executions: int) -> str:
    """Returns counts by platform (passed, skipped, others) and how many of cpu's passes pass."""
    text = f"{name:24}"
    for platform in platforms:
        outcomes = [line["outcome"] for line in results if line["platform"] == platform]
        passed, skipped = outcomes.count("passed"), outcomes.count("skipped")
        text += f" |{passed:5}{skipped:5}{len(outcomes) - passed - skipped:5}"
        if platform != "cpu":
            agreed, compared = compare(results, platform)
            text += f"{100 * agreed / max(compared, 1):9.2f}"
    return text + (f"{executions:8}" if CHECKING in platforms else "")


def share_of_files(results: list[dict], platform: str, sizes: dict[str, int]) -> float:
    """Estimates, from each file's sample, how many percent of cpu's passes pass on the platform."""
    passed = 0.0
    for name, size in sizes.items():
        agreed, compared = compare([line for line in results if line["file"] == name], platform)
        passed += size * agreed / max(compared, 1)
    return 100 * passed / max(sum(sizes.values()), 1)


def first_line(text: str) -> str:
    return text.partition("\n")[0][:200]


def table(given: argparse.Namespace, results: list[dict], sizes: dict[str, int]) -> str:
    names = list(dict.fromkeys(line["file"] for line in results))
    platforms = ["cpu", *given.platforms]
    verdicts = judged(given.out, names)
    lines = [" " * 24 + "".join(f" |{name:{15 + 9 * (name != 'cpu')}}" for name in platforms),
             f"{'file':24}" + "".join(" | pass skip fail" + " % of cpu" * (name != "cpu")
                                      for name in platforms)
             + "  judged" * (CHECKING in platforms)]  # fmt: skip
    for name in [*names, "all"]:
        lines.append(row(name, platforms,
                         [line for line in results if name in (line["file"], "all")],
                         sum(name in (line["file"], "all") for line in verdicts)))  # fmt: skip
    lines.append(f"{'whole files, estimated':24} |{'':15}" + "".join(
        f" |{'':15}{share_of_files(results, name, sizes):9.2f}" for name in given.platforms))
    on_cpu = {(line["file"], line["test"]) for line in results
              if (line["platform"], line["outcome"]) == ("cpu", "passed")}  # fmt: skip
    lines += ["", "Passed on cpu and not there:"]
    for line in results:
        if (line["file"], line["test"]) in on_cpu and line["outcome"] != "passed":
            lines.append(f"  {line['outcome']}  {line['platform']}  {line['file']}::{line['test']}"
                         f"  {first_line(line['reason'])}")  # fmt: skip
    if CHECKING in platforms:
        counts = collections.Counter(line["verdict"] for line in verdicts)
        lines += ["", "Executions judged: "
                  + ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())]
        lines += [f"  {line['verdict']}  {line['file']}  {first_line(line['reason'])}"
                  for line in verdicts if line["verdict"] in ("fail", "suspect", "error", "crash")]
    return "\n".join(lines)


def header() -> str:
    versions = []
    for name in ("jax", "jaxlib", "numpy"):
        with contextlib.suppress(metadata.PackageNotFoundError):
            versions.append(f"{name} {metadata.version(name)}")
    command = shlex.join(sys.argv)
    if settings := os.environ.get("HLOCTS_CHECK"):
        command = f"HLOCTS_CHECK={shlex.quote(settings)} {command}"
    return (f"JAX's own tests, a seeded sample of each file\n"
            f"command:  {command}\n"
            f"versions: {', '.join(versions)}\nrun on:   {time.strftime('%Y-%m-%d')}\n")


def main() -> int:
    if sys.argv[1:] == ["--selected"]:
        return run_selected()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tests", type=pathlib.Path, help="the directory tests of JAX's repository")
    parser.add_argument("--platforms", type=lambda text: text.split(","), metavar="P,...",
                        default=["hlocts_reference", "hlocts_cpu", CHECKING],
                        help="in addition to cpu (hlocts_reference,hlocts_cpu,hlocts_check)")
    parser.add_argument("--files", default=",".join(FILES), help="comma-separated names without .py")
    parser.add_argument("--sample", type=int, default=100, help="tests of a file, 0 for all (100)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=60, help="time limit per test, in s (60)")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    given = parser.parse_args()
    if not given.tests.is_dir():
        parser.error(f"{given.tests} is not a directory: clone JAX at the installed release")
    given.out.mkdir(parents=True, exist_ok=True)
    results: list[dict] = []
    sizes: dict[str, int] = {}
    text = ""
    for name in given.files.split(","):
        for platform in ["cpu", *given.platforms]:
            file = File(given, platform, name)
            file.run()
            results += file.results.values()
            sizes[name] = file.size
        text = header() + "\n" + table(given, results, sizes)
        (given.out / "table.txt").write_text(text + "\n")
        print(f"{name}: done", flush=True)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
