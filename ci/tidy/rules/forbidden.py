# SPDX-License-Identifier: Apache-2.0
"""A gate does a fixed amount of work, so that it means the same on every machine: no search for a
time in what .ci/run reaches or ctest runs. And no file names a folder of one machine."""

import re
from typing import List, Set

from tidy.finding import Finding
from tidy.tree import Tree, is_own

NAME = "forbidden"
CEILING = False

_CLOCK = re.compile(r"-max_total_time")
_FOLDERS = tuple(f"/{name}/" for name in ("work", "home", "root", "Users"))
_MACHINE = re.compile(r"(?<![\w.$}])(?:" + "|".join(_FOLDERS) + r")[\w.]")

PLANTED = [({".ci/run": "ci/test\n", "ci/test": "./f -max_total_time=60\n"}, "max_total_time"),
           ({".ci/run": "ci/test\n", "ci/test": "ci/more\n", "ci/more": "-max_total_time=1\n"},
            "max_total_time"),
           ({"fuzz/CMakeLists.txt": "add_test(f -max_total_time=1)\n"}, "max_total_time"),
           ({"spec/a.cc": 'Open("/home/me/x");\n'}, "of one machine"),
           ({"results/a.json": '{"reason":"killed (/' + 'root/.cache/x)"}\n'}, "of one machine")]
CLEAN = {".ci/run": "ci/test\n", "ci/test": "./f -runs=1000\n",
         "ci/nightly": "./f -max_total_time=600\n", "README.md": "pjrt:/path/to/plugin.so\n"}


def findings(tree: Tree) -> List[Finding]:
    found = []
    for path in sorted(gates(tree)):
        found += _matches(tree, path, _CLOCK, "-max_total_time in a gate: let it do a fixed number")
    for path in tree.paths:
        if not is_own(path) and any(folder in tree.texts[path] for folder in _FOLDERS):
            found += _matches(tree, path, _MACHINE, "a folder of one machine")
    return found


def gates(tree: Tree) -> Set[str]:
    """.ci/run, the scripts that it names, those that they name, and what CMake gives to ctest."""
    reached = {path for path in tree.paths if path.rsplit("/", 1)[-1] == "CMakeLists.txt"}
    waiting = [".ci/run"] if ".ci/run" in tree.texts else []
    while waiting:
        path = waiting.pop()
        reached.add(path)
        # Comments left out: they name scripts of the nightly.
        text = "\n".join(line.split("#")[0] for line in tree.lines(path))
        named = re.findall(r"\bci/[\w./-]+", text) + [
            path.rpartition("/")[0] + "/" + name for name in re.findall(r"/(\w+\.sh)\b", text)]
        waiting += [name for name in named if name in tree.texts and name not in reached]
    return reached


def _matches(tree: Tree, path: str, pattern, message: str) -> List[Finding]:
    return [Finding(path, i, message) for i, line in enumerate(tree.lines(path), 1)
            if pattern.search(line)]
