# SPDX-License-Identifier: Apache-2.0
"""Every room has a README.md of at most 40 lines, in one form: a title that says what it is ("#
path: what"), why where that is not plain, how to add to it and how to run it (a command). A room is
a folder with at least three sources of its own. Any other folder needs none, but is named in the
README of the nearest folder above: a person finds it from there. A README whose lines are mostly
rows of a table (an index of rulings) may be longer; results are records in a form of their own,
and the page of a finding quotes its module, which does not count."""

import re
from typing import List

from tidy.finding import Finding
from tidy.tree import Tree, outside_fences

NAME = "readmes"
CEILING = True
MEASURES = ("no-readme", "readme-lines", "readme-form", "unnamed-folder")
MOST = 40
SOURCES = 3

_PAGE = re.compile(r"results/findings/[^/]+/README\.md$")

# What a README of a room says, and how that is recognised.
_PARTS = [
    ("a title '# path: what'", re.compile(r"\A# \S.*: \S|\A# \S+$", re.M)),
    ("how to add", re.compile(r"\b[Aa]dd(?:s|ed|ing)?\b")),
    ("how to run", re.compile(r"ctest|hlocts |ci/|pytest|ninja |docs/build")),
]

_ROOM = {"spec/a.cc": "", "spec/b.cc": "", "spec/b.h": ""}
_GOOD = "# spec: the language\nAdd a file. Run `ctest`.\n"
PLANTED = [(_ROOM, "no README.md"),
           ({"README.md": "", "spec/README.md": "A line.\n" * 41}, "41 lines"),
           ({"spec/README.md": ""}, "no README.md"),
           ({**_ROOM, "README.md": "", "spec/README.md": "Add it. Run `ctest`.\n"}, "a title"),
           ({**_ROOM, "README.md": "", "spec/README.md": "# spec: x\nRun `ctest`.\n"},
            "how to add"),
           ({**_ROOM, "README.md": "", "spec/README.md": "# spec: x\nAdd a file.\n"},
            "how to run"),
           ({"results/findings/x/README.md": "A line.\n" * 41}, "41 lines"),
           ({"README.md": "", "data/a.txt": ""}, "data is not named in README.md")]
CLEAN = {"README.md": "cases, suites\n",
         "spec/README.md": _GOOD + "few: | row |\n" + "| row |\n" * 90,
         "results/findings/README.md": "x\n",
         "results/findings/x/README.md": "# A\n```\n" + "HLO\n" * 50 + "```\n",
         **_ROOM, "cases/x/a.case": "", "cases/README.md": "x holds cases\n", "cases/x/b.case": "",
         "spec/few/a.h": "", "spec/few/a.cc": "", ".host/run": ""}


def findings(tree: Tree) -> List[Finding]:
    found = [Finding(f"{room}/README.md" if room else "README.md", 0, "no README.md in this room",
                     "no-readme") for room in rooms(tree)
             if "README.md" not in tree.folders.get(room, [])]
    return found + _forms(tree) + _unnamed(tree)


def _forms(tree: Tree) -> List[Finding]:
    found = []
    own = rooms(tree)
    for path in tree.readmes:
        lines = tree.lines(path)
        if _PAGE.match(path):
            lines = [line for _, line in outside_fences(lines)]
        rows = sum(line.startswith("|") for line in lines)
        if len(lines) > MOST and 2 * rows < len(lines):
            found.append(Finding(path, MOST, f"{len(lines)} lines; at most {MOST}", "readme-lines",
                                 len(lines)))
        room = path[:-len("/README.md")] if "/" in path else ""
        if room and room in own and not room.startswith("results/"):
            found += [Finding(path, 1, f"does not say {part}", "readme-form")
                      for part, pattern in _PARTS if not pattern.search("\n".join(lines))]
    return found


def _unnamed(tree: Tree) -> List[Finding]:
    """Folders that nothing leads to. Those of the repository's host begin with a dot."""
    found = []
    for folder, names in tree.folders.items():
        if not folder or "README.md" in names or folder.startswith("."):
            continue
        above = folder.rpartition("/")[0]
        while above and "README.md" not in tree.folders.get(above, []):
            above = above.rpartition("/")[0]
        readme = f"{above}/README.md" if above else "README.md"
        below = folder[len(above):].strip("/").split("/")
        text = "\n".join(tree.lines(readme)) if readme in tree.readmes else ""
        if not any(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) for name in below):
            found.append(Finding(folder, 0, f"{folder} is not named in {readme}",
                                 "unnamed-folder"))
    return found


def rooms(tree: Tree) -> List[str]:
    found = [""]
    for folder, names in tree.folders.items():
        paths = [f"{folder}/{name}" for name in names
                 if name not in ("CMakeLists.txt", "__init__.py")]
        if folder and sum(tree.is_source(path) for path in paths) >= SOURCES:
            found.append(folder)
    return found
