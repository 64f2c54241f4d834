# SPDX-License-Identifier: Apache-2.0
"""Functions and their lengths, as universal-ctags sees them."""

import re
import shutil
import subprocess
from typing import List, NamedTuple

from tidy.tree import Tree

_TEST = re.compile(r"(?:TYPED_)?TEST(?:_[FP])?\((\w+),\s*(\w+)")


class Function(NamedTuple):
    path: str
    name: str
    line: int
    lines: int  # from the line of the name to the closing brace


def functions(tree: Tree) -> List[Function]:
    """All functions with a body; of a test, suite and name. Cached on the tree."""
    if not hasattr(tree, "_functions"):
        tree._functions = _run_ctags(tree)
    return tree._functions


def _run_ctags(tree: Tree) -> List[Function]:
    program = shutil.which("ctags-universal") or shutil.which("ctags")
    if program is None:
        raise RuntimeError("universal-ctags is missing: run ci/setup")
    command = [program, "--options=NONE", "-L", "-", "-f", "-", "--sort=no", "--languages=C++",
               "--langmap=C++:.h.cc.inc.cu.def", "--c++-kinds=f", "--fields=ne",
               "--output-format=u-ctags"]
    done = subprocess.run(command, input="\n".join(tree.cxx), cwd=tree.root, text=True,
                          capture_output=True, check=True)
    found = []
    for row in done.stdout.splitlines():
        line, end = re.search(r"\tline:(\d+)", row), re.search(r"\tend:(\d+)", row)
        if row.startswith("!") or line is None or end is None:
            continue
        name, path = row.split("\t")[:2]
        test = _TEST.search(tree.lines(path)[int(line[1]) - 1])
        name = f"{test[1]}.{test[2]}" if test and name.startswith(("TEST", "TYPED_")) else name
        found.append(Function(path, name.replace(" ", ""), int(line[1]),
                              int(end[1]) - int(line[1]) + 1))
    return found
