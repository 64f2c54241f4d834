# SPDX-License-Identifier: Apache-2.0
"""A file that a comment or a page names exists: by its path, by the end of its path, or beside
the file that names it. A path that begins with a top-level folder exists too, as file or folder.
Left out: fenced blocks (their names are examples), names in capitals (MODULE.hlo stands for any),
and the names of other projects in foreign_names.txt."""

import itertools
import pathlib
import re
from typing import Iterator, List, Set, Tuple

from tidy.finding import Finding
from tidy.tree import CXX, Tree, is_own, outside_fences

NAME = "dangling"
CEILING = True
MEASURES = ("dangling",)

_FILE = re.compile(r"(?<![\w/.*{}<>$@%-])((?:[\w.-]+/)*[\w-][\w.-]*"
                   r"\.(?:\{[\w,]+\}|"
                   r"(?:h|cc|cu|inc|def|md|py|sh|proto|textproto|cmake|case|hlo)\b))"
                   r"(?![\w*({]|\.\w)")
_PATH = re.compile(r"(?<![\w/.*{}<>$@%:-])((?:[a-z_]+/)[\w./-]*\w)(?![\w*({<$])")
_FOREIGN = pathlib.Path(__file__).resolve().parents[1] / "foreign_names.txt"

PLANTED = [({"spec/a.h": "// As gone.h says.\n"}, "gone.h"),
           ({"spec/README.md": "See `ir/gone.cc`.\n"}, "ir/gone.cc"),
           ({"spec/README.md": "See `spec/gone`.\n"}, "spec/gone"),
           ({"spec/a.h": "// In a.{h,cc}.\n"}, "a.cc"),
           ({"ci/a.sh": "# For b.sh.\n"}, "b.sh")]
CLEAN = {"spec/a.h": "// As ir/shape.h, ir/shape.{h,cc}, spec/ir, MODULE.hlo say. Of a.pb.h.\n",
         "spec/ir/shape.h": "int gone_h;  // beside shape.cc\n", "spec/ir/shape.cc": "",
         "spec/a.proto": "", "spec/README.md": "```\nhlocts eval my.hlo\n```\n"}


def findings(tree: Tree) -> List[Finding]:
    known, foreign = _ends(tree), set(_FOREIGN.read_text().split())
    found = []
    for path in tree.paths:
        if is_own(path):
            continue
        for line, text in _prose(tree, path):
            for name in _names(tree, text):
                if name in foreign or name.rsplit("/", 1)[-1] in foreign:
                    continue
                if not _exists(name, path, known):
                    found.append(Finding(path, line, f"names {name}, which does not exist",
                                         "dangling:" + name))
    return found


def _names(tree: Tree, text: str) -> Iterator[str]:
    seen = set()
    for match in _FILE.finditer(text):
        stem, dot, end = match[1].rpartition(".")
        for extension in end.strip("{}").split(","):
            seen.add(stem + dot + extension)
    for match in _PATH.finditer(text):
        name = match[1]
        if name.split("/")[0] in tree.top and "." not in name:
            seen.add(name)
    return iter(sorted(name for name in seen if not _is_placeholder(name)))


def _is_placeholder(name: str) -> bool:
    stem = name.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    if stem.endswith("_test") and stem == name.rsplit("/", 1)[-1]:
        return True  # a test program: CMake names it
    return stem.startswith("NNNN") or stem.isupper() and not name.endswith(".md")


def _exists(name: str, path: str, known: Set[str]) -> bool:
    if re.search(r"\.pb\.(h|cc)$", name):
        name = name.rsplit(".pb.", 1)[0] + ".proto"
    name = re.sub(r"^(\./|build/)", "", name)
    while name.startswith("../"):
        name = name[3:]
    return name in known


def _ends(tree: Tree) -> Set[str]:
    """All ends of paths, and all folders."""
    ends = set()
    for path in tree.paths:
        parts = path.split("/")
        ends.update("/".join(parts[i:]) for i in range(len(parts)))
        ends.update(itertools.accumulate(parts[:-1], lambda a, b: a + "/" + b))
        # A file may be named without its ending where the folder is.
        ends.add(path.rsplit(".", 1)[0])
    return ends


def _prose(tree: Tree, path: str) -> Iterator[Tuple[int, str]]:
    if path.endswith(CXX):
        yield from tree.views(path).comments
    elif path.endswith(".md"):
        yield from outside_fences(tree.lines(path))
    elif path in tree.sources or path.endswith((".textproto", ".case")):
        for i, line in enumerate(tree.lines(path), 1):
            match = re.search(r"(?:^|\s)(?:#|//) (.*)", line)
            if match:
                yield i, match[1]
