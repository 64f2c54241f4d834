# SPDX-License-Identifier: Apache-2.0
"""Finds and runs the program hlocts."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

from hlocts.errors import HloctsError

MISSING = (
    "the program hlocts was not found: set HLOCTS=/path/to/hlocts (bin/hlocts of a release's "
    "tarball, build/hlocts of a checkout), or put it on PATH"
)
_PACKED = pathlib.Path("program", "bin", "hlocts")
_HERE = pathlib.Path(__file__).resolve().parent
_DONE, _FOUND, _WRONG_INPUT, _HARNESS, _SUSPECT = 0, 1, 2, 3, 4  # exit statuses


def of_module(name: str, *arguments: str) -> list[str]:
    """Returns the command that runs a module of this package. Unlike `python3 -m`, it imports
    nothing from the working directory, which others may have written."""
    code = "import sys; sys.path[:] = filter(None, sys.path); import runpy; "
    code += f"runpy.run_module('hlocts.{name}', run_name='__main__', alter_sys=True)"
    return [sys.executable, "-c", code, *arguments]


def script() -> pathlib.Path:
    """Returns the path of pip's script `hlocts` of this Python, which may not exist."""
    return pathlib.Path(sys.executable).parent / "hlocts"


def called() -> str:
    """Returns the words with which a shell starts the program of this Python."""
    is_on_path = shutil.which("hlocts") == str(script())
    return "hlocts" if is_on_path else f"{shlex.quote(sys.executable)} -m hlocts"


def shown(words: Sequence[str]) -> str:
    """Returns a command line of the program for people, with short commands of of_module."""
    long, short = (shlex.join(of_module("jax_engine")),
                   shlex.join([sys.executable, "-P", "-m", "hlocts.jax_engine"]))  # fmt: skip
    has_option = sys.version_info >= (3, 11)
    return f"{called()} {shlex.join(word.replace(long, short) if has_option else word for word in words)}"


CONVERTER = "\n".join(of_module("stablehlo"))  # one argument per line


def _is_program(path: pathlib.Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _is_script_of_pip(path: pathlib.Path) -> bool:
    """Returns True for pip's script of `main` below, which itself only searches for the program."""
    with path.open("rb") as file:
        first = file.readline(1000)
    return first.startswith(b"#!") and b"python" in first


def _of_checkout() -> Iterator[pathlib.Path]:
    """Yields build/hlocts of every checkout that contains this file."""
    for folder in (_HERE, *_HERE.parents):
        if (folder / "spec" / "clauses").is_dir() and (folder / "CONTRACT.md").is_file():
            yield folder / "build" / "hlocts"


def find() -> pathlib.Path:
    """Returns $HLOCTS, else the packaged program, else build/hlocts of the checkout that contains
    this file, else the program on PATH. A program of the working directory, which others may have
    written, is not found."""
    named = os.environ.get("HLOCTS")
    if named:
        if not _is_program(pathlib.Path(named)):
            raise HloctsError(f"HLOCTS={named} is not an executable program")
        return pathlib.Path(named).resolve()
    for candidate in (_HERE / _PACKED, *_of_checkout()):
        if _is_program(candidate):
            return candidate
    for folder in os.get_exec_path():
        on_path = shutil.which("hlocts", path=folder)
        if on_path and not _is_script_of_pip(pathlib.Path(on_path)):
            return pathlib.Path(on_path)
    raise HloctsError(MISSING)


def _sentence(stderr: str) -> str:
    """Returns the error message of the program, without its name and without the log messages of
    libraries."""
    lines = [line for line in stderr.strip().splitlines() if line.strip()]
    own = [line for line in lines if line.startswith("hlocts: ")]
    return (own or lines or ["hlocts ended without a message"])[-1].removeprefix("hlocts: ")


def environment() -> dict[str, str]:
    """Returns the environment of the program, where this Python's jaxlib converts StableHLO, and
    which checks certificates."""
    own = {"HLOCTS_STABLEHLO_CONVERTER": CONVERTER, "HLOCTS_PYTHON": sys.executable}
    return own | dict(os.environ)


@contextlib.contextmanager
def _seconds_shown() -> Iterator[None]:
    """On a terminal, shows after five seconds how long the program has been running."""
    started, ended = time.monotonic(), threading.Event()

    def show() -> None:
        while sys.stderr.isatty() and not ended.wait(5):
            print(f"\rhlocts: {time.monotonic() - started:.0f} s ", end="", file=sys.stderr)

    shown = threading.Thread(target=show, daemon=True)
    shown.start()
    try:
        yield
    finally:
        ended.set()
        shown.join()
        print("\r\033[K" if sys.stderr.isatty() else "", end="", file=sys.stderr)


def run(
    arguments: Sequence[str | os.PathLike[str]], answers: tuple[int, ...] = (_DONE, _FOUND, _SUSPECT),
    advice: str = "",
) -> str:  # fmt: skip
    """Returns standard output. A verdict other than pass is a result, an invalid input an error.
    advice: replaces the program's advice on its own options."""
    own = {"HLOCTS_ADVICE": advice} if advice else {}
    with _seconds_shown():
        done = subprocess.run([str(find()), *map(str, arguments)], capture_output=True, text=True,
                              check=False, env=environment() | own)  # fmt: skip
    if done.returncode in answers:
        return done.stdout
    if done.returncode == _HARNESS and done.stdout.startswith("{"):
        return done.stdout  # the verdict `error` is more precise than standard error
    if done.returncode in (_FOUND, _WRONG_INPUT, _HARNESS):
        raise HloctsError(_sentence(done.stderr))
    raise HloctsError(f"hlocts ended with status {done.returncode}: {_sentence(done.stderr)}")


def evaluate(module: pathlib.Path, inputs: pathlib.Path, output: pathlib.Path) -> None:
    """Writes the outputs of the reference to a file. An unsupported module is an error."""
    run(["eval", module, f"--inputs={inputs}", f"--output={output}"], answers=(_DONE,))


def run_json(arguments: Sequence[str | os.PathLike[str]]) -> dict[str, Any]:
    """Returns the first line of the output as a dictionary, {} if the program printed nothing."""
    lines = run([*arguments, "--json"]).splitlines()
    if not lines:
        raise HloctsError("hlocts returned no result")
    answer: dict[str, Any] = json.loads(lines[0])
    return answer


def facts_of(target: str) -> list[str]:
    """Returns the facts of a target; [] if there is no such target."""
    rows = [json.loads(line) for line in run(["backends", "--facts", "--json"]).splitlines()]
    return [fact for row in rows if row.get("target") == target for fact in row["facts"]]


def main() -> None:
    """Runs the program with this process's arguments. pip installs this function as `hlocts`."""
    try:
        program = str(find())
    except HloctsError as error:
        sys.exit(f"hlocts: {error}")
    own = str(script()) if script().is_file() and _is_script_of_pip(script()) else program
    name = own if sys.argv[0].endswith("__main__.py") else sys.argv[0]
    os.execve(program, [name, *sys.argv[1:]], environment())  # its hints print argv[0]
