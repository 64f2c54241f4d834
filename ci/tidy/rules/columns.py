# SPDX-License-Identifier: Apache-2.0
"""Code has at most 100 columns. Data and tables are no code: files of data, the rows of a .def,
and text in a raw string (a module of HLO in a test) may be wider."""

from typing import List

from tidy.finding import Finding
from tidy.tree import CXX, Tree

NAME = "columns"
CEILING = True
MEASURES = ("wide-lines",)
MOST = 100

PLANTED = [({"spec/a.cc": "int x;  // " + "x" * 100 + "\n"}, "columns"),
           ({"ci/a.sh": "echo " + "x" * 100 + "\n"}, "columns")]
CLEAN = {"spec/a.cc": 'const char* k = R"(\n' + "x" * 200 + '\n)";\n',
         "spec/a.def": "ROW(" + "x" * 200 + ")\n",
         "suites/a.case": "x" * 200 + "\n"}


def findings(tree: Tree) -> List[Finding]:
    found = []
    for path in tree.sources:
        if path.endswith(".def"):
            continue
        wide = [(i, line) for i, line in enumerate(tree.lines(path), 1) if len(line) > MOST]
        if wide and path.endswith(CXX):
            raw = tree.views(path).raw_lines
            wide = [(i, line) for i, line in wide if i not in raw]
        found += [Finding(path, i, f"{len(line)} columns; at most {MOST}", "wide-lines")
                  for i, line in wide]
    return found
