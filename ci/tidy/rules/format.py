# SPDX-License-Identifier: Apache-2.0
"""clang-format leaves every C++ file as it is. A .def is a list of macro rows, one to a line, and
is left out: clang-format would fold its columns."""

import concurrent.futures
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
from typing import Dict, List, Optional

from tidy.finding import Finding
from tidy.tree import Tree

NAME = "format"
CEILING = False
ASIDE = True  # most of its time is another program's
VERSION = "14"  # Debian 12's; every major version formats some lines differently
ROUNDS = 100
STYLE = pathlib.Path(__file__).resolve().parents[3] / ".clang-format"

PLANTED = [({"spec/a.cc": "int  F( int x ){return x;}\n"}, "clang-format")]
CLEAN = {"spec/a.cc": "int F(int x) { return x; }\n", "spec/list.def": "ROW(A,  1)\nROW(Bcd, 2)\n"}

cache_folder: Optional[pathlib.Path] = None  # set by the program; the names of clean contents
skipped = ""  # why nothing was checked


def findings(tree: Tree) -> List[Finding]:
    global skipped
    program = _program()
    if program is None:
        skipped = f"format: not checked, needs clang-format {VERSION} (ci/setup on Debian 12)"
        return []
    cache = _Cache(tree)
    files = [path for path in _files(tree) if not cache.is_clean(path)]
    batches = [files[i:i + 40] for i in range(0, len(files), 40)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = pool.map(lambda batch: _check(program, tree, batch), batches)
        found = [finding for answer in answers for finding in answer]
    cache.keep(set(_files(tree)) - {finding.path for finding in found})
    return found


def fix(tree: Tree) -> Dict[str, str]:
    program = _program()
    if program is None:
        raise RuntimeError(f"needs clang-format {VERSION}")
    # Until nothing changes: a long list in a macro takes several rounds to get a row per line.
    return {finding.path: _settled([program, f"--style=file:{STYLE}",
                                    f"--assume-filename={finding.path}"], tree.texts[finding.path])
            for finding in findings(tree)}


def _settled(command: List[str], text: str) -> str:
    for _ in range(ROUNDS):
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
        if done.stdout == text:
            break
        text = done.stdout
    return text


def _files(tree: Tree) -> List[str]:
    return [path for path in tree.cxx if not path.endswith(".def")]


def _program() -> Optional[str]:
    for name in (f"clang-format-{VERSION}", "clang-format"):
        path = shutil.which(name)
        if path is None:
            continue
        said = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
        if f"version {VERSION}." in said:
            return path
    return None


def _check(program: str, tree: Tree, paths: List[str]) -> List[Finding]:
    done = subprocess.run([program, f"--style=file:{STYLE}", "--dry-run", *paths], cwd=tree.root,
                          capture_output=True, text=True)
    places: Dict[str, List[int]] = {}
    for path, line in re.findall(r"^(\S+?):(\d+):\d+: \w+: code should be clang-form", done.stderr,
                                 re.MULTILINE):
        places.setdefault(path, []).append(int(line))
    return [Finding(path, lines[0], f"clang-format changes {len(lines)} places here "
                                    "(ci/tidy_test --fix format)")
            for path, lines in places.items()]


class _Cache:
    """Hashes of contents that were clean, in the build folder. Costs nothing when it is lost."""

    def __init__(self, tree: Tree):
        self._tree = tree
        self._file = cache_folder / f"format-{VERSION}" if cache_folder else None
        self._clean = set()
        if self._file and self._file.exists():
            self._clean = set(self._file.read_text().split())

    def is_clean(self, path: str) -> bool:
        return self._key(path) in self._clean

    def keep(self, paths) -> None:
        if self._file:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            new = self._file.with_suffix(".new")
            new.write_text("\n".join(sorted(self._key(path) for path in paths)))
            new.replace(self._file)

    def _key(self, path: str) -> str:
        text = STYLE.read_text() + "\0" + self._tree.texts[path]
        return hashlib.sha256(text.encode()).hexdigest()
