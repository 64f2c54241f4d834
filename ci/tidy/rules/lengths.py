# SPDX-License-Identifier: Apache-2.0
"""A function has at most 70 lines (25 is the aim), a file at most 300: cut by meaning, not by
scissors. The licence line counts for nothing."""

from typing import List

from tidy.finding import Finding
from tidy.functions import functions
from tidy.tree import LICENCE, Tree

NAME = "lengths"
CEILING = True
MEASURES = ("function-lines", "file-lines")
FUNCTION = 70
FILE = 300

_LONG = "void F() {\n" + "  G();\n" * 70 + "}\n"
PLANTED = [({"spec/a.cc": _LONG}, "F has 72 lines"),
           ({"spec/a_test.cc": "TEST(A, Says) {\n" + "  G();\n" * 70 + "}\n"},
            "A.Says has 72 lines"),
           ({"spec/a.h": "int x;\n" * 301}, "301 lines"),
           ({"ci/a.py": "x = 1\n" * 301}, "301 lines")]
CLEAN = {"spec/b.cc": f"// {LICENCE}\n" + "int x;\n" * 300,
         "spec/a.cc": "void F() {\n" + "  G();\n" * 68 + "}\n" + "int x;\n" * 200,
         "spec/a.txt": "x\n" * 400, "spec/a.def": "ROW(A)\n" * 400}


def findings(tree: Tree) -> List[Finding]:
    found = [Finding(f.path, f.line, f"{f.name} has {f.lines} lines; at most {FUNCTION}",
                     "function-lines:" + f.name, f.lines)
             for f in functions(tree) if f.lines > FUNCTION]
    for path in tree.sources:
        lines = tree.length(path)
        if lines > FILE and not path.endswith(".def"):
            found.append(Finding(path, 1, f"{lines} lines; at most {FILE}", "file-lines", lines))
    return found
