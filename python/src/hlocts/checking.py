# SPDX-License-Identifier: Apache-2.0
"""Runs a program with the checking plugin: JAX runs as usual, and hlocts judges the results.

    python3 -m hlocts.check [--fail] [--sample=first,1/100] [--out=DIR] script.py [arguments]
    python3 -m hlocts.check --report DIR
    python3 -m hlocts.check --resume DIR

The first form is equivalent to JAX_PLATFORMS=hlocts_check with the options in HLOCTS_CHECK.
Executions are copied and judged in a separate process, and a report is printed at the end. --resume
judges the executions for which there was no time.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import fcntl
import json
import math
import os
import pathlib
import re
import select
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import IO, Any

import numpy as np

from hlocts import binary
from hlocts.errors import HloctsError
from hlocts.result import deciding_fact, nan_text
from hlocts.worker_frames import frames

# Element types by their PJRT_Buffer_Type.
TYPES = (
    "", "pred", "s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64", "f16", "f32", "f64", "bf16",
    "c64", "c128", "f8e5m2", "f8e4m3fn", "f8e4m3b11fnuz", "f8e5m2fnuz", "f8e4m3fnuz", "s4", "u4",
    "token", "s2", "u2", "f8e4m3", "f8e3m4", "f8e8m0fnu", "f4e2m1fn",
)  # fmt: skip
_KEPT = ("fail", "suspect")  # verdicts for which module, inputs and outputs are kept
_NARROW_BITS = {"s4": 4, "s2": 2}
OWN_CLIENT = "jax"  # the value of the setting `plugin` for JAX's own CPU client
OWN_FACTS = "xla_cpu"  # the target whose facts are true for that client
# The settings and patterns of their values. The judge parses profile and facts.
_NUMBER = r"(\d+\.?\d*|\.\d+)"
_SETTINGS = {
    "plugin": r"\S+", "out": r"\S+", "profile": ".*", "facts": ".*",
    "sample": r"all|(first|\d+|1/[1-9]\d*)(,(first|\d+|1/[1-9]\d*))*",
    "budget": r"(100|\d{0,2}\.\d+|\d{1,2})%|0|1|0?\.\d+", "spool": f"{_NUMBER}[KMG]?", "wait": f"{_NUMBER}s?",
}  # fmt: skip
_PIECES = "hlocts.check(f, *args) on JAX's own CPU client judges pieces of the module"
_ENDED = "the judge ended before it reached them"
_COPIED_NAN = "outputs have NaN, as their inputs do"
_RED = ("fail", "error")  # verdicts that make a check with --fail fail


def settings(words: str) -> dict[str, str]:
    """Returns the settings in HLOCTS_CHECK. The plugin rejects unknown settings."""
    return dict(word.partition("=")[::2] for word in words.split())


def array_of(leaf: dict[str, Any], data: bytes) -> np.ndarray[Any, Any] | None:
    """Returns the array of a leaf, as hlocts would read it from a file; None for a token."""
    element_type = TYPES[leaf["type"]]
    if element_type == "token":
        return None
    dtype = np.dtype("<" + frames().TYPES.get(element_type, "u1"))
    array = np.frombuffer(data, dtype).reshape(leaf["dims"])
    bits = _NARROW_BITS.get(element_type)
    return array if bits is None else (array << (8 - bits)).astype(np.int8) >> (8 - bits)


def read_record(path: pathlib.Path) -> dict[str, Any]:
    """Returns a record of the plugin: its line, with "inputs" and "outputs" as lists of arrays."""
    with path.open("rb") as file:
        record: dict[str, Any] = json.loads(file.readline())
        for name in ("inputs", "outputs"):
            leaves = [array_of(leaf, file.read(leaf["bytes"])) for leaf in record[name]]
            record[name] = [leaf for leaf in leaves if leaf is not None]
    return record


def wait_seconds(words: dict[str, str]) -> float:
    return float(words.get("wait", "60").rstrip("s"))


def judge_options(words: dict[str, str]) -> list[str]:
    """Returns the options of `hlocts judge` that correspond to the settings."""
    own = OWN_FACTS if words.get("plugin") == OWN_CLIENT else ""
    facts = filter(None, words.get("facts", own).split(","))
    return [f"--profile={words.get('profile', 'default')}",
            *(f"--fact{'' if '.' in fact else 's-of'}={fact}" for fact in facts)]  # fmt: skip


def _nan_at(leaves: list[np.ndarray[Any, Any]]) -> tuple[int, list[int]] | None:
    """Returns the number of the first array that has a NaN, and the index of its first NaN."""
    for number, leaf in enumerate(leaves):
        if leaf.dtype.kind in "fc" and (found := np.isnan(leaf)).any():
            return number, [int(i) for i in np.unravel_index(found.argmax(), leaf.shape)]
    return None


class _Judge:
    """Runs `hlocts judge --batch` as a process that answers one job at a time. If `nice`, the
    process has a low priority, which it cannot raise again."""

    def __init__(self, options: list[str], nice: bool) -> None:
        self.nice = nice
        arguments = [*(["nice"] if nice else []),
                     str(binary.find()), "judge", "--batch=-", "--timeout=60s", *options]  # fmt: skip
        self._process: subprocess.Popen[str] = subprocess.Popen(
            arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True)  # fmt: skip

    def ask(self, job: dict[str, str]) -> dict[str, Any]:
        assert self._process.stdin and self._process.stdout
        try:
            self._process.stdin.write(json.dumps(job) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise HloctsError("the judge's process ended while it judged this execution")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        if self._process.stdin:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        self._process.kill()  # the judge works on an execution whose deadline has passed
        self._process.wait()


class Server:
    """Judges the records of one directory, in order, until the client ends."""

    def __init__(self, directory: pathlib.Path) -> None:
        self._directory = directory
        self._file = (directory / "settings").open()
        fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # one judge per directory
        self._words = settings(self._file.read())
        self._client_runs = True
        self._judge: _Judge | None = None
        self._last_progress = time.monotonic()
        self._modules: dict[int, pathlib.Path | str] = {}  # or the reason why there is no module

    def serve(self, client: IO[bytes] | None) -> None:
        """Judges until `client` ends, and then the remaining records until the wait time ends.
        Without a client, judges all records."""
        limit = None if client else math.inf
        while True:
            records = sorted((self._directory / "spool").glob("*.record"))
            if not records:
                if limit is not None or client is None:
                    return
                limit = self._limit(client, 0.2)
            for record in records:
                limit = limit or self._limit(client, 0.0)
                self._client_runs = limit is None
                if limit is not None and time.monotonic() > limit:
                    return
                self._one(record)
                self._show_progress(limit)

    def _show_progress(self, limit: float | None) -> None:
        """Prints the progress every ten seconds, once the program has ended."""
        if limit is None or time.monotonic() < self._last_progress + 10:
            return
        left = len(list((self._directory / "spool").glob("*.record")))
        print(f"hlocts check: {left} executions are still to be judged", file=sys.stderr, flush=True)
        self._last_progress = time.monotonic()

    def _limit(self, client: IO[bytes] | None, seconds: float) -> float | None:
        """Returns the time at which waiting ends, or None while the client runs."""
        ended = client and _ended(client, seconds)
        return time.monotonic() + wait_seconds(self._words) if ended else None

    def close(self) -> None:
        self._file.close()
        if self._judge:
            self._judge.close()

    def _module(self, program: int) -> pathlib.Path | str:
        if program not in self._modules:
            try:
                self._modules[program] = self._converted(program)
            except Exception as error:  # the report states the converter's error as the reason
                self._modules[program] = f"{type(error).__name__}: {error}".split("\n", 1)[0]
        return self._modules[program]

    def _converted(self, program: int) -> pathlib.Path:
        files = (self._directory / "programs").glob(f"{program}.*")
        [source] = [file for file in files if file.suffix != ".pb"]
        module = source.read_bytes()
        if source.suffix == ".mlir":
            from hlocts import stablehlo

            module = stablehlo.to_hlo(module)
        elif source.suffix == ".hlo_with_config":  # field 1 of the proto is the module
            module = bytes(dict(frames().fields(module))[1])
        target = source.with_suffix(".pb")
        target.write_bytes(module)
        return target

    def _one(self, path: pathlib.Path) -> None:
        record = read_record(path)
        module = self._module(record["program"])
        result: dict[str, Any] = {"program": record["program"], "execution": record["execution"]}
        if isinstance(module, str):
            result |= {"verdict": "unsupported", "reason": module}
        else:
            result |= self._verdict(path.with_suffix(""), module, record)
        with (self._directory / "results.jsonl").open("a") as file:
            file.write(json.dumps(result) + "\n")
        path.unlink()

    def _verdict(
        self, stem: pathlib.Path, module: pathlib.Path, record: dict[str, Any]
    ) -> dict[str, Any]:
        files = {}
        for name in ("inputs", "outputs"):
            files[name] = stem.with_suffix(f".{name}.npz")
            np.savez(files[name], *record[name])
        job = {"module": str(module)} | {name: str(file) for name, file in files.items()}
        try:
            if self._judge and self._judge.nice and not self._client_runs:
                self._judge.close()
                self._judge = None
            self._judge = self._judge or _Judge(judge_options(self._words), self._client_runs)
            answer = self._judge.ask(job)
        except HloctsError as error:
            self._judge = None
            answer = {"verdict": "error", "reason": str(error)}
        for place in (answer.get("first_failure") or {}, answer.get("widest", {})):
            if place.get("source", "").startswith("-:"):  # a converter's name for text without file
                place["source"] = f"{module.with_suffix('.mlir')}{place['source'][1:]}"
        answer["has_nan"] = _nan_at(record["outputs"]) is not None
        if answer["has_nan"] and (place := _nan_at(record["inputs"])):
            answer["nan_input"] = place
        if answer["verdict"] == "inconclusive":
            answer["next"] = self._next(answer)
        if answer["verdict"] in _KEPT:
            answer["kept"] = str(self._keep(stem.name, module, files))
            answer["options"] = judge_options(self._words)
        for file in files.values():
            file.unlink(missing_ok=True)
        return answer

    def _next(self, answer: dict[str, Any]) -> str:
        """Returns advice on how to narrow the sets of an open verdict."""
        given = judge_options(self._words)
        widest = answer.get("widest", {})
        if widest.get("open_reduction"):
            return f"no fact and no profile narrows the widest set; {_PIECES}"
        options = ["--profile=strict"] * widest.get("strict", False)
        fact = deciding_fact(answer) or "".join(widest.get("facts", [])[:1])
        facts = ",".join([*(one.partition("=")[2] for one in given[1:]), fact])
        options += [f"--facts={facts} (if the engine's authors promise it: hlocts help facts)"] * bool(fact)
        return "; ".join([*([f"{' or '.join(options)} narrows the sets"] if options else []), _PIECES])

    def _keep(self, name: str, module: pathlib.Path, files: dict[str, pathlib.Path]) -> pathlib.Path:
        folder = self._directory / "failures" / name
        folder.mkdir(parents=True, exist_ok=True)
        text = binary.run(["convert", module, "--to=text"])
        (folder / "module.hlo").write_text(text)
        for name, file in files.items():
            file.rename(folder / f"{name}.npz")
        return folder


def _ended(client: IO[bytes], seconds: float) -> bool:
    """Waits for at most `seconds`. Returns True if the other end of the pipe is closed."""
    readable, _, _ = select.select([client], [], [], seconds)
    return bool(readable) and not client.read(1)


def _end_after(client: IO[bytes], seconds: float) -> None:
    """Sends SIGTERM to the main thread, which may be judging, `seconds` after the client ends."""
    select.select([client], [], [])
    time.sleep(seconds)
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)


def _results(directory: pathlib.Path) -> Iterator[dict[str, Any]]:
    for path in sorted(directory.rglob("results.jsonl")):
        with path.open() as file:
            for line in file:
                with contextlib.suppress(json.JSONDecodeError):  # the last line of a killed judge
                    yield json.loads(line)


def _counts(directory: pathlib.Path) -> dict[str, Any]:
    """Returns sums over all processes. For a process that is running or was killed, and has
    therefore written no counts, counts the recorded executions."""
    sums: dict[str, Any] = {"executions": 0, "programs": 0, "skipped": {}, "partial": False}
    for programs in directory.rglob("programs"):
        folder = programs.parent
        if not (folder / "counts.json").is_file():
            sums["partial"] = True
            sums["programs"] += len({path.name.split(".")[0] for path in programs.iterdir()})
            records = list(folder.glob("spool/*.record"))
            sums["executions"] += len(records) + sum(1 for _ in _results(folder))
            continue
        counts = json.loads((folder / "counts.json").read_text())
        for name in ("executions", "programs"):
            sums[name] += counts[name]
        for reason, count in counts["skipped"].items():
            sums["skipped"][reason] = sums["skipped"].get(reason, 0) + count
    return sums


def _waiting_lines(directory: pathlib.Path) -> list[str]:
    """Returns lines about the remaining records. Each judge writes report.txt when it ends."""
    reasons = collections.Counter(
        _ENDED if (path.parent.parent / "report.txt").is_file()
        else "they wait for the judge" for path in directory.rglob("*.record"))  # fmt: skip
    lines = [f"  not judged  {count} executions: {reason}" for reason, count in reasons.items()]
    if _ENDED in reasons:
        lines.append(f"        python3 -m hlocts.check --resume {shlex.quote(str(directory))} judges "
                     "them; with --wait=SECONDS (60) the check itself waits longer")  # fmt: skip
    return lines


def _failure_lines(result: dict[str, Any], plugin: str) -> list[str]:
    failure = result.get("first_failure") or {}
    where = failure.get("source") or failure.get("instruction") or ""
    lines = [f"  {result['verdict']}  program {result['program']}, execution {result['execution']}"
             f"{': ' + where if where else ''}", f"        {result.get('reason', '')}"]  # fmt: skip
    kept = result.get("kept")
    if kept:
        hlocts = binary.called()
        lines.append(f"        {hlocts} judge {kept}/module.hlo --inputs={kept}/inputs.npz "
                     f"--outputs={kept}/outputs.npz "
                     f"{' '.join(result.get('options', []))} --explain")  # fmt: skip
        engine = plugin if plugin == OWN_CLIENT else f"pjrt:{plugin}"
        run = f"{kept}/module.hlo --inputs={kept}/inputs.npz --backend={engine}"
        lines.append(f"        to judge pieces of the module on the engine: {hlocts} diff {run}"
                     if result["verdict"] == "suspect" else
                     f"        for a report: {hlocts} shrink {run} -o {kept}/small && {hlocts} report-bug {kept}/small")  # fmt: skip
    return lines


def _copied_nan(folder: pathlib.Path, results: list[dict[str, Any]]) -> str:
    """Returns a text on the outputs of one process that have a NaN because their inputs have one."""
    counts = _counts(folder)
    is_whole = not counts["partial"] and counts["executions"] == len(results)
    # Without a result for an execution, its outputs may have a NaN.
    first = next(one for one in results if one.get("has_nan", True) or "nan" in one)
    begins = (first is results[0] and first["execution"] == 0
              and not (counts["partial"] or counts["skipped"]))  # fmt: skip
    if (is_whole or begins) and first["verdict"] == "pass" and "nan" not in first and "nan_input" in first:
        number, index = first["nan_input"]
        return (f"{_COPIED_NAN}; the first came with the program's data (program {first['program']}, execution "
                f"{first['execution']}, argument {number} at [{','.join(map(str, index))}])")  # fmt: skip
    sample = settings((folder / "settings").read_text()).get("sample")
    advice = "" if is_whole or sample == "all" else " (--sample=all judges the execution that made it)"
    return _COPIED_NAN + advice


def report(directory: pathlib.Path) -> tuple[str, bool]:
    """Returns the report of one directory, and True if a verdict is fail or error."""
    results = list(_results(directory))
    plugin = settings(os.environ.get("HLOCTS_CHECK", "")).get("plugin", OWN_CLIENT)
    counts = _counts(directory)
    verdicts = collections.Counter(result["verdict"] for result in results)
    passes = [result for result in results if result["verdict"] == "pass"]
    bits = [result["bits_checked_mean"] for result in passes if result["elements"] > 0]
    lines = [
        f"hlocts check: {counts['programs']} programs, {counts['executions']} executions"
        f"{' recorded' if counts['partial'] else ''}, "
        f"{len(results)} judged: "
        + (", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items())) or "none")
    ]
    if bits:
        lines.append(f"  {sum(bits) / len(bits):.1f} bits checked per element of a pass (mean)")
    if len(bits) < len(passes):
        lines.append(f"  {len(passes) - len(bits)} passes compared no element, since all their outputs are empty")
    for fact, count in collections.Counter(fact for one in passes for fact in one.get("departures", ())).items():
        lines.append(f"  {count} accepted only because the engine declares the fact {fact}")
    for result in results:
        if result["verdict"] in _KEPT:
            lines += _failure_lines(result, plugin)
    reasons: dict[tuple[str, str], list[int]] = collections.defaultdict(list)
    for result in results:
        if "nan" in result:
            reasons["NaN", nan_text(result["nan"])].append(result["program"])
        if result["verdict"] not in ("pass", *_KEPT):
            widest = result.get("widest", {})
            where = widest.get("source") or widest.get("instruction") or ""
            reason = f"{where}: {result['reason']}" if where else result.get("reason", "")
            reasons[result["verdict"], reason].append(result["program"])
    for folder in sorted(path.parent for path in directory.rglob("results.jsonl")):
        own = list(_results(folder))
        copies = [one["program"] for one in own
                  if one.get("has_nan") and one["verdict"] == "pass" and "nan" not in one]  # fmt: skip
        if copies:
            reasons["NaN", _copied_nan(folder, own)] += copies
    for (verdict, reason), programs in sorted(reasons.items(), key=lambda item: -len(item[1])):
        names = ", ".join(map(str, sorted(set(programs))))
        lines.append(f"  {verdict}  {len(programs)} executions (program {names}): {reason}")
    advice = dict.fromkeys(result["next"] for result in results if "next" in result)
    lines += [f"        next: {one}" for one in advice]
    for reason, count in counts["skipped"].items():
        lines.append(f"  not recorded  {count} executions: {reason}")
    waiting = sum(1 for _ in directory.rglob("*.record"))
    others = counts["executions"] - len(results) - sum(counts["skipped"].values()) - waiting
    if others > 0:
        lines.append(f"  not sampled  {others} executions: --sample=all judges each (default: first,1/100)")
    lines += _waiting_lines(directory)
    lines.append(f"  records: {directory}")
    return "\n".join(lines), any(verdicts[one] for one in _RED)


def environment(words: dict[str, str]) -> dict[str, str]:
    """Returns the environment variables for the plugin, with the path of the real plugin."""
    words = {"plugin": OWN_CLIENT, **words}
    for name, value in words.items():
        if not re.fullmatch({**_SETTINGS, "fail": "[01]"}.get(name, "(?!)"), value):
            raise HloctsError(f"{name}={value}: expected a setting and a value that `hlocts help checking` lists, paths without spaces")
    options: dict[str, str] = {}
    if "/" not in words["plugin"] and words["plugin"] != OWN_CLIENT:
        words["plugin"], options["HLOCTS_CHECK_OPTIONS"] = _installed(words["plugin"])
    if "/" in words["plugin"]:
        path = pathlib.Path(words["plugin"])
        if not path.is_file():
            raise HloctsError(f"plugin={path}: no such file")
        with path.open("rb") as file:
            if file.read(4) != b"\x7fELF":
                raise HloctsError(f"plugin={path}: expected a shared library, found another file")
    if {"profile", "facts"} & set(words):
        binary.run(["judge", "--batch=/dev/null", *judge_options(words)])  # rejects wrong options
    if "out" in words:
        try:
            pathlib.Path(words["out"]).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise HloctsError(f"out={words['out']}: {error.strerror}") from None
    return {
        "HLOCTS_CHECK": " ".join(f"{name}={value}" for name, value in words.items()),
        "HLOCTS_CHECK_JUDGE": "\n".join(binary.of_module("check", "--judge")),
    } | options


def _installed(name: str) -> tuple[str, str]:
    """Returns the path of the plugin of an installed engine, given by its name or alias, and the
    engine's own options, separated by commas."""
    lines = [json.loads(line) for line in binary.run(["engines", "list", "--json"]).splitlines()]
    for engine in lines:
        if name not in (engine["name"], engine["alias"]):
            continue
        if engine.get("path"):
            return str(engine["path"]), ",".join(engine["options"])
        if engine["reach"] == "PJRT":
            raise HloctsError(f"{name} is not installed: hlocts engines install {name}")
    raise HloctsError(
        f"plugin={name}: expected {OWN_CLIENT} (the jaxlib of this Python), an engine of "
        "`hlocts engines list` that is a PJRT plugin, such as xla, or the path of one")


class Session:
    """The records of all processes that run with the same environment, in one directory."""

    def __init__(self, words: dict[str, str]) -> None:
        given = words.get("out", f"hlocts-check-{os.getpid()}")
        out = given and os.path.abspath(given)  # for programs that change directory
        words = words | {"out": given if re.search(r"\s", out) else out}
        platforms = os.environ.get("JAX_PLATFORMS") or "hlocts_check"  # jax_plugin replaces it
        self.environment = environment(words) | {"JAX_PLATFORMS": platforms}
        self._words, self._out = words, pathlib.Path(out)
        self._before = set(self._out.glob("*"))

    def status(self) -> int:
        """Waits for the judges of processes that have ended. Returns 1 if `fail` is set and nothing
        was judged or a verdict is fail or error. Ignores the records of this process, which has its
        own status."""
        limit = time.monotonic() + wait_seconds(self._words)
        new = {path for path in self._out.glob("*") if path not in self._before}
        own = {self._out / str(os.getpid())} & new
        waits = [path for path in new - own if (path / "spool").is_dir()]
        while waits and time.monotonic() < limit:
            waits = [path for path in waits if not (path / "report.txt").is_file()]
            time.sleep(0.05 if waits else 0)
        verdicts = {result["verdict"] for path in new - own for result in _results(path)}
        for path in () if verdicts else new - own:
            print(report(path)[0], file=sys.stderr)
        if not new:
            print("hlocts check: no execution was seen, so nothing is judged", file=sys.stderr)
            with contextlib.suppress(OSError):
                self._out.rmdir()
        is_red = not (verdicts or own) or any(one in verdicts for one in _RED)
        return int(self._words.get("fail") == "1" and is_red)


def _run(given: argparse.Namespace) -> int:
    words = settings(os.environ.get("HLOCTS_CHECK", ""))
    words |= {name: value for name in _SETTINGS if (value := getattr(given, name)) is not None}
    if given.fail:
        words["fail"] = "1"
    session = Session(words)
    command = [sys.executable, *given.script]
    status = subprocess.run(command, env=os.environ | session.environment, check=False).returncode
    return session.status() or (128 - status if status < 0 else status)


def _serve(directory: pathlib.Path) -> int:
    given = os.environ.get("HLOCTS_CHECK", "")
    (directory / "settings").write_text(given)  # for --resume
    server = Server(directory)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # sent by the plugin after the wait time
    wait = wait_seconds(settings(given))
    threading.Thread(target=_end_after, args=(sys.stdin.buffer, wait), daemon=True).start()
    with contextlib.suppress(SystemExit):
        server.serve(sys.stdin.buffer)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # the report must still be written
    server.close()
    (directory / "report.txt").touch()
    text, has_failure = report(directory)
    (directory / "report.txt").write_text(text + "\n")
    print(text, file=sys.stderr)
    return int(has_failure)


def _resume(directory: pathlib.Path) -> None:
    """Judges the remaining records without a time limit."""
    for spool in sorted(directory.rglob("spool")):
        try:
            server = Server(spool.parent)
        except BlockingIOError:
            raise HloctsError(f"{spool.parent}: the judge of this directory is still running") from None
        try:
            server.serve(None)
        finally:
            server.close()
        (spool.parent / "report.txt").write_text(report(spool.parent)[0] + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python3 -m hlocts.check", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--report", metavar="DIR", help="print the report of earlier records again")
    parser.add_argument("--resume", metavar="DIR", help="judge the records that are left, then print the report")
    parser.add_argument("--judge", metavar="DIR", help=argparse.SUPPRESS)  # for the plugin
    parser.add_argument("--fail", action="store_true",
                        help="exit 1 if a verdict is fail or error, or if nothing was judged")  # fmt: skip
    helps = {
        "plugin": "jax, this Python's jaxlib on CPU; an engine such as xla; or a plugin's path (jax)",
        "out": "directory of the records (default: hlocts-check-PID)",
        "sample": "executions to judge: first,1/100 or all (default: first,1/100)",
        "budget": "share of the run time that recording may take (default: 10%%; with --sample=all: 100%%, no limit)",
        "spool": "limit in bytes of the records that wait for the judge (default: 2G)",
        "wait": "seconds to wait for the judge at the end (default: 60)",
        "profile": "strict, default or relaxed (default)",
        "facts": "a target and facts that hold, e.g. xla_cpu,dot.sums=f32 (with plugin=jax: xla_cpu)",
    }
    for name in _SETTINGS:
        parser.add_argument(f"--{name}", help=helps[name])
    parser.add_argument("script", nargs=argparse.REMAINDER, help="script.py and its arguments")
    given = parser.parse_args()
    if given.judge:
        return _serve(pathlib.Path(given.judge))
    if folder := given.report or given.resume:
        if not any(pathlib.Path(folder).rglob("programs")):
            name = "report" if given.report else "resume"
            parser.error(f"--{name}={folder}: expected the directory of a check (--out)")
        if given.resume:
            _resume(pathlib.Path(folder))
        text, has_failure = report(pathlib.Path(folder))
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a closed pipe, as of head, ends it quietly
        print(text, flush=True)
        return int(has_failure)
    if not given.script:
        parser.error("expected a script")
    return _run(given)

