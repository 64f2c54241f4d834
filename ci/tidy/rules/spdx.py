# SPDX-License-Identifier: Apache-2.0
"""Every source file names its licence in one of its first three lines."""

from typing import Dict, List

from tidy.finding import Finding
from tidy.tree import CXX, LICENCE, Tree

NAME = "spdx"
CEILING = False

PLANTED = [({path: text}, "SPDX") for path, text in [
    ("spec/a.cc", "int x;\n"), ("spec/a.proto", 'syntax = "proto3";\n'), ("ci/a", "#!/bin/sh\n"),
    ("CMakeLists.txt", "project(a)\n"), ("a.py", "x = 1\n"),
    ("spec/b.h", "//\n//\n//\n// " + LICENCE + "\n")]]
CLEAN = {"spec/a.cc": f"// {LICENCE}\nint x;\n",
         "ci/a": f"#!/bin/sh\n# {LICENCE}\n", "a.txt": "data\n"}


def findings(tree: Tree) -> List[Finding]:
    return [Finding(path, 1, f"no line '{_comment(path)} {LICENCE}' (ci/tidy_test --fix spdx)")
            for path in tree.sources if not any(LICENCE in line for line in tree.lines(path)[:3])]


def fix(tree: Tree) -> Dict[str, str]:
    """Puts the line first, or behind the line that names the interpreter."""
    fixed = {}
    for finding in findings(tree):
        text = tree.texts[finding.path]
        first = ""
        if text.startswith("#!"):
            first, _, text = text.partition("\n")
            first += "\n"
        fixed[finding.path] = f"{first}{_comment(finding.path)} {LICENCE}\n{text}"
    return fixed


def _comment(path: str) -> str:
    return "//" if path.endswith(CXX + (".proto",)) else "#"
