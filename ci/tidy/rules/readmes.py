# SPDX-License-Identifier: Apache-2.0
"""Every room has a README.md of at most 60 lines. A room is a folder with at least three sources
of its own; of one or two, their first comments say enough. A folder of data alone (cases,
findings, recorded results) is explained by the room above it. The root has a README in any case;
a README whose lines are mostly rows of a table (an index of rulings) may be longer."""

from typing import List

from tidy.finding import Finding
from tidy.tree import Tree

NAME = "readmes"
CEILING = True
MEASURES = ("no-readme", "readme-lines")
MOST = 60
SOURCES = 3

_ROOM = {"spec/a.cc": "", "spec/b.cc": "", "spec/b.h": ""}
PLANTED = [(_ROOM, "no README.md"),
           ({"README.md": "", "spec/README.md": "A line.\n" * 61}, "61 lines"),
           ({"spec/README.md": ""}, "no README.md")]
CLEAN = {"README.md": "", "spec/README.md": "| row |\n" * 90, **_ROOM, "cases/x/a.case": "",
         "cases/x/b.case": "", "cases/x/c.case": "", "spec/few/a.h": "", "spec/few/a.cc": ""}


def findings(tree: Tree) -> List[Finding]:
    found = [Finding(f"{room}/README.md" if room else "README.md", 0, "no README.md in this room",
                     "no-readme") for room in rooms(tree)
             if "README.md" not in tree.folders.get(room, [])]
    for path in tree.readmes:
        lines = tree.lines(path)
        rows = sum(line.startswith("|") for line in lines)
        if len(lines) > MOST and 2 * rows < len(lines):
            found.append(Finding(path, MOST, f"{len(lines)} lines; at most {MOST}", "readme-lines",
                                 len(lines)))
    return found


def rooms(tree: Tree) -> List[str]:
    found = [""]
    for folder, names in tree.folders.items():
        paths = [f"{folder}/{name}" for name in names
                 if name not in ("CMakeLists.txt", "__init__.py")]
        if folder and sum(tree.is_source(path) for path in paths) >= SOURCES:
            found.append(folder)
    return found
