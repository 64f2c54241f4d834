# SPDX-License-Identifier: Apache-2.0
"""Defines the directory of a nightly run: finished steps, remaining budget, running programs."""

import ctypes
import datetime
import fcntl
import itertools
import json
import math
import os
import pathlib
import re
import signal
import subprocess
import time
import types

ROOT = pathlib.Path(__file__).resolve().parents[2]
TREE = (ROOT / "CMakeLists.txt").exists()  # else an installation, which is not written to
# Shares of the budget of a nightly run. The next steps get the share that a step does not use.
SHARES = {"suite": 0.45, "findings": 0.1, "fuzz": 0.25, "selfcheck": 0.07, "bench": 0.05,
          "clang-tidy": 0.08}
# LAST is the share of the budget for import, repetitions and report, which come last; of a short
# budget more, up to SECONDS_OF_A_REPORT. Half of that time is only for repetitions, at least REPEAT.
LAST, REPEAT = 0.1, 0.05
SECONDS_OF_A_REPORT = 8  # import and report on a loaded machine
TIME_OVER = "time ran out"
SECONDS_OF_A_RUN = 12 * 3600  # the same command continues an unfinished run that is younger
SECONDS_TO_LINE, SECONDS_BETWEEN_LINES = 5, 60  # first and later lines of progress, as in `hlocts run`


class Stopped(Exception):
    """Raised if a run cannot continue. The run's directory keeps the finished steps."""


class Cut(str):
    """The message of a step that the budget cut short. The report counts it; the step is not done."""


class NoEngine(str):
    """The message of a suite whose engine does not start. The report's exit status includes it."""


class Night:
    """The directory of a nightly run, and its finished steps."""

    def __init__(self, options):
        self.options = options
        self.name = options.night or free_name(options)
        self.folder = options.out / self.name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.lock = open(self.folder / "lock", "w")  # released with the process
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Stopped(f"another process writes {self.folder}") from error
        self.state_path = self.folder / "state.json"
        self.state = {"done": [], "problems": {}, "notes": []}
        if self.state_path.exists():
            self.state |= json.loads(self.state_path.read_text())
        self.is_reported = "hook" in self.state["done"]
        self.without_engine = set()  # steps that ended with NoEngine
        self.status = None  # exit status of the last program
        self.start(options.budget)

    def start(self, budget):
        self.last = max(budget * LAST, min(SECONDS_OF_A_REPORT, budget / 3))
        self.end = self.clock() + budget
        self.deadline = self.end - self.last

    @staticmethod
    def clock():
        return time.monotonic()

    def save(self):
        half = self.state_path.with_suffix(".new")
        half.write_text(json.dumps(self.state, indent=1))
        os.replace(half, self.state_path)

    def step(self, name, work):
        """Calls `work` unless the step is done, and returns its problem. A step that failed, or that
        had no time, is reported and does not end the run. A continued run repeats the step, replaces
        its notes, and imports its new results."""
        if name in self.state["done"]:
            say(f"{self.short(name)}: done before")
            return None
        stale = (f"{name}: ", f"{name} of ", f"{name}, the rest: ")
        self.state["notes"] = [one for one in self.state["notes"] if not one.startswith(stale)]
        started = time.monotonic()
        problem = work()
        took = time.monotonic() - started
        say(f"{self.short(name)}: {self.short(problem or 'done')} ({took:.0f} s)")
        self.state["problems"].pop(name, None)
        if isinstance(problem, NoEngine):
            self.without_engine.add(name)
        if name.split()[0] in ("suite", "findings", "fuzz"):
            self.state["done"] = [one for one in self.state["done"] if one not in ("import", "repeat")]
        if not problem:
            self.state["done"] += sorted({name, name.removesuffix(", the rest")})
        elif problem.startswith(TIME_OVER) and not isinstance(problem, Cut):
            self.state["notes"].append(f"{name}: {problem}")
        elif not isinstance(problem, Cut):
            self.state["problems"][name] = problem
        self.save()
        return problem

    def failed_steps(self):
        """Returns the failed steps, except those that the report's exit status includes."""
        return [step for step in self.state["problems"] if step not in self.without_engine]

    def short(self, text):
        """Replaces names of engines in a text by their labels."""
        for engine in self.state.get("engines", []):
            text = text.replace(engine, name_of(engine))
        return text

    def begin_repetitions(self):
        """Lets later programs use the rest of the budget, or at least the share of repetitions."""
        least = self.clock() + self.options.budget * REPEAT
        self.end = self.deadline = max(self.end, least)

    def left(self):
        return max(0.0, self.deadline - self.clock())

    def share(self, part, parts=1):
        return min(self.options.budget * SHARES[part] / parts, max(self.left(), 5))

    def free(self):
        """Returns the longest time of a program with a limit. Some remains after the deadline."""
        return max(self.left(), min(self.last / 2, self.end - self.last / 2 - self.clock()))

    def hlocts(self, *arguments, limit=None, log=None, mode="w", good=(0, 1), tick=None):
        """Runs the program. Returns None or an error message, and the standard output. `limit` is in
        seconds. A program with a limit ends before the time that is only for repetitions, or does not
        start if that time has come."""
        if limit is not None:
            limit = min(limit, self.free())
            if limit <= 0:
                pathlib.Path(log or os.devnull).open("a").close()
                return TIME_OVER, ""
        command = [self.options.hlocts, *map(str, arguments)]
        with open(self.folder / "log.txt", "a") as errors:
            words = " ".join(command)
            errors.write("$ " + (words if len(words) < 500 else words[:500] + " ...") + "\n")
            errors.flush()
            try:
                with open(log, mode) if log else open(os.devnull, "w") as out:
                    status, text = run(command, out if log else None, errors, limit, 10 + self.last / 2, tick)
            except OSError as error:
                return str(error), ""
        self.status = status
        if status in good:
            return None, text
        if status == TIME_OVER:
            return TIME_OVER, text
        return (f"exit status {status}; see {self.folder}/log.txt", text)


class Plan(Night):
    """A nightly run with another budget whose programs only advance a clock."""

    def __init__(self, engines, budget):
        self.options, self.state = types.SimpleNamespace(budget=budget), {"engines": engines}
        self.now = 0.0
        self.start(budget)

    def clock(self):
        return self.now

    def use(self, left, engine, limit):
        """Runs a step, of which `left` states the seconds by engine, up to its limit."""
        took = max(0.0, min(left[engine], limit, self.free()))
        self.now += took
        left[engine] -= took


def run(command, out, errors, limit, grace=60, tick=None):
    """Runs a program. At the limit, interrupts it as by Ctrl-C, so that it saves its results, and
    kills it `grace` seconds later, at most a minute. Calls `tick` while the program runs."""
    process = subprocess.Popen(command, cwd=ROOT, stdout=out or subprocess.PIPE, stderr=errors,
                               text=True, start_new_session=True, preexec_fn=end_with_parent)
    end = time.monotonic() + (math.inf if limit is None else limit)
    try:
        wait = SECONDS_TO_LINE
        while tick and end - time.monotonic() > wait:
            try:
                text, _ = process.communicate(timeout=wait)
                return process.returncode, text or ""
            except subprocess.TimeoutExpired:
                wait = SECONDS_BETWEEN_LINES
                tick()
        text, _ = process.communicate(timeout=None if limit is None else max(0, end - time.monotonic()))
        return process.returncode, text or ""
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        try:
            text, _ = process.communicate(timeout=min(grace, 60))
        except subprocess.TimeoutExpired:
            process.kill()
            text, _ = process.communicate()
        return TIME_OVER, text or ""
    except BaseException:
        process.kill()
        process.wait()
        raise


def end_with_parent():
    """Lets the kernel kill this process with its parent: after kill -9 of the parent, it must not
    write to a run that another process continues."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def say(text):
    print(f"nightly {datetime.datetime.now():%H:%M:%S} {text}", flush=True)


def free_name(options):
    """Returns the name of an unfinished run of the last 12 hours, also of one that began yesterday.
    If there is none, returns the next name of today that is free in the directory and the store."""
    out, stored = options.out, set()
    for state in out.glob("*/state.json"):
        recent = time.time() - state.stat().st_mtime < SECONDS_OF_A_RUN
        if recent and not (state.parent / "finished").exists():
            return state.parent.name
    day = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    names = itertools.chain([day], (f"{day}.{number:02}" for number in itertools.count(2)))
    if options.store.exists():  # a run whose directory was deleted is there
        said = subprocess.run([options.hlocts, "store", "list", f"--store={options.store}", "--json"],
                              capture_output=True, text=True, check=False).stdout  # fmt: skip
        stored = {json.loads(line)["night"] for line in said.splitlines()}
    return next(name for name in names if not (out / name / "finished").exists()
                and ((out / name).exists() or name not in stored))


def json_lines(text):
    lines = []
    for line in text.splitlines():
        try:
            lines.append(json.loads(line))
        except json.JSONDecodeError:
            pass  # the last line of a killed program
    return lines


def label_of(engine):
    """Returns the label before "=" in an engine's name, or ""."""
    label = re.match(r"([\w.@-]+)=", engine)
    return label[1] if label else ""


def name_of(engine):
    return label_of(engine) or engine


def file_name(engine):
    """Returns the label, which is unique in a run, or else the name with '_' for special letters."""
    return label_of(engine) or re.sub(r"[^\w.@-]", "_", engine)
